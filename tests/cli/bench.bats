#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# The benchmark runs to its end and prints its ratios; what they are is for who runs it in earnest.

setup() { load common; }

@test "bench/decode prints every ratio" {
	make -C "$MADKIT_BUILD" bench/dump bench/mads bench/pipe >/dev/null 2>&1
	run -0 env MADKIT_BUILD="$MADKIT_BUILD" "$MADKIT_SRC/bench/decode" 2000 1
	local words=('text: madrecv against mad_dump_' 'pipe: madrecv against push')
	if command -v tshark >/dev/null; then
		words+=('JSON lines: madrecv against tshark -T ek' 'JSON lines: madrecv against tshark -T json')
	fi
	for word in "${words[@]}"; do
		[[ $output =~ "$word"[^$'\n']*\ [0-9]+\.[0-9]+\ x ]] || { echo "$output"; return 1; }
		[[ $output != *"$word"*' 0.00 x'* ]]
	done
}

@test "its MADs are what they are said to be" {
	"$MADKIT_BUILD/bench/mads" 1000 >"$BATS_TEST_TMPDIR/raw"
	madrecv -r "$BATS_TEST_TMPDIR/raw" -j >"$BATS_TEST_TMPDIR/lines" 2>/dev/null || (($? == 5))
	[[ $(jq -r 'select(.record == 0).header.attribute' "$BATS_TEST_TMPDIR/lines" | sort | uniq -c | tr -s ' \n' ' ') == \
		' 250 NodeInfo 250 PathRecord 250 PortCounters 250 PortInfo ' ]]
}
