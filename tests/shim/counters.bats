#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Counters and congestion control settings, as infiniband-diags read and set them.

load common

# SWITCH and HOST: LIDs of leaf1 and node3. Port 3 of leaf1 is unplugged: its counters have the values that were set.
setup_file() {
	local node
	serve "$TOPOLOGIES/small.net"
	for node in "node1 HCA-1" "node3 HCA-1"; do
		until_true 60 port_is_active "$node"
	done
	SWITCH=$(on "node1 HCA-1" smpquery portinfo -D 0,1 0 | dotted Lid)
	HOST=$(on "node1 HCA-1" smpquery portinfo -D 0,1,2 1 | dotted Lid)
	export SWITCH HOST
}

control() { madsim --control "$SERVED_SOCKET" "$@"; }
query() { on "node1 HCA-1" perfquery "$@"; }

# option of perfquery, name of a counter
options() {
	cat <<-END
		--xmtsl XmtDataSL0
		--xmtsl XmtDataSL15
		--rcvsl RcvDataSL7
		--xmtdisc PortInactiveDiscards
		--xmtdisc PortSwHOQLifetimeLimitDiscards
		--rcverr PortLocalPhysicalErrors
		--rcverr PortLoopingErrors
		--oprcvcounters PortOpRcvPkts
		--oprcvcounters PortOpRcvData
		--flowctlcounters PortXmitFlowPkts
		--flowctlcounters PortRcvFlowPkts
		--vloppackets PortVLOpPackets15
		--vlopdata PortVLOpData8
		--vlxmitcounters PortVLXmitWait3
		--swportvlcong SWPortVLCongestion0
		--rcvcc PortPktRcvFECN
		--rcvcc PortPktRcvBECN
		--slrcvfecn PortSLRcvFECN1
		--slrcvbecn PortSLRcvBECN2
		--xmitcc PortXmitTimeCong
		--vlxmittimecc PortVLXmitTimeCong14
	END
}

@test "perfquery shows and resets each optional counter" {
	local option counter n=1000
	while read -r option counter; do
		control counter leaf1 3 "$counter=$((++n))"
		[[ $(query "$option" "$SWITCH" 3 | dotted "$counter") == "$n" ]] || { echo "$option $counter"; return 1; }
		query "$option" -R "$SWITCH" 3 >/dev/null
		[[ $(query "$option" "$SWITCH" 3 | dotted "$counter") == 0 ]] || { echo "$option -R $counter"; return 1; }
	done < <(options)
	# two bits wide
	control counter leaf1 3 PortVLXmitFlowCtlUpdateErrors5=3
	[[ $(query --vlxmitflowctlerrors "$SWITCH" 3 | dotted PortVLXmitFlowCtlUpdateErrors5) == 3 ]]
	query --vlxmitflowctlerrors -R "$SWITCH" 3 >/dev/null
	[[ $(query --vlxmitflowctlerrors "$SWITCH" 3 | dotted PortVLXmitFlowCtlUpdateErrors5) == 0 ]]
}

@test "perfquery -T: counters of extended speeds, where a port has them" {
	control counter leaf1 1 SyncHeaderErrorCounter=17
	control counter leaf1 1 FECCorrectableSymbolCtrLane11=18
	run -0 query -T "$SWITCH" 1
	[[ $output == *'with RS-FEC Active'* ]]
	[[ $(dotted SyncHeaderErrorCounter <<<"$output") == 17 ]]
	[[ $(dotted FECCorrectableSymbolCtrLane11 <<<"$output") == 18 ]]
	# W2: as perfquery shows them, by LID, in a sweep, and as a difference
	run -0 on "node1 HCA-1" madsend -L "$SWITCH" Get PortExtendedSpeedsCounters PortSelect=1
	[[ $(dotted FECCorrectableSymbolCtrLane11 <<<"$output") == 18 && $output != *FECCorrectableBlockCtrLane* ]]
	run -4 --separate-stderr on "node1 HCA-1" madsweep -j Get PortExtendedSpeedsCounters
	[[ $(jq -c 'select(.port.node.name == "leaf1 rack1" and .port.number == 1) | .data.FECCorrectableSymbolCtrLane[11]' <<<"$output") == 18 ]]
	run -0 on "node1 HCA-1" madpoll -L "$SWITCH" Get PortExtendedSpeedsCounters PortSelect=1 --delta -n 1 -i 10
	[[ $output == *FECCorrectableSymbolCtrLane11* ]]
	query -T -R "$SWITCH" 1
	[[ $(query -T "$SWITCH" 1 | dotted FECCorrectableSymbolCtrLane11) == 0 ]]
	# W2: counters of the other layout
	refused() { run -2 control counter leaf1 "$1" "$2=1"; }
	refused 1 ErrorDetectionCounterLane0
	refused 1 FECCorrectableBlockCtrLane0
	refused 7 FECCorrectableSymbolCtrLane0
	# the cables between the switches are FDR, without FEC
	control counter leaf1 7 ErrorDetectionCounterLane0=19
	control counter leaf1 7 FECUncorrectableBlockCtrLane11=20
	run -0 query -T "$SWITCH" 7
	[[ $output != *'RS-FEC'* ]]
	[[ $(dotted ErrorDetectionCounterLane0 <<<"$output") == 19 ]]
	[[ $(dotted FECUncorrectableBlockCtrLane11 <<<"$output") == 20 ]]
	run -0 on "node1 HCA-1" madsend -L "$SWITCH" Get PortExtendedSpeedsCounters PortSelect=7
	[[ $(dotted FECUncorrectableBlockCtrLane11 <<<"$output") == 20 && $output != *FECCorrectableSymbol* ]]
	run -0 on "node1 HCA-1" smpquery portinfoextended -D 0,1 1
	[[ $(dotted FECModeActive <<<"$output") == 2 ]]
	# node3 has a QDR link
	run query -T "$HOST" 1
	((status != 0))
}

