#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# madsweep --delta and --since. tests/properties/differences.py has the differences of every port of random fabrics.

setup() {
	load common
	cd "$dir" || return
}

teardown() { clean_up; }

# counters that move in virtual time: 50 and 3 errors a second, and 80 Gb/s in packets of 1000 octets to h1-2
moving='sim:fat-tree:2,2,1@h1-1,control=errors leaf1 2 SymbolErrorCounter=50,control=errors h2-1 1 LinkDownedCounter=3'
moving+=',control=traffic leaf1 2 gbps=80 packets=1000'

# lines: the events of $output, as rows of node, port and the values of EXPRESSION...
events() {
	local IFS=,
	jq -rc "select(.kind == \"event\") | [.port.node.name, .port.number, $*]" <<<"$output"
}

# sweep ARGUMENT...: madsweep -j
sweep() { run --separate-stderr madsweep -j "$@"; }

# old: writes old.json
old() { madsweep -q -j Get PortCountersExtended >old.json; }

# older SECONDS: old.json, as if it had been written so much earlier
older() {
	python3 -c 'import json, sys
for line in open("old.json"):
    line = json.loads(line)
    line["epoch"] -= int(sys.argv[1])
    print(json.dumps(line))' "$1"
}

@test "--delta: differences, rates and shares are those of the traffic and errors" {
	sweep --device "$moving" Get PortCountersExtended --delta -i 10000
	((status == 0))
	[[ $(events .data.counters.SymbolErrorCounter.delta | grep -v ',0\]$') == '["leaf1",2,500]' ]]
	[[ $(events .data.counters.LinkDownedCounter.delta | grep -v ',0\]$') == '["h2-1 HCA-1",1,30]' ]]
	[[ $(events .data.counters.LinkDownedCounter.rate | grep -v ',0\]$') == '["h2-1 HCA-1",1,3]' ]]
	# 10,000,000 packets a second of 1000 octets; 80 of 200 Gb/s, and the MADs
	jq -se 'map(select(.kind == "event" and .port.node.name == "leaf1" and .port.number == 2).data.counters) | length == 1 and
		all(.[]; .PortXmitPkts.rate >= 9999999 and .PortXmitPkts.rate < 10000100 and
		.PortXmitData.share > 39 and .PortXmitData.share < 40.01 and .PortXmitData.rate_bytes == 4 * .PortXmitData.rate)' <<<"$output"
	jq -se 'map(select(.kind == "event").data) | length == 12 and
		all(.[]; .interval_us >= 9999000 and .interval_us <= 10001000 and .change == null)' <<<"$output"
	# each reading has one request for a port
	jq -se '.[-1].data.requests | [.ports, .answered, .unpaired] == [12, 12, 0]' <<<"$output"
}

@test "--delta -n: each reading is compared with the one before" {
	sweep --device "$moving" Get PortCountersExtended --delta -i 1000 -n 3 --fields kind,SymbolErrorCounter,port --filter 'SymbolErrorCounter > 0'
	[[ $(events .data.counters.SymbolErrorCounter.delta .data.counters.SymbolErrorCounter.value) == $'["leaf1",2,50,100]\n["leaf1",2,50,150]\n["leaf1",2,50,200]' ]] ||
		[[ $(events .data.counters.SymbolErrorCounter.delta) == $'["leaf1",2,50]\n["leaf1",2,50]\n["leaf1",2,50]' ]]
	run -0 madsweep -q --device "$moving" Get PortCountersExtended --delta -n 2 --fields SymbolErrorCounter,SymbolErrorCounter.rate
	[[ $output == $'# PortCountersExtended\nNODE  PORT SymbolErrorCounter SymbolErrorCounter.rate NOTE\nleaf1    2                 50                  50.0/s \n\n# Port'* ||
		$(grep -c '^leaf1 *2 *50 *50.0/s' <<<"$output") == 2 ]]
}

