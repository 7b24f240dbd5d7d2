#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Listeners and the MADs that they take from the device.

setup() {
	load common
	vendor=(--class 0x32 --oui 0x1405)
}

teardown() {
	# a stopped server does not end
	[[ -z ${second_pid:-} ]] || kill -CONT "$second_pid" 2>/dev/null || :
	clean_up
}

# poll COMMAND...: at node2, in the background; its output is in poll.out, its messages in poll.err. What an earlier one
# said is gone when this returns.
poll() {
	: >"$dir/poll.out" 2>"$dir/poll.err"
	MADKIT_DEVICE=sim:unix:$socket@node2 "$@" >"$dir/poll.out" 2>"$dir/poll.err" </dev/null 3>&- &
	pid=$!
	started+=("$pid")
}

# arrives WORD...: sends to node2 until the listener has ended, because MADs before its registration are lost. Sets
# status.
arrives() {
	local i
	for ((i = 0; i < 3000; i++)); do
		kill -0 "$pid" 2>/dev/null || break
		on node1 madsend --name 'node2 HCA-1' "${vendor[@]}" Send "$@"
	done
	! kill -0 "$pid" 2>/dev/null || { echo "none of $i MADs arrived"; cat "$dir/poll.err"; return 1; }
	status=0
	wait "$pid" || status=$?
}

@test "C7: madpoll shows the MAD that ends the wait, and COMMAND has it on standard input" {
	serve "$topologies/small.net"
	poll madpoll "${vendor[@]}" -j
	arrives 0x12 -m 7 data=c0ffee
	((status == 0))
	[[ $(jq -sc '.[0] | [.kind, .device, .header.method, .header.attribute_id, .header.modifier, .data.Data[:6]]' \
		"$dir/poll.out") == "[\"request\",\"sim:unix:$socket@node2\",\"Send\",18,7,\"c0ffee\"]" ]]
	poll madpoll "${vendor[@]}"
	arrives 0x12 -m 7 data=c0ffee
	((status == 0))
	[[ $(head -n 1 "$dir/poll.out") == '# Send '* ]]
	grep -q c0ffee "$dir/poll.out"

	poll madpoll "${vendor[@]}" -f raw -- sh -c 'head -c 256 | od -An -v -tx1 | tr -d " \n"; exit 7'
	arrives 0x12 -m 7 data=c0ffee
	((status == 7))
	# base version, class, class version, method; attribute, reserved, modifier; RMPP header and OUI
	[[ $(<"$dir/poll.out") =~ ^01320103.{24}0012000000000007.{24}00001405c0ffee0+$ ]]
	(($(wc -c <"$dir/poll.out") == 512))
	poll madpoll "${vendor[@]}" -j -w "$dir/capture" -- sh -c 'jq -r ".header.modifier, .data.Data[:6]"; echo "$MADKIT_DEVICE"; madrecv -r "$0" -f raw | wc -c' "$dir/capture"
	arrives 0x12 -m 7 data=c0ffee
	((status == 0))
	[[ $(head -n 3 "$dir/poll.out") == $'7\nc0ffee\nsim:unix:'"$socket@node2" ]]
	(($(tail -n 1 "$dir/poll.out") >= 256))
}

@test "C7: a MAD that is longer than a pipe reaches COMMAND whole" {
	serve "$topologies/small.net"
	head -c 300000 /dev/urandom >"$dir/data"
	poll madpoll "${vendor[@]}" -f raw -- sh -c 'tail -c +41 | head -c 300000 | cmp - "$0"' "$dir/data"
	arrives 0x12 "data=@$dir/data"
	((status == 0))
}

@test "C7: madpoll --class: --filter selects the MAD, -n is how many" {
	serve "$topologies/small.net"
	poll madpoll "${vendor[@]}" -j --filter 'header.modifier == 9' --fields header.modifier
	on node1 madsend --name 'node2 HCA-1' "${vendor[@]}" -n 20 -i 0 Send 0x12 -m 3
	arrives 0x12 -m 9
	((status == 0))
	[[ $(head -n 1 "$dir/poll.out") == '{"header":{"modifier":9}}' ]]
	poll madpoll "${vendor[@]}" -n 3 -j --fields header.modifier
	arrives 0x12 -m 4
	((status == 0))
	(($(grep -cx '{"header":{"modifier":4}}' "$dir/poll.out") >= 3))
	run -3 --separate-stderr on node2 madpoll "${vendor[@]}" --deadline 100 -- echo ran
	[[ -z $output && $stderr == 'madpoll: no MAD came in 100 ms' ]]
	run -2 --separate-stderr on node2 madpoll "${vendor[@]}" --assert 'kind == request' -- true
	[[ $stderr == *'--assert cannot be combined with -- COMMAND'* ]]
}

