# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Compares forwarding tables and routes with those of ibroute, as dump_lfts and dump_mfts run it for all switches. Needs
# `on` (tests/shim/serve.sh or tests/ibsim/fabric.sh).

# decimal: the second word of each line, a LID, from hexadecimal
decimal() {
	local guid lid rest
	while read -r guid lid rest; do echo "$guid $((lid)) $rest"; done
}

# GUID of a switch, LID and port, as dump_lfts prints them
forwarding_theirs() {
	on "$1" dump_lfts 2>/dev/null |
		sed -nE 's/^Unicast lids .* guid (0x[0-9a-f]+) .*/switch \1/p; s/^(0x[0-9a-f]+) 0*([0-9]+) :.*/\1 \2/p' |
		awk '$1 == "switch" { guid = $2; next } { print guid, $0 }' | decimal | sort
}

# the same from LinearForwardingTable of each switch
forwarding_ours() {
	local guid lid
	on "$1" madsweep -q -j --select 'node.type == Switch' | jq -r 'select(.kind == "port").port | "\(.node.guid) \(.lid)"' | sort -u |
		while read -r guid lid; do
			on "$1" madsend -L "$lid" -m all -j Get LinearForwardingTable </dev/null | jq -r --arg guid "$guid" '
				.header.modifier as $block | .data.Port | to_entries[] | select(.value != 255) |
				"\($guid) \($block * 64 + .key) \(.value)"'
		done | sort
}

# hops NODE FROM TO [OPTION...]: GUID of the switch, destination and egress port of each hop
hops() {
	on "$1" madsweep -q -j --route "$2,$3" "${@:4}" |
		jq -r --arg to "$3" 'select(.hop.direction == "egress").port | select(.node.type == "Switch") | "\(.node.guid) \($to) \(.number)"'
}

# forwarding_agrees NODE COUNT VIA...: all tables are equal, and routes between so many end ports follow them.
forwarding_agrees() {
	local theirs=$BATS_TEST_TMPDIR/theirs via from to
	local -a lids
	forwarding_theirs "$1" >"$theirs"
	diff "$theirs" <(forwarding_ours "$1") | head -n 20
	((PIPESTATUS[0] == 0))
	mapfile -t lids < <(on "$1" madsweep -q -j --select 'lid != 0 && node.type == CA' | jq '.port.lid // empty' | sort -un | shuf -n "$2" --random-source=<(yes))
	((${#lids[@]} == $2))
	for via in "${@:3}"; do
		: >"$BATS_TEST_TMPDIR/hops"
		for from in "${lids[@]}"; do
			for to in "${lids[@]}"; do
				[[ $from == "$to" ]] || hops "$1" "$from" "$to" --via "$via" >>"$BATS_TEST_TMPDIR/hops"
			done
		done
		# each route has a switch at least
		(($(wc -l <"$BATS_TEST_TMPDIR/hops") >= $2 * ($2 - 1)))
		[[ -z $(sort -u "$BATS_TEST_TMPDIR/hops" | comm -23 - "$theirs") ]]
	done
}
