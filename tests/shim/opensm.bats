#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# opensm as the subnet manager of a fabric without the built-in manager.

load common

setup_file() { serve "$TOPOLOGIES/small.net" --no-sm; }

@test "without a subnet manager ports stay where they are" {
	run -0 port_file node1 state
	[[ $output == '2: INIT' ]]
	run -0 port_file node1 lid
	[[ $output == 0x0 ]]
}

@test "opensm -o brings the subnet up and ends" {
	mkdir "$SERVED_DIR/once"
	run -0 on node1 env "OSM_CACHE_DIR=$SERVED_DIR/once" "OSM_TMP_DIR=$SERVED_DIR/once" \
		opensm -o -e -d2 -f "$SERVED_DIR/once/log"
	opensm_says once 'SUBNET UP'
	for node in node1 node2 node3 node4; do
		port_is_active "$node"
	done
}

@test "opensm as a daemon is master, and answers" {
	opensm_start daemon node1
	until_true 60 opensm_says daemon 'SUBNET UP'
	run -0 on node4 sminfo
	[[ $output == *'SMINFO_MASTER' ]]
	run -0 on node2 saquery NR
	(($(grep -c 'NodeRecord dump' <<<"$output") == 6))
	run -0 port_file node1 cap_mask
	((output & 2))
}

@test "A6: opensm answers GetMulti MultiPathRecord, which RMPP carries" {
	opensm_start multi node1
	until_true 60 opensm_says multi 'SUBNET UP'
	for rmpp in kernel user; do
		run -0 on node2 madsend --rmpp "$rmpp" GetMulti MultiPathRecord NumbPath=1 SGIDCount=1 DGIDCount=1 \
			SDGID=fe80::10:1,fe80::10:3 -j --fields SGID,DGID
		[[ $output == *'"data":{"DGID":"fe80::10:3","SGID":"fe80::10:1"}'* ]]
	done
	run -2 on node2 madsend --rmpp none GetMulti MultiPathRecord NumbPath=1 SGIDCount=1 DGIDCount=1 SDGID=fe80::10:1,fe80::10:3
	[[ $output == *'GetMulti needs RMPP'* ]]
}

# ALL=limited, SELF=full: each port has the default partition, all but the manager's are limited members.
@test "a limited member and the subnet manager's host get each other's responses" {
	local node lid peer
	echo 'Default=0x7fff,ipoib:ALL=limited,SELF=full;' >"$SERVED_DIR/partitions.conf"
	# else the switches drop them, before a host sees them
	opensm_start limited node1 -P "$SERVED_DIR/partitions.conf" -Z off
	until_true 60 opensm_says limited 'SUBNET UP'
	run -0 on node2 smpquery pkeys -D 0 1
	[[ $output == *'0: 0x7fff'* ]]
	lid=$(($(port_file node1 lid))) peer=$(($(port_file node2 lid)))
	run -0 on node1 perfquery "$peer" 1
	[[ $output == *"Lid $peer port 1"*PortXmitPkts* ]]
	run -0 on node2 perfquery "$lid" 1
	[[ $output == *"Lid $lid port 1"*PortXmitPkts* ]]
	run -0 on node2 saquery NR
	[[ $output == *'node1 HCA-1'* ]]
	spawn echo node1 ibping -S
	until_true 20 on node2 ibping -c 1 "$lid"
	# limited members cannot communicate, and the ports count what they refuse
	run -255 on node2 perfquery -t 100 "$(($(port_file node4 lid)))" 1
	run -0 on node1 smpquery portinfo "$(($(port_file node4 lid)))" 1
	(($(dotted PkeyViolations <<<"$output") > 0))
}

# Processes that a test has spawned end with it.
@test "a second opensm stands by, and takes over when the first is killed" {
	local first
	opensm_start first node1
	first=$SERVED_JOB
	until_true 60 opensm_says first 'SUBNET UP'
	# it polls every 10 s, and four times, unless configured otherwise
	printf '%s\n' 'sminfo_polling_timeout 200' 'polling_retry_number 2' >"$SERVED_DIR/second.conf"
	opensm_start second node3 -F "$SERVED_DIR/second.conf"
	until_true 60 opensm_says second 'Entering STANDBY'
	run -0 --separate-stderr on node2 madcheck --rules sm,init,lid,silent
	kill -KILL "$first"
	until_true 60 opensm_says second 'Entering MASTER'
	until_true 60 opensm_says second 'SUBNET UP'
	run -0 on node2 sminfo
	[[ $output == *"sm lid $(($(port_file node3 lid))) "*MASTER ]]
	run -0 port_file node1 cap_mask
	((!(output & 2)))
}

