#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# infiniband-diags, as Debian has them, on a fabric with the built-in subnet manager.

load common

setup_file() {
	local node
	serve "$TOPOLOGIES/small.dump"
	for node in "node1 HCA-1" "node2 HCA-1" "node3 HCA-1" "node4 HCA-1"; do
		until_true 60 port_is_active "$node"
	done
}

lid() { printf '%d\n' "$(port_file "$1 HCA-1" lid)"; }

@test "ibstat" {
	run -0 on "node2 HCA-1" ibstat
	[[ $output == "CA 'sim0'"*'Number of ports: 1'*'Node GUID: 0x0000000000100002'*'State: Active'*'Physical state: LinkUp'*"Base lid: $(lid node2)"*'Link layer: InfiniBand' ]]
	[[ $output == *'Port GUID: 0x0000000000100003'* ]]
	run -0 on "node2 HCA-1" ibstat -l
	[[ $output == sim0 ]]
	run -0 on "node4 HCA-1" ibstat -p
	(($(wc -l <<<"$output") == 2))
	# a number of sysfs is one of PortInfo
	run -0 on "node4 HCA-1" ibstat sim0 1
	[[ $output == *'Rate: 5'* ]]
}

@test "ibstatus" {
	run -0 on "node1 HCA-1" ibstatus
	[[ $output == "Infiniband device 'sim0' port 1 status:"*'fe80:0000:0000:0000:0000:0000:0010:0001'*'state:		 4: ACTIVE'*'phys state:	 5: LinkUp'*'rate:		 100 Gb/sec (4X EDR)'* ]]
}

@test "smpquery, by directed route and by LID" {
	local ways way
	ways=('-D 0,1,7' "$(on "node1 HCA-1" smpquery portinfo -D 0,1,7 0 | dotted Lid)")
	for way in "${ways[@]}"; do
		read -ra way <<<"$way"
		run -0 on "node1 HCA-1" smpquery nodedesc "${way[@]}"
		[[ $output == 'Node Description:'*'leaf2 rack2' ]]
		run -0 on "node1 HCA-1" smpquery nodeinfo "${way[@]}"
		[[ $(dotted NodeType <<<"$output") == Switch && $(dotted Guid <<<"$output") == 0x0000000000200001 ]]
		run -0 on "node1 HCA-1" smpquery switchinfo "${way[@]}"
		[[ $(dotted LinearFdbCap <<<"$output") == 49152 ]]
		run -0 on "node1 HCA-1" smpquery portinfo "${way[@]}" 2
		[[ $(dotted LinkState <<<"$output") == Active && $(dotted LinkWidthActive <<<"$output") == 1X ]]
	done
	run -0 on "node1 HCA-1" smpquery pkeys "$(lid node4)" 1
	[[ $output == *'0xffff 0x0000'* ]]
	run -0 on "node1 HCA-1" smpquery -G nodeinfo 0x100007
	[[ $(dotted Guid <<<"$output") == 0x0000000000100006 ]]
	run -0 on "node1 HCA-1" smpquery gi "$(lid node3)"
	[[ $output == *'0x0000000000100005'* ]]
}

@test "perfquery counts what it sends" {
	local before after
	before=$(on "node1 HCA-1" perfquery -x "$(lid node3)" 1 | dotted PortXmitPkts)
	after=$(on "node1 HCA-1" perfquery -x "$(lid node3)" 1 | dotted PortXmitPkts)
	((after > before))
	run -0 on "node1 HCA-1" perfquery
	[[ $(dotted SymbolErrorCounter <<<"$output") == 0 ]]
	run -0 on "node1 HCA-1" perfquery -a "$(on "node1 HCA-1" smpquery portinfo -D 0,1 0 | dotted Lid)"
	[[ $output == '# Port counters:'*'port 255'* ]]
}

# sent_select OPTION...: names of the bits that perfquery sets in the last Set that it sends.
sent_select() {
	on "node1 HCA-1" perfquery -dd "$@" 2>&1 | madrecv -q -r - -j |
		jq -c 'select(.header.method == "Set").data | [.PortSelect, .CounterSelect_names, .CounterSelect2_names]'
}

@test "D8: CounterSelect=all selects what perfquery -R selects" {
	local lid sent ours option
	lid=$(lid node3)
	for option in '' -x; do
		madsim --control "$SERVED_SOCKET" counter node3 1 PortXmitWait=17
		sent=$(sent_select ${option:+"$option"} -R "$lid" 1)
		run -0 on "node1 HCA-1" madsend -j -L "$lid" Set "PortCounters${option:+Extended}" PortSelect=1 CounterSelect=all
		[[ $(jq .data.PortXmitWait <<<"$output") == 0 ]]
		ours=$(jq -c '.data | [.PortSelect, .CounterSelect_names, .CounterSelect2_names]' <<<"$output")
		[[ $sent == *'"PortXmitWait"'* ]]
		[[ $ours == "$sent" ]]
	done
}

@test "sminfo" {
	run -0 on "node4 HCA-1" sminfo
	[[ $output == "sminfo: sm lid $(($(port_file "node4 HCA-1" sm_lid))) "*'SMINFO_MASTER' ]]
}

@test "ibnetdiscover finds the topology that was given" {
	run -0 on "node3 HCA-1" ibnetdiscover
	diff <(topology_of <"$TOPOLOGIES/small.dump") <(topology_of <<<"$output")
	run -0 on "node3 HCA-1" ibhosts
	(($(wc -l <<<"$output") == 4))
	run -0 on "node3 HCA-1" ibswitches
	(($(wc -l <<<"$output") == 2))
}

