#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Sweeps of the built-in subnet manager.

load common

setup_file() {
	serve "$TOPOLOGIES/small.net" --sm node4 --sweep 1
	until_true 60 port_is_active node1
	madsim --control "$SERVED_SOCKET" fault drop method=Trap
}

# The nodes that the subnet administrator has.
nodes_are() { (($(on node4 saquery NR | grep -c 'NodeRecord dump') == $1)); }

@test "a sweep finds a change, although the traps were lost" {
	nodes_are 6
	madsim --control "$SERVED_SOCKET" link node1 1 down
	until_true 60 nodes_are 5
	madsim --control "$SERVED_SOCKET" link node1 1 up
	until_true 60 nodes_are 6
	until_true 60 port_is_active node1
}

@test "--sweep 1: without a subnet manager, or with a number that is none" {
	run -2 madsim "$TOPOLOGIES/small.net" --no-sm --sweep 1 -- true
	[[ $output == *'--sweep and --no-sm contradict each other'* ]]
	run -2 madsim "$TOPOLOGIES/small.net" --sweep 1.5 -- true
	run -2 madsim "$TOPOLOGIES/small.net" --sweep 86401 -- true
}
