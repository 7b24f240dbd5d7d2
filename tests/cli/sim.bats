#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# The commands on a simulated fabric inside themselves: --device sim:TOPOLOGY[@NODE].

setup() {
	load common
	data=$BATS_TEST_DIRNAME/../data/topologies
	small=$data/small.dump
	cd "$BATS_TEST_TMPDIR" || return
}

# on DEVICE COMMAND...: ends by itself, at once. A minute is what the slowest machine may need.
on() {
	local device=$1
	shift
	MADKIT_DEVICE=sim:$device timeout 60 "$@"
}

@test "by directed route, from any node" {
	run -0 on "$small" madsend -D 0 Get NodeDescription
	[[ $output == *'leaf2 rack2'* || $output == *HCA-1* ]]
	run -0 on "$small@node1 HCA-1" madsend -D 0 Get NodeDescription
	[[ $output == *'node1 HCA-1' ]]
	run -0 on "$small@node1 HCA-1" madsend -D 0,1 Get NodeInfo
	[[ $output == *'NodeType:........................Switch'* && $output == *0x0000000000200000* ]]
	run -0 on "$small@S-0000000000200001" madsend -D 0,7 -j Get NodeInfo
	[[ $(jq -r '.data.Guid' <<<"$output") == 0x0000000000200000 ]]
	run -0 on "$small@0x100003" madsend -D 0 -j Get NodeInfo
	[[ $(jq -r '.data.PortGuid' <<<"$output") == 0x0000000000100003 ]]
	[[ $(jq -r '.device' <<<"$output") == "sim:$small@0x100003" ]]
}

@test "the subnet is up: by LID, counters, and what the port knows of itself" {
	lid=$(on "$small@node2 HCA-1" madsend -D 0 -j Get PortInfo | jq .data.Lid)
	run -0 on "$small@node1 HCA-1" madsend -L "$lid" Get NodeDescription
	[[ $output == *'node2 HCA-1' ]]
	run -0 on "$small@node1 HCA-1" madsend -L "$lid" -j Get PortInfo
	[[ $(jq -r .data.LinkState_name <<<"$output") == Active ]]
	run -0 on "$small@node1 HCA-1" madsend -L "$lid" -j Get PortCounters PortSelect=1
	[[ $(jq .data.PortRcvPkts <<<"$output") -gt 0 ]]
	run -0 on "$small@node1 HCA-1" madsend --name 'node2 HCA-1' -j Get NodeInfo
	[[ $(jq -r .data.PortGuid <<<"$output") == 0x0000000000100003 ]]
	run -0 --separate-stderr on "$small@node1 HCA-1" madsend -d -D 0 Get NodeDescription
	[[ $stderr == *': Active, LID '* ]]
}

