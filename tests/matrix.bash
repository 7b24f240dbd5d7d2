# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Every wait of every command ends on a signal and at the deadline: what the tables of
# tests/cli/matrix.bats and tests/sim/matrix.bats share.

matrix_now() { echo $((${EPOCHREALTIME/./} / 1000)); }

# matrix_slept PID LIMIT: waits until the process has ended, and fails if it slept for more than LIMIT ms (by default as long as
# matrix.py allows after a signal) since the call.
matrix_slept() {
	local ms
	ms=$(python3 "$BATS_TEST_DIRNAME/../matrix.py" slept "$1") || return
	((ms <= ${2:-1000})) || { echo "slept for $ms ms"; return 1; }
}

# matrix_blocked PID: returns when the process sleeps in a system call and stays there.
matrix_blocked() { python3 "$BATS_TEST_DIRNAME/../matrix.py" blocked "$1"; }

# matrix_one HOW COMMAND...: HOW is a signal or "deadline". Standard streams are the caller's.
matrix_one() { python3 "$BATS_TEST_DIRNAME/../matrix.py" "$@" 3>&-; }

# matrix_row COMMAND...: ended by each signal and by the deadline.
matrix_row() { matrix_one INT,TERM,HUP,deadline "$@"; }

# held NAME: makes a named pipe that has both ends and that nothing reads or writes. It is open as $held.
held() {
	rm -f "$1"
	mkfifo "$1"
	exec {held}<>"$1"
}

# filled NAME: the same, with room for 8 KiB. The commands enlarge a pipe to 1 MiB.
filled() {
	held "$1"
	# 1031: F_SETPIPE_SZ
	perl -e 'fcntl(STDOUT, 1031, 1 << 20) or die; print "filled\n" x (((1 << 20) - 8192) / 7)' >&"$held"
}

# rest NAME: prints the content of the pipe, and closes it.
rest() {
	local end
	exec {end}<"$1" {held}>&-
	cat <&"$end"
	exec {end}<&-
}
