#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# madsend --batch on a fabric: many requests outstanding, of any mixture.

load common


setup() { cd "$BATS_TEST_TMPDIR" || return; }

@test "a mixture of classes and destinations, by eight at once: each line has its answer" {
	local i
	{
		echo '{"header":{"method":"Get","attribute":"NodeInfo"},"tag":"self"}'
		echo '{"header":{"method":"Get","attribute":"NodeInfo"},"remote":{"path":"0,1"},"tag":"leaf"}'
		for i in 1 2 3 4; do
			echo '{"header":{"method":"Get","attribute":"PortInfo","modifier":1},"remote":{"lid":'$i'},"tag":"pi'$i'"}'
			echo '{"header":{"method":"Get","attribute":"PortCounters"},"remote":{"lid":'$i'},"data":{"PortSelect":1},"tag":"pc'$i'"}'
		done
		echo '{"header":{"method":"Get","attribute":"SA:ClassPortInfo"},"tag":"sa"}'
	} >lines
	run -0 --separate-stderr on node1 madsend --batch - --window 8 -j <lines
	[[ $(jq -r .tag <<<"$output" | sort | tr '\n' ' ') == 'leaf pc1 pc2 pc3 pc4 pi1 pi2 pi3 pi4 sa self ' ]]
	[[ $(jq -s 'all(.kind == "response" and .status.mad == 0)' <<<"$output") == true ]]
	[[ $(jq -s '[.[].seq] | unique | length' <<<"$output") == 11 ]]
	[[ $(jq -r 'select(.tag == "leaf").data.Guid' <<<"$output") == \
		"$(on node1 smpquery nodeinfo -D 0,1 | dotted Guid)" ]]
	[[ $(jq -r 'select(.tag == "pi3").data.LinkState_name' <<<"$output") == "$(on node1 smpquery portinfo 3 1 | dotted LinkState)" ]]
}

@test "what comes back can be sent again: a line of madsend is a request of --batch" {
	on node1 madsend -K -j -D 0,1 Get NodeInfo >answer
	jq -c '.header.method = "Get" | .header.method_id = 1 | .header.direction = 0 | .header.hop_pointer = 0 |
		.kind = "request" | .tag = "again"' answer >request
	run -0 --separate-stderr on node1 madsend --batch - -j <request
	[[ $(jq -r '[.tag, .data.Guid] | @tsv' <<<"$output") == "again	$(jq -r .data.Guid answer)" ]]
}

@test "a route that the header itself gives goes out as it says" {
	local path
	printf -v path '0001%0124d' 0
	cat >lines <<-END
	{"header":{"class":"SubnMgtDR","method":"Get","attribute":"NodeInfo","hop_count":1,"initial_path":"$path"},"tag":1}
	{"header":{"class":"SubnMgtDR","method":"Get","attribute":"NodeDescription","hop_count":1,"initial_path":"$path","dr_dlid":5}}
	{"header":{"class":"SubnMgtDR","method":"Get","attribute":"NodeInfo","hop_count":64,"initial_path":"$path"}}
	END
	run -5 --separate-stderr on node1 madsend --batch - -t 1000 --retries 0 -j -w "$PWD/sent.pcap" <lines
	[[ $(jq -r 'select(.tag == 1).data.Guid' <<<"$output") == "$(on node1 smpquery nodeinfo -D 0,1 | dotted Guid)" ]]
	[[ $stderr == *'header.hop_count: a route has at most 63 hops'* ]]
	[[ $(madrecv -r sent.pcap -j | jq -c 'select(.kind == "request").header | [.attribute, .hop_count, .dr_slid, .dr_dlid]') == \
		$'["NodeInfo",1,65535,65535]\n["NodeDescription",1,65535,5]' ]]
}

@test "a dead LID, a bad line and a refusal between others: the worst of 5, 3 and 4 is the status" {
	cat >lines <<-'END'
	{"header":{"method":"Get","attribute":"NodeInfo"},"tag":1}
	{"header":{"method":"Get","attribute":"NodeInfo"},"remote":{"lid":99},"tag":2}
	{"header":{"method":"Get","attribute":"PortInfo","modifier":77},"tag":4}
	{"header":{"method":"Get","attribute":"NodeInfo"},"tag":5}
	END
	run -3 --separate-stderr on node1 madsend --batch - -t 1000 --retries 1 -j <lines
	[[ $(jq -sc 'map([.tag, .kind, .status.mad != 0]) | sort' <<<"$output") == \
		'[[1,"response",false],[2,"timeout",false],[4,"response",true],[5,"response",false]]' ]]
	{ cat lines; echo '{"header":{}}'; } >more
	run -5 --separate-stderr on node1 madsend --batch - -t 1000 --retries 1 -j <more
	[[ $(jq -s length <<<"$output") == 5 ]]
	[[ $stderr == *'line 5: header.attribute: is missing'* ]]
}

@test "an address that nobody has: the reason in the line's JSON, with its tag" {
	cat >lines <<-'END'
	{"header":{"method":"Get","attribute":"NodeInfo"},"remote":{"name":"nosuch"},"tag":"name"}
	{"header":{"method":"Get","attribute":"PortCounters"},"remote":{"guid":"0x1234"},"data":{"PortSelect":1},"tag":"guid"}
	{"header":{"class":"SubnMgt","method":"Get","attribute":"NodeInfo"},"tag":"own LID"}
	END
	run -6 --separate-stderr on node1 madsend --batch - -j <lines
	[[ ${#stderr_lines[@]} -eq 2 ]] || { echo "$stderr"; return 1; }
	[[ $(jq -r 'select(.kind == "error") | "madsend: line \(.data.line): \(.data.error)"' <<<"$output") == "$stderr" ]]
	[[ $(jq -r 'select(.tag == "name").data.error' <<<"$output") == *nosuch*'in a batch, a name is the whole node description'* ]]
	[[ $(jq -r 'select(.tag == "guid").data.error' <<<"$output") == *1234*'(-G takes'* ]]
	[[ $(jq -c 'select(.tag == "own LID") | [.header.class, .data.Guid]' <<<"$output") == \
		"[\"SubnMgt\",\"$(on node1 smpquery nodeinfo -D 0 | dotted Guid)\"]" ]]
}

# Nothing is outstanding then: an unexpected response may crash the simulator's library.
@test "the deadline ends a batch whose input goes on" { in_time 1500 goes_on; }

goes_on() {
	rm -f endless
	mkfifo endless
	exec 7<>endless
	echo '{"header":{"method":"Get","attribute":"NodeInfo"}}' >&7
	run -3 --separate-stderr on node1 madsend --batch "$PWD/endless" --deadline "$ms" -j || return
	exec 7>&-
	[[ $(jq -c '[.kind, .status.mad]' <<<"$output") == '["response",0]' ]] &&
		[[ $stderr == 'madsend: the deadline has passed: the rest of the input was not read' ]]
}

@test "answers do not wait for the end of the input" {
	mkfifo in
	on node1 madsend --batch - -j <in >out &
	local pid=$!
	exec 7>in
	echo '{"header":{"method":"Get","attribute":"NodeInfo"},"tag":"first"}' >&7
	until_true 60 grep -q '"first"' out
	echo '{"header":{"method":"Get","attribute":"NodeInfo"},"tag":"second"}' >&7
	until_true 60 grep -q '"second"' out
	exec 7>&-
	wait $pid
	[[ $(jq -sc 'map(.tag)' out) == '["first","second"]' ]]
}
