#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Values: what madsend reads is what smpquery, perfquery and saquery read from the same node.

load common

setup_file() {
	start_fabric
	LID_LEAF1=$(lid_of 0,1 0) LID_LEAF2=$(lid_of 0,1,7 0) LID_NODE2=$(lid_of 0,1,7,1 1)
	LID_NODE3=$(lid_of 0,1,2 1) LID_NODE1=$(lid_of 0 1)
	export LID_LEAF1 LID_LEAF2 LID_NODE1 LID_NODE2 LID_NODE3
}

@test "the oracle can disagree" {
	local theirs=$'Guid\t0x0000000000200000\nNumPorts\t8'
	agree 2 "$theirs" '{"data":{"Guid":"0x0000000000200000","NumPorts":8}}'
	run -1 agree 2 "$theirs" '{"data":{"Guid":"0x0000000000200000","NumPorts":9}}'
	[[ $output == 'NumPorts: theirs 8, ours 9 ' ]]
	run -1 agree 2 "$theirs" '{"data":{"NumPorts":8}}'
	[[ $output == Guid:* ]]
	run -1 agree 3 "$theirs" '{"data":{"Guid":"0x0000000000200000","NumPorts":8}}'
}

@test "NodeInfo of every node, by direct route" {
	for path in 0 0,1 0,1,2 0,1,7 0,1,8 0,1,7,1 0,1,7,2; do
		same 12 smpquery nodeinfo -D $path -- -D $path Get NodeInfo
	done
}

@test "NodeInfo of every node, by LID" {
	for lid in "$LID_NODE1" "$LID_NODE2" "$LID_NODE3" "$LID_LEAF1" "$LID_LEAF2"; do
		same 12 smpquery nodeinfo "$lid" -- -L "$lid" Get NodeInfo
	done
}

@test "NodeDescription" {
	[[ $(on node1 madsend -D 0,1,7,1 -j Get NodeDescription | jq -r .data.NodeDescription) == 'node2 HCA-1' ]]
	[[ $(on node1 madsend -D 0,1 -j Get NodeDesc | jq -r .data.NodeDescription) == 'leaf1 rack1' ]]
}

@test "PortInfo of every port of a switch: up, down, and port 0" {
	for port in {0..8}; do
		same 48 smpquery portinfo -D 0,1 "$port" -- -D 0,1 -m "$port" Get PortInfo
	done
}

@test "PortInfo of hosts with other widths and speeds, by LID" {
	for path in 0,1,7,1 0,1,7,2 0,1,2; do
		lid=$(lid_of $path 1)
		same 48 smpquery portinfo "$lid" 1 -- -L "$lid" -m 1 Get PortInfo
	done
}

@test "SwitchInfo" {
	for path in 0,1 0,1,7; do
		same 18 smpquery switchinfo -D $path -- -D $path Get SwitchInfo
	done
}

@test "GUIDInfo" {
	theirs=$(on node1 smpquery GI "$LID_NODE2" | grep -oE '0x[0-9a-f]{16}' | head -n 8)
	[[ $(wc -l <<<"$theirs") == 8 ]]
	[[ $(on node1 madsend -L "$LID_NODE2" -j Get GUIDInfo | jq -r '.data.GUID[]') == "$theirs" ]]
}

@test "P_KeyTable" {
	theirs=$(on node1 smpquery pkeys "$LID_NODE2" | grep -oE '0x[0-9a-f]{4}' | head -n 32)
	[[ $(wc -l <<<"$theirs") == 32 ]]
	ours=$(on node1 madsend -L "$LID_NODE2" -j Get P_KeyTable | jq -r '.data.PKey[]')
	[[ $(for key in $ours; do printf '0x%04x\n' "$key"; done) == "$theirs" ]]
}

# Of a table's row ("| 0| 1|..."), one number a line.
row() { grep -oE '(0x)?[0-9a-f]+ *\|' | tr -d ' |' | while read -r n; do echo $((n)); done; }

@test "SLtoVLMappingTable" {
	theirs=$(on node1 smpquery sl2vl "$LID_NODE1" | sed -n 's/^ports:[^|]*//p' | row)
	[[ $(wc -l <<<"$theirs") == 16 ]]
	diff <(echo "$theirs") <(on node1 madsend -L "$LID_NODE1" -j Get SLtoVLMappingTable | jq '.data.SLtoVL[]')
}

# modifier: 1 is the low priority table's first block, 3 the high one's, in the upper half
@test "VLArbitrationTable" {
	theirs=$(on node1 smpquery vlarb "$LID_NODE1" 1 | grep -E '^(VL|WEIGHT)' | sed 's/^[^|]*//')
	for table in 1 3; do
		ours=$(on node1 madsend -L "$LID_NODE1" -m $((table << 16)) -j Get VLArbitrationTable)
		diff <(sed -n "${table}p" <<<"$theirs" | row) <(jq '.data.Block[:8][].VL' <<<"$ours")
		diff <(sed -n "$((table + 1))p" <<<"$theirs" | row) <(jq '.data.Block[:8][].Weight' <<<"$ours")
	done
}

