#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# madcheck: finds each fault of a fabric, and nothing else. tests/properties/health.py has random fabrics.

setup() {
	load common
	cd "$dir" || return
}

teardown() { clean_up; }

# faulty TOPOLOGY [CONTROL WORDS]...: a device specification
faulty() {
	local spec=sim:$1 words
	for words in "${@:2}"; do spec+=",control=$words"; done
	echo "$spec"
}

# problems DEVICE [OPTION...]: "SEVERITY RULE PLACE" of each problem, sorted
problems() {
	local status=0
	madcheck -j --device "$@" 2>err >out || status=$?
	jq -r 'select(.kind == "problem") | .problem | "\(.severity) \(.rule) \(.place)"' out | sort
	return "$status"
}

@test "a healthy fabric is 0, and the verdict is the first line" {
	run -0 --separate-stderr madcheck --device sim:fat-tree:4,6,2
	[[ ${lines[0]} == "OK: no problems in 30 nodes (6 switches), 32 links" && -z $stderr ]]
	[[ ${lines[2]} == "not judged: route, pkey, module, temp, ber, fec, counters "* ]]
	run -0 --separate-stderr madcheck --device sim:fat-tree:84,6,12
	[[ ${lines[0]} == "OK: no problems in 600 nodes (96 switches), 1,512 links" ]]
	run -0 problems "sim:$topologies/small.net"
	[[ -z $output ]]
}

@test "a slow link is one problem, with both ends, whichever end is named" {
	for words in 'link leaf2 3 width=1x' 'link h2-3 1 width=1x'; do
		run -6 problems "$(faulty fat-tree:4,6,2 "$words")"
		[[ $output == "warning slow leaf2/3 <-> h2-3/1" ]]
	done
	run -6 problems "$(faulty fat-tree:4,6,2 'link spine1 3 speed=EDR')"
	[[ $output == "warning slow spine1/3 <-> leaf3/7" || $output == "warning slow leaf3/7 <-> spine1/3" ]]
}

@test "what is usual between two types of device is information, and what is slower still is a warning" {
	# "most" means all but one of the hosts
	local words=()
	for i in 1-1 1-2 1-3 1-4 1-5 2-1 2-2 2-3 2-4 2-5; do words+=("link h$i 1 speed=EDR"); done
	run -0 problems "$(faulty fat-tree:2,6,2 "${words[@]}")"
	[[ $(wc -l <<<"$output") -eq 10 && $output != *warning* ]]
	run -6 problems "$(faulty fat-tree:2,6,2 "${words[@]}" 'link h2-6 1 speed=FDR' 'link h1-6 1 width=1x')"
	[[ $(grep -c '^info slow' <<<"$output") -eq 10 ]]
	grep -qx 'warning slow leaf2/6 <-> h2-6/1' <<<"$output"
	grep -qx 'warning slow leaf1/6 <-> h1-6/1' <<<"$output"
	# in text, those of one kind are one line
	run -0 madcheck --device "$(faulty fat-tree:2,6,2 "${words[@]}")"
	grep -q '^info  *slow  *10 x Switch <-> CA  *4x EDR, the ports support 4x HDR, such as ' <<<"$output"
	# limits decide which rate is usual
	echo 'slow usual 90' >limits
	run -6 problems "$(faulty fat-tree:2,6,2 "${words[@]}")" --limits limits
	[[ $(grep -c '^warning slow' <<<"$output") -eq 10 ]]
}

@test "without a subnet manager: one critical problem, and the links that nothing activates" {
	run -6 problems sim:fat-tree:2,2,1,sm=none
	grep -qx 'critical sm null' <<<"$output"
	[[ $(grep -c '^warning init' <<<"$output") -eq 6 && $(wc -l <<<"$output") -eq 7 ]]
}

@test "silence is a problem where it begins, and a mute agent of another class is none" {
	run -6 problems "$(faulty fat-tree:4,6,2 'agent h3-2 mute')"
	[[ $output == "critical silent leaf3/2" ]]
	run -6 problems "$(faulty fat-tree:4,6,2 'agent leaf3 mute')" --keep-going
	[[ $output == $'critical silent spine1/3\ncritical silent spine2/3' ]]
	run -0 problems "$(faulty fat-tree:4,6,2 'agent h3-2 mute gsi')"
	[[ -z $output ]]
	# without the rule, a silent node is not judged: never healthy
	for rule in slow name guid,lid; do
		run -3 --separate-stderr madcheck --rules "$rule" --device "$(faulty fat-tree:4,6,2 'agent h3-2 mute')"
		[[ ${lines[0]} == "UNKNOWN: no problems in 29 nodes (6 switches), 31 links; not everything was judged" ]] || { echo "$rule: $output"; return 1; }
	done
}

@test "LIDs: none, shared, not fitting the LMC" {
	run -6 problems "$(faulty fat-tree:2,3,1 'info h2-1 1 Lid=0')"
	[[ $output == "critical lid h2-1/1" ]]
	run -6 problems "$(faulty fat-tree:2,3,1 'info h2-1 1 Lid=4')"
	[[ $output == 'critical lid '*', '* ]]
	run -6 problems "$(faulty fat-tree:2,3,1 'info h2-1 1 Lid=1001 LMC=1')"
	grep -qx 'critical lid h2-1/1' <<<"$output"
	# a LID that does not fit its LMC is one problem, not also one of each port that it covers
	run -6 problems "$(faulty fat-tree:2,4,1 'info h1-3 1 Lid=12 LMC=3')" --rules lid --filter 'severity == critical'
	[[ $output == "critical lid h1-3/1" ]] || { echo "$output"; return 1; }
	# both sides of LIDs that overlap, and all ports with a LID
	run -6 madcheck --rules lid --device 'sim:fat-tree:2,2,1,control=info leaf2 0 LMC=1'
	[[ $output == *'h2-1/1 '*'is within the LIDs of another port'*'leaf2/0 '*'from 2 on include those of another port'* ]] || { echo "$output"; return 1; }
	run -6 madcheck --rules lid --device "$(faulty fat-tree:2,4,1 'info h1-3 1 Lid=40' 'info h2-3 1 Lid=40' 'info h2-2 1 Lid=40')"
	[[ ${lines[1]} == *"h1-3/1, h2-2/1  3 ports have LID 40, also h2-3/1" ]]
	run -6 problems "$(faulty fat-tree:2,3,1 'info h2-1 1 MasterSmLid=77')" || run -6 problems "$(faulty fat-tree:2,3,1 'info h2-1 1 SMLid=77')"
	[[ $output == "warning sm h2-1/1" ]]
}

@test "MTU: one end differs; both are below what they support" {
	run -6 problems "$(faulty fat-tree:2,3,1 'info leaf1 2 NeighborMTU=1')"
	[[ $output == "warning mtu leaf1/2 <-> h1-2/1" ]]
	# the end that sends less is first
	run -6 problems "$(faulty fat-tree:2,3,1 'info h1-2 1 NeighborMTU=1')"
	[[ $output == "warning mtu h1-2/1 <-> leaf1/2" ]]
	grep -q '"value":"256","limit":"4096","text":"the first end sends up to 256 octets, the other one up to 4096"' out || { cat out; return 1; }
	run -6 problems "$(faulty fat-tree:2,3,1 'info leaf1 2 NeighborMTU=4' 'info h1-2 1 NeighborMTU=4')"
	[[ $output == "warning mtu leaf1/2 <-> h1-2/1" ]]
}

