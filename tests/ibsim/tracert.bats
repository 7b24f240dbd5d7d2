#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# madsweep --route in a fabric of ibsim, compared with ibtracert and ibroute.

load common
load ../shim/forwarding
# shellcheck source=tests/tracert.bash
. "$BATS_TEST_DIRNAME/../tracert.bash"

@test "all pairs of a small fabric" {
	on node1 bash -c 'pairs 10'
}

@test "a route and the route back" {
	run -0 --separate-stderr on node1 madsweep --route node1,node2 --both
	# opensm writes the tables
	(($(grep -Ec ': arrives: [0-9]+ hops, MTU [0-9]+, P_Key 0x7fff, SL 0 on VL 0$' <<<"$output") == 2))
	[[ $output != *'not read'* && $stderr != *'not known'* ]]
}

@test "forwarding tables, and routes that follow them" {
	# tables of the SA are cut off by ibsim after their first packet
	forwarding_agrees node1 4 smp
}
