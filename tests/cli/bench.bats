#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# The benchmark runs to its end and prints its ratios; what they are is for who runs it in earnest.

setup() { load common; }
setup_file() {
	load common
	make -C "$MADKIT_BUILD" bench/dump bench/json_in bench/mads bench/pipe bench/rmpp bench/starts >/dev/null 2>&1
}

@test "bench/decode prints every ratio" {
	run -0 env MADKIT_BUILD="$MADKIT_BUILD" "$MADKIT_SRC/bench/decode" 2000 1
	local words=('JSON lines: reading against writing' 'text: madrecv against mad_dump_' 'text of a capture: madrecv against mad_dump_'
		'pipe: madrecv against push' 'pipe: madrecv against push, both of 1 MiB')
	if command -v tshark >/dev/null; then
		words+=('JSON lines: madrecv against tshark -T ek' 'JSON lines: madrecv against tshark -T json'
			'JSON lines of a capture: madrecv, tshark -T ek' 'JSON lines of a capture: madrecv, tshark -T json')
	fi
	for word in "${words[@]}"; do
		[[ $output =~ "$word"[^$'\n']*\ [0-9]+\.[0-9]+\ x ]] || { echo "$output"; return 1; }
		[[ $output != *"$word"*' 0.00 x'* ]]
	done
	command -v tshark >/dev/null || skip "tshark is missing: all but its ratios"
}

@test "its MADs are what they are said to be" {
	"$MADKIT_BUILD/bench/mads" $((4 * 96)) >"$BATS_TEST_TMPDIR/raw"
	madrecv -r "$BATS_TEST_TMPDIR/raw" -j >"$BATS_TEST_TMPDIR/lines"
	[[ $(jq -r .header.attribute "$BATS_TEST_TMPDIR/lines" | sort | uniq -c | tr -s ' \n' ' ') == \
		' 96 NodeInfo 300 PathRecord 96 PortCounters 96 PortInfo ' ]]
}

@test "its segments are whole tables, in a capture too" {
	cd "$BATS_TEST_TMPDIR"
	"$MADKIT_BUILD/bench/mads" $((2 * 4 * 96)) >raw
	madrecv -r raw -f raw -w pcap >/dev/null
	madrecv -r pcap -j >lines
	[[ $(jq -c 'select(.header.attribute == "PathRecord").records' lines | sort | uniq -c | tr -s ' \n' ' ') == ' 600 300 ' ]]
	[[ $(jq -r '.data | select(.LinkSpeedExtActive != null).LinkSpeedExtActive_name' lines | sort -u) == \
		$'25.78125 Gbps\nNo Extended Speed' ]]
}

@test "bench/rmpp prints what it aims at, and keeps to its memory" {
	run -0 "$MADKIT_BUILD/bench/rmpp" 3000 1
	(($(grep -cE '^  [a-z].* [1-9][0-9]* segments/s +[0-9.]+ of memcpy +[0-9.]+ x \(aim 1\)' <<<"$output") == 14))
	grep -oE 'memory [0-9.]+ x \(aim [0-9.]+\)' <<<"$output" >"$BATS_TEST_TMPDIR/memory"
	awk '$2 < 1 || $2 > $5 + 0 { print; wrong = 1 } END { exit wrong || NR != 10 }' FS='[ )]' "$BATS_TEST_TMPDIR/memory"
	run -2 "$MADKIT_BUILD/bench/rmpp" 1
}

@test "bench/start prints every ratio" {
	! sanitized || skip "not with a sanitizer"
	for program in smpquery ibsim opensm; do
		command -v "$program" >/dev/null || skip "$program is missing"
	done
	run -0 env MADKIT_BUILD="$MADKIT_BUILD" "$MADKIT_SRC/bench/start" 2
	for row in 'madsend --version' 'madrecv --version' 'madpoll --version' 'madreg --version' 'madsim --version' \
		'madsend -D 0 Get NodeInfo' 'madsend --device sim:unix:SOCKET@node1 -D 0 Get NodeInfo'; do
		[[ $output =~ "  $row "[^$'\n']*\ [0-9]+\.[0-9]+\ x\ \(aim ]] || { echo "$output"; return 1; }
		[[ $output != *"$row"*' 0.00 x'* ]]
	done
	[[ $(grep -c '  smpquery -D nodeinfo 0 ' <<<"$output") -eq 3 ]]
}

@test "bench/batch prints every ratio" {
	! sanitized || skip "not with a sanitizer"
	command -v ibnetdiscover >/dev/null || skip "ibnetdiscover is missing"
	run -0 env MADKIT_BUILD="$MADKIT_BUILD" "$MADKIT_SRC/bench/batch" 1 600 3
	[[ $(grep -cE '^  madsend --batch, Get (NodeInfo|PortCounters) +1?[06]*[0]* outstanding +[1-9][0-9]*/s +[0-9.]+ x$' <<<"$output") == 12 ]]
	[[ $(grep -cE '^  ibnetdiscover +[0-9]+ outstanding +[1-9][0-9]*/s$' <<<"$output") == 6 ]]
}

@test "bench/sweep prints every ratio, and memory" {
	! sanitized || skip "not with a sanitizer"
	command -v ibnetdiscover >/dev/null || skip "ibnetdiscover is missing"
	run -0 env MADKIT_BUILD="$MADKIT_BUILD" "$MADKIT_SRC/bench/sweep" 1 2,2,1 3,2,1
	[[ $(grep -cE '^  .* [0-9.]+ x \(aim [0-9.]+ at most\)$' <<<"$output") == 28 ]]
	[[ $(grep -c '"nodes":7 ' <<<"$output") == 4 && $(grep -c '"nodes":10 ' <<<"$output") == 4 ]]
	[[ -z $(type -P time) || $(grep -cE ' [1-9][0-9]* KiB +[1-9][0-9]* bytes per port$' <<<"$output") == 16 ]]
}

@test "bench/instructions prints every ratio, 1 for the same build" {
	! sanitized || skip "not with a sanitizer"
	command -v valgrind >/dev/null || skip "valgrind is missing"
	run -0 env MADKIT_BUILD="$MADKIT_BUILD" "$MADKIT_SRC/bench/instructions" "$MADKIT_BUILD" 200 2,1,1
	[[ $output != *failed* && $(grep -cE '^  .* [1-9][0-9]* +[1-9][0-9]* +(0\.999|1\.00[01]) x$' <<<"$output") == 24 ]]
}

@test "a command that fails is not measured" {
	run -1 "$MADKIT_BUILD/bench/starts" 2 "$(type -P true)" -- "$(type -P false)"
	[[ $output == 'starts: '*'/false' ]]
	run -1 "$MADKIT_BUILD/bench/starts" 2 no/such/program
	run -1 "$MADKIT_BUILD/bench/starts" 0 "$(type -P true)"
}

@test "what fails is no rate" {
	mkdir -p "$BATS_TEST_TMPDIR/build/bench"
	ln -s "$MADKIT_BUILD"/bench/{mads,pipe} "$BATS_TEST_TMPDIR/build/bench/"
	ln -s "$MADKIT_BUILD/madrecv" "$BATS_TEST_TMPDIR/build/"
	ln -s "$(command -v false)" "$BATS_TEST_TMPDIR/build/bench/dump"
	run ! env MADKIT_BUILD="$BATS_TEST_TMPDIR/build" "$MADKIT_SRC/bench/decode" 200 1
	[[ $output != *mad_dump* && $output == *'madrecv -r -j'* ]]
}