@test "iblinkinfo" {
	run -0 on "node1 HCA-1" iblinkinfo
	(($(grep -c 'Active/  LinkUp' <<<"$output") == 12))
	(($(grep -c 'Down/ Polling' <<<"$output") == 8))
	run -0 on "node1 HCA-1" iblinkinfo -l --switches-only
	[[ $output == *'0x0000000000200001 "'*'leaf2 rack2'*'==( 1X           5.0 Gbps Active/  LinkUp)==>  0x0000000000100007'* ]]
}

@test "ibqueryerrors" {
	run -0 on "node1 HCA-1" ibqueryerrors
	[[ $output == *'Summary: 6 nodes checked, 0 bad nodes found'* ]]
}

pinged() { grep -q "3 packets transmitted, 3 received, 0% packet loss" <<<"$output"; }

@test "ibping, both ways" {
	local node peer
	for node in node1 node4; do
		peer=node4
		[[ $node == node1 ]] || peer=node1
		spawn "$node" "$node HCA-1" ibping -S
		until_true 60 on "$peer HCA-1" ibping -c 1 "$(lid "$node")"
		run -0 on "$peer HCA-1" ibping -c 3 "$(lid "$node")"
		pinged
		end "$SERVED_JOB"
	done
	# there are no more responses
	run on "node4 HCA-1" ibping -c 1 "$(lid node1)"
	[[ $output == *'1 packets transmitted, 0 received, 100% packet loss'* ]]
}

@test "ibping by GUID, and a server that is killed" {
	spawn server "node2 HCA-1" ibping -S
	until_true 60 on "node1 HCA-1" ibping -c 1 "$(lid node2)"
	run -0 on "node1 HCA-1" ibping -c 3 -G 0x100003
	pinged
	{ kill -KILL "$SERVED_JOB"; } 2>/dev/null
	until_true 60 fabric_gone "$SERVED_JOB"
	# its class is free again
	spawn again "node2 HCA-1" ibping -S
	until_true 60 on "node1 HCA-1" ibping -c 1 "$(lid node2)"
	end "$SERVED_JOB"
}

@test "saquery" {
	run -0 on "node2 HCA-1" saquery NR
	(($(grep -c 'NodeRecord dump' <<<"$output") == 6))
	run -0 on "node2 HCA-1" saquery PIR
	(($(grep -c 'PortInfoRecord dump' <<<"$output") == 22))
	run -0 on "node2 HCA-1" saquery LR
	(($(grep -c 'LinkRecord dump' <<<"$output") == 12))
	run -0 on "node2 HCA-1" saquery --src-to-dst "$(lid node1):$(lid node4)"
	[[ $(record_dots <<<"$output") == *$'dgid\tfe80::10:7\nsgid\tfe80::10:1\n'* ]]
	run -0 on "node2 HCA-1" saquery -c
	[[ $output == 'SA ClassPortInfo:'* ]]
	run -0 on "node2 HCA-1" saquery -s
	[[ $output == 'IsSM ports'*'capability_mask'*'IsSMdisabled ports'* ]]
}

@test "ibtracert, ibroute, ibaddr, ibportstate" {
	run -0 on "node1 HCA-1" ibtracert "$(lid node1)" "$(lid node4)"
	[[ $output == *'From ca {0x0000000000100000}'*'To ca {0x0000000000100006} portnum 1 lid'*'"node4 HCA-1"' ]]
	run -0 on "node1 HCA-1" ibroute "$(on "node1 HCA-1" smpquery portinfo -D 0,1 0 | dotted Lid)"
	[[ $output == *'node4 HCA-1'* ]]
	run -0 on "node1 HCA-1" ibaddr -l "$(lid node3)"
	[[ $output == "LID start 0x$(printf '%x' "$(lid node3)")"* ]]
	run -0 on "node1 HCA-1" ibportstate -D 0,1 7 query
	[[ $output == *'LinkState:'*'Active'*'Peer PortInfo'* ]]
}

@test "our own commands, over umad" {
	run -0 on "node3 HCA-1" madsend --device umad:sim0/1 -j -L "$(lid node4)" Get NodeDescription
	[[ $(jq -r .data.NodeDescription <<<"$output") == 'node4 HCA-1' ]]
	run -0 on "node3 HCA-1" madreg --list
	[[ $output == *'sim0'* ]]
}

@test "A1: GetTable PortInfoRecord EndportLID=N answers what saquery PIR N does" {
	local leaf theirs
	leaf=$(on "node1 HCA-1" smpquery portinfo -D 0,1 0 | dotted Lid)
	theirs=$(on "node2 HCA-1" saquery PIR "$leaf" | grep -c 'PortInfoRecord dump')
	((theirs > 1)) || { echo "saquery: $theirs"; return 1; }
	run -2 --separate-stderr on "node2 HCA-1" madsend GetTable PIR LID="$leaf"
	[[ $stderr == *'EndportLID, PortInfo.Lid'* ]] || { echo "$stderr"; return 1; }
	run -0 on "node2 HCA-1" madsend -j GetTable PIR EndportLID="$leaf"
	((${#lines[@]} == theirs)) || { echo "${#lines[@]}, saquery: $theirs"; return 1; }
}

@test "E4: a wait as long as the timeout ends before the request comes back" {
	local counts=''
	for ((i = 0; i < 12; i++)); do
		run on "node1 HCA-1" smpquery -t 260 nodeinfo 40
		((status)) || return 1
		counts+=$(grep -c 'recv failed: Connection timed out' <<<"$output" || :)
	done
	# the kernel's timer is late: poll() ends, and libibmad does not try again
	[[ $counts == 111111111111 ]] || { echo "$counts"; return 1; }
}
