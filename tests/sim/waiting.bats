#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Listeners and the MADs that they take from the device.

setup() {
	load common
	vendor=(--class 0x32 --oui 0x1405)
}

teardown() { clean_up; }

# poll COMMAND...: at node2, in the background; its output is in poll.out, its messages in poll.err
poll() {
	MADKIT_DEVICE=sim:unix:$socket@node2 "$@" >"$dir/poll.out" 2>"$dir/poll.err" </dev/null 3>&- &
	pid=$!
	started+=("$pid")
}

# arrives WORD...: sends to node2 until the listener has ended, because MADs before its registration are lost. Sets
# status.
arrives() {
	local i
	for ((i = 0; i < 300; i++)); do
		kill -0 "$pid" 2>/dev/null || break
		on node1 madsend --name 'node2 HCA-1' "${vendor[@]}" Send "$@"
	done
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
	[[ $stderr == *'--assert does not go with -- COMMAND'* ]]
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
	got=$(jq -sc 'map(if .kind == "error" then [.status.send, .data] else (.data.Data | length) end)' "$dir/recv.out")
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