@test "LinearForwardingTable" {
	theirs=$(on node1 ibroute "$LID_LEAF1" | sed -nE 's/^(0x[0-9a-f]{4}) ([0-9]{3}) .*/\1 10#\2/p' |
		while read -r lid port; do echo "$((lid)) $((port))"; done)
	[[ $(wc -l <<<"$theirs") == 6 ]]
	diff <(echo "$theirs") <(on node1 madsend -L "$LID_LEAF1" -j Get LinearForwardingTable |
		jq -r '.data.Port | to_entries[] | select(.value != 255) | "\(.key) \(.value)"')
}

@test "SMInfo, without a destination from the subnet manager" {
	theirs=$(on node2 sminfo)
	ours=$(on node2 madsend -j Get SMInfo)
	[[ $(jq .remote.lid <<<"$ours") == "$LID_NODE1" ]]
	[[ $(on node1 madsend -j Get SMInfo | jq .remote.lid) == "$LID_NODE1" ]]
	[[ $theirs == *"sm guid $(jq -r '.data.GUID | sub("0x0+"; "0x")' <<<"$ours"),"* ]]
	[[ $theirs == *"priority $(jq -r .data.Priority <<<"$ours") state $(jq -r .data.SMState <<<"$ours") "* ]]
}

# Each counter gets a different value, so that a shifted field shows. Traffic of the test does not
# cross this port.
@test "PortCounters" {
	local value=1 field
	for field in SymbolErrorCounter LinkErrorRecoveryCounter LinkDownedCounter PortRcvErrors \
		PortRcvRemotePhysicalErrors PortRcvSwitchRelayErrors PortXmitDiscards PortXmitConstraintErrors \
		PortRcvConstraintErrors LocalLinkIntegrityErrors ExcessiveBufferOverrunErrors VL15Dropped \
		PortXmitData PortRcvData PortXmitPkts PortRcvPkts PortXmitWait; do
		console "PerformanceSet \"leaf2\"[2] PortCounters.$field=$((value++))"
	done
	# libibmad 44 reads QP1Dropped from the bytes of VL15Dropped.
	theirs=$(on node1 perfquery "$LID_LEAF2" 2 | dots | grep -v ^QP1Dropped)
	ours=$(on node1 madsend -L "$LID_LEAF2" -j Get PortCounters PortSelect=2)
	agree 20 "$theirs" "$ours"
	# 17 values and no two alike
	[[ $(jq '[.data | to_entries[] | select(.key | test("_|Select|QP1") | not) | .value] | unique | length' <<<"$ours") == 17 ]]
	[[ $(jq .data.PortXmitData_bytes <<<"$ours") == $((13 * 4)) ]]
}

@test "PortCounters at their limits" {
	console 'PerformanceSet "leaf2"[3] PortCounters.SymbolErrorCounter=65535'
	console 'PerformanceSet "leaf2"[3] PortCounters.PortXmitData=4294967295'
	console 'PerformanceSet "leaf2"[3] PortCounters.LocalLinkIntegrityErrors=15'
	theirs=$(on node1 perfquery "$LID_LEAF2" 3 | dots | grep -v ^QP1Dropped)
	agree 20 "$theirs" "$(on node1 madsend -L "$LID_LEAF2" -j Get PortCounters PortSelect=3)"
	grep -q $'^PortXmitData\t4294967295$' <<<"$theirs"
}

@test "PortCountersExtended" {
	local value=1 field
	for field in PortXmitData PortRcvData PortXmitPkts PortRcvPkts PortUnicastXmitPkts PortUnicastRcvPkts \
		PortMultiCastXmitPkts PortMultiCastRcvPkts; do
		console "PerformanceSet \"leaf2\"[2] PortCountersExtended.$field=$((0x100000000 * value++))"
	done
	theirs=$(on node1 perfquery -x "$LID_LEAF2" 2 | dots)
	agree 10 "$theirs" "$(on node1 madsend -L "$LID_LEAF2" -j Get PortCountersExtended PortSelect=2)"
}

@test "counters set to zero by Set PortCounters are zero for perfquery" {
	console 'PerformanceSet "leaf2"[4] PortCounters.SymbolErrorCounter=9'
	console 'PerformanceSet "leaf2"[4] PortCounters.LinkDownedCounter=8'
	[[ $(on node1 perfquery "$LID_LEAF2" 4 | dots | grep ^SymbolErrorCounter) == $'SymbolErrorCounter\t9' ]]
	# bit 0: SymbolErrorCounter alone
	on node1 madsend -L "$LID_LEAF2" Set PortCounters PortSelect=4 CounterSelect=0x0001
	theirs=$(on node1 perfquery "$LID_LEAF2" 4 | dots)
	grep -q $'^SymbolErrorCounter\t0$' <<<"$theirs"
	grep -q $'^LinkDownedCounter\t8$' <<<"$theirs"
}

