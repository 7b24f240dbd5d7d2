#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# madsend -m with a list.

setup() {
	load common
	serve "$topologies/small.net"
	leaf=$(on node1 madsend GetTable NodeRecord --filter 'NodeDescription == "leaf2 rack2"' -j | jq .data.LID)
}

teardown() { clean_up; }

@test "-m all has one line for each port and block, in order, each with a seq" {
	run -0 on node1 madsend -L "$leaf" -m all Get PKeyTable -j
	jq -s -e '[.[].header.modifier] == ([0, 1] + [range(1; 9) | . * 65536])' <<<"$output"
	jq -s -e '[.[].seq] == [range(1; length + 1)]' <<<"$output"
	run -0 on node1 madsend -L "$leaf" -m all Get PortInfo -j
	jq -s -e '[.[].header.modifier] == [range(0; 9)]' <<<"$output"
	run -0 on node1 madsend -L "$leaf" -m all:0 Get PKeyTable -j
	jq -s -e '[.[].header.modifier] == [range(0; 9) | . * 65536]' <<<"$output"
	run -0 on node1 madsend -m all Get PortInfo -j
	jq -s -e '[.[].header.modifier] == [1]' <<<"$output"
	run -0 on node1 madsend -L "$leaf" -m all Get MFT -j
	jq -s -e 'length == 128 and ([.[].header.modifier] | . == sort)' <<<"$output"
}

@test "a list is a request for each modifier, in the order given" {
	run -0 on node1 madsend -L "$leaf" -m 7,0x1-3 Get PortInfo -j
	jq -s -e '[.[].header.modifier] == [7, 1, 2, 3] and ([.[].seq] == [1, 2, 3, 4])' <<<"$output"
	run -0 on node1 madsend -L "$leaf" -m 1-2:0,3-4 Get PKeyTable --dry-run -j
	jq -s -e '[.[].header.modifier] == [65536, 65539, 65540, 131072, 131075, 131076]' <<<"$output"
	run -0 on node1 madsend -L "$leaf" -m 1-3 -n 2 -i 0 Get PortInfo
	[[ ${lines[-1]} == "# Get PortInfo to Lid $leaf: 6 sent, 0 lost, "* ]]
}

@test "a list ends with the worst status, after every request" {
	run -4 --separate-stderr on node1 madsend -L "$leaf" -m 1,99,2 Get PortInfo -j
	jq -s -e 'map(.status.mad == 0) == [true, false, true]' <<<"$output"
	[[ $stderr == *"was answered with status 0x001c"* ]]
}

@test "a silent node does not cost a timeout for each block" {
	control agent 'leaf2 rack2' mute
	run -3 --separate-stderr on node1 madsend -L "$leaf" -m 0-99 Get PortInfo -t 200 --retries 0 --deadline 5000 -j
	jq -s -e 'length == 100 and all(.kind == "timeout")' <<<"$output"
}

@test "a table that the node does not have is status 6, a port that it does not have is an error" {
	run -6 --separate-stderr on node1 madsend -m all Get LFT
	[[ $stderr == "madsend: Get LinearForwardingTable: the node is not a switch, and has no such table" ]]
	run -2 --separate-stderr on node1 madsend -L "$leaf" -m 99:all Get PKeyTable
	[[ $stderr == *"--mod '99:all': the node has no port 99, only 8"* ]]
}

@test "-m all: tables of congestion control, whose blocks another class may count" {
	local fabric=sim:fat-tree:36,2,1 lid blocks
	lid=$(madsweep --device "$fabric" -q -j --select 'node.name == "spine1" && number == 1' | jq 'select(.kind == "port").port.lid')
	# 36 ports and port 0
	run -0 madsend --device "$fabric" -L "$lid" -m all -j Get SwitchPortCongestionSetting
	[[ $(jq -r '"\(.header.class_id) \(.header.modifier)"' <<<"$output" | paste -sd,) == '33 0,33 1' ]]
	blocks=$(madsend --device "$fabric" -j Get CongestionInfo | jq .data.ControlTableCap)
	run -0 madsend --device "$fabric" -m all -j Get CongestionControlTable
	[[ $(jq .header.modifier <<<"$output" | paste -sd,) == $(seq -s, 0 $((blocks - 1))) ]]
	run -2 madsweep --device "$fabric" Get CongestionControlTable
	[[ $output == *'is a table in blocks'* ]]
}
