#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# madsend --batch as the coprocess of another program: limits and cancellation by line, --banner, --summary, -q.

setup() {
	load common
	cd "$dir" || return
	fabric=sim:$topologies/small.net
}

teardown() { clean_up; }

# get LID [MEMBERS]: a line that gets NodeInfo there
get() { echo '{"header":{"method":"Get","attribute":"NodeInfo"},"remote":{"lid":'"$1}${2:+,$2}}"; }

@test "a line has its own timeout, retries and deadline" {
	{
		get 900 '"tag":"default"'
		get 901 '"tag":"timeout","timeout":50'
		get 902 '"tag":"retries","timeout":50,"retries":4'
		get 903 '"tag":"deadline","deadline":70'
		get 904 '"tag":"past","deadline":0'
	} >lines
	run -3 --separate-stderr madsend --device "$fabric" --batch lines -j -t 400 --retries 1
	[[ $(jq -c '[.tag, .kind, .attempts]' <<<"$output" | sort | xargs echo) == \
		'[deadline,timeout,1] [default,timeout,2] [past,timeout,1] [retries,timeout,5] [timeout,timeout,2]' ]]
	[[ $stderr == *'from Lid 903 in 0.070 s, 1 try'* && $stderr == *'from Lid 902 in 0.250 s, 5 tries'* ]]
	# by the virtual clock: the order in which they end
	[[ $(jq -r .tag <<<"$output" | xargs echo) == 'past deadline timeout retries default' ]]
}

@test "limits that are wrong are refused by their name" {
	while IFS='|' read -r member text; do
		run -5 --separate-stderr madsend --device "$fabric" --batch - -j <<<"$(get 4 "$member")"
		[[ $stderr == "madsend: line 1: $text" ]] || { echo "$stderr"; return 1; }
		[[ $(jq -c '[.kind, .status.send]' <<<"$output") == '["error",22]' ]]
	done <<'END'
"timeout":0|timeout: is less than 1
"timeout":2147483648|timeout: 2147483648 is more than 2147483647
"timeout":"x"|timeout: timeout 'x' is not a number
"retries":1001|retries: 1001 is more than 1000
"retries":1.5|retries: 1.5 is not a number from 0 on
"deadline":-1|deadline: -1 is not a number from 0 on
"cancel":1|cancel: a line with it has no other key
END
}

@test "lid and path of a line are a combined route, as -L with -D" {
	local route='"remote":{"lid":2,"path":"0,1"}'
	madsend --device "$fabric" -L 2 -D 0,1 Get NodeInfo -j | jq -c '[.remote, .data, .header.dr_slid]' >expected
	[[ $(jq '.[1].NodeType' expected) == 1 ]]
	madsend --device "$fabric" --batch - -j <<<'{"header":{"method":"Get","attribute":"NodeInfo"},'"$route}" | jq -c '[.remote, .data, .header.dr_slid]' >got
	diff expected got
	for more in '"gid":"fe80::1"' '"guid":1'; do
		run -5 --separate-stderr madsend --device "$fabric" --batch - <<<'{"header":{"method":"Get","attribute":"NodeInfo"},"remote":{"lid":2,"path":"0,1",'"$more}}"
		[[ $stderr == *'remote: several destinations'* || $stderr == *'remote.guid'* ]] || { echo "$stderr"; return 1; }
	done
}

@test "--dry-run --banner: the line says that there is no device" {
	run -0 --separate-stderr madsend --batch - --dry-run --banner <<<"$(get 4)"
	[[ $stderr == 'madsend: ready on no device: --dry-run sends nothing' ]]
}

