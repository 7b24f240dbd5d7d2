#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# madsweep --route and --mlid, compared with ibtracert.

load common

# shellcheck source=tests/tracert.bash
. "$BATS_TEST_DIRNAME/../tracert.bash"

compare() { SERVED_TIMEOUT=120 on '' bash -c 'pairs "$@"' - "$@"; }

teardown() { serve_end; }

# torus N: N x N switches, each with a host.
torus() {
	awk -v n="$1" '
		function node(x, y) { return "S-" 1000 + (x + n) % n * 100 + (y + n) % n }
		BEGIN {
			for (x = 0; x < n; x++) for (y = 0; y < n; y++) {
				host = "H-" 5000 + x * 100 + y
				printf "Switch\t5 \"%s\"\t\t# \"s%d-%d\"\n", node(x, y), x, y
				printf "[1]\t\"%s\"[1]\t\t# \"\" lid 0 4xEDR\n", host
				printf "[2]\t\"%s\"[3]\t\t# \"\" lid 0 4xEDR\n", node(x + 1, y)
				printf "[3]\t\"%s\"[2]\t\t# \"\" lid 0 4xEDR\n", node(x - 1, y)
				printf "[4]\t\"%s\"[5]\t\t# \"\" lid 0 4xEDR\n", node(x, y + 1)
				printf "[5]\t\"%s\"[4]\t\t# \"\" lid 0 4xEDR\n\n", node(x, y - 1)
				printf "Ca\t1 \"%s\"\t\t# \"h%d-%d HCA-1\"\n[1]\t\"%s\"[1]\t\t# \"\" lid 0 4xEDR\n\n", \
					host, x, y, node(x, y)
			}
		}'
}

# managed TOPOLOGY ARGUMENT...: opensm manages it.
managed() {
	serve "$1" --no-sm
	opensm_start manager '' "${@:2}"
	until_true 60 opensm_says manager 'SUBNET UP'
	until_true 60 port_is_active ''
}

@test "the built-in subnet manager: all pairs of a fat tree" {
	serve fat-tree:4,3,2
	until_true 60 port_is_active ''
	compare 5
}

@test "opensm, minhop: a fat tree" {
	managed fat-tree:6,4,3 -R minhop
	compare 5
}

@test "opensm, updn and LMC 1: path bits are honoured" {
	managed fat-tree:4,3,2 -R updn -l 1
	compare 5 1
}

@test "opensm, ftree; and by the tables of its SA" {
	managed fat-tree:4,3,2 -R ftree
	compare 5
	VIA=sa compare 5
}

@test "opensm, dfsssp: a torus" {
	torus 4 >"$BATS_TEST_TMPDIR/torus.net"
	managed "$BATS_TEST_TMPDIR/torus.net" -R dfsssp
	compare 5
}

@test "opensm, minhop: a torus" {
	torus 5 >"$BATS_TEST_TMPDIR/torus.net"
	managed "$BATS_TEST_TMPDIR/torus.net" -R minhop
	compare 5
}

# The tree that connects hosts of 4 leaf switches.
@test "opensm: a multicast group" {
	managed fat-tree:4,3,2
	local host lid members=()
	for host in h1-1 h1-3 h2-2 h4-1; do
		lid=$(($(port_file "$host HCA-1" lid)))
		members+=("$lid")
		on "$host HCA-1" madsend -q Set MCMemberRecord MGID=ff12:401b:ffff::ffff:ffff \
			"PortGID=$(on "$host HCA-1" madsweep -q -j --hops 1 --select "lid == $lid" | jq -r '.port.guid // empty' | gid)" \
			JoinState=1 >/dev/null
	done
	tree_is_whole() { (($(on '' madsweep -q --mlid 0xc000 -j | jq 'select(.hop.notes == ["member"])' | jq -s length) == 4)); }
	until_true 30 tree_is_whole
	on '' bash -c 'trees "$@"' - 0xc000 "${members[@]}" >"$SERVED_DIR/theirs"
	run -0 --separate-stderr on '' madsweep --mlid 0xc000 -j
	jq -r 'select(.hop) | "\(.port.lid) \(.port.number)"' <<<"$output" | sort -u >"$SERVED_DIR/ours"
	(($(wc -l <"$SERVED_DIR/ours") > 8))
	diff "$SERVED_DIR/theirs" "$SERVED_DIR/ours"
	diff "$SERVED_DIR/ours" <(on '' madsweep --via sa --mlid 0xc000 -j | jq -r 'select(.hop) | "\(.port.lid) \(.port.number)"' | sort -u)
}

gid() { sed -E 's/0x(....)(....)(....)(....)/fe80::\1:\2:\3:\4/'; }