master_is() { [[ $(on node4 sminfo 2>/dev/null) == "sminfo: sm lid $(($(port_file "$1" lid))) "*MASTER ]]; }

@test "the built-in subnet manager gives way to opensm, and is back when that ends" {
	# shellcheck disable=SC2034  # serve sets them
	local SERVED_DIR SERVED_SOCKET SERVED_PID
	serve "$TOPOLOGIES/small.net" --sm node1 --events "$BATS_TEST_TMPDIR/events"
	until_true 60 port_is_active node4
	until_true 10 reregistered 1
	coproc SEND { exec madsend --device "sim:unix:$SERVED_SOCKET@node4" --batch - -j -t 200 2>/dev/null 3>&-; }
	# shellcheck disable=SC2034  # set by coproc
	local sender=$SEND_PID input
	until_true 10 batch_asks node1
	opensm_start daemon node2
	until_true 60 opensm_says daemon 'SUBNET UP'
	until_true 60 master_is node2
	until_true 10 reregistered 2
	until_true 10 batch_asks node2
	end "$SERVED_JOB"
	until_true 60 master_is node1
	until_true 10 reregistered 3
	until_true 10 batch_asks node1
	local fd=${SEND[1]}
	exec {fd}>&-
	wait "$sender" || :
	serve_end
}

# reregistered N: N managers have set ClientReregister at each host with a cable.
reregistered() {
	[[ $(jq -r '.data | select(.event == "client-reregister" and (.node | startswith("node"))).node' \
		"$BATS_TEST_TMPDIR/events" | sort | uniq -c | awk -v n="$1" '$1 >= n' | wc -l) == 4 ]]
}

# batch_asks NODE: SMInfo of a batch that was started before goes to the subnet manager there, and the SA of that answers.
batch_asks() {
	local sminfo table lid
	lid=$(($(port_file "$1" lid)))
	echo '{"header":{"method":"Get","attribute":"SMInfo"}}' >&"${SEND[1]}"
	read -r sminfo <&"${SEND[0]}"
	echo '{"header":{"method":"Get","attribute":"ClassPortInfo","class":"SA"}}' >&"${SEND[1]}"
	read -r table <&"${SEND[0]}"
	[[ $(jq -c '[.remote.lid, .data.SMState]' <<<"$sminfo") == "[$lid,3]" ]] &&
		[[ $(jq -c '[.kind, .remote.lid]' <<<"$table") == "[\"response\",$lid]" ]]
}

# opensm queries MLNXExtendedPortInfo (0xff90) of each port of such a device, whether or not it is capable of FDR10.
@test "opensm logs no error for switches and adapters of Mellanox that run at QDR" {
	# shellcheck disable=SC2034  # serve sets them
	local SERVED_DIR SERVED_SOCKET SERVED_PID
	sed 's/^\(Hca\|Switch\)/vendid=0x2c9\ndevid=0xc738\n&/; s/ e=[0-9]//' "$TOPOLOGIES/small.net" >"$BATS_TEST_TMPDIR/qdr.net"
	serve "$BATS_TEST_TMPDIR/qdr.net" --no-sm
	opensm_start qdr node1
	until_true 60 opensm_says qdr 'SUBNET UP'
	run -1 grep ' ERR ' "$SERVED_DIR/qdr/log"
	run -0 on node1 smpquery MlnxExtPortInfo -D 0,1 1
	[[ $(dotted LinkSpeedSupported <<<"$output") == 0* ]]
	serve_end
}

# enforced NODE: the partition enforcement bits of the switch's port to NODE, inbound and outbound.
enforced() {
	on node1 smpquery portinfo -D "$1" "$2" | sed -n 's/^PartEnforce[A-Za-z]*:\.*//p' | tr '\n' ' '
}