@test "PathRecord" {
	for destination in "$LID_NODE2" "$LID_NODE3" "$LID_LEAF2"; do
		theirs=$(on node1 saquery PR --src-to-dst "$LID_NODE1:$destination" | record_dots | grep -v ^resv)
		ours=$(on node1 madsend -j Get PathRecord SLID="$LID_NODE1" DLID="$destination" NumbPath=1)
		[[ $(wc -l <<<"$theirs") == 15 ]]
		diff <(echo "$theirs") <(path_as_saquery <<<"$ours")
	done
}

@test "PathRecord by GID" {
	sgid=$(on node1 madsend -j Get PathRecord SLID="$LID_NODE1" DLID="$LID_NODE2" NumbPath=1 | jq -r .data.SGID)
	dgid=$(on node1 saquery PR --src-to-dst "$LID_NODE1:$LID_NODE2" | record_dots | sed -n 's/^dgid\t//p')
	ours=$(on node1 madsend -j Get PathRecord SGID="$sgid" DGID="$dgid" NumbPath=1)
	[[ $(jq .data.DLID <<<"$ours") == "$LID_NODE2" ]]
}

@test "a port GUID as destination is resolved through the SA" {
	guid=$(on node1 smpquery nodeinfo "$LID_NODE2" | sed -n 's/^PortGuid:\.*//p')
	same 12 smpquery nodeinfo "$LID_NODE2" -- -G "$guid" Get NodeInfo
}

# Records of the SA: what saquery prints, in its words.
@test "NodeRecord" {
	for lid in "$LID_NODE2" "$LID_LEAF2"; do
		theirs=$(on node1 saquery NR "$lid" | sed -nE 's/^\t\t([A-Za-z_]+)\.+([^.].*)$/\1 \2/p' | grep -v ^reserved)
		[[ $(wc -l <<<"$theirs") == 14 ]]
		on node1 madsend -j Get NodeRecord LID="$lid" | jq -r '.data | .NodeInfo as $i | .LID, $i.BaseVers, $i.ClassVers,
			$i.NodeType_name, $i.NumPorts, $i.SystemGuid, $i.Guid, $i.PortGuid, $i.PartCap, $i.DevId, $i.Revision,
			$i.LocalPort, $i.VendorId, .NodeDescription' >"$BATS_TEST_TMPDIR/ours"
		while read -r name value && IFS= read -r mine <&3; do
			[[ $value != 0x? && $value != 0x[0-9A-F][0-9A-F] ]] || value=$((value))
			[[ $mine == "$value" ]] || { echo "$name: theirs $value, ours $mine"; return 1; }
		done <<<"$theirs" 3<"$BATS_TEST_TMPDIR/ours"
	done
}

@test "PortInfoRecord" {
	theirs=$(on node1 saquery PIR "$LID_LEAF2/7" | sed 's/^\t\t//' | dots | grep -vE '^(EndPortLid|PortNum|Options)')
	agree 48 "$theirs" "$(on node1 madsend -j Get PortInfoRecord EndportLID="$LID_LEAF2" PortNum=7 |
		jq -c '{data: .data.PortInfo}')"
}

@test "SMInfoRecord" {
	theirs=$(on node1 saquery SMIR "$LID_NODE1" | sed -nE 's/^\t\t(GUID|ActCount|Priority|SMState)\.+(.*)$/\1\t\2/p')
	agree 3 "$(grep -v ActCount <<<"$theirs")" "$(on node1 madsend -j Get SMInfoRecord LID="$LID_NODE1" |
		jq -c '{data: .data.SMInfo}')"
}

@test "MCMemberRecord" {
	theirs=$(on node1 saquery MCMR | record_dots)
	[[ $(wc -l <<<"$theirs") == 15 ]]
	diff <(echo "$theirs") <(on node1 madsend -j Get MCMemberRecord | jq -r '.data | [["MGID", .MGID],
		["PortGid", .PortGID], ["qkey", .Q_Key], ["mlid", .MLID], ["mtu", .MTUSelector * 64 + .MTU],
		["TClass", .TClass], ["pkey", .P_Key], ["rate", .RateSelector * 64 + .Rate],
		["pkt_life", .PacketLifeTimeSelector * 64 + .PacketLifeTime], ["SL", .SL], ["FlowLabel", .FlowLabel],
		["HopLimit", .HopLimit], ["Scope", .Scope], ["JoinState", .JoinState],
		["ProxyJoin", .ProxyJoin]][] | "\(.[0])\t\(.[1])"')
}