# serve_second: another madsim, at $dir/t
serve_second() {
	start second madsim "$topologies/small.net" --socket "$dir/t" --banner
	second_pid=$pid
}

@test "X7: a command that repeats its request ends with status 1 when the device is gone in between" {
	local words pids=() n=0
	local commands=('madsend -n 3 Get NodeInfo' 'madpoll Get PortInfo --until LinkState==Down'
		'madpoll Get PortCounters --delta')
	serve "$topologies/small.net"
	for words in "${commands[@]}"; do
		# shellcheck disable=SC2086  # several words
		poll $words -i 60000 -j -d
		pids+=("$pid")
		# the last response before the wait: of a NodeInfo, a PortInfo or a PortCountersExtended
		until grep -qE 'received .* attribute 0x00(11|15|1d) ' "$dir/poll.err"; do sleep 0.05; done
		mv "$dir/poll.out" "$dir/$n.out"
		mv "$dir/poll.err" "$dir/$n.err"
		n=$((n + 1))
	done
	kill "$madsim_pid"
	for n in 0 1 2; do
		status=0
		wait "${pids[n]}" || status=$?
		words=${commands[n]}
		((status == 1)) || { echo "$words: $status"; cat "$dir/$n.err"; return 1; }
		[[ $(tail -n 1 "$dir/$n.err") == "${words%% *}: sim:unix:$socket@node2: the device is gone" ]]
		[[ $(tail -n 1 "$dir/$n.out" | jq -c '[.kind, .status.send, .data.error]') == \
			"[\"error\",19,\"sim:unix:$socket@node2: the device is gone\"]" ]]
	done
}

is_taken() {
	# shellcheck disable=SC2086
	run -1 --separate-stderr madpoll "${vendor[@]}" -j $good --device "sim:unix:$socket@node1" --deadline "$ms" || return
	[[ $(jq -c '[.kind, .device]' <<<"$output") == "[\"error\",\"sim:unix:$socket@node2\"]" ]] &&
		[[ ${stderr_lines[-1]} == "madpoll: no MAD came in $ms ms" ]]
}

