#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Names of the nodes that respond: --names and --node-name-map.

setup() {
	load common
	serve "$topologies/small.net"
	leaf=$(on node1 madsend GetTable NodeRecord --filter 'NodeDescription == "leaf2 rack2"' -j | jq .data.LID)
	printf '0x0000000000200001 "spine 7"\n' >"$dir/map"
}

teardown() { clean_up; }

@test "--names: the description in titles, in remote.name and in expressions" {
	run -0 on node1 madsend --names -L "$leaf" -m 1 Get PortInfo
	[[ ${lines[0]} == "# PortInfo: Lid $leaf port 1 (leaf2 rack2)" ]]
	run -0 on node1 madsend --names -L "$leaf" Get NodeInfo --filter 'remote.name == "leaf2 rack2"' -j
	jq -e '.remote.name == "leaf2 rack2"' <<<"$output"
	run -0 on node1 madsend -L "$leaf" Get NodeInfo -j
	jq -e '.remote | has("name") and .name == null' <<<"$output"
	# --until evaluates the response with the name
	run -0 on node1 madpoll --names -L "$leaf" Get NodeInfo --until 'remote.name == "leaf2 rack2"' -n 1
	run -6 --separate-stderr on node1 madpoll --names -L "$leaf" Get NodeInfo --until 'remote.name == "leaf1"' -n 1
	[[ $stderr == *'last value: remote.name: leaf2 rack2'* ]]
}

@test "the map has precedence; without --names only its names are shown" {
	run -0 on node1 madsend --names --node-name-map "$dir/map" -L "$leaf" Get NodeInfo
	[[ ${lines[0]} == *" (spine 7)" ]]
	run -0 on node1 madsend --node-name-map "$dir/map" -L "$leaf" Get NodeInfo
	[[ ${lines[0]} == *" (spine 7)" ]]
	run -0 on node1 madsend --node-name-map "$dir/map" --name node2 Get NodeInfo
	[[ ${lines[0]} != *"("* ]]
}

@test "each node of a batch has its name, and the SA is queried once for each LID" {
	local lids
	mapfile -t lids < <(on node1 madsend GetTable NodeRecord -j | jq .data.LID)
	for lid in "${lids[@]}" "${lids[@]}"; do
		echo "{\"remote\":{\"lid\":$lid},\"header\":{\"method\":\"Get\",\"attribute\":\"NodeDescription\"}}"
	done >"$dir/lines"
	run -0 on node1 madsend --batch "$dir/lines" -j --names -w "$dir/capture"
	jq -s -e 'length == 12 and all(.remote.name == .data.NodeDescription)' <<<"$output"
	[[ $(madrecv -r "$dir/capture" -j --filter 'header.attribute == NodeRecord && kind == request' | wc -l) == 6 ]]
	# a printed line can be sent again: the address counts
	on node1 madsend --names -L "$leaf" Get NodeInfo -j -K --dry-run | jq -c '.remote.name = "nosuch"' |
		on node1 madsend --batch - | grep "^# NodeInfo: Lid $leaf"
}

@test "the map is read once: it may be a pipe" {
	run -0 on node1 madsend --node-name-map <(cat "$dir/map"; echo '0x0000000000100002 "host 2"') --batch - -j \
		<<<"$(printf '{"remote":{"lid":%d},"header":{"method":"Get","attribute":"NodeInfo"}}\n' {1..6})"
	jq -s -e 'map(.remote.name | values) | sort == ["host 2", "spine 7"]' <<<"$output"
}

@test "an SA that does not respond is said once, and costs one timeout" {
	run -0 --separate-stderr on node1 madsend --names -s 999 -L "$leaf" -m 1-3 Get PortInfo -t 100 --retries 0
	[[ $(grep -c "^# PortInfo" <<<"$output") == 3 && $stderr == "madsend: names are not shown: the SA at LID "* ]]
	((${#stderr_lines[@]} == 1))
}

@test "the title of a record of a table does not name the SA" {
	run -0 on node1 madsend GetTable NodeRecord
	[[ ${lines[0]} == "# NodeRecord: record 1 of 6" ]]
}
