#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Each call that may fail fails, of commands on a served fabric: the simulator has all its memory.

setup() {
	load common
	load ../torture/torture.bash
	torture_build
	serve "$topologies/small.net"
	export MADKIT_DEVICE=sim:unix:$socket@node2
}

teardown() { clean_up; }

@test "X10: madpoll --delta: each call fails" {
	local how
	for how in error memory; do
		# counters that a quiet fabric does not change; with less memory they are not those of 32 bits
		torture $how madpoll Get PortCounters --delta -n 1 -i 0 -j --fields SymbolErrorCounter,VL15Dropped,header.attribute
		torture $how madpoll Get PortCounters --delta -n 1 -i 0 --fields SymbolErrorCounter,VL15Dropped
		torture $how madpoll Get PortCounters --delta -n 1 -i 0 -j --fields VL15Dropped --filter 'VL15Dropped == 0'
	done
}

@test "X10: a filter by =~ drops no record for want of memory" {
	local how
	for how in error memory; do
		torture $how madsend GetTable NodeRecord --filter 'NodeDescription =~ "node[12]"'
	done
}

@test "madpoll --until, --merge, a list of modifiers and a table: each allocation fails" {
	torture memory madpoll Get NodeInfo --until 'NumPorts == 2' -n 2 -i 0 --fields NumPorts
	torture memory madsend -L 2 -m 1 --merge --dry-run Set PortInfo LinkWidthEnabled=3
	torture memory madsend --name leaf1 -m all Get LFT -f table
	torture memory madsend GetTable PortInfoRecord -f table --fields CapMask,EndportLID
}
