#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# madsweep --via sa on fabrics that opensm manages: what saquery prints of the same records, and what a sweep by SMPs finds.

load common

teardown() { serve_end; }

# ports: the known data of each port. For a port that is down, opensm keeps only the states; its records have no FDR10.
ports() {
	jq -cS 'def plain: if . == "FDR10" then "QDR" else . end;
		select(.kind == "port").port | (if .speed == "FDR10" then .gbps = 8 * (.width | rtrimstr("x") | tonumber) else . end) |
		.speed |= plain | .speed_best |= plain | .speed_enabled |= plain |
		if .state == "Down" then del(.width_enabled, .speed_enabled) else . end' | sort
}

# LID and port of both ends of each LinkRecord
link_records() {
	sed -nE 's/^\t\t(From|To)(LID|Port)\.+([0-9]+)$/\1\2 \3/p' |
		awk '{ value[$1] = $2 } $1 == "ToLID" { print value["FromLID"], value["FromPort"], $2, value["ToPort"] }' | sort
}

# Of each PortInfoRecord of a port with a cable: LID, port, states, width, speed and MTU; of one that is down, only the states.
# The extended speed precedes the other.
port_records() {
	awk -F '[.:][.]*' '
		function print_record() {
			if (port == "" || port == 0) return
			if (v["LinkState"] == "Down") print lid, port, "Down", v["PhysLinkState"]
			else print lid, port, v["LinkState"], v["PhysLinkState"], v["LinkWidthActive"], speed, v["NeighborMTU"]
		}
		/^PortInfoRecord/ { print_record(); delete v; port = "" }
		{ sub(/^[ \t]+/, ""); name = $1; value = $0; sub(/^[A-Za-z0-9]+[.:][.]*/, "", value); v[name] = value }
		name == "EndPortLid" { lid = value }
		name == "PortNum" { port = value; speed = "" }
		name == "LinkSpeedActive" { speed = value }
		name == "LinkSpeedExtActive" && value ~ /Gbps/ { speed = value }
		END { print_record() }' | sort
}
ports_as_records() {
	jq -r 'def rate: {SDR: "2.5", DDR: "5.0", QDR: "10.0", FDR: "14.0625", EDR: "25.78125", HDR: "53.125", NDR: "106.25", XDR: "212.5"}[.] + " Gbps";
		select(.kind == "port").port | select(.number > 0) | [.lid, .number, .state, .phys] +
		(if .state == "Down" then [] else [(.width | ascii_upcase), (.speed | rate), .mtu] end) | map(tostring) | join(" ")' | sort
}

# records_agree TOPOLOGY NODE LINKS
records_agree() {
	local dir=$BATS_TEST_TMPDIR
	serve "$1" --no-sm
	opensm_start sm "$2"
	until_true 60 opensm_says sm 'SUBNET UP'
	until_true 60 port_is_active "$2"
	on "$2" madsweep -q -j >"$dir/smp"
	on "$2" madsweep -q -j --via sa >"$dir/sa"
	diff <(ports <"$dir/smp") <(ports <"$dir/sa")
	on "$2" saquery LR | link_records >"$dir/links"
	(($(wc -l <"$dir/links") == 2 * $3))
	diff "$dir/links" <(jq -r 'select(.kind == "port").port | select(.peer) | "\(.lid) \(.number) \(.peer.lid) \(.peer.number)"' "$dir/sa" | sort)
	on "$2" saquery PIR | port_records >"$dir/ports"
	(($(wc -l <"$dir/ports") >= 2 * $3))
	diff "$dir/ports" <(ports_as_records <"$dir/sa")
	serve_end
}

@test "a dump" { records_agree "$TOPOLOGIES/real.dump" 'old4 HCA-1' 50; }

@test "a fat tree of 504 nodes" {
	madsim --generate fat-tree:18,26,18 >"$BATS_TEST_TMPDIR/tree.net"
	records_agree "$BATS_TEST_TMPDIR/tree.net" 'h2-3 HCA-1' $((468 + 324))
}
