#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# madsweep METHOD ATTRIBUTE: a request to every port or node; --clear.

setup() {
	load common
	serve "$topologies/small.net"
	export MADKIT_DEVICE=sim:unix:$socket@node1
}

teardown() { clean_up; }

# what madsweep runs with, and other programs do not
with=()

# sweep ARGUMENT...: madsweep, with its lines but the summary in $output, and the summary's requests in $requests
sweep() {
	run --separate-stderr "${with[@]}" madsweep -j "$@"
	requests=$(jq -c 'select(.kind == "summary") | .data.requests' <<<"$output")
	complete=$(jq -c 'select(.kind == "summary").data.complete' <<<"$output")
	output=$(jq -c 'select(.kind != "summary")' <<<"$output")
}

# shellcheck disable=SC2120  # it has no arguments
places() { jq -r '"\(.remote.name) \(.data.PortSelect)"' <<<"$output" | sort | paste -sd,; }

seed() {
	control counter leaf1 2 SymbolErrorCounter=5
	control counter leaf2 7 SymbolErrorCounter=7
	control counter node3 1 SymbolErrorCounter=9
	control counter leaf1 3 LinkDownedCounter=1
}

@test "Get PortCounters: each port once, also ports of switches that are down" {
	sweep Get PortCounters
	((status == 0))
	[[ $(jq -r '"\(.remote.name) \(.data.PortSelect)"' <<<"$output" | sort -u | wc -l) == 20 ]]
	[[ $(jq -c '{ports,answered,silent,mads}' <<<"$requests") == '{"ports":20,"answered":20,"silent":0,"mads":20}' ]]
}

@test "the totals of the summary are those of the whole command" {
	local sweep
	total() { run -0 --separate-stderr madsweep -j "$@" && tail -n 1 <<<"$output" | jq -c .data; }
	sweep=$(total | jq .mads)
	[[ $(total --sl 0 Get PortCounters | jq -c '[.mads, .requests.mads]') == "[$((sweep + 20)),20]" ]]
	# and the request for the SLs
	[[ $(total Get PortCounters | jq -c '[.mads, .requests.mads]') == "[$((sweep + 21)),20]" ]]
	[[ $(total --select 'node.name =~ "^leaf1"' --clear PortCounters --yes | jq .mads) == $((sweep + 9)) ]]
	run -0 --separate-stderr madsweep --sl 0 Get PortCounters
	[[ $stderr == 'madsweep: complete: '*"; $((sweep + 20)) MADs, 0 resent, in "* ]]
	control agent leaf2 slow=100 gsi
	# two at a time
	total --sl 0 Get PortCounters | jq -e '.elapsed_us >= 400000'
	control agent leaf2 normal gsi
	control fault drop class=PerfMgt method=GetResp node=leaf2 nth=1
	total --sl 0 -t 100 Get PortCounters | jq -e "[.mads, .resent] == [$((sweep + 21)), 1]"
}

