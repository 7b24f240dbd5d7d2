#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# A dump with what dumps of real fabrics have, and what infiniband-diags make of the fabric.

load common

# The first host, where the programs run, and one with four LIDs.
FIRST='node02 HCA-1'
MANY='old2 HCA-1'

setup_file() {
	serve "$TOPOLOGIES/real.dump"
	until_true 60 port_is_active "$FIRST"
}

# The nodes of a dump, with LIDs and LMCs, sorted.
nodes_of() {
	sed '/^#/d' |
		awk 'BEGIN { RS = ""; FS = "\n" } { line = $1; for (i = 2; i <= NF; i++) line = line "|" $i; print line }' |
		sort
}

@test "ibnetdiscover prints the dump back, without a difference" {
	run -0 --separate-stderr on "$FIRST" ibnetdiscover
	[[ -z $stderr ]] || { echo "$stderr"; return 1; }
	diff <(nodes_of <"$TOPOLOGIES/real.dump") <(nodes_of <<<"$output")
}

# could_be PEER: what iblinkinfo says of the link to PEER.
could_be() { sed -n "s/.*\"$1[^\"]*\" ( *\(.*[^ ]\) *)\$/\1/p" <<<"$output"; }

@test "iblinkinfo shows which links are degraded" {
	run -0 on "$FIRST" iblinkinfo --switches-only
	# an adapter with one port supports what others of its model have
	[[ $(could_be 'node04 HCA-1') == 'Could be 4X Could be 25.78125 Gbps' ]] || { echo "$output"; return 1; }
	[[ $(could_be 'node07 HCA-1') == 'Could be 4X' ]]
	[[ $(could_be 'gpu02 mlx5_1') == 'Could be 4X' ]]
	[[ $(could_be 'gpu04 mlx5_0') == 'Could be 53.125 Gbps' ]]
	# both ports of this one are linked
	[[ $(could_be 'old3 HCA-1') == *'Could be FDR10'* ]]
	# a split port is not degraded
	[[ -z $(could_be 'gpu03 mlx5_0') && -z $(could_be 'node01 HCA-1') && -z $(could_be 'fast2 mlx5_0') ]]
}

@test "a port with LMC 2 answers at its four LIDs" {
	local base lid
	base=$(($(port_file "$MANY" lid)))
	[[ $base -gt 0 && $(port_file "$MANY" lid_mask_count) == 2 ]]
	run -0 on "$FIRST" ibaddr -l "$base"
	[[ $output == "LID start 0x$(printf '%x' "$base") end 0x$(printf '%x' $((base + 3)))" ]] || { echo "$output"; return 1; }
	for lid in "$base" $((base + 1)) $((base + 3)); do
		run -0 on "$FIRST" smpquery nodedesc "$lid"
		[[ $output == *"$MANY" ]]
		run -0 on "$FIRST" perfquery "$lid" 1
		[[ $output == "# Port counters: Lid $lid port 1 "* ]]
	done
	run -0 on "$FIRST" saquery --src-to-dst "$(($(port_file "$FIRST" lid))):$base"
	run -0 on "$FIRST" saquery PR --dlid "$((base + 2))"
	[[ $(grep -c 'dlid\.*'"$((base + 2))\$" <<<"$output") -gt 0 ]] || { echo "$output"; return 1; }
}

# link_is TEXT: iblinkinfo says TEXT of the link to node01.
link_is() {
	[[ $(on "$FIRST" iblinkinfo --switches-only | grep 'node01 HCA-1') == *"$1"* ]]
}

counted() { on "$FIRST" perfquery "$1" 1 | dotted LinkDownedCounter; }

@test "a link that control words degrade, and restore" {
	local leaf lid
	lid=$(($(port_file 'node01 HCA-1' lid)))
	leaf=$(sed -n 's/.*"SwitchIB Mellanox Technologies" base port 0 lid \([0-9]*\).*/\1/p' "$TOPOLOGIES/real.dump")
	link_is '( 4X      25.78125 Gbps Active/  LinkUp)'
	madsim --control "$SERVED_SOCKET" link 'node01 HCA-1' 1 width=1x speed=SDR mtu=1024
	until_true 20 link_is '( 1X           2.5 Gbps Active/  LinkUp)'
	link_is '(Could be 4X Could be 25.78125 Gbps)'
	# training counts at both ends
	[[ $(counted "$leaf") == 1 && $(counted "$lid") == 1 ]]
	run -0 on "$FIRST" smpquery portinfo "$lid" 1
	[[ $(dotted MtuCap <<<"$output") == 1024 && $(dotted NeighborMTU <<<"$output") == 1024 ]]
	[[ $(dotted LinkSpeedExtSupported <<<"$output") == *25.78125* ]]
	run -0 on "$FIRST" saquery --src-to-dst "$(($(port_file "$FIRST" lid))):$lid"
	[[ $output == *'mtu.....................0x83'*'rate....................0x82'* ]]
	run -0 port_file 'node01 HCA-1' rate
	[[ $output == '2.5 Gb/sec (1X SDR)' ]]
	run -2 --separate-stderr madsim --control "$SERVED_SOCKET" link 'node01 HCA-1' 1 speed=HDR
	[[ $stderr == *"'speed=HDR': both ends of this link support SDR, DDR, QDR, FDR10, FDR, EDR"* ]]
	madsim --control "$SERVED_SOCKET" link 'node01 HCA-1' 1 best
	until_true 20 link_is '( 4X      25.78125 Gbps Active/  LinkUp)'
	[[ $(counted "$leaf") == 2 ]]
	run -0 on "$FIRST" smpquery portinfo "$lid" 1
	[[ $(dotted NeighborMTU <<<"$output") == 4096 ]]
}

@test "a file of ibsim without widths and speeds: 1x or 4x at SDR, LinkWidthSupported is not a reserved value" {
	printf '%s\n' 'Switch 2 "s"' '[1] "a"[1]' 'Ca 1 "a"' '[1] "s"[1] w=2' >"$BATS_TEST_TMPDIR/plain.net"
	# others leak what they please
	LD_PRELOAD=${MADKIT_PRELOAD:-} run -0 madsim "$BATS_TEST_TMPDIR/plain.net" -- \
		env "ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0" smpquery portinfo -D 0,1 1
	[[ $(dotted LinkWidthSupported <<<"$output") == '1X or 4X' && $(dotted LinkWidthEnabled <<<"$output") == '1X or 4X' ]]
	[[ $(dotted LinkWidthActive <<<"$output") == 4X && $(dotted LinkSpeedActive <<<"$output") == '2.5 Gbps' ]]
	LD_PRELOAD=${MADKIT_PRELOAD:-} run -0 madsim "$BATS_TEST_TMPDIR/plain.net" -- \
		env "ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0" smpquery portinfo -D 0 1
	[[ $(dotted LinkWidthSupported <<<"$output") == '1X or 4X' && $(dotted LinkWidthEnabled <<<"$output") == 4X ]]
}
