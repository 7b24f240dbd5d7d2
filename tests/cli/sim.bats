#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# The commands on a simulated fabric inside themselves: --device sim:TOPOLOGY[@NODE].

setup() {
	load common
	data=$BATS_TEST_DIRNAME/../data/topologies
	small=$data/small.dump
	cd "$BATS_TEST_TMPDIR" || return
}

# on DEVICE COMMAND...: ends by itself, at once. A minute is what the slowest machine may need.
on() {
	local device=$1
	shift
	MADKIT_DEVICE=sim:$device timeout 60 "$@"
}

@test "by directed route, from any node" {
	run -0 on "$small" madsend -D 0 Get NodeDescription
	[[ $output == *'leaf2 rack2'* || $output == *HCA-1* ]]
	run -0 on "$small@node1 HCA-1" madsend -D 0 Get NodeDescription
	[[ $output == *'node1 HCA-1' ]]
	run -0 on "$small@node1 HCA-1" madsend -D 0,1 Get NodeInfo
	[[ $output == *'NodeType:........................Switch'* && $output == *0x0000000000200000* ]]
	run -0 on "$small@S-0000000000200001" madsend -D 0,7 -j Get NodeInfo
	[[ $(jq -r '.data.Guid' <<<"$output") == 0x0000000000200000 ]]
	run -0 on "$small@0x100003" madsend -D 0 -j Get NodeInfo
	[[ $(jq -r '.data.PortGuid' <<<"$output") == 0x0000000000100003 ]]
	[[ $(jq -r '.device' <<<"$output") == "sim:$small@0x100003" ]]
}

@test "the subnet is up: by LID, counters, and what the port knows of itself" {
	lid=$(on "$small@node2 HCA-1" madsend -D 0 -j Get PortInfo | jq .data.Lid)
	run -0 on "$small@node1 HCA-1" madsend -L "$lid" Get NodeDescription
	[[ $output == *'node2 HCA-1' ]]
	run -0 on "$small@node1 HCA-1" madsend -L "$lid" -j Get PortInfo
	[[ $(jq -r .data.LinkState_name <<<"$output") == Active ]]
	run -0 on "$small@node1 HCA-1" madsend -L "$lid" -j Get PortCounters PortSelect=1
	[[ $(jq .data.PortRcvPkts <<<"$output") -gt 0 ]]
	run -0 on "$small@node1 HCA-1" madsend --name 'node2 HCA-1' -j Get NodeInfo
	[[ $(jq -r .data.PortGuid <<<"$output") == 0x0000000000100003 ]]
	run -0 --separate-stderr on "$small@node1 HCA-1" madsend -d -D 0 Get NodeDescription
	[[ $stderr == *'is Active, its LID '* ]]
}

