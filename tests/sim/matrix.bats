#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Commands x blocking calls x signals and the deadline, on a fabric that madsim serves and that does not answer.

setup() {
	load common
	load ../matrix
	cd "$dir" || return
	device=sim:unix:$socket
}

teardown() {
	((!${#started[@]})) || kill -CONT "${started[@]}" 2>/dev/null || :
	clean_up
}

# rows: each line of standard input is a command.
rows() {
	local -a command
	while read -r -a command; do
		matrix_row "${command[@]}" >/dev/null 2>err </dev/null || { cat err; return 1; }
	done
}

@test "B4: no call to a madsim that does not answer outlasts a signal or the deadline" {
	serve "$topologies/small.net"
	kill -STOP "$madsim_pid"
	rows <<-END
		madsend --device $device Get NodeInfo
		madsend --device $device@node2 -t 5000 GetTable NodeRecord
		madsend --device $device --batch $topologies/small.net
		madrecv --device $device --class 9
		madrecv --device $device --subscribe 64
		madpoll --device $device --class 9
		madrecv --device $device --respond ibping
		madrecv --snoop --device $device
		madrecv --device $device --class 0x32 --oui 0x1405 --respond echo
		madpoll --device $device Get PortInfo --until LinkState==Down
		madpoll --device $device Get PortCounters --delta
		madreg --device $device --class 9
		madsim --control $socket stats
		madsweep --device $device
		madsweep --device $device@node2 --via sa -j
		madsweep --device $device Get PortCounters --node-name-map /dev/null
		madsweep --device $device Get PortCounters --delta
		madport --device $device
		madport --device $device node1 -j
		madport --device $device node1/1 reset --yes
		madreg --registers --device $device
	END
	# of several devices, one that does not respond has failed: status 1, before the deadline
	matrix_one INT,TERM,HUP madpoll --device "$device" --device "$device@node2" --class 9 >/dev/null </dev/null
	run -1 --separate-stderr madpoll --device "$device" --device "$device@node2" --class 9 --deadline 300
	[[ ${#stderr_lines[@]} == 2 && ${stderr_lines[1]} == *' did not respond within '* ]]
	# one rail that does not respond does not take the time of the others
	run -1 --separate-stderr madsweep -q --device "$device" --device sim:fat-tree:1,1,0 --deadline 3000
	[[ $stderr == *"$device: its server did not respond within "[0-2].* && $output == *$'\nh1-1'* ]]
}

@test "a served fabric that does not answer is opened until the deadline, not longer" {
	local command
	serve "$topologies/small.net"
	kill -STOP "$madsim_pid"
	for command in 'madsend Get NodeInfo' 'madpoll --class 9' 'madrecv --class 9' 'madreg --class 9'; do
		start=$(matrix_now)
		# shellcheck disable=SC2086
		$command --device "$device" --deadline 1000 >out 2>err </dev/null 3>&- &
		pid=$!
		started+=("$pid")
		matrix_slept "$pid" 1400
		status=0
		wait "$pid" || status=$?
		(($(matrix_now) - start >= 1000))
		[[ $status == 3 && $(<err) == "${command%% *}: $device: it could not be opened by the deadline"* && $(wc -l <err) == 1 ]] ||
			{ echo "$command: $status"; cat err; return 1; }
	done
}

@test "C1: a request without a timeout ends by signals and at the deadline" {
	serve "$topologies/small.net" --sm node1
	run -0 madsim --control "$socket" fault drop method=GetResp attribute=0x30
	rows <<-END
		madsend --device $device -D 0,1 -t -1 Get VendorDiag
		madpoll --device $device -D 0,1 -t -1 Get VendorDiag --until NextIndex==99
	END
}

# phases: what madsweep waits for if responses with an attribute are lost: ATTRIBUTE, and the words of the command
phases='NodeInfo
	PortInfo -j
	PortInfoRecord --via sa
	LinearForwardingTable --route node1,node2
	PortCounters Get PortCounters
	PathRecord -j --route node1,node2 Get PortCounters
	PortCounters --clear PortCounters --select number>0 --yes'

@test "C1: madsweep without a timeout ends by signals and at the deadline in each phase" {
	local attribute words
	serve "$topologies/small.net" --sm node1
	while read -r attribute words; do
		run -0 madsim --control "$socket" fault drop attribute="$attribute"
		rows <<<"madsweep --device $device@node2 -t -1 $words"
		run -0 madsim --control "$socket" fault clear
	done <<<"$phases"
	# a deadline of 0 ends it before the first response; the summary has that
	# requests that wait for --rate
	rows <<<"madsweep --device $device@node2 --rate 1 Get PortCounters"
	rows <<<"madsweep --device $device@node2 Get PortCounters --delta -i 3600000"
	run -3 --separate-stderr madsweep --device "$device" --deadline 0 -j
	[[ $(jq -c '[.kind, .data.nodes, .data.missing]' <<<"$output") == '["summary",0,["deadline"]]' ]] || { echo "$output"; return 1; }
	# -1: none
	run -0 timeout 60 madsweep -q --device "$device" --deadline -1
}

@test "C1: requests for registers without a timeout end by signals and at the deadline" {
	local attribute
	serve "$topologies/small.net" --sm node1
	for attribute in GeneralInfo AccessRegisterGMP; do
		run -0 madsim --control "$socket" fault drop class=Mlnx attribute="$attribute"
		rows <<<"madreg --registers --device $device@node2 -t -1"
		matrix_one INT,TERM,HUP madport leaf2/7 --device "$device@node2" -t -1 >/dev/null </dev/null
		# the status is that of the link, which has been read
		run -0 --separate-stderr madport leaf2/7 --device "$device@node2" -t -1 --deadline 1000
		[[ ${lines[0]} == "leaf2/7 <-> leaf1/7: Active, "* && $output == *$'\nerrors'* && $output == *$'\nbit errors '*'?'* ]]
		run -0 madsim --control "$socket" fault clear
	done
}

# stopped_in_phase: madsweep of $words ends as $how wants after its server was stopped. A deadline that passes before madsweep
# waits says nothing about that: it is doubled.
stopped_in_phase() {
	local want=3
	read -ra command <<<"madsweep --device $device@node2 -t -1 $words"
	[[ $how == deadline ]] && command+=(--deadline "$ms") || want=$((128 + $(kill -l "$how")))
	env --default-signal=INT,TERM,HUP "${command[@]}" >out 2>err 3>&- &
	pid=$!
	started+=("$pid")
	if ! matrix_blocked "$pid"; then
		wait "$pid" || :
		[[ $how == deadline && $ms -lt 100000 ]] || return 1
		ms=$((2 * ms))
		stopped_in_phase
		return
	fi
	kill -STOP "$madsim_pid"
	[[ $how == deadline ]] || kill -s "$how" "$pid"
	matrix_slept "$pid" "$([[ $how == deadline ]] && echo $((ms + 1000)) || echo 1000)" || return
	wait "$pid" || status=$?
	kill -CONT "$madsim_pid"
	[[ -z $(tail -c 1 out) ]] || { echo "a line is cut"; return 1; }
	((status == want))
}

@test "B4: a madsim that stops while madsweep waits in any phase" {
	local attribute words how status ms pid
	local -a command
	serve "$topologies/small.net" --sm node1
	while read -r attribute words; do
		run -0 madsim --control "$socket" fault drop attribute="$attribute"
		for how in INT TERM HUP deadline; do
			ms=1500 status=0
			stopped_in_phase || { echo "$how ${command[*]}: $status"; cat err; return 1; }
		done
		run -0 madsim --control "$socket" fault clear
	done < <(grep -vE 'PortInfo -j|PathRecord' <<<"$phases")
}

@test "B4: signals and the deadline end madsweep at the prompt of --clear, and nothing is cleared" {
	serve "$topologies/small.net"
	run -0 control counter node1 1 SymbolErrorCounter=7
	timeout 600 python3 - "$device" <<-'END'
	import os, pty, signal, sys
	for how in signal.SIGINT, signal.SIGTERM, signal.SIGHUP, None:
	    pid, fd = pty.fork()
	    if not pid:
	        for each in signal.SIGINT, signal.SIGTERM, signal.SIGHUP:
	            signal.signal(each, signal.SIG_DFL)
	        os.execvp('madsweep', ['madsweep', '--device', sys.argv[1], '--select', 'number == 1', '--clear', 'PortCounters'] +
	            ([] if how else ['--deadline', '500']))
	    text = b''
	    while b'[y/N]' not in text:
	        text += os.read(fd, 1000)
	    if how:
	        os.kill(pid, how)
	    status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
	    assert status == (128 + how if how else 3), (how, status)
	    os.close(fd)
	END
	[[ $(on node1 madsweep -q Get PortCounters --filter 'SymbolErrorCounter > 0' -j | jq -s '.[0].data.SymbolErrorCounter') == 7 ]]
}

@test "B4: without a deadline, a call to a madsim that does not answer ends after 15 s" {
	serve "$topologies/small.net"
	kill -STOP "$madsim_pid"
	start=$(matrix_now)
	run -3 --separate-stderr timeout 60 madsend --device "$device" -D 0 Get NodeInfo
	(($(matrix_now) - start >= 15000))
	[[ $stderr == *"$socket"*"does not answer"* ]] || { echo "$stderr"; return 1; }
}

@test "B4: a queue of connections that is full" {
	serve "$topologies/small.net"
	kill -STOP "$madsim_pid"
	start queue python3 -c '
import socket, sys, signal
held = []
try:
    while True:
        held.append(socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET))
        held[-1].setblocking(False)
        held[-1].connect(sys.argv[1])
except BlockingIOError:
    print(len(held), "connections", file=sys.stderr, flush=True)
signal.pause()' "$socket"
	[[ $(<"$dir/queue.line") == *" connections" ]]
	rows <<-END
		madsend --device $device Get NodeInfo
		madsim --control $socket stats
	END
	# another server neither waits for it nor takes its place
	run -1 --separate-stderr timeout 60 madsim "$topologies/small.net" --socket "$socket"
	[[ $stderr == *"served"* ]]
}

@test "B4: a madsim that stops while a command uses it" {
	serve "$topologies/small.net"
	for how in INT TERM HUP; do
		for command in 'madrecv --class 9 --banner' 'madrecv --subscribe 64 --banner' \
			'madrecv --respond ibping --banner' 'madrecv --class 0x32 --oui 0x1405 --respond echo --banner' \
			'madpoll Get PortInfo --until LinkState==Down -d -i 200' 'madpoll Get PortCounters --delta -i 200' \
			'madreg --class 9 --hold'; do
			read -ra words <<<"$command"
			mkfifo said
			env --default-signal=INT,TERM,HUP "${words[@]}" --device "$device@node2" >said 2>&1 3>&- &
			pid=$!
			exec {said}<said
			rm said
			read -r -t 60 <&"$said"
			matrix_blocked "$pid"
			kill -STOP "$madsim_pid"
			kill -s "$how" "$pid"
			matrix_slept "$pid" || { echo "$how $command"; return 1; }
			status=0
			wait "$pid" || status=$?
			kill -CONT "$madsim_pid"
			exec {said}<&-
			[[ $status == $((128 + $(kill -l "$how"))) ]] || { echo "$how $command: $status"; return 1; }
		done
	done
}

@test "B2: a stalled reader of responders and of --delta does not block signals and the deadline" {
	serve "$topologies/small.net"
	while read -r how command; do
		read -ra words <<<"$command"
		want=3
		[[ $how == deadline ]] && words+=(--deadline 1500) || want=$((128 + $(kill -l "$how")))
		held out
		mkfifo said
		exec {said}<>said
		env --default-signal=INT,TERM,HUP "${words[@]}" --device "$device@node2" >out 2>said 3>&- {held}>&- &
		pid=$!
		read -r -t 60 <&"$said"
		rm said
		# the command has enlarged the pipe
		dd if=/dev/zero bs=4096 oflag=nonblock status=none 1>&"$held" 2>/dev/null || :
		[[ $command != madrecv* ]] || on node1 madsend --name 'node2 HCA-1' --class 0x32 --oui 0x1405 --no-response Get 0x12
		for _ in {1..2000}; do
			[[ $(cat /proc/"$pid"/wchan 2>/dev/null) != *pipe_w* ]] || break
			read -rt 0.005 <> <(:) || :
		done
		[[ $how == deadline ]] || kill -s "$how" "$pid"
		matrix_slept "$pid" 3000 || { echo "$how $command"; return 1; }
		status=0
		wait "$pid" || status=$?
		exec {said}>&- {held}>&-
		[[ $status == "$want" ]] || { echo "$how $command: $status"; return 1; }
	done <<-'END'
		INT madrecv --class 0x32 --oui 0x1405 --respond echo --banner
		TERM madrecv --class 0x32 --oui 0x1405 --respond echo --banner
		HUP madrecv --class 0x32 --oui 0x1405 --respond echo --banner
		deadline madrecv --class 0x32 --oui 0x1405 --respond echo --banner
		TERM madrecv --respond ibping --banner
		deadline madrecv --respond ibping --banner
		INT madpoll Get PortCounters --delta -i 50 -d
		TERM madpoll Get PortCounters --delta -i 50 -d
		HUP madpoll Get PortCounters --delta -i 50 -d
		deadline madpoll Get PortCounters --delta -i 50 -d
	END
}

@test "B4: an unanswered call has no reply of an earlier one" {
	serve "$topologies/small.net"
	# the server answers only after the first command has given up
	kill -STOP "$madsim_pid"
	run -3 madsim --control "$socket" --deadline 50 stats
	[[ -z ${lines[1]:-} && $output == *"does not answer"* ]]
	kill -CONT "$madsim_pid"
	[[ $(stats nodes) -gt 0 ]]
}

@test "B3: events that are not read do not stop the fabric, are counted, and one signal ends madsim" {
	held events
	start madsim madsim "$topologies/small.net" --socket "$socket" --banner --events events
	control fault drop rate=100% class=4 >/dev/null
	printf '{"header":{"class":"PerfMgt","method":"Get","attribute":"PortCounters"},"remote":{"lid":1},"data":{"PortSelect":1}}\n%.0s' {1..3000} >batch
	on node2 madsend --batch batch -t 1 --retries 0 --window 1000 >/dev/null 2>&1 || :
	for _ in {1..50}; do
		(($(stats events_lost) == 0)) || break
		on node2 madsend --batch batch -t 1 --retries 0 --window 1000 >/dev/null 2>&1 || :
	done
	lost=$(stats events_lost)
	((lost > 0))
	on node2 madsend -L 1 Get NodeInfo >/dev/null
	# the reader comes back: whole lines, and how many are missing
	exec {end}<events {held}>&-
	mkfifo lines
	jq --unbuffered -c 'select(.data.event == "lost") | .data.count' <&"$end" >lines 3>&- &
	started+=("$!")
	exec {end}<&-
	exec {counts}<lines
	read -r -t 60 count <&"$counts"
	((count > 0 && count <= $(stats events_lost)))
	exec {counts}<&-
	status=0
	kill -TERM "$pid"
	matrix_slept "$pid"
	wait "$pid" || status=$?
	[[ $status == 143 && ! -e $socket ]]
}

@test "B3: a madsim whose events are never read ends on each signal" {
	for how in INT TERM HUP; do
		held events
		head -c 65536 /dev/zero >&"$held"
		matrix_one "$how" madsim "$topologies/small.net" --socket "$socket" --events events 2>err || { cat err; return 1; }
		[[ ! -e $socket ]]
		grep -q 'events were not written' err
		exec {held}>&-
	done
}

@test "B4: madsim ends on signals and at the deadline, with and without a COMMAND" {
	rows <<-END
		madsim $topologies/small.net --socket $socket
	END
	[[ ! -e $socket ]]
	# a simulation that is stopped: COMMAND has ended
	run -0 --separate-stderr inside "$topologies/small.net" -- \
		sh -c 'kill -STOP $(tr " " "\n" </proc/$PPID/task/$PPID/children | grep -vx $$)'
	[[ $stderr == *"is killed"* ]]
}
