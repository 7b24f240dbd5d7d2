#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# madwatch with opensm, twice: at node1 and at node3.

load common

setup() { serve "$TOPOLOGIES/small.net" --no-sm; }
teardown() { serve_end; }

control() { madsim --control "$SERVED_SOCKET" "$@"; }
master_is() { [[ $(on node4 sminfo 2>/dev/null) == "sminfo: sm lid $(($(port_file "$1" lid))) "*MASTER ]]; }

# watch [OPTION...]: on node4; its lines are in $SERVED_DIR/watch.out
watch() {
	spawn watch node4 madwatch --banner "$@"
	until_true 60 grep -qs 'watching the subnet' "$SERVED_DIR/watch.err"
}

# lines PATTERN: without times, one blank between words
lines() { sed -E 's/^[0-9-]{10} [0-9:]{8} //; s/ +/ /g' "$SERVED_DIR/watch.out" | grep -E -- "$1"; }
has_line() { lines "$1" >"$BATS_TEST_TMPDIR/lines"; }

@test "another subnet manager takes over, and is killed: a line each; links are watched all the time" {
	local second
	printf '%s\n' 'sminfo_polling_timeout 200' 'polling_retry_number 2' >"$SERVED_DIR/conf"
	opensm_start first node1 -p 1 -F "$SERVED_DIR/conf"
	until_true 60 opensm_says first 'SUBNET UP'
	watch
	control link node2 1 down
	until_true 20 has_line '^down leaf2/[0-9]+ <-> node2/1'
	opensm_start second node3 -p 9 -F "$SERVED_DIR/conf"
	second=$SERVED_JOB
	until_true 60 master_is node3
	until_true 20 has_line '^sm handover: LID [0-9]+ \(node3\) is master, was LID [0-9]+ \(node1\)$'
	until_true 60 opensm_says second 'SUBNET UP'
	control link node2 1 up
	until_true 20 has_line '^up leaf2/[0-9]+ <-> node2/1'
	kill -KILL "$second"
	until_true 60 master_is node1
	until_true 20 has_line '^sm .*LID [0-9]+ \(node1\) is master, was LID [0-9]+ \(node3\)$'
	[[ $(lines '^(down|up) ' | wc -l) == 2 ]] || { cat "$SERVED_DIR/watch.out"; return 1; }
	[[ $(lines '^sm handover' | wc -l) == 2 ]] || { cat "$SERVED_DIR/watch.out"; return 1; }
}

@test "opensm drops repeated traps: the last change of a link is seen all the same" {
	local i
	# it sweeps: of a trap that it drops, it learns nothing else
	opensm_start one node1 -s 3
	until_true 60 opensm_says one 'SUBNET UP'
	watch --every 2s
	for ((i = 0; i < 15; i++)); do
		control link node2 1 down
		control link node2 1 up
	done
	control link node2 1 down
	until_true 40 has_line '^(down leaf2/[0-9]+ <-> node2/1|(flapping|steady) leaf2/[0-9]+ <-> node2/1 .*now down$)'
	control link node2 1 up
	until_true 40 has_line '^(up leaf2/[0-9]+ <-> node2/1|steady leaf2/[0-9]+ <-> node2/1 .*now up$)'
}

# describe NODE TEXT: writes its description; its trap 144 is lost, as often as it is repeated
describe() {
	control fault drop node="$1" method=Trap >/dev/null
	# shellcheck disable=SC2016  # the shell's
	on "$1" bash -c 'echo -n "$1" >/sys/class/infiniband/$(ls /sys/class/infiniband | head -n 1)/node_desc' -- "$2"
}

@test "trap 145: the description and the GUID of its node are read" {
	local lid
	opensm_start one node1
	until_true 60 opensm_says one 'SUBNET UP'
	watch --every 10min
	lid=$(($(port_file node2 lid)))
	describe node2 'node2 renamed'
	on node3 madsend -L "$(($(port_file node1 lid)))" Trap SubnMgt:Notice IsGeneric=1 TrapNumber=145 Type=4 "IssuerLID=$lid" "LIDADDR=$lid"
	until_true 20 has_line '^renamed node2 now node2 renamed, was node2'
}
