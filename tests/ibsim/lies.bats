#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# madsweep on a fabric whose nodes lie (liar.c): each lie has a clear line, and the sweep ends.
#
# leaf2 is at 0,1,7 and 0,1,8; node3 at 0,1,2. Offsets are those of NodeInfo (0x11), PortInfo (0x15), NodeDescription
# (0x10): 2 NodeType, 3 NumPorts, 12 Guid, 36 LocalPort.

load common

# lies STATUS LIES WORDS...: runs madsweep with these lies.
lies() {
	local status=$1 lies=$2 libs=$MADKIT_BUILD/tests/ibsim/.libs
	shift 2
	# as fabric_settings does, with the liar before the shim
	run "-$status" --separate-stderr on node1 env "LIES=$lies" \
		"LD_PRELOAD=${MADKIT_PRELOAD:+$MADKIT_PRELOAD:}$libs/umad2sim.so:$libs/liar.so:$FABRIC_SHIM" \
		madsweep -t 50 --retries 1 "$@"
}

# said TEXT...: a line of standard error contains each.
said() {
	local text
	for text in "$@"; do
		[[ $stderr == *"$text"* ]] || { echo "not said: $text"; echo "$stderr"; return 1; }
	done
}

@test "port counts: none, too many, more than respond, and another by each route" {
	local count
	for count in 00 ff; do
		lies 5 "0,1,7 0x11 3=$count;0,1,8 0x11 3=$count"
		said 'contradictory NodeInfo from the node behind leaf1 rack1 port 7 (0,1)' \
			'contradictory NodeInfo from the node behind leaf1 rack1 port 8 (0,1)' '3 nodes (1 switch), 2 links'
	done
	lies 0 '0,1,7 0x11 3=fe;0,1,8 0x11 3=fe'
	said 'not read from 0x0000000000200001 leaf2 rack2 (0,1,7): PortInfo of 246 ports (error status)' 'madsweep: incomplete: 6 nodes (2 switches), 6 links, 266 ports, '
	lies 5 '0,1,7 0x11 3=09'
	said 'duplicate GUID: 0x0000000000200001 leaf2 rack2 (0,1,7)' 'duplicate GUID: 0x0000000000200001 leaf2 rack2 (0,1,8)'
}

@test "a LocalPort that the node does not have" {
	lies 5 '0 0x11 36=c8'
	said 'the first node responded with an error status or a contradictory NodeInfo' '0 nodes'
	[[ $stderr != *M_Key* ]]
	lies 5 '0,1,2 0x11 36=07'
	said 'contradictory NodeInfo from the node behind leaf1 rack1 port 2 (0,1)' '5 nodes (2 switches), 5 links'
	[[ $output == *'contradictory response from the node behind it'* ]]
}

@test "GUID 0" {
	lies 5 '0,1,2 0x11 12=0000000000000000'
	said 'not a GUID: 0x0000000000000000 node3 HCA-1 (0,1,2)' 'madsweep: incomplete: 6 nodes (2 switches), 6 links, 20 ports, '
	lies 5 '0,1,2 0x11 12=0000000000000000' -j
	[[ $(jq -r 'select(.port.node.name == "node3 HCA-1").port | .node.guid, .peer.node.name' <<<"$output") == $'0x0000000000000000\nleaf1 rack1' ]]
	lies 5 '0,1,2 0x11 12=0000000000000000' --topology
	[[ $output == *'# H-0000000000000000 (node3 HCA-1) at 0,1,2 is omitted: its GUID is 0'* ]]
}

@test "all nodes have one GUID; the first switch has that of this host" {
	lies 5 '* 0x11 12=1122334455667788'
	said 'duplicate GUID: 0x1122334455667788 node1 HCA-1 (0)' 'duplicate GUID: 0x1122334455667788 leaf1 rack1 (0,1)'
	lies 5 '0,1 0x11 12=0000000000100000'
	said 'duplicate GUID: 0x0000000000100000 node1 HCA-1 (0)' 'duplicate GUID: 0x0000000000100000 leaf1 rack1 (0,1)'
}

@test "a description with control characters is escaped in each format" {
	local lie='0,1,2 0x10 0=1b5b33316d0a07c29b00' format
	for format in '' -j --topology '--fields node.name'; do
		# shellcheck disable=SC2086  # two words, or none
		lies 0 "$lie" $format
		! grep -q '[[:cntrl:]]' <<<"${output//$'\t'/}"
		! grep -q '[[:cntrl:]]' <<<"$stderr"
	done
}

@test "PortInfo and types that do not exist" {
	lies 3 "* 0x15 0=$(printf 'ff%.0s' {1..64})"
	said 'incomplete: three new nodes in a row did not respond'
	lies 0 '0,1,2 0x11 2=09;0,1,7 0x11 2=03;0,1,8 0x11 2=03'
	said '4 nodes (1 switch), 4 links'
}
