#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Programs that read the output of ibnetdiscover get the same fabric of madsweep --topology (consumers.py).

load common

teardown() { serve_end; }

# links NODE: node and peer of each link of a switch, by madsweep -j, with the data rate of its ports
links() {
	on "$1" madsweep -q -j | jq -r '
		def id: {CA: "H", Switch: "S", Router: "R"}[.type] + "-" + .guid[2:];
		def rate: {SDR: 2, DDR: 4, QDR: 8, FDR10: 10, FDR: 13.64, EDR: 25, HDR: 50, NDR: 100, XDR: 200};
		select(.kind == "port").port | select(.peer and .number > 0) |
		"\(.node | id) \(.peer.node | id) \((.width | rtrimstr("x") | tonumber) * rate[.speed])"'
}

# read_alike TOPOLOGY NODE
read_alike() {
	local consumer dir=$BATS_TEST_TMPDIR
	serve "$1"
	until_true 60 port_is_active "$2"
	on "$2" ibnetdiscover >"$dir/theirs"
	on "$2" madsweep -q --topology >"$dir/ours"
	for consumer in tree graph; do
		python3 "$BATS_TEST_DIRNAME/consumers.py" "$consumer" "$dir/theirs" >"$dir/theirs.$consumer"
		python3 "$BATS_TEST_DIRNAME/consumers.py" "$consumer" "$dir/ours" >"$dir/ours.$consumer"
		diff "$dir/theirs.$consumer" "$dir/ours.$consumer"
	done
	links "$2" >"$dir/links"
	serve_end
	# links of switches
	diff <(sed -E 's/ \([^)]*\) ([SHR]-[0-9a-f]*) .*/ \1/' "$dir/ours.tree" | sort) <(sed -nE 's/^(S-.*) [^ ]*$/\1/p' "$dir/links" | sort)
	# links of all nodes but routers, which it does not know
	diff "$dir/ours.graph" <(awk '$1 !~ /^R/ { sum[$1 " " $2] += $3 } END { for (pair in sum) print pair, sum[pair] }' "$dir/links" | sort)
}

@test "topograph and ibtopotool: a dump of a real fabric" {
	read_alike "$TOPOLOGIES/real.dump" 'old4 HCA-1'
	# the names of hosts and managed switches are found
	grep -qF '(leaf1) H-5a00000000010000 (gpu01)' "$BATS_TEST_TMPDIR/ours.tree"
	(($(wc -l <"$BATS_TEST_TMPDIR/ours.graph") > 50))
}

@test "topograph and ibtopotool: a fat tree" {
	read_alike fat-tree:6,4,3 ''
	(($(wc -l <"$BATS_TEST_TMPDIR/ours.tree") == 6 * 4 + 2 * 6 * 3))
}

@test "topograph and ibtopotool: several adapters in a host, and names that are no host's" {
	read_alike "$TOPOLOGIES/hosts.net" 'MT25408 ConnectX Mellanox Technologies'
	grep -qF '(node17)' "$BATS_TEST_TMPDIR/ours.tree"
}