@test "tables of the SA: RMPP by the host's kernel and by the command, the same" {
	on "fat-tree:4,6,2@h4-6" madsend -j GetTable NodeRecord >kernel
	on "fat-tree:4,6,2@h4-6" madsend --rmpp user -j GetTable NodeRecord >user
	[[ $(wc -l <kernel) -eq 30 ]]
	cmp <(jq -c .data kernel) <(jq -c .data user)
	[[ $(jq -r .data.NodeDescription kernel | sort -u | wc -l) -eq 30 ]]
	run -0 on "fat-tree:24,20,4@h9-9" madsend -j GetTable NodeRecord
	[[ ${#lines[@]} -eq 508 ]]
	# through a fabric that loses some of it at each cable
	run -0 on "fat-tree:4,6,2@h4-6,fault=drop rate=3%" madsend -t 4000 --retries 9 -j GetTable NodeRecord
	cmp <(jq -c .data <<<"$output") <(jq -c .data kernel)
	run -6 --separate-stderr on fat-tree:2,2,1 madsend -j GetTable NodeRecord LID=999
	run -1 --separate-stderr on fat-tree:2,2,1,sm=none madsend GetTable NodeRecord
	[[ $stderr == *'knows no subnet manager'* ]]
}

@test "the manager is where it is told to be" {
	run -0 on "fat-tree:2,2,1,sm=h2-2" madsend -j Get PortInfo
	sm=$(jq .data.SMLid <<<"$output")
	run -0 on "fat-tree:2,2,1,sm=h2-2" madsend -L "$sm" Get NodeDescription
	[[ $output == *'h2-2 HCA-1' ]]
}

@test "a corrupt packet is counted by the port that receives it" {
	broken='fat-tree:2,2,1,sm=h1-1,fault=corrupt node=h1-1 method=Get attribute=0x10 nth=1'
	printf '%s\n' '{"remote":{"path":"0,1"},"header":{"class":"SubnMgtDR","method":"Get","attribute":"NodeDescription"}}' \
		'{"remote":{"lid":2},"header":{"class":"PerfMgt","method":"Get","attribute":"PortCounters"},"data":{"PortSelect":1}}' >requests
	run -0 on "$broken" madsend --batch requests --window 1 -t 100 -j
	[[ $(jq -r 'select(.header.attribute == "NodeDescription") | .attempts' <<<"$output") == 2 ]]
	[[ $(jq -r 'select(.header.attribute == "PortCounters") | .data | "\(.SymbolErrorCounter) \(.PortRcvErrors)"' <<<"$output") == '1 1' ]]
}

@test "a made-up fabric, and --device before the environment" {
	run -0 on "$small" madsend --device sim:fat-tree:4,2,2@h3-2 -D 0 Get NodeDescription
	[[ $output == *'h3-2 HCA-1' ]]
}

@test "time is virtual: what times out does so at once, hours later" {
	lost=fat-tree:2,2,1,fault='drop method=GetResp'
	run -3 --separate-stderr on "$lost" madsend -D 0,1 -t 3600000 --retries 3 Get NodeInfo
	[[ -z $output && $stderr == *'in 14400.000 s, 4 tries'* ]]
	run -3 --separate-stderr on "$lost" madpoll -D 0,1 Get NodeInfo --until NodeType==2 --deadline 86400000
	[[ $stderr == *'no response'* ]]
	run -6 --separate-stderr on fat-tree:2,2,1 madpoll -D 0,1 Get NodeInfo --until NodeType==1 --deadline 86400000
	[[ $stderr == *'did not come to hold'* ]]
	run -3 --separate-stderr on fat-tree:2,2,1 madrecv --class 4 --deadline 86400000
	run -3 --separate-stderr on fat-tree:2,2,1 madpoll --class 4 --deadline 86400000
	# two fabrics, whose descriptors are waited for
	run -3 --separate-stderr timeout 60 madpoll --device sim:fat-tree:2,2,1 --device sim:fat-tree:2,2,1@h1-2 --class 4 --deadline 60000
	[[ $stderr == *'no MAD came in 60000 ms'* ]]
}

@test "a count and an interval take no time either, and say that they did" {
	run -0 on fat-tree:2,2,1 madsend -D 0,1 -n 3 -i 3600000 -j Get NodeDescription
	[[ $(jq -r 'select(.kind == "response") | .time[11:16]' <<<"$output" | tr '\n' ' ') == '00:00 01:00 02:00 ' ]]
}

@test "real time: the machine's, and timeouts with it" {
	run -3 --separate-stderr on fat-tree:2,2,1,clock=real,fault=drop madsend -D 0,1 -t 20 --retries 1 -j Get NodeInfo
	[[ $(jq -r '.time[0:4]' <<<"$output") == "$(date -u +%Y)" ]]
	run -0 on fat-tree:2,2,1,clock=real madsend -D 0,1 Get NodeDescription
	[[ $output == *leaf1 ]]
	run -3 --separate-stderr on fat-tree:2,2,1,clock=real madpoll --class 4 --deadline 50
}

# batch SEED OUTPUT: two hundred requests through faults of all kinds; JSON and a capture.
batch() {
	local status=0
	MADKIT_DEVICE="sim:fat-tree:4,3,2,seed=$1,fault=drop rate=10%,fault=reorder rate=20% delay=2,fault=duplicate rate=5%,fault=garble rate=3%,fault=delay rate=5% delay=30" \
		timeout 60 madsend --batch requests --window 16 -t 20 -j -w "$2.pcap" >"$2.json" 2>"$2.err" || status=$?
	echo "$status" >"$2.status"
}

@test "the same seed gives the same bytes: JSON with its times, messages, captures" {
	for i in {1..100}; do
		echo '{"remote":{"path":"0,1,4,2"},"header":{"class":"SubnMgtDR","method":"Get","attribute":"NodeInfo"},"tag":'"$i"'}'
		echo '{"remote":{"path":"0,1,5,3,1"},"header":{"class":"SubnMgtDR","method":"Get","attribute":"PortInfo"}}'
	done >requests
	batch 7 a
	batch 7 b
	batch 8 c
	[[ $(wc -l <a.json) -eq 200 ]]
	# something came through, something did not
	[[ $(jq -s 'map(select(.kind == "response")) | length' a.json) -gt 100 ]]
	[[ $(grep -c '"kind":"timeout"' a.json) -gt 0 || $(jq -s 'map(.attempts) | max' a.json) -gt 1 ]]
	for part in json pcap err status; do
		cmp a.$part b.$part
	done
	run -1 cmp -s a.json c.json
	run -1 cmp -s a.pcap c.pcap
}

@test "topologies with errors: line, column and what was expected; status 5" {
	printf 'Switch 4 "A"\n[1] "h1"[1]\n[9] "h1"[1]\nCa 1 "h1"\n[1] "A"[1]\n' >bad.net
	run -5 --separate-stderr on bad.net madsend -D 0 Get NodeInfo
	[[ -z $output && ${#stderr_lines[@]} -eq 1 ]]
	[[ $stderr == 'madsend: bad.net: line 3, column 2: '* ]]
	: >empty.net
	run -5 --separate-stderr on empty.net madsend -D 0 Get NodeInfo
	[[ $stderr == 'madsend: empty.net: '* ]]
}

@test "what there is not is named: files, nodes, ports (1); rules and options (2)" {
	run -1 --separate-stderr on nowhere.net madsend -D 0 Get NodeInfo
	[[ ${#stderr_lines[@]} -eq 1 && $stderr == *"'nowhere.net'"*'No such file'* ]]
	run -1 --separate-stderr on "$small@node9" madsend -D 0 Get NodeInfo
	[[ ${#stderr_lines[@]} -eq 1 && $stderr == *"'node9'"* ]]
	run -1 --separate-stderr on "$small@node1 HCA-1:3" madsend -D 0 Get NodeInfo
	[[ $stderr == *'port 3'* ]]
	run -1 --separate-stderr on "$small,sm=node9" madsend -D 0 Get NodeInfo
	[[ $stderr == *"'node9'"* ]]
	run -2 --separate-stderr on fat-tree:1 madsend -D 0 Get NodeInfo
	run -2 --separate-stderr on "$small,clock=mine" madsend -D 0 Get NodeInfo
	[[ $stderr == *"'mine'"* ]]
	run -2 --separate-stderr on "$small,fault=lose" madsend -D 0 Get NodeInfo
	[[ $stderr == *"'lose'"*garble* ]]
	run -2 --separate-stderr on "" madsend -D 0 Get NodeInfo
	[[ $stderr == *'topology is missing'* ]]
}

@test "a registration that is refused says why" {
	run -1 --separate-stderr on fat-tree:1,2,0 madreg --class 0x50 --class-version 1 -j
	[[ $output$stderr == *class* ]]
}

@test "madreg --list says that a simulated port is none of this machine's" {
	[[ ! -d /sys/class/infiniband_mad ]] || skip "this machine has ports"
	run --separate-stderr madreg --list --device sim:fat-tree:2,2,1
	((status))
	[[ $stderr == *"'sim:fat-tree:2,2,1' is no port of this machine"* && $stderr != *ib_umad* ]]
}
