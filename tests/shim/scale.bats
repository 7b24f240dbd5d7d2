#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# A fat tree of 504 nodes: tables that take RMPP, and opensm beside and after the built-in subnet
# manager.

load common

NODES=504

setup_file() {
	madsim --generate fat-tree:18,26,18 >"$BATS_FILE_TMPDIR/tree.net"
	serve "$BATS_FILE_TMPDIR/tree.net" --sm "h1-1 HCA-1"
	until_true 60 port_is_active "h18-26 HCA-1"
}

master_is() { [[ $(on "h9-9 HCA-1" sminfo) == *"sm lid $(($(port_file "$1" lid))) "*MASTER ]]; }

records() { on "h9-9 HCA-1" saquery "$1" | grep -c "$2 dump"; }

all_there() {
	(($(records NR NodeRecord) == NODES)) &&
		diff <(topology_of <"$BATS_FILE_TMPDIR/tree.net") <(on "h1-1 HCA-1" ibnetdiscover | topology_of) &&
		on "h1-1 HCA-1" ibqueryerrors | grep -q "Summary: $NODES nodes checked, 0 bad nodes found"
}

@test "the file that was generated has so many nodes" {
	(($(grep -cE '^(Switch|Ca)' "$BATS_FILE_TMPDIR/tree.net") == NODES))
}

@test "madsim TOPOLOGY -- saquery NR" {
	# others leak what they please
	LD_PRELOAD=${MADKIT_PRELOAD:-} run -0 madsim "$BATS_FILE_TMPDIR/tree.net" -- \
		env "ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0" saquery NR
	(($(grep -c 'NodeRecord dump' <<<"$output") == NODES))
}

@test "the built-in subnet manager" {
	master_is "h1-1 HCA-1"
	all_there
	# a cable has two ends: 468 hosts, 18 x 18 between switches
	(($(records LR LinkRecord) == 2 * (468 + 324)))
}

@test "opensm takes over from it, which is back when opensm ends" {
	opensm_start daemon "h2-3 HCA-1" -p 15
	until_true 60 opensm_says daemon 'SUBNET UP'
	until_true 60 master_is "h2-3 HCA-1"
	# it may sweep again, and leave a question unanswered meanwhile
	until_true 60 all_there
	{ kill -KILL "$SERVED_JOB"; } 2>/dev/null
	until_true 60 master_is "h1-1 HCA-1"
	until_true 60 all_there
}

@test "opensm alone" {
	# shellcheck disable=SC2034  # serve sets them
	local SERVED_DIR SERVED_SOCKET SERVED_PID
	serve "$BATS_FILE_TMPDIR/tree.net" --no-sm
	opensm_start daemon "h2-3 HCA-1"
	until_true 60 opensm_says daemon 'SUBNET UP'
	master_is "h2-3 HCA-1"
	all_there
	serve_end
}
