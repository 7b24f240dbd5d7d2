#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# madcheck on ibsim with opensm: another simulator, and faults by its console. GUIDs can be equal only here.

load common

# all but misconfigured: a port of ibsim enables less than it supports
rules=silent,sm,guid,lid,half,init,slow,mtu,name,firmware

# problems OPTION...: "SEVERITY RULE PLACE" of each problem, sorted
problems() {
	local status=0
	on node1 madcheck -j --all --keep-going "$@" >"$BATS_TEST_TMPDIR/json" 2>"$BATS_TEST_TMPDIR/err" || status=$?
	jq -r 'select(.kind == "problem") | .problem | "\(.severity) \(.rule) \(.place)"' "$BATS_TEST_TMPDIR/json" | sort
	return "$status"
}

summary() { jq -c "select(.kind == \"summary\").data | [$1]" "$BATS_TEST_TMPDIR/json"; }

is_healthy() { [[ -z $(problems --rules "$rules") ]]; }

@test "healthy: no problem by any rule" {
	run -0 problems --rules "$rules,route,pkey,counters"
	[[ -z $output && $(summary .verdict,.complete,.nodes,.switches) == '["OK",true,6,2]' ]] || { cat "$BATS_TEST_TMPDIR/json"; return 1; }
}

@test "a cable that is unplugged is no problem, and the host behind it is not missed" {
	console 'Unlink "node3"[1]'
	until_true 60 is_healthy
	run -0 problems --rules "$rules"
	[[ $(summary .nodes) == '[5]' ]]
	console 'ReLink "node3"[1]'
	until_true 60 is_healthy
	run -0 problems --rules "$rules"
	[[ $(summary .nodes) == '[6]' ]]
}

@test "counters: of the port that has them" {
	console 'PerformanceSet "node2"[1] PortCounters.SymbolErrorCounter=77'
	console 'PerformanceSet "leaf2"[2] PortCounters.PortRcvErrors=10'
	run -6 problems --rules counters
	[[ $output == 'warning counters node2/1 <-> leaf'* && ${#lines[@]} -eq 1 ]] || { echo "$output"; return 1; }
	console 'PerformanceSet "node2"[1] PortCounters.SymbolErrorCounter=0'
	run -0 problems --rules counters
}

@test "silent: all SMPs of a port are lost" {
	console 'Error "node3"[1] 100'
	run -6 problems -t 100 --rules "$rules"
	[[ $output == 'critical silent leaf'* && ${#lines[@]} -eq 1 ]] || { echo "$output"; return 1; }
	run -3 problems -t 100 --rules slow
	console 'Error "node3"[1] 0'
	run -0 problems --rules "$rules"
}

@test "guid: two nodes with one GUID are critical" {
	local guid
	guid=$(on node1 madsweep -q -j --select 'node.name =~ "^node2"' | jq -rs '.[0].port.node.guid')
	console "Guid \"node3\" $guid"
	run -6 problems --rules guid
	[[ $output == *'critical guid '* ]] || { echo "$output"; return 1; }
	[[ $(jq -r '.problem.text // empty' "$BATS_TEST_TMPDIR/json") == "2 nodes have the GUID $guid"* ]]
}
