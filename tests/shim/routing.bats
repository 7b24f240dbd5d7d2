#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Routes of the built-in subnet manager, as dump_fts of infiniband-diags reads them from the switches.
# routes.py checks them.

load common

teardown() { serve_end; }

# checks TOPOLOGY LINE: what routes.py prints.
checks() {
	serve "$1"
	until_true 60 port_is_active ''
	on '' ibnetdiscover >"$SERVED_DIR/net"
	on '' dump_fts >"$SERVED_DIR/fts"
	run -0 python3 "$BATS_TEST_DIRNAME/routes.py" "$SERVED_DIR/net" "$SERVED_DIR/fts"
	# shellcheck disable=SC2053  # a pattern
	[[ $output == $2 ]] || { echo "$output"; return 1; }
}

@test "E6: a fat tree of 504 nodes: balanced by end ports, no credit loops, with the LIDs of switches" {
	# 17 other leaves with 26 hosts each, by 18 cables: 24.6
	checks fat-tree:18,26,18 'unreachable=0 loops=0 detours=0 load=24-25 shared=0'
}

# three_levels PODS: pods of 3 leaves with 4 hosts each and 2 switches above, which have 2 core switches each.
three_levels() {
	awk -v pods="$1" '
		function cable(a, ap, b, bp) { line[a] = line[a] sprintf("[%d]\t\"%s\"[%d]\t\t# \"\" lid 0 4xEDR\n", ap, b, bp)
			line[b] = line[b] sprintf("[%d]\t\"%s\"[%d]\t\t# \"\" lid 0 4xEDR\n", bp, a, ap) }
		BEGIN {
			for (p = 0; p < pods; p++) for (l = 0; l < 3; l++) {
				for (h = 1; h <= 4; h++) cable("S-" 300 + p * 10 + l, h, "H-" 1000 + p * 100 + l * 10 + h, 1)
				for (a = 0; a < 2; a++) cable("S-" 300 + p * 10 + l, 5 + a, "S-" 200 + p * 10 + a, 1 + l)
			}
			for (p = 0; p < pods; p++) for (a = 0; a < 2; a++) for (c = 0; c < 2; c++)
				cable("S-" 200 + p * 10 + a, 4 + c, "S-" 100 + a * 10 + c, 1 + p)
			for (id in line)
				printf "%s\t%d \"%s\"\t\t# \"%s HCA-1\"\n%s\n", id ~ /^S/ ? "Switch" : "Ca", id ~ /^S/ ? 8 : 1, id, id, line[id]
		}'
}

@test "E6: three levels of switches" {
	three_levels 5 >"$BATS_TEST_TMPDIR/tree.net"
	checks "$BATS_TEST_TMPDIR/tree.net" 'unreachable=0 loops=0 detours=0 load=28-28 shared=0'
}

@test "E6: each of the four LIDs of an end port (LMC 2) goes by a cable of its own" {
	madsim --generate fat-tree:4,3,4 >"$BATS_TEST_TMPDIR/tree.net"
	sed -i '/^Ca/,/^$/s/# lid [0-9]* lmc 0/# lid 0 lmc 2/' "$BATS_TEST_TMPDIR/tree.net"
	checks "$BATS_TEST_TMPDIR/tree.net" 'unreachable=0 loops=0 detours=0 load=9-9 shared=0'
	(($(grep -c 'path #4 out of 4' "$SERVED_DIR/fts") == 8 * 12))
}

@test "routes.py finds credit loops in a ring" {
	for i in 0 1 2 3 4 5; do
		printf 'Switch\t3 "S-%d"\t\t# "s%d"\n[1]\t"H-%d"[1]\t\t# "" lid 0 4xEDR\n' "$i" "$i" "$i"
		printf '[2]\t"S-%d"[3]\t\t# "" lid 0 4xEDR\n[3]\t"S-%d"[2]\t\t# "" lid 0 4xEDR\n\n' $(((i + 1) % 6)) $(((i + 5) % 6))
		printf 'Ca\t1 "H-%d"\t\t# "h%d HCA-1"\n[1]\t"S-%d"[1]\t\t# "" lid 0 4xEDR\n\n' "$i" "$i" "$i"
	done >"$BATS_TEST_TMPDIR/ring.net"
	checks "$BATS_TEST_TMPDIR/ring.net" 'unreachable=0 loops=12 detours=0 *'
}
