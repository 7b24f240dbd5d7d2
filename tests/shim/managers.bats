#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# madcheck while subnet managers come, go and do not see each other.

load common

setup_file() { serve "$TOPOLOGIES/small.net" --no-sm; }

control() { madsim --control "$SERVED_SOCKET" "$@"; }

sm_problems() { jq -r 'select(.problem.rule == "sm").problem | "\(.severity) \(.place) \(.text)"' "$1"; }

masters_are() { [[ $(on node2 madcheck -j --rules sm 2>/dev/null | jq -r 'select(.kind == "summary").data.verdict') == "$1" ]]; }

@test "two masters that do not see each other are one critical problem, with both ends; one of them is none" {
	# each manager's requests for the SMInfo of the other are lost
	control fault drop node='node1 HCA-1' attribute=SMInfo method=Get
	control fault drop node='node3 HCA-1' attribute=SMInfo method=Get
	opensm_start first node1
	local first=$SERVED_JOB
	until_true 60 opensm_says first 'SUBNET UP'
	run -0 --separate-stderr on node2 madcheck --rules sm
	opensm_start second node3
	until_true 60 opensm_says second 'SUBNET UP'
	run -6 --separate-stderr on node2 madcheck -j --rules sm
	echo "$output" >"$BATS_TEST_TMPDIR/json"
	run -0 sm_problems "$BATS_TEST_TMPDIR/json"
	[[ $output == 'critical node'[13]'/1, node'[13]'/1 2 subnet managers are master' && ${#lines[@]} -eq 1 ]] || { echo "$output"; return 1; }
	control fault clear
	end "$first"
	# the ports have the LID of the manager that is left after its next sweep
	until_true 60 masters_are OK
}

@test "a handover while madcheck runs: no problem that is over a second later" {
	local i first
	opensm_start old node1
	first=$SERVED_JOB
	until_true 60 opensm_says old 'SUBNET UP'
	printf '%s\n' 'sminfo_polling_timeout 100' 'polling_retry_number 1' >"$SERVED_DIR/new.conf"
	opensm_start new node3 -F "$SERVED_DIR/new.conf"
	until_true 60 opensm_says new 'Entering STANDBY'
	on node2 madcheck -j --rules sm,half,lid,silent >"$BATS_TEST_TMPDIR/0"
	kill -KILL "$first"
	for ((i = 1; i < 300; i++)); do
		on node2 madcheck -j --rules sm,half,lid,silent -t 200 >"$BATS_TEST_TMPDIR/$i" 2>/dev/null || :
		[[ ! -s $BATS_TEST_TMPDIR/$i ]] || ! opensm_says new 'SUBNET UP' || ! masters_are OK || break
	done
	((i < 300))
	cat "$BATS_TEST_TMPDIR"/[0-9]* >"$BATS_TEST_TMPDIR/all"
	# both readings agree: no manager is master, until the new one is; then, ports have the LID of the old one for a while
	[[ $(jq -r 'select(.problem) | .problem.rule' "$BATS_TEST_TMPDIR/all" | sort -u) =~ ^(sm)?$ ]]
	sm_problems "$BATS_TEST_TMPDIR/all" | sort | uniq -c
	sm_problems "$BATS_TEST_TMPDIR/all" | grep -E ' managers are master' && return 1
	[[ $(sm_problems "$BATS_TEST_TMPDIR/0") == "" ]]
}
