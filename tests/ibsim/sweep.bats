#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# madsweep beside infiniband-diags, on ibsim with opensm.

load common
load ../shim/queryerrors
load ../shim/links

@test "nodes, links, widths and speeds are those of ibnetdiscover and iblinkinfo" {
	local node
	for node in node1 node4; do
		links_agree "$node"
	done
	(($(jq -s 'map(select(.port.peer)) | length' "$BATS_TEST_TMPDIR/swept") >= 10))
}

@test "madcheck: healthy with opensm as master; nothing but links that iblinkinfo says could be better" {
	# opensm answers SMInfo, ibsim's agents the rest
	run --separate-stderr on node1 madcheck -j --rules silent,sm,guid,lid,half,init,slow,misconfigured
	jq -r 'select(.kind == "problem").problem | "\(.rule) \(.place)"' <<<"$output" | sort >"$BATS_TEST_TMPDIR/found"
	[[ $(grep -vcE "^(slow|misconfigured) " "$BATS_TEST_TMPDIR/found") == 0 ]]
	on node1 iblinkinfo -l 2>/dev/null | grep -c 'Could be' >"$BATS_TEST_TMPDIR/could" || :
	# iblinkinfo shows both ends of a link between switches
	((2 * $(wc -l <"$BATS_TEST_TMPDIR/found") >= $(cat "$BATS_TEST_TMPDIR/could")))
	((status == ($(wc -l <"$BATS_TEST_TMPDIR/found") ? 6 : 0)))
}

@test "a filter of errors finds the ports and the values of ibqueryerrors" {
	local port
	for port in 1 7; do
		console "PerformanceSet \"leaf2\"[$port] PortCounters.SymbolErrorCounter=$((port * 11))" >/dev/null
		console "PerformanceSet \"leaf1\"[$port] PortCounters.PortRcvErrors=$((port * 3))" >/dev/null
	done
	console 'PerformanceSet "node4"[1] PortCounters.LinkDownedCounter=2' >/dev/null
	errors_agree node1 5
}

@test "a table of the SA that ibsim cuts after its first packet: how many records there are is not known" {
	run -5 --separate-stderr on node1 madsweep --via sa
	[[ $stderr == *'(NodeRecord: got 1 of an unknown number of records)'* ]] || { echo "$status: $stderr"; return 1; }
}

@test "madport shows both ends of each link as iblinkinfo does" {
	local guid number rate peer_guid peer_number n=0
	while IFS='|' read -r guid number rate peer_guid peer_number; do
		run --separate-stderr on node1 madport "$guid/$number"
		((status == 0 || status == 6))
		[[ $output =~ GUID\ +$guid\ +$peer_guid && $output =~ link\ +$rate,\ [0-9.]+\ Gb/s\ +$rate, &&
			${lines[0]} == *"/$number <-> "*"/$peer_number: Active, $rate"* ]] ||
			{ echo "$guid/$number $rate $peer_guid: $output"; return 1; }
		n=$((n + 1))
	done < <(on node1 iblinkinfo -l --switches-only 2>/dev/null | links_of_iblinkinfo | grep 'Active/ LinkUp' |
		sed -E -e 's/^(0x[0-9a-f]+) "[^"]*" [0-9]+ ([0-9]+) ==\( ([0-9]+)X ([0-9.]+) Gbps Active.*==> (0x[0-9a-f]+) [0-9]+ ([0-9]+) .*/\1|\2|\3x \4|\5|\6/' \
			-e 's/ 2\.5\|/ SDR|/; s/ 5\.0\|/ DDR|/; s/ 10\.0\|/ QDR|/; s/ 14\.0625\|/ FDR|/; s/ 25\.78125\|/ EDR|/; s/ 53\.125\|/ HDR|/')
	((n >= 5))
}
