#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Commands x blocking calls x signals and the deadline, without a served fabric.

setup() {
	load common
	load ../matrix
	cd "$BATS_TEST_TMPDIR" || return
	madsend --dry-run Get NodeInfo -f raw >mad
	copies 50 mad >fifty
	copies 100 fifty >many
	mkfifo fifo
}

@test "B2: a stalled reader of standard output does not block signals and the deadline; lines are whole" {
	while read -r how options; do
		held out
		# shellcheck disable=SC2086  # several options
		matrix_one "$how" madrecv -r many $options >out
		rest out >got
		[[ $(wc -c <got) -ge 50000 && -z $(tail -c 1 got) ]] || { echo "$how $options: a line is cut"; return 1; }
		[[ $options != -j ]] || jq -es 'length > 50' got
	done <<-'END'
		INT -j
		TERM -j
		HUP -j
		deadline -j
		TERM -f text
		deadline -f text
		TERM -f hex
		deadline -f hex
	END
}

@test "B2: a line of 200 kB of which a stalled reader has taken a part" {
	head -c 100000 /dev/zero >bytes
	for how in INT TERM HUP deadline; do
		filled out
		matrix_one "$how" madsend --dry-run --class 0x32 --oui 0x001405 Send 0x10 data=@bytes -j >out
		rest out >all
		grep -v '^filled$' all >got
		[[ $(head -c 9 got) == '{"schema"' ]]
	done
}

@test "B2: a reader that takes everything late gets whole lines and every line" {
	held out
	madrecv -r many -j >out 3>&- &
	pid=$!
	matrix_blocked "$pid"
	exec {end}<out {held}>&-
	[[ $(jq -c .seq <&"$end" | wc -l) == 5000 ]]
	exec {end}<&-
	wait "$pid"
}

@test "B2: standard output that does not block" {
	# shellcheck disable=SC2016  # perl's
	nonblocking='use Fcntl; fcntl(STDOUT, F_SETFL, O_WRONLY | O_NONBLOCK); exec @ARGV'
	for how in TERM deadline; do
		ms=300
		until stalled_at_once "$how"; do
			# a deadline that passed before the pipe was full says nothing
			[[ $how == deadline && $status == 3 && $ms -lt 100000 ]]
			ms=$((2 * ms))
		done
	done
}

# stalled_at_once HOW: madrecv has filled a pipe that does not block, and HOW ends it.
stalled_at_once() {
	local want=143 options=()
	[[ $1 != deadline ]] || want=3 options=(--deadline "$ms")
	held out
	env --default-signal perl -e "$nonblocking" madrecv -r many -j "${options[@]}" >out 3>&- &
	pid=$!
	[[ $1 == deadline ]] || { matrix_blocked "$pid" && kill -TERM "$pid"; }
	status=0
	wait "$pid" || status=$?
	rest out >got
	[[ $status == "$want" && $(wc -c <got) -ge 50000 && -z $(tail -c 1 got) ]]
}

@test "B2: other streams whose reader has stalled" {
	for _ in {1..3000}; do echo '{"bad"'; done >bad
	for how in INT TERM HUP; do
		held err
		matrix_one "$how" madsend --batch bad --dry-run -v 2>err
		rest err >got
		[[ $(wc -c <got) -ge 50000 && -z $(tail -c 1 got) ]]
	done
	for how in TERM deadline; do
		# a capture
		held capture
		matrix_one "$how" madrecv -r many -w capture >/dev/null
		exec {held}>&-
		rm -f capture
		held out
		head -c 65536 /dev/zero >&"$held"
		matrix_one "$how" madsend --help >out
		exec {held}>&-
	done
}

@test "B2: madsweep: a stalled reader does not block signals and the deadline; lines are whole" {
	local how words fabric=sim:fat-tree:8,16,4
	while read -r how words; do
		filled out
		eval "words=($words)"
		matrix_one "$how" madsweep --device "$fabric" "${words[@]}" >out 2>err || { cat err; return 1; }
		rest out >all
		grep -v '^filled$' all >got
		[[ -s got && -z $(tail -c 1 got) ]] || { echo "$how ${words[*]}: a line is cut"; return 1; }
		[[ " ${words[*]} " != *' -j '* ]] || jq -es 'all(.schema == "madkit/1")' got
	done <<-'END'
		INT -j
		TERM -j
		HUP -j
		deadline -j
		TERM --sort guid
		deadline
		TERM -f table --fields node.name,number,peer.node.name
		deadline --topology
		TERM --topology
		deadline Get PortCounters
		TERM -j Get PortCounters
		deadline --via sa
		TERM -j --route h1-1,h8-16 --both
		deadline --clear PortCounters --select 'number > 0' --yes
	END
	# what a signal left undone, or perhaps done, is said of each port
	filled out
	matrix_one TERM madsweep --device "$fabric" --clear PortCounters --select 'node.type == Switch' --yes >out 2>err
	exec {held}>&-
	[[ $(grep -cE 'was cleared, but that could not be written|may have been cleared' err) -gt 3 ]] || { cat err; return 1; }
}