is_bad() {
	# shellcheck disable=SC2086
	run -1 --separate-stderr madpoll "${vendor[@]}" $bad --device "sim:unix:$socket@node1" --deadline "$ms" || return
	[[ -z $output && ${#stderr_lines[@]} -eq 2 && ${stderr_lines[-1]} == "madpoll: no MAD came in $ms ms" ]]
}

@test "D4: madpoll reports a bad --device of several and waits on the others" {
	local bad='--device umad:nosuch/1' good
	serve "$topologies/small.net"
	good="--device sim:unix:$socket@node2"
	for devices in "$bad $good" "$good $bad" "--device sim:unix:$dir/none@node2 $good $bad"; do
		# shellcheck disable=SC2086
		poll madpoll "${vendor[@]}" -j $devices
		arrives 0x12 -m 7
		((status == 1))
		# a line for each bad device, and one for the MAD
		n=$(($(wc -w <<<"$devices") / 2))
		[[ $(jq -sc 'map(select(.kind == "request")) | map([.device, .header.modifier]) | unique' "$dir/poll.out") == "[[\"sim:unix:$socket@node2\",7]]" ]]
		(($(jq -sr 'map(select(.kind == "error" and .status.send != 0 and (.data.error | length > 0))) | length' "$dir/poll.out") == n - 1))
		[[ $devices != *none* || $(jq -sc 'map(select(.kind == "error").device)' "$dir/poll.out") == "[\"sim:unix:$dir/none@node2\",\"umad:nosuch/1\"]" ]]
		(($(wc -l <"$dir/poll.err") == n - 1))
		grep -q nosuch "$dir/poll.err"
	done
	# bad is also a port whose class is taken
	poll madrecv "${vendor[@]}" --banner
	until grep -q listening "$dir/poll.err"; do sleep 0.05; done
	in_time 300 is_taken
	kill "$pid"
	# 1 is before 3; all are bad: at once
	in_time 300 is_bad
	run -1 --separate-stderr timeout 20 madpoll "${vendor[@]}" $bad --device "sim:unix:$dir/none@node2"
	[[ -z $output && ${#stderr_lines[@]} -eq 2 ]]
	run -1 --separate-stderr timeout 20 madpoll "${vendor[@]}" $bad
	[[ -z $output && ${#stderr_lines[@]} -eq 1 ]]
	# a mistake on the command line ends it, and so does a signal
	# shellcheck disable=SC2086
	run -2 --separate-stderr madpoll "${vendor[@]}" $good $bad $good
	[[ ${stderr_lines[-1]} == *"is given twice"* ]]
	run -143 --separate-stderr timeout -s TERM --preserve-status 0.3 madpoll "${vendor[@]}" $bad --device "sim:unix:$socket@node1"
}

@test "madpoll --until: a link that comes up after the last interval counts" {
	serve "$topologies/small.net"
	local query=(on node1 madpoll -D 0 -m 1 Get PortInfo -i 60000 --fields PhysLinkState)
	control link node1 1 down
	(sleep 0.3; control link node1 1 up) 3>&- &
	local link=$!
	run -0 --separate-stderr "${query[@]}" --until PhysLinkState==LinkUp --deadline 2000
	[[ $output == *LinkUp ]]
	wait "$link"
	run -6 --separate-stderr "${query[@]}" --until PhysLinkState==Polling --deadline 300 -j
	[[ $stderr == "madpoll: 'PhysLinkState==Polling' did not become true within 0."*" s ("*" queries"*"); last value: PhysLinkState: LinkUp" ]]
}

@test "a word that means no device, and a device given twice, are usage errors in any order" {
	serve "$topologies/small.net"
	local good="sim:unix:$socket@node2" fails=umad:nosuch/1 word device
	for word in nosuch foo:bar umad:x/y sim:unix:; do
		run -2 --separate-stderr madpoll "${vendor[@]}" -j --device "$word"
		for device in "$good" "$fails" "sim:unix:$dir/none@node2" "$word"; do
			run -2 --separate-stderr madpoll "${vendor[@]}" -j -w "$dir/w" --device "$word" --device "$device"
			[[ -z $output && ${#stderr_lines[@]} -eq 1 && ! -e $dir/w ]]
			run -2 --separate-stderr madpoll "${vendor[@]}" -j -w "$dir/w" --device "$device" --device "$word"
			[[ -z $output && ${#stderr_lines[@]} -eq 1 && ! -e $dir/w ]]
		done
		[[ $word == *:* ]] || run -2 --separate-stderr madreg --list --device "$word"
		run -2 --separate-stderr madsend --device "$word" Get NodeInfo
	done
	for device in "$good" "$fails" "sim:unix:$dir/none@node2"; do
		run -2 --separate-stderr madpoll "${vendor[@]}" -j --device "$device" --device "$device"
		[[ -z $output && $stderr == "madpoll: --device $device is given twice (see madpoll(1))" ]]
		run -2 --separate-stderr madpoll "${vendor[@]}" -j --device "$device" --device umad:other/1 --device "$device"
		[[ -z $output ]]
	done
	# a device that fails
	run -1 --separate-stderr madpoll "${vendor[@]}" --device "$fails"
	run -1 --separate-stderr madpoll "${vendor[@]}" --device "$good" --device "$fails" --deadline 50
	run -1 --separate-stderr madpoll "${vendor[@]}" --device "$fails" --device "$good" --deadline 50
}

@test "madpoll reports a --device that does not respond, and waits on the others" {
	local devices good stopped i
	serve "$topologies/small.net"
	serve_second
	good="--device sim:unix:$socket@node2" stopped="--device sim:unix:$dir/t@node2"
	kill -STOP "$second_pid"
	# with one share of the deadline for each, and one for the wait
	# shellcheck disable=SC2086
	run -1 --separate-stderr madpoll "${vendor[@]}" -j $stopped $good --deadline 600
	[[ ${#stderr_lines[@]} == 2 && ${stderr_lines[0]} =~ "madpoll: sim:unix:$dir/t@node2: its server did not respond within "(0.[23][0-9]*)" s"$ ]] || { echo "$stderr"; false; }
	[[ ${stderr_lines[1]} == 'madpoll: no MAD came in 600 ms' && $(jq -c '[.kind, .device]' <<<"$output") == "[\"error\",\"sim:unix:$dir/t@node2\"]" ]]
	# shellcheck disable=SC2086
	run -1 --separate-stderr madpoll "${vendor[@]}" $stopped --device umad:nosuch/1 --deadline 0
	[[ $stderr == *'did not respond'* ]]
	for devices in "$stopped $good" "$good $stopped"; do
		# shellcheck disable=SC2086
		poll madpoll "${vendor[@]}" -j $devices
		until grep -q 'not respond' "$dir/poll.err"; do sleep 0.05; done
		arrives 0x12 -m 7
		((status == 1))
		[[ $(jq -sc 'map([.kind, .device])' "$dir/poll.out") == "[[\"error\",\"sim:unix:$dir/t@node2\"],[\"request\",\"sim:unix:$socket@node2\"]]" ]]
		[[ $(<"$dir/poll.err") =~ " did not respond within 2."[01][0-9]*" s"$ ]]
	done
}

@test "D4: madpoll reports a --device that is unplugged while it waits, and waits on the others" {
	serve "$topologies/small.net"
	serve_second
	poll madpoll "${vendor[@]}" -j --device "sim:unix:$dir/t@node2" --device "sim:unix:$socket@node2"
	until [[ $(madsim --control "$dir/t" stats | jq .files) -ge 1 && $(stats files) -ge 1 ]]; do sleep 0.05; done
	kill "$second_pid"
	until grep -q gone "$dir/poll.err" && [[ -s $dir/poll.out ]]; do sleep 0.05; done
	[[ $(jq -c '[.kind, .device]' "$dir/poll.out") == "[\"error\",\"sim:unix:$dir/t@node2\"]" ]]
	arrives 0x12 -m 7
	((status == 1))
	[[ $(jq -sc 'map([.kind, .device])' "$dir/poll.out") == "[[\"error\",\"sim:unix:$dir/t@node2\"],[\"request\",\"sim:unix:$socket@node2\"]]" ]]
	[[ $(<"$dir/poll.err") == "madpoll: sim:unix:$dir/t@node2: the device is gone" ]]

	# the last one
	rm -f "$dir"/second.*
	serve_second
	poll madpoll "${vendor[@]}" -j --device umad:nosuch/1 --device "sim:unix:$dir/t@node2"
	until [[ $(madsim --control "$dir/t" stats | jq .files) -ge 1 ]]; do sleep 0.05; done
	kill "$second_pid"
	status=0
	wait "$pid" || status=$?
	((status == 1))
	[[ $(jq -sc 'map(.device)' "$dir/poll.out") == "[\"umad:nosuch/1\",\"sim:unix:$dir/t@node2\"]" ]]
}

@test "D4: madpoll with a bad --device: COMMAND has the MAD only, and its status counts" {
	serve "$topologies/small.net"
	poll madpoll "${vendor[@]}" -j --device umad:nosuch/1 --device "sim:unix:$socket@node2" -- sh -c 'jq -c .kind; echo "$MADKIT_DEVICE"; exit 9'
	arrives 0x12 -m 7
	((status == 9))
	[[ $(<"$dir/poll.out") == '"request"'$'\n'"sim:unix:$socket@node2" ]]
	grep -q nosuch "$dir/poll.err"
	run -1 --separate-stderr madpoll "${vendor[@]}" --device umad:nosuch/1 --device "sim:unix:$socket@node2" --deadline 100 -- echo ran
	[[ -z $output ]]
}

# longer BUFFER: a message of 1040 bytes after one that fits, for a madrecv with --buffer BUFFER; then one that fits again
longer() {
	rm -f "$dir"/recv.*
	start recv env MADKIT_DEVICE="sim:unix:$socket@node2" madrecv "${vendor[@]}" --buffer "$1" -n 3 -j --banner
	head -c 1000 /dev/urandom >"$dir/data"
	on node1 madsend --name 'node2 HCA-1' "${vendor[@]}" Send 0x12 data=01
	on node1 madsend --name 'node2 HCA-1' "${vendor[@]}" Send 0x12 "data=@$dir/data"
	on node1 madsend --name 'node2 HCA-1' "${vendor[@]}" Send 0x12 data=02
	status=0
	wait "$pid" || status=$?
	got=$(jq -sc 'map(if .kind == "error" then [.status.send, (.data | del(.error))] else (.data.Data | length) end)' "$dir/recv.out")
	[[ $(jq -r 'select(.kind == "error").data.error' "$dir/recv.out" | head -n 1) == *": the next message needs "* ]]
}

@test "C7: a message longer than --buffer stays queued and is received with the next size" {
	serve "$topologies/small.net"
	longer 256,needed
	((status == 0))
	[[ $got == '[432,[28,{"needed":1040,"buffer":256,"next":1040}],2000,432]' ]]
	cmp <(jq -sr '.[2].data.Data' "$dir/recv.out") <(xxd -p -c 0 "$dir/data")
	longer 256,512,2000
	((status == 0))
	[[ $got == '[432,[28,{"needed":1040,"buffer":256,"next":512}],[28,{"needed":1040,"buffer":512,"next":2000}],2000,432]' ]]
	longer 256,1039
	((status == 1))
	[[ $got == '[432,[28,{"needed":1040,"buffer":256,"next":1039}],[28,{"needed":1040,"buffer":1039,"next":null}]]' ]]
	longer 256
	((status == 1))
	[[ $got == '[432,[28,{"needed":1040,"buffer":256,"next":null}]]' ]]
	# not even a MAD fits
	longer 100,needed
	((status == 0))
	[[ $got == '[[28,{"needed":256,"buffer":100,"next":256}],432,'*',2000,'*',432]' ]]
}

@test "C7: --buffer is a list of ascending sizes" {
	local list
	for list in 0 256,256 512,256 256, ,256 needed 256,needed,512 256,Needed 1073741825 1,2,3,4,5,6,7,8,9; do
		run -2 --separate-stderr madrecv "${vendor[@]}" --buffer "$list"
		[[ $stderr == *--buffer* ]] || { echo "$list: $stderr"; false; }
	done
}

# X4. outlives COMMAND...: starts it, waits for its banner if it has one, and ends the reader of its standard output while
# nothing is written and its standard input is open. It has to end as by SIGPIPE, without a word; 60 s is never.
outlives() {
	timeout 120 python3 - "$@" <<-'PYTHON'
		import subprocess, sys
		p = subprocess.Popen(sys.argv[1:], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
		banner = p.stderr.readline() if "--banner" in sys.argv else b""
		p.stdout.close()
		try:
		    status = p.wait(60)
		except subprocess.TimeoutExpired:
		    status = "nothing in 60 s"
		    p.kill()
		said = p.stderr.read()
		if status != 141 or said:
		    sys.exit(f"{' '.join(sys.argv[1:])}: {status}, {said}")
	PYTHON
}

@test "X4: a command that waits ends when its reader has ended" {
	serve "$topologies/small.net"
	export MADKIT_DEVICE=sim:unix:$socket@node2
	control agent node3 mute
	outlives madrecv --subscribe 64,65 --banner
	outlives madrecv --subscribe 64 --names -j --banner
	outlives madrecv "${vendor[@]}" --method 0x10 --banner
	outlives madrecv "${vendor[@]}" --respond echo -j --banner
	outlives madpoll "${vendor[@]}"
	outlives madpoll "${vendor[@]}" --device "sim:unix:$socket@node1" --device "sim:unix:$socket@node4"
	outlives madpoll Get PortInfo --until 'LinkState == Down' -i 3600000
	outlives madpoll Get PortCounters PortSelect=1 --delta -i 3600000
	outlives madreg "${vendor[@]}" --method 0x10 --hold
	outlives madsend --name 'node3 HCA-1' -t 3600000 Get PortInfo
	outlives madsend -n 2 -i 3600000 Get NodeInfo -q
	outlives madsend --batch - --banner -j
	outlives madsend --batch - --dry-run -j
	outlives madsweep -t 3600000 -q
	outlives madsweep -t 3600000 -q Get PortCounters
	outlives madrecv -r -
	outlives madsim fat-tree:1,2,0 --no-sm --socket "$dir/other" --events - --banner
	# the methods and subscriptions of processes that have ended are free
	run -0 madreg "${vendor[@]}" --method 0x10,Get,Set,Send
	[[ $(stats connections) == 1 ]] || { control stats; return 1; }
}

@test "X4: a reader that reads nothing has not ended, and the input of COMMAND is not standard output" {
	serve "$topologies/small.net"
	export MADKIT_DEVICE=sim:unix:$socket@node2
	# the input of a COMMAND is not standard output
	poll madpoll "${vendor[@]}" -- cat
	arrives 0x12 -m 7 data=c0ffee
	((status == 0))
	mkfifo "$dir/closed"
	exec {both}<>"$dir/closed"
	start held env MADKIT_DEVICE="$MADKIT_DEVICE" bash -c 'exec madreg "$@" >"$0"' "$dir/closed" "${vendor[@]}" --hold -j -d
	grep -q '"registered":true' <&"$both"
	kill "$pid"
	wait "$pid" || (($? == 143))
}