# constraint PORT: PortRcvConstraintErrors and PortXmitConstraintErrors of leaf2's port.
constraint() {
	on node1 perfquery "$leaf2" "$1" | sed -n 's/^Port\(Xmit\|Rcv\)ConstraintErrors:\.*//p' | tr '\n' ' '
}

# Of two hosts behind leaf2, node2 is in partition 0x8001 with node1, node4 is not. All may reach the manager.
@test "opensm -Z both: switches drop packets of other partitions, and count them" {
	# shellcheck disable=SC2034  # serve sets them
	local SERVED_DIR SERVED_SOCKET SERVED_PID leaf2 lid2 lid4
	serve "$TOPOLOGIES/small.net" --no-sm
	echo 'Default=0x7fff,ipoib:ALL=limited,SELF=full; P1=0x0001:0x100001=full,0x100003=full;' >"$SERVED_DIR/partitions.conf"
	opensm_start both node1 -P "$SERVED_DIR/partitions.conf" -Z both
	until_true 60 opensm_says both 'SUBNET UP'
	run -1 grep ' ERR ' "$SERVED_DIR/both/log"
	leaf2=$(on node1 smpquery portinfo -D 0,1,7 0 | dotted Lid)
	lid2=$(($(port_file node2 lid))) lid4=$(($(port_file node4 lid)))
	run -0 on node1 smpquery switchinfo "$leaf2"
	[[ $(dotted PartEnforceCap <<<"$output") == 32 && $(dotted InboundPartEnf <<<"$output") == 1 ]]
	# at ports to hosts, not between switches
	[[ $(enforced 0,1,7 1) == '1 1 ' && $(enforced 0,1,7 7) == '0 0 ' ]]
	run -0 on node1 smpquery pkeys "$leaf2" 1
	[[ $output == *'0x7fff 0x8001'* ]] || { echo "$output"; return 1; }
	run -0 on node1 smpquery pkeys "$leaf2" 2
	[[ $output == *'0x7fff 0x0000'* && $output != *0x8001* ]] || { echo "$output"; return 1; }

	# a member reaches a member, and every host the manager's
	run -0 on node1 madsend -L "$lid2" --pkey-index 1 Get PortCounters PortSelect=1
	run -0 on node4 saquery NR
	[[ $(constraint 1) == '0 0 ' && $(constraint 2) == '0 0 ' ]]
	# the switch drops packets for a host outside the partition, before the host sees them
	run -3 on node1 madsend -L "$lid4" --pkey-index 1 -t 50 --retries 2 Get PortCounters PortSelect=1
	[[ $(constraint 2) == '3 0 ' ]] || { constraint 2; return 1; }
	run -0 on node1 smpquery portinfo "$lid4" 1
	[[ $(dotted PkeyViolations <<<"$output") == 0 ]]
	# opensm logs the trap of the switch
	until_true 20 opensm_says both 'num:259'
	serve_end
}

@test "opensm -l 2: each port of a host has four LIDs" {
	# shellcheck disable=SC2034  # serve sets them
	local SERVED_DIR SERVED_SOCKET SERVED_PID base lid
	serve "$TOPOLOGIES/small.net" --no-sm
	opensm_start lmc node1 -l 2
	until_true 60 opensm_says lmc 'SUBNET UP'
	run -1 grep ' ERR ' "$SERVED_DIR/lmc/log"
	base=$(($(port_file node2 lid)))
	[[ $(port_file node2 lid_mask_count) == 2 ]]
	run -0 on node2 ibstat
	[[ $output == *$'LMC: 2\n'* ]]
	run -0 on node4 ibtracert "$(($(port_file node4 lid)))" "$((base + 3))"
	[[ $output == *"lid $base-$((base + 3)) \"node2 HCA-1\"" ]]
	spawn echo node2 ibping -S
	for lid in $((base + 1)) $((base + 3)); do
		run -0 on node1 smpquery nodedesc "$lid"
		[[ $output == *'node2 HCA-1' ]]
		run -0 on node1 perfquery "$lid" 1
		until_true 20 on node4 ibping -c 1 "$lid"
	done
	run -0 on node1 saquery -p --slid "$(($(port_file node1 lid)))" --dlid "$((base + 2))"
	(($(grep -c 'PathRecord dump' <<<"$output") == 1))
	serve_end
}