@test "B2: madsweep: a stalled reader of standard error" {
	local how words
	while read -r how words; do
		filled err
		# matrix.py itself could not report the error
		# shellcheck disable=SC2086  # several words
		timeout 600 python3 "$BATS_TEST_DIRNAME/../matrix.py" "$how" madsweep \
			--device 'sim:fat-tree:8,16,4,control=fault drop class=PerfMgt' $words >/dev/null 2>err 3>&- || { echo "$how $words: $?"; return 1; }
		exec {held}>&-
	done <<-'END'
		INT -d
		TERM -v -t 10 Get PortCounters
	END
	# the sweep is complete at the deadline, its trace is not
	filled err
	timeout 60 madsweep --device sim:fat-tree:8,16,4 -j -d --deadline 300 >out 2>err {held}>&-
	exec {held}>&-
}

@test "B11: open() of a named pipe that no other process opens" {
	while read -r -a command; do
		matrix_row "${command[@]}" >/dev/null 2>err || { cat err; return 1; }
	done <<-'END'
		madrecv -r fifo
		madrecv -r mad -w fifo
		madsend -z fifo --dry-run Get NodeInfo
		madpoll -z fifo --class 9
		madreg -z fifo --class 9
		madsend --batch fifo --dry-run
		madsend --dry-run --class 0x32 --oui 1 Send 0x10 data=@fifo
		madsend --device sim:fifo Get NodeInfo
		madrecv --device sim:fifo --class 9
		madsend --device sim:fat-tree:2,2,1 --name x --node-name-map fifo Get NodeInfo
		madsweep --device sim:fifo
		madsweep --device sim:fat-tree:2,2,1 --m-key @fifo
		madsweep --device sim:fat-tree:2,2,1 --node-name-map fifo
		madsim fifo --socket socket
		madsim fat-tree:2,2,1 --socket socket --events fifo
	END
}

@test "B11: a pipe that is open and delivers nothing" {
	held quiet
	while read -r -a command; do
		matrix_row "${command[@]}" <quiet >/dev/null 2>err || { cat err; return 1; }
	done <<-'END'
		madrecv -r -
		madrecv -r quiet
		madsend -z quiet --dry-run Get NodeInfo
		madsend --batch - --dry-run
		madsend --dry-run --class 0x32 --oui 1 Send 0x10 data=@quiet
		madsend --device sim:quiet Get NodeInfo
		madsend --device sim:fat-tree:2,2,1 --name x --node-name-map quiet Get NodeInfo
		madsweep --device sim:quiet
		madsweep --device sim:fat-tree:2,2,1 --m-key @quiet
		madsweep --device sim:fat-tree:2,2,1 --node-name-map quiet
		madsim - --socket socket
		madsim quiet --socket socket
	END
}

@test "B11: input that is awaited or read on a fabric whose time is virtual: signals and the deadline" {
	held quiet
	for input in - quiet; do
		matrix_row madsend --device sim:fat-tree:2,2,1 --batch "$input" <quiet >/dev/null 2>err || { cat err; return 1; }
	done
	# input that holds no request does not advance the clock
	run -3 timeout 60 bash -c "yes '' 2>/dev/null | madsend --device sim:fat-tree:2,2,1 --batch - --deadline 200"
	[[ $output == *"the deadline has passed: the rest of the input was not read"* ]]
}

@test "B11: signals end a wait with a timeout in virtual time" {
	# the sweeps of two million seconds take more than a minute
	for how in INT:130 TERM:143 HUP:129; do
		start=$EPOCHREALTIME
		run -"${how#*:}" timeout --preserve-status --foreground -k 60 -s "${how%:*}" 0.5 madsend \
			--device 'sim:fat-tree:2,2,1,sweep=1,control=agent leaf1 mute' -t 2000000000 -D 0,1 Get NodeInfo
		((${EPOCHREALTIME/./} - ${start/./} < 40000000))
	done
}

@test "B11: on a fabric whose time is virtual, requests that are there have their time" {
	# 38 ms of the fabric's, and more than the deadline of any machine's, which a slow start takes a part of
	yes '{"header":{"method":"Get","attribute":"NodeInfo"},"remote":{"path":"0"}}' | head -n 60000 >batch
	timeout 600 madsend --device sim:fat-tree:2,2,1 --batch batch -j --deadline 300 >answers 2>err || { cat err; return 1; }
	[[ $(wc -l <answers) == 60000 && ! -s err ]]
}

@test "B11: the deadline ends what delivers without end" {
	run -3 timeout 60 bash -c 'yes "# nothing" | madrecv -r - --deadline 200'
	run -3 timeout 60 bash -c 'yes "# nothing" | madsweep --device sim:fat-tree:2,2,1 --m-key @/dev/stdin --deadline 200'
	run -3 timeout 60 bash -c "while cat many; do :; done 2>/dev/null | madrecv -r - -f raw --deadline 200 >/dev/null"
}

