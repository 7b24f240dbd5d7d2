#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# madsweep through the subnet administrator of opensm, compared with saquery and with a sweep by SMPs.

load common

setup_file() {
	serve "$TOPOLOGIES/small.net" --no-sm
	opensm_start sm node4
	export MANAGER=$SERVED_JOB
	until_true 60 opensm_says sm 'SUBNET UP'
	until_true 60 port_is_active node1
}

sweep() { on node1 madsweep "$@"; }

# ports: the known data of each port. For a port that is down, opensm keeps only the states.
ports() {
	jq -cS 'select(.kind == "port").port | if .state == "Down" then del(.width_enabled, .speed_enabled) else . end' | sort
}

@test "the nodes are those of saquery" {
	run -0 --separate-stderr sweep --via sa -j
	[[ $(jq -r 'select(.kind == "port").port.node | .guid' <<<"$output" | sort -u) == \
		$(on node1 saquery NR | sed -nE 's/.*node_guid\.+//p' | sort -u) ]]
	[[ $(jq -r 'select(.kind == "port").port.node | select(.type == "CA") | .name' <<<"$output" | sort -u) == \
		$(on node1 saquery --list | sed -nE 's/^ *[0-9]+ +"(.*)"$/\1/p' | sort -u) ]]
}

@test "the ports and links are those of a sweep by SMPs" {
	run -0 --separate-stderr sweep -j
	smp=$(ports <<<"$output")
	run -0 --separate-stderr sweep --via sa -j
	(($(wc -l <<<"$smp") >= 16))
	diff <(echo "$smp") <(ports <<<"$output")
	[[ $(jq -r 'select(.kind == "summary").data | .via, .complete' <<<"$output") == $'sa\ntrue' ]]
	(($(jq 'select(.kind == "summary").data.mads' <<<"$output") == 4))
}

@test "text says where it comes from" {
	run -0 --separate-stderr sweep --via sa
	[[ $stderr == *'complete: '*'; 4 SA requests, 0 resent, in '* ]]
	[[ $stderr == *"from the subnet manager's last sweep; limited to the P_Keys of this port"* ]]
}

@test "SMPs are sent by LID" {
	run -0 --separate-stderr sweep --via sa -j Get NodeDescription
	(($(jq -s 'map(select(.kind == "response" and .header.class == "SubnMgt" and .remote.path == null)) | length' <<<"$output") == 6))
	run -0 --separate-stderr sweep --via sa -j Get PortCounters
	(($(jq -s 'map(select(.kind == "timeout")) | length' <<<"$output") == 0))
}

@test "--hops, --select and --from" {
	run -0 --separate-stderr sweep --via sa -j --hops 1
	(($(jq -s 'map(select(.kind == "port").port.node.guid) | unique | length' <<<"$output") == 2))
	run -0 --separate-stderr sweep --via sa -j --from 0,1 --hops 1 --select 'node.type == Switch'
	smp=$(sweep -j --from 0,1 --hops 1 --select 'node.type == Switch' 2>/dev/null | jq 'select(.kind == "summary").data.nodes')
	(($(jq 'select(.kind == "summary").data.nodes' <<<"$output") == smp))
}

@test "usage" {
	run -2 sweep --via sn
	[[ $output == *"--via 'sn' is not smp or sa"* ]]
	run -2 sweep --via sa --keep-going
	[[ $output == *'--keep-going has no effect with --via sa'* ]]
}

@test "a subnet administrator that is silent: exit status 3, within the deadline" {
	end "$MANAGER"
	run -3 --separate-stderr sweep --via sa -t 20 --retries 1
	[[ $stderr == *'incomplete: the subnet administrator did not respond (NodeRecord)'* ]]
	run -3 --separate-stderr sweep --via sa --deadline 300
	[[ $stderr == *'incomplete: the deadline ended the sweep'* ]]
}