@test "perfquery: one port or all ports, one bit or all bits" {
	control counter leaf1 3 PortDLIDMappingErrors=5
	control counter leaf1 4 PortDLIDMappingErrors=6
	control counter leaf1 4 PortVLMappingErrors=7
	[[ $(query -E "$SWITCH" 255 | dotted PortDLIDMappingErrors) == 11 ]]
	# bit 3
	query -E -R "$SWITCH" 4 0x8 >/dev/null
	[[ $(query -E "$SWITCH" 4 | dotted PortDLIDMappingErrors) == 0 ]]
	[[ $(query -E "$SWITCH" 4 | dotted PortVLMappingErrors) == 7 ]]
	query -E -R "$SWITCH" 255 >/dev/null
	[[ $(query -E "$SWITCH" 255 | dotted PortVLMappingErrors) == 0 ]]
	# an adapter does not announce AllPortSelect
	run query "$HOST" 255
	((status != 0))
	[[ $output == *'AllPortSelect not supported'* ]]
}

@test "perfquery: QP1Dropped is announced, shown and reset" {
	control counter leaf1 3 QP1Dropped=9
	[[ $(query -x "$SWITCH" 3 | dotted QP1Dropped) == 9 ]]
	query -x -R "$SWITCH" 3 >/dev/null
	[[ $(query -x "$SWITCH" 3 | dotted QP1Dropped) == 0 ]]
}

@test "ibqueryerrors --details asks for details where there are discards and errors" {
	control counter leaf1 3 PortXmitDiscards=3
	control counter leaf1 3 PortInactiveDiscards=3
	control counter leaf1 3 PortRcvErrors=4
	control counter leaf1 3 PortMalformedPktErrors=4
	run on "node1 HCA-1" ibqueryerrors --details
	[[ $output == *'[PortXmitDiscards == 3'*'== 3]'*'[PortRcvErrors == 4'*'== 4]'* && $output != *'query failed'* ]]
	on "node1 HCA-1" ibqueryerrors --details --clear-errors >/dev/null || true
	run -0 on "node1 HCA-1" ibqueryerrors --details
	[[ $output == *'0 bad nodes found'* ]]
	[[ $(query -D "$SWITCH" 3 | dotted PortInactiveDiscards) == 0 ]]
}

@test "counters move by traffic and errors, at both ends of a link" {
	local before after
	moves() {
		before=$(query -x "$2" "$3" | dotted "$1")
		until_true 20 more "$@"
	}
	more() { (($(query -x "$2" "$3" | dotted "$1") > before + 100000)); }
	control traffic node3 1 gbps=20 packets=2048
	control errors leaf1 3 SymbolErrorCounter=1000000
	moves PortXmitPkts "$HOST" 1
	moves PortRcvPkts "$SWITCH" 2
	moves PortXmitData "$HOST" 1
	moves SymbolErrorCounter "$SWITCH" 3
	# they stop
	control traffic node3 1 gbps=0
	control errors leaf1 3 SymbolErrorCounter=0
	before=$(query -x "$SWITCH" 3 | dotted SymbolErrorCounter)
	after=$(query -x "$SWITCH" 3 | dotted SymbolErrorCounter)
	((before == after))
	# PortCounters has 16 bits of it
	control counter leaf1 3 SymbolErrorCounter=65536
	[[ $(query "$SWITCH" 3 | dotted SymbolErrorCounter) == 65535 ]]
	query -R "$SWITCH" 3 >/dev/null
	query -x -R "$SWITCH" 3 >/dev/null
}

