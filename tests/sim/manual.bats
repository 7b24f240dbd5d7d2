#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# The examples of manual pages that need tables of the subnet administrator, run on node1 of the small topology.

load common
load ../manual

teardown() { clean_up; }

@test "the examples of madkit-expressions(7)" {
	cd "$BATS_TEST_TMPDIR" || return
	serve "$topologies/small.net"
	export MADKIT_DEVICE=sim:unix:$socket@node1
	run_examples madkit-expressions.7 5
}