@test "half: the ends report different rates, also after the link has been down" {
	local device
	for words in 'link leaf2 3 shows=1x,HDR' 'link leaf2 3 shows=4x,EDR'; do
		run -6 problems "$(faulty fat-tree:4,6,2 "$words")"
		[[ $output == "critical half leaf2/3 <-> h2-3/1" ]] || { echo "$output"; return 1; }
	done
	device=$(faulty fat-tree:4,6,2 'link h2-3 1 shows=1x,SDR' 'link leaf2 3 down' 'link leaf2 3 up')
	run -6 problems "$device" --rules half
	# the odd end is first
	[[ $output == "critical half h2-3/1 <-> leaf2/3" ]]
	grep -q '"text":"the first end is Active at 1x SDR, the other one Active at 4x HDR"' out || { cat out; return 1; }
	# more than both ends enable, or another width of the same rate, is odd as well
	for rate in 4x,NDR 2x,NDR; do
		run -6 problems "$(faulty fat-tree:4,6,2 "link h2-3 1 shows=$rate")"
		[[ $output == "critical half h2-3/1 <-> leaf2/3" ]] || { echo "$rate: $output"; return 1; }
		run -6 problems "$(faulty fat-tree:4,6,2 "link leaf2 3 shows=$rate")"
		[[ $output == "critical half leaf2/3 <-> h2-3/1" ]] || { echo "$rate: $output"; return 1; }
	done
	run -0 problems "$(faulty fat-tree:4,6,2 'link h2-3 1 shows=1x,SDR' 'link h2-3 1 shows=4x,HDR')"
	run -0 problems "$(faulty fat-tree:4,6,2 'link h2-3 1 shows=4x,HDR')"
}

@test "misconfigured: the end that enables less is first, whichever it is; a port that supports less is none" {
	run -6 problems "$(faulty fat-tree:4,6,2 'link leaf2 3 enabled=4x,EDR')" --rules misconfigured
	[[ $output == "warning misconfigured leaf2/3 <-> h2-3/1" ]]
	run -6 problems "$(faulty fat-tree:4,6,2 'link h2-3 1 enabled=1x,HDR')" --rules misconfigured,slow
	[[ $output == "warning misconfigured h2-3/1 <-> leaf2/3" ]]
	run -0 problems "$(faulty fat-tree:4,6,2 'link h2-3 1 supported=1x,EDR')" --rules misconfigured,slow
	[[ -z $output ]]
	# both support and one enables more than all others: only the other end limits
	run -6 problems "$(faulty fat-tree:4,6,2 'link leaf2 3 supported=4x,XDR' 'link h2-3 1 supported=4x,XDR enabled=4x,NDR')" --rules misconfigured,slow
	[[ $output == "warning misconfigured h2-3/1 <-> leaf2/3" ]]
	grep -q '"value":"4x NDR","limit":"4x XDR"' out || { cat out; return 1; }
}

@test "split ports: 2x is all that they have, and 1x is slow" {
	run -0 problems "$(faulty fat-tree:4,6,2 'link leaf2 3 supported=2x,HDR' 'link leaf2 4 supported=2x,HDR')"
	[[ -z $output ]]
	# a manager has split the cage, of which the port still supports four lanes
	run -0 problems "$(faulty fat-tree:4,6,2 'link leaf2 3 enabled=2x,HDR')"
	[[ -z $output ]]
	run -6 problems "$(faulty fat-tree:4,6,2 'link leaf2 3 supported=2x,HDR' 'link leaf2 3 width=1x')"
	[[ $output == "warning slow leaf2/3 <-> h2-3/1" ]]
	run -6 problems "$(faulty fat-tree:4,6,2 'link leaf2 3 supported=2x,HDR' 'link leaf2 3 speed=EDR')"
	[[ $output == "warning slow leaf2/3 <-> h2-3/1" ]]
}

@test "planes: a healthy fabric; one plane of a port is slow; the LID and the GUID of another node are not shared" {
	run -0 problems sim:fat-tree:3,4,2+planes --rules standard,route,pkey
	[[ -z $output ]]
	run -6 problems "$(faulty fat-tree:3,4,2+planes 'link h2-3 2 speed=NDR')" --rules standard,route
	[[ $output == "warning slow leaf2/10 <-> h2-3/2" ]] || { echo "$output"; return 1; }
	run -6 problems "$(faulty fat-tree:3,4,2+planes 'link h2-3 4 shows=1x,NDR')"
	[[ $output == "critical half h2-3/4 <-> leaf2/12" ]] || { echo "$output"; return 1; }
	# nothing leads to the LID of a port: once, not for each of its planes
	run -6 problems "$(faulty fat-tree:3,4,2+planes 'link h2-3 1 down')" --rules route
	[[ $output == "critical route h2-3/2" ]] || { echo "$output"; return 1; }
	lid=$(madsweep -q -j --device sim:fat-tree:3,4,2+planes --select 'node.name == "h3-1 HCA-1"' | jq -s '.[0].port.lid')
	run -6 problems "$(faulty fat-tree:3,4,2+planes "info h2-3 1 Lid=$lid")" --rules lid
	[[ $output == "critical lid h3-1/1, h2-3/1" ]] || { echo "$output"; return 1; }
	grep -q "\"text\":\"2 ports have LID $lid\"" out || { cat out; return 1; }
}

@test "aggregation nodes: no hosts, and their links are not judged by their rate" {
	run -0 --separate-stderr madcheck -j --device sim:fat-tree:4,6,2+aggregation --rules standard,route,pkey
	[[ $(jq -c '[.data.nodes, .data.switches, .data.hosts]' <<<"$output") == '[36,6,24]' ]] || { echo "$output"; return 1; }
	run -0 problems "$(faulty fat-tree:4,6,2+aggregation 'link leaf1 9 width=1x' 'link leaf2 9 enabled=4x,EDR')"
	[[ -z $output ]]
	run -6 problems "$(faulty fat-tree:4,6,2+aggregation 'link leaf1 9 shows=1x,HDR')"
	[[ $output == 'critical half leaf1/9 <-> '* ]]
}

@test "route: a switch with an aggregation node only has no hosts; a LID of two ports is not judged" {
	local device
	# the manager does not hear that the link is down: both spines have an aggregation node, edr1 has hosts
	device="sim:$topologies/mixed.dump,fault=drop method=Trap,control=link MF0;edr1:MSB7800/U1 31 down"
	run -6 madcheck --device "$device" --rules route --all
	[[ $output == *' do not arrive from 1 of 6 switches with hosts, such as edr1'* && $output != *'such as spine'* ]] || { echo "$output"; return 1; }
	run -3 --separate-stderr madcheck --rules route --device "$(faulty fat-tree:2,3,1 'info h2-1 1 Lid=4')"
	[[ ${lines[0]} == "UNKNOWN: no problems in "* ]] || { echo "$output"; return 1; }
}

