#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# madsweep --route in a fabric of ibsim, compared with ibtracert.

load common
# shellcheck source=tests/tracert.bash
. "$BATS_TEST_DIRNAME/../tracert.bash"

@test "all pairs of a small fabric" {
	on node1 bash -c 'pairs 10'
}

@test "a route and the route back" {
	run -0 --separate-stderr on node1 madsweep --route node1,node2 --both
	(($(grep -c arrives <<<"$output") == 2))
}
