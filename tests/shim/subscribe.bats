#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# madrecv --subscribe while subnet managers come and go. opensm, twice: at node1 and at node3.

load common

setup() { serve "$TOPOLOGIES/small.net" --no-sm; }
teardown() { serve_end; }

control() { madsim --control "$SERVED_SOCKET" "$@"; }
# Lines of subscriber.out for which jq's FILTER is true.
shown() { jq -c "select($1)" "$SERVED_DIR/subscriber.out"; }
has_shown() { [[ -n $(shown "$1") ]]; }
# From the end of a down link a trap 128 is reported.
reports() { shown '.header.method == "Report" and .data.TrapNumber == 128' | wc -l; }
more_reports() { (($(reports) > $1)); }

subscribe() {
	spawn subscriber node4 madrecv --subscribe 128 -j --banner "$@"
	subscriber=$SERVED_JOB
	until_true 60 grep -qs 'listening on' "$SERVED_DIR/subscriber.err"
}

# A cable goes out, and the subscriber has a Report of that. Nodes: a leaf's port of node2.
a_link_goes_down() {
	local before
	before=$(reports)
	control link node2 1 down
	until_true 60 more_reports "$before"
	control link node2 1 up
}

master_is() { [[ $(on node2 sminfo 2>/dev/null) == "sminfo: sm lid $(($(port_file "$1" lid))) "*MASTER ]]; }

# opensm's subscriptions: records of InformInfo, by another program.
informed() { on node2 saquery IIR 2>/dev/null | grep -c 'InformInfoRecord dump'; }
informed_is() { (($(informed) == $1)); }

ends_with() {
	local status=0
	kill -TERM "$subscriber"
	until_true 20 fabric_gone "$subscriber"
	wait "$subscriber" || status=$?
	((status == $1))
}

@test "A3: subscriptions are renewed, which adds none, and withdrawn" {
	opensm_start one node1
	until_true 60 opensm_says one 'SUBNET UP'
	subscribe -i 200
	a_link_goes_down
	until_true 20 has_shown '.kind == "event" and .data.what == "renewed" and .data.reason == "interval"'
	sleep_until_renewed 3
	informed_is 1
	ends_with 143
	informed_is 0
	run -0 grep -v 'listening on' <(cat "$SERVED_DIR/subscriber.err"; echo)
	[[ -z $output ]]
}

@test "names of senders and of the nodes of Reports" {
	opensm_start one node1
	until_true 60 opensm_says one 'SUBNET UP'
	spawn subscriber node4 madrecv --subscribe 64,65,128 -j --banner --names -n 4
	subscriber=$SERVED_JOB
	until_true 60 grep -qs 'listening on' "$SERVED_DIR/subscriber.err"
	control link node2 1 down
	until_true 60 has_shown '.data.TrapNumber == 65'
	control link node2 1 up
	wait "$subscriber"
	jq -s -e 'all(.remote.name == "node1 HCA-1" and .port.lid == .data.LIDADDR)
		and (map([.data.TrapNumber, .port.node.name]) ==
			[[128, "leaf2 rack2"], [65, "node2 HCA-1"], [128, "leaf2 rack2"], [64, "node2 HCA-1"]])' \
		"$SERVED_DIR/subscriber.out"
}

# At least so many renewals have been seen.
renewals() { (($(shown '.data.what == "renewed"' | wc -l) >= $1)); }
sleep_until_renewed() { until_true 20 renewals "$1"; }

@test "A3: another subnet manager takes over, and is killed" {
	local first second
	printf '%s\n' 'sminfo_polling_timeout 200' 'polling_retry_number 2' >"$SERVED_DIR/conf"
	opensm_start first node1 -p 1 -F "$SERVED_DIR/conf"
	first=$SERVED_JOB
	until_true 60 opensm_says first 'SUBNET UP'
	subscribe
	a_link_goes_down
	opensm_start second node3 -p 9 -F "$SERVED_DIR/conf"
	second=$SERVED_JOB
	until_true 60 master_is node3
	until_true 30 has_shown '.kind == "event" and .data.what == "SM LID changed"'
	until_true 60 has_shown ".data.what == \"renewed\" and .data.sm_lid == $(($(port_file node3 lid)))"
	grep -q 'subscribed again at SM LID' "$SERVED_DIR/subscriber.err"
	until_true 60 opensm_says second 'SUBNET UP'
	a_link_goes_down
	kill -KILL "$second"
	until_true 60 master_is node1
	until_true 60 has_shown ".data.what == \"renewed\" and .data.sm_lid == $(($(port_file node1 lid)))"
	a_link_goes_down
	: "$first"
	ends_with 143
	informed_is 0
	run -1 grep -E "status|no response" "$SERVED_DIR/subscriber.err"
}