@test "tables of the SA: RMPP by the host's kernel and by the command, the same" {
	on "fat-tree:4,6,2@h4-6" madsend -j GetTable NodeRecord >kernel
	on "fat-tree:4,6,2@h4-6" madsend --rmpp user -j GetTable NodeRecord >user
	[[ $(wc -l <kernel) -eq 30 ]]
	cmp <(jq -c .data kernel) <(jq -c .data user)
	[[ $(jq -r .data.NodeDescription kernel | sort -u | wc -l) -eq 30 ]]
	run -0 on "fat-tree:24,20,4@h9-9" madsend -j GetTable NodeRecord
	[[ ${#lines[@]} -eq 508 ]]
	# through a fabric that loses some of it at each cable
	run -0 on "fat-tree:4,6,2@h4-6,fault=drop rate=3%" madsend -t 4000 --retries 9 -j GetTable NodeRecord
	cmp <(jq -c .data <<<"$output") <(jq -c .data kernel)
	run -6 --separate-stderr on fat-tree:2,2,1 madsend -j GetTable NodeRecord LID=999
	run -1 --separate-stderr on fat-tree:2,2,1,sm=none madsend GetTable NodeRecord
	[[ $stderr == *'knows no subnet manager'* ]]
}

@test "the manager is where it is told to be" {
	run -0 on "fat-tree:2,2,1,sm=h2-2" madsend -j Get PortInfo
	sm=$(jq .data.SMLid <<<"$output")
	run -0 on "fat-tree:2,2,1,sm=h2-2" madsend -L "$sm" Get NodeDescription
	[[ $output == *'h2-2 HCA-1' ]]
}

@test "a corrupt packet is counted by the port that receives it" {
	broken='fat-tree:2,2,1,sm=h1-1,fault=corrupt node=h1-1 method=Get attribute=0x10 nth=1'
	printf '%s\n' '{"remote":{"path":"0,1"},"header":{"class":"SubnMgtDR","method":"Get","attribute":"NodeDescription"}}' \
		'{"remote":{"lid":2},"header":{"class":"PerfMgt","method":"Get","attribute":"PortCounters"},"data":{"PortSelect":1}}' >requests
	run -0 on "$broken" madsend --batch requests --window 1 -t 100 -j
	[[ $(jq -r 'select(.header.attribute == "NodeDescription") | .attempts' <<<"$output") == 2 ]]
	[[ $(jq -r 'select(.header.attribute == "PortCounters") | .data | "\(.SymbolErrorCounter) \(.PortRcvErrors)"' <<<"$output") == '1 1' ]]
}

@test "a made-up fabric, and --device before the environment" {
	run -0 on "$small" madsend --device sim:fat-tree:4,2,2@h3-2 -D 0 Get NodeDescription
	[[ $output == *'h3-2 HCA-1' ]]
}

# sent FILE: how many MADs were sent, by a capture
sent() { madrecv -r "$1" -j | jq -s 'map(select(.kind == "request")) | length'; }

@test "D5: madpoll --until reports the time, tries and queries that there were" {
	local capture=$BATS_TEST_TMPDIR/capture clock slow
	for clock in virtual real; do
		fabric=fat-tree:2,2,1,clock=$clock
		# in each, the deadline is behind the last query
		run -3 --separate-stderr on "$fabric" madpoll -L 99 Get NodeInfo --until NumPorts==9 -t 100 --retries 1 -i 250 \
			--deadline 1010 -w "$capture"
		[[ $stderr =~ 'no response to Get NodeInfo from Lid 99 in '(0.9|1.0)[0-9]+' s, '([0-9]+)' tries in '[45]' queries; check' ]] ||
			{ echo "$stderr"; false; }
		(($(sent "$capture") == BASH_REMATCH[2] && ${#stderr_lines[@]} == 1))
		run -6 --separate-stderr on "$fabric" madpoll -L 1 Get NodeInfo --until NumPorts==99 -i 250 --deadline 990 -w "$capture"
		[[ $stderr =~ ^"madpoll: 'NumPorts==99' did not become true within "(0.9[0-9]+|1.0[0-9]+)" s ("([456])" queries); last value: NumPorts: "[0-9]+$ ]] || { echo "$stderr"; false; }
		(($(sent "$capture") == BASH_REMATCH[2]))
		run -6 --separate-stderr on "$fabric" madpoll -L 1 Get NodeInfo --until NumPorts==99 -n 1
		[[ $stderr == "madpoll: 'NumPorts==99' did not become true within 0."*" s (1 query); last value: NumPorts: "* ]]
		# the only query is cut off
		slow=$fabric,fault='delay delay=100 method=GetResp class=SubnMgt'
		run -3 --separate-stderr on "$slow" madpoll -L 1 Get NodeInfo --until NumPorts==99 --deadline 50
		[[ $stderr == *'in 0.05'*' s, 1 try; check'* ]]
	done
	# a silent time after responses has both
	lost=fat-tree:2,2,1,fault='drop method=GetResp class=SubnMgt rate=50%'
	run --separate-stderr on "$lost" madpoll -L 1 Get NodeInfo --until NumPorts==99 --retries 0 -t 100 -n 7
	[[ ${stderr_lines[-1]} =~ "did not become true within 6."[01][0-9]*" s (7 queries, "[1-6]" of them answered"(; the last response is [0-9.]+ s old)?"); last value: NumPorts: " ]] || { echo "$stderr"; false; }
}

# times FILE: of the requests in a capture, in ms
times() { madrecv -r "$1" -j | jq -r 'select(.kind == "request").time | sub("^[^.]*:(?<s>[0-9]+)[.](?<ms>...).*"; "\(.s)\(.ms)") | tonumber' | paste -sd' '; }

@test "madpoll --until queries at -i until the deadline, and twice more before it" {
	local net=$BATS_TEST_DIRNAME/../data/topologies/small.net capture=$BATS_TEST_TMPDIR/capture deadline interval expected n within
	local late=fat-tree:2,2,1 lost slow
	while read -r deadline interval expected; do
		run -6 --separate-stderr on "$net" madpoll -D 0 -m 1 Get PortInfo --until 'LinkState==Down && status.mad == 0' \
			-i "$interval" --deadline "$deadline" -w "$capture" -j
		[[ $(times "$capture") == "$expected" ]] || { echo "$deadline: $(times "$capture")"; return 1; }
		n=$(wc -w <<<"$expected")
		printf -v within '%d.%03d' $((deadline / 1000)) $((deadline % 1000))
		[[ $stderr == *"did not become true within $within s ($n queries); last value: LinkState: Active, status.mad: 0" ]]
		[[ $(jq -r .kind <<<"$output") == $'response\nerror' ]]
		[[ $(jq -r 'select(.kind == "error" and .status.send == 110) | "madpoll: " + .data.error' <<<"$output") == "$stderr" ]]
	done <<-END
		100 1000 0 75 90
		300 1000 0 225 280
		1000 1000 0 900 980
		1000 60000 0 900 980
		1050 1000 0 950 1000 1030
		2500 1000 0 1000 2000 2400 2480
		600 200 0 200 400 500 580
	END
	run -6 --separate-stderr on "$net" madpoll -D 0 -m 1 Get PortInfo --until 'LinkState==Down' -i 1000 --deadline 2500 -n 2
	[[ $stderr == *' 1.000 s (2 queries)'* ]]
	# what becomes true after the first of them counts
	run -0 on "$late" madpoll -L 2 Get NodeInfo --until 'seq == 3' -i 60000 --deadline 1000
	# neither one slow response nor slow ones end the wait
	lost="$late,fault=drop node=h1-1 class=SubnMgt method=Get nth=1"
	run -6 --separate-stderr on "$lost" madpoll -L 2 Get NodeInfo --until NumPorts==99 -w "$capture" --deadline 8000
	[[ $(times "$capture") == '0 1000 2000 3000 4000 5000 6000 7000 7900 7980' && $stderr == *'within 8.000 s (9 queries);'* ]]
	slow="$late,fault=delay delay=300 node=h1-1 class=SubnMgt method=Get"
	run -6 --separate-stderr on "$slow" madpoll -L 2 Get NodeInfo --until NumPorts==99 -w "$capture" -i 60000 --deadline 2000
	[[ $(times "$capture") == '0 1400' && $stderr == *'within 2.000 s (2 queries);'* ]] || { times "$capture"; false; }
}

@test "madpoll --until reports the end of the wait, whatever the last response was" {
	local fabric=fat-tree:2,2,1 lost wait
	lost="$fabric,fault=drop node=h1-1 class=SubnMgt method=Get nth=2+"
	wait="madpoll -j -L 2 Get NodeInfo --until NumPorts==99"
	kinds() { [[ $(jq -r '.kind' <<<"$output" | paste -sd' ') == "$1" ]] || { echo "$output"; false; }; }
	# the deadline cuts off the query after a response: that response counts
	run -6 --separate-stderr on "$lost" $wait -t -1 --deadline 1050
	kinds 'response error'
	[[ $stderr == *' within 1.050 s (2 queries, 1 of them answered; the deadline cut off the last one; the last response is 1.050 s old); last value: NumPorts: 3' ]]
	# a query before that had no response
	run -3 --separate-stderr on "$lost" $wait -t 100 --retries 0 --deadline 2550
	kinds 'timeout error'
	[[ ${stderr_lines[0]} == *' in 1.550 s, 3 tries in 3 queries;'* && ${stderr_lines[1]} == *' within 2.550 s (4 queries, 1 of them answered; the last response is 2.550 s old); last value: NumPorts: 3' ]]
	# no query was answered
	run -3 --separate-stderr on "$fabric" madpoll -j -L 99 Get NodeInfo --until NumPorts==99 --deadline 500
	kinds timeout
	[[ ${#stderr_lines[@]} == 1 && $stderr == *'no response to Get NodeInfo'* ]]
	# a MAD status, and an empty table
	run -4 --separate-stderr on "$fabric" madpoll -j -L 1 -m 77 Get PortInfo --until 'status.mad == 1' --deadline 500
	kinds 'response error'
	[[ ${stderr_lines[1]} == *' within 0.500 s (3 queries); last value: status.mad: 28' && $(jq -r 'select(.status.send == 110).data.until' <<<"$output") == 'status.mad == 1' ]]
	run -6 --separate-stderr on "$fabric" madpoll -j GetTable NodeRecord LID=99 --until 'records == 1' -n 2
	kinds 'response error'
	[[ ${stderr_lines[1]} == *' within 1.000 s (2 queries); last value: records: 0' ]]
}

@test "D5: madpoll --until shows on a terminal what it waits for" {
	local wait="madpoll --device sim:fat-tree:2,2,1,clock=real --deadline 1700 --until"
	run -6 timeout 20 script -qec "$wait NumPorts==99 Get NodeInfo" /dev/null </dev/null
	[[ $output == *$'\r'"waiting for 'NumPorts==99': 2 queries, last response 0 s ago"*$'\r '*$'\r'"madpoll: 'NumPorts==99' did not"* ]]
	run -3 timeout 20 script -qec "$wait 'NumPorts==99 && NodeType==2 && LocalPort==7' -t -1 -L 99 Get NodeInfo" /dev/null </dev/null
	[[ $output == *$'\r'"waiting for 'NumPorts==99 && NodeType...': 1 query, no response for 1 s"*$'\r'"madpoll: no response"* ]]
	run -3 timeout 20 script -qec "$wait NumPorts==99 -q -L 99 Get NodeInfo" /dev/null </dev/null
	[[ -z $output ]]
	run -3 --separate-stderr $wait NumPorts==99 -L 99 Get NodeInfo
	[[ $stderr != *waiting* ]]
}

@test "time is virtual: what times out does so at once, hours later" {
	lost=fat-tree:2,2,1,fault='drop method=GetResp'
	run -3 --separate-stderr on "$lost" madsend -D 0,1 -t 3600000 --retries 3 Get NodeInfo
	[[ -z $output && $stderr == *'in 14400.000 s, 4 tries'* ]]
	run -3 --separate-stderr on "$lost" madpoll -D 0,1 Get NodeInfo --until NodeType==2 --deadline 86400000
	[[ $stderr == *'no response'* ]]
	run -6 --separate-stderr on fat-tree:2,2,1 madpoll -D 0,1 Get NodeInfo --until NodeType==1 --deadline 86400000
	[[ $stderr == *'did not become true within 86400.000 s'* ]]
	run -3 --separate-stderr on fat-tree:2,2,1 madrecv --class 4 --deadline 86400000
	run -3 --separate-stderr on fat-tree:2,2,1 madpoll --class 4 --deadline 86400000
	# two fabrics, whose descriptors are waited for
	run -3 --separate-stderr timeout 60 madpoll --device sim:fat-tree:2,2,1 --device sim:fat-tree:2,2,1@h1-2 --class 4 --deadline 60000
	[[ $stderr == *'no MAD came in 60000 ms'* ]]
	# and without a deadline, with the last event
	run -3 --separate-stderr timeout 20 madrecv --device sim:fat-tree:2,2,1 --class 9
	[[ $stderr == 'madrecv: no MAD came; no event is left on the simulated fabric' ]]
}

@test "C1: -t -1 waits without limit, until the deadline or a signal" {
	for fabric in "fat-tree:2,2,1,fault=drop method=GetResp" "fat-tree:2,2,1,sm=h1-1,fault=drop method=GetResp attribute=0x30" \
		"fat-tree:2,2,1,clock=real,fault=drop method=GetResp"; do
		deadline=3000000
		[[ $fabric != *real* ]] || deadline=300
		run -3 --separate-stderr on "$fabric" madsend -D 0,1 -t -1 --retries 3 --deadline "$deadline" -j Get VendorDiag
		[[ $(jq -c '[.kind, .attempts, .status.send]' <<<"$output") == '["timeout",1,110]' ]]
		[[ $stderr =~ 'no response to '.*" in $((deadline / 1000))."[0-9]{3}" s, 1 try;" ]] || { echo "$stderr"; return 1; }
		run -143 --separate-stderr on "$fabric" timeout --preserve-status -s TERM 0.5 madsend -D 0,1 -t -1 -j Get VendorDiag
	done
	run -0 --separate-stderr on fat-tree:2,2,1 madsend -D 0,1 -t -1 -j Get NodeInfo
	printf '%s\n' '{"header":{"method":"Get","attribute":"NodeInfo"},"remote":{"path":"0"}}' \
		'{"header":{"method":"Get","attribute":"NodeInfo"},"remote":{"path":"0,1"}}' >requests
	run -3 --separate-stderr on "fat-tree:2,2,1,fault=drop method=GetResp" madsend --batch requests -t -1 --deadline 5000 -j
	[[ $(jq -sc 'map(select(.kind == "timeout") | .attempts)' <<<"$output") == '[1]' ]]
}

@test "C1: timeouts that are out of range or have no effect are usage errors" {
	for wrong in 0 -2 2147483648 4294967295 1x; do
		run -2 --separate-stderr on fat-tree:2,2,1 madsend -D 0 -t "$wrong" Get NodeInfo
		[[ $stderr == *--timeout*"'$wrong'"* ]] || { echo "$stderr"; return 1; }
	done
	run -2 --separate-stderr on fat-tree:2,2,1 madsend -D 0,1 -t -1 --locate Get NodeInfo
	[[ $stderr == *--locate*'-t -1'* ]]
	run -2 --separate-stderr on fat-tree:2,2,1,sm=h1-1 madrecv --subscribe 64 -t -1
	[[ $stderr == *--subscribe*'-t -1'* ]]
}

@test "a count and an interval take no time either, and say that they did" {
	run -0 on fat-tree:2,2,1 madsend -D 0,1 -n 3 -i 3600000 -j Get NodeDescription
	[[ $(jq -r 'select(.kind == "response") | .time[11:16]' <<<"$output" | tr '\n' ' ') == '00:00 01:00 02:00 ' ]]
}

@test "real time: the machine's, and timeouts with it" {
	run -3 --separate-stderr on fat-tree:2,2,1,clock=real,fault=drop madsend -D 0,1 -t 20 --retries 1 -j Get NodeInfo
	[[ $(jq -r '.time[0:4]' <<<"$output") == "$(date -u +%Y)" ]]
	run -0 on fat-tree:2,2,1,clock=real madsend -D 0,1 Get NodeDescription
	[[ $output == *leaf1 ]]
	run -3 --separate-stderr on fat-tree:2,2,1,clock=real madpoll --class 4 --deadline 50
}

# batch SEED OUTPUT: two hundred requests through faults of all kinds; JSON and a capture.
batch() {
	local status=0
	MADKIT_DEVICE="sim:fat-tree:4,3,2,seed=$1,fault=drop rate=10%,fault=reorder rate=20% delay=2,fault=duplicate rate=5%,fault=garble rate=3%,fault=delay rate=5% delay=30" \
		timeout 60 madsend --batch requests --window 16 -t 20 -j -w "$2.pcap" >"$2.json" 2>"$2.err" || status=$?
	echo "$status" >"$2.status"
}

@test "the same seed gives the same bytes: JSON with its times, messages, captures" {
	for i in {1..100}; do
		echo '{"remote":{"path":"0,1,4,2"},"header":{"class":"SubnMgtDR","method":"Get","attribute":"NodeInfo"},"tag":'"$i"'}'
		echo '{"remote":{"path":"0,1,5,3,1"},"header":{"class":"SubnMgtDR","method":"Get","attribute":"PortInfo"}}'
	done >requests
	batch 7 a
	batch 7 b
	batch 8 c
	[[ $(wc -l <a.json) -eq 200 ]]
	# something came through, something did not
	[[ $(jq -s 'map(select(.kind == "response")) | length' a.json) -gt 100 ]]
	[[ $(grep -c '"kind":"timeout"' a.json) -gt 0 || $(jq -s 'map(.attempts) | max' a.json) -gt 1 ]]
	for part in json pcap err status; do
		cmp a.$part b.$part
	done
	run -1 cmp -s a.json c.json
	run -1 cmp -s a.pcap c.pcap
}

@test "topologies with errors: line, column and what was expected; status 5" {
	printf 'Switch 4 "A"\n[1] "h1"[1]\n[9] "h1"[1]\nCa 1 "h1"\n[1] "A"[1]\n' >bad.net
	run -5 --separate-stderr on bad.net madsend -D 0 Get NodeInfo
	[[ -z $output && ${#stderr_lines[@]} -eq 1 ]]
	[[ $stderr == 'madsend: bad.net: line 3, column 2: '* ]]
	: >empty.net
	run -5 --separate-stderr on empty.net madsend -D 0 Get NodeInfo
	[[ $stderr == 'madsend: empty.net: '* ]]
}

@test "what there is not is named: files, nodes, ports (1); rules and options (2)" {
	run -1 --separate-stderr on nowhere.net madsend -D 0 Get NodeInfo
	[[ ${#stderr_lines[@]} -eq 1 && $stderr == *"'nowhere.net'"*'No such file'* ]]
	run -1 --separate-stderr on "$small@node9" madsend -D 0 Get NodeInfo
	[[ ${#stderr_lines[@]} -eq 1 && $stderr == *"'node9'"* ]]
	run -1 --separate-stderr on "$small@node1 HCA-1:3" madsend -D 0 Get NodeInfo
	[[ $stderr == *'port 3'* ]]
	run -1 --separate-stderr on "$small,sm=node9" madsend -D 0 Get NodeInfo
	[[ $stderr == *"'node9'"* ]]
	run -2 --separate-stderr on fat-tree:1 madsend -D 0 Get NodeInfo
	run -2 --separate-stderr on "$small,clock=mine" madsend -D 0 Get NodeInfo
	[[ $stderr == *"'mine'"* ]]
	run -2 --separate-stderr on "$small,fault=lose" madsend -D 0 Get NodeInfo
	[[ $stderr == *"'lose'"*garble* ]]
	run -2 --separate-stderr on "$small,control=link nobody 1 down" madsend -D 0 Get NodeInfo
	[[ $stderr == *"'nobody'"* ]]
	run -2 --separate-stderr on "" madsend -D 0 Get NodeInfo
	[[ $stderr == *'topology is missing'* ]]
}

# wrong RULE MESSAGE COMMAND...: a response about something else is malformed, and both values are named.
wrong() {
	local rule=$1 message=$2
	shift 2
	run -5 --separate-stderr on "fat-tree:2,2,1,control=fault answer $rule" "$@"
	[[ $stderr == *"$message"* ]] || { echo "$stderr"; false; }
}

@test "W11: a response about something else than the request is malformed" {
	local block='the response is about block 3, and the request asked for block 0'
	local port='the response is about port 2, and the request asked for port 1'
	wrong 'attribute=LFT as-modifier=3' "Get LinearForwardingTable: $block" madsend --name leaf1 -m 0 Get LFT
	[[ -z $output ]]
	wrong 'attribute=LFT as-modifier=3' "Get LinearForwardingTable: $block" madsend --name leaf1 -m all Get LFT
	wrong 'attribute=PortInfo as-port=2' "Get PortInfo: $port" madsend --name leaf1 -m 1 Get PortInfo
	wrong 'attribute=PortCounters as-port=2' "Set PortCounters: $port" \
		madsend --name leaf1 Set PortCounters PortSelect=1 CounterSelect=all
	wrong 'attribute=NodeInfo as=SwitchInfo' 'the response is about SwitchInfo, and the request asked for NodeInfo' \
		madsend -L 5 Get NodeInfo
	wrong 'attribute=PKeyTable as-port=2' 'the response has the modifier 0x20000, and the request 0x10000' \
		madsend --name leaf1 -m 0x10000 Get PKeyTable
	wrong 'attribute=LFT as-modifier=3' "$block" madsend --batch - \
		<<<'{"header":{"method":"Get","attribute":"LFT","modifier":0},"remote":{"path":"0,1"}}'
	wrong 'attribute=PortCountersExtended as-port=2' "Get PortCountersExtended: $port" \
		madpoll --name leaf1 Get PortCounters PortSelect=1 --delta -n 1 -i 10
}

@test "W11: no line of JSON shows a response about something else as an answer" {
	local words
	for words in 'madsend --name leaf1 Get PortCounters PortSelect=1' 'madsweep --select number==1 Get PortCounters'; do
		# shellcheck disable=SC2086
		wrong 'attribute=PortCounters as-port=2 node=leaf1' 'the response is about port 2' $words -j
		[[ $(jq -r 'select(.kind == "response").data.PortSelect' <<<"$output" | sort -u) == @(|1) ]]
		[[ $(jq -c 'select(.kind == "error") | [.header.attribute, .data]' <<<"$output") == \
			'["PortCounters",{"error":"Get PortCounters'*': the response is about port 2, and the request asked for port 1"}]' ]]
	done
	[[ $(jq -c 'select(.kind == "summary").data.requests | [.malformed, .answered]' <<<"$output") == '[1,6]' ]]
}

@test "W11: a response about something else is not counted as lost" {
	run -5 --separate-stderr on "fat-tree:2,2,1,fault=answer attribute=PortCounters as-port=2 node=leaf1" madsend -j --name leaf1 \
		-n 3 -i 1 Get PortCounters PortSelect=1
	[[ $(jq -c 'select(.kind == "summary").data | [.sent, .lost]' <<<"$output") == '[3,0]' ]]
	# a line of kind error has the header of the request, as others have
	[[ $(jq -r 'select(.kind == "error") | "\(.header.method) \(.status.send)"' <<<"$output" | sort -u) == 'Get 74' ]]
}

@test "W9: counters of the own port are not those of a port that has its LID, wherever a sweep begins" {
	local words='control=info "h1-1 HCA-1" 1 Lid=6,control=info "h1-2 HCA-1" 1 Lid=6' from
	words+=',control=counter "h1-1 HCA-1" 1 SymbolErrorCounter=11,control=counter "h1-2 HCA-1" 1 SymbolErrorCounter=22'
	for from in 0 0,1 0,1,2; do
		run --separate-stderr on "fat-tree:1,2,0@h1-1,sm=none,$words" madsweep --from "$from" --select 'node.name =~ "^h1-2"' \
			Get PortCounters -j
		[[ $(jq -s 'map(select(.kind == "response")) | length' <<<"$output") == 0 && $stderr == *'h1-2'* ]] || { echo "$from: $output"; return 1; }
	done
}

@test "W11: a sweep names a response about something else, and ends with status 5" {
	local block='0x0000000000200001 leaf1 (0,1): the response is about block 3, and the request asked for block 0'
	wrong 'attribute=LFT as-modifier=3 node=leaf1' "incomplete: $block" madsweep --route h1-1,h2-1
	wrong 'attribute=MFT as-modifier=3 node=leaf1' 'leaf1 (0,1): the response has the modifier 0x3, and the request 0x0' \
		madsweep --mlid 0xc000
	wrong 'attribute=LFT as-modifier=3 node=leaf1' 'Get LinearForwardingTable to leaf1: the response is about block 3' \
		madsweep --select 'node.name == "leaf1"' -m 0 Get LFT
	wrong 'attribute=PortCounters as-port=2 node=leaf1' 'to leaf1 port 1: the response is about port 2' \
		madsweep Get PortCounters
	wrong 'attribute=PortInfo as-port=2 node=leaf1 nth=1' 'the response is about port 2, and the request asked for port' \
		madsweep
	wrong 'attribute=PortInfo as-port=2 node=leaf1' 'the response is about port 2, and the request asked for port' \
		madsweep -j
	[[ $(jq -c 'select(.kind == "summary") | [.data.complete, .data.missing]' <<<"$output") == \
		'[false,["wrong response"]]' ]]
	wrong 'attribute=NodeInfo as=SwitchInfo node=leaf1' \
		'incomplete: node at 0,1: the response is about SwitchInfo, and the request asked for NodeInfo' madsweep
}

@test "W11: a response about something else to a query before the requests is status 5" {
	local both='the response is about PortCounters, and the request asked for ClassPortInfo'
	wrong 'node=leaf1 attribute=PerfMgt:ClassPortInfo as=PortCounters' "Get ClassPortInfo to leaf1: $both" \
		madsweep --select 'node.name == "leaf1"' Get PortCountersExtended -j
	[[ $stderr != *'was not read'* ]]
	[[ $(jq 'select(.kind == "summary").data.complete' <<<"$output") == false ]]
	wrong 'node=leaf1 attribute=PerfMgt:ClassPortInfo as=PortCounters' "Get ClassPortInfo to leaf1: $both" \
		madsweep --select 'node.name == "leaf1"' Get PortCounters --filter 'SymbolErrorCounter > 0'
	wrong 'node=leaf1 attribute=PerfMgt:ClassPortInfo as=PortCounters' "Get ClassPortInfo: $both" \
		madpoll --name leaf1 Get PortCounters PortSelect=1 --delta -n 1 -i 10
}

@test "W11: --until names a response about something else, also if a later one is right" {
	local rule='fat-tree:2,2,1,fault=answer node=leaf1 attribute=PortInfo as-port=2' \
		about='madpoll: Get PortInfo: the response is about port 2, and the request asked for port 1'
	run -0 --separate-stderr on "$rule nth=1" madpoll -D 0,1 -m 1 Get PortInfo --until 'LinkState == Active' -n 3 -i 10
	[[ $stderr == "$about" && $output == *'LinkState:'* ]]
	# once each, with an invalid value
	run -5 --separate-stderr on "$rule" madpoll -D 0,1 -m 1 Get PortInfo --until 'LinkState == Active' -n 2 -i 10
	[[ ${stderr_lines[0]} == "$about" && ${stderr_lines[1]} == "$about" && ${#stderr_lines[@]} -eq 3 ]]
	[[ ${stderr_lines[2]} == *'did not become true'* && $stderr != *'last value'* && -z $output ]]
	run -5 --separate-stderr on "$rule" madpoll -D 0,1 -m 1 Get PortInfo --until 'LinkState == Active' -n 13 -i 1
	[[ $(grep -c "^$about" <<<"$stderr") == 10 && $stderr == *'and 3 more requests with a malformed response'* ]]
}

@test "W1: --merge sets extended speeds, which need bit 31 of the modifier" {
	run -0 --separate-stderr on fat-tree:2,2,1 madsend --name leaf1 -m 1 Set PortInfo --merge 'LinkSpeedExtEnabled=14.0625 Gbps' -j
	# 1 is FDR alone (IBA volume 1, section 14.2.5.6)
	[[ $(jq -c '[.data.LinkSpeedExtEnabled, .header.modifier]' <<<"$output") == '[1,2147483649]' ]]
	[[ $stderr == *'+LinkSpeedExtEnabled:.............14.0625 Gbps' ]]
	run -0 --separate-stderr on fat-tree:2,2,1 madsend --name leaf1 -m 1 Set PortInfo --merge --dry-run LinkSpeedExtEnabled=FDR
	[[ ${lines[0]} == '# Set PortInfo: Lid 5 port 1' ]]
	# a port of a switch that has no faster speed than QDR
	printf '%s\n' 'Switch 2 "S"' '[1] "H"[1] w=3 s=7 e=0' 'Ca 1 "H"' '[1] "S"[1] w=3 s=7 e=0' >qdr.net
	run -0 --separate-stderr on qdr.net madsend -D 0,1 -m 1 Set PortInfo --merge --dry-run VLHighLimit=1 -j
	[[ $(jq -c '[.data.LinkSpeedExtSupported, .header.modifier]' <<<"$output") == '[0,1]' ]]
}

@test "W1: a value that the responder did not set is reported, with status 6" {
	local zero='Set PortInfo --zero-rest'
	run -6 --separate-stderr on fat-tree:2,2,1 madsend --name leaf1 -m 1 Set PortInfo --zero-rest LinkSpeedExtEnabled=FDR
	[[ ${stderr_lines[0]} == *': Set PortInfo: LinkSpeedExtEnabled is 14.0625 Gbps or 25.78125 Gbps or 53.125 Gbps, not 14.0625 Gbps as requested' ]]
	[[ ${stderr_lines[1]} == *'hint: bit 31 of the modifier sets extended speeds: -m 0x80000001, or --merge' ]]
	run -6 --separate-stderr on fat-tree:2,2,1 madsend --name leaf1 -m 1 Set PortInfo --merge MtuCap=256
	[[ $stderr == *'Set PortInfo: MtuCap is 4096, not 256 as requested' ]]
	run -6 --separate-stderr on fat-tree:2,2,1 madsend -L 6 -m 0 Set GUIDInfo --merge 'GUID[0]=7'
	[[ $stderr == *'Set GUIDInfo: GUID[0] is 0x0000000000100001, not 0x0000000000000007 as requested' ]]
	# set as requested; a change of state, "no change", and a key that is not shown
	run -0 --separate-stderr on fat-tree:2,2,1 madsend --name leaf1 -m 0x80000001 $zero LinkSpeedExtEnabled=FDR LinkWidthEnabled=1X
	run -0 --separate-stderr on fat-tree:2,2,1 madsend --name leaf1 -m 0x80000001 $zero LinkSpeedExtEnabled=31 LinkSpeedExtEnabled2=7
	run -0 --separate-stderr on fat-tree:2,2,1 madsend --name leaf1 -m 0x80000001 $zero LinkSpeedExtEnabled=30
	run -0 --separate-stderr on fat-tree:2,2,1 madsend --name leaf1 -m 2 $zero LinkState=Active NeighborMTU=0 LinkWidthEnabled=255
	run -0 --separate-stderr on fat-tree:2,2,1 madsend -L 6 Set PortInfo --merge Mkey=7
	run -0 --separate-stderr on fat-tree:2,2,1 madsend --name leaf1 -m 0 Set LFT --merge 'Port[7]=3'
	run -0 --separate-stderr on fat-tree:2,2,1 madsend --name leaf1 Set PortCounters PortSelect=1 CounterSelect=all
	[[ $stderr != *requested* ]]
}

@test "W2: counters of a port with RS-FEC have its layout" {
	local words='control=counter leaf1 1 FECCorrectableSymbolCtrLane3=5' place='.port.node.name == "leaf1" and .port.number == 1'
	run -0 --separate-stderr on "fat-tree:2,2,1,$words" madsend --name leaf1 Get PortExtendedSpeedsCounters PortSelect=1 -j
	# by libibmad (IB_PESC_RSFEC_FEC_CORR_SYMBOL_CTR_LANE3_F), and the line encodes back to the same bytes
	[[ $(jq -c '[.seq, .header.attribute, .header.attribute_id, .data.FECCorrectableSymbolCtrLane[3]]' <<<"$output") == \
		'[1,"PortExtendedSpeedsCountersRSFEC",31,5]' ]]
	[[ $(madsend --dry-run --batch - -j <<<"$output" | jq -c .data) == "$(jq -c .data <<<"$output")" ]]
	run -0 --separate-stderr on "fat-tree:2,2,1,$words" madsweep Get PortExtendedSpeedsCounters -j
	[[ $(jq -c "select($place) | .data.FECCorrectableSymbolCtrLane[3]" <<<"$output") == 5 ]]
	run -0 --separate-stderr on "fat-tree:2,2,1,$words" madpoll --name leaf1 Get PortExtendedSpeedsCounters PortSelect=1 --delta -n 1 -i 10
	[[ $output == *FECCorrectableSymbolCtrLane3* && $output != *FECCorrectableBlockCtrLane* ]]
	# FDR links have none
	run -0 --separate-stderr on "$data/small.dump" madsweep Get PortExtendedSpeedsCounters -j --select 'speed == FDR'
	[[ $(jq -r 'select(.kind == "response") | .header.attribute' <<<"$output" | sort -u) == PortExtendedSpeedsCounters ]]
	run -2 --separate-stderr on "fat-tree:2,2,1,control=counter leaf1 1 ErrorDetectionCounterLane0=1" madsend -D 0 Get NodeInfo
	[[ $stderr == *"'ErrorDetectionCounterLane0'"* ]]
}

@test "W2: names that a port with RS-FEC does not have are refused, not false" {
	local command option
	for command in 'madsend --name leaf1 Get PortExtendedSpeedsCounters PortSelect=1' \
		'madsweep --select number==1 Get PortExtendedSpeedsCounters'; do
		for option in --filter --assert --fields; do
			# shellcheck disable=SC2086
			run -2 --separate-stderr on fat-tree:2,2,1 $command "$option" "FECCorrectableBlockCtrLane[0]$([[ $option == --fields ]] || echo ' > 0')"
			[[ $stderr == *"$option: PortExtendedSpeedsCountersRSFEC has no field 'FECCorrectableBlockCtrLane"* ]] || { echo "$stderr"; return 1; }
		done
		# shellcheck disable=SC2086
		run -0 --separate-stderr on fat-tree:2,2,1 $command --filter 'SyncHeaderErrorCounter >= 0'
	done
	run -2 --separate-stderr on fat-tree:2,2,1 madpoll --name leaf1 Get PortExtendedSpeedsCounters PortSelect=1 \
		--until 'FECCorrectableBlockCtrLane[0] > 0' -n 1
	run -0 --separate-stderr on fat-tree:2,2,1 madsend --name leaf1 Get PortExtendedSpeedsCountersRSFEC PortSelect=1 \
		--filter 'FECCorrectableSymbolCtrLane[0] == 0'
	# the FEC mode does not matter if no response is shown
	run -0 --separate-stderr on fat-tree:2,2,1 madsend -w sent.pcap -L 5 Get PortExtendedSpeedsCounters PortSelect=1 --no-response
	[[ $(madrecv -r sent.pcap -j | jq -s length) == 1 ]]
}

@test "W2: a batch knows the FEC mode that an earlier response has shown" {
	local counters='{"header":{"method":"Get","attribute":"PortExtendedSpeedsCounters"},"remote":{"lid":5},"data":{"PortSelect":1}}'
	local mode='{"header":{"method":"Get","class":"SubnMgt","attribute":"PortInfoExtended","modifier":1},"remote":{"lid":5}}'
	local device="fat-tree:2,2,1,control=counter leaf1 1 FECCorrectableSymbolCtrLane3=5"
	run -5 --separate-stderr on "$device" madsend --batch - -j <<<"$counters"
	[[ $(jq -c '[.kind, (.data | keys)]' <<<"$output") == '["error",["error"]]' && $stderr == *'the FEC mode of the port is not known'* ]]
	run -0 --separate-stderr on "$device" madsend --batch - -j --window 1 <<<"$mode"$'\n'"$counters"
	[[ $(jq -c '[.header.attribute, .data.FECCorrectableSymbolCtrLane[3]]' <<<"${lines[1]}") == '["PortExtendedSpeedsCountersRSFEC",5]' ]]
	# a Set shows no counters
	local set=${counters/'"Get"'/'"Set"'}
	run -0 --separate-stderr on "$device" madsend --batch - -j <<<"${set/'"PortSelect":1'/'"PortSelect":1,"CounterSelect":1'}"
	[[ $(jq -r .kind <<<"$output") == response ]]
	run -0 --separate-stderr on "$device" madsend --batch - -j <<<"${counters/Counters/CountersRSFEC}"
	[[ $(jq -c '.data.FECCorrectableSymbolCtrLane[3]' <<<"$output") == 5 ]]
}

# Faults that hide the FEC mode of leaf1, the resulting status, and a message about it.
fec_hidden() {
	printf '%s|%s|%s\n' \
		'drop node=leaf1 attribute=PortInfoExtended method=GetResp' 3 'Get PortInfoExtended' \
		'drop node=leaf1 class=SubnMgt attribute=PortInfoExtended' 3 'Get PortInfoExtended' \
		'answer node=leaf1 attribute=PortInfoExtended as-port=2' 5 'Get PortInfoExtended: the response is about port 2' \
		'drop node=leaf1 attribute=PerfMgt:ClassPortInfo method=GetResp' 3 'Get ClassPortInfo' \
		'answer node=leaf1 attribute=PerfMgt:ClassPortInfo as=PortCounters' 5 \
		'Get ClassPortInfo: the response is about PortCounters, and the request asked for ClassPortInfo'
}

@test "W2: counters are not shown if the FEC mode of the port is not known" {
	local rule want about device words
	while IFS='|' read -r rule want about; do
		device="fat-tree:2,2,1,control=counter leaf1 1 FECCorrectableSymbolCtrLane0=77,fault=$rule"
		for words in madsend 'madpoll --until PortSelect==1 -n 1' 'madpoll --delta -n 1 -i 10'; do
			# shellcheck disable=SC2086
			run "-$want" --separate-stderr on "$device" $words -t 20 --retries 0 --name leaf1 Get PortExtendedSpeedsCounters PortSelect=1
			[[ -z $output && $stderr == *"$about"* ]] || { echo "$words $rule: $output $stderr"; return 1; }
			[[ $stderr == *': PortExtendedSpeedsCounters: not requested, because the FEC mode of the port is not known'$'\n'*': hint: '* ]]
			# shellcheck disable=SC2086
			run "-$want" --separate-stderr on "$device" $words -t 20 --retries 0 --name leaf1 -j Get PortExtendedSpeedsCounters PortSelect=1
			[[ $(jq -r .kind <<<"$output" | sort -u) == @(timeout|error) && $(jq -c .data <<<"$output") != *FEC[CU]* ]] || { echo "$output"; return 1; }
		done
		# the layout is named, or does not matter
		run -0 --separate-stderr on "$device" madsend -t 20 --retries 0 --name leaf1 Get PortExtendedSpeedsCountersRSFEC PortSelect=1
		[[ $(grep -c 'FECCorrectableSymbolCtrLane0:.*77$' <<<"$output") == 1 && -z $stderr ]]
		run -0 --separate-stderr on "$device" madsend -t 20 --retries 0 --name leaf1 Get PortExtendedSpeedsCounters PortSelect=1 -f raw
		[[ -z $stderr ]]
	done < <(fec_hidden)
}

@test "W2: a node that refuses PortInfoExtended has no RS-FEC" {
	run -0 --separate-stderr on 'fat-tree:2,2,1,fault=answer node=leaf1 attribute=PortInfoExtended as-port=99' \
		madsend --name leaf1 Get PortExtendedSpeedsCounters PortSelect=1
	[[ -z $stderr && $output == *FECCorrectableBlockCtrLane0* ]]
	run -0 --separate-stderr on 'fat-tree:2,2,1,fault=answer node=leaf1 attribute=PortInfoExtended as-port=99' \
		madsweep --select 'node.name == "leaf1"' Get PortExtendedSpeedsCounters -j
	[[ $(jq -r 'select(.kind == "response").header.attribute' <<<"$output" | sort -u) == PortExtendedSpeedsCounters ]]
	[[ $(jq 'select(.kind == "summary").data.complete' <<<"$output") == true ]]
}

@test "W2: a sweep does not show counters of a port of which the FEC mode is not known" {
	local rule want about device
	while IFS='|' read -r rule want about; do
		device="fat-tree:2,2,2@h1-1,control=counter leaf1 1 FECCorrectableSymbolCtrLane0=77,fault=$rule"
		run "-$want" --separate-stderr on "$device" madsweep -t 100 Get PortExtendedSpeedsCounters -j \
			--select 'node.name == "leaf1" && number == 1'
		[[ $stderr == *': PortExtendedSpeedsCounters: not requested, because the FEC mode of leaf1 port 1 is not known'* ]] ||
			{ echo "$rule: $stderr"; return 1; }
		[[ $want != 5 || $stderr == *"${about#*: }"* ]]
		[[ $(jq -c 'select(.port.number == 1) | [.kind, .data]' <<<"$output") == \
			'["error",{"error":"the FEC mode of the port is not known"}]' ]]
		[[ $(jq -c 'select(.kind == "summary").data | [.complete, .requests.failed]' <<<"$output") == '[false,1]' ]]
	done < <(fec_hidden)
	# others are shown
	device='fat-tree:2,2,2@h1-1,fault=drop node=leaf1 attribute=PortInfoExtended method=GetResp'
	run -0 --separate-stderr on "$device" madsweep -t 100 Get PortExtendedSpeedsCounters -j
	[[ $(jq -r 'select(.kind == "response").header.attribute' <<<"$output" | sort -u) == PortExtendedSpeedsCountersRSFEC ]]
	[[ $(jq 'select(.kind == "response").port.node.name' <<<"$output") != *leaf1* ]]
	run -3 --separate-stderr on "$device" madsweep -t 100 Get PortExtendedSpeedsCounters --strict
}

@test "W2: a capture is decoded by the FEC mode that it shows" {
	local words='control=counter leaf1 1 FECCorrectableSymbolCtrLane3=5'
	run -0 --separate-stderr on "fat-tree:2,2,1,$words" madsend -w seen.pcap --name leaf1 Get PortExtendedSpeedsCounters PortSelect=1
	run -0 --separate-stderr madrecv -r seen.pcap -j
	[[ -z $stderr && $(jq -c 'select(.kind == "response" and .header.attribute_id == 31) |
		[.header.attribute, .data.FECCorrectableSymbolCtrLane[3]]' <<<"$output") == '["PortExtendedSpeedsCountersRSFEC",5]' ]]
	# RS-FEC are 2 and 4, as for perfquery (IB_PORT_EXT_RS_FEC2_MODE_ACTIVE); FECModeActive is at byte 68 of PortInfoExtended
	local mode
	for mode in 0: 1: 2:RSFEC 3: 4:RSFEC; do
		python3 - "${mode%:*}" <<-'END' >mode.pcap
			import re, sys
			capture = bytearray(open('seen.pcap', 'rb').read())
			for mad in re.finditer(rb'\x01[\x01\x81]\x01\x81.{12}\x00\x33', capture, re.S):
			    capture[mad.start() + 69] = int(sys.argv[1])
			sys.stdout.buffer.write(capture)
		END
		run -0 --separate-stderr madrecv -r mode.pcap -j
		[[ $(jq -r 'select(.kind == "response" and .header.attribute == "PortInfoExtended").data.FECModeActive' <<<"$output") == "${mode%:*}" ]]
		[[ $(jq -r 'select(.kind == "response" and .header.attribute_id == 31) | .header.attribute' <<<"$output") == \
			PortExtendedSpeedsCounters"${mode#*:}" ]] || { echo "$mode"; return 1; }
	done
	# without addresses, no port is known
	madrecv -r seen.pcap -f raw >seen.raw
	run -0 --separate-stderr madrecv -r seen.raw -j
	[[ $(jq -r 'select(.kind == "response" and .header.attribute_id == 31) | .header.attribute' <<<"$output") == PortExtendedSpeedsCounters ]]
	[[ $stderr == 'madrecv: seen.raw: PortExtendedSpeedsCounters are shown as without RS-FEC: no PortInfoExtended of the port precedes' ]]
}

@test "counters move at an exact rate in virtual time" {
	local words='control=traffic h1-1 1 gbps=80 packets=1000,control=errors h1-1 1 SymbolErrorCounter=3'
	run -0 on "fat-tree:2,2,1@h1-1,$words" madpoll --delta -i 1000 -n 10 -j --name 'h1-1 HCA-1' Get PortCountersExtended PortSelect=1
	[[ $(jq -c '.data.counters | [.PortXmitPkts, .PortXmitData, .SymbolErrorCounter] | map(.rate)' <<<"$output" | sort -u) == '[10000000.000,2500000000.000,3.000]' ||
		$(jq -c '.data.counters | [.PortXmitPkts, .PortXmitData, .SymbolErrorCounter] | map(.rate)' <<<"$output" | sort -u) == '[10000000,2500000000,3]' ]]
	[[ ${#lines[@]} -eq 10 ]]
}

@test "control words in a device specification" {
	run -0 on "fat-tree:2,2,1@h1-1,control=counter 'h1-2 HCA-1' 1 VL15Dropped=7,control=counter h1-2 1 PortRcvErrors=3" \
		madsend -j --name 'h1-2 HCA-1' Get PortCounters PortSelect=1
	[[ $(jq -c '[.data.VL15Dropped, .data.PortRcvErrors]' <<<"$output") == '[7,3]' ]]
	# the subnet manager activates a link again before traffic
	local words
	for words in '' training=900,; do
		run -0 on "fat-tree:2,2,1@h1-1,${words}control=link h1-2 1 width=1x,control=traffic h1-2 1 gbps=2" \
			madsend -D 0,1,2 Get PortInfo --fields LinkState,LinkWidthActive -f text
		[[ $output == *Active* && $output == *1X* ]]
	done
	run -3 on "fat-tree:2,2,1@h1-1,control=link h1-2 1 down" madsend -t 10 --retries 0 -D 0,1,2 Get NodeInfo
}

@test "control words: ports join and leave multicast groups" {
	local fabric=fat-tree:2,2,1@h1-1
	run -0 on "$fabric,control=join h1-1 1,control=join 'h2-1 HCA-1' 1,control=join spine1 0" madsweep -q -j --mlid 0xc000
	[[ $(jq -r 'select(.hop) | "\(.port.node.name) \(.port.number) \(.hop.notes | join(","))"' <<<"$output") == \
		$'leaf1 1 member\nleaf1 3 \nspine1 0 member\nspine1 1 \nspine1 2 \nleaf2 1 member\nleaf2 3 ' ]]
	run -0 on "$fabric,control=join h1-1 1 ff12::1,control=join h2-2 1 ff12::1,control=leave h1-1 1 ff12::1" \
		madsweep -q -j --mlid 0xc001 --fields port.node.name,port.number
	[[ ${lines[0]} == '{"port":{"node":{"name":"leaf2"},"number":2}}' ]]
	# the member knows, and who asks with the SM_Key
	run -0 on "$fabric,control=join h2-1 1 ff12::1" madsend --sm-key 1 GetTable MCMemberRecord MGID=ff12::1 --fields MLID,MTU,JoinState
	[[ $output == *'0xc001'*'2048'*'FullMember'* ]]
	run -2 --separate-stderr on "$fabric,control=join h1-1 1 fe80::1" madsweep
	[[ $stderr == *"'fe80::1' cannot be the MGID of a group"* ]]
	run -2 --separate-stderr on "$fabric,control=link h1-1 1 width=1x speed=SDR,control=join h1-1 1" madsweep
	[[ $stderr == *'h1-1, port 1 cannot join: its rate, MTU or P_Keys do not fit the group'* ]]
	run -2 --separate-stderr on "$fabric,control=leave h1-1 1" madsweep
	[[ $stderr == *'h1-1, port 1 is not in the group'* ]]
	run -2 --separate-stderr on "$fabric,control=node h2-1 gone,control=join h2-1 1" madsweep
	[[ $stderr == *'the subnet does not have h2-1, port 1'* ]]
	run -2 --separate-stderr on "$fabric,sm=none,control=join h1-1 1" madsweep
	[[ $stderr == *'there is no built-in subnet manager'* ]]
}

@test "control words: a link that flaps is up and down in turn" {
	run -0 on "fat-tree:2,2,1@h1-1,control=link h2-1 1 flap=700" madsweep -q --select 'node.name == "h2-1 HCA-1"'
	[[ -z $output ]]
	# a deadline and a signal end the wait for a subnet that changes all the time
	local never="fat-tree:8,8,4@h1-1,control=link h2-1 1 flap=0.02,control=join h1-1 1"
	run -3 on "$never" madsend -q --deadline 300 -D 0,1 Get NodeInfo
	run -143 on "$never" timeout -s TERM --preserve-status 0.5 madsend -q -D 0,1 Get NodeInfo
	# the subnet manager activates it each time
	run -0 on "fat-tree:2,2,1@h1-1,control=link h1-2 1 flap=700" madsend -q -D 0,1 -m 2 Get PortInfo -n 6 -i 400 --fields LinkState
	[[ $(sed -n 's/^LinkState:\.*//p' <<<"$output" | tr '\n' ' ') == 'Down Down Active Active Down Down ' ]]
}

@test "a registration that is refused says why" {
	run -1 --separate-stderr on fat-tree:1,2,0 madreg --class 0x50 --class-version 1 -j
	[[ $output$stderr == *class* ]]
}

@test "C11: a refusal that has its cause in the request has no holders, and no supported flags" {
	for arguments in '--class 0x50' '--class 0x33' '--class PerfMgt --rmpp-version 1' '--class 0 --method Get' \
		'--class 0 --user-rmpp' '--class CM --class-version 0x83 --method Send'; do
		# shellcheck disable=SC2086  # words
		run -1 --separate-stderr on fat-tree:1,2,0 madreg $arguments -j
		jq -e '.data | (.registered | not) and .supported_flags == null and .possible_holders == [] and
			.processes_not_seen == 0' <<<"$output"
		# shellcheck disable=SC2086  # words
		run -1 --separate-stderr on fat-tree:1,2,0 madreg $arguments
		[[ $output != *PossibleHolder* && $output != *SupportedFlags* ]]
	done
}

@test "C11: the banner names the methods that are listened for; by default those that have a name" {
	while read -r methods arguments; do
		# shellcheck disable=SC2086  # words
		run -3 --separate-stderr on fat-tree:1,2,0 madrecv $arguments --banner --deadline 100
		[[ ${stderr_lines[0]} == "madrecv: listening on sim:fat-tree:1,2,0 for $methods" ]]
	done <<-'END'
		Get,Set,Send,Trap,Report,TrapRepress --class 0x33 --oui 0xabcdef
		Get,0x10,0x7f --class 0x33 --oui 0xabcdef --method 0x7f,Get,0x10
		Get --respond ibping
		Get,Set,Send,Trap,Report,TrapRepress,GetTable,GetTraceTable,GetMulti,Delete --class SubnAdm
	END
}

@test "C10: class version 0 is registered and sent, and is not the default" {
	run -0 --separate-stderr on fat-tree:1,2,0 madreg --class 0x0a --class-version 0 --method Get -j
	jq -e '.data | .registered and .class_version == 0' <<<"$output"
	run -0 --separate-stderr on fat-tree:1,2,0 madreg --class 3 --method Get -j
	jq -e '.data | .registered and .class_version == 2' <<<"$output"
	run -0 --separate-stderr on fat-tree:1,2,0 madsend --class 0x0a --class-version 0 -L 1 --dry-run -j Get 1
	jq -e '.header.class_version == 0' <<<"$output"
	run -2 --separate-stderr on fat-tree:1,2,0 madrecv --snoop --class-version 0
	[[ $stderr == *snoop* ]]
}

@test "A10: the OUI of a class that has none is ignored, as umad_register2(3) documents" {
	for flags in '' --user-rmpp; do
		# shellcheck disable=SC2086  # no word, or one
		run -0 --separate-stderr on fat-tree:1,2,0 madreg --class 0x0a --method Get --oui 0x1000000 $flags -j
		[[ $(jq -c '[.data.registered, .data.oui]' <<<"$output") == '[true,null]' && -z $stderr ]]
	done
}

@test "A4: counters of a switch without PortSelect are refused, those of this port are not" {
	lid=$(on "$small" madsend -D 0,1 -j Get PortInfo | jq .data.Lid)
	run -2 --separate-stderr on "$small" madsend -L "$lid" Get PortCounters --assert 'SymbolErrorCounter<1'
	[[ -z $output && $stderr == *PortSelect=255* ]]
	run -0 on "$small" madsend -L "$lid" Get PortCounters PortSelect=0 -j
	[[ $(jq .data.PortSelect <<<"$output") == 0 ]]
	port=$(on "$small" madsend -D 0 -j Get PortInfo | jq .data.LocalPort)
	line='{"header":{"method":"Get","attribute":"PortCounters"}}'
	for command in 'madsend Get PortCounters' 'madsend --dry-run Get PortCounters' \
		'madsend --batch -' 'madpoll Get PortCounters --until PortSelect!=0 -n 1'; do
		# shellcheck disable=SC2086  # words
		run -0 --separate-stderr on "$small" $command -j <<<"$line"
		[[ $(jq .data.PortSelect <<<"$output") == "$port" ]]
	done
	run -0 --separate-stderr on "$small" madsend Set PortCounters CounterSelect=0xffff -j
	[[ $(jq .data.PortSelect <<<"$output") == "$port" ]]
	run -0 --separate-stderr on "$small" madpoll Get PortCounters --delta -i 1 -n 1 -j
	[[ $(jq .data.PortSelect <<<"$output") == "$port" ]]
	# a line by hand of another node's counters
	run -5 --separate-stderr on "$small" madsend --batch - <<<"${line%\}},\"remote\":{\"lid\":$lid}}"
	[[ $stderr == *'line 1: data: PortSelect is missing'* ]]
}

# Each request to another node is a packet that its port receives.
@test "A5: under --delta a name is the difference, NAME.rate the rate, NAME.value the reading" {
	lid=$(on "$small@node2 HCA-1" madsend -D 0 -j Get PortInfo | jq .data.Lid)
	delta() {
		on "$small@node1 HCA-1" madpoll -L "$lid" Get PortCounters PortSelect=1 --delta -i 10 -n 3 "$@"
	}
	run -0 --separate-stderr delta -j --assert 'PortRcvPkts == 1 && PortRcvPkts.delta == 1 && PortRcvPkts.rate > 90 &&
		PortRcvPkts.rate <= 100 && PortRcvPkts.value > 1 && PortRcvData.rate_bytes > 0 && !PortRcvPkts.saturated &&
		!PortRcvPkts.reset && SymbolErrorCounter.rate == 0 && PortSelect == 1 && interval_us >= 10000 &&
		header.attribute == PortCountersExtended'
	[[ ${#lines[@]} == 3 && -z $stderr ]]
	[[ $(jq -sc 'map([.data.counters.PortRcvPkts.delta, .header.attribute]) | unique' <<<"$output") == \
		'[[1,"PortCountersExtended"]]' ]]
	run -6 --separate-stderr delta --assert 'PortRcvPkts > 1'
	[[ $stderr == *"'PortRcvPkts > 1' did not hold: PortRcvPkts is 1 (Lid $lid port 1)"* ]]
	run -6 --separate-stderr delta --filter 'PortRcvPkts > 1'
	[[ -z $output && $stderr == *'nothing matched the filter' ]]
	run -0 --separate-stderr delta --fields PortRcvPkts.rate --filter 'PortRcvPkts.value > 1'
	[[ ${#lines[@]} == 6 && ${lines[1]} =~ ^PortRcvPkts:\.+\+1\ \(.*/s\),\ value\ [0-9]+$ ]]
	# not asked for where the wide counters have all
	run -0 --separate-stderr delta -d
	[[ $(grep -c 'sent PerfMgt Get .*attribute 0x0012' <<<"$stderr") == 0 ]]
}

@test "A5: --fields of --delta selects from the envelope as well" {
	run -0 on "$small" madpoll Get PortCounters --delta -i 10 -n 1 -j --fields SymbolErrorCounter,remote.lid
	[[ $(jq -c '[keys_unsorted, (.data.counters | keys)]' <<<"$output") == '[["remote","data"],["SymbolErrorCounter"]]' ]]
	run -0 on "$small" madpoll Get PortCounters --delta -i 10 -n 1 -j --fields kind
	[[ $output == '{"kind":"event"}' ]]
}

@test "A5: --delta without two readings before the deadline is a timeout, and no assertion held" {
	run -3 --separate-stderr on "$small" madpoll Get PortCounters --delta --deadline 500 --assert 'SymbolErrorCounter.rate < 0'
	[[ -z $output && $stderr == *'before there were two readings to compare' ]]
}

@test "A5: names that --delta does not have are refused, with what was meant" {
	for option in --filter --assert; do
		run -2 --separate-stderr on "$small" madpoll Get PortCounters --delta "$option" 'SymbolErrorCountr > 0'
		[[ -z $output && $stderr == *"'SymbolErrorCountr'"*"did you mean 'SymbolErrorCounter'?"* ]]
		run -2 --separate-stderr on "$small" madpoll Get PortCounters --delta "$option" 'SymbolErrorCounter.speed > 0'
		[[ -z $output && $stderr == *"'SymbolErrorCounter.speed'"* ]]
	done
	run -2 --separate-stderr on "$small" madpoll Get NodeInfo --delta
	[[ $stderr == *'no counters'* ]]
}

@test "madreg --list says that a simulated port is none of this machine's" {
	[[ ! -d /sys/class/infiniband_mad ]] || skip "this machine has ports"
	run --separate-stderr madreg --list --device sim:fat-tree:2,2,1
	((status))
	[[ $stderr == *"this machine has no ports"*"'sim:fat-tree:2,2,1'"* && $stderr != *ib_umad* ]]
}

@test "a topology without a CA: the message says so, and which option names a node" {
	echo 'Switch 4 "s" # "alone"' >switch
	run -2 --separate-stderr madsim switch -- true
	[[ $stderr == "madsim: the topology has no CA: choose the node of the subnet manager with --sm NODE, or use --no-sm "* ]]
	for sm in "--no-sm" "--sm s"; do
		# shellcheck disable=SC2086  # two words
		run -2 --separate-stderr madsim switch $sm -- true
		[[ $stderr == "madsim: the topology has no CA: choose a node with --node NODE "* ]]
	done
	run -0 inside switch --sm s --node s -- madsend -D 0 --fields NodeType Get NodeInfo
	[[ $output == *Switch ]]
	run -1 --separate-stderr madsend --device sim:switch Get NodeInfo
	[[ $stderr == "madsend: the topology has no CA: try sim:TOPOLOGY@NODE" ]]
	run -2 --separate-stderr madsend --device sim:switch@s Get NodeInfo
	[[ $stderr == "madsend: the topology has no CA: try ,sm=NODE or ,sm=none "* ]]
	run -0 madsend --device sim:switch@s,sm=s -D 0 --fields NodeType Get NodeInfo
	[[ $output == *Switch ]]
}

@test "A9: a combined route is shown with the LID at which it begins" {
	local topology=$BATS_TEST_DIRNAME/../data/topologies/small.net
	run -0 on "$topology" madsend -L 4 -D 0,7 Get NodeInfo --fields Guid
	[[ ${lines[0]} == '# NodeInfo: Lid 4 DR path slid 5; dlid 65535; 0,7 port 0' ]]
	run -3 --separate-stderr on "$topology" madsend -L 4 -D 0,5 Get NodeInfo
	[[ $stderr == *'from Lid 4 DR path slid 5; dlid 65535; 0,5 in'* ]]
}

@test "A9: --locate: a route that no node can forward blames no node that is silent" {
	local topology=$BATS_TEST_DIRNAME/../data/topologies/small.net
	run -3 --separate-stderr on "$topology" madsend -D 0,1,9,1 --locate Get NodeInfo
	[[ ${stderr_lines[-1]} == *'0,1: leaf1 rack1 '*'the route leaves it by port 9, and it has 8 ports' ]]
	run -3 --separate-stderr on "$topology" madsend -D 0,1,7,1,1 --locate Get NodeInfo
	[[ ${stderr_lines[-1]} == *'0,1,7,1: node2 HCA-1 '*'the route goes through it to port 1, and it is not a switch' ]]
}

@test "a directed route without a response: the message names --locate, whose result --quiet does not suppress" {
	local topology=$BATS_TEST_DIRNAME/../data/topologies/small.net
	run -3 --separate-stderr on "$topology" madsend -D 0,1,9 -t 50 Get NodeInfo
	[[ $stderr == *'; --locate finds the last node that responds' ]]
	run -3 --separate-stderr on "$topology" madsend -D 0,1,9 -t 50 --locate -q Get NodeInfo
	[[ ${#stderr_lines[@]} -eq 1 && $stderr == *'the last node that responded is 0,1: leaf1'* ]]
	run -3 --separate-stderr on "$topology" madsend -D 0,1,9 -t 50 --locate -q -j Get NodeInfo
	[[ -z $stderr && $output == *'"last_path":"0,1"'* ]]
}

@test "too many records: the message names GetTable" {
	local topology=$BATS_TEST_DIRNAME/../data/topologies/small.net
	run -4 --separate-stderr on "$topology" madsend Get NodeRecord
	[[ $stderr == *'status 0x0400: too many records; Get is for one record: use GetTable' ]]
	run -4 --separate-stderr on "$topology" madsend Get PortInfoRecord EndportLID=2
	[[ $stderr == *GetTable ]]
}

@test "an address that the kernel refuses: the message names what to check" {
	local topology=$BATS_TEST_DIRNAME/../data/topologies/small.net
	invalid() { # TEXT OPTION...
		local text=$1
		shift
		run -1 --separate-stderr on "$topology" madsend "$@"
		[[ ${#stderr_lines[@]} -eq 1 && $stderr == *"Invalid argument; $text"* ]] || { echo "$*: $stderr"; return 1; }
	}
	invalid 'P_Key index 64: the table has 64 entries (it is an index, not a P_Key)' -Y 64 Get PathRecord DLID=3
	invalid 'P_Key index 32769: the table has 64 entries' -Y 0x8001 -L 4 Get PortCounters PortSelect=1
	invalid 'check --gid-index 9' -L 4 --gid fe80::1 --gid-index 9 Get PortCounters PortSelect=1
	invalid 'hop 1 is port 9, but must be port 1, which sends the request' -D 0,9 Get NodeInfo
	invalid 'hop 1 is port 99, but must be port 1' -D 0,99 --retries 0 Get NodeInfo
}

@test "D6: without a response from the subnet manager, the message says to check it" {
	local topology=$BATS_TEST_DIRNAME/../data/topologies/small.net
	silent() { # TEXT OPTION...
		local text=$1
		shift
		run -3 --separate-stderr on "$topology" madsend -t 50 --retries 0 "$@"
		[[ ${#stderr_lines[@]} -eq 1 && $stderr == *"$text"* && $stderr == *'SM LID 1)'* ]] ||
			{ echo "$*: $stderr"; return 1; }
	}
	silent 'check whether the subnet manager responds (madsend Get SMInfo), the port' --sm-port 9 GetTable NodeRecord
	silent 'and whether the subnet manager responds (madsend Get SMInfo)' --sm-port 9 --name node2 Get NodeInfo
	silent 'check whether the subnet manager is running, the port' --sm-port 9 Get SMInfo
	# any other destination: its address
	silent 'check the address, the port' -L 9 Get SMInfo
	silent 'check the address, the port' -L 9 Get PortCounters PortSelect=1
}

@test "--name is a whole description or its first word, and reaches no other node" {
	local topology=$BATS_TEST_DIRNAME/../data/topologies/small.net sent
	run -0 on "$topology" madsend --name node3 Get NodeDescription --fields NodeDescription
	[[ ${lines[-1]} == *.node3\ HCA-1 ]]
	run -0 on "$topology" madsend --name leaf1 Get NodeDescription --fields NodeDescription
	[[ ${lines[-1]} == *.leaf1\ rack1 ]]
	# h1-1 is also the beginning of h1-10, h1-11 and h1-12
	run -0 on fat-tree:2,12,1 madsend --name h1-1 Get NodeDescription --fields NodeDescription
	[[ ${lines[-1]} == *.h1-1\ HCA-1 ]]
	# two adapters of a host have one first word
	sed 's/"node2 HCA-1"/"node3 HCA-2"/' "$topology" >"$BATS_TEST_TMPDIR/two.net"
	run -2 --separate-stderr on "$BATS_TEST_TMPDIR/two.net" madsend --name node3 Get NodeInfo
	[[ -z $output && $stderr == *"several nodes are called 'node3'; did you mean 'node3 HCA-"*"' or 'node3 HCA-"*"'?"* ]]
	run -0 on "$BATS_TEST_TMPDIR/two.net" madsend --name 'node3 HCA-2' Get NodeInfo
}

@test "V3: --name with the beginning of a description: up to three nodes are suggested, none for a batch" {
	local topology=$BATS_TEST_DIRNAME/../data/topologies/small.net
	run -6 --separate-stderr on "$topology" madsend --name nod Get NodeInfo
	[[ ${#stderr_lines[@]} -eq 1 && $stderr == *"no node 'nod' (--name takes the whole node description, or its first word); did you mean 'node"*"?" ]]
	run -6 --separate-stderr on "$topology" madsend --name NODE3 Get NodeInfo
	[[ $stderr == *"; did you mean 'node3 HCA-1'?" ]]
	run -6 --separate-stderr on fat-tree:2,4,2 madsend --name h1 Get NodeInfo
	[[ $stderr == *"; did you mean 'h1-1 HCA-1' or 'h1-2 HCA-1' or 'h1-3 HCA-1'?" ]]
	run -6 --separate-stderr on "$topology" madsend --batch - \
		<<<'{"remote":{"name":"node3"},"header":{"method":"Get","attribute":"NodeInfo"}}'
	[[ $stderr == *"no node 'node3' (in a batch, a name is the whole node description)" ]] || { echo "V3: $stderr"; return 1; }
}

# refused FILE COMMAND...: FILE is what the command reads, and is as it was afterwards.
refused() {
	local file=$1
	shift
	cp "$file" before
	run -2 --separate-stderr "$@"
	[[ -z $output && $stderr == *": '$file' is an input of this command: it cannot also be written"* ]] || { echo "$*: $stderr"; return 1; }
	cmp "$file" before
}

@test "B13: -w does not overwrite a file that the command reads, or standard output" {
	cd "$BATS_TEST_TMPDIR"
	local sim=sim:fat-tree:2,2,2
	echo '{"header":{"method":"Get","attribute":"NodeInfo"}}' >batch
	refused batch madsend --device $sim --batch batch -w batch
	refused batch madsend --dry-run --batch batch -w batch
	from_stdin() { "$@" <batch; }
	refused batch from_stdin madsend --device $sim --batch - -w batch
	ln batch other-name
	refused batch madsend --device $sim --batch other-name -w batch
	madsim --generate fat-tree:2,2,2 >net
	refused net madsend --device sim:net Get NodeInfo -w net
	refused net madsend --device "sim:net@h2-1 HCA-1,seed=3" Get NodeInfo -w net
	refused net env MADKIT_DEVICE=sim:net madsend Get NodeInfo -w net
	refused net madsim net --events net -- true
	printf '0x1 "a"\n' >map
	refused map madsend --device $sim --name a --node-name-map map Get NodeInfo -w map
	echo '# nothing' >config
	refused config madsend --device $sim -z config Get NodeInfo -w config
	printf 'c0ffee' >data
	refused data madsend --dry-run --class 0x32 --oui 1 -L 4 Get 0x10 data=@data -w data
	madsend --dry-run -D 0 Get NodeInfo -f raw >mad
	refused mad madrecv -r mad -w mad
	madsend --device $sim Get NodeInfo -w out >out 2>err && return 1
	[[ $? == 2 && ! -s out && $(<err) == "madsend: 'out' is standard output: use another file"* ]]
	into_pipe() { "$@" 2>err | cat >out; return "${PIPESTATUS[0]}"; }
	run -2 into_pipe madsend --device $sim Get NodeInfo -w /dev/stdout
	[[ ! -s out && $(<err) == "madsend: '/dev/stdout' is standard output: use another file"* ]]
	run -0 into_pipe madsend --device $sim Get NodeInfo -w >(cat >capture)
	[[ -s out && ! -s err ]]
}

@test "B11: an error of the --batch file is not the device's" {
	local device
	for device in --dry-run --device=sim:fat-tree:2,2,2; do
		run -1 --separate-stderr madsend $device --batch /proc/self/mem -L 4
		[[ -z $output && $stderr == "madsend: cannot read '/proc/self/mem': Input/output error" ]]
	done
}

@test "A4: a line of a vendor class without its OUI is a bad line, with and without --dry-run" {
	local line='{"header":{"class_id":50,"method":"Get","attribute_id":16},"remote":{"lid":4},"data":{"Data":"c0ffee"}}' device
	for device in --dry-run --device=sim:fat-tree:2,2,2; do
		run -5 --separate-stderr madsend $device --batch - <<<"$line"
		[[ -z $output && $stderr == "madsend: line 1: header.oui: class Vendor0x32 needs it, or --oui" ]]
	done
	run -0 --separate-stderr madsend --dry-run --batch - --oui 0x1405 -f hex <<<"$line"
	[[ $output == *'00 14 05'* || $output == *001405* ]]
}

@test "A9: results are shown if the file of -w cannot be written" {
	cd "$BATS_TEST_TMPDIR"
	# the header of the file fits, the response does not
	limited() { (trap '' XFSZ; ulimit -f 1; madsend --device sim:fat-tree:2,2,2 GetTable NodeRecord "$@" -w file | cat; exit "${PIPESTATUS[0]}") 2>err; }
	run -1 limited -j
	[[ $(<err) == "madsend: cannot write 'file': File too large" ]]
	[[ $(jq -r .header.attribute <<<"$output" | sort | uniq -c) == *'8 NodeRecord' ]]
}

@test "B16: a line of the node name map that cannot be read is malformed input" {
	printf '0x1 "a"\nfoo\n' >"$BATS_TEST_TMPDIR/map"
	run -5 --separate-stderr madsend --device sim:fat-tree:2,2,2 --node-name-map "$BATS_TEST_TMPDIR/map" --name a Get NodeInfo
	[[ -z $output && $stderr == *'map:2: expected 0xGUID "name"' ]]
}

# Where an installed madkit of this build has its private libraries.
pkglibdir() { [[ -z ${MADKIT_BUILD:-} ]] || sed -n 's/^#define MADKIT_PKGLIBDIR "\(.*\)"/\1/p' "$MADKIT_BUILD/config.h"; }

@test "madsim COMMAND: a missing libmadsim_umad.so is reported with the directory in which it is expected" {
	local lib=$BATS_TEST_TMPDIR/lib
	[[ -n ${MADKIT_BUILD:-} ]] || skip "there is no build directory"
	mkdir "$lib"
	cp "$MADKIT_BUILD"/lib/.libs/libmadkit{.so.0,-sim.so} "$lib/"
	run -0 --separate-stderr env LD_LIBRARY_PATH="$lib" madsim fat-tree:1,1,0 -- true
	[[ $stderr == "madsim: no libmadsim_umad.so in $lib: third-party programs do not see the fabric" ]]
}

@test "C13: madsim refuses a libmadkit-sim.so of another version" {
	local other=$BATS_TEST_TMPDIR/other.so
	${CC:-cc} -shared -fPIC -o "$other" -x c - \
		<<<'const struct { unsigned int abi; const char *version; } madkit_transport_library = { 1, "0.0.0" };'
	run -1 --separate-stderr env LD_PRELOAD="${MADKIT_PRELOAD:+$MADKIT_PRELOAD:}$other" madsim --generate fat-tree:1,1,0
	[[ -z $output && $stderr == "madsim: version "*" needs libmadkit-sim.so of the same version: this one is another version" ]]
	${CC:-cc} -shared -fPIC -o "$other" -x c - \
		<<<'const struct { unsigned int abi; const char *version; } madkit_transport_library = { 1, 0 };'
	run -1 --separate-stderr env LD_PRELOAD="${MADKIT_PRELOAD:+$MADKIT_PRELOAD:}$other" madsim --generate fat-tree:1,1,0
	[[ $stderr == *"this one is another version" ]]
}

@test "C13: a missing or different libmadkit-sim.so is reported in one line that names the package" {
	local other=$BATS_TEST_TMPDIR/other only=$BATS_TEST_TMPDIR/only
	mkdir "$other" "$only"

	# unless one is installed
	installed=$(pkglibdir)
	if [[ -n $installed && ! -e $installed/libmadkit-sim.so ]]; then
		ln -s "$MADKIT_BUILD/lib/.libs/libmadkit.so.0" "$only/"
		LD_LIBRARY_PATH=$only run -1 --separate-stderr madsend --device sim:fat-tree:2,2,1 -L 1 Get NodeInfo
		[[ $stderr == "madsend: "*"package madsim: libmadkit-sim.so: cannot open shared object file: No such file or directory; it is not in $installed" ]]
		((${#stderr_lines[@]} == 1))
	fi

	: >"$other/libmadkit-sim.so"
	LD_LIBRARY_PATH=$other:${LD_LIBRARY_PATH:-} run -1 --separate-stderr madsend --device sim:fat-tree:2,2,1 -L 1 Get NodeInfo
	[[ $stderr == "madsend: "*"simulated fabrics need the package madsim: "*libmadkit-sim.so:* ]]
	((${#stderr_lines[@]} == 1))

	# no transports; another ABI, behind which nothing is read; another version, or none
	local source
	for source in '' 'const struct { unsigned int abi; const char *version; } madkit_transport_library = { 99, (const char *)1 };' \
		'const struct { unsigned int abi; const char *version; } madkit_transport_library = { 1, "0.0.0" };' \
		'const struct { unsigned int abi; const char *version; } madkit_transport_library = { 1, 0 };'; do
		${CC:-cc} -shared -fPIC -o "$other/libmadkit-sim.so" -x c - <<<"$source"
		LD_LIBRARY_PATH=$other:${LD_LIBRARY_PATH:-} run -1 --separate-stderr madsend --device sim:unix:/nowhere@node1 -L 1 Get NodeInfo
		[[ $stderr == *"simulated fabrics need version "*" of the package madsim: its libmadkit-sim.so is another version" ]]
		((${#stderr_lines[@]} == 1))
	done

	# a private function that this libmadkit does not have
	${CC:-cc} -shared -fPIC -o "$other/libmadkit-sim.so" -x c - <<<'void madkit_private_gone(void); void *p = madkit_private_gone;'
	LD_LIBRARY_PATH=$other:${LD_LIBRARY_PATH:-} run -1 --separate-stderr madsend --device sim:fat-tree:2,2,1 -L 1 Get NodeInfo
	[[ $stderr == *"need the package madsim: "*libmadkit-sim.so:*madkit_private_gone* ]]
	((${#stderr_lines[@]} == 1))
}

@test "C13: nothing but a simulated device opens libmadkit-sim.so" {
	LD_DEBUG=files run -0 --separate-stderr madsend --version
	[[ $stderr == *libmadkit.so.0* && $stderr != *libmadkit-sim.so* && $stderr != *libibverbs* && $stderr != *libtracefs* ]]
	LD_DEBUG=files run --separate-stderr madsend --device umad:nowhere -L 1 Get NodeInfo
	[[ $stderr != *libmadkit-sim.so* ]]
	LD_DEBUG=files run -0 --separate-stderr madsend --device sim:fat-tree:2,2,1 -L 1 Get NodeInfo
	[[ $stderr == *libmadkit-sim.so* ]]
}

@test "--assert and --filter of a request without a response hold in every format" {
	local format sent=(--no-response -L 3 Get PortCounters PortSelect=1)
	export MADKIT_DEVICE=sim:fat-tree:2,2,1
	for format in text table json hex raw; do
		run -6 --separate-stderr madsend -f "$format" --assert PortSelect==2 "${sent[@]}"
		[[ $stderr == *"'PortSelect==2' did not hold"* ]] || { echo "$format: $stderr"; return 1; }
		run -6 --separate-stderr madsend -f "$format" --filter PortSelect==2 "${sent[@]}"
		[[ $stderr == *"nothing matched the filter"* ]] || { echo "$format: $stderr"; return 1; }
		run -0 madsend -f "$format" --assert PortSelect==1 --filter PortSelect==1 "${sent[@]}"
		run -6 --separate-stderr madsend -f "$format" --assert 'header.method == Get' --class 0x32 --oui 0x1405 -L 3 Send 0x10
		[[ -z $output || $format == json ]]
	done
}

@test "a timeout has the transaction ID of the wire, also with -d" {
	local device="sim:$BATS_TEST_DIRNAME/../data/topologies/small.net,fault=drop" wire
	run -3 --separate-stderr madsend --device "$device" -d --retries 0 -j -L 3 Get PortInfo -w "$BATS_TEST_TMPDIR/w"
	wire=$(madrecv -r "$BATS_TEST_TMPDIR/w" -j | jq -r 'select(.kind == "request").header.tid')
	[[ $wire == 0x????????????????  && $wire != 0x00000000* ]]
	[[ $(jq -r .header.tid <<<"$output") == "$wire" ]] || { echo "$wire: $output"; return 1; }
	[[ $stderr == *"TID 0x........${wire: -8} "* || $stderr == *"TID $wire "* ]] || { echo "$stderr"; return 1; }
	# the agent of the second request knows its half
	run -3 --separate-stderr madsend --device "$device" -d --retries 0 -n 2 -i 1 -j -L 3 Get PortInfo
	[[ $(jq -r 'select(.kind == "timeout").header.tid' <<<"$output" | cut -c 1-10 | uniq -c) == *" 2 ${wire:0:10}" ]]
	[[ $stderr == *"TID ${wire:0:10}"* ]] || { echo "$stderr"; return 1; }
}

@test "D11: a trap that is given twice is subscribed to once" {
	run -3 --separate-stderr on "$small@node1 HCA-1" madrecv --subscribe 64,64,0x40,65,64 --deadline 200 -d -j
	# each is withdrawn at the end
	[[ $(grep -c 'sent SA Set (0x02) attribute 0x0003' <<<"$stderr") == 4 ]] || { echo "$stderr"; return 1; }
	run ! grep -v 'status 0x0000' <<<"$(grep 'attribute 0x0003' <<<"$stderr")"
}

# All routes pass leaf1 twice; its agent has 8 buffers.
@test "a batch of directed routes loses nothing where VL15 has the typical buffers" {
	for leaf in {2..6}; do
		for host in {1..8}; do
			printf '{"header":{"method":"Get","attribute":"NodeInfo"},"remote":{"path":"0,1,%d,%d,%d"}}\n' \
				$((9 + leaf % 4)) "$leaf" "$host"
		done
	done >lines
	for _ in {1..10}; do cat lines; done >batch
	run -0 on 'fat-tree:6,8,4@h1-1,vl15=typical' madsend --batch batch -j --fields attempts
	[[ $(jq .attempts <<<"$output" | sort | uniq -c) =~ ^\ *400\ 1$ ]]
}

@test "D3: --clear names a port whose response was malformed: it may have been cleared" {
	wrong 'attribute=PortCounters as-port=2 node=leaf1' \
		'PortCounters of leaf1 port 1 may have been cleared: the response was malformed' \
		madsweep --clear PortCounters --select 'node.name == "leaf1"' --yes
	[[ $stderr == *'PortCounters of leaf1 port 3 may have been cleared: the response was malformed'* ]]
	[[ $stderr != *'port 2 may have been cleared'* ]]
	wrong 'attribute=PortCounters as-port=2 node=leaf1' \
		'PortCounters of leaf1 port 3 may have been cleared: the response was malformed' \
		madsweep -j --clear PortCounters --select 'node.name == "leaf1"' --yes
}

@test "D11: --clear names a port that cannot be cleared once" {
	run --separate-stderr on fat-tree:2,2,1,sm=none madsweep --clear PortCounters --select 'node.name == "leaf1"' --yes
	[[ $(grep -c 'PortCounters of leaf1 port 2' <<<"$stderr") == 1 ]]
	[[ $stderr == *'leaf1 port 2: cannot be cleared, because the port has no LID'* ]]
}

@test "D11: the summary of a sweep has the singular of each noun" {
	run -0 --separate-stderr on fat-tree:2,2,1 madsweep --select 'node.name == "leaf1" && number == 1' --hops 1 Get PortCounters
	[[ $stderr == *'complete: '*' nodes (1 switch), 1 link, 1 of '*' ports, '*'PortCounters: 1 port, 1 answered; 1 MAD, 0 resent' ]]
}

@test "D10: an unknown counter of a control word: the nearest name" {
	run -2 --separate-stderr on 'fat-tree:2,2,1,control=counter leaf1 1 SymbolErrorCount=3' madsend -D 0 Get NodeInfo
	[[ $stderr == *"unknown counter 'SymbolErrorCount'; did you mean 'SymbolErrorCounter'?"* ]]
	run -2 --separate-stderr on 'fat-tree:2,2,1,control=errors h1-1 1 packet_seq_er=3' madsend -D 0 Get NodeInfo
	[[ $stderr == *"did you mean 'packet_seq_err'?"* ]]
	# a switch does not have it
	run -2 --separate-stderr on 'fat-tree:2,2,1,control=errors leaf1 1 packet_seq_err=3' madsend -D 0 Get NodeInfo
	[[ $stderr == *"unknown counter 'packet_seq_err'"* && $stderr != *"mean 'packet_seq_err'"* ]]
}

@test "the subnet manager runs at the port of ,sm=NODE:PORT" {
	printf '%s\n' 'Switch 4 "S"' '[1] "A"[1]' '[2] "B"[1]' '[3] "B"[2]' 'Ca 1 "A"' '[1] "S"[1]' 'Ca 2 "B"' '[1] "S"[2]' \
		'[2] "S"[3]' >two.net
	local port
	for port in 1 2; do
		run -0 --separate-stderr on "two.net@A,sm=B:$port" madsweep -j --select "node.name == \"B\" && lid == $(
			on "two.net@A,sm=B:$port" madsend -j -D 0 Get PortInfo | jq .data.SMLid)"
		[[ $(jq -c 'select(.kind == "port").port | [.node.name, .number]' <<<"$output") == "[\"B\",$port]" ]]
	done
	run -1 --separate-stderr on "two.net@A,sm=B:3" madsend -D 0 Get NodeInfo
	[[ $stderr == *"port 3 of 'B'"* ]]
}

@test "D6: if a request to the SA with an SM_Key has no response, the SM_Key may be the cause" {
	run -3 --separate-stderr on fat-tree:2,2,1 madsend --sm-key 7 -t 100 --retries 1 GetTable NodeRecord
	[[ $stderr == *'a wrong SM_Key also means silence'* ]]
	# without a key, it is not
	run -3 --separate-stderr on 'fat-tree:2,2,1,fault=drop class=SubnAdm' madsend -t 100 --retries 1 GetTable NodeRecord
	[[ $stderr == *'no response'* && $stderr != *SM_Key* ]]
	run -0 --separate-stderr on fat-tree:2,2,1 madsend --sm-key 1 GetTable NodeRecord
}
