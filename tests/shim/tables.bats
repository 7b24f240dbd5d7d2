#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Whole tables by madsend -m all, against those that infiniband-diags reads.

load common

setup_file() {
	serve "$TOPOLOGIES/small.dump"
	until_true 60 port_is_active "node1 HCA-1"
}

setup() {
	leaf=$(on "node1 HCA-1" madsend GetTable NodeRecord --filter 'NodeDescription == "leaf1 rack1"' -j | jq .data.LID)
}

# rows COMMAND...: the lines of a table
rows() { on "node1 HCA-1" "$@" | grep -E '^ *[0-9]+:|^VL |^WEIGHT|^\|'; }

@test "P_KeyTable, GUIDInfo, SLtoVLMappingTable, VLArbitrationTable: smpquery" {
	local port lid
	lid=$(port_file "node2 HCA-1" lid)
	lid=$((lid))
	for port in 1 2; do
		diff <(rows smpquery pkeys "$leaf" "$port") <(rows madsend -L "$leaf" -m "$port:all" Get PKeyTable)
		diff <(on "node1 HCA-1" smpquery sl2vl "$leaf" "$port" | sed -n 's/^ports: in .*: |/|/p') \
			<(rows madsend -L "$leaf" -m "$port:all" Get SL2VL)
		# smpquery prints the elements that there are, 16, without the others of the block
		diff <(rows smpquery vlarb "$leaf" "$port" | cut -c 1-72) \
			<(rows madsend -L "$leaf" -m "$port:all" Get VLArb | cut -c 1-72)
	done
	diff <(rows smpquery pkeys "$leaf") <(rows madsend -L "$leaf" -m 0:all Get PKeyTable)
	diff <(rows smpquery guidinfo "$lid") <(rows madsend -L "$lid" -m all Get GUIDInfo)
}

@test "LinearForwardingTable: ibroute" {
	local lid port
	diff <(on "node1 HCA-1" ibroute "$leaf" | sed -nE 's/^0x([0-9a-f]+) 0*([0-9]+) :.*/\1 \2/p' |
		while read -r lid port; do echo "$((16#$lid)) $port"; done) \
		<(on "node1 HCA-1" madsend -L "$leaf" -m all Get LFT -j |
			jq -r '.header.modifier as $block | .data.Port | to_entries[] | select(.value != 255) |
				"\($block * 64 + .key) \(.value)"')
}

