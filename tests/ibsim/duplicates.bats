#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# madsweep on a fabric with duplicate GUIDs. madsim refuses such a topology; ibsim can change GUIDs later.

load common

# twin A port 1 and twin B port 3 are linked to root: the port of each is down at the other one.
setup_file() {
	cat >"$BATS_FILE_TMPDIR/twins.net" <<-'END'
		Hca	1 "h0"	# "h0"
		[1]	"root"[1]

		Switch	8 "root"	# "root"
		[1]	"h0"[1]
		[2]	"twinA"[1]
		[3]	"twinB"[3]
		[4]	"hc"[1]
		[5]	"hd"[1]

		Switch	8 "twinA"	# "twin A"
		[1]	"root"[2]
		[2]	"ha"[1]

		Switch	8 "twinB"	# "twin B"
		[3]	"root"[3]
		[4]	"hb"[1]

		Hca	1 "ha"	# "ha"
		[1]	"twinA"[2]

		Hca	1 "hb"	# "hb"
		[1]	"twinB"[4]

		Hca	1 "hc"	# "hc"
		[1]	"root"[4]

		Hca	1 "hd"	# "hd"
		[1]	"root"[5]
	END
	fabric_start "$BATS_FILE_TMPDIR/twins.net"
}

nodes() { jq -c 'select(.kind == "port").port.node | [.guid, .name]' <<<"$output" | sort -u; }

guid_of() { jq -r --arg name "$1" 'select(.kind == "port" and .port.node.name == $name).port.node.guid' <<<"$output" | head -n 1; }

@test "without duplicates, the sweep is complete" {
	run -0 --separate-stderr on h0 madsweep -j
	[[ $(jq 'select(.kind == "summary").data | .complete, .nodes, .links, .duplicates' <<<"$output") == $'true\n8\n7\n0' ]]
}

@test "two switches with the same GUID are two nodes, with a route to each: exit status 5" {
	run -0 --separate-stderr on h0 madsweep -j
	console "Guid \"twinB\" $(guid_of 'twin A')"
	run -5 --separate-stderr on h0 madsweep -j
	[[ $(nodes | grep twin) == '["0x0000000000200001","twin A"]'$'\n''["0x0000000000200001","twin B"]' ]]
	[[ $(jq 'select(.kind == "summary").data | .complete, .nodes, .links, .duplicates, .refused' <<<"$output") == $'false\n8\n7\n2\n0' ]]
	[[ $stderr == *'duplicate GUID: 0x0000000000200001 twin A (0,1,2)'*'duplicate GUID: 0x0000000000200001 twin B (0,1,3)'* ]]
	# the nodes behind each one are found behind it
	[[ $(jq -r 'select(.port.node.type == "CA" and .port.node.name != "h0").port | "\(.node.name) \(.peer.node.name)"' <<<"$output" | sort) == \
		$'ha twin A\nhb twin B\nhc root\nhd root' ]]
	run -5 --separate-stderr on h0 madsweep
	(($(grep -c '^twin [AB] .*duplicate GUID$' <<<"$output") == 16))
	run -5 --separate-stderr on h0 madsweep --topology
	[[ $output == *'# S-0000000000200001 (twin B) at 0,1,3 is omitted: another node has the same GUID'* ]]
}

@test "two hosts with the same GUID are two nodes" {
	run --separate-stderr on h0 madsweep -j
	console "Guid \"hd\" $(guid_of hc)"
	run -5 --separate-stderr on h0 madsweep -j
	[[ $(nodes | grep -E '"h[cd]"' | cut -d, -f 1 | uniq -c | tr -s ' ') == ' 2 ['* ]]
	[[ $stderr == *' hc (0,1,4)'*' hd (0,1,5)'* ]]
}

@test "W13: a LID in PortInfo that is not unicast is none" {
	local lid
	for lid in 0xc001 0xffff; do
		on h0 madsend -q -D 0,1,4 -m 1 Set PortInfo --merge "Lid=$lid" >/dev/null
		run --separate-stderr on h0 madsweep -j --select 'node.name == "hc"'
		[[ $(jq -c 'select(.kind == "port").port.lid' <<<"$output") == null ]]
		run --separate-stderr on h0 madsweep --select 'node.name == "hc"' Get PortCounters
		[[ $stderr == *'PortCounters of hc port 1: not requested, because the port has no LID'* && $output == *'hc '*'?'* ]]
		run --separate-stderr on h0 madsweep --select 'node.name == "hc"' --clear PortCounters --yes
		[[ $stderr == *'PortCounters of hc port 1: cannot be cleared, because the port has no LID'* && -z $output ]]
	done
}