@test "perfquery --smplctl: a sample begins, runs and is done" {
	# a tick is 4 ns: 5 s, 5 s
	run -0 on "node1 HCA-1" madsend -j -L "$SWITCH" Set PortSamplesControl PortSelect=3 SampleStart=1250000000 SampleInterval=1250000000 \
		Tag=0xbeef 'CounterSelect[0]=1'
	run -0 query --smplctl "$SWITCH" 3
	[[ $(dotted SampleStatus <<<"$output") == 1 && $(dotted SampleInterval <<<"$output") == 1250000000 ]]
	[[ $(dotted Tag <<<"$output") == 0xbeef && $(dotted OptionMask <<<"$output") == 0x01ff000000ffffc0 ]]
	run -0 on "node1 HCA-1" madsend -j -L "$HOST" Set PortSamplesControl PortSelect=1 SampleStart=0 SampleInterval=1 Tag=1
	done_at_last() { [[ $(query --smplctl "$HOST" 1 | dotted SampleStatus) == 0 ]]; }
	until_true 20 done_at_last
}

# ---- congestion control --------------------------------------------------------------------

cc() { on "node1 HCA-1" "$@"; }

@test "ibccquery and ibccconfig: settings of a switch" {
	run -0 cc ibccquery CongestionInfo "$SWITCH"
	[[ $(dotted ControlTableCap <<<"$output") == 0 ]]
	run -0 cc ibccquery CongestionLog "$SWITCH"
	[[ $(dotted LogType <<<"$output") == 1 ]]
	cc ibccconfig SwitchCongestionSetting "$SWITCH" 0x1F 0x1FFFFFFFFF 0x0 0xF 8 0 0:0 1
	run -0 cc ibccquery SwitchCongestionSetting "$SWITCH"
	[[ $(dotted Control_Map <<<"$output") == 0x0000001f && $(dotted Victim_Mask <<<"$output") == *1fffffffff ]]
	[[ $(dotted Threshold <<<"$output") == 0x0f && $(dotted Marking_Rate <<<"$output") == 1 ]]
	cc ibccconfig SwitchPortCongestionSetting "$SWITCH" 2 1 0 5 6 7
	run -0 cc ibccquery SwitchPortCongestionSetting "$SWITCH" 2
	[[ $(dotted Valid <<<"$output") == 1 && $(dotted Cong_Parm_Marking_Rate <<<"$output") == 7 ]]
	[[ $(cc ibccquery SwitchPortCongestionSetting "$SWITCH" 3 | dotted Valid) == 0 ]]
	# what only adapters have
	run cc ibccquery CACongestionSetting "$SWITCH"
	((status != 0))
}

@test "ibccquery and ibccconfig: settings of an adapter" {
	local first second
	[[ $(cc ibccquery CongestionInfo "$HOST" | dotted ControlTableCap) == 2 ]]
	cc ibccconfig CACongestionSetting "$HOST" 0 0x3 150 1 0 0
	run -0 cc ibccquery CACongestionSetting "$HOST"
	[[ $(dotted Control_Map <<<"$output") == 0x0003 && $(dotted CCTI_Timer <<<"$output") == 150 ]]
	cc ibccconfig CongestionControlTable "$HOST" 1 0 1:2 3:4
	run -0 cc ibccquery CongestionControlTable "$HOST"
	[[ $(dotted CCTI_Limit <<<"$output") == 1 && $(tail -n 4 <<<"$output" | dotted CCT_Multiplier) == 4 ]]
	first=$(cc ibccquery Timestamp "$HOST" | dotted Timestamp)
	second=$(cc ibccquery Timestamp "$HOST" | dotted Timestamp)
	((first != second))
}

@test "ibccconfig: a CC_Key protects the settings" {
	cc ibccconfig CongestionKeyInfo "$HOST" 0x77 1 0 0
	run -0 cc ibccquery -c 0x77 CongestionKeyInfo "$HOST"
	[[ $(dotted CC_Key <<<"$output") == 0x0000000000000077 && $(dotted CC_KeyViolations <<<"$output") == 0 ]]
	run cc ibccconfig -t 100 -c 0x76 CACongestionSetting "$HOST" 0 0x3 1 1 1 1
	((status != 0))
	[[ $(cc ibccquery -c 0x77 CACongestionSetting "$HOST" | dotted CCTI_Timer) != 1 ]]
	(($(cc ibccquery -c 0x77 CongestionKeyInfo "$HOST" | dotted CC_KeyViolations) > 0))
	cc ibccconfig -c 0x77 CongestionKeyInfo "$HOST" 0 0 0 0
	cc ibccquery CACongestionSetting "$HOST" >/dev/null
}
