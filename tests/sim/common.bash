# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# For the tests on fabrics that madsim serves. Loads in setup().

bats_require_minimum_version 1.5.0

. "$BATS_TEST_DIRNAME/../programs.sh"
unset MADKIT_DEVICE MADSIM_SOCKET MADSIM_NODE

# shellcheck disable=SC2034  # for the tests
topologies=$BATS_TEST_DIRNAME/../data/topologies
# a socket's path is short
dir=$(mktemp -d "${TMPDIR:-/tmp}/sim-XXXXXX")
socket=$dir/s
started=()

# start LOG PROGRAM [WORD...]: in the background, and waits for the first line on its standard error. Sets pid, which is
# that of the program, never that of a subshell that runs a function of this name: clean_up() ends it.
start() {
	local log=$dir/$1 line
	shift
	mkfifo "$log.err"
	(exec "$@") 2>"$log.err" >"$log.out" 3>&- &
	pid=$!
	started+=("$pid")
	exec {errors}<"$log.err"
	read -r -t 60 line <&"$errors" || { echo "$1 said nothing"; return 1; }
	echo "$line" >"$log.line"
}

# serve TOPOLOGY [OPTION...]: until the test ends.
serve() {
	start madsim madsim "$@" --socket "$socket" --banner
	[[ $(cat "$dir/madsim.line") == *"sim:unix:$socket" ]] || { cat "$dir/madsim.line"; return 1; }
	# shellcheck disable=SC2034
	madsim_pid=$pid
}

# on NODE COMMAND...
on() { MADKIT_DEVICE=sim:unix:$socket@$1 "${@:2}"; }

control() { madsim --control "$socket" "$@"; }

# stats NAME: a number of the server's
stats() { control stats | jq -r ".$1"; }

clean_up() {
	# CONT: a test that stopped one can fail before it continues it
	((!${#started[@]})) || kill "${started[@]}" 2>/dev/null || :
	((!${#started[@]})) || kill -CONT "${started[@]}" 2>/dev/null || :
	((!${#started[@]})) || wait "${started[@]}" 2>/dev/null || :
	rm -rf "$dir"
}
