#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Numbers in messages, compared with the packets that were sent.

setup() {
	load common
}

teardown() { clean_up; }

# A peer that never responds: each request that it received is a line of peer.out.
silent_peer() {
	start peer env MADKIT_DEVICE="sim:unix:$socket@node2" madrecv --class 0x32 --oui 0x1405 --method 0x10 -j --banner
	lid=$(on node2 madsend -j Get PortInfo | jq .data.Lid)
}
saw() { (($(wc -l <"$dir/peer.out") == $1)); }
request() { on node3 madsend --class 0x32 --oui 0x1405 -L "$lid" "$@"; }
until_saw() {
	local i
	for ((i = 0; i < 600; i++)); do
		saw "$1" && return
		read -r -t 0.1 <> <(:) || :
	done
	false
}

@test "A9: no response: the number of tries is that of the requests that the peer received, or a bound, or missing" {
	serve "$topologies/small.net" --sm node1
	silent_peer
	run -3 --separate-stderr request --rmpp none -t 100 --retries 3 0x10 0x10
	[[ $stderr == *'s, 4 tries; check'* ]]
	until_saw 4
	run -3 --separate-stderr request --rmpp user -t 100 --retries 1 0x10 0x12
	[[ $stderr == *'s, 2 tries; check'* ]]
	until_saw 6
	# the library resends a request of one MAD, whether the kernel or the library does RMPP
	run -3 --separate-stderr request --rmpp kernel -t 100 --retries 3 0x10 0x13
	[[ $stderr == *'s, 4 tries; check'* ]]
	until_saw 10
	run -3 --separate-stderr request --rmpp kernel -t 100 --retries 0 0x10 0x14
	[[ $stderr == *'s, 1 try; check'* ]]
	until_saw 11
	head -c 1000 /dev/urandom >"$dir/1000bytes"
	run -3 --separate-stderr request --rmpp kernel -t 700 --retries 3 0x10 0x15 "data=@$dir/1000bytes"
	[[ $stderr =~ 'no response '.*' in '[0-9.]+' s; check' ]]
	until_saw 12
	# the deadline ends the second of four
	in_time 1700 cut_try
}

# Of the requests that the peer receives, the last is cut by the deadline.
cut_try() {
	local before
	before=$(wc -l <"$dir/peer.out")
	run -3 --separate-stderr request --rmpp none -t $((ms - 700)) --retries 3 --deadline "$ms" 0x10 0x11
	[[ $stderr == *'s, 2 tries; check'* ]] && until_saw $((before + 2))
}

@test "C4: a request of several segments is sent once if it was acknowledged, by the kernel's RMPP and the library's" {
	serve "$topologies/small.net" --sm node1
	silent_peer
	head -c 1000 /dev/urandom >"$dir/1000bytes"
	run -3 --separate-stderr request --rmpp user -t 700 --retries 3 0x10 0x10 "data=@$dir/1000bytes" -j
	[[ $stderr == *'s, 1 try, acknowledged and therefore not resent; check'* && $(jq .attempts <<<"$output") == 1 ]]
	until_saw 1
	run -3 --separate-stderr request --rmpp kernel -t 700 --retries 3 0x10 0x11 "data=@$dir/1000bytes"
	[[ $stderr == *'; the kernel resends it only until it is acknowledged, and does not report that; --rmpp user does' ]]
	until_saw 2
	# earlier packets have arrived
	run -3 request --rmpp none -t 100 --retries 0 0x10 0x12
	until_saw 3
}

