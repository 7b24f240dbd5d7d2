#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Links that could be faster or wider: madsweep finds those that iblinkinfo says "Could be" of.

load common
load links

teardown() { serve_end; }

control() { madsim --control "$SERVED_SOCKET" "$@"; }

# degraded_agree NODE COUNT: both find the same ports, so many; the assertion fails if there are any.
degraded_agree() {
	local found=$BATS_TEST_TMPDIR/found status=0
	links_agree "$1"
	on "$1" madsweep -q -j --filter 'width < width_best || speed < speed_best' |
		jq -r 'select(.kind == "port").port | "\(.guid // .node.guid) \(.number)"' | sort >"$found"
	diff <(grep 'Could be' "$BATS_TEST_TMPDIR/linkinfo" | sed -E 's/^(0x[0-9a-f]+) ".*" +[0-9]+ +([0-9]+)\[.*==\(.*/\1 \2/' | sort) "$found"
	(($(wc -l <"$found") == $2))
	on "$1" madsweep -q --assert 'width == width_best && speed == speed_best' >/dev/null || status=$?
	((status == ($2 > 0 ? 6 : 0)))
}

# No link of theirs is still training or waiting for the subnet manager
all_active() { ! on "h1-1 HCA-1" iblinkinfo | grep -qE 'Init/|Armed/|Down/'; }

@test "links that were degraded, and a port that does not enable what it supports" {
	serve fat-tree:4,4,2
	until_true 60 all_active
	degraded_agree "h1-1 HCA-1" 0
	control link leaf1 2 width=1x
	control link leaf2 5 speed=SDR
	control link leaf3 3 width=1x speed=QDR
	on "h1-1 HCA-1" ibportstate -D 0,1 4 width 1 >/dev/null
	on "h1-1 HCA-1" ibportstate -D 0,1 4 reset >/dev/null
	until_true 60 all_active
	degraded_agree "h2-2 HCA-1" 8
	run -0 --separate-stderr on "h1-1 HCA-1" madsweep --select 'node.name == leaf1'
	grep -qE '^leaf1 +2 .* slow: 4x HDR is possible \(50 Gb/s of 200\)$' <<<"$output"
	grep -qE '^leaf1 +4 .* misconfigured: 4x HDR is not enabled$' <<<"$output"
	run -0 --separate-stderr on "h1-1 HCA-1" madsweep --select 'peer.node.name == leaf1 && peer.number == 4'
	[[ $output == *'limited by peer: 4x HDR is not enabled there' ]]
	for link in 'leaf1 2' 'leaf1 4' 'leaf2 5' 'leaf3 3'; do
		# shellcheck disable=SC2086  # two words
		control link $link best
	done
	until_true 60 all_active
	degraded_agree "h1-1 HCA-1" 0
}

@test "a dump with FDR10, split and slow links" {
	serve "$TOPOLOGIES/real.dump"
	until_true 60 port_is_active "old4 HCA-1"
	degraded_agree "old4 HCA-1" 14
}