@test "text is in the order of the ports, and the summary is on standard error" {
	run -0 --separate-stderr madsweep Get PortCounters
	[[ ${lines[0]} == 'NODE '* && ${#lines[@]} == 21 ]]
	diff <(awk 'NR == 1 { at = index($0, "PORT") } NR > 1 { name = substr($0, 1, at - 1); sub(/ +$/, "", name)
		print name "," substr($0, at, 4) + 0 }' <<<"$output") \
		<(madsweep -q -f csv | sed 1d | cut -d , -f 1,2)
	[[ $stderr == *'PortCounters: 20 ports, 20 answered; 20 MADs, 0 resent'* ]]
}

@test "attributes of a node are requested once, of ports by directed routes" {
	sweep Get NodeInfo
	[[ $(jq -c '[.header.class, .remote.name]' <<<"$output" | sort -u | wc -l) == 6 ]]
	sweep Get SwitchInfo
	[[ $(jq -r .remote.name <<<"$output" | sort | paste -sd,) == 'leaf1 rack1,leaf2 rack2' ]]
	sweep Get PerfMgt:ClassPortInfo
	[[ $requests == '{"nodes":6,"answered":6,'* ]]
	sweep Get PortInfo
	[[ $(jq -r '"\(.remote.name) \(.header.modifier)"' <<<"$output" | sort -u | wc -l) == 20 ]]
	run -4 --separate-stderr madsweep Get SMInfo -f table --fields remote.name,Priority
	[[ $output == *node4* && $output != *node1* && $stderr == *'(node1 HCA-1) was answered with status 0x000c'* ]]
}

@test "a filter of counters finds the ports with errors, and asks few of the others" {
	seed
	sweep Get PortCounters --filter 'SymbolErrorCounter > 0'
	((status == 0))
	[[ $(places) == 'leaf1 rack1 2,leaf2 rack2 7,node3 HCA-1 1' ]]
	control counter leaf1 2 SymbolErrorCounter=0
	sweep Get PortCounters --filter 'SymbolErrorCounter > 0 || LinkDownedCounter >= 0x10'
	[[ $(places) == 'leaf2 rack2 7,node3 HCA-1 1' ]]
	control counter leaf1 3 LinkDownedCounter=0
	# 4 hosts, ClassPortInfo and the sums of 2 switches, the ports of one
	sweep Get PortCounters --filter 'SymbolErrorCounter > 0 || LinkDownedCounter >= 0x10'
	[[ $(places) == 'leaf2 rack2 7,node3 HCA-1 1' ]]
	[[ $(jq -c '[.ports,.answered,.summed,.mads]' <<<"$requests") == '[20,12,8,16]' ]]
	run -0 --separate-stderr madsweep Get PortCounters --filter 'SymbolErrorCounter > 0'
	[[ $stderr == *'PortCounters: 20 ports, 12 answered, 8 not asked (the sum of their switch is 0); 16 MADs'* ]]
	# only a sum of 0 is relied on
	sweep Get PortCounters --filter 'SymbolErrorCounter > 100'
	[[ $output == '' && $(jq -c '[.ports,.answered,.summed,.mads]' <<<"$requests") == '[20,12,8,16]' ]]
	sweep Get PortCounters --filter 'SymbolErrorCounter >= 0'
	[[ $(jq -c '[.answered,.summed]' <<<"$requests") == '[20,0]' ]]
	control counter leaf1 3 LinkDownedCounter=1
	sweep Get PortCountersExtended --filter 'SymbolErrorCounter > 0'
	[[ $(places) == 'leaf2 rack2 7,node3 HCA-1 1' ]]
	# other filters may hold for a port, and not for the sum
	sweep Get PortCounters --filter 'LinkDownedCounter == 1'
	[[ $(places) == 'leaf1 rack1 3' && $(jq .mads <<<"$requests") == 20 ]]
	sweep Get PortCounters --filter '!(SymbolErrorCounter > 0)'
	[[ $(wc -l <<<"$output") == 18 ]]
}

@test "a node that does not respond is a result, and is asked for two ports only" {
	control agent leaf2 mute gsi
	sweep Get PortCounters -t 100 --retries 1
	((status == 0))
	[[ $(jq -r '"\(.kind) \(.remote.name) \(.attempts)"' <<<"$output" | sort | uniq -c | sed 's/^ *//' | grep timeout | paste -sd,) == \
		'6 timeout leaf2 rack2 0,2 timeout leaf2 rack2 2' ]]
	[[ $(jq -c '[.answered,.silent]' <<<"$requests") == '[12,8]' ]]
	[[ $complete == false ]]
	[[ $stderr == *'(leaf2 rack2 port 1)'*'6 ports of leaf2 rack2: not requested, because the node does not respond'* ]]
	run -3 madsweep -q Get PortCounters -t 100 --retries 0 --strict
	run -3 madsweep -q Get PortCounters -t 100 --retries 0 --select 'node.name == "leaf2 rack2"'
	sweep Get PortCountersExtended -t 100 --retries 0
	[[ $(jq -c '[.answered,.silent]' <<<"$requests") == '[12,8]' ]]
}

@test "an SMP: the last try is sent after all others, one at a time" {
	local vl15
	for vl15 in 4,2000 1,500 typical; do
		# in virtual time: other processes do not delay a response until the next SMP is sent
		run -0 --separate-stderr madsweep -q -j Get PortInfo --device sim:fat-tree:2,6,2,vl15=$vl15
		jq -s -e '.[-1].data | .complete and .requests.answered == 32 and .requests.silent == 0' <<<"$output"
		jq -s -e 'map(select(.kind == "response" and .status.mad == 0)) | length == 32' <<<"$output"
	done
	control fault drop class=SubnMgt attribute=SMInfo node=node3
	control fault drop class=SubnMgt attribute=SMInfo node=node2 method=GetResp nth=1+2
	sweep Get SMInfo -t 100
	[[ $(jq -c 'select(.kind == "timeout") | [.remote.name, .attempts]' <<<"$output") == '["node3 HCA-1",3]' ]]
	[[ $stderr == *'(node3 HCA-1) in 0.3'*' s, 3 tries;'* ]]
	# one node needed the last try
	[[ $(jq -c 'select(.kind == "response") | select(.attempts != 1) | [.remote.name, .attempts]' <<<"$output") == '["node2 HCA-1",3]' ]]
	[[ $(jq -c '[.nodes, .silent, .mads, .resent]' <<<"$requests") == '[6,1,10,4]' ]]
}

@test "a lost response with ClassPortInfo or with the sums costs no port" {
	seed
	control fault drop class=PerfMgt attribute=ClassPortInfo method=GetResp node=leaf2
	sweep Get PortCountersExtended -t 100 --retries 1 --filter 'SymbolErrorCounter > 0'
	((status == 0))
	[[ $(places) == 'leaf1 rack1 2,leaf2 rack2 7,node3 HCA-1 1' ]]
	[[ $(jq -c '[.ports,.answered,.silent]' <<<"$requests") == '[20,20,0]' && $complete == false ]]
	[[ $stderr == *'no response to Get ClassPortInfo '*'(leaf2 rack2)'*', 2 tries'* ]]
	control fault clear
	# the request has the usual tries
	control fault drop class=PerfMgt attribute=ClassPortInfo method=GetResp node=leaf1 nth=1
	sweep Get PortCountersExtended -t 100 --retries 1 --filter 'SymbolErrorCounter > 0'
	[[ $(places) == 'leaf1 rack1 2,leaf2 rack2 7,node3 HCA-1 1' && $(jq -c '[.silent,.resent]' <<<"$requests") == '[0,1]' ]]
	[[ $stderr != *'no response'* ]]
	# ClassPortInfo is the first response of the switch, the sums are the second
	control fault clear
	control fault drop class=PerfMgt attribute=PortCounters method=GetResp node=leaf2 nth=1+2
	sweep Get PortCounters -t 100 --retries 1 --filter 'SymbolErrorCounter > 0'
	[[ $(places) == 'leaf1 rack1 2,leaf2 rack2 7,node3 HCA-1 1' && $(jq -c '[.answered,.summed,.silent]' <<<"$requests") == '[20,0,0]' ]]
}

# lack MASK MASK2 ARGUMENT...: as sweep, on nodes that lack these capabilities
lack() {
	local lib=$MADKIT_BUILD/tests/sim/.libs/capabilities.so
	with=(env "LACKED=$1" "LACKED2=$2" "LD_PRELOAD=${MADKIT_PRELOAD:+$MADKIT_PRELOAD:}$lib")
	sweep "${@:3}"
	with=()
}

@test "a switch without AllPortSelect is asked port by port" {
	seed
	lack 0x100 0 Get PortCounters --filter 'SymbolErrorCounter > 0'
	[[ $(places) == 'leaf1 rack1 2,leaf2 rack2 7,node3 HCA-1 1' ]]
	[[ $(jq -c '[.answered,.summed,.mads]' <<<"$requests") == '[20,0,22]' ]]
}

@test "nodes without PortCountersExtended are named, and not requested" {
	seed
	export LACKED_BY=switches
	lack 0x600 0 Get PortCountersExtended --filter 'SymbolErrorCounter > 0'
	((status == 0))
	[[ $(jq -r 'select(.kind == "response").remote.name' <<<"$output") == 'node3 HCA-1' ]]
	[[ $(jq -c '[.answered,.refused,.unsupported]' <<<"$requests") == '[4,0,16]' ]]
	lack 0x600 0 Get PortCountersExtended
	jq -s -e 'map(select(.kind == "error")) | length == 16 and all(.[]; .status.send == 95 and .attempts == 0 and
		.data.error == "its ClassPortInfo does not have IsExtendedWidthSupported")' <<<"$output"
	[[ $stderr == *'PortCountersExtended of 8 ports of leaf1 rack1: not requested, because its ClassPortInfo does not have IsExtendedWidthSupported'* ]]
	lack 0x600 0 Get PortCountersExtended --strict
	((status == 4))
	lack 0x600 0 Get PortCountersExtended --select 'node.type == Switch'
	((status == 4))
}

@test "counters of errors that PortCountersExtended of a node does not have are not 0" {
	seed
	export LACKED_BY=switches
	lack 0 2 Get PortCountersExtended
	((status == 0))
	jq -s -e 'map(select(.port.node.type == "Switch")) | length == 16 and
		all(.[]; .data.PortXmitData >= 0 and .data.SymbolErrorCounter == null)' <<<"$output"
	jq -s -e 'map(select(.port.node.type == "CA")) | length == 4 and all(.[]; .data.SymbolErrorCounter >= 0)' <<<"$output"
	[[ $stderr == *'PortCountersExtended of leaf1 rack1 has no counters of errors: its ClassPortInfo does not have'* ]]
	# a sum of 0 says nothing of them
	lack 0 2 Get PortCountersExtended --filter 'SymbolErrorCounter > 0'
	[[ $(jq -r .remote.name <<<"$output") == 'node3 HCA-1' && $(jq -c '[.answered,.summed]' <<<"$requests") == '[20,0]' ]]
	lack 0 2 Get PortCountersExtended --filter 'SymbolErrorCounter == 0'
	[[ $(jq -r .port.node.type <<<"$output" | sort | uniq -c | tr -d ' ') == 3CA ]]
}

@test "enhanced port 0 of a switch is asked even if the sum is 0" {
	# 7 switches; 5 of them have an enhanced port 0
	run -0 --separate-stderr inside "$topologies/real.dump" -- madsweep -j Get PortCounters --filter 'SymbolErrorCounter > 0'
	jq -s -e '.[-1].data | [.cas, .requests.ports, .requests.summed, .requests.answered] == [31, 341, 301, 40]' <<<"$output"
}

@test "the deadline ends it" {
	control agent leaf2 mute gsi
	in_time 300 ends_half_way
	in_time 300 ends_in_flight
}

ends_half_way() {
	run -3 --separate-stderr madsweep -t 60000 Get PortCounters --deadline "$ms" || return
	[[ $stderr == *'the deadline ended it after 12 of 20 ports'* ]]
}

# Even if no request is left to send, those in flight are not silent.
ends_in_flight() {
	run -3 --separate-stderr madsweep -j -t -1 Get PortCounters --deadline "$ms" --select 'number == 1' || return
	[[ $(jq -c 'select(.kind == "summary").data.requests | [.answered, .silent, .unfinished]' <<<"$output") == '[5,0,1]' ]]
}

@test "without the SA, requests have SL 0" {
	control fault drop class=SubnAdm
	run -0 --separate-stderr madsweep -t 100 --retries 0 Get PortCounters --select 'node.name =~ "^node2"'
	[[ $stderr == *'the subnet administrator does not respond: requests have SL 0 (--sl)'* ]]
	run -0 --separate-stderr madsweep --sl 0 Get PortCounters
	[[ $stderr != *administrator* ]]
}

@test "what cannot be requested of each port or node" {
	run -2 madsweep Set PortInfo
	[[ $output == *"'Set': madsweep only reads, with Get"* ]]
	run -2 madsweep GetTable PortCounters
	[[ $output == *"'GetTable': madsweep only reads"* ]]
	run -2 madsweep Get NodeRecord
	[[ $output == *'NodeRecord is an attribute of the subnet administrator'* ]]
	run -2 madsweep Get PKeyTable
	[[ $output == *'P_KeyTable is a table in blocks: -m all gets all of them, -m 0-3 a list'* ]]
	run -2 madsweep Get PortCounters PortSelect=3
	[[ $output == *'PortSelect: each port is asked'* ]]
	run -2 madsweep --sl 1
	[[ $output == *'--sl has no effect: there is no METHOD ATTRIBUTE'* ]]
	run -2 madsweep --sm-key 1 Get NodeInfo
	[[ $output == *'--sm-key has no effect: NodeInfo is requested by SMPs'* ]]
	run -2 madsweep Get PortCounters --filter 'SymbolErorCounter > 0'
	[[ $output == *SymbolErrorCounter* ]]
}

# tables: "GUID MODIFIER DATA" of the responses
tables() { jq -cS 'select(.kind == "response") | [.port.node.guid // $guid, .header.modifier, .data]' --arg guid "${1-}" | sort; }

@test "-m all: the blocks that each node has, equal to madsend -m all" {
	local attribute via guid lid
	madsweep -q -j | jq -r 'select(.kind == "port").port | "\(.node.guid) \(.lid)"' | sort -u >"$dir/nodes"
	for attribute in PKeyTable GUIDInfo LinearForwardingTable MulticastForwardingTable SLtoVLMappingTable VLArbitrationTable; do
		while read -r guid lid; do
			madsend -q -L "$lid" -j -m all Get "$attribute" 2>/dev/null | tables "$guid"
		done <"$dir/nodes" | sort >"$dir/theirs"
		[[ -s $dir/theirs ]]
		for via in smp sa; do
			diff <(madsweep -q -j --via "$via" Get "$attribute" -m all | tables) "$dir/theirs"
		done
	done
	run -0 --separate-stderr madsweep Get PKeyTable -m all -f table
	((${#lines[@]} == 1 + 28))
	[[ $stderr == *'P_KeyTable: 28 blocks, 28 answered; '* ]]
}

@test "-m all: if the number of blocks is not known, the survey is not complete" {
	local attribute
	control fault drop node=leaf2 attribute=SwitchInfo method=GetResp
	for attribute in LinearForwardingTable MulticastForwardingTable; do
		sweep -t 100 Get $attribute -m all
		((status == 0))
		[[ $complete == false && $(jq .failed <<<"$requests") == 1 ]]
		[[ $(jq -c 'select(.kind == "error") | [.port.node.name, .data.error, .attempts]' <<<"$output") == '["leaf2 rack2","the number of blocks is not known",0]' ]]
		jq -s -e 'map(select(.kind == "response" and .port.node.name == "leaf2 rack2").header.modifier) == [0]' <<<"$output"
		[[ $stderr == *"$attribute of leaf2 rack2: only the first block is requested, because the number of blocks is not known"* ]]
	done
	# each external port of the switch
	sweep -t 100 Get PKeyTable -m all
	[[ $complete == false && $(jq .failed <<<"$requests") == 8 ]]
	run -3 madsweep -q -t 100 Get LinearForwardingTable -m all --strict
	control fault clear
	control fault drop node=node2 attribute=PortInfo method=GetResp
	sweep -t 100 Get GUIDInfo -m all
	[[ $complete == false && $(jq .failed <<<"$requests") == 1 ]]
}

@test "-m: a list of blocks, of the ports that --select chooses" {
	sweep Get PKeyTable -m 0-1,1 --select 'node.type == Switch && number == 2'
	jq -s -e 'map(select(.kind == "response").header.modifier) | sort == [131072, 131072, 131073, 131073, 131073, 131073]' <<<"$output"
	sweep Get SL2VL -m 3 --select 'node.name == "leaf1 rack1" && number == 2'
	jq -s -e 'map(select(.kind == "response").header.modifier) == [770]' <<<"$output"
	for words in 'PKeyTable -m 1:all' 'PortInfo -m 3' 'NodeInfo -m all' 'PortCounters -m 1' 'SL2VL -m 256' 'LFT -m 0-99999' 'LFT -m 3-1' 'CongestionControlTable -m all'; do
		# shellcheck disable=SC2086
		run -2 madsweep Get $words
	done
	run -2 madsweep -m 0
}

@test "Get A,B asks for several attributes in one sweep, one after the other" {
	local attribute sweep two=PortCounters,PortRcvErrorDetails
	control counter leaf1 2 SymbolErrorCounter=5
	control counter leaf2 7 PortLoopingErrors=3
	sweep=$(madsweep -q -j | jq 'select(.kind == "summary").data.mads')
	# counters of data move with the requests themselves
	of() { jq -cS 'select(.kind == "response") | [.header.attribute, .remote.name, .data.PortSelect, .data.SymbolErrorCounter, .data.PortLoopingErrors, (.data | keys)]' | sort; }
	for attribute in PortCounters PortRcvErrorDetails; do madsweep -q --sl 0 -j Get "$attribute" | of; done >"$dir/each"
	sweep --sl 0 Get "$two"
	((status == 0))
	diff "$dir/each" <(of <<<"$output")
	[[ $(jq -r .header.attribute <<<"$output" | uniq -c | tr -s ' ' | paste -sd,) == ' 20 PortCounters, 20 PortRcvErrorDetails' ]]
	[[ $(jq -c '[.ports, .nodes, .answered, .mads]' <<<"$requests") == '[40,null,40,40]' ]]
	[[ $(jq -s 'map(.seq) | (unique | length) == 40 and max - min >= 39 and (.[:20] | max) < (.[20:] | min)' <<<"$output") == true ]]
	run -0 --separate-stderr madsweep --sl 0 Get "$two"
	[[ $stderr == *"; $((sweep + 40)) MADs, 0 resent"*'PortCounters: 20 ports, 20 answered'*'PortRcvErrorDetails: 20 ports, 20 answered'* ]]
	diff <(madsweep -q Get PortRcvErrorDetails) <(sed '1,/^# PortRcv/d' <<<"$output")
	[[ $(grep -n '^#' <<<"$output") == $'1:# PortCounters\n24:# PortRcvErrorDetails' ]]
	# ports and nodes; SMPs and GMPs
	sweep Get PortInfo,NodeInfo,PortCounters
	[[ $(jq -r .header.attribute <<<"$output" | uniq -c | tr -s ' ' | paste -sd,) == ' 20 PortInfo, 6 NodeInfo, 20 PortCounters' ]]
	[[ $(jq -c '[.ports, .nodes, .answered]' <<<"$requests") == '[40,6,46]' ]]
	# both ends of a deadline, and a signal, are those of the whole command
	control fault drop class=PerfMgt method=Get
	run -3 madsweep --deadline 300 Get "$two"
	[[ $output == *'the deadline ended it after'* ]]
}

@test "Get A,B: options and fields apply to each attribute" {
	local text two=PortCounters,PortRcvErrorDetails
	seed
	sweep Get PortCounters,PortCountersExtended --filter 'SymbolErrorCounter > 0'
	[[ $(jq -r '"\(.header.attribute) \(.remote.name)"' <<<"$output" | grep -c ' ') == 6 ]]
	run -0 --separate-stderr madsweep Get PortCounters,PortCountersExtended --sort -SymbolErrorCounter --top 1 --fields SymbolErrorCounter
	[[ $output == $'# PortCounters\nSymbolErrorCounter\n                 9\n\n# PortCountersExtended\nSymbolErrorCounter\n                 9' ]] || { echo "$output"; return 1; }
	sweep Get PKeyTable,VLArbitrationTable -m all --select 'node.name == "leaf1 rack1" && number == 1'
	[[ $(jq -r .header.attribute <<<"$output" | sort -u | wc -l) == 2 ]]
	while read -r text words; do
		read -ra words <<<"$words"
		run -2 --separate-stderr madsweep Get "${words[@]}"
		[[ $stderr == *"${text//_/ }"* ]] || { echo "${words[*]}: $stderr"; return 1; }
	done <<-END
		PortRcvErrorDetails_has_no_field_'SymbolErrorCounter' $two --filter SymbolErrorCounter>0
		PortRcvErrorDetails_has_no_field_'SymbolErrorCounter' $two --assert SymbolErrorCounter==0
		PortRcvErrorDetails_has_no_field_'SymbolErrorCounter' $two --fields SymbolErrorCounter
		PortRcvErrorDetails_has_no_field_'SymbolErrorCounter' $two --sort SymbolErrorCounter
		'PortLoopingErrors' $two PortLoopingErrors=1
		Get_'PerfMgt:PortCounters':_the_attribute_is_named_twice PortCounters,PerfMgt:PortCounters
		the_attribute_is_named_twice 0xff50,0xff50 --class PerfMgt
		'' PortCounters,
		'PortCuonters' PortInfo,PortCuonters
		--mod_has_no_effect:_PortCounters PKeyTable,PortCounters -m 0
		-f_csv $two -f csv
		more_than_8 0x12,0x13,0x14,0x15,0x16,0x17,0x18,0x19,0x20 --class PerfMgt
		PortInfo_is_requested_by_SMPs PortInfo,NodeInfo -Y 1
	END
	# each of these has an effect on one of them
	run -0 madsweep -q Get PortInfo,PortCounters -Y 0 --m-key 0 --via sa
}

@test "--clear A,B resets each attribute in one sweep; a wrong one, none" {
	local n leaf=(--select 'node.name =~ "^leaf1"')
	control counter leaf1 1 SymbolErrorCounter=7
	run -2 madsweep --clear PortCounters,NodeInfo "${leaf[@]}" --yes
	[[ $output == *"'NodeInfo': it has no counters"* ]]
	run -2 madsweep --clear PortCounters, "${leaf[@]}" --yes
	[[ $(madsweep -q -j Get PortCounters "${leaf[@]}" | jq 'select(.port.number == 1).data.SymbolErrorCounter') == 7 ]]
	n=$(madsweep -q -j "${leaf[@]}" | grep -c '"kind":"port"')
	run -0 --separate-stderr madsweep --clear PortCounters,PortCountersExtended "${leaf[@]}" --yes -w "$dir/capture"
	diff <(cut -d : -f 1 <<<"$output" | sort | uniq -c | tr -s ' ') <(printf " $n %s cleared\n" PortCounters PortCountersExtended)
	[[ $stderr == *"PortCounters: $n ports, $n answered;"*"PortCountersExtended: $n ports, $n answered;"* ]]
	diff <(madrecv -r "$dir/capture" -j | jq -r 'select(.kind == "request" and .header.method == "Set") | .header.attribute' | sort | uniq -c | tr -s ' ') \
		<(printf " $n %s\n" PortCounters PortCountersExtended)
	[[ $(madsweep -q -j Get PortCounters "${leaf[@]}" | jq 'select(.port.number == 1).data.SymbolErrorCounter') == 0 ]]
	run -0 --separate-stderr madsweep --clear PortCounters,PortCountersExtended "${leaf[@]}" --yes -j
	[[ $(jq -c 'select(.kind == "summary").data.requests | [.ports, .answered]' <<<"$output") == "[$((2 * n)),$((2 * n))]" ]]
}

@test "--clear resets the counters of the selected ports, and no others" {
	seed
	run -2 madsweep --clear PortCounters --yes
	[[ $output == *'--clear needs --select'* ]]
	run -2 madsweep --clear NodeInfo --select 'number > 0' --yes
	[[ $output == *'no counters that can be reset'* ]]
	run -2 madsweep --clear PortCounters,PerfMgt:PortCounters --select 'number > 0' --yes
	[[ $output == *"--clear 'PerfMgt:PortCounters': the attribute is named twice"* ]]
	run -2 setsid -w madsweep --clear PortCounters --select 'number > 0'
	[[ $output == *'PortCounters of 20 ports will be cleared'*'cannot ask for confirmation without a terminal'* ]]
	run -0 --separate-stderr madsweep --clear PortCounters --select 'node.name =~ "^leaf1"' --yes
	[[ $(grep -c '^PortCounters cleared: Lid [0-9]* (leaf1 rack1 port [1-8])$' <<<"$output") == 8 ]]
	[[ $stderr == *'PortCounters of 8 ports will be cleared'* ]]
	sweep Get PortCounters --filter 'SymbolErrorCounter > 0 || LinkDownedCounter > 0'
	[[ $(places) == 'leaf2 rack2 7,node3 HCA-1 1' ]]
}

# cut_clear SIGNAL ARGUMENT...: seeds errors, clears switches, of which leaf2 is slow, and checks that each port
# that was cleared is named in the output or in the messages, and that some were not cleared
cut_clear() {
	local sweeper port named cleared=0
	ended=0
	for port in {1..8}; do control counter leaf2 "$port" SymbolErrorCounter=3; done
	control agent leaf2 slow=200 gsi
	: >"$dir/out"
	# a shell without job control lets its children ignore SIGINT
	env --default-signal=INT madsweep --sl 0 --clear PortCounters --select 'node.type == Switch' --yes "${@:2}" >"$dir/out" 2>"$dir/err" 3>&- &
	sweeper=$!
	if [[ $1 ]]; then
		until grep -q 'cleared: .*(leaf2' "$dir/out"; do sleep 0.02; done
		kill "$1" "$sweeper"
	fi
	wait "$sweeper" || ended=$?
	control agent leaf2 normal gsi
	# what arrives late
	sleep 0.5
	sweep Get PortCounters --select 'node.name =~ "^leaf2"'
	for port in {1..8}; do
		named=$(cat "$dir/out" "$dir/err" | grep -cE "PortCounters (cleared: Lid [0-9]+ \(leaf2 rack2 port $port\)|of leaf2 rack2 port $port may have been cleared)" || true)
		if jq -s -e "any(.[]; .data.PortSelect == $port and .data.SymbolErrorCounter == 0)" <<<"$output" >/dev/null; then
			((named == 1)) || { echo "port $port: named $named times"; cat "$dir/out" "$dir/err"; return 1; }
			cleared=$((cleared + 1))
		fi
	done
	((cleared >= 1 && cleared < 8)) || { echo "$cleared cleared"; return 1; }
	[[ $(grep -c 'cleared: .*(leaf2' "$dir/out") -ge 1 ]] || return
	grep -q 'may have been cleared: no response was received' "$dir/err"
	# the rest was not cleared; -q omits that
	[[ " $* " == *' -q '* || ! $1 ]] || grep -qE 'a signal ended it after [0-9]+ of 16 ports' "$dir/err"
}

@test "--clear: signals and the deadline in the middle leave no cleared port unnamed" {
	cut_clear -TERM
	((ended == 143))
	cut_clear -INT
	((ended == 130))
	cut_clear -TERM -q
	((ended == 143))
	in_time 700 cut_by_deadline
}

cut_by_deadline() { cut_clear "" --deadline "$ms" && ((ended == 3)) && grep -q 'the deadline ended it after' "$dir/err"; }

@test "--clear announces what it clears, and names what it cannot clear" {
	# nothing is behind the port
	run -3 --separate-stderr madsweep -t 100 --clear PortCounters --select 'number > 0' --yes --from 0,1,5
	[[ $stderr != *'will be cleared'* && $stderr != *--select* ]]
	run -3 madsweep -t 100 Get PortCounters --from 0,1,5
	run -0 --separate-stderr madsweep --clear SwPortVLCongestion --select 'number == 1' --yes
	[[ $stderr == *'SwPortVLCongestion of node4 HCA-1 port 1: cannot be cleared, because its node does not have the attribute'* ]]
	[[ $stderr == *'SwPortVLCongestion of 2 ports will be cleared'*'SwPortVLCongestion: 2 ports, 2 answered'* ]]
	[[ $(grep -c cleared <<<"$output") == 2 ]]
	control agent leaf2 mute gsi
	run -3 --separate-stderr madsweep -t 100 --retries 0 --clear PortCounters --select 'node.name =~ "^leaf2"' --yes
	[[ $(grep -c 'of leaf2 rack2 port . may have been cleared' <<<"$stderr") == 2 ]]
	[[ $(grep -c 'PortCounters of leaf2 rack2 port .: not cleared, because the node does not respond' <<<"$stderr") == 6 ]]
}

@test "lines have the port that they are about, and filters use it" {
	seed
	sweep Get PortCounters --filter 'SymbolErrorCounter > 0 && port.node.type == Switch'
	[[ $(jq -r '"\(.port.node.name) \(.port.number) \(.port.peer.node.name)"' <<<"$output" | sort | paste -sd,) == \
		'leaf1 rack1 2 node3 HCA-1,leaf2 rack2 7 leaf1 rack1' ]]
	sweep Get PortInfo --sort name
	jq -r '"\(.port.node.name) \(.port.number)"' <<<"$output" >"$dir/ports"
	[[ $(wc -l <"$dir/ports") == 20 ]]
	sort -V "$dir/ports" | diff "$dir/ports" -
	control agent leaf2 mute
	sweep Get NodeInfo -t 100 --retries 0
	jq -s -e 'map(select(.kind == "response" and .port.node.guid != .data.Guid)) == []' <<<"$output"
}

ends_without_timeout() {
	run -3 --separate-stderr madsweep -t -1 Get PortCounters --deadline "$ms" || return
	[[ $stderr == *'the deadline ended it'* ]]
}

# 12 ports have responded, in whole lines, and the summary says that they are not all.
ends_by_signal() {
	run -124 --separate-stderr timeout $((ms / 1000)) madsweep -t -1 -j Get PortCounters || return
	[[ $(jq -r .kind <<<"$output" | sort | uniq -c | tr -d ' ') == $'12response\n1summary' ]]
	jq -s -e 'last.data | .complete == false and .missing == ["signal"] and .requests.unfinished == 8' <<<"$output"
}

@test "without a timeout, a signal and the deadline end it all the same" {
	control agent leaf2 mute gsi
	in_time 300 ends_without_timeout
	in_time 1000 ends_by_signal
}

# reads_until_signal OPTION...: is ended while it waits for leaf2
reads_until_signal() {
	run -143 --separate-stderr timeout --preserve-status $((ms / 1000)) madsweep -t -1 "$@" || return
	[[ $stderr == *'incomplete: a signal ended the sweep'* ]]
}

@test "a signal while the subnet is read: what was read is listed, and that it is not all" {
	control agent leaf2 mute
	in_time 1000 reads_until_signal
	echo "$output"
	grep -qE '^leaf1 rack1 +1 +[0-9]+ Active' <<<"$output"
	[[ $stderr == *$'\nmadsweep: incomplete (signal): '*' nodes ('* && $output != *leaf2* ]]
	in_time 1000 reads_until_signal -j
	jq -s -e 'any(.kind == "port") and (last.data | .complete == false and .missing == ["signal"])' <<<"$output"
	# nothing is sent any more
	for words in '--clear PortCounters --select number>0 --yes' 'Get NodeInfo' '-f dot' '--route node1,node2'; do
		# shellcheck disable=SC2086
		in_time 1000 reads_until_signal $words
		[[ -z $output && $stderr == *'madsweep: incomplete (signal): '* ]] || { echo "$words: $output $stderr"; return 1; }
	done
}

@test "without a subnet manager, ports have no LIDs" {
	run -3 --separate-stderr inside "$topologies/small.net" --no-sm -- madsweep -t 100 -j Get PortCounters
	jq -s -e 'map(select(.kind == "error" and .data.error == "the port has no LID")) | length == 20' <<<"$output"
	[[ $stderr == *'the port knows no subnet manager: requests have SL 0'* ]]
	[[ $stderr == *'10 more requests not sent, because the port has no route, or no LID, or a shared one'* ]]
	run -0 --separate-stderr inside "$topologies/small.net" --no-sm -- madsweep -q -j Get NodeInfo
}

@test "--clear names each port that was cleared, also if that cannot be written" {
	run -1 --separate-stderr bash -c 'madsweep --select "number == 1" --clear PortCounters --yes >/dev/full'
	[[ $(grep -cE 'was cleared, but that could not be written|may have been cleared' <<<"$stderr") == 6 ]]
	[[ $stderr == *'was cleared, but'* ]]
}

@test "--clear that selects no port is status 6, and asks neither the terminal nor the fabric" {
	for words in '' --yes '--yes -j'; do
		# shellcheck disable=SC2086
		run -6 --separate-stderr setsid -w madsweep --clear PortCounters --select 'number == 99' $words
		[[ $stderr == *"no port matches --select 'number == 99'" && $stderr != *'will be cleared'* ]]
	done
	[[ $(tail -n 1 <<<"$output" | jq -c '.data.requests | [.ports, .mads]') == '[0,0]' ]]
}

@test "--clear: a selected port that was not cleared is status 3, and is not announced if it has no LID" {
	local net=sim:fat-tree:2,2,2
	run -3 --separate-stderr madsweep -t 50 --device "$net,fault=drop node=h2-1 attribute=PortInfo method=GetResp" \
		--select 'node.name =~ "^h2"' --clear PortCounters --yes
	[[ $stderr == *'h2-1 HCA-1 port 1: cannot be cleared, because its LID is not known: PortInfo was not read'* ]]
	[[ $stderr == *'PortCounters of 1 port will be cleared'* && $(grep -c cleared <<<"$output") == 1 ]]
	run -3 --separate-stderr madsweep --device "$net,sm=none" --select 'number == 1' --clear PortCounters --yes
	[[ $stderr == *'cannot be cleared, because the port has no LID'* && $stderr != *'will be cleared'* ]]
}

@test "--clear: a device that is lost in the middle leaves no cleared port unnamed" {
	control agent leaf2 slow=300 gsi
	madsweep --sl 0 --clear PortCounters --select 'node.type == Switch' --yes >"$dir/out" 2>"$dir/err" 3>&- &
	local sweeper=$! status=0
	until grep -q 'cleared: ' "$dir/out"; do sleep 0.02; done
	kill -KILL "$madsim_pid"
	wait "$sweeper" || status=$?
	((status == 1))
	# the requests that were sent are named: two per node are outstanding
	grep -q 'of leaf2 rack2 port . may have been cleared: no response was received' "$dir/err"
}

@test "W9: ports with one LID are duplicates: not requested, not cleared, no end of a route, status 5" {
	local words
	seed
	control counter node2 1 SymbolErrorCounter=4
	run madsend -q -t 50 --retries 0 --name node3 Set PortInfo --merge "Lid=$(madsweep -q -j --select 'node.name == "node2 HCA-1"' | jq -s '.[0].port.lid')"
	for words in '' '--strict' 'Get PortCounters' '--route node1,node3' '--route node2,node1 --both' '--topology' '--mlid 0xc000'; do
		# shellcheck disable=SC2086
		run -5 --separate-stderr madsweep $words
		for name in node2 node3; do
			grep -qE "^madsweep: duplicate LID [0-9]+: $name HCA-1 port 1 \(0," <<<"$stderr" || { echo "$words: $stderr"; return 1; }
		done
		[[ $stderr == *': incomplete: '* ]]
	done
	run -5 --separate-stderr madsweep
	[[ $(grep -c 'duplicate LID$' <<<"$output") == 2 ]]
	# requests by LID; those by directed routes reach each
	sweep --select 'node.type == CA' Get PortCounters
	[[ $status == 5 && $complete == false && $requests == *'"ports":4,"answered":2,'*'"failed":2'* ]]
	[[ $(jq -r 'select(.kind == "response").port.node.name' <<<"$output" | sort | paste -sd,) == 'node1 HCA-1,node4 HCA-1' ]]
	[[ $(jq -r 'select(.kind == "error") | "\(.port.node.name): \(.data.error)"' <<<"$output" | sort -u | paste -sd,) == \
		'node2 HCA-1: another port has its LID,node3 HCA-1: another port has its LID' ]]
	sweep --select 'node.type == CA' Get NodeDescription
	[[ $status == 5 && $requests == *'"nodes":4,"answered":4,'* ]]
	# counters of neither port change
	run -5 --separate-stderr madsweep --select 'node.name =~ "^node[23]"' --clear PortCounters --yes
	[[ $stderr == *'node2 HCA-1 port 1: cannot be cleared, because another port has its LID'* && -z $output ]]
	run -0 --separate-stderr madsend -q -f json --name node2 Get PortCounters PortSelect=1
	[[ $(jq .data.SymbolErrorCounter <<<"$output") == 4 ]]
	for words in node1,node3 "node1,$(madsweep -q -j --select 'node.name == "node3 HCA-1"' | jq -s '.[0].port.lid')" node3,node1\ --both; do
		# shellcheck disable=SC2086
		run -5 --separate-stderr madsweep --route $words
		[[ -z $output && $stderr == *"--route '"*"': several ports have the LID "* ]]
	done
	# where the route begins, the LID is not needed
	run -5 --separate-stderr madsweep --route node3,node1
	[[ $output == *arrives* ]]
}

@test "W10: without ClassPortInfo, counters of errors that are 0 are not known" {
	seed
	control fault drop class=PerfMgt attribute=ClassPortInfo method=GetResp node=leaf2
	sweep Get PortCountersExtended -t 50 --retries 1
	[[ $status == 0 && $complete == false ]]
	jq -s -e 'map(select(.port.node.name == "leaf2 rack2")) | length == 8 and
		all(.[]; .data.PortXmitData >= 0 and .data.SymbolErrorCounter == (if .port.number == 7 then 7 else null end))' <<<"$output"
	# those of node2 and node4 pass leaf2
	jq -s -e 'map(select(.port.node.name | test("^(leaf1|node[13])"))) | length == 10 and all(.[]; .data.SymbolErrorCounter >= 0)' <<<"$output"
	[[ $stderr == *'PortCountersExtended of leaf2 rack2: counters of errors that are 0 are omitted, because ClassPortInfo was not read'* ]]
	sweep Get PortCountersExtended -t 50 --retries 1 --strict
	[[ $status == 3 ]]
}

@test "W10: a node of which NodeDescription was lost has a GUID in messages, and no name" {
	control fault drop attribute=NodeDescription method=GetResp node=node3 class=SubnMgt
	control agent node3 mute gsi
	sweep Get PortCounters -t 50 --retries 1 --select 'node.guid == 0x100004'
	jq -s -e 'length == 1 and .[0].kind == "timeout" and .[0].remote.name == null and .[0].port.node.name == null' <<<"$output"
	[[ $stderr == *'(0x0000000000100004'* && $stderr == *'not read from 0x0000000000100004 (0,1,2): NodeDescription (no response)'* ]]
}
