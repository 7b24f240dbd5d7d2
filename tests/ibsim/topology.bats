#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Files of madsweep --topology, from fabrics of madsim, as fabrics of ibsim.

load common
load ../shim/links

setup_file() { :; }
teardown() { fabric_stop; }

# simulate TOPOLOGY: in ibsim, as madsweep writes it. Leaves the file, and what infiniband-diags and madsweep write of that
# fabric, in $BATS_TEST_TMPDIR: written, others and ours.
simulate() {
	local dir=$BATS_TEST_TMPDIR
	madsweep -q --topology --device "sim:$1" >"$dir/written"
	# Hca is the word of ibsim for Ca: fabric_start looks for it
	sed 's/^Ca/Hca/' "$dir/written" >"$dir/net"
	fabric_start "$dir/net"
	on "$FABRIC_SM_NODE" ibnetdiscover >"$dir/others"
	on "$FABRIC_SM_NODE" madsweep -q --topology >"$dir/ours"
}

# The nodes of a file, each on a line, sorted: all but comments.
nodes_of() {
	sed '/^#/d' |
		awk 'BEGIN { RS = ""; FS = "\n" } { line = $1; for (i = 2; i <= NF; i++) line = line "|" $i; print line }' |
		sort
}

# The parts of a file that ibsim uses: not LIDs and LMCs, vendors and devices.
of_ibsim() { sed -E '/^(vendid|devid)=/d; s/ lid [0-9]+( lmc [0-9]+)?//g' | nodes_of; }

# Both ends of each cable of a file
cables_of() {
	sed -nE 's/^(Switch|Ca|Rt)[ \t]+[0-9]+ "([^"]*)".*/node \2/p; s/^\[([0-9]+)\](\([0-9a-f]+\))?[ \t]+"([^"]*)"\[([0-9]+)\].*/\1 \3 \4/p' |
		awk '$1 == "node" { node = $2; next } { print node, $0 }' | sort
}

@test "the same fabric, with widths and speeds: madsweep and ibnetdiscover print the same on ibsim" {
	local dir=$BATS_TEST_TMPDIR name
	for name in small.dump hosts.net tree.net; do
		simulate "$BATS_TEST_DIRNAME/../data/topologies/$name"
		links_agree "$FABRIC_SM_NODE"
		fabric_stop
		diff <(nodes_of <"$dir/others") <(nodes_of <"$dir/ours")
		diff <(of_ibsim <"$dir/written") <(of_ibsim <"$dir/ours")
	done
	(($(grep -cE '^(Switch|Ca)' "$dir/ours") == 108))
}

# ibsim has no speeds above EDR, ends descriptions at a quotation mark, and numbers the GUIDs of ports
@test "a dump of a real fabric has the same cables" {
	local dir=$BATS_TEST_TMPDIR
	simulate "$BATS_TEST_DIRNAME/../data/topologies/real.dump"
	links_agree "$FABRIC_SM_NODE"
	diff <(nodes_of <"$dir/others") <(nodes_of <"$dir/ours")
	cables_of <"$dir/ours" >"$dir/cables"
	(($(wc -l <"$dir/cables") == 100))
	diff <(cables_of <"$dir/written") "$dir/cables"
}