@test "a cancelled request ends with error 125 at once, and the others go on" {
	{
		get 900 '"tag":{"a": [1]},"timeout":2000000000'
		get 901 '"tag":"b","timeout":100'
		get 4 '"tag":"c"'
		echo '{"cancel":{"a": [1]}}'
		echo '{"cancel":{"a":[1]}}'
		echo '{"cancel":"c2"}'
	} >lines
	run -3 --separate-stderr madsend --device "$fabric" --batch lines -j --retries 0
	[[ $(jq -c '[.kind, .tag, .status.send, .data.cancelled?]' <<<"$output") == \
'["event",{"a":[1]},0,0]
["event","c2",0,0]
["error",{"a":[1]},125,null]
["response","c",0,null]
["timeout","b",110,null]' ]]
	# only the timeout is a failure
	[[ ${#stderr_lines[@]} -eq 1 ]]
	[[ $(jq -r 'select(.kind == "error").data.error' <<<"$output" | sort -u) == 'Get '*' was cancelled' ]]
	grep -v '"b"' lines | madsend --device "$fabric" --batch - --retries 0 >/dev/null
	# between the lines of a table that goes on it is an error
	madsend --device "$fabric" GetTable NodeRecord -j -K | head -n 1 >table
	run -5 --separate-stderr madsend --device "$fabric" --batch - <<<"$(cat table; echo '{"cancel":1}')"
	[[ $stderr == *'line 2: cancel: record 1 of a message is next'* ]]
}

@test "requests behind a full window are read ahead: cancellations among them count, and another window goes on" {
	{
		for tag in {1..400}; do
			echo '{"header":{"method":"Get","attribute":"NodeInfo"},"remote":{"path":"0,1,99"},"timeout":3000,"tag":'"$tag}"
		done
		echo '{"header":{"method":"Get","attribute":"PortCounters"},"remote":{"lid":4},"data":{"PortSelect":1},"tag":"gmp"}'
		echo '{"header":{"method":"Get","attribute":"NodeInfo"},"remote":{"name":"node3 HCA-1"},"tag":"name","deadline":5000}'
		echo '{"cancel":300}'
		echo '{"cancel":1}'
	} >lines
	run -3 --separate-stderr madsend --device "$fabric" --batch lines -j -q --retries 0 --summary
	[[ $(jq -c 'select(.kind != "timeout" and .kind != "summary") | [.tag, .kind, .status.send, .attempts]' <<<"$output" | xargs echo) == \
		'[300,error,125,0] [1,error,125,1] [gmp,response,0,1] [name,response,0,1]' ]] || { jq -c '[.tag, .kind, .attempts]' <<<"$output" | head -n 5; return 1; }
	[[ $(jq -r 'select(.tag == 300).data.error' <<<"$output") == 'cancelled before it was sent' ]]
	# long before the last SMPs are sent
	[[ $(head -n 3 <<<"$output" | jq -r .tag | xargs echo) == '300 1 gmp' ]]
	[[ $(tail -n 1 <<<"$output" | jq -c '.data | [.sent, .answered, .timeouts, .cancelled, .not_sent]') == '[401,2,398,2,0]' ]]
	# the deadline: each has its line
	run -3 --separate-stderr madsend --device "$fabric" --batch lines -j --retries 0 --deadline 50
	[[ $(jq -r .tag <<<"$output" | sort -u | wc -l) == 402 && $(wc -l <<<"$output") == 402 ]]
	[[ $stderr == *' requests were not sent'* ]]
	# one after the other
	run -3 --separate-stderr madsend --device "$fabric" --batch - -j -q --retries 0 --window 1 < <(sed -n '1,3p;401,$p' lines)
	[[ $(jq -r .tag <<<"$output" | xargs echo) == '1 2 3 gmp name 300 1' ]]
}

@test "many requests are cancelled in a time that grows with their number only" {
	line='{"header":{"method":"Get","attribute":"PortCounters"},"data":{"PortSelect":1},"remote":{"lid":900},"tag":"s"}'
	{ yes "$line" || :; } | head -n 20000 >lines
	echo '{"cancel":"s"}' >>lines
	run -0 timeout 20 madsend --device "$fabric" --batch lines -j --window 65536 -t 1000000 --fields status.send
	[[ $(uniq -c <<<"$output") == *' 20000 {"status":{"send":125}}' ]]
}

@test "--summary accounts for every line" {
	{
		get 4
		get 4 '"tag":1'
		get 900 '"timeout":50,"retries":0'
		get 901 '"tag":"x","timeout":100000'
		echo '{"cancel":"x"}'
		echo '{"header":{"method":"Get","attribute":"PortInfo","modifier":99},"remote":{"lid":4}}'
		echo nonsense
	} >lines
	run -5 --separate-stderr madsend --device "$fabric" --batch lines -j --summary
	[[ $(tail -n 1 <<<"$output" | jq -c '[.kind, .data]') == '["summary",{"lines":7,"sent":5,"answered":3,"refused":1,"timeouts":1,"errors":0,"cancelled":1,"one_way":0,"outstanding":0,"not_sent":0,"bad_lines":1}]' ]]
	run -5 --separate-stderr madsend --device "$fabric" --batch lines --summary
	[[ ${lines[-1]} == '# 7 lines, 5 sent, 3 answered, 1 of them with a status, 1 without a response, 1 cancelled, 1 not valid' ]]
	run -0 --separate-stderr madsend --device "$fabric" --batch /dev/null --summary
	[[ $output == '# 0 lines, 0 sent, 0 answered' ]]
	# requests without a response, and those that are only shown
	run -0 madsend --device "$fabric" --batch - -j --summary <<<'{"header":{"method":"Send","class":"Vendor0x09","attribute_id":16},"remote":{"lid":4}}'
	[[ $(tail -n 1 <<<"$output" | jq -c '.data | [.lines, .sent, .answered, .one_way]') == '[1,1,0,1]' ]]
	run -0 madsend --batch - -j --summary --dry-run <<<"$(get 4)"
	[[ $(tail -n 1 <<<"$output" | jq -c '.data | [.lines, .sent, .not_sent]') == '[1,0,1]' ]]
	# a signal: outstanding requests are also counted
	serve "$topologies/small.net" --sm node1
	get 900 '"timeout":100000' >lines
	before=$(stats sends)
	start summary env MADKIT_DEVICE="sim:unix:$socket@node2" madsend --batch lines -j --summary --banner
	asked() { (($(stats sends) > before)); }
	for _ in {1..200}; do asked && break; read -r -t 0.05 <> <(:) || :; done
	kill -TERM "$pid"
	status=0
	wait "$pid" || status=$?
	((status == 143))
	[[ $(jq -c '[.kind, .data.sent, .data.outstanding]' "$dir/summary.out") == '["summary",1,1]' ]]
}

@test "--summary after a signal counts the requests that were read ahead" {
	serve "$topologies/small.net" --sm node1
	for tag in {1..400}; do
		echo '{"header":{"method":"Get","attribute":"NodeInfo"},"remote":{"path":"0,1,99"},"timeout":100000,"tag":'"$tag}"
	done >lines
	before=$(stats sends)
	start summary env MADKIT_DEVICE="sim:unix:$socket@node2" madsend --batch lines -j --summary --banner --window 2
	asked() { (($(stats sends) > before)); }
	for _ in {1..200}; do asked && break; read -r -t 0.05 <> <(:) || :; done
	kill -TERM "$pid"
	wait "$pid" || :
	[[ $(jq -c '[.kind, .data.sent > 0, .data.not_sent > 0, .data.sent + .data.not_sent == .data.lines]' "$dir/summary.out") == '["summary",true,true,true]' ]] || { cat "$dir/summary.out"; return 1; }
}

@test "requests that their own deadline ends before they are sent are counted as not sent" {
	serve "$topologies/small.net" --sm node1
	for ((i = 0; i < 3000; i++)); do get 4 '"deadline":0'; done >lines
	# the device accepts them later, because so many are sent at once
	run -3 --separate-stderr madsend --device "sim:unix:$socket@node2" --batch lines -j -q --summary --window 3000
	[[ $(tail -n 1 <<<"$output" | jq -c '.data | [.lines, .sent + .not_sent, .answered + .timeouts - .sent]') == '[3000,3000,0]' ]] || { tail -n 1 <<<"$output"; return 1; }
	# an address that needs a query
	run -3 --separate-stderr madsend --device "$fabric" --batch - -j -q --summary <<<'{"header":{"method":"Get","attribute":"NodeInfo"},"remote":{"name":"node3 HCA-1"},"deadline":0}'
	[[ $(tail -n 1 <<<"$output" | jq -c '.data | [.sent, .timeouts, .not_sent]') == '[0,0,1]' ]]
}

@test "a lost device: the rest of the input is mentioned only if there is some" {
	serve "$topologies/small.net" --sm node1
	mkfifo in
	exec 7<>in
	before=$(stats sends)
	get 900 '"timeout":100000' >&7
	start lost env MADKIT_DEVICE="sim:unix:$socket@node2" madsend --batch in -j --banner
	asked() { (($(stats sends) > before)); }
	for _ in {1..200}; do asked && break; read -r -t 0.05 <> <(:) || :; done
	kill -KILL "$madsim_pid"
	cat <&"$errors" >errors
	exec 7>&-
	status=0
	wait "$pid" || status=$?
	((status == 1))
	grep -qx 'madsend: the device is gone' errors || { cat errors; return 1; }
}

@test "the memory that requests and their tags occupy is bounded" {
	! sanitized || skip 'AddressSanitizer keeps freed memory'
	tag=$(head -c 200000 /dev/zero | tr '\0' t)
	for _ in {1..1000}; do get 900 '"timeout":20000,"retries":0,"tag":"'"$tag"'"'; done >lines
	run -0 python3 - "$fabric" <<-'END'
		import resource, subprocess, sys
		lines = subprocess.run(["madsend", "--device", sys.argv[1], "--batch", "lines", "-j", "-q"], stdout=subprocess.PIPE).stdout.count(b"\n")
		most = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
		assert lines == 1000 and most < 130000, (lines, most)
	END
}

@test "null cancels requests with the tag null and requests without a tag" {
	{
		get 900 '"timeout":100000'
		get 901 '"timeout":100000,"tag":null'
		get 4 '"tag":"a"'
		echo '{"cancel":null}'
	} >lines
	run -0 madsend --device "$fabric" --batch lines -j --summary
	[[ $(jq -c 'select(.kind == "error") | [.tag, .status.send]' <<<"$output" | xargs echo) == '[null,125] [null,125]' ]]
	[[ $(tail -n 1 <<<"$output" | jq -c '.data | [.sent, .answered, .cancelled]') == '[3,1,2]' ]]
}

@test "a closed standard input cannot be read" {
	for command in "madsend --device $fabric --batch -" "madrecv -r -"; do
		run -1 --separate-stderr timeout 20 bash -c "$command <&-"
		[[ -z $output && $stderr == *standard\ input*'Bad file descriptor'* ]] || { echo "$stderr"; return 1; }
	done
}

@test "a coprocess: ready, requests and answers in turn, a cancellation, the end" {
	serve "$topologies/small.net" --sm node1
	coproc SEND { MADKIT_DEVICE=sim:unix:$socket@node2 madsend --batch - -j --banner --summary 2>err; }
	for _ in {1..200}; do grep -q . err 2>/dev/null && break; read -r -t 0.05 <> <(:) || :; done
	grep -qx 'madsend: ready on sim:unix:.*' err
	for i in 1 2 3; do
		get 4 "\"tag\":$i" >&"${SEND[1]}"
		read -r -t 10 answer <&"${SEND[0]}"
		[[ $(jq -c '[.kind, .tag]' <<<"$answer") == "[\"response\",$i]" ]]
	done
	get 900 '"tag":"slow","timeout":100000' >&"${SEND[1]}"
	echo '{"cancel":"slow"}' >&"${SEND[1]}"
	read -r -t 10 answer <&"${SEND[0]}"
	[[ $(jq -c '[.kind, .tag, .status.send]' <<<"$answer") == '["error","slow",125]' ]]
	# bash closes the descriptors of a coprocess that has ended
	pid=$SEND_PID fd=${SEND[1]}
	exec {out}<&"${SEND[0]}"
	exec {fd}>&-
	read -r -t 10 answer <&"$out"
	[[ $(jq -c '[.kind, .data.answered, .data.cancelled]' <<<"$answer") == '["summary",3,1]' ]]
	wait "$pid"
}

@test "the coprocess in bash of madkit-batch(7)" {
	serve "$topologies/small.net" --sm node1
	sed -n '/^coproc SEND/,/^\.EE/p' "$MADKIT_BUILD/man/madkit-batch.7" | sed -e '$d' -e 's/\\-/-/g' -e 's/\\e/\\/g' -e "s/\\\\(aq/'/g" >script
	(($(wc -l <script) > 5))
	run -0 --separate-stderr env MADKIT_DEVICE="sim:unix:$socket@node2" timeout 20 bash -eu script
	[[ $output == $'1 Channel Adapter\n2 Switch' && -z $stderr ]] || { echo "$output$stderr"; return 1; }
}

@test "-q: standard error has nothing but usage errors and local failures" {
	export MADKIT_DEVICE=$fabric
	run -3 --separate-stderr madsend -q -L 900 Get NodeInfo -t 10
	[[ -z $stderr && -z $output ]]
	run -4 --separate-stderr madsend -q -L 4 -m 99 Get PortInfo
	[[ -z $stderr ]]
	run -6 --separate-stderr madsend -q -L 4 Get NodeInfo --assert NumPorts==77
	[[ -z $stderr && $output == *NumPorts* ]]
	run -5 --separate-stderr madsend -q --batch - -j <<<nonsense
	[[ -z $stderr && $(jq -r .data.error <<<"$output") == *JSON* ]]
	run -3 --separate-stderr madpoll -q --class PerfMgt --deadline 1
	[[ -z $stderr ]]
	run -2 --separate-stderr madsend -q Get Nonsense
	[[ $stderr == *Nonsense* ]]
	run -1 --separate-stderr madsend -q --batch nosuch
	[[ $stderr == *nosuch* ]]
	run -1 --separate-stderr madsend -q -w /nosuch/x Get NodeInfo
	[[ $stderr == *'/nosuch/x'* ]]
}
