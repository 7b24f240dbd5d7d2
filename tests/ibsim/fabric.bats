#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# The fabric itself, without madkit: what the other files here rely on.

load common

attached() { console Attached | grep -c '^Client'; }

only_opensm() { (($(attached) == 1)); }

link_is() { on node1 smpquery portinfo -D 0,1 2 | grep -q "^LinkState:.*\.$1\$"; }

@test "a program sees the fabric from the node it runs on" {
	run -0 on node1 smpquery nodedesc -D 0
	[[ $output == *node1\ HCA-1 ]]
	run -0 on "node4 HCA-1" smpquery nodedesc -D 0
	[[ $output == *node4\ HCA-1 ]]
}

@test "the exit status of a program is handed on" {
	run -3 on node1 bash -c 'exit 3'
}

@test "console commands answer" {
	run -0 console 'Dump "leaf1"'
	[[ $output == *'Switch 8 "leaf1"'*'dumped 1 nodes' ]]
	run -0 console 'PerformanceSet "node2"[1] PortCounters.SymbolErrorCounter=7'
	[[ $output == *'has been set to 7' ]]
}

@test "a cable comes out and goes in again" {
	link_is Active
	console 'Unlink "node3"[1]'
	until_true 60 link_is Down
	console 'ReLink "node3"[1]'
	until_true 60 link_is Active
}

@test "a program that takes too long ends with 124 and gives its place back" {
	FABRIC_TIMEOUT=1 run -124 on node1 ibping -S
	[[ $output == *'took more than 1 s: ibping -S'* ]]
	only_opensm
}

@test "twelve killed programs do not fill ten places" {
	for _ in {1..12}; do
		spawn killed node1 ibping -S
		until_true 60 two_attached
		# bash reports a killed job on standard error
		{ kill -KILL "$FABRIC_JOB" && finish "$FABRIC_JOB"; } 2>/dev/null
		((FABRIC_STATUS == 137))
	done
	only_opensm
}

two_attached() { (($(attached) == 2)); }

@test "a spawned program can be interrupted" {
	spawn interrupted node1 ibping -S
	until_true 60 two_attached
	kill -INT "$FABRIC_JOB"
	finish "$FABRIC_JOB"
	((FABRIC_STATUS == 130))
}

@test "a topology that does not exist is refused" {
	run -1 fabric_start /nonexistent.net
	[[ $output == 'fabric: cannot read /nonexistent.net' ]]
}

# A separate script, ended by a signal: is anything left afterwards?
ended_by() {
	local script pid dir
	# shellcheck disable=SC2016  # for the inner shell to expand
	script='. "$1/fabric.sh"; fabric_stop_on_exit
		fabric_start "$1/../data/topologies/small.net"
		echo "$FABRIC_DIR $FABRIC_IBSIM $FABRIC_OPENSM" >"$2"
		while :; do sleep 0.1; done'
	env --default-signal=INT bash -c "$script" - "$BATS_TEST_DIRNAME" "$BATS_TEST_TMPDIR/started" 3>&- &
	pid=$! ibsim='' opensm=''
	until_true 60 test -s "$BATS_TEST_TMPDIR/started"
	read -r dir ibsim opensm <"$BATS_TEST_TMPDIR/started"
	kill -"$1" "$pid"
	until_true 60 fabric_gone "$pid"
	until_true 60 fabric_gone "$ibsim"
	until_true 60 fabric_gone "$opensm"
	[[ $1 == KILL ]] && rm -rf "$dir"
	[[ ! -e $dir ]]
}

@test "nothing is left after SIGTERM" {
	ended_by TERM
}

@test "nothing is left after SIGINT" {
	ended_by INT
}

@test "no process is left after SIGKILL" {
	ended_by KILL
}