@test "firmware: a line for each PSID of which nodes have several versions" {
	local old='firmware=20.40.1000 psid=MT_0000000838' new='firmware=20.41.1000 psid=MT_0000000838' words=()
	for host in gpu01 gpu02 gpu03 gpu04; do words+=("node '$host mlx5_0' $new"); done
	run -0 problems "$(faulty "$topologies/mixed.dump" "${words[@]}")"
	[[ -z $output ]]
	run -0 problems "$(faulty "$topologies/mixed.dump" "${words[@]}" "node 'gpu05 mlx5_0' $old" "node MF0;spine1:MQM9700/U1 firmware=31.2012.1024 psid=MT_0000000555" \
		"node MF0;spine2:MQM9700/U1 firmware=31.2012.1024 psid=MT_0000000555")"
	[[ $output == 'info firmware null' ]] || { echo "$output"; return 1; }
	grep -qF '"text":"MT_0000000838: 20.40.1000 on 1 (gpu05 mlx5_0), 20.41.1000 on 4"' out || { cat out; return 1; }
}

@test "mixed.dump: nothing is wrong with 59 nodes of four generations; each fault there is one problem" {
	run -0 --separate-stderr madcheck --device "sim:$topologies/mixed.dump" --rules standard,route,pkey
	[[ ${lines[0]} == "OK: no problems in 59 nodes (8 switches), 87 links" && -z $stderr ]] || { echo "$output $stderr"; return 1; }
	run -0 problems "sim:$topologies/mixed.dump" --rules standard,route,pkey
	[[ -z $output ]]
	while IFS='|' read -r words problem; do
		run -6 problems "$(faulty "$topologies/mixed.dump" "$words")"
		[[ $output == "$problem" ]] || { echo "$words: $output"; return 1; }
	done <<-'EOT'
		link MF0;xdr1:Q3400/U1 139 speed=HDR|warning slow xdr1/139 <-> xdr2/139
		link MF0;xdr1:Q3400/U1 3 speed=NDR|warning slow xdr1/3 <-> x01/3
		link 'cpu01 mlx5_0' 1 width=1x|warning slow rail1/22 <-> cpu01/1
		link MF0;hdr1:MQM8700/U1 11 enabled=2x,EDR|warning misconfigured hdr1/11 <-> half01/1
		link 'store1 mlx5_0' 1 shows=4x,FDR|critical half store1/1 <-> hdr1/21
		link MF0;spine1:MQM9700/U1 7 width=1x|warning slow spine1/7 <-> edr1/31
		link 'gpu07 mlx5_1' 1 enabled=4x,HDR|warning misconfigured gpu07 mlx5_1/1 <-> rail2/7
		agent 'gpu07 mlx5_1' mute smi|critical silent rail2/7
	EOT
}

@test "counters: those at both ends of a link are one problem" {
	local device='sim:fat-tree:2,3,1,control=counter leaf2 1 SymbolErrorCounter=50,control=counter h2-1 1 PortRcvErrors=70'
	run -6 problems "$device" --rules counters
	[[ $output == 'warning counters h2-1/1 <-> leaf2/1' ]]
	[[ $(jq -c 'select(.kind == "problem").problem | [.key, .text]' out) == '["counters:0x0000000000100006/1:0x0000000000200002/1","at the first end: PortRcvErrors 70 (limit 10); at the other: SymbolErrorCounter 50 (limit 10)"]' ]] || { cat out; return 1; }
}

@test "counters: those above their limits, of the default, of a file, of error_thresholds" {
	local device
	device=$(faulty fat-tree:2,3,1 'counter leaf1 2 SymbolErrorCounter=11' 'counter h1-1 1 LinkDownedCounter=10' \
		'counter h2-3 1 PortRcvErrors=99' 'counter h2-3 1 PortXmitWait=4000000')
	run -0 problems "$device"
	run -6 problems "$device" --rules counters
	[[ $output == $'warning counters h2-3/1 <-> leaf2/3\nwarning counters leaf1/2 <-> h1-2/1' ]]
	grep -q '"text":"at the first end: PortRcvErrors 99 (limit 10)"' out
	printf 'counters LinkDownedCounter 9\ncounters PortRcvErrors 99\n' >limits
	run -6 problems "$device" --rules counters --limits limits
	[[ $output == $'warning counters h1-1/1 <-> leaf1/1\nwarning counters leaf1/2 <-> h1-2/1' ]]
	printf '# thresholds\nSymbolErrorCounter=11\nPortXmitWait=3999999\nPortRcvErrors=99\n' >error_thresholds
	run -6 problems "$device" --limits error_thresholds
	[[ $output == 'warning counters h2-3/1 <-> leaf2/3' ]]
	# without a LID, or with that of another port, no request reaches the counters: they are not judged
	for lid in 0 4; do
		run -3 --separate-stderr madcheck --rules counters --device "$(faulty fat-tree:2,3,1 "info h2-3 1 Lid=$lid" 'counter h2-3 1 PortRcvErrors=99')"
		[[ ${lines[0]} == "UNKNOWN: no problems in "*"; not everything was judged" ]] || { echo "$lid: $output"; return 1; }
	done
	printf 'SymbolErrors=11\n' >error_thresholds
	run -2 --separate-stderr madcheck --limits error_thresholds
	[[ $stderr == *"error_thresholds:1:1: 'SymbolErrors' is not a counter of errors"* ]]
	printf 'SymbolErrorCounter=-1\n' >error_thresholds
	run -2 --separate-stderr madcheck --limits error_thresholds
	[[ $stderr == *"error_thresholds:1:20: '-1' is not a number"* ]]
}

@test "a response about another port, block or attribute is none" {
	local words faults
	while IFS='|' read -r words faults; do
		# shellcheck disable=SC2086
		run -6 madcheck $words --device "sim:fat-tree:4,4,2,${faults%%,fault=*}"
		# shellcheck disable=SC2086
		run -3 --separate-stderr madcheck $words --device "sim:fat-tree:4,4,2,$faults"
		[[ ${lines[0]} == UNKNOWN:* && $stderr == *"not judged"*"it refused the request, or answered another"* ]] || { echo "$words $faults: $output $stderr"; return 1; }
	done <<-'EOT'
		--rules counters|control=counter leaf2 3 SymbolErrorCounter=1000,fault=answer node=leaf2 attribute=PortCounters as-port=2
		--rules counters|control=counter leaf2 3 SymbolErrorCounter=1000,fault=answer node=leaf2 attribute=PortCounters as=PortCountersExtended
		--rules half|control=link leaf2 3 shows=1x,EDR,fault=answer node=leaf2 attribute=PortInfo as-port=2 nth=8+
		--local|control=link leaf1 1 shows=1x,EDR,fault=answer node=leaf1 attribute=PortInfo as-port=2 nth=2+
		--local|sm=none,fault=answer node=leaf1 attribute=PortInfo as=NodeInfo nth=2+
	EOT
}