@test "A3: a subnet manager restarts with its LID, which no file shows" {
	opensm_start one node1
	local sm=$SERVED_JOB lid
	until_true 60 opensm_says one 'SUBNET UP'
	lid=$(port_file node4 sm_lid)
	subscribe -i 500 -t 200 --retries 0
	a_link_goes_down
	kill -KILL "$sm"
	opensm_start two node1
	until_true 60 opensm_says two 'SUBNET UP'
	until_true 60 informed_is 1
	[[ $(port_file node4 sm_lid) == "$lid" ]]
	a_link_goes_down
	ends_with 143
	informed_is 0
}

@test "A3: the manager is gone: renewals fail, which is reported and tried again, and the end is quiet and in time" {
	opensm_start one node1
	local sm=$SERVED_JOB begin
	until_true 60 opensm_says one 'SUBNET UP'
	subscribe -i 300 -t 100 --retries 0
	kill -KILL "$sm"
	until_true 20 has_shown '.kind == "error" and .data.what == "not renewed"'
	grep -q 'the subscriptions were not renewed' "$SERVED_DIR/subscriber.err"
	begin=$(wc -l <"$SERVED_DIR/subscriber.err")
	# the kernel of node1 responds for the missing agent, or there is no response
	begin=$SECONDS
	ends_with 143
	((SECONDS - begin <= 30))
}

@test "A3: method Report is taken: who may hold it" {
	opensm_start one node1
	until_true 60 opensm_says one 'SUBNET UP'
	subscribe
	run -1 --separate-stderr on node4 madrecv --subscribe 128 -j
	[[ $stderr == *"method Report; "*" not known on a simulated fabric"* ]]
	jq -se '.[0] | .kind == "error" and .data.cause == "methods-taken" and .data.possible_holders == null and
		(.data | has("processes_not_seen")) and .data.processes_not_seen == null' <<<"$output"
}

# Reports of trap 128 of a switch, by its LID.
reports_of() { shown ".header.method == \"Report\" and .data.IssuerLID == $1" | wc -l; }
has_reports_of() { (($(reports_of "$1") >= $2)); }

# A host's cable goes in and out until 10 notices of its switch have been reported. Further ones are not, while a
# notice of another switch is.
equal_notices_are_reported_10_times() {
	local lid other i
	lid=$(lid_of 0,1,7 0) other=$(lid_of 0,1 0)
	subscribe
	for ((i = 0; i < 40 && $(reports_of "$lid") < 10; i++)); do
		control link node2 1 "$( ((i % 2)) && echo up || echo down)"
		on node1 smpquery nodeinfo -D 0,1,7 >/dev/null
	done
	until_true 20 has_reports_of "$lid" 10
	for ((i = 0; i < 6; i++)); do
		control link node2 1 "$( ((i % 2)) && echo up || echo down)"
		on node1 smpquery nodeinfo -D 0,1,7 >/dev/null
	done
	control link node3 1 down
	until_true 20 has_reports_of "$other" 1
	(($(reports_of "$lid") == 10))
}

@test "opensm reports equal notices 10 times" {
	opensm_start one node1
	until_true 60 opensm_says one 'SUBNET UP'
	FROM=node1 equal_notices_are_reported_10_times
}

@test "... and so does the built-in subnet manager" {
	# shellcheck disable=SC2034  # serve sets them
	local SERVED_DIR SERVED_SOCKET SERVED_PID
	serve "$TOPOLOGIES/small.net" --sm node1
	until_true 60 port_is_active node4
	FROM=node1 equal_notices_are_reported_10_times
	serve_end
}
