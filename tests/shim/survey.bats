#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Counters of all ports: madsweep beside infiniband-diags.

load common
load queryerrors

HOST="h1-1 HCA-1"
setup_file() {
	local i
	serve fat-tree:28,18,18
	until_true 60 port_is_active "$HOST"
	for i in 1 5 9 13 26; do
		madsim --control "$SERVED_SOCKET" counter "leaf$i" $((i + 2)) SymbolErrorCounter=$i
		madsim --control "$SERVED_SOCKET" counter "h$i-3 HCA-1" 1 PortRcvErrors=$((i * 2))
	done
	madsim --control "$SERVED_SOCKET" counter spine3 4 LinkDownedCounter=2
	madsim --control "$SERVED_SOCKET" counter leaf2 19 SymbolErrorCounter=65535
	madsim --control "$SERVED_SOCKET" counter leaf2 20 SymbolErrorCounter=65535
	madsim --control "$SERVED_SOCKET" counter spine1 1 PortXmitWait=4294967295
	madsim --control "$SERVED_SOCKET" link "h20-2 HCA-1" 1 down
}

@test "a filter of errors finds the ports and the values of ibqueryerrors" {
	errors_agree "$HOST" 15
}

# without what the requests themselves change
errors() { grep -vE '^(# |Port(Xmit|Rcv)(Data|Pkts):)'; }

@test "the counters of all ports of a switch are those of perfquery -a and -l" {
	local lid sum
	lid=$(on "$HOST" madsweep -j --select 'node.name == "leaf2"' | jq -r 'select(.port.number == 19) | .port.lid')
	on "$HOST" madsweep --select 'node.name == "leaf2"' Get PortCounters -f text | errors >"$BATS_TEST_TMPDIR/surveyed"
	on "$HOST" perfquery -l -a "$lid" | errors >"$BATS_TEST_TMPDIR/queried"
	[[ $(grep -c '^PortSelect:' "$BATS_TEST_TMPDIR/queried") == 36 ]]
	diff "$BATS_TEST_TMPDIR/queried" "$BATS_TEST_TMPDIR/surveyed"
	# the sum of all ports saturates
	sum=$(on "$HOST" perfquery -a "$lid" | dotted SymbolErrorCounter)
	((sum == 65535))
}

@test "PortInfo of each port is that of smpquery" {
	local lid
	lid=$(on "$HOST" madsweep -j --select 'node.name == "leaf5"' | jq -r 'select(.port.number == 1) | .port.lid')
	on "$HOST" madsweep --select 'node.name == "leaf5"' Get PortInfo -f text | grep -v '^# ' >"$BATS_TEST_TMPDIR/surveyed"
	for port in {1..36}; do on "$HOST" smpquery portinfo "$lid" "$port" | grep -vE '^(# |LocalPort:)'; done >"$BATS_TEST_TMPDIR/queried"
	[[ $(grep -c '^Lid:' "$BATS_TEST_TMPDIR/surveyed") == 36 ]]
	diff "$BATS_TEST_TMPDIR/queried" <(grep -F -f <(sed 's/:.*/:/' "$BATS_TEST_TMPDIR/queried" | sort -u) "$BATS_TEST_TMPDIR/surveyed")
}
