#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# On a fabric each call that may fail fails, once: no crash, no hang, no place kept at the simulator,
# no wrong result with status 0.

# shellcheck disable=SC2154  # run sets output and stderr
load common

setup() {
	load ../torture/torture.bash
	torture_build
	export TORTURE_RUNNER=torture_on
}

# fabric.sh preloads this library into our programs, before the simulator's device. The device may
# crash, in a separate thread, when a response comes for an agent that is gone: a race, so that only
# a repeated failure is ours. If the response was not read, the device may wait for its thread
# endlessly in its exit handler: a program that has reported its error has already ended then.
torture_on() {
	local attempt status
	for attempt in 1 2 3 4 5; do
		status=0
		FABRIC_TIMEOUT=3 MADKIT_PRELOAD=$TORTURE on node2 "$@" || status=$?
		((status >= 124)) || break
		if ((status == 124 || status == 137)) &&
			grep -qE "^${1##*/}: .*(cannot send|cannot receive|the device is gone)" "$BATS_TEST_TMPDIR/err"; then
			status=1
			break
		fi
		((attempt < 5)) || break
		# its output is not ours
		truncate -s 0 "$BATS_TEST_TMPDIR/out" "$BATS_TEST_TMPDIR/err"
	done
	return "$status"
}

alone() { (($(console Attached | grep -c '^Client') == 1)); }

@test "a request: each call fails" {
	torture error madsend -D 0,1 -t 100 --fields data -j Get NodeInfo
	torture error madsend --name 'node1 HCA-1' -t 100 --fields NodeType Get NodeInfo
}

@test "a wait and a difference: each call fails" {
	torture error madpoll -D 0,1 -t 100 Get NodeInfo --until 'NumPorts==8' --fields data
	torture error madpoll --class PerfMgt --deadline 20
}

@test "a registration: each call fails" {
	torture error madreg --class PerfMgt
}

@test "interrupted calls change nothing" {
	torture intr madsend -D 0,1 -t 1000 --fields data -j Get NodeInfo
	torture intr madpoll -D 0,1 Get NodeInfo --until 'NumPorts==8' --fields data
}

@test "all of them gave their places back" {
	until_true 60 alone
}