@test "what a rule could not judge is counted, named and never 0" {
	# a port without a LID, and an agent that does not respond
	run -3 --separate-stderr madcheck --device "$(faulty fat-tree:2,3,1 'info h2-1 1 Lid=0')" --rules counters
	[[ $stderr == *'1 port not judged, such as h2-1/1 by the rule counters'* && ${lines[0]} == UNKNOWN:* ]]
	run -3 --separate-stderr madcheck --device "$(faulty fat-tree:2,3,1 'agent leaf2 mute gsi')" --rules counters -t 100 --retries 0
	[[ $stderr == *'4 ports not judged, such as leaf2/1 by the rule counters'* ]]
	# the ends differ, so only the rule half could judge the link
	run -3 --separate-stderr madcheck --device "$(faulty fat-tree:4,6,2 'link leaf2 3 shows=1x,HDR')" --rules slow
	[[ $stderr == *'1 port not judged, such as leaf2/3 by the rule slow'* ]]
}

@test "the next step has the place of a problem that is the only one of its rule, as a word of a shell" {
	local next="next for misconfigured: unless it is intended: madport"
	run -6 madcheck --device "$(faulty fat-tree:2,3,1 'link h2-1 1 enabled=4x,EDR')"
	[[ ${lines[-1]} == "$next h2-1/1 speed auto, or width auto; the link trains again" ]]
	run -6 madcheck --device "$(faulty fat-tree:2,3,1 'link h2-1 1 enabled=4x,EDR' 'link h2-2 1 enabled=4x,EDR')"
	[[ ${lines[-1]} == "$next PLACE speed auto, or width auto; the link trains again" ]]
	sed 's/"h2-1 HCA-1"/"h2;$(reboot)"/' <(madsim --generate fat-tree:2,3,1) >net
	run -6 madcheck --device "$(faulty net 'link 0x0000000000100006 1 enabled=4x,EDR')"
	[[ ${lines[-1]} == "$next 'h2;\$(reboot)/1' speed auto, "* ]]
}

@test "firmware: nodes that do not respond to GeneralInfo are asked once" {
	run -0 madcheck --device "$(faulty fat-tree:4,6,2 'agent leaf3 mute gsi')" -t 200 -j
	[[ $(jq 'select(.kind == "summary") | .data.resent' <<<"$output") == 0 ]]
}

@test "pkey: a switch port that enforces P_Keys lacks those of the host; without enforcement, nothing" {
	run -0 problems "$(faulty fat-tree:2,3,1 'info h1-2 1 PKey[0]=0x8001')" --rules pkey
	[[ -z $output ]]
	local enforce='info leaf1 2 PartEnforceInb=1 PartEnforceOutb=1'
	run -0 problems "$(faulty fat-tree:2,3,1 "$enforce")" --rules pkey
	run -6 problems "$(faulty fat-tree:2,3,1 "$enforce" 'info h1-2 1 PKey[0]=0x8001')" --rules pkey
	[[ $output == "critical pkey leaf1/2 <-> h1-2/1" ]]
	run -6 problems "$(faulty fat-tree:2,3,1 "$enforce" 'info h1-2 1 PKey[1]=0x8001')" --rules pkey
	[[ $output == "warning pkey leaf1/2 <-> h1-2/1" ]]
	run -6 problems "$(faulty fat-tree:2,3,1 'info leaf1 2 PartEnforceInb=1')" --rules pkey
	grep -q 'enforces P_Keys only inbound' out
}

