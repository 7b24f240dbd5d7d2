#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# A fat tree of 108 nodes.

load common

export TOPOLOGY=tree

@test "nodes near and far are as smpquery sees them" {
	for path in 0 0,1 0,1,12 0,1,{13..16} 0,1,13,{2..8} 0,1,16,8,12; do
		same 12 smpquery nodeinfo -D "$path" -- -D "$path" Get NodeInfo
	done
}

@test "a path across the tree is the one opensm gives saquery" {
	from=$(lid_of 0 1) to=$(lid_of 0,1,16,8,12 1)
	diff <(on h1-1 saquery PR --src-to-dst "$from:$to" | record_dots | grep -v ^resv) \
		<(on h1-1 madsend -j Get PathRecord SLID="$from" DLID="$to" NumbPath=1 | path_as_saquery)
}
