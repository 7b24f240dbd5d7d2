#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# The nodes, links, widths and speeds of madsweep are those of ibnetdiscover and iblinkinfo.

load common
load links

teardown() { serve_end; }

# ends_are N: so many ports with a link, in what links_agree left.
ends_are() { (($(jq -s 'map(select(.port.peer)) | length' "$BATS_TEST_TMPDIR/swept") == $1)); }

# managed TOPOLOGY NODE: opensm manages it, as a program of NODE.
managed() {
	serve "$1" --no-sm
	opensm_start daemon "$2"
	until_true 60 opensm_says daemon 'SUBNET UP'
	until_true 60 port_is_active "$2"
}

@test "a fat tree of 504 nodes, with the built-in subnet manager" {
	madsim --generate fat-tree:18,26,18 >"$BATS_TEST_TMPDIR/tree.net"
	serve "$BATS_TEST_TMPDIR/tree.net" --sm "h1-1 HCA-1"
	until_true 60 port_is_active "h18-26 HCA-1"
	links_agree "h9-9 HCA-1"
	# a cable has two ends: 468 hosts, 18 x 18 between switches
	ends_are $((2 * (468 + 324)))
}

@test "the same, with opensm" {
	madsim --generate fat-tree:18,26,18 >"$BATS_TEST_TMPDIR/tree.net"
	managed "$BATS_TEST_TMPDIR/tree.net" "h2-3 HCA-1"
	links_agree "h9-9 HCA-1"
	ends_are $((2 * (468 + 324)))
}

@test "a fat tree of 5,040 hosts" {
	serve fat-tree:72,70,36
	until_true 60 port_is_active "h72-70 HCA-1"
	links_agree "h9-9 HCA-1"
	ends_are $((2 * (5040 + 2592)))
}

# torus X Y Z: a host at each switch; a dimension of 2 has two cables between its switches, one of 1 a cable
# from each switch to itself.
torus() {
	awk -v x="$1" -v y="$2" -v z="$3" 'BEGIN {
		for (i = 0; i < x; i++) for (j = 0; j < y; j++) for (k = 0; k < z; k++) {
			at = i "-" j "-" k
			printf "Switch 8 \"s%s\"\n[1] \"h%s\"[1]\n", at, at
			printf "[2] \"s%s\"[3]\n", (i + 1) % x "-" j "-" k
			printf "[3] \"s%s\"[2]\n", (i + x - 1) % x "-" j "-" k
			printf "[4] \"s%s\"[5]\n", i "-" (j + 1) % y "-" k
			printf "[5] \"s%s\"[4]\n", i "-" (j + y - 1) % y "-" k
			printf "[6] \"s%s\"[7]\n", i "-" j "-" (k + 1) % z
			printf "[7] \"s%s\"[6]\n\n", i "-" j "-" (k + z - 1) % z
			printf "Ca 1 \"h%s\"\n[1] \"s%s\"[1]\n\n", at, at
		}
	}'
}

@test "tori: two cables between switches, and a cable from a switch to itself" {
	torus 4 3 2 >"$BATS_TEST_TMPDIR/torus.net"
	serve "$BATS_TEST_TMPDIR/torus.net"
	until_true 60 port_is_active h3-2-1
	links_agree h0-0-0
	ends_are $((2 * 24 + 6 * 24))
	serve_end
	torus 3 2 1 >"$BATS_TEST_TMPDIR/torus.net"
	serve "$BATS_TEST_TMPDIR/torus.net"
	until_true 60 port_is_active h2-1-0
	links_agree h0-0-0
	ends_are $((2 * 6 + 6 * 6))
}

@test "a torus with opensm" {
	torus 4 3 2 >"$BATS_TEST_TMPDIR/torus.net"
	managed "$BATS_TEST_TMPDIR/torus.net" h1-1-1
	links_agree h0-0-0
	ends_are $((2 * 24 + 6 * 24))
}

@test "dumps and topology files" {
	local file node
	while read -r file node; do
		serve "$TOPOLOGIES/$file"
		until_true 60 port_is_active "$node"
		links_agree "$node"
		serve_end
	done <<-'END'
		small.dump node4 HCA-1
		real.dump old4 HCA-1
		hosts.net MT25408 ConnectX Mellanox Technologies
		tree.net h8-12 HCA-1
	END
}

@test "dumps with opensm" {
	local file node
	while read -r file node; do
		managed "$TOPOLOGIES/$file" "$node"
		links_agree "$node"
		serve_end
	done <<-'END'
		small.dump node4 HCA-1
		real.dump old4 HCA-1
	END
}

# Their version 44 does not know LinkSpeedExtActive2 (links.bash).
@test "XDR is QDR to the others" {
	local net=$BATS_TEST_TMPDIR/net i
	{
		printf 'Switch 4 "S-0000000000200001" # "leaf"\n'
		for i in 1 2; do printf '[%d] "H-000000000010000%d"[1] # "h%d" lid 0 %dxXDR\n' "$i" "$i" "$i" $((2 * i)); done
		for i in 1 2; do
			printf '\nCa 1 "H-000000000010000%d" # "h%d"\n[1] "S-0000000000200001"[%d] # lid 0 lmc 0 "leaf" lid 0 %dxXDR\n' \
				"$i" "$i" "$i" $((2 * i))
		done
	} >"$net"
	serve "$net"
	until_true 60 port_is_active h1
	run ! links_agree h1
	sed 's/"XDR"/"QDR"/g' "$BATS_TEST_TMPDIR/swept" >"$BATS_TEST_TMPDIR/others"
	diff <(links_of_ibnetdiscover <"$BATS_TEST_TMPDIR/discovered") <(links_as_ibnetdiscover <"$BATS_TEST_TMPDIR/others")
	[[ $(on h1 madsweep -q -j | jq -r 'select(.port.peer).port | "\(.node.name) \(.number) \(.width) \(.speed) \(.gbps)"' | sort) == \
		$'h1 1 2x XDR 400\nh2 1 4x XDR 800\nleaf 1 2x XDR 400\nleaf 2 4x XDR 800' ]]
}
