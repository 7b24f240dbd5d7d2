#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Every line of JSON is valid by the JSON Schema that is installed (madkit-json(7)).

setup() {
	load common
	cd "$dir" || return
	schema=$BATS_TEST_DIRNAME/../../schema/madkit-1.schema.json
	golden=$BATS_TEST_DIRNAME/../data/golden
}
teardown() { clean_up; }

# valid LINES FILE: FILE has at least so many lines, all of them valid.
valid() {
	local output
	output=$(python3 "$BATS_TEST_DIRNAME/../schema.py" "$schema" <"$2") || { echo "$output"; return 1; }
	((output >= $1)) || { echo "$2 has $output lines"; return 1; }
}

# refused CHANGE...: no change to the line of the file good is valid.
refused() {
	local change i
	valid 1 good
	for change in "$@"; do jq -c "$change" good; done >bad
	run -1 valid 1 bad
	for ((i = 1; i <= $#; i++)); do
		[[ $'\n'$output == *$'\n'"line $i: "* ]] || { echo "accepted: ${!i}"; return 1; }
	done
}

@test "the schema can refuse a line" {
	head -n 1 "$golden/nodeinfo.json" >good
	refused '.kind = "answer"' 'del(.rtt_us)' '.time = "yesterday"' '.header.tid = 5' '.remote.lid = -1' \
		'.rest = {"a": "00"}' '.status.mad = "0"' '.new = 1' '.status.new = 1' '.header = null' \
		'.kind = "timeout"' '.rmpp = {}'
}

@test "the schema can refuse a port" {
	head -n 1 "$golden/../port.json" >good
	refused '.port = null' 'del(.port)' '.port.width = 2' '.port.speed = "EDR2"' '.port.new = 1' \
		'del(.port.peer.node.type)' '.port.node.guid = 1' '.data = {}' '.port.node.new = 1' '.port.peer.new = 1' \
		'.port.peer.node.new = 1' 'del(.port.peer.plane)' '.hop = {}' '.hop.new = 1'
}

@test "the schema can refuse a summary" {
	madsweep --device sim:fat-tree:1,1,0 -j Get NodeInfo | tail -n 1 >good
	refused '.data.new = 1' '.data.requests.new = 1' 'del(.data.complete)' '.data.missing = ["nothing"]' \
		'.data.nodes = null' '.data = {}' '.data = null' '.data.via = "x"' 'del(.data.requests.unfinished)'
	madsweep --device sim:fat-tree:1,1,0 -j --route 1,2 | tail -n 1 >good
	refused '.data.routes = []' '.data.routes[0].new = 1' '.data.routes[0].outcome = "perhaps"' 'del(.data.routes[0].back)' \
		'.data.routes[0].mtu = 2000' '.data.routes[0].pkey = 65535' '.data.routes[0].partition = "x"' '.data.routes[0].vls = [16]'
	madsweep --device sim:fat-tree:1,1,0 -j --route 1,2 | head -n 1 >good
	refused '.hop.new = 1' '.hop.sl = 16' '.hop.vl = "0"' 'del(.hop.vl)' '.hop.notes = ["none"]'
}

@test "every golden line" {
	cat "$golden"/*.json "$golden/../port.json" >lines
	valid 292 lines
}

@test "every kind of line of every command" {
	local kind
	serve fat-tree:2,2,1 --events "$dir/events"
	export MADKIT_DEVICE=sim:unix:$socket
	{
		madsend -j Get NodeInfo
		madsend -j GetTable NodeRecord
		madsend -j GetTable NodeRecord LID=0xbeef
		madsend -j -L 99 -t 20 --retries 0 Get NodeInfo
		madsend -j -G 0x999 Get NodeInfo
		madsend -j -n 2 -i 1 Get NodeInfo
		madsend -j --dry-run Get PortInfo
		madsend -j --dry-run --class 0x42 --oui 0x123456 -L 1 0x55 0x10 data=0102
		madsend -j -D 0,1,9 -t 20 --retries 0 --locate Get NodeInfo
		printf '%s\n' '{"header":{}}' '{"header":{"method":"Get","attribute":"NodeInfo"},"tag":[1]}' \
			'{"cancel":[1]}' | madsend -j --batch - --summary
		madpoll -j -L 1 Get PortCounters PortSelect=1 --delta -n 2 -i 1
		madpoll -j -D 0 Get NodeInfo --until 'NumPorts == 9' -n 1
		madreg -j --class PerfMgt
		madreg -j --class PerfMgt --method Get
		madreg -j --class 0x32
		madrecv -j --class PerfMgt --deadline 10
		madrecv -j --subscribe 128 --deadline 300 -i 100
		madsim fat-tree:2,2,1 -- madreg --list -j
		madsend -f raw Get NodeInfo >mad
		madrecv -j -r mad
		cat events
	} >lines 2>messages || true
	valid 30 lines
	for kind in request response timeout error event summary; do
		grep -q "\"kind\":\"$kind\"" lines || { echo "no $kind"; return 1; }
	done
}

@test "every kind of line of madsweep" {
	local kind
	serve "$topologies/small.net"
	export MADKIT_DEVICE=sim:unix:$socket@node1
	{
		madsweep -j
		madsweep -j --via sa
		madsweep -j --route node1,node2 --both
		madsweep -j --route node1,node2 Get PortCounters
		madsend -q -L "$(madsend --name 'leaf1 rack1' -j Get NodeInfo | jq .remote.lid)" -m 0 --merge Set MulticastForwardingTable 'PortMask[1]=6' >/dev/null
		madsweep -j --mlid 0xc001
		madsweep -j Get PortCounters --filter 'SymbolErrorCounter >= 0'
		madsweep -j -m all Get LinearForwardingTable
		madsweep -j --clear PortCounters --select 'number == 1' --yes
		madsweep -j Get PortCounters --delta -i 1
		madsweep -j Get PortCountersExtended >old
		madsweep -j Get PortCountersExtended --since old
		madsweep -j --deadline 0
		madsweep -j --device sim:unix:nobody
		madsweep -j --device sim:fat-tree:1,1,0,sm=none Get PortCounters
		control agent node2 mute
		control agent leaf1 mute gsi
		madsweep -j -t 20 --retries 0
		madsweep -j -t 20 --retries 0 --via sa Get PortCounters
		control link leaf1 7 down
		control link leaf1 8 down
		madsweep -j -t 20 --retries 0 --route node1,node4
	} >lines 2>messages || true
	valid 120 lines
	for kind in port response timeout error summary; do
		grep -q "\"kind\":\"$kind\"" lines || { echo "no $kind"; return 1; }
	done
	jq -es '(map(select(.hop)) | length > 10) and (map(select(.hop.number == null and .hop)) | length > 0) and
		(map(.data.via?) | unique == [null, "sa", "smp"]) and any(.data.requests?) and any(.data.routes?) and any(.data.missing? | index("deadline"))' lines
}
