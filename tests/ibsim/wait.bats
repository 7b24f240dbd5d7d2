#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Waiting: for a condition, for a message, without a limit; and interruption meanwhile.

# shellcheck disable=SC2030,SC2031,SC2154  # run sets output, stderr and their lines
load common

answered() { (($(wc -l <"$FABRIC_DIR/$1.out") >= $2)); }

@test "madpoll --until waits until a link is up again" {
	console 'Unlink "node3"[1]'
	in_time 1000 waits_in_vain
	spawn poll node1 madpoll -D 0,1 -m 2 -j Get PortInfo --until 'PortState == Active' -i 20 --deadline 60000
	console 'ReLink "node3"[1]'
	finish "$FABRIC_JOB"
	((FABRIC_STATUS == 0))
	[[ $(tail -n 1 "$FABRIC_DIR/poll.out" | jq -r .data.LinkState_name) == Active ]]
}

waits_in_vain() { run -6 on node1 madpoll -D 0,1 -m 2 Get PortInfo --until 'LinkState == Active' -i 20 --deadline "$ms"; }

@test "a condition that already holds is not waited for" {
	run -0 on node1 madpoll -D 0,1 Get NodeInfo --until 'NumPorts == 8' -i 60000
}

@test "a condition that does not come: 6 at the deadline; nobody answers: 3" {
	in_time 1000 asks_in_vain
	run -3 on node1 madpoll -L 99 -t 100 Get NodeInfo --until 'NumPorts == 9' -i 50 --deadline 300
}

asks_in_vain() { run -6 on node1 madpoll -D 0,1 Get NodeInfo --until 'NumPorts == 9' -i 50 --deadline "$ms"; }

@test "no MAD before the deadline: 3" {
	run -3 on node1 madpoll --class 0x32 --oui 0x001405 --deadline 100
	run -3 on node1 madpoll --class 0x32 --oui 0x001405 --deadline 0
}

# node2: ibsim passes PortSamplesControl to opensm on node1, and its PerfMgr ends with a segmentation fault.
@test "--delta: filter and assertion speak of the attribute asked for" {
	delta=(madpoll Get PortCounters PortSelect=1 --delta -i 10 -n 2 -j)
	run -0 --separate-stderr on node2 "${delta[@]}" --assert 'SymbolErrorCounter == 0' --filter 'LinkDownedCounter >= 0'
	((${#lines[@]} == 2))
	run -6 --separate-stderr on node2 "${delta[@]}" --assert 'SymbolErrorCounter == 1'
	((${#lines[@]} == 2))
	[[ $stderr == *'did not hold'* ]]
	run -6 --separate-stderr on node2 "${delta[@]}" --filter 'SymbolErrorCounter == 1'
	[[ -z $output && $stderr == *filter* ]]
}

# A listener is there when it says so.
listening() { grep -qs . "$FABRIC_DIR/$1.err"; }

@test "madrecv stopped by SIGINT: 130, by SIGTERM: 143" {
	spawn int node1 madrecv --class 0x32 --oui 0x001405 --banner
	until_true 60 listening int
	kill -INT "$FABRIC_JOB"
	finish "$FABRIC_JOB"
	((FABRIC_STATUS == 130))
	spawn term node1 madrecv --class 0x32 --oui 0x001405 --banner
	until_true 60 listening term
	kill -TERM "$FABRIC_JOB"
	finish "$FABRIC_JOB"
	((FABRIC_STATUS == 143))
}

@test "madpoll stopped by SIGINT while it asks again and again: 130" {
	spawn poll node1 madpoll -D 0,1 -j Get NodeInfo --until 'NumPorts == 9' -i 50
	until_true 60 asking
	kill -INT "$FABRIC_JOB"
	finish "$FABRIC_JOB"
	((FABRIC_STATUS == 130))
}

# The simulator lists its clients.
asking() { (($(console Attached | grep -c '^Client') == 2)); }

@test "those who were stopped gave their places back" {
	(($(console Attached | grep -c '^Client') == 1))
}
