#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# The examples of the library's manual pages that ask a fabric, on node1 of the small topology.

load common
load ../examples

setup_file() {
	examples_build fabric
	start_fabric
}

# shellcheck disable=SC2034  # read by session
setup() { example_prefix="on node1 $EXAMPLES/"; }

@test "every example that asks a fabric does what its manual page shows" { sessions fabric 3; }