@test "C3: a message of several segments that nobody acknowledges: with --rmpp user -t counts, with kernel the tries are not known" {
	serve "$topologies/small.net" --sm node1
	silent_peer
	head -c 1000 /dev/urandom >"$dir/1000bytes"
	# the peer has no agent for this OUI
	for args in "user -t 50" "user -t 300" "kernel -t 50"; do
		# shellcheck disable=SC2086  # words
		run -3 --separate-stderr on node3 madsend --class 0x32 --oui 0x99 -L "$lid" --rmpp $args --retries 1 Send 0x10 \
			"data=@$dir/1000bytes" -j
		[[ $stderr =~ 'not known to have arrived in '([0-9]+)\.([0-9]+)' s' ]]
		jq -c .attempts <<<"$output"
		echo $((10#${BASH_REMATCH[1]}${BASH_REMATCH[2]}))
	done >"$dir/out"
	{ read -r first && read -r fast && read -r second && read -r slow && read -r third && read -r long; } <"$dir/out"
	[[ $first == 2 && $second == 2 && $third == null ]]
	((fast >= 100 && slow >= 600 && fast < slow && long >= 3900))
}

# lost_by COMMAND...: sent is how many of its MADs the fabric lost, and status its status.
lost_by() {
	local before
	before=$(stats faults)
	status=0
	on node3 "$@" -j >lines 2>said || status=$?
	sent=$(($(stats faults) - before))
}

@test "C3: the SA does not respond: the tries, of the kernel too, end before the deadline" {
	serve "$topologies/small.net" --sm node1
	control fault drop rate=100% class=3 >/dev/null
	cd "$dir"
	lost_by madsend -t 200 --retries 3 Get NodeRecord
	[[ $status == 3 && $sent == 4 && $(<said) == *'s, 4 tries;'* && $(jq .attempts lines) == 4 ]]
	lost_by madsend -t 200 --retries 3 GetTable NodeRecord
	[[ $status == 3 && $sent == 4 && $(<said) == *'s, at most 4 tries;'* && $(jq .attempts lines) == null ]]
	lost_by madsend -t 200 --retries 9 --deadline 500 GetTable NodeRecord
	[[ $status == 3 && $sent -ge 2 && $sent -le 3 && $(<said) == *"s, at most 3 tries;"* ]]
	lost_by madsend -t 400 --retries 9 --deadline 300 GetTable NodeRecord
	[[ $status == 3 && $sent == 1 && $(<said) == *"s, 1 try;"* && $(jq .attempts lines) == 1 ]]
}

# The fabric of small.net in the process, as node3 sees it: its time is virtual, and so are deadlines. FAULT is injected.
virtual() {
	local fault
	device=sim:$topologies/small.net@node3,sm=node1
	for fault; do device+=",fault=$fault"; done
}

# sent_by COMMAND...: its standard error and JSON are in said and lines, its status in status. Sets sent to the number
# of requests in its capture, and attempts to the number that its JSON has.
sent_by() {
	status=0
	MADKIT_DEVICE=$device "$@" -j -w capture >lines 2>said || status=$?
	sent=$(madrecv -r capture -j | wc -l)
	attempts=$(jq -s 'map(select(.kind == "timeout").attempts) | add' lines)
}

@test "A9: a capture has the requests that the fabric received" {
	local before i
	serve "$topologies/small.net" --sm node1
	control fault drop rate=100% class=3 >/dev/null
	cd "$dir"
	device=sim:unix:$socket@node3
	for command in 'madsend -L 99 Get NodeInfo' 'madsend -L 1 --rmpp none Get NodeRecord' 'madsend -L 99 -n 3 -i 120 Get NodeInfo'; do
		before=$(stats sends)
		read -ra words <<<"$command"
		sent_by "${words[@]}" -t 100
		((status == 3 && attempts == sent && sent >= 3))
		for ((i = 0; i < 100; i++)); do
			(($(stats sends) < before + sent)) || break
		done
		[[ $(stats sends) == "$((before + sent))" ]] || { echo "$*: $sent captured, $(stats sends) - $before received"; return 1; }
	done
}

@test "T1: the deadline ends a request with the tries that were sent, whenever it comes" {
	virtual 'drop rate=100% class=3'
	cd "$dir"
	echo '{"header":{"class":"SubnMgt","method":"Get","attribute":"NodeInfo"},"remote":{"lid":99}}' >batch
	for ms in 50 99 101 150 199 205 250 305; do
		for command in 'madsend -L 99 Get NodeInfo' 'madsend -L 99 Get PortCounters PortSelect=1' \
			'madsend -L 1 --rmpp none Get NodeRecord' 'madsend -L 99 -n 3 -i 120 Get NodeInfo' 'madsend --batch batch' \
			'madsend -D 0,1,5,5 Set PortInfo --merge MasterSMLID=1' 'madpoll -L 99 Get NodeInfo --until NodeType==2'; do
			read -ra words <<<"$command"
			sent_by "${words[@]}" -t 100 --deadline "$ms"
			# a slow machine has not opened the device by then; it has by a later deadline
			! grep -q 'by the deadline' said || ((ms > 300)) || continue
			((status == 3)) || { echo "$ms $command: status $status"; cat said; return 1; }
			# madpoll shows the last request alone
			if [[ $command == madpoll* ]]; then
				((attempts > 0 && attempts <= sent))
			else
				((attempts == sent && sent > 0))
			fi || { echo "$ms $command: $attempts of $sent"; cat said lines; return 1; }
			# three tries, each for 100 ms
			[[ $command != 'madsend -L 99 Get NodeInfo' ]] || ((attempts == (ms < 200 ? (ms + 99) / 100 : 3)))
			if [[ $command != *batch* ]]; then
				[[ $(sed -n 's/.* s, \([0-9]*\) tr\(y\|ies\); check.*/\1/p' said | awk '{ n += $0 } END { print n + 0 }') == "$attempts" ]] ||
					{ echo "$ms $command"; cat said; return 1; }
			fi
			! grep -q 'not sent\|nterrupted' said
		done
	done
	sent_by madsend -L 99 -t 100 -n 3 -i 200 --deadline 450 Get NodeInfo
	[[ $(jq -c 'select(.kind == "summary").data | [.sent, .lost]' lines) == "[2,2]" ]]
}

@test "T1: the deadline ends a question to a silent SA, and --locate, with what is known" {
	virtual 'drop rate=100% class=3'
	for where in '-G 0x100001' '--name node2' '--gid fe80::10:1'; do
		read -ra words <<<"$where"
		for ms in 50 150 250; do
			run -3 --separate-stderr madsend --device "$device" "${words[@]}" -t 100 --deadline "$ms" Get NodeInfo
			[[ $stderr == "madsend: the SA at LID "*" does not answer; check the port ("* ]] || { echo "$where: $stderr"; return 1; }
		done
	done
	# three tries of the request, and no time for another
	run -3 --separate-stderr madsend --device "$device" -D 0,1,5 -t 300 --deadline 750 --locate Get NodeInfo
	[[ $stderr == *"3 tries"*"madsend: the deadline ended --locate: no node on the route had responded" ]]
	# leaf1 answers, leaf2 does not
	virtual 'drop rate=100% class=3' 'drop rate=100% class=0x81 node=leaf2'
	run -3 --separate-stderr madsend --device "$device" -D 0,1,7,1 -t 300 --retries 0 --deadline 450 --locate Get NodeInfo
	[[ $stderr == *"1 try"*"madsend: the deadline ended --locate: the last node that had responded was 0,1" ]]
	run -3 --separate-stderr madsend --device "$device" -D 0,1,7,1 -t 300 --retries 0 --deadline 450 --locate Get NodeInfo -j
	[[ $(jq -c '[.kind, .status.send, .data.last_path?, .data.exit_port?]' <<<"${lines[1]}") == '["event",110,"0,1",null]' ]]
	((${#lines[@]} == 2))
}

@test "A9: the port state in a message is the present one" {
	serve "$topologies/small.net" --sm node1
	start batch env MADKIT_DEVICE="sim:unix:$socket@node3" madsend -t 300 --retries 0 --class 0x32 --oui 0x1405 -L 99 \
		-n 2 -i 2000 0x10 0x10
	[[ $(<"$dir/batch.line") == *': Active, '* ]]
	control link node3 1 down
	read -r -t 60 line <&"$errors"
	[[ $line == *': Down, '* ]]
}

@test "A9: MADs that --filter does not select are not said not to have come" {
	serve "$topologies/small.net" --sm node1
	start peer env MADKIT_DEVICE="sim:unix:$socket@node2" madrecv --class 0x32 --oui 0x1405 --method 0x10 -j --banner \
		--filter 'header.attribute_id == 1' --deadline 1500
	lid=$(on node2 madsend -j Get PortInfo | jq .data.Lid)
	request --no-response 0x10 0x10
	read -r -t 60 line <&"$errors"
	[[ $line == *'no MAD that --filter selects came in 1500 ms'* ]]
}

@test "A9: requests of a batch that the deadline left unsent are timeouts without a try, and are counted" {
	virtual
	for ((i = 1; i <= 40; i++)); do
		echo '{"header":{"method":"Get","attribute":"NodeInfo"},"remote":{"lid":'$((1000 + i))'},"tag":'"$i}"
	done >"$dir/lines"
	run -3 --separate-stderr madsend --device "$device" --batch "$dir/lines" --window 1 -t 5000 -j --deadline 300
	[[ $(jq -c '[.kind, .tag, .status.send, .attempts]' <<<"$output" | sort | uniq | wc -l) == 40 ]]
	[[ $(jq -c '[.kind, .status.send, .attempts]' <<<"$output" | sort | uniq -c | xargs echo) == \
		'39 [timeout,110,0] 1 [timeout,110,1]' ]]
	[[ $stderr == *'madsend: the deadline has passed: 39 requests were not sent'* ]]
}

@test "B4: a server that lies: malformed, whichever reply it is, and no kernel is blamed" {
	for op in HELLO OPEN INFO REGISTER SEND CONTROL; do
		for how in error=2147483648 error=4294967295 error=4096 short op; do
			rm -f "$socket" "$dir"/lying*
			start lying python3 "$BATS_TEST_DIRNAME/lying.py" "$socket" "$op" "$how"
			case $op in
			CONTROL) commands=("madsim --control $socket stats") ;;
			SEND) commands=("madsend --device sim:unix:$socket --no-response Get NodeInfo") ;;
			*) commands=("madsend --device sim:unix:$socket Get NodeInfo" "madreg --device sim:unix:$socket --class 4") ;;
			esac
			[[ $op != HELLO ]] || commands+=("madsim --control $socket stats")
			for command in "${commands[@]}"; do
				read -ra words <<<"$command"
				run -5 --separate-stderr timeout 60 "${words[@]}"
				[[ $stderr == *"$socket is not served by madsim"* || $stderr == *"malformed reply"* ]] || { echo "$op $how: $stderr"; return 1; }
				[[ $stderr$output != *kernel* && $output != *gone* && ${#stderr_lines[@]} -eq 1 ]]
			done
			kill "$pid"
			wait "$pid" || :
			exec {errors}<&-
		done
	done
}

@test "A9: the summary of -n counts the request that a signal ended, and no loss that is not known" {
	local before format
	serve "$topologies/small.net" --sm node1
	lid=$(on node2 madsend -j Get PortInfo | jq .data.Lid)
	control fault drop class=SubnMgt method=GetResp node=node2 >/dev/null
	for format in text json; do
		before=$(stats sends)
		MADKIT_DEVICE=sim:unix:$socket@node3 madsend -L "$lid" -t 60000 -n 4 -f "$format" Get NodeInfo >"$dir/out" 2>"$dir/said" 3>&- &
		pid=$!
		started+=("$pid")
		for ((i = 0; i < 600; i++)); do
			(($(stats sends) == before)) || break
		done
		kill -TERM "$pid"
		status=0
		wait "$pid" || status=$?
		[[ $status == 143 && ! -s $dir/said && $(stats sends) == "$((before + 1))" ]]
		if [[ $format == text ]]; then
			[[ $(cat "$dir/out") == *': 1 sent, 0 lost, 1 outstanding' ]]
		else
			jq -e '.kind == "summary" and .data.sent == 1 and .data.lost == 0 and .data.outstanding == 1' "$dir/out"
		fi
	done
	control fault clear >/dev/null
	run -0 --separate-stderr on node3 madsend -L "$lid" -n 3 -i 1 --no-response Get NodeInfo
	[[ $output == *': 3 sent' ]]
	run -0 --separate-stderr on node3 madsend -L "$lid" -n 3 -i 1 --no-response -j Get NodeInfo
	jq -se '.[-1].data | .sent == 3 and .lost == null and .outstanding == 0' <<<"$output"
	run -0 --separate-stderr on node3 madsend -L "$lid" -n 3 -i 1 Get NodeInfo
	[[ ${lines[-1]} == *': 3 sent, 0 lost, min/avg/max '* ]]
}

# segments FILE: the segment number of each DATA segment of a request, from the bytes of a capture of MADs of 256 bytes.
segments() {
	tail -c +25 "$1" | xxd -p -c 322 |
		awk 'substr($0, 127, 2) == "01" && substr($0, 171, 2) == "01" { print substr($0, 177, 8) + 0 }'
}

@test "A9: --rmpp user counts the sends of the first segment, and names the segment that was not acknowledged" {
	local fault segment
	serve "$topologies/small.net" --sm node1
	start peer env MADKIT_DEVICE="sim:unix:$socket@node2" madrecv --class 0x30 --oui 0x1405 --respond echo --banner
	lid=$(on node2 madsend -j Get PortInfo | jq .data.Lid)
	head -c 1000 /dev/zero | tr '\0' x >"$dir/data"
	# every packet of the peer is lost; or every one after the ACK of the first segment
	for fault in nth=1+ nth=2+; do
		control fault drop class=0x30 node=node2 method=GetResp "$fault" >/dev/null
		run -3 --separate-stderr on node3 madsend --class 0x30 --oui 0x1405 -L "$lid" --rmpp user -t 100 --retries 2 Get 0x10 \
			"data=@$dir/data" -j -w "$dir/pcap"
		control fault clear >/dev/null
		segments "$dir/pcap" >"$dir/sent"
		[[ $(jq .attempts <<<"$output") == $(grep -cx 1 "$dir/sent") ]]
		segment=$(jq -rn --arg text "$stderr" '$text | capture("tr(y|ies), no acknowledgement of segment (?<n>[0-9]+);").n')
		(($(grep -cx "$segment" "$dir/sent") == 3))
	done
	((segment == 2))
	# not ended by the tries of a segment, but by the deadline
	virtual
	run -3 --separate-stderr madsend --device "$device" --class 0x30 --oui 0x1405 -L 99 --rmpp user -t 100 --retries 9 --deadline 350 Get 0x10 \
		"data=@$dir/data" -j -w "$dir/pcap"
	[[ $(jq .attempts <<<"$output") == $(segments "$dir/pcap" | grep -cx 1) && $stderr == *'no acknowledgement of segment 1;'* ]]
}

@test "A4: a response with another class version than the request is malformed" {
	serve "$topologies/small.net" --sm node1
	silent_peer
	MADKIT_DEVICE=sim:unix:$socket@node3 madsend --class 0x32 --oui 0x1405 -L "$lid" --rmpp none -t 8000 --retries 0 0x10 0x10 -j >"$dir/out" 2>"$dir/said" 3>&- &
	pid=$!
	started+=("$pid")
	until_saw 1
	jq -c '{remote: {lid: .remote.lid}, header: (.header | {class, class_version: 2, method: "0x90", attribute: "0x10", tid, oui}), data: {}}' \
		"$dir/peer.out" >"$dir/response"
	run -0 on node2 madsend --batch "$dir/response" --rmpp none
	status=0
	wait "$pid" || status=$?
	cat "$dir/said"
	[[ $status == 5 && $(cat "$dir/said") == *'class version 0x02, and the request had 0x01 and 0x01'* ]]
}

@test "A14: madrecv -r reassembles what a lossy or reordering fabric delivered, as the live command did" {
	local fault early=0
	serve "$topologies/small.net" --sm node1 --seed 7
	start peer env MADKIT_DEVICE="sim:unix:$socket@node2" madrecv --class 0x30 --oui 0x1405 --respond echo --banner
	lid=$(on node2 madsend -j Get PortInfo | jq .data.Lid)
	head -c 5000 /dev/urandom >"$dir/data"
	for fault in 'reorder rate=30% delay=5' 'drop nth=12'; do
		# shellcheck disable=SC2086
		control fault $fault class=0x30 method=GetResp node=node2 >/dev/null
		on node3 madsend --class 0x30 --oui 0x1405 -L "$lid" --rmpp user -t 20000 Get 0x10 "data=@$dir/data" -f raw -w "$dir/pcap" >"$dir/live"
		control fault clear >/dev/null
		# the order of the response's segments in the file
		tail -c +25 "$dir/pcap" | xxd -p -c 322 |
			awk 'substr($0, 127, 2) == "81" && substr($0, 171, 2) == "01" { print "0x" substr($0, 177, 8) }' |
			while read -r n; do echo $((n)); done >"$dir/order"
		sort -n -u -c "$dir/order" 2>/dev/null || early=$((early + 1))
		run -0 --separate-stderr madrecv -r "$dir/pcap" -j
		[[ -z $stderr ]]
		[[ $(jq -sc 'map(select(.rmpp.type == 1) | .kind)' <<<"$output") == '["request","response"]' ]]
		madrecv -r "$dir/pcap" --filter 'kind == response && rmpp.type == 1' -f raw >"$dir/read"
		cmp "$dir/live" "$dir/read"
	done
	((early == 2))
}

@test "A9: -w has the transaction ID of the wire in every segment of --rmpp user" {
	serve "$topologies/small.net" --sm node1
	start peer env MADKIT_DEVICE="sim:unix:$socket@node2" madrecv --class 0x30 --oui 0x1405 --respond echo --banner
	lid=$(on node2 madsend -j Get PortInfo | jq .data.Lid)
	head -c 1000 /dev/zero | tr '\0' x >"$dir/data"
	run -0 on node3 madsend --class 0x30 --oui 0x1405 -L "$lid" --rmpp user Get 0x10 "data=@$dir/data" -f hex -w "$dir/pcap"
	run -0 --separate-stderr madrecv -r "$dir/pcap" -j
	[[ -z $stderr && $(jq -r .header.tid <<<"$output" | sort -u | wc -l) == 1 ]]
	[[ $(jq -sc 'map(select(.rmpp.type == 1) | .kind)' <<<"$output") == '["request","response"]' ]]
}

@test "A9: nothing is sent after the deadline, however many rounds are late" {
	virtual 'delay delay=300 class=SubnMgt method=GetResp node=node2'
	lid=$(MADKIT_DEVICE=sim:$topologies/small.net@node2,sm=node1 madsend -j Get PortInfo | jq .data.Lid)
	cd "$dir"
	sent_by madsend -L "$lid" -n 50 -i 100 -t 500 --deadline 1000 Get NodeInfo
	# each is answered after 300 ms, and the next one is sent 100 ms later: at 0, 400 and 800 ms
	((status == 3 && $(wc -l <said) <= 2))
	[[ $(jq -s 'map(select(.kind != "summary") | .attempts) | add' lines) == 3 ]]
	[[ $(madrecv -r capture -j | jq -s 'map(select(.kind == "request")) | length') == 3 ]]
	sent_by madpoll -L "$lid" Get NodeInfo --until 'NodeType==3' -i 50 -t 200 --retries 0 --deadline 500
	((status == 3))
	sent=$(madrecv -r capture -j | jq -s 'map(select(.kind == "request")) | length')
	((sent == 3))
	[[ $(<said) != *' in 0.000 s'* ]]
}

# liar OP HOW: serves lies until unlie.
liar() {
	rm -rf "$socket" "$socket.sysfs" "$dir"/lying*
	start lying python3 "$BATS_TEST_DIRNAME/lying.py" "$socket" "$@"
}

unlie() {
	kill "$pid"
	wait "$pid" || :
	exec {errors}<&-
}

# preloaded COMMAND...: with the umad device of the fabric.
preloaded() {
	env MADSIM_SOCKET="$socket" LD_PRELOAD="${MADKIT_PRELOAD:+$MADKIT_PRELOAD:}$MADKIT_BUILD/lib/.libs/libmadsim_umad.so" \
		ASAN_OPTIONS="${ASAN_OPTIONS:-}:detect_leaks=0" timeout 60 "$@"
}

@test "B10: control characters from sysfs and from a served fabric never reach the terminal" {
	local op command words shown
	for op in SYSFS INFO HELLO CONTROL; do
		liar "$op" hostile
		shown=
		for command in 'preloaded madreg --list' 'preloaded madreg --list -j' 'preloaded madsend -d -D 0 --deadline 100 Get NodeInfo' \
			"madsend --device sim:unix:$socket -d -D 0 --deadline 100 Get NodeInfo" \
			"madsend --device sim:unix:$socket -j -D 0 --deadline 100 Get NodeInfo" \
			"madreg --device sim:unix:$socket --class 4" "madreg --device sim:unix:$socket --list" \
			"madsim --control $socket stats" "madsim --control $socket link a 1 down"; do
			read -ra words <<<"$command"
			"${words[@]}" >"$dir/got" 2>&1 </dev/null || :
			if LC_ALL=C grep -q '[^[:print:][:space:]]' "$dir/got"; then
				echo "$op: $command"
				cat -v "$dir/got"
				return 1
			fi
			shown+=$(<"$dir/got")
		done
		# the hostile text is shown
		[[ $op == HELLO || $shown == *']0;evil'* ]] || { echo "$op: $shown"; return 1; }
		unlie
	done
}

@test "B4: a second descriptor that comes with a reply or a MAD is closed" {
	for op in HELLO OPEN SYSFS; do
		liar "$op" two
		# 312: umad's header without a P_Key index, and a MAD
		run -0 preloaded python3 -c 'import os
def use():
    for _ in range(20):
        fd = os.open("/dev/infiniband/umad0", os.O_RDWR)
        assert os.read(fd, 312) and len(os.listdir("/sys/class/infiniband")) == 1
        os.close(fd)
    return len(os.listdir("/proc/self/fd"))
print(use() - use())'
		[[ $output == 0 ]] || { echo "$op: $output"; return 1; }
		unlie
	done
}
