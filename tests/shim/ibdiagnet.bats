#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# ibdiagnet of ibutils on a fat tree with the built-in subnet manager: nothing to report, then a degraded link and a counter.

load common

setup_file() {
	serve fat-tree:4,4,2
	until_true 60 on "h1-1 HCA-1" sminfo
}

# ibdiagnet [OPTION...]; its files go to $BATS_TEST_TMPDIR
ibdiagnet() { on "h1-1 HCA-1" ibdiagnet -o "$BATS_TEST_TMPDIR" "$@" </dev/null; }

# errors STAGE, warnings STAGE: numbers of the report in $output
errors() { sed -nE "s/^ +$1 +([0-9]+) +([0-9]+) *$/\1/p" <<<"$output"; }
warnings() { sed -nE "s/^ +$1 +([0-9]+) +([0-9]+) *$/\2/p" <<<"$output"; }

@test "ibdiagnet finds no fault" {
	local stage
	run -0 ibdiagnet -lw 4x
	for stage in 'Bad GUIDs\/LIDs Check' 'Link State Active Check' 'General Devices Info Report' 'Performance Counters Report' \
		'Specific Link Width Check' 'Partitions Check' 'IPoIB Subnets Check'; do
		[[ $(errors "$stage") == 0 ]] || { echo "$stage"; return 1; }
	done
	[[ $(warnings 'Specific Link Width Check') == 0 && $(warnings 'Bad GUIDs\/LIDs Check') == 0 ]]
	[[ $output == *'No bad link were found'* && $output == *'Hosts:16 full:16 limited:0'* ]]
}

@test "ibdmchk finds every path between hosts, and no credit loops" {
	# with ibutils 1.5.7 both programs crash after their check of credit loops, even without the preloaded library
	run ibdiagnet -r
	run ibdmchk -a -s "$BATS_TEST_TMPDIR/ibdiagnet.lst" -f "$BATS_TEST_TMPDIR/ibdiagnet.fdbs" -m "$BATS_TEST_TMPDIR/ibdiagnet.mcfdbs"
	[[ $output == *'Scanned:240 CA to CA paths'* && $output == *'no credit loops found'* ]]
}

@test "ibdiagnet finds a degraded link and a counter" {
	madsim --control "$SERVED_SOCKET" link "h2-1 HCA-1" 1 width=1x
	madsim --control "$SERVED_SOCKET" counter leaf1 3 SymbolErrorCounter=77
	until_true 30 on "h1-1 HCA-1" sh -c 'smpquery -G nodeinfo 0x100009 >/dev/null'
	run -0 ibdiagnet -lw 4x -P all=1
	[[ $(warnings 'Specific Link Width Check') == 1 && $output == *'link with PHY=1x'*'Port="h2-1/P1"'* ]]
	[[ $output == *'symbol_error_counter '*': 0x4d'* ]]
}
