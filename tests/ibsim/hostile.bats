#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Attacks on the commands by a fabric and its users.

# shellcheck disable=SC2030,SC2031,SC2154  # run sets output, stderr and their lines
load common

@test "a failed request of --merge and of --delta is a JSON line, and --delta -n ends" {
	run -3 --separate-stderr on node1 madsend -L 99 -t 100 -j Set PortInfo LMC=0 --merge
	[[ $(jq -c '[.kind, .remote.lid, .data]' <<<"$output") == '["timeout",99,null]' ]]
	run -3 --separate-stderr on node1 madpoll -L 99 -t 100 -i 10 -n 2 -j Get PortCounters PortSelect=1 --delta
	[[ $(jq -sc 'map(.kind + " " + .header.attribute)' <<<"$output") == \
		'["timeout ClassPortInfo","timeout PortCounters","timeout PortCounters","timeout PortCounters"]' ]]
	((${#stderr_lines[@]} == 5))
	[[ ${stderr_lines[1]} == *'not known whether the port has PortCountersExtended'* ]]
	run -3 --separate-stderr on node1 madpoll -L 99 -t 100 -i 10 -n 1 Get PortCounters PortSelect=1 --delta
	[[ -z $output ]]
}

@test "what did not answer fails no assertion: one line, status 3" {
	run -3 --separate-stderr on node1 madsend -L 99 -t 100 -j Get NodeInfo --assert 'NodeType==1'
	((${#stderr_lines[@]} == 1))
	[[ $(jq -r .kind <<<"$output") == timeout ]]
	run -6 --separate-stderr on node1 madsend -D 0 Get NodeInfo --assert 'NodeType==7'
	[[ ${#stderr_lines[@]} -eq 1 && $stderr == *"did not hold"* ]]
}

@test "a node name map that is none" {
	run -1 --separate-stderr on node1 madsend --node-name-map /nosuch --name x Get NodeInfo
	[[ $stderr == *"/nosuch: No such file"* ]]
	run -1 --separate-stderr on node1 madsend --node-name-map /tmp --name x Get NodeInfo
	[[ $stderr == *"/tmp: Is a directory"* && ${#stderr_lines[@]} -eq 1 ]]
	printf '0xzz "bad"\n' >"$BATS_TEST_TMPDIR/map"
	run -5 --separate-stderr on node1 madsend --node-name-map "$BATS_TEST_TMPDIR/map" --name x Get NodeInfo
	[[ $stderr == *"map:1: expected 0xGUID"* ]]
}

@test "SIGTERM and SIGINT end every wait with 128+N, and JSON lines stay whole" {
	for signal in INT TERM HUP; do
		n=$(kill -l "$signal")
		for command in 'madrecv --class PerfMgt --banner' 'madpoll --class PerfMgt' \
			'madsend -j -n 100000 -i 5 -D 0,1 Get NodeInfo' \
			'madpoll -j Get PortCounters PortSelect=1 --delta -i 5' \
			'madpoll Get PortInfo --until LinkState==Down -i 5' \
			'madreg --class PerfMgt --hold'; do
			stopped || stopped || stopped || { echo "$command: $FABRIC_STATUS"; return 1; }
			[[ $command != *' -j '* ]] || jq -e .kind "$FABRIC_DIR/stopped.out" >/dev/null
		done
	done
}

# The signal ends the command with 128+N. If a response comes in exit(), the simulator's library may wait for its thread
# endlessly: only a failure three times in a row is madkit's.
stopped() {
	# shellcheck disable=SC2086
	spawn stopped node2 $command
	until_true 60 attached "$FABRIC_JOB"
	[[ $command != *' -j '* ]] || until_true 60 test -s "$FABRIC_DIR/stopped.out"
	kill "-$signal" "$FABRIC_JOB"
	finish "$FABRIC_JOB" 2
	((FABRIC_STATUS == 128 + n))
}

# ibsim knows the process: it is past its beginning.
attached() { console Attached | grep -q "pid $1 "; }

@test "a name with control characters reaches no terminal" {
	bad=$(printf 'ev\033[31mil\302\233')
	run -6 --separate-stderr on node1 madsend --name "$bad" Get NodeInfo
	[[ $stderr != *$'\e'* && $stderr != *$'\xc2\x9b'* && $stderr == *"'ev"*"31m"* ]]
}