@test "text has the rows and the counters that changed; --fields, --sort, --top and CSV choose" {
	run -0 madsweep -q --device "$moving" Get PortCountersExtended --delta
	# rates and shares of the link, and the peer; packets say no more than octets
	[[ ${lines[0]} =~ ^NODE\ +PORT\ +PortXmitData\ +PortRcvData\ +SymbolErrorCounter\ +LinkDownedCounter\ +PEER\ +PORT\ +NOTE$ ]]
	[[ $(grep '^leaf1 *2 ' <<<"$output") =~ ^leaf1\ +2\ +80\.0\ Gb/s\ +40\ %\ +4\.6\ kb/s\ +0\.0\ %\ +50\.0/s\ +0\ +h1-2\ HCA-1\ +1$ ]]
	[[ $(grep '^h2-1 ' <<<"$output") =~ \ 0\ +3\.0/s\ +leaf2\ +1$ ]]
	# the same order in each shape
	run -0 madsweep -q --device "$moving" Get PortCountersExtended --delta --sort -PortXmitData.rate --top 2
	[[ ${#lines[@]} == 3 && ${lines[1]} =~ ^leaf1\ +2 && ${lines[2]} == h1-1* ]]
	run -0 madsweep -q --device "$moving" Get PortCountersExtended --delta --sort -PortXmitData.rate --top 1 -f text
	[[ ${lines[0]} == *'(leaf1) port 2 in '* && $(grep -c '^#' <<<"$output") == 1 ]]
	sweep --device "$moving" Get PortCountersExtended --delta --sort -PortXmitData.rate --top 1
	[[ $(events .data.counters.PortXmitPkts.delta) == '["leaf1",2,'1000* ]]
	run -0 madsweep -q --device "$moving" Get PortCountersExtended --delta --sort -PortXmitData.rate --top 2 -f csv
	[[ ${#lines[@]} == 3 && ${lines[1]} == leaf1,2,* && ${lines[2]} == 'h1-1 HCA-1,1,'* ]]
	# with --errors, the order is one of ports
	run -0 madsweep -q --device "$moving,control=errors h2-1 1 VL15Dropped=60" --errors --delta --sort -any_error
	[[ $(awk 'NR > 1 { print $1, /VL15/ || /Downed/ || /Symbol/ }' <<<"$output" | paste -sd,) == 'h2-1 1,h2-1 1,leaf1 1' && ${lines[1]} == *LinkDowned* ]]
	run -0 madsweep -q --device "$moving" Get PortCountersExtended --delta --fields SymbolErrorCounter,LinkDownedCounter
	((${#lines[@]} == 3))
	[[ ${lines[1]} =~ ^h2-1\ HCA-1\ +1\ +0\ +3$ && ${lines[2]} =~ ^leaf1\ +2\ +50\ +0$ ]]
	run -0 madsweep -q --device "$moving" Get PortCountersExtended --delta --sort -PortXmitData.rate --top 1 --fields PortXmitData.rate
	((${#lines[@]} == 2)) && [[ ${lines[1]} =~ ^leaf1\ +2\ +80\.0\ Gb/s$ ]]
	run -0 madsweep -q --device "$moving" Get PortCountersExtended --delta -f csv --fields port.node.name,port.number,SymbolErrorCounter,SymbolErrorCounter.rate
	[[ ${lines[0]} == $'port.node.name,port.number,SymbolErrorCounter,SymbolErrorCounter.rate\r' ]]
	[[ ${#lines[@]} == 2 && ${lines[1]} =~ ^leaf1,2,50,(49\.99|50\.00)[0-9]$'\r'$ ]]
	# exact numbers, by the units in the names
	run -0 madsweep -q --device "$moving" Get PortCountersExtended --delta -f csv
	[[ ${lines[0]} == port.node.name,port.number,port.peer.node.name,port.peer.number,interval_us,PortXmitData.rate_bytes,PortXmitData.share_percent,*SymbolErrorCounter,*,change* && ${lines[0]} != *PortSelect* ]]
	((${#lines[@]} == 13))
	python3 - "$output" <<-'END'
		import csv, sys
		rows = {(r['port.node.name'], r['port.number']): r for r in csv.DictReader(sys.argv[1].splitlines())}
		r = rows['leaf1', '2']
		assert 1e10 <= float(r['PortXmitData.rate_bytes']) < 1e10 + 1e4 and 39.99 < float(r['PortXmitData.share_percent']) < 40.01, r
		assert (r['SymbolErrorCounter'], r['port.peer.node.name'], r['port.peer.number'], r['change']) == ('50', 'h1-2 HCA-1', '1', ''), r
		assert 999000 < int(r['interval_us']) < 1001000, r
	END
	run -0 madsweep -q --device "$moving" --errors --delta -f csv
	[[ ${#lines[@]} == 3 && ${lines[0]} == *,SymbolErrorCounter,*,LinkDownedCounter,*,VL15Dropped,change* && ${lines[0]} != *Pkts* && ${lines[2]} =~ ^leaf1,2,h1-2\ HCA-1,1,[0-9]+,50,0 ]]
	# the header is there if nothing has changed, too
	run -0 madsweep -q --device "$moving" Get PortCountersExtended --delta -f csv --fields port.number,VL15Dropped
	[[ $output == $'port.number,VL15Dropped\r' ]]
	run -0 madsweep -q --device "$moving" --errors --delta
	((${#lines[@]} == 3))
	[[ ${lines[1]} =~ ^h2-1\ HCA-1\ +1\ LinkDownedCounter\ +\+3\ +3\.0/s\ leaf2\ +1$ && ${lines[2]} =~ ^leaf1\ +2\ SymbolErrorCounter\ +\+50\ 50\.0/s\ h1-2\ HCA-1\ +1$ ]]
	run -0 madsweep -q --device "$moving" -f text Get PortCountersExtended --delta --fields LinkDownedCounter --select 'node.name =~ "^h2-1"'
	[[ ${lines[0]} =~ ^'# PortCountersExtended: Lid '[0-9]+' (h2-1 HCA-1) port 1 in 1.000 s'$ && ${lines[1]} == 'LinkDownedCounter:...............+3 (3.0/s), value '* ]]
	run -6 --separate-stderr madsweep -q --device "$moving" Get PortCountersExtended --delta --assert 'SymbolErrorCounter < 50'
	run -0 --separate-stderr madsweep -q --device "$moving" Get PortCountersExtended --delta --assert 'SymbolErrorCounter < 51'
}

@test "Get A,B --delta and --route: each attribute, each hop" {
	sweep --device "$moving" Get PortCountersExtended,PortXmitDataSL --delta --fields kind,header.attribute
	[[ $(jq -r .header.attribute <<<"$output" | uniq -c | tr -s ' ' | paste -sd,) == ' 12 PortCountersExtended, 12 PortXmitDataSL, 1 null' ]]
	sweep --device "$moving" --route h1-2,h2-1 Get PortCountersExtended --delta --filter 'SymbolErrorCounter > 0'
	[[ $(events .hop.number .data.counters.SymbolErrorCounter.delta) == '["leaf1",2,0,50]' || $(events .data.counters.SymbolErrorCounter.delta) == '["leaf1",2,50]' ]]
}

# devices: writes devices.net, the fat tree of $moving: ConnectX-6, a Quantum as spine1, a Switch-IB as leaf1; leaf2 is of no vendor
devices() {
	madsweep -q --device sim:fat-tree:2,2,1 --topology | awk 'BEGIN { RS = ""; ORS = "\n\n" }
		/leaf2" base/ { print; next }
		{ id = /\nCa/ ? "0x101b" : /leaf1" base/ ? "0xcb20" : "0xd2f0"; sub(/vendid=0x0/, "vendid=0x2c9"); sub(/devid=0x0/, "devid=" id); print }' >devices.net
}

@test "congestion is the share of the time without credits; its tick is asked once of each kind of device" {
	devices
	# ticks of one octet each, on each of 4 lanes of leaf1, with 80 Gb/s; and alone
	local device="sim:devices.net@h1-1${moving#*@h1-1},control=errors leaf1 2 PortXmitWait=10000000,control=errors h2-2 1 PortXmitWait=1000000"
	device+=',control=errors leaf2 1 PortXmitWait=1000000'
	sweep --device "$device" Get PortCountersExtended --delta -w mads --fields kind,congestion,port
	# 4e7 of 4e7 + 1e10 octets
	[[ $(jq -r 'select(.kind == "event" and .port.node.name == "leaf1" and .port.number == 2).data.congestion | . > 0.39 and . < 0.41' <<<"$output") == true ]]
	[[ $(jq -r 'select(.kind == "event" and .port.node.name == "h2-2 HCA-1").data.congestion | . > 99' <<<"$output") == true ]]
	jq -se 'map(select(.kind == "event" and .data.congestion == null)) | length == 3 and all(.[]; .port.node.name == "leaf2")' <<<"$output"
	[[ $(madrecv -q -r mads -j --filter 'header.attribute == PortSamplesControl && header.method == GetResp' | wc -l) == 3 ]]
	sweep --device "$device" Get PortCountersExtended --delta -w mads --fields PortXmitWait
	[[ $(madrecv -r mads -j --filter 'header.attribute == PortSamplesControl' 2>/dev/null | wc -l) == 0 ]]
	# another port of the kind is asked if one does not respond
	device+=',control=fault drop node=h1-1 class=PerfMgt method=GetResp attribute=PortSamplesControl'
	sweep --device "$device" Get PortCountersExtended --delta -t 50 --retries 0 --filter 'congestion > 50'
	[[ $(events .data.congestion) == '["h2-2 HCA-1",1,'* && $(jq -r 'select(.kind == "event").port.node.name' <<<"$output") == 'h2-2 HCA-1' ]]
	# madpoll, by NodeInfo and PortInfo
	for words in 'leaf1 2 true' 'h2-2 1 true' 'leaf2 1 null'; do
		read -r node port want <<<"$words"
		run -0 --separate-stderr madpoll --device "$device" -j --name "$node" Get PortCountersExtended PortSelect="$port" --delta -n 1
		[[ $(jq -r '.data.congestion | if . == null then "null" elif . > 99 then "true" else . > 0.39 and . < 0.41 end' <<<"$output") == "$want" ]] || { echo "$words: $output"; return 1; }
	done
	run -0 --separate-stderr madpoll --device "$device" -j --name leaf1 Get PortCountersExtended PortSelect=2 --delta -n 1 -w mads
	[[ $(madrecv -q -r mads -j --filter 'header.method == GetResp' | jq -r .header.attribute | paste -sd' ') == *'NodeInfo PortInfo PortSamplesControl PortCountersExtended PortCountersExtended' ]]
}

@test "congestion is read if only --sort or --filter names it; if it is not known of any port, a message says why" {
	devices
	local device="sim:devices.net@h1-1${moving#*@h1-1},control=errors leaf1 2 PortXmitWait=10000000,control=errors h2-2 1 PortXmitWait=1000000"
	local words
	for words in '' '-f text' '-f csv'; do
		run -0 --separate-stderr madsweep --device "$device" Get PortCountersExtended --delta --sort -congestion --top 1 $words
		[[ $(grep -c 'h2-2' <<<"$output") == 1 && $output != *leaf1*2* ]] || { echo "$words: $output"; return 1; }
		[[ $stderr != *'congestion is not'* ]]
	done
	madsweep -q --device "$device" -j Get PortCountersExtended >old.json
	older 100 >older.json
	run -0 --separate-stderr madsweep --device "${device%=*}=9000000" Get PortCountersExtended --since older.json --sort -congestion -f csv --top 1
	[[ ${lines[1]} == h2-2* && $stderr != *'congestion is not'* ]]
	for words in '--sort -congestion' '--filter congestion>50' '--fields congestion'; do
		run --separate-stderr madsweep --device "$moving" Get PortCountersExtended --delta $words
		[[ $stderr == *'congestion is not known: madkit does not know the ticks of PortXmitWait of these devices'* ]] || { echo "$words: $stderr"; return 1; }
	done
	run -0 --separate-stderr madsweep --device "$moving" -j Get PortCountersExtended --delta
	[[ $stderr != *'congestion is not'* ]]
	run -0 --separate-stderr madsweep --device "$device" Get PortXmitDataSL --delta --sort -congestion
	[[ $stderr == *'congestion is not known: PortXmitDataSL does not have PortXmitWait'* ]]
	run --separate-stderr madsweep --device "$device,control=fault drop node=h2-2 class=PerfMgt method=GetResp attribute=PortSamplesControl" Get PortCountersExtended --delta --sort -congestion -t 20 --retries 0 --select 'node.name =~ h2-2'
	[[ $stderr == *'congestion is not known: no device has responded with Tick of PortSamplesControl'* ]] || { echo "$stderr"; return 1; }
}

# lack MASK MASK2 ARGUMENT...: as sweep, on switches that lack these capabilities
lack() {
	local lib=$MADKIT_BUILD/tests/sim/.libs/capabilities.so
	run --separate-stderr env LACKED_BY=switches "LACKED=$1" "LACKED2=$2" "LD_PRELOAD=${MADKIT_PRELOAD:+$MADKIT_PRELOAD:}$lib" \
		madsweep -j "${@:3}"
}

@test "PortCounters: each port by the counters that it has; 32 bits are said to be full soon" {
	local gbps
	sweep --device "$moving" Get PortCounters --delta
	[[ $(jq -r 'select(.kind == "event").data.attribute' <<<"$output" | uniq -c | tr -s ' ') == ' 12 PortCountersExtended' ]]
	[[ $stderr != *bits* ]]
	serve "$topologies/small.net"
	export MADKIT_DEVICE=sim:unix:$socket@node1
	control errors leaf1 2 SymbolErrorCounter=1000
	lack 0x600 0 Get PortCounters --delta -i 200 --fields kind,SymbolErrorCounter,PortXmitData,port
	((status == 0))
	[[ $(jq -r 'select(.kind == "event") | "\(.port.node.type) \(.data.attribute)"' <<<"$output" | sort | uniq -c | tr -s ' ' | paste -sd,) == \
		' 4 CA PortCountersExtended, 16 Switch PortCounters' ]]
	jq -se 'map(select(.data.counters.SymbolErrorCounter.delta > 0)) | length == 1 and
		all(.[]; .port.node.name == "leaf1 rack1" and .port.number == 2)' <<<"$output"
	# 2^32 words of 4 octets
	gbps=$(jq -s 'map(.port.gbps | numbers) | max' <<<"$output")
	[[ $stderr == *"PortXmitData has 32 bits at 16 ports: full after $(awk -v g="$gbps" 'BEGIN { s = 4294967295 * 32 / g / 1e9; printf s < 10 ? "%.2f" : "%.0f", s }') s at $gbps Gb/s"* ]] || { echo "$gbps: $stderr"; return 1; }
	# counters of errors from PortCounters, the others from PortCountersExtended
	lack 0 2 Get PortCounters --delta -i 200
	jq -se 'map(select(.kind == "event" and .port.node.name == "leaf1 rack1" and .port.number == 2)) | length == 1 and
		all(.[].data; .attribute == "PortCountersExtended" and .counters.SymbolErrorCounter.delta > 0 and .counters.PortUnicastXmitPkts.delta >= 0)' <<<"$output"
	[[ $stderr != *bits* ]]
}

@test "a full counter and a reset are marked, and no difference is guessed" {
	local full=18446744073709551615
	serve "$topologies/small.net"
	export MADKIT_DEVICE=sim:unix:$socket@node1
	control counter leaf1 2 SymbolErrorCounter=$full
	control counter leaf1 3 LinkDownedCounter=9
	control counter node3 1 SymbolErrorCounter=1
	old
	control counter leaf1 3 LinkDownedCounter=2
	control counter node3 1 SymbolErrorCounter=$full
	sweep Get PortCountersExtended --since old.json
	[[ $(events .data.counters.SymbolErrorCounter.delta .data.counters.SymbolErrorCounter.rate .data.change | grep 'rack1",2') == '["leaf1 rack1",2,null,null,null]' ]]
	[[ $(events .data.counters.SymbolErrorCounter.delta .data.counters.SymbolErrorCounter.rate .data.change | grep 'node3') == "[\"node3 HCA-1\",1,$((full - 1)),null,null]" ||
		$(events .data.counters.SymbolErrorCounter.saturated .data.counters.SymbolErrorCounter.rate | grep node3) == '["node3 HCA-1",1,true,null]' ]]
	[[ $(events .data.change | grep reset) == '["leaf1 rack1",3,"reset"]' ]]
	jq -se 'map(select(.data.change == "reset").data.counters[]) | length == 22 and all(.[]; .reset and .delta == null and .rate == null)' <<<"$output"
	run -0 madsweep -q Get PortCountersExtended --since old.json --fields SymbolErrorCounter,LinkDownedCounter
	((${#lines[@]} == 4))
	[[ ${lines[1]} =~ ^leaf1\ rack1\ +2\ +full\ +0$ && ${lines[2]} =~ ^leaf1\ rack1\ +3\ +reset\ +reset\ reset$ && ${lines[3]} =~ ^node3\ HCA-1\ +1\ \>=\ [0-9]+\ +0$ ]]
	run -0 madsweep -q --errors --since old.json -f csv
	[[ ${lines[0]} == *,SymbolErrorCounter,* && ${#lines[@]} == 4 && $output == *',reset'* ]]
	# an hour ago
	control counter leaf1 4 LinkDownedCounter=7
	old
	control counter leaf1 4 LinkDownedCounter=10
	older 3600 >hour.json
	run -0 madsweep -q Get PortCountersExtended --since hour.json --fields LinkDownedCounter,LinkDownedCounter.rate
	[[ ${lines[1]} =~ ^leaf1\ rack1\ +4\ +3\ +3/h$ && ${#lines[@]} == 2 ]]
	older 120 >minutes.json
	run -0 madsweep -q Get PortCountersExtended --since minutes.json --fields LinkDownedCounter.rate
	[[ ${lines[1]} =~ ^leaf1\ rack1\ +4\ +1\.[45]/min$ ]]
	control counter leaf1 3 LinkDownedCounter=9
	control counter node3 1 SymbolErrorCounter=1
	old
	control counter leaf1 3 LinkDownedCounter=2
	control counter node3 1 SymbolErrorCounter=$full
	run -0 madsweep -q --errors --since old.json
	[[ $(grep -c 'rack1\|node3' <<<"$output") == 3 && $output == *' full '* && $output == *'>= '* && $output == *reset* ]]
}

# second NET: serves the second fabric
second() {
	kill "$madsim_pid"
	wait "$madsim_pid" || :
	rm -f "$socket"
	start second madsim "$1" --socket "$socket" --banner
}

@test "ports that were replaced, added, are gone, or were silent" {
	madsweep -q --device sim:fat-tree:2,3,1 --topology >a.net
	# h1-2 has another HCA, h2-3 is gone; h2-2 was not there
	sed -e 's/100002\>/1000f2/g; s/100003\>/1000f3/g' a.net | awk 'BEGIN { RS = ""; ORS = "\n\n" } !/Ca.*h2-3/' | grep -v '^\[3\].*h2-3' >b.net
	awk 'BEGIN { RS = ""; ORS = "\n\n" } !/Ca.*h2-2/' a.net | grep -v '^\[2\].*h2-2' >c.net
	serve c.net
	export MADKIT_DEVICE=sim:unix:$socket@h1-1
	control agent h1-3 mute gsi
	run -0 --separate-stderr madsweep -t 50 --retries 0 -j Get PortCountersExtended
	cat >old.json <<<"$output"
	second b.net
	sweep Get PortCountersExtended --since old.json
	((status == 0))
	[[ $(events .data.change .data.PortSelect | grep -v null | grep -v '"reset"' | sort) == '["h1-2 HCA-1",1,"replaced",1]
["h1-3 HCA-1",1,"silent",1]
["h2-2 HCA-1",1,"added",1]
["h2-3 HCA-1",1,"gone",1]' ]]
	[[ $(jq -c 'select(.data.change == "gone") | [.header, .remote, .port.node.guid, .port.lid, .port.peer.node.name]' <<<"$output") == \
		'[null,null,"0x000000000010000a",null,"leaf2"]' ]]
	[[ $(jq -c 'select(.kind == "summary").data | [.complete, .requests.unpaired]' <<<"$output") == '[false,1]' ]]
	run -0 madsweep -q Get PortCountersExtended --since old.json --fields SymbolErrorCounter
	[[ $output == *'h1-2 HCA-1    1'*'replaced h1-2 HCA-1'* && $output == *'h1-3 HCA-1    1'*'silent before'* && $output == *'h2-2 HCA-1    1'*added* && $output == *'h2-3 HCA-1    1'*gone* ]]
	run -3 --separate-stderr madsweep -q --strict Get PortCountersExtended --since old.json
	# a part of the subnet, or one that was not read, has no port that is gone
	sweep --select 'node.type == CA' Get PortCountersExtended --since old.json
	[[ $(events .data.change) != *gone* && $stderr == *'ports of old.json are not in this sweep, which did not read the whole subnet'* ]]
	control agent spine1 mute
	sweep -t 50 --retries 0 Get PortCountersExtended --since old.json
	[[ $(events .data.change) != *gone* ]]
}

@test "a port that is silent in one reading: a row with ?, status 0, with --strict 3" {
	serve "$topologies/small.net"
	export MADKIT_DEVICE=sim:unix:$socket@node1
	# the second reading of node3
	control fault drop node=node3 class=PerfMgt method=GetResp attribute=PortCountersExtended nth=2+9
	run -0 --separate-stderr madsweep -t 50 --retries 0 Get PortCountersExtended --delta -i 100 --fields SymbolErrorCounter
	[[ $output == *'node3 HCA-1    1                  ? no response'* && $stderr == *incomplete* ]]
	control fault clear
	control fault drop node=node3 class=PerfMgt method=GetResp attribute=PortCountersExtended nth=1
	sweep -t 50 --retries 0 Get PortCountersExtended --delta -i 100
	((status == 0))
	[[ $(events .data.change .data.interval_us | grep node3) == '["node3 HCA-1",1,"silent",null]' ]]
	control fault clear
	control fault drop node=node3 class=PerfMgt method=GetResp attribute=PortCountersExtended nth=1
	run -3 --separate-stderr madsweep -t 50 --retries 0 --strict Get PortCountersExtended --delta -i 100
	# a missing reading in between: the next difference covers both intervals
	sweep -t 50 --retries 0 Get PortCountersExtended --delta -i 200 -n 2 --device \
		"sim:$topologies/small.net,control=fault drop node=node3 class=PerfMgt method=GetResp attribute=PortCountersExtended nth=2"
	jq -se 'map(select(.kind == "event" and .port.node.name == "node3 HCA-1").data.interval_us) | length == 1 and .[0] > 390000' <<<"$output"
}

@test "a file that is no baseline of this subnet: line, reason, status 5, nothing is compared" {
	serve "$topologies/small.net"
	export MADKIT_DEVICE=sim:unix:$socket@node1
	local file reason
	old
	head -c 3000 old.json >cut
	sed '7s/"epoch":[0-9]*/"epoch":4000000000/' old.json >future
	{ head -n 3 old.json; echo '{"a":'; tail -n 5 old.json; } >half
	madsweep -q -j --device "sim:$topologies/real.dump" Get PortCountersExtended >other
	madsweep -q -j Get PortInfo >infos
	sed 's/"epoch":[0-9.]*,//' old.json >timeless
	madsend -j -L 1 Get PortCountersExtended PortSelect=1 >sent
	head -n 6 old.json >short
	cat old.json short >twice
	sed 's/"unfinished":0/"unfinished":2/' old.json >unfinished
	sed 's/"missing":\[\]/"missing":["deadline"]/' old.json >deadline
	printf '\n\n' >empty
	head -c 70000000 /dev/zero | tr '\0' x >long
	while read -r file reason; do
		run --separate-stderr madsweep Get PortCountersExtended --since "$file"
		[[ $status == 5 && -z $output && $stderr == *"$reason"* ]] || { echo "$file: $stderr"; return 1; }
	done <<-END
		cut line 2: not a JSON object
		half line 4: not a JSON object
		future line 7: its time is in the future: was a clock set back?
		other is of another subnet: none of its nodes is in this one
		infos has no counters to compare
		timeless line 1: epoch is missing
		sent line 1: it names no port
		empty has no counters to compare
		long line 1: the line is too long
		short line 6: the run has no summary at its end: it was cut
		twice line 27: the run has no summary at its end: it was cut
		unfinished line 21: the deadline or a signal ended this run
		deadline line 21: the deadline or a signal ended this run
		$topologies/small.net line 1: not a JSON object
	END
	run -1 --separate-stderr madsweep Get PortCountersExtended --since nofile
	run -5 --separate-stderr madsweep Get PortRcvErrorDetails --since old.json
	[[ $stderr == *'has no counters to compare, but PortCountersExtended'* ]]
	# any order and other lines do no harm
	{ madsweep -q -j; madsweep -q -j Get PortInfo; head -n -1 old.json | tac; tail -n 1 old.json; madcheck -j; madsweep -q -j Get PortCountersExtended --delta -i 1; } >mixed 2>/dev/null || true
	run -0 --separate-stderr madsweep -j Get PortCountersExtended --since - <mixed
	[[ $(jq -s 'map(select(.kind == "event" and .data.interval_us > 0)) | length' <<<"$output") == 20 ]]
}

@test "a file of several runs: the last one with the attribute counts" {
	serve "$topologies/small.net"
	export MADKIT_DEVICE=sim:unix:$socket@node1
	control counter leaf1 2 SymbolErrorCounter=1
	madsweep -q -j Get PortRcvErrorDetails,PortCountersExtended >runs
	control counter leaf1 2 SymbolErrorCounter=5
	old
	cat old.json >>runs
	madsweep -q -j Get PortXmitDataSL >>runs
	control counter leaf1 2 SymbolErrorCounter=7
	sweep Get PortCountersExtended --since runs
	((status == 0))
	[[ $(events .data.counters.SymbolErrorCounter.delta | grep -v ',0\]') == '["leaf1 rack1",2,2]' && $stderr == *'runs has several runs: the last one is compared'* ]]
	# the other attribute is only in the first run
	sweep Get PortRcvErrorDetails --since runs
	jq -se 'map(select(.kind == "event" and .data.interval_us > 0)) | length == 20' <<<"$output"
	[[ $stderr != *several* ]]
	# a port that was there in an earlier run only is not gone
	{ sed 's/"guid":"0x0000000000100001"/"guid":"0x00000000001000f1"/g' old.json; cat old.json; } >runs
	sweep Get PortCountersExtended --since runs
	jq -se 'map(select(.kind == "event")) | length == 20 and all(.[]; .data.change == null)' <<<"$output"
	# nor with two attributes, of which each has a last run
	madsweep -q -j Get PortCounters,PortCountersExtended >runs
	control node node4 gone
	madsweep -q -j Get PortCounters,PortCountersExtended >>runs
	sweep Get PortCountersExtended,PortCounters --since runs
	jq -se 'map(select(.kind == "event")) | length == 38 and all(.[]; .data.change == null)' <<<"$output"
}

# next ATTRIBUTES: a run since last.json, which is the next last.json
next() {
	sweep Get "$1" --since last.json
	((status == 0)) || return 1
	cat <<<"$output" >last.json
}

@test "a run with --since is the reading for the next one: no event is lost or counted twice" {
	local n total=0 full=65535 words
	serve "$topologies/small.net"
	export MADKIT_DEVICE=sim:unix:$socket@node1
	control counter leaf1 2 SymbolErrorCounter=40
	control counter leaf1 3 PortXmitDiscards=$full
	madsweep -q -j Get PortCountersExtended,PortCounters >last.json
	for n in 45 45 52 300; do
		control counter leaf1 2 SymbolErrorCounter=$n
		next PortCounters
		total=$((total + $(events .data.counters.SymbolErrorCounter.delta | grep '"leaf1 rack1",2,' | grep -o '[0-9]*\]' | tr -d ']')))
		((total == n - 40))
		[[ $(events .data.counters.SymbolErrorCounter.value | grep '"leaf1 rack1",2,') == "[\"leaf1 rack1\",2,$n]" ]]
	done
	# each reading of both attributes is the one that it was
	[[ $(jq -r '.data.readings[]? | .attribute + (.bytes | .[4:8])' last.json | sort -u | wc -l) == 2 ]]
	jq -se 'map(select(.kind == "event")) | length == 20 and all(.[]; (.data.readings | length) == 2 and .data.readings[0].age_us > 0 and .data.readings[1].age_us == 0)' last.json
	# the times are those of the readings
	next PortCounters
	jq -c 'if .kind == "event" then .epoch -= 1000 else . end' last.json >earlier.json
	sweep Get PortCountersExtended --since earlier.json
	jq -se 'map(select(.kind == "event").data.interval_us) | length == 20 and all(. > 999e6 and . < 1100e6)' <<<"$output"
	# a reading that was full stays full, and a reset is one
	lack 0 2 Get PortCounters --since last.json
	cat <<<"$output" >last.json
	control counter leaf1 2 SymbolErrorCounter=3
	for n in 1 2; do
		lack 0 2 Get PortCounters --since last.json
		cat <<<"$output" >last.json
		[[ $(events .data.counters.PortXmitDiscards.saturated .data.counters.PortXmitDiscards.delta | grep '"leaf1 rack1",3,') == '["leaf1 rack1",3,true,null]' ]]
		[[ $(events .data.change .data.counters.SymbolErrorCounter.value | grep '"leaf1 rack1",2,') == "[\"leaf1 rack1\",2,$( ((n == 1)) && echo '"reset"' || echo null),3]" ]]
	done
	# arrays; and --delta; madcheck reads it, too
	madsweep -q -j Get PortXmitDataSL,PortCountersExtended >last.json
	next PortXmitDataSL,PortCountersExtended
	next PortXmitDataSL,PortCountersExtended
	jq -se 'map(select(.header.attribute == "PortXmitDataSL").data.counters.XmtDataSL) | length == 20 and all(length == 16 and all(.[]; .delta != null))' <<<"$output"
	sweep Get PortCountersExtended --delta -i 10 -n 3
	cat <<<"$output" >last.json
	control counter leaf1 4 LinkDownedCounter=9
	run --separate-stderr madcheck --since last.json -j
	[[ $(jq -c '.problem | objects | select(.rule == "flapping") | [.place, .value]' <<<"$output") == '["leaf1/4","9"]' ]]
	next PortCountersExtended
	[[ $(events .data.counters.LinkDownedCounter.delta | grep -v ',0\]') == '["leaf1 rack1",4,9]' ]]
	# a port that was not in the file is one with a reading in the next
	grep -v '"name":"node3 HCA-1".*"peer"' last.json >some.json
	sweep Get PortCountersExtended --since some.json
	cat <<<"$output" >last.json
	[[ $(events .data.change .data.counters | grep node3) == '["node3 HCA-1",1,null,{}]' ]]
	next PortCountersExtended
	[[ $(events .data.change .data.counters.LinkDownedCounter.delta | grep node3) == '["node3 HCA-1",1,null,0]' ]]
	# lines that are not whole
	for words in '.data.readings[0].bytes = "0g"' '.data.readings[0].bytes = "0"' '.data.readings[0].bytes = 5' '.data.readings = 1' '.data.readings[0] = 7' \
		'.data.readings[0].age_us = 1e30' '.data.readings[0].attribute_id = 65536' 'del(.data.readings[0].age_us)' '.data.readings += [1, 2]' \
		'.data.readings[0].bytes = .data.readings[0].bytes * 9'; do
		jq -c "if .kind == \"event\" then $words else . end" last.json >bad.json
		run -5 --separate-stderr madsweep Get PortCountersExtended --since bad.json
		[[ $stderr == *'bad.json, line 1: data.readings'* ]] || { echo "$words: $stderr"; return 1; }
	done
	madsweep -q -j Get PortCountersExtended --since last.json --fields SymbolErrorCounter,kind,port >cut.json
	run -5 --separate-stderr madsweep Get PortCountersExtended --since cut.json
	[[ $stderr == *'no counters to compare'*'without --fields'* ]]
	madsweep -q -j Get PortCountersExtended --since last.json --filter 'LinkDownedCounter > 0' >few.json
	sweep Get PortCountersExtended --since few.json
	[[ $(events .data.change | grep -c added) == 0 ]]
}

# narrow ARGUMENT...: as sweep, in text, on switches without PortCountersExtended
narrow() {
	run --separate-stderr env LACKED_BY=switches LACKED=0x600 LACKED2=0 \
		"LD_PRELOAD=${MADKIT_PRELOAD:+$MADKIT_PRELOAD:}$MADKIT_BUILD/tests/sim/.libs/capabilities.so" madsweep -i 50 "$@"
}

@test "rows of errors do not speak of octets; no column is twice; CSV of errors has rates" {
	local words
	serve "$topologies/small.net"
	export MADKIT_DEVICE=sim:unix:$socket@node1
	for words in '--errors --delta' '--errors --delta -f csv' 'Get PortCounters --delta --fields SymbolErrorCounter' 'Get PortCounters --delta -f csv --fields SymbolErrorCounter'; do
		narrow $words
		[[ $status == 0 && $stderr != *bits* ]] || { echo "$words: $stderr"; return 1; }
	done
	for words in '--errors --delta -j' 'Get PortCounters --delta' 'Get PortCounters --delta --fields PortXmitData.rate'; do
		narrow $words
		[[ $stderr == *bits* ]] || { echo "$words: $stderr"; return 1; }
	done
	export MADKIT_DEVICE=$moving
	run -0 madsweep -q Get PortCountersExtended --delta --fields port.node.name,port.number,LinkDownedCounter
	[[ ${lines[0]} =~ ^port.node.name\ +port.number\ LinkDownedCounter\ NOTE$ && ${lines[1]} =~ ^h2-1\ HCA-1\ +1\ +3$ ]]
	run -0 madsweep -q Get PortCountersExtended --delta --fields port.node.name,LinkDownedCounter
	[[ ${lines[0]} =~ ^PORT\ port.node.name\ LinkDownedCounter\ NOTE$ && ${lines[1]} =~ ^\ +1\ h2-1\ HCA-1\ +3$ ]]
	run -0 madsweep -q Get PortCountersExtended --delta --fields port.number,LinkDownedCounter
	[[ ${lines[0]} =~ ^NODE\ +port.number\ LinkDownedCounter\ NOTE$ && ${lines[1]} =~ ^h2-1\ HCA-1\ +1\ +3$ ]]
	run -0 madsweep -q --errors --delta -f csv
	python3 - "$output" <<-'END'
		import csv, sys
		rows = list(csv.DictReader(sys.argv[1].splitlines()))
		assert [(r['port.node.name'], r['LinkDownedCounter'], r['SymbolErrorCounter']) for r in rows] == [('h2-1 HCA-1', '3', '0'), ('leaf1', '0', '50')], rows
		assert 2.99 < float(rows[0]['LinkDownedCounter.rate']) < 3.01 and 49.9 < float(rows[1]['SymbolErrorCounter.rate']) < 50.1, rows
		assert rows[0]['SymbolErrorCounter.rate'] == '0.000' and not [k for k in rows[0] if 'Data' in k], rows
	END
	run -2 madsweep --errors --delta --top 3
	[[ $output == *'--top has no effect without --sort, as in --sort -any_error'* ]]
	run -2 madsweep --top 3
	[[ $output == *'--top has no effect without --sort, as in --sort gbps'* ]]
}

@test "a file without every port: it is not known if the others were there" {
	serve "$topologies/small.net"
	export MADKIT_DEVICE=sim:unix:$socket@node1
	control counter leaf1 2 SymbolErrorCounter=1
	madsweep -q -j --errors >old.json
	control counter leaf1 2 SymbolErrorCounter=4
	control counter leaf1 3 SymbolErrorCounter=4
	run -0 --separate-stderr madsweep --errors --since old.json
	[[ ${#lines[@]} == 2 && ${lines[1]} =~ ^leaf1\ rack1\ +2\ SymbolErrorCounter\ +\+3 ]]
	[[ $stderr == *'19 of 20 ports have no earlier reading in old.json, which does not have every port'* && $stderr == *'19 not compared'* ]]
	sweep --errors --since old.json
	[[ $(jq -s 'map(select(.kind == "summary").data.requests.unpaired)[0]' <<<"$output") == 19 ]]
	run -3 --separate-stderr madsweep -q --strict --errors --since old.json
	# all were read, and one did not exist
	old
	jq -c 'select(.kind != "summary" and .port.node.name != "node3 HCA-1"), (select(.kind == "summary") | .data.requests.answered -= 1)' old.json >less.json
	sweep Get PortCountersExtended --since less.json
	[[ $(events .data.change | grep -v null) == '["node3 HCA-1",1,"added"]' ]]
}

@test "a baseline that never ends: the deadline and signals end it" {
	mkfifo fifo
	madsweep --device "$moving" Get PortCountersExtended --since fifo &
	pid=$!
	started+=("$pid")
	# waits until the reader has opened it
	exec 7>fifo
	kill -TERM "$pid"
	status=0
	wait "$pid" || status=$?
	exec 7>&-
	((status == 128 + 15))
	yes '{"kind":"summary","header":null}' >fifo &
	started+=($!)
	run -3 --separate-stderr timeout 20 madsweep --device "$moving" Get PortCountersExtended --since fifo --deadline 500
}

@test "signals and the deadline end a pause; a reader that is gone, too" {
	serve "$topologies/small.net"
	export MADKIT_DEVICE=sim:unix:$socket@node1
	run -3 --separate-stderr timeout 20 madsweep Get PortCountersExtended --delta -i 60000 --deadline 500
	[[ $stderr == *'the deadline has passed before there were two readings to compare'* ]]
	run -130 timeout --preserve-status -s INT 1 madsweep Get PortCountersExtended --delta -i 60000
}

@test "refused options of --delta and --since" {
	local text words
	while read -r text words; do
		read -ra words <<<"$words"
		run -2 --separate-stderr madsweep --device "$moving" "${words[@]}"
		[[ $stderr == *"${text//_/ }"* ]] || { echo "${words[*]}: $stderr"; return 1; }
	done <<-'END'
		--since Get PortCounters --delta --since old.json
		--delta --delta
		--since --since old.json
		--interval Get PortCounters -i 5
		--count Get PortCounters -n 5
		--interval Get PortCounters --since old.json -i 5
		PortInfo_has_no_counters Get PortInfo --delta
		has_no_counters Get PerfMgt:ClassPortInfo --delta
		--delta --clear PortCounters --select number>0 --delta
		text,_table,_CSV_or_JSON Get PortCounters --delta -f hex
		no_field_'PortXmitDat' Get PortCounters --delta --sort PortXmitDat
		no_field_'Symbol' Get PortCounters --delta --fields Symbol
		mod Get PKeyTable -m 0 --delta
	END
}

@test "perfquery readings beside it enclose the readings of --delta" {
	command -v perfquery >/dev/null || { [[ -z ${CI:-} ]] && skip "no perfquery"; }
	inside "$topologies/small.net" -- bash -e -o pipefail -c '
		control() { madsim --control "$MADSIM_SOCKET" "$@"; }
		for port in 1 2 3; do control errors leaf1 $port SymbolErrorCounter=$((port * 1000)); done
		lid=$(madsend -j --name "leaf1 rack1" Get NodeInfo | jq .remote.lid)
		query() { for port in 1 2 3; do perfquery -x "$lid" $port | sed -n "s/^SymbolErrorCounter:\.*//p"; done | paste -sd" "; }
		query
		madsweep -q -j --select "node.name == \"leaf1 rack1\" && number <= 3" Get PortCountersExtended --delta -i 300 |
			jq -r "select(.kind == \"event\") | .data.counters.SymbolErrorCounter | \"\(.value - .delta) \(.value)\"" | paste -sd" "
		query' >readings
	awk 'NR == 1 { split($0, a) } NR == 2 { split($0, d) } NR == 3 { split($0, b) }
		END { for (i = 1; i <= 3; i++) if (!(a[i] <= d[2 * i - 1] && d[2 * i - 1] < d[2 * i] && d[2 * i] <= b[i])) exit 1; exit NR != 3 }' readings || { cat readings; return 1; }
}