@test "B11: a pipe that stalls within a line, and a line without end" {
	for begin in '0000: 01 81' "$(head -c 30000 /dev/zero | tr '\0' x)"; do
		for how in INT TERM deadline; do
			matrix_one "$how" madrecv -r - < <(printf '%s' "$begin"; exec sleep 20) >/dev/null
		done
	done
	run -3 timeout 60 bash -c "yes x | tr -d '\n' | madrecv -r - --deadline 200"
	run -130 timeout 60 bash -c "set -o pipefail; yes x | tr -d '\n' | timeout --preserve-status --foreground -s INT 0.5 madrecv -r -; exit \${PIPESTATUS[2]}"
	# 10 MB
	{ echo hello; yes x | head -c 20000000 | tr -d '\n'; echo; madsend --dry-run -L 9 Get NodeInfo -f hex; } >long
	run -0 --separate-stderr timeout 60 bash -c "madrecv -r long -j --fields header.method"
	[[ $output == '{"header":{"method":"Get"}}' && $stderr == *": 2 lines skipped, "* ]]
}

@test "B11: SIGALRM that is blocked or ignored at the start stops neither the deadline nor a signal" {
	mkfifo silent
	for how in 'signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGALRM])' 'signal.signal(signal.SIGALRM, signal.SIG_IGN)'; do
		python3 -c "import os, signal, sys; $how; os.execvp(sys.argv[1], sys.argv[1:])" madrecv -r silent --deadline 300 3>&- &
		pid=$!
		matrix_slept "$pid" 1300
		status=0
		wait "$pid" || status=$?
		((status == 3))
		# COMMAND has it as it was
		run -0 --separate-stderr env ${MADKIT_PRELOAD:+LD_PRELOAD="$MADKIT_PRELOAD"} ASAN_OPTIONS="${ASAN_OPTIONS:-}:detect_leaks=0" \
			timeout 60 python3 -c "import os, signal, sys; $how; os.execvp(sys.argv[1], sys.argv[1:])" \
			madsim "$BATS_TEST_DIRNAME/../data/topologies/small.net" -- grep -E 'Sig(Blk|Ign)' /proc/self/status
		blocked=0x${lines[0]#*:?} ignored=0x${lines[1]#*:?}
		if [[ $how == *BLOCK* ]]; then
			(((blocked & 0x2000) && !(ignored & 0x2000)))
		else
			(((ignored & 0x2000) && !(blocked & 0x2000)))
		fi
	done
}

@test "B11: a node name map that nothing is written to: the message is about the map" {
	held quiet
	run -3 --separate-stderr timeout 60 madsend --device sim:fat-tree:2,2,1 --name x --node-name-map quiet --deadline 100 -j Get NodeInfo
	[[ $stderr == "madsend: cannot read the node name map quiet: nothing was written to it in time" ]] || { echo "$stderr"; return 1; }
	[[ $(jq -r .kind <<<"$output") == timeout ]]
}

@test "B11: a prompt for a key" {
	held quiet
	run -3 timeout 60 script -qec 'madsend --deadline 300 -y ask --dry-run Get NodeInfo' /dev/null <quiet
	run -3 timeout 60 script -qec 'madsend -y ask --deadline 300 --dry-run Get NodeInfo' /dev/null <quiet
	[[ $output == *"no M_Key was typed"* ]]
}

@test "B11: signals at the prompt for a key end the command, and the terminal echoes again" {
	timeout -k 1 60 python3 - madsend -y ask --dry-run Get NodeInfo <<-'END'
	import os, pty, select, signal, sys, termios, time
	def read(fd, until):
	    text, end = b'', time.monotonic() + 60
	    while until not in text and time.monotonic() < end:
	        if select.select([fd], [], [], 1)[0]:
	            text += os.read(fd, 1000)
	    assert until in text, text
	def echoes(fd):
	    return bool(termios.tcgetattr(fd)[3] & termios.ECHO)
	for how in signal.SIGINT, signal.SIGTERM, signal.SIGHUP, None:
	    master, slave = pty.openpty()
	    start = time.monotonic()
	    pid = os.fork()
	    if not pid:
	        os.login_tty(slave) if hasattr(os, 'login_tty') else (os.setsid(), os.dup2(slave, 0), os.dup2(slave, 1),
	            os.dup2(slave, 2), os.close(os.open(os.ttyname(0), os.O_RDWR)))
	        for each in signal.SIGINT, signal.SIGTERM, signal.SIGHUP:
	            signal.signal(each, signal.SIG_DFL)
	        os.execvp(sys.argv[1], sys.argv[1:] + ([] if how else ['--deadline', '500']))
	    read(master, b'M_Key: ')
	    while how and echoes(slave):
	        time.sleep(.005)
	        assert time.monotonic() < start + 60
	    if how:
	        os.kill(pid, how)
	    status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
	    assert status == (128 + how if how else 3), (how, status)
	    assert echoes(slave), how
	    os.close(master)
	    os.close(slave)
	END
}

@test "B2: signals that are not for stopping do not end anything" {
	held quiet
	madrecv -r quiet -f raw >got 3>&- {held}>&- &
	pid=$!
	matrix_blocked "$pid"
	kill -WINCH "$pid"
	kill -CHLD "$pid"
	kill -STOP "$pid"
	kill -CONT "$pid"
	cat mad >quiet
	exec {held}>&-
	wait "$pid"
	cmp got mad
}
