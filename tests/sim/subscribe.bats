#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# madrecv --subscribe when responses are lost and when its own port is unplugged. The manager is
# the built-in one; tests/shim/subscribe.bats has others.

setup() {
	load common
	serve "$topologies/small.net" --sm node1
}

teardown() { clean_up; }

# The manager's subscriptions, as another host sees them.
informed() { on node2 madsend -j GetTable InformInfoRecord 2>/dev/null | jq -s 'map(select(.data)) | length'; }
until_informed() {
	local i
	for ((i = 0; i < 300; i++)); do
		(($(informed) == $1)) && return
		read -r -t 0.1 <> <(:) || :
	done
	false
}
until_said() {
	local i
	for ((i = 0; i < 300; i++)); do
		[[ -z $(jq "select($1)" "$dir/subscriber.out") ]] || return 0
		read -r -t 0.1 <> <(:) || :
	done
	false
}
# shellcheck disable=SC2120  # options
subscribe() { start subscriber env MADKIT_DEVICE="sim:unix:$socket@node3" madrecv --subscribe 64,65,66 -j --banner "$@"; }
losing_responses() { control fault drop node=node1 class=SubnAdm method=GetResp >/dev/null; }

@test "A3: each subscription is withdrawn even if the responses are lost" {
	subscribe
	until_informed 3
	losing_responses
	kill -TERM "$pid"
	local status=0
	wait "$pid" || status=$?
	((status == 143))
	control fault clear
	until_informed 0
}

@test "A3: a subscription whose response was lost is withdrawn" {
	losing_responses
	run -3 --separate-stderr env MADKIT_DEVICE="sim:unix:$socket@node3" madrecv --subscribe 64 -j -t 100 --retries 0
	[[ $(jq -c '[.kind, .header.attribute, .status.send]' <<<"$output") == '["timeout","InformInfo",110]' ]]
	control fault clear
	until_informed 0
}

# delivered PID: no signal is pending, or the process has ended
delivered() { ! grep -qsE '^(SigPnd|ShdPnd):.*[1-9a-f]' "/proc/$1/status"; }

@test "X5: a signal that arrives twice, as timeout(1) sends it, does not keep subscriptions" {
	local status=0
	subscribe
	until_informed 3
	losing_responses
	kill -TERM "$pid"
	until delivered "$pid"; do :; done
	kill -TERM "$pid" 2>/dev/null || :
	wait "$pid" || status=$?
	((status == 143))
	control fault clear
	[[ $(informed) == 0 ]] || { informed; return 1; }
}

@test "X5: subscriptions are withdrawn whatever signal ends the command" {
	local signal status
	for signal in QUIT USR1 USR2 VTALRM PROF XCPU RTMIN RTMAX; do
		status=0
		start "subscriber$signal" env --default-signal MADKIT_DEVICE="sim:unix:$socket@node3" madrecv --subscribe 64 -j --banner
		[[ $(informed) == 1 ]]
		kill -"$signal" "$pid"
		wait "$pid" || status=$?
		((status == 128 + $(kill -l "$signal"))) || { echo "$signal: $status"; return 1; }
		[[ $(informed) == 0 ]] || { echo "$signal"; return 1; }
	done
}

@test "A3: a port that was not Active subscribes again" {
	subscribe
	until_informed 3
	control link node3 1 down
	# it looks once a second
	until_said '.data.what == "port not Active"'
	until_informed 0
	control link node3 1 up
	until_informed 3
	until_said '.data.reason == "the port was not Active"'
}

@test "A3: without a manager --subscribe is a line of JSON" {
	control fault drop node=node1
	run -3 --separate-stderr env MADKIT_DEVICE="sim:unix:$socket@node3" madrecv --subscribe 64 -j -t 100 --retries 0
	[[ $(jq -r .kind <<<"$output") == timeout ]]
}