@test "route: a hole and a loop in forwarding tables, each LID once" {
	serve fat-tree:3,2,2 --sweep 0
	export MADKIT_DEVICE=sim:unix:$socket@h1-1
	run -0 madcheck --rules route
	lid=$(madsweep -j --select 'node.name == "h2-1 HCA-1"' | jq -s '.[0].port.lid')
	# the leaf of another host
	madsend --name leaf3 -m 0 --merge Set LFT "Port[$lid]=255" >/dev/null
	run -6 --separate-stderr madcheck --rules route -f table
	[[ ${#lines[@]} -eq 2 && ${lines[1]} == *"h2-1/1"*"packets to LID $lid do not arrive from 1 of 3 switches with hosts, such as leaf3: lost at leaf3" ]] ||
		{ echo "$output"; return 1; }
	# leaf3 to spine1, and back
	up=$(madsweep -j --select 'node.name == "leaf3" && peer.node.name == "spine1"' | jq -s '.[0].port.number')
	down=$(madsweep -j --select 'node.name == "spine1" && peer.node.name == "leaf3"' | jq -s '.[0].port.number')
	madsend --name leaf3 -m 0 --merge Set LFT "Port[$lid]=$up" >/dev/null
	madsend --name spine1 -m 0 --merge Set LFT "Port[$lid]=$down" >/dev/null
	run -6 --separate-stderr madcheck --rules route -f table
	[[ ${#lines[@]} -eq 2 && ${lines[1]} == *"packets to LID $lid loop from "*": they return to "@(leaf3|spine1) ]] || { echo "$output"; return 1; }
	# a link that is not Active discards packets, as madsweep --route says
	madsend --name leaf3 -m 0 --merge Set LFT "Port[$lid]=255" >/dev/null
	control fault drop method=Trap >/dev/null
	madsend -D 0,1 -m 3 --merge Set PortInfo LinkState=Down PhysLinkState=Polling >/dev/null
	madpoll -q -D 0,1 -m 3 Get PortInfo --until 'LinkState == Initialize' -i 20 >/dev/null
	run -6 --separate-stderr madcheck --rules route -f table
	grep -qE 'h1-1/1 .*from [12] of 3 switches.*: lost at .*(leaf1|spine1)' <<<"$output" || { echo "$output"; return 1; }
	# nor do they arrive by the link of a host
	madsend -D 0,1 -m 2 --merge Set PortInfo LinkState=Down PhysLinkState=NoChange >/dev/null
	run -6 --separate-stderr madcheck --rules route -f table
	grep -qE 'h1-2/1 .*from 3 of 3 switches.*: lost at .*leaf1' <<<"$output" || { echo "$output"; return 1; }
}

@test "--rules, --severity, --filter, --fields, tables" {
	local device
	device=$(faulty fat-tree:4,6,2 'link leaf2 3 width=1x' 'agent h3-2 mute')
	run -6 problems "$device" --rules slow
	[[ $output == "warning slow leaf2/3 <-> h2-3/1" ]]
	run -6 problems "$device" --rules slow,standard
	[[ $(wc -l <<<"$output") -eq 2 ]]
	run -0 problems "$(faulty fat-tree:4,6,2 'link leaf2 3 width=1x')" --severity critical
	[[ $output == "warning slow leaf2/3 <-> h2-3/1" ]]
	run -6 --separate-stderr madcheck --device "$device" --filter 'severity >= critical' -f table
	[[ ${#lines[@]} -eq 2 && ${lines[1]} == critical*silent*leaf3/2* && $stderr == "madcheck: CRITICAL: "* ]]
	run -6 --separate-stderr madcheck --device "$device" --filter 'port.number == 3' --fields problem.rule,port.peer.node.name -j
	[[ $(head -1 <<<"$output") == '{"port":{"peer":{"node":{"name":"h2-3 HCA-1"}}},"problem":{"rule":"slow"}}' ]]
	run -2 --separate-stderr madcheck --rules slo
	[[ $stderr == *"there is no rule 'slo'; did you mean 'slow'?"* ]]
	run -2 --separate-stderr madcheck --filter 'rul == slow'
	[[ $stderr == *"'rul'"*"rule"* ]]
	run -2 madcheck --severity worst
	run -2 madcheck --assert 'rule == slow'
	run -2 madcheck Get PortInfo
}

@test "--limits names line and column of what is wrong" {
	while IFS='|' read -r line at text; do
		printf '# limits\n%b\n' "$line" >limits
		run -2 --separate-stderr madcheck --limits limits --device sim:fat-tree:2,2,1
		[[ $stderr == "madcheck: limits:2:$at: "*"$text"* && -z $output ]] || { echo "$line: $stderr"; return 1; }
	done <<-'EOT'
		slo links 3|1|there is no rule 'slo'; did you mean 'slow'?
		slow link 3|6|'link' is not a limit of slow: usual, links
		slow links -3|12|'-3' is not a number from 1 to 1000000
		slow usual 101|12|'101' is not from 0 to 100
		slow usual 50ms|14|'ms' is not the unit of slow usual, which is %
		slow links 3%|13|'%' is not the unit of slow links, which has none
		  slow usual|13|expected a value of slow usual
		slow|5|expected RULE KEY VALUE
		silent links 3|8|rule silent has no limits
		slow links 3 4|14|'4' is an unexpected word
	EOT
	printf 'slow usual 50%%\t# half\n\nhalf again 1000ms\r\n' >limits
	run -0 madcheck --limits limits --device sim:fat-tree:2,2,1
	run -1 --separate-stderr madcheck --limits nosuch --device sim:fat-tree:2,2,1
	[[ $stderr == "madcheck: cannot read 'nosuch': "* ]]
}

@test "--accept: known deviations do not count; expired lines and those that match nothing are reported" {
	local device
	device=$(faulty fat-tree:4,6,2 'link leaf2 3 width=1x' 'link leaf1 1 width=1x' 'agent h3-2 mute')
	run -6 --separate-stderr madcheck --device "$device" --write-accept known
	cat known
	[[ $(grep -vc '^#' known) -eq 3 ]]
	grep -qx 'slow leaf2/3 # 1x HDR, but both ends enable 4x HDR' known
	run -0 --separate-stderr madcheck --device "$device" --accept known
	[[ ${lines[0]} == "OK: no problems "*"; 3 known deviations (1 silent: the nodes there were not judged)" && -z $stderr && $output != *leaf2/3* ]]
	run -0 --separate-stderr madcheck --device sim:fat-tree:4,6,2 --accept known
	[[ ${#stderr_lines[@]} -eq 3 && $stderr == *"known:2: matches no problem: silent leaf3/2"* ]]
	for place in 'leaf2/3' 'LEAF2/*' 'h2-3/1' '"leaf2/3 <-> h2-3/1"' '0x*3/3' '*'; do
		echo "slow $place # reason" >known
		run -6 problems "$device" --accept known
		[[ $output != *leaf2/3* && $output == *leaf3/2* ]] || { echo "$place: $output"; return 1; }
	done
	printf 'slow leaf2/3 until=2020-01-01 # old\nslow leaf1/1 until=2999-12-31\nsilent leaf3/2' >known
	run -6 --separate-stderr madcheck --device "$device" --accept known
	[[ ${lines[0]} == "WARNING: 1 warning in "*"; 2 known deviations (1 silent: "* && $stderr == "madcheck: known:1: expired on 2020-01-01: slow leaf2/3" ]]
	while IFS='|' read -r line at text; do
		echo "$line" >known
		run -2 --separate-stderr madcheck --device "$device" --accept known
		[[ $stderr == "madcheck: known:1:$at: "*"$text"* ]] || { echo "$line: $stderr"; return 1; }
	done <<-'EOT'
		slo leaf1/1|1|there is no rule 'slo'
		slow|5|expected RULE PLACE
		slow leaf1/1 reason|14|'reason' is not until=DATE; # begins the reason
		slow leaf1/1 until=2026-13-01|20|'2026-13-01' is not a date
		slow leaf1/1 until=tomorrow|20|'tomorrow' is not a date
		slow leaf1/1 until=2027-02-29|20|'2027-02-29' is not a date
		slow leaf1/1 until=2028-04-31|20|'2028-04-31' is not a date
		slow "leaf1/1 # reason|6|the quotes of PLACE are not closed
	EOT
	echo 'slow leaf1/1 until=2996-02-29' >known
	run -6 --separate-stderr madcheck --device "$device" --accept known
	# nothing is said about a line if its problem was not looked for
	printf 'slow leaf9/9\n* leaf8/8\nmtu leaf9/9\n' >known
	run -0 --separate-stderr madcheck --device sim:fat-tree:4,6,2 --rules mtu,sm --accept known
	[[ $stderr == "madcheck: known:3: matches no problem: mtu leaf9/9" ]] || { echo "$stderr"; return 1; }
	run -0 --separate-stderr madcheck --device sim:fat-tree:4,6,2 --local --accept known
	[[ -z $stderr ]]
	# a list is not replaced by one of a check that was cut, nor by itself
	cp known before
	run -3 --separate-stderr madcheck --device "$device" --deadline 0 --write-accept known
	[[ $stderr == *"'known' is not written: the check is not complete" ]]
	run -2 --separate-stderr madcheck --device "$device" --accept known --write-accept known
	run -2 madcheck --device "$device" --write-accept -
	run -2 madcheck --device "$device" --state known --write-accept known
	diff before known
}

@test "--write-accept: names that look like patterns or comments accept only themselves" {
	local name
	for name in 'leaf*' 'leaf[1-4]' '#x' 'leaf?' 'a b' 'l"f'; do
		madsim --generate fat-tree:4,4,2 | sed "s/\"leaf2\"/\"${name//&/}\"/" >net || continue
		[[ $name != *'"'* ]] || continue
		run -6 madcheck --device "sim:net,control=link '$name' 3 width=1x" --write-accept known
		run -0 madcheck --device "sim:net,control=link '$name' 3 width=1x" --accept known
		run -6 --separate-stderr madcheck --device "sim:net,control=link '$name' 3 width=1x,control=link leaf1 3 width=1x,control=link leaf3 3 width=1x" --accept known
		[[ ${lines[0]} == "WARNING: 2 warnings in "*"; 1 known deviation" ]] || { cat known; echo "$output"; return 1; }
	done
	# the whole name of a node does not depend on what else is read; it and the GUID of a port are places, too
	madsim --generate fat-tree:2,2,1 | sed 's/"leaf1"/"SW a;x"/; s/"leaf2"/"SW b;x"/' >net
	run -6 madcheck --device "sim:net,control=link 'SW a;x' 2 width=1x" --write-accept known
	run -6 --separate-stderr madcheck -t 50 --device "sim:net@h1-1,control=link 'SW a;x' 2 width=1x,control=agent 'SW b;x' mute" --accept known
	[[ $output != *slow* && ${lines[0]} == *"; 1 known deviation" ]] || { echo "$output"; return 1; }
	echo 'slow 0x0000000000100003/1' >known
	run -0 madcheck --device "sim:net,control=link 'SW a;x' 2 width=1x" --accept known
}

@test "--state: open, update and close, with the first time; nothing is closed that was not judged" {
	local device events='select(.kind == "problem") | .problem | "\(.event) \(.place)"'
	device=$(faulty fat-tree:4,6,2 'link leaf2 3 width=1x')
	run -6 --separate-stderr madcheck -j --device "$device" --state state
	[[ $(jq -r "$events" <<<"$output") == 'open leaf2/3 <-> h2-3/1' ]]
	since=$(jq -r 'select(.kind == "problem") | .problem.since' <<<"$output")
	[[ $since =~ ^20[0-9-]*T[0-9:]*Z$ ]]
	run -6 --separate-stderr madcheck -j --device "$(faulty fat-tree:4,6,2 'link leaf1 1 width=1x' 'link leaf2 3 width=1x')" --state state
	[[ $(jq -r "$events" <<<"$output" | sort) == $'open leaf1/1 <-> h1-1/1\nupdate leaf2/3 <-> h2-3/1' ]]
	[[ $(jq -r 'select(.problem.event == "update") | .problem.since' <<<"$output") == "$since" ]]
	# cut off by the deadline: not closed
	cp state before
	run -3 --separate-stderr madcheck -j --device 'sim:fat-tree:4,6,2,fault=drop class=0x81 method=GetResp nth=20+' --deadline 1500 --rules slow --state state
	diff before state
	run -0 --separate-stderr madcheck --device sim:fat-tree:4,6,2 --state state
	[[ ${lines[0]} == "OK: no problems "*"; 2 problems closed" ]]
	grep -q "^closed *slow  leaf2/3 <-> h2-3/1  *was: 1x HDR, .*(since $since)" <<<"$output"
	[[ $(wc -l <state) -eq 1 ]]
	# a rule that was not judged closes nothing, nor does a check of this host
	device=$(faulty fat-tree:4,6,2 'link leaf1 1 width=1x')
	run -6 madcheck --device "$device" --state state
	run -0 --separate-stderr madcheck --device sim:fat-tree:4,6,2 --rules mtu --state state
	[[ $stderr == "madcheck: --state: 1 open problem was not judged, and stays open" && $(wc -l <state) -eq 2 ]] || { echo "$stderr"; return 1; }
	cp state before
	run -2 --separate-stderr madcheck --local --device sim:fat-tree:4,6,2 --state state
	[[ $stderr == *"'state' was written without --local: use another file"* ]]
	diff before state
	run -6 madcheck --local --device 'sim:fat-tree:4,6,2@h1-1,control=link h1-1 1 down' --state local
	run -2 --separate-stderr madcheck --device sim:fat-tree:4,6,2 --state local
	[[ $stderr == *"'local' was written with --local: use another file"* ]]
	run -0 madcheck --local --device 'sim:fat-tree:4,6,2@h1-1' --state local
	[[ ${lines[0]} == *"; 1 problem closed" ]]
	# silent nodes, and those behind them, were not judged; the file of another run is not in the way
	run -6 madcheck --device "$device" --state state
	echo other >victim
	ln -s victim state.new
	chmod 600 state
	for fault in 'control=agent leaf1 mute' 'control=agent h1-1 mute' 'control=agent spine1 mute,control=agent spine2 mute' \
		'fault=drop node=leaf1 attribute=PortInfo' 'fault=drop node=h1-1 attribute=PortInfo'; do
		run -6 --separate-stderr madcheck -t 50 --device "sim:fat-tree:4,6,2@h3-1,control=link leaf1 1 width=1x,$fault" --state state -j
		jq -s -e 'all(.problem | .rule? != "slow" or .event? != "close") and (last.data.complete == false)' <<<"$output" >/dev/null || { echo "$fault: $output"; return 1; }
		[[ $stderr == *"not judged, and stay"*" open"* ]]
		grep -q slow state
	done
	[[ $(<victim) == other && $(stat -c %a state) == 600 ]]
	# a device that no longer reports its firmware
	madsim --generate fat-tree:2,2,1 | sed 's/vendid=0x0/vendid=0x2c9/' >v.net
	local two='control=node h1-2 firmware=20.1.1 psid=P,control=node h2-1 firmware=20.1.2 psid=P'
	run -0 madcheck --device "sim:v.net,$two" --state firmware
	run -0 --separate-stderr madcheck -t 50 --device "sim:v.net,$two,control=agent h2-1 mute gsi" --state firmware
	[[ $output != *closed* && $output == *"did not report "* ]] || { echo "$output"; return 1; }
	# a device that answers that it does not have GeneralInfo is judged
	run -0 --separate-stderr madcheck -j --device "sim:v.net,${two/20.1.2/20.1.1}" --state firmware
	[[ -z $stderr || $stderr != *'stays open'* ]] && grep -q '"event":"close"' <<<"$output" || { echo "$stderr"; return 1; }
	# --local: each port closes its own
	serve fat-tree:4,6,2
	local ports="--device sim:unix:$socket@h1-2 --device sim:unix:$socket@h2-1"
	control link leaf1 2 width=1x
	# shellcheck disable=SC2086
	run -6 madcheck --local --state ports $ports
	control link leaf1 2 best
	control agent leaf2 mute
	# shellcheck disable=SC2086
	run -3 --separate-stderr madcheck --local --state ports -t 100 $ports
	[[ $output == *'closed '*'leaf1/2'* && $stderr != *'stays open'* ]] || { echo "$output $stderr"; return 1; }
	# what a rule could not judge keeps open only the problems of these ports by this rule
	local bad='control=counter leaf2 2 SymbolErrorCounter=500,control=counter leaf1 3 SymbolErrorCounter=500'
	run -6 madcheck --rules standard,counters --state counters --device "sim:fat-tree:4,6,2,$bad,control=link leaf1 1 width=1x"
	run -3 --separate-stderr madcheck -j -t 50 --rules standard,counters --state counters --device 'sim:fat-tree:4,6,2,control=agent leaf1 mute gsi'
	[[ $(jq -r 'select(.problem.event == "close").problem | "\(.rule) \(.place)"' <<<"$output" | sort | paste -sd,) == \
		'counters leaf2/2 <-> h2-2/1,slow leaf1/1 <-> h1-1/1' ]] || { echo "$output"; return 1; }
	[[ $stderr == *'1 open problem was not judged, and stays open'* && $(grep -c 'leaf1/3' counters) -eq 1 ]]
	# --expect is judged only if it is given, and the other port only if it is read
	run -6 madcheck --local --device sim:fat-tree:4,6,2@h1-1 --expect 2x200 --state expect
	run -0 --separate-stderr madcheck --local --device sim:fat-tree:4,6,2@h1-1 --state expect
	[[ $stderr == *"stays open"* && $output != *closed* ]]
	# the file that a link names is replaced, not the link; a device is not
	ln -s state link
	run -0 madcheck --device sim:fat-tree:4,6,2 --state link
	[[ -L link && $(wc -l <state) -eq 1 ]]
	ln -s missing dangling
	run -1 madcheck --device sim:fat-tree:4,6,2 --state dangling
	mkfifo pipe
	run -2 --separate-stderr madcheck --device sim:fat-tree:4,6,2 --state pipe
	[[ $stderr == *"'pipe' is not a regular file"* && -p pipe ]]
	echo garbage >state
	run -5 --separate-stderr madcheck --device sim:fat-tree:4,6,2 --state state
	[[ $stderr == "madcheck: state:1: not a line of madcheck --state" && -z $output && $(cat state) == garbage ]]
	# damaged by others: too long a line, a byte of value 0
	{ echo '# open problems, kept by madcheck --state: do not edit' && printf '%05000d\n' 0; } >state
	run -5 --separate-stderr madcheck --device sim:fat-tree:4,6,2 --state state
	[[ $stderr == 'madcheck: state:2:1: the line has more than 4096 bytes (see madcheck(1))' ]]
	printf '# open\0\n' >state
	run -5 --separate-stderr madcheck --device sim:fat-tree:4,6,2 --state state
	[[ $stderr == 'madcheck: state:1:7: a byte of value 0 (see madcheck(1))' ]]
}

@test "--nagios: one line with performance data, and its statuses, also for failures" {
	plugin='^IB (OK|WARNING|CRITICAL|UNKNOWN) - [^|]+ \| .*'
	data="'[a-z]+'=[0-9.]+s?;[0-9]*;[0-9]*;0"
	for row in '0 OK sim:fat-tree:4,6,2' "1 WARNING $(faulty fat-tree:4,6,2 'link leaf2 3 width=1x')" \
		"2 CRITICAL $(faulty fat-tree:4,6,2 'agent h3-2 mute')"; do
		read -r status word device <<<"$row"
		run "-$status" --separate-stderr madcheck --nagios --device "$device"
		[[ ${lines[0]} =~ $plugin && ${lines[0]} == "IB $word - "* ]] || { echo "${lines[0]}"; return 1; }
		[[ ${lines[0]#*| } =~ ^$data(\ $data)*$ ]] || { echo "${lines[0]#*| }"; return 1; }
	done
	for options in --bad '--device sim:nosuch' '--severity worst' '--device sim:fat-tree:4,6,2 --deadline 0' '--limits nosuch'; do
		# shellcheck disable=SC2086  # a list of words
		run -3 --separate-stderr madcheck --nagios $options
		[[ ${#lines[@]} -eq 1 && ${lines[0]} == "IB UNKNOWN - "* ]] || { echo "$options: $output"; return 1; }
	done
	run -0 madcheck --nagios --severity critical --device "$(faulty fat-tree:4,6,2 'link leaf2 3 width=1x')"
}

@test "--local: both ends of the ports of this host by four MADs each, and nothing else" {
	local device
	run -0 --separate-stderr madcheck --local --device sim:fat-tree:4,6,2 -w capture
	[[ $output == "OK: no problems in 1 port of this host" && -z $stderr ]]
	[[ $(madrecv -r capture -j | jq -s 'map(select(.kind == "request")) | length') -eq 4 ]]
	for fault in 'link h1-1 1 width=1x' 'link leaf1 1 width=1x'; do
		run -6 problems "$(faulty fat-tree:4,6,2 "$fault" 'link leaf1 2 width=1x')" --local
		[[ $output == "warning slow leaf1/1 <-> h1-1/1" ]] || { echo "$output"; return 1; }
	done
	run -6 --separate-stderr madcheck --local --device 'sim:fat-tree:4,6,2@h1-1,control=link h1-1 1 down'
	[[ ${lines[1]} == "critical  down  h1-1/1  the port has no link (Polling)" ]]
	# a silent far end is unknown
	run -3 --separate-stderr madcheck --local --device 'sim:fat-tree:4,6,2@h1-1,control=agent leaf1 mute' -t 50
	[[ ${lines[0]} == "UNKNOWN: "*"not everything was judged" && $stderr == *"far end unchecked: no response" ]]
	# with an M_Key that protects reading, the far end is not queried without its key
	device="sim:fat-tree:4,6,2@h1-1,control=info h1-1 1 Mkey=7 ProtectBits=2,control=info leaf1 0 Mkey=7 ProtectBits=2"
	printf '0x100000 7\n' >keys
	run -3 --separate-stderr madcheck --local --device "$device" -y @keys
	[[ $stderr == *"far end unchecked: its M_Key is not known (--m-key)" ]] || { echo "$stderr"; return 1; }
	run -0 --separate-stderr madcheck --local --device "$device" -y 7
	# --expect
	run -0 madcheck --local --expect 1x200 --device sim:fat-tree:4,6,2
	run -6 --separate-stderr madcheck --local --expect 1x400 --device sim:fat-tree:4,6,2
	[[ ${lines[1]} == *"0 of 1 expected ports are Active at 400 Gb/s or more" ]]
	for word in x 0x100 8y 1x 1x-3 200 8 1x0; do run -2 madcheck --local --expect "$word"; done
	# what needs the whole subnet is refused, not left out
	for word in silent sm route pkey counters name slow,firmware; do
		run -2 --separate-stderr madcheck --local --rules "$word" --device sim:fat-tree:4,6,2
		[[ $stderr == *"--local does not judge the rule ${word#slow,}"* && -z $output ]] || { echo "$word: $stderr"; return 1; }
	done
	# the hint is a command that works, and that notices a rise
	hint="madpoll --delta -n 1 -i 3s Get PortCounters --assert '!any_error'"
	for words in '--for 3s' '--since old.json' '--rules standard,rises'; do
		# shellcheck disable=SC2086
		run -2 --separate-stderr madcheck --local $words --device sim:fat-tree:4,6,2
		[[ ${stderr#*$'\n'} == "madcheck: hint: for the port of a host: $hint" ]] || { echo "$stderr"; return 1; }
	done
	run -3 --separate-stderr madcheck --local --nagios --rules standard,rises --device sim:fat-tree:4,6,2
	[[ $output == "IB UNKNOWN - --local does not judge the rule rises: "* ]] || { echo "$output"; return 1; }
	MADKIT_DEVICE=sim:fat-tree:4,6,2 run -0 bash -c "$hint"
	MADKIT_DEVICE='sim:fat-tree:4,6,2,control=errors h1-1 1 SymbolErrorCounter=1' run -6 bash -c "$hint"
	printf 'slow usual 50\nPortRcvErrors=3\n' >limits
	run -2 --separate-stderr madcheck --local --limits limits --device sim:fat-tree:4,6,2
	[[ $stderr == *"limits:2:1: --local does not judge the rule counters"* ]]
	run -0 madcheck --local --rules standard --device sim:fat-tree:4,6,2
	# at a deadline nothing is known of M_Keys
	run -3 --separate-stderr madcheck --local --device 'sim:fat-tree:4,6,2@h1-1,control=agent leaf1 mute' --deadline 1000
	[[ $stderr != *M_Key* && $stderr == *"the deadline ended the sweep" ]] || { echo "$stderr"; return 1; }
}

@test "--local judges every InfiniBand port of the host: two rails of which one is unplugged fail" {
	cat >two.net <<-'EOT'
		Switch 4 "S-0000000000000010" # "leaf" base port 0 lid 1 lmc 0
		[1] "H-0000000000000020"[1](21) # "h1 mlx5_0" lid 2 4xHDR
		[2] "H-0000000000000030"[1](31) # "h1 mlx5_1" lid 3 4xHDR
		[3] "H-0000000000000040"[1](41) # "h2 mlx5_0" lid 4 4xHDR

		Ca 1 "H-0000000000000020" # "h1 mlx5_0"
		[1](21) "S-0000000000000010"[1] # lid 2 lmc 0 "leaf" lid 1 4xHDR

		Ca 1 "H-0000000000000030" # "h1 mlx5_1"
		[1](31) "S-0000000000000010"[2] # lid 3 lmc 0 "leaf" lid 1 4xHDR

		Ca 1 "H-0000000000000040" # "h2 mlx5_0"
		[1](41) "S-0000000000000010"[3] # lid 4 lmc 0 "leaf" lid 1 4xHDR
	EOT
	serve two.net
	run -0 --separate-stderr preloaded_on 'h1 mlx5_0' madcheck --local
	[[ $output == "OK: no problems in 2 ports of this host" ]] || { echo "$output $stderr"; return 1; }
	control link 'h1 mlx5_1' 1 down
	run -6 --separate-stderr preloaded_on 'h1 mlx5_0' madcheck --local
	[[ ${lines[0]} == "CRITICAL: 1 critical problem in 2 ports of this host" && ${lines[1]} == *"down  mlx5_1/1 "* ]]
	run -6 preloaded_on 'h1 mlx5_0' madcheck --local --expect 2x200
	run -0 preloaded_on 'h1 mlx5_0' madcheck --local --expect 1x200
	run -2 preloaded_on 'h1 mlx5_0' madcheck --local --nagios
	run -6 --separate-stderr preloaded_on 'h1 mlx5_0' madcheck --local --device all
	[[ ${lines[1]} == *"down  mlx5_1/1 "* ]]
}

# preloaded_on NODE COMMAND...: with the devices of a host of the served fabric
preloaded_on() {
	local node=$1
	shift
	LD_PRELOAD="${MADKIT_PRELOAD:+$MADKIT_PRELOAD:}$MADKIT_BUILD/lib/.libs/libmadsim_umad.so" MADSIM_SOCKET=$socket MADSIM_NODE=$node "$@"
}

@test "the deadline and a signal: what was judged is shown, and that it is not all" {
	local device='sim:fat-tree:4,6,2,control=link leaf1 2 width=1x,fault=drop class=0x81 node=spine1 nth=5+,fault=drop class=0x81 node=spine2 nth=5+'
	run -6 --separate-stderr madcheck --device "$device" --deadline 2000
	[[ ${lines[0]} == *"not everything was judged (deadline)" && $output == *"leaf1/2 <-> h1-2/1"* && $stderr == *"the deadline ended the sweep" ]] ||
		{ echo "$output $stderr"; return 1; }
	serve fat-tree:4,6,2
	control agent leaf3 mute >/dev/null
	control link leaf1 2 width=1x >/dev/null
	on h1-1 timeout -s INT 1 madcheck -t 5000 >out 2>err || status=$?
	[[ $status -eq 124 || $status -eq 130 ]]
	grep -q 'leaf1/2 <-> h1-2/1' out
	grep -q 'not everything was judged' out
}

@test "names from the fabric cannot control a terminal or make columns" {
	sed 's/h2-3 HCA-1/evil\x1b[31m HCA|1/' <(madsim --generate fat-tree:4,6,2) >evil.net
	run -6 --separate-stderr madcheck --device "$(faulty "$PWD/evil.net" 'link leaf2 3 width=1x')" --color never
	[[ $output != *$'\e'* && $output == *'evil\x1b[31m'* ]] || { echo "$output" | cat -v; return 1; }
	run -1 --separate-stderr madcheck --nagios --device "$(faulty "$PWD/evil.net" 'link leaf2 3 width=1x')"
	[[ $(head -1 <<<"$output" | tr -cd '|' | wc -c) -eq 1 ]]
}

@test "colours: --color, NO_COLOR, CLICOLOR_FORCE" {
	local device
	device=$(faulty fat-tree:4,6,2 'link leaf2 3 width=1x')
	coloured() { [[ $output == *$'\e[33mwarning\e[0m'* ]]; }
	run -6 madcheck --device "$device"; coloured && return 1
	run -6 madcheck --device "$device" --color always; coloured
	CLICOLOR_FORCE=1 run -6 madcheck --device "$device"; coloured
	NO_COLOR=1 CLICOLOR_FORCE=1 run -6 madcheck --device "$device"; coloured && return 1
	NO_COLOR=1 run -6 madcheck --device "$device" --color always; coloured
	run -2 madcheck --color sometimes
}

@test "at most twenty lines: problems of a kind are one line, --all shows each" {
	local device=sim:fat-tree:24,2,24,sm=none
	run -6 madcheck --device "$device"
	[[ $(grep -c '^critical\|^warning' <<<"$output") -le 20 && $output == *" x Switch <-> Switch "* ]]
	run -6 madcheck --device "$device" --all
	[[ $(grep -c '^warning  *init' <<<"$output") -eq $((24 * 26)) ]]
}

@test "--list-rules lists each rule with what to do next, and the page describes each" {
	run -0 madcheck --list-rules
	rules=$(grep -oE '^[a-z]+' <<<"$output")
	[[ $(wc -l <<<"$rules") -ge 11 && $(grep -c ' next: ' <<<"$output") -eq $(wc -l <<<"$rules") ]]
	for rule in $rules; do
		cat "$BATS_TEST_DIRNAME"/../../man/{madcheck.1,madkit-plan.7,madkit-rules.7}.in | grep -qE "^.fB$rule.*fR \\(" || { echo "$rule"; return 1; }
	done
}

@test "lines match the schema" {
	run -6 --separate-stderr madcheck -j --device "$(faulty fat-tree:4,6,2 'link leaf2 3 width=1x' 'agent h3-2 mute' 'info h1-2 1 Lid=0')"
	python3 "$BATS_TEST_DIRNAME/../schema.py" "$BATS_TEST_DIRNAME/../../schema/madkit-1.schema.json" <<<"$output"
}

@test "--nagios, and a system that stops reading: UNKNOWN at the deadline" {
	MADKIT_DEVICE=sim:fat-tree:2,2,1 run -0 --separate-stderr timeout 60 python3 - <<-'END'
		import fcntl, os, subprocess
		reader, writer = os.pipe()
		fcntl.fcntl(writer, 1031, 1 << 20)  # F_SETPIPE_SZ: madcheck does not make it larger
		os.set_blocking(writer, False)
		try:
		    while True:
		        os.write(writer, bytes(4096))
		except BlockingIOError:
		    os.set_blocking(writer, True)
		for words in [], ["--local", "--expect", "1x200"]:
		    print(subprocess.run(["madcheck", "-q", "--nagios", "--deadline", "300", *words], stdout=writer).returncode)
	END
	[[ $output == $'3\n3' ]] || { echo "$output"; return 1; }
}