# opensm maps SL 1 to VL15 and SL 12 to VL 12, of the eight that it makes operational.
@test "T1: opensm -Q: a packet whose SL has no operational VL is dropped" {
	# shellcheck disable=SC2034  # serve sets them
	local SERVED_DIR SERVED_SOCKET SERVED_PID leaf1 lid sl
	serve "$TOPOLOGIES/small.net" --no-sm
	# a trap would lead to a second sweep, which knows of eight VLs and maps SL 12 to VL 4
	madsim --control "$SERVED_SOCKET" fault drop class=SubnMgt method=Trap >/dev/null
	printf '%s\n' 'qos_max_vls 15' 'qos_high_limit 2' 'qos_vlarb_high 0:64,3:8' 'qos_vlarb_low 0:4,7:4' \
		'qos_sl2vl 0,15,2,3,4,5,6,7,0,1,2,3,12,5,6,7' 'max_op_vls 4' >"$SERVED_DIR/qos.conf"
	opensm_start qos node1 -Q -F "$SERVED_DIR/qos.conf"
	until_true 60 opensm_says qos 'SUBNET UP'
	run -1 grep ' ERR ' "$SERVED_DIR/qos/log"
	leaf1=$(on node1 smpquery portinfo -D 0,1 0 | dotted Lid) lid=$(($(port_file node3 lid)))
	lanes_are_set
	for sl in 0 2 13; do
		run -0 on node1 madsend -L "$lid" --sl "$sl" Get PortCounters PortSelect=1
	done
	for sl in 1 12; do
		run -3 on node1 madsend -L "$lid" --sl "$sl" -t 50 --retries 0 Get PortCounters PortSelect=1
	done
	serve_end
}

lanes_are_set() {
	run -0 on node1 smpquery portinfo "$leaf1" 2
	[[ $(dotted VLCap <<<"$output") == VL0-14 && $(dotted OperVLs <<<"$output") == VL0-7 ]] || return
	[[ $(dotted VLHighLimit <<<"$output") == 2 ]] || return
	run -0 on node1 smpquery sl2vl "$leaf1" 2
	[[ $output == *'| 0|15| 2| 3| 4| 5| 6| 7| 0| 1| 2| 3|12| 5| 6| 7|'* ]] || return
	run -0 on node1 smpquery vlarb "$leaf1" 2
	[[ $output == *'VL    : |0x0 |0x3 |'*'WEIGHT: |0x40|0x8 |'* ]]
}

# rate LINK: of the path from node1 to the adapter whose link is so
rates() {
	local node
	for node in node2 node3 node4; do
		echo "$node $(on node1 saquery --src-to-dst "$(($(port_file node1 lid))):$(($(port_file "$node" lid)))" | dotted rate)"
	done
}

@test "opensm and the built-in SA have the same rates for links of 2x EDR, 1x HDR, 2x FDR" {
	# shellcheck disable=SC2034  # serve sets them
	local SERVED_DIR SERVED_SOCKET SERVED_PID own line
	printf '%s\n' 'Switch 4 "s"' '[1] "node1"[1] w=19 s=7 e=7' '[2] "node2"[1] w=19 s=7 e=7' \
		'[3] "node3"[1] w=19 s=7 e=7' '[4] "node4"[1] w=19 s=7 e=1' \
		'Ca 1 "node1"' '[1] "s"[1] w=19 s=7 e=7' 'Ca 1 "node2"' '[1] "s"[2] w=16 s=7 e=3' \
		'Ca 1 "node3"' '[1] "s"[3] w=1 s=7 e=7' 'Ca 1 "node4"' '[1] "s"[4] w=16 s=7 e=1' >"$BATS_TEST_TMPDIR/rates.net"
	serve "$BATS_TEST_TMPDIR/rates.net"
	until_true 60 port_is_active node4
	own=$(rates)
	echo "own: $own"
	[[ $own == *node2*0x94* ]]
	serve_end
	serve "$BATS_TEST_TMPDIR/rates.net" --no-sm
	opensm_start rates node1
	until_true 60 opensm_says rates 'SUBNET UP'
	line=$(rates)
	echo "opensm: $line"
	[[ $line == "$own" ]]
	serve_end
}
