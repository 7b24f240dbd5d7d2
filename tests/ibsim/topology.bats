#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# A file of madsweep --topology, from a fabric of madsim, as the fabric of ibsim.

load common

# Hca is the word of ibsim for Ca: fabric_start looks for it.
setup_file() {
	madsweep -q --topology --device "sim:$BATS_TEST_DIRNAME/../data/topologies/small.dump" >"$BATS_FILE_TMPDIR/written"
	sed 's/^Ca/Hca/' "$BATS_FILE_TMPDIR/written" >"$BATS_FILE_TMPDIR/net"
	fabric_start "$BATS_FILE_TMPDIR/net"
}

# The nodes of a file, each on a line, sorted: all but comments.
nodes_of() {
	sed '/^#/d' |
		awk 'BEGIN { RS = ""; FS = "\n" } { line = $1; for (i = 2; i <= NF; i++) line = line "|" $i; print line }' |
		sort
}

# What ibsim reads of a file: not LIDs and LMCs, vendors and devices.
of_ibsim() { sed -E '/^(vendid|devid)=/d; s/ lid [0-9]+( lmc [0-9]+)?//g' | nodes_of; }

@test "madsweep and ibnetdiscover print the same on ibsim" {
	on "$FABRIC_SM_NODE" ibnetdiscover >"$BATS_TEST_TMPDIR/others"
	on "$FABRIC_SM_NODE" madsweep -q --topology >"$BATS_TEST_TMPDIR/ours"
	[[ $(grep -cE '^(Switch|Ca)' "$BATS_TEST_TMPDIR/ours") == 6 ]]
	diff <(nodes_of <"$BATS_TEST_TMPDIR/others") <(nodes_of <"$BATS_TEST_TMPDIR/ours")
	diff <(of_ibsim <"$BATS_FILE_TMPDIR/written") <(of_ibsim <"$BATS_TEST_TMPDIR/ours")
}
