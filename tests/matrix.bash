# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Every wait of every command ends on a signal and at the deadline: what the tables of
# tests/cli/matrix.bats and tests/sim/matrix.bats share.

# The limits of a row, in ms: after the signal, and after the start for the deadline. A sanitized build on a busy
# machine starts slowly.
matrix_deadline=150
matrix_signal_max=1000
matrix_deadline_max=$((matrix_deadline + 1000 + ${MATRIX_SLACK:-1000}))

matrix_now() { echo $((${EPOCHREALTIME/./} / 1000)); }

# matrix_blocked PID: returns when the process sleeps in a system call and stays there.
matrix_blocked() {
	local at last='' same=0
	for _ in {1..2000}; do
		{ read -r at </proc/"$1"/stat; } 2>/dev/null || { echo "it has ended" >&2; return 1; }
		# state, and the time that it has used
		at=${at##*) }
		read -ra at <<<"$at"
		at="${at[0]} ${at[11]} ${at[12]}"
		if [[ $at == S* && $at == "$last" && $(</proc/"$1"/comm) == mad* ]]; then
			((++same < 4)) || return 0
		else
			same=0
		fi
		last=$at
		read -rt 0.005 <> <(:) || :
	done
	echo "it does not block" >&2
	return 1
}

# matrix_one HOW COMMAND...: HOW is a signal or "deadline". Standard streams are the caller's.
matrix_one() {
	local how=$1 pid status=0 start took want
	shift
	if [[ $how == deadline ]]; then
		start=$(matrix_now)
		timeout -k 1 20 "$1" --deadline "$matrix_deadline" "${@:2}" <&0 3>&- &
		pid=$! want=3
	else
		env --default-signal=INT,TERM,HUP "$@" <&0 3>&- &
		pid=$! want=$((128 + $(kill -l "$how")))
		matrix_blocked "$pid" || { kill -9 "$pid" 2>/dev/null; return 1; }
		start=$(matrix_now)
		kill -s "$how" "$pid" || { wait "$pid" || status=$?; echo "# $how: $*: ended by itself, status $status" >&2; return 1; }
		# ended by SIGKILL: at any other signal, a subshell that has just been forked runs the traps of bats
		(read -rt 10 <> <(:) || kill -9 "$pid" 2>/dev/null) 3>&- &
		watchdog=$!
	fi
	wait "$pid" || status=$?
	took=$(($(matrix_now) - start))
	[[ $how == deadline ]] || { kill -KILL "$watchdog" && wait "$watchdog"; } 2>/dev/null || :
	[[ $status == "$want" ]] || { echo "# $how: $*: status $status, not $want" >&2; return 1; }
	if [[ $how == deadline ]]; then
		((took <= matrix_deadline_max))
	else
		((took <= matrix_signal_max))
	fi || { echo "# $how: $*: took $took ms" >&2; return 1; }
}

# matrix_row COMMAND...: ended by each signal and by the deadline.
matrix_row() {
	local how
	for how in INT TERM HUP deadline; do
		matrix_one "$how" "$@"
	done
}

# held NAME: makes a named pipe that has both ends and that nothing reads or writes. It is open as $held.
held() {
	rm -f "$1"
	mkfifo "$1"
	exec {held}<>"$1"
}

# rest NAME: prints what is in the pipe, and closes it.
rest() {
	local end
	exec {end}<"$1" {held}>&-
	cat <&"$end"
	exec {end}<&-
}
