# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Compares the counters that madsweep finds with those of ibqueryerrors. Needs `on` (tests/shim/serve.sh or
# tests/ibsim/fabric.sh).

# what ibqueryerrors reports by default, and PortCounters has
ERRORS='SymbolErrorCounter LinkErrorRecoveryCounter LinkDownedCounter PortRcvErrors PortRcvRemotePhysicalErrors
	PortRcvSwitchRelayErrors PortXmitDiscards PortXmitConstraintErrors PortRcvConstraintErrors LocalLinkIntegrityErrors
	ExcessiveBufferOverrunErrors VL15Dropped PortXmitWait'

# GUID, port, counter and value of each error, a line each. A port of a CA has its own GUID.
errors_of_ibqueryerrors() {
	sed -nE 's/^ *GUID 0x0*([0-9a-f]+) port ([0-9]+): (.*)/\1 \2 \3/p' |
		sed -E 's/\[([A-Za-z0-9]+) == ([0-9]+)[^]]*\]/\1=\2/g; s/ +$//' | sort
}

errors_as_ibqueryerrors() {
	jq -r --arg errors "$ERRORS" 'select(.kind == "response") | .data as $data | [(.port.guid // .port.node.guid | sub("^0x0*"; "")), .port.number,
		($errors | split("\\s+"; null)[] | select($data[.] > 0) | "\(.)=\($data[.])")] | map(tostring) | join(" ")' | sort
}

# errors_agree NODE COUNT: the same ports have errors, so many at least, and the same values.
errors_agree() {
	local filter='' counter
	for counter in $ERRORS; do filter+="${filter:+ || }$counter > 0"; done
	on "$1" ibqueryerrors 2>/dev/null | errors_of_ibqueryerrors >"$BATS_TEST_TMPDIR/queried"
	(($(wc -l <"$BATS_TEST_TMPDIR/queried") >= $2))
	on "$1" madsweep -q -j Get PortCounters --filter "$filter" | errors_as_ibqueryerrors | diff "$BATS_TEST_TMPDIR/queried" -
}
