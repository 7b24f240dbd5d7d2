#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# madsweep beside infiniband-diags, on ibsim with opensm.

load common
load ../shim/links

@test "nodes, links, widths and speeds are those of ibnetdiscover and iblinkinfo" {
	local node
	for node in node1 node4; do
		links_agree "$node"
	done
	(($(jq -s 'map(select(.port.peer)) | length' "$BATS_TEST_TMPDIR/swept") >= 10))
}
