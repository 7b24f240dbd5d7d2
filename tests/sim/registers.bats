#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# madsweep Get ModuleInfo ...: registers of all ports, compared with the topology and with control words.

setup() {
	load common
	fabric=sim:fat-tree:4,4,2
}

teardown() { clean_up; }

# registers [CONTROL WORDS,...] -- ARGUMENT...: madsweep on the fabric; $lines_of has the lines but the summary, $summary its data
registers() {
	local device=$fabric
	while [[ $1 != -- ]]; do
		device+=,control=$1
		shift
	done
	shift
	run --separate-stderr timeout 60 madsweep --device "$device" -j "$@"
	summary=$(jq -c 'select(.kind == "summary").data' <<<"$output")
	lines_of=$(jq -c 'select(.kind != "summary")' <<<"$output")
}

# requests FILE: of a capture, the requests of class Mlnx as lines "ATTRIBUTE LID PORT"
requests() {
	madrecv -r "$1" -j | jq -r 'select(.kind == "request" and .header.class == "Mlnx") |
		"\(.header.attribute) \(.remote.lid) \(.data.PortSelect)"'
}

@test "the serial number of a cable is the same at both of its ends, and no other cable has it" {
	registers -- Get ModuleInfo
	((status == 0))
	[[ -z $stderr ]] || { echo "$stderr"; return 1; }
	# two ends of each of the 24 cables of the topology
	[[ $(madsim --generate fat-tree:4,4,2 | grep -c '^\[') == 48 ]]
	run -0 jq -sr '[.[] | {serial: .data.VendorSerialNumber,
		link: ([.port | "\(.node.guid)/\(.number)", "\(.peer.node.guid)/\(.peer.number)"] | sort | join(" "))}]
		| group_by(.link) | [length, all(length == 2 and .[0].serial == .[1].serial), (map(.[0].serial) | unique | length)]
		| @csv' <<<"$lines_of"
	[[ $output == 24,true,24 ]]
	# local ports differ from the ports of rows
	[[ $(jq -s 'map(select(.port.node.type == "Switch" and .port.number != .data.PortSelect)) | length > 0' <<<"$lines_of") == true ]]
	[[ $(jq -c '[.complete, .registers.ready, .requests.answered]' <<<"$summary") == '[true,22,48]' ]]
}

@test "nodes are prepared once for several registers, and have one request outstanding" {
	local capture=$dir/capture
	registers 'agent leaf1 slow=5 gsi' -- Get ModuleInfo,BitErrors,DeviceInfo -w "$capture"
	((status == 0))
	[[ $(requests "$capture" | grep -c ^GeneralInfo) == 22 ]]
	# each local port of a switch once, although its map serves three surveys
	[[ -z $(requests "$capture" | grep ^PortMapping | sort | uniq -d) ]]
	# of 48 ports, and for the check of PortNumbering by one switch
	[[ $(requests "$capture" | grep -c ^ModuleInfo) == 50 && $(requests "$capture" | grep -c ^BitErrors) == 48 ]]
	# 22 nodes, and a check by one node of each of the two types
	[[ $(requests "$capture" | grep -c ^DeviceInfo) == 24 ]]
	# in the order of time; at the same time, the response before the next request
	[[ $(madrecv -r "$capture" -j | jq -r 'select(.header.class == "Mlnx" or .header.class == "PerfMgt") | "\(.time) \(.kind) \(.remote.lid)"' |
		sort -k1,1 -k2,2r | awk '$2 == "request" { if (++open[$3] > most) most = open[$3]; next } { open[$3]-- } END { print most }') == 1 ]]
	# nothing but Get
	[[ $(madrecv -r "$capture" -j | jq -r 'select(.kind == "request" and .header.class == "Mlnx").header.method' | sort -u) == Get ]]
}

@test "a type with a node that disagrees with itself is left out and named, and the others are read" {
	registers 'register all wrong=page' -- Get ModuleInfo
	((status == 3))
	registers 'register leaf1 wrong=page' 'register leaf2 wrong=page' 'register leaf3 wrong=page' 'register leaf4 wrong=page' \
		'register spine1 wrong=page' 'register spine2 wrong=page' -- Get ModuleInfo
	((status == 0))
	[[ $stderr == *'6 x MT54000 27.2012.2200 left out: '* ]]
	[[ $(jq -c '[.requests.answered, .requests.left_out, (.registers.left_out | map(.nodes))]' <<<"$summary") == '[16,32,[6]]' ]]
	[[ $(jq -c .complete <<<"$summary") == false ]]
	[[ $(jq -r 'select(.kind == "error") | .data.error' <<<"$lines_of" | sort -u) == *'disagrees with'* ]]
	registers 'register leaf1 wrong=page' 'register leaf2 wrong=page' 'register leaf3 wrong=page' 'register leaf4 wrong=page' \
		'register spine1 wrong=page' 'register spine2 wrong=page' -- Get ModuleInfo --strict
	((status == 3))
}

@test "a register that a node refuses is requested there once; the summary counts nodes by status" {
	local capture=$dir/capture
	registers 'register leaf1 refuse=20 0x5031' 'register leaf2 refuse=28 0x5031' -- Get ModuleInfo,BitErrors -w "$capture"
	((status == 4))
	lid() { jq -r "select(.port.node.name == \"$1\").remote.lid" <<<"$lines_of" | head -n 1; }
	run -0 requests "$capture"
	# leaf1 and leaf2 have 6 ports, and one of them may be the one that checks its type
	[[ $(grep -c "^ModuleInfo $(lid leaf1) " <<<"$output") == [12] ]]
	[[ $(grep -c "^ModuleInfo $(lid leaf2) " <<<"$output") == [67] ]]
	[[ $(grep -c "^BitErrors $(lid leaf1) " <<<"$output") == 6 ]]
	[[ $(jq -c .registers.refused <<<"$summary") == '[{"status":20,"text":"register not supported","nodes":1},{"status":28,"text":"bad parameter","nodes":1}]' ]]
	[[ $(jq -s 'map(select(.header.attribute == "ModuleInfo" and .status.mad == 0 and .kind == "response")) | length' <<<"$lines_of") == 36 ]]
	# one node without the register is counted, and does not fail
	for words in 'refuse=20 0x5031' refuse=20; do
		run -0 --separate-stderr madsweep --device "$fabric,control=register leaf1 $words" Get ModuleInfo
		[[ $stderr == *'42 answered, 6 not supported; '* ]]
		[[ $stderr == *'1 node refused with status 20 (register not supported)'* ]]
		run -4 --separate-stderr madsweep --device "$fabric,control=register all $words" Get ModuleInfo
	done
	run -0 --separate-stderr madsweep --device "$fabric,control=register leaf1 refuse=20 0x5031" Get ModuleInfo
	[[ $stderr == *'1 node refused with status 20 (register not supported)'* ]]
}

@test "nodes without registers, and those that refuse all of them, are counted" {
	registers 'register all off' 'register spine1 refuse=12' 'register spine1 normal' 'register spine2 normal' -- Get BitErrors
	((status == 0))
	[[ $(jq -c '.registers | [.ready, .without]' <<<"$summary") == '[2,20]' ]]
	registers 'register leaf1 refuse=12' -- Get BitErrors
	((status == 0))
	[[ $(jq -c '[.requests.unsupported, .registers.refused]' <<<"$summary") == '[6,[{"status":12,"text":"method not supported","nodes":1}]]' ]]
	# the first HCA is the one that would check its type: the others are read
	registers "register 'h1-1 HCA-1' refuse=12" -- Get BitErrors
	((status == 0))
	[[ $(jq -c '[.requests.answered, .requests.unsupported, .requests.left_out]' <<<"$summary") == '[47,1,0]' ]]
}

@test "an answer about another register, block or port is never shown as that of the port" {
	local wrong truth
	registers -- Get ModuleInfo
	truth=$(jq -sc 'map({key: "\(.port.node.guid)/\(.port.number)", value: .data.VendorSerialNumber}) | from_entries' <<<"$lines_of")
	for wrong in register block port; do
		registers "register leaf3 wrong=$wrong" -- Get ModuleInfo
		((status == 5))
		[[ $(jq -s 'map(select(.port.node.name == "leaf3" and .data.VendorSerialNumber)) | length' <<<"$lines_of") == 0 ]]
		[[ $(jq -s --argjson truth "$truth" 'map(select(.data.VendorSerialNumber)) |
			[length, all($truth["\(.port.node.guid)/\(.port.number)"] == .data.VendorSerialNumber)] | @csv' <<<"$lines_of") == '"42,true"' ]]
	done
	# devices need not repeat the index fields of a request
	registers 'register all noecho' -- Get ModuleInfo
	((status == 0))
	[[ $(jq -s --argjson truth "$truth" '[length, all($truth["\(.port.node.guid)/\(.port.number)"] == .data.VendorSerialNumber)] | @csv' \
		<<<"$lines_of") == '"48,true"' ]]
}

@test "a V_Key is sent to its node alone, and never shown" {
	local guid capture=$dir/capture hint='hint: a node with another V_Key may not respond: --v-key'
	registers 'vkey leaf1 77' -- Get ModuleInfo -t 10
	[[ $(jq -c '[.requests.silent, .registers.silent]' <<<"$summary") == '[6,1]' ]]
	[[ $stderr == *"$hint"* ]]
	registers 'vkey all 77' -- Get ModuleInfo --v-key 78 -t 10
	[[ $stderr == *"$hint"* ]]
	registers 'vkey all 77' -- Get ModuleInfo --v-key 77 -w "$capture"
	((status == 0))
	[[ $(jq -c .requests.answered <<<"$summary") == 48 ]]
	[[ $(jq -c 'select(.header.class == "Mlnx") | .header.v_key' <<<"$lines_of" | sort -u) == null ]]
	[[ $(madrecv -r "$capture" -K -j | jq -r 'select(.header.class == "Mlnx").header.v_key' | sort -u) == 0x0000000000000000 ]]
	guid=$(madsweep --device "$fabric" -j | jq -r 'select(.port.node.name == "leaf1").port.node.guid' | head -n 1)
	mkdir "$dir/keys"
	echo "$guid 77" | tee "$dir/one" >"$dir/keys/guid2vskey"
	for file in one keys; do
		registers 'vkey leaf1 77' -- Get ModuleInfo --v-key "@$dir/$file" -K -w "$capture"
		((status == 0))
		[[ $(madrecv -r "$capture" -K -j | jq -r 'select(.header.class == "Mlnx" and .kind == "request" and .header.v_key != "0x0000000000000000") |
			"\(.remote.lid) \(.header.v_key)"' | sort -u) == "$(jq -r 'select(.port.node.name == "leaf1").remote.lid' <<<"$lines_of" | head -n 1) 0x000000000000004d" ]]
	done
	# a file may lack the key of a node
	echo '0x1 77' >"$dir/one"
	registers 'vkey leaf1 77' -- Get ModuleInfo --v-key "@$dir/one" -t 10
	[[ $stderr == *"$hint"* ]]
	echo "$guid x" >"$dir/one"
	run -2 madsweep --device "$fabric" Get ModuleInfo --v-key "@$dir/one"
	[[ $output == *"--v-key: '$dir/one' line 1 is not 'GUID KEY'"* ]]
	run -2 madsweep --device "$fabric" Get PortCounters --v-key 1
	[[ $output == *"only requests of the class Mlnx have a V_Key"* ]]
}

@test "madsend and madpoll send the V_Key of a register, and never show it" {
	local capture=$dir/capture device="$fabric,control=vkey leaf1 77"
	echo '{"header":{"method":"Get","attribute":"ModuleInfo"},"remote":{"name":"leaf1"},"data":{"PortSelect":1}}' >"$dir/batch"
	cat "$dir/batch" "$dir/batch" >"$dir/two"
	local -a get=(Get ModuleInfo PortSelect=1 --name leaf1 -t 10)
	# the hint is behind the message, once for a batch, and not for a class without V_Key or another failure
	for command in "madsend ${get[*]}" "madsend ${get[*]} --v-key 78" "madpoll ${get[*]} --until PortSelect==1 -n 1" "madsend --batch $dir/two -t 10"; do
		# shellcheck disable=SC2086
		run -3 --separate-stderr $command --device "$device"
		[[ ${stderr_lines[0]} == *'no response to Get ModuleInfo'* && ${stderr_lines[1]} == *': hint: a node with another V_Key may not respond: --v-key' && $(grep -c hint <<<"$stderr") == 1 ]] || { echo "$command: $stderr"; return 1; }
	done
	run -3 --separate-stderr madsend --device "$fabric,control=agent leaf1 mute gsi" Get PortCounters PortSelect=1 --name leaf1 -t 10
	[[ $stderr == *'no response to '* && $stderr != *hint* ]]
	run -4 --separate-stderr madsend --device "$fabric,control=vkey leaf1 77 4" "${get[@]}"
	[[ $stderr != *hint* ]]
	for command in "madsend ${get[*]}" "madsend --batch $dir/batch -t 10" "madpoll ${get[*]} --until PortSelect==1 -n 1"; do
		# shellcheck disable=SC2086
		run -0 --separate-stderr $command --device "$device" --v-key 77 -j -w "$capture"
		[[ -z $stderr && $(jq -c 'select(.kind == "response") | [.status.mad, .header.v_key]' <<<"$output") == '[0,null]' ]]
		[[ $(madrecv -r "$capture" -K -j | jq -r 'select(.header.class == "Mlnx").header.v_key' | sort -u) == 0x0000000000000000 ]]
		# shellcheck disable=SC2086
		run -0 $command --device "$device" --v-key 77 -K -w "$capture"
		[[ $(madrecv -r "$capture" -K -j | jq -r 'select(.header.class == "Mlnx" and .kind == "request").header.v_key') == 0x000000000000004d ]]
	done
	for command in madsend 'madpoll --until PortSelect==1'; do
		# shellcheck disable=SC2086
		run -2 $command --device "$device" "${get[@]}" --v-key @keys
		[[ $output == *'V_Key: only madcheck, madport, madreg and madsweep accept @FILE'* ]]
		# shellcheck disable=SC2086
		run -2 $command --device "$device" "${get[@]}" --v-key 7x
		[[ $output == *'V_Key is not a valid number (not shown)'* ]]
	done
}

@test "--plane sets the plane of a register, and is refused for what has none" {
	local capture=$dir/capture
	registers -- Get BitErrors --plane 3 -w "$capture"
	[[ $(madrecv -r "$capture" -j | jq -r 'select(.header.attribute == "BitErrors" and .kind == "request").data.Plane' | sort | uniq -c | xargs) == '48 3' ]]
	run -2 madsweep --device "$fabric" Get DeviceInfo --plane 1
	[[ $output == *"--plane: DeviceInfo has no planes"* ]]
	run -2 madsweep --device "$fabric" Get PortCounters --plane 1
	run -2 madsweep --device "$fabric" --plane 1
	run -2 madsweep --device "$fabric" Get BitErrors Plane=2 --plane 1
	[[ $output == *"--plane: the request has Plane already"* ]]
}

@test "fields that would choose another port are refused" {
	run -2 madsweep --device "$fabric" Get ModuleInfo PortNumbering=1
	[[ $output == *'PortNumbering: ports are asked by their local ports'* ]]
	run -2 madsweep --device "$fabric" Get ModuleInfo PortSelectMsb=1
	[[ $output == *'PortSelectMsb: each port is asked'* ]]
	run -2 madsweep --device "$fabric" Get ModuleInfo PortSelect=1
}

@test "ports that are down are read, too, and ports without a cable say so" {
	registers 'link leaf2 1 down' 'cable leaf2 2 none' -- Get ModuleInfo --select 'node.name == "leaf2"'
	((status == 0))
	run -0 jq -sr 'map([.port.number, .port.state, .data.CableType_name, (.data.VendorSerialNumber != "")] | @csv)[]' <<<"$lines_of"
	[[ ${lines[0]} == '1,"Down","Unplugged",false' ]]
	[[ ${lines[1]} == '2,"Active","Unplugged",false' ]]
	[[ ${lines[2]} == '3,"Active","Passive",true' ]]
}

@test "the two blocks of a register are one line" {
	registers -- Get PhyCounters,LinkDiagnosis
	((status == 0))
	[[ $(jq -s 'map(select(.header.attribute == "PhyCounters" and (.data | has("IntentionalLinkDownEvents") and has("SymbolErrors")))) | length' \
		<<<"$lines_of") == 48 ]]
	[[ $(jq -r 'select(.header.attribute == "LinkDiagnosis").data.Message' <<<"$lines_of" | sort -u) == 'No issue was observed' ]]
	run -0 --separate-stderr madsweep --device "$fabric" -q Get PhyCounters --fields port.number,RsFecCorrectedSymbolsLane7
	((${#lines[@]} == 49))
}

@test "madsend reads one block: it has no other field, and names those" {
	local hint
	cd "$dir" || return
	export MADKIT_DEVICE=sim:fat-tree:1,2,0
	jq -r '.data | keys_unsorted[]' <(madsweep -q -j Get PhyCounters --select 'port.node.type == "CA"' | head -n 1) >both
	run -0 --separate-stderr madsend -j Get PhyCounters PortSelect=1
	jq -r '.data | keys_unsorted[]' <<<"$output" >one
	comm -23 <(sort both) <(sort one) >missing
	run -1 grep -vxF -f both one
	[[ $(wc -l <missing) == 5 ]]
	hint="madsend: hint: the second block was not read (RsFecCorrectedSymbolsLane5 to IntentionalLinkDownEvents): madsweep reads both"
	grep -qx RsFecCorrectedSymbolsLane5 missing
	grep -qx IntentionalLinkDownEvents missing
	run -0 --separate-stderr madsend -n 2 -i 1 Get PhyCounters PortSelect=1
	[[ $stderr == "$hint" ]]
	# the bytes of the second block, a register of one block, a refusal, and a text that ended have no hint
	run -0 --separate-stderr madsend Get PhyCounters PortSelect=1 Block=1
	[[ -z $stderr ]]
	run -0 --separate-stderr madsend Get BitErrors PortSelect=1
	[[ -z $stderr ]]
	run -0 --separate-stderr madsend Get LinkDiagnosis PortSelect=1
	[[ -z $stderr ]]
	run -4 --separate-stderr madsend Get PhyCounters PortSelect=77
	[[ $stderr != *hint* ]]
}

# Of the lines of madrecv -j on standard input, the most requests of class Mlnx that were outstanding at once: at a node, and together.
# In the order of time; at the same time, the response before the next request.
outstanding() {
	jq -r 'select(.header.class == "Mlnx") | "\(.time) \(.kind) \(.remote.lid)"' | sort -k1,1 -k2,2r |
		awk '$2 == "request" { if (++open[$3] > most) most = open[$3]; if (++all > together) together = all; next } { open[$3]--; all-- }
			END { print most, together }'
}

@test "madsend --batch asks a node for one register at a time, and several nodes at once" {
	local node all
	cd "$dir" || return
	fabric=sim:fat-tree:2,2,1,control=agent
	fabric+=" leaf1 slow=5 gsi"
	madsweep -q -j --device "$fabric" Get PortMapping --select 'port.node.type == "Switch"' 2>/dev/null |
		jq -c 'select(.kind == "response" and .status.mad == 0) | .remote.lid as $lid | .data.PortSelect as $port | ("ModuleInfo", "BitErrors", "LinkModes") |
			{header: {method: "Get", attribute: .}, remote: {lid: $lid}, data: {PortSelect: $port}, tag: "\($lid) \($port) \(.)"}' >lines
	(($(wc -l <lines) == 24))
	run -0 --separate-stderr madsend --device "$fabric" --batch lines -j -w capture
	diff <(jq .tag lines | sort) <(jq .tag <<<"$output" | sort)
	read -r node all < <(madrecv -r capture -j | outstanding)
	((node == 1 && all >= 3))
	# also if the window is narrow, and of other attributes as before
	run -0 --separate-stderr madsend --device "$fabric" --batch lines -j -w narrow --window 2
	diff <(jq .tag lines | sort) <(jq .tag <<<"$output" | sort)
	[[ $(madrecv -r narrow -j | outstanding) == '1 2' ]]
	sed 's/"ModuleInfo"/"GeneralInfo"/; s/"data":{[^}]*},//' lines | grep GeneralInfo >general
	run -0 --separate-stderr madsend --device "$fabric" --batch general -j -w several
	read -r node all < <(madrecv -r several -j | outstanding)
	((node > 1))
}

@test "madsend --batch: a line that waits for its node can be cancelled, and ends with the deadline and a signal" {
	local number
	cd "$dir" || return
	for number in {1..6}; do
		echo "{\"header\":{\"method\":\"Get\",\"attribute\":\"BitErrors\"},\"remote\":{\"lid\":2},\"data\":{\"PortSelect\":$number},\"tag\":$number}"
	done >lines
	fabric="sim:fat-tree:1,1,0,control=agent leaf1 mute"
	run -3 --separate-stderr madsend --device "$fabric" --batch lines -j --deadline 100 -t 1000 --summary
	[[ $(jq -r 'select(.kind == "timeout") | "\(.tag) \(.attempts)"' <<<"$output" | sort | xargs) == '1 1 2 0 3 0 4 0 5 0 6 0' ]]
	[[ $(jq -c 'select(.kind == "summary").data | [.sent, .not_sent]' <<<"$output") == '[1,5]' ]]
	# each after the last timeout of the one before
	run -3 --separate-stderr madsend --device "$fabric" --batch lines -j -t 20 --retries 0
	[[ $(jq -r '"\(.tag) \(.attempts)"' <<<"$output" | xargs) == '1 1 2 1 3 1 4 1 5 1 6 1' ]]
	echo '{"cancel":3}' >>lines
	run -3 --separate-stderr madsend --device "$fabric" --batch lines -j -t 20 --retries 0
	[[ $(jq -r '"\(.tag) \(.kind) \(.attempts)"' <<<"$output" | sort | xargs -n 3 | grep -v timeout) == '3 error 0' ]]
	(($(wc -l <<<"$output") == 6))
}

@test "a deadline between two blocks is a missing response" {
	fabric=sim:fat-tree:2,2,1
	registers 'agent leaf1 slow=250 gsi' -- --deadline 15900ms Get PhyCounters
	((status == 3))
	[[ $(jq -c '[.complete, .requests.cut > 0]' <<<"$summary") == '[false,true]' ]]
}

@test "tables, CSV, filters and the order are those of any attribute" {
	run -0 --separate-stderr madsweep --device "$fabric" -q Get ModuleInfo --filter 'CableType == Passive' -f csv
	[[ ${lines[0]} == port.node.name,port.number,CableType,*VendorSerialNumber,Temperature* && ${#lines[@]} == 33 ]]
	[[ $(cut -d, -f3 <<<"$output" | sort -u) == $'CableType\nPassive' ]]
	run -0 --separate-stderr madsweep --device "$fabric,control=temperature spine2 3 71.5" -q Get ModuleInfo --sort -Temperature --top 1 --fields port.node.name,port.number
	[[ $(tail -n 1 <<<"$output" | xargs) == 'spine2 3' ]]
	run -0 --separate-stderr madsweep --device "$fabric" -q Get DeviceInfo
	((${#lines[@]} == 23))
	run -2 madsweep --device "$fabric" Get BitErrors --delta
	[[ $output == *'BitErrors has no counters to compare'* ]]
}

@test "text names the port of a register as the subnet does, and madsend as the device does" {
	cd "$dir" || return
	madsweep -q --device "$fabric" Get ModuleInfo -f text >text
	[[ $(grep -c '^# ModuleInfo: Lid [0-9]* port [0-9]* ([^)]*)$' text) == 48 ]] || { grep '^#' text | head -n 3; return 1; }
	madsweep -q -j --device "$fabric" Get ModuleInfo | jq -r 'select(.kind == "response") | "\(.remote.lid) \(.port.number) \(.data.VendorSerialNumber)"' | sort >truth
	[[ -s truth ]]
	diff truth <(awk '/^# / { at = $4 " " $6 } /^VendorSerialNumber:/ { sub(/.*[.]/, ""); print at " " $0 }' text | sort)
	run -6 --separate-stderr madsweep --device "$fabric,control=temperature leaf1 5 90" Get ModuleInfo --assert 'Temperature < 85'
	[[ $stderr == *'Temperature is 90 C (Lid '*' port 5 (leaf1))'* ]] || { echo "$stderr"; return 1; }
	run -0 --separate-stderr madsend --device "$fabric" Get ModuleInfo
	[[ ${lines[0]} == '# ModuleInfo: Lid '*' local port 1' ]] || { echo "${lines[0]}"; return 1; }
}

@test "--assert skips values that are null, and counts them" {
	local copper
	copper=$(madsweep --device "$fabric" -q -j Get ModuleInfo | jq -s 'map(select(.kind == "response" and .data.Temperature == null)) | length')
	((copper > 0 && copper < 48))
	run -0 --separate-stderr madsweep --device "$fabric" Get ModuleInfo --assert 'Temperature < 70'
	[[ $stderr == *"; $copper records without Temperature were not checked; "* ]]
	registers -- Get ModuleInfo --assert 'Temperature < 70'
	[[ $(jq -c '[.skipped, .failed]' <<<"$summary") == "[$copper,0]" ]]
	run -6 --separate-stderr madsweep --device "$fabric,control=temperature spine2 3 71.5" Get ModuleInfo --assert 'Temperature < 70'
	[[ $stderr == *"did not hold: Temperature is 71.5 C"* ]]
	# nothing is left to check; or there is something else
	run -6 --separate-stderr madsweep --device "$fabric" Get ModuleInfo --filter 'CableType == Passive' --assert 'Temperature < 70'
	[[ $stderr == *"no record to check 'Temperature < 70' against: Temperature is null"* ]]
	run -0 --separate-stderr madsweep --device "$fabric" Get ModuleInfo --assert 'CableType == Passive || Temperature < 70'
	[[ $stderr != *'not checked'* ]]
	# a port that refuses still fails
	run -4 --separate-stderr madsweep --device "$fabric,control=register leaf2 refuse=28 0x5031" Get ModuleInfo --assert 'Temperature < 70'
	run -6 --separate-stderr madsend --device "$fabric" -L 11 Get ModuleInfo PortSelect=1 --assert 'Temperature < 70'
	[[ $stderr == *'Temperature is null'* ]]
}

@test "Sensors has all sensors of each node" {
	local map
	registers -- Get SensorList
	map=$(jq -sc 'map([.port.node.guid, .data.SensorCount])' <<<"$lines_of")
	registers -- Get Sensors
	# as many as there are, and null behind them
	[[ $(jq -sc 'map([.port.node.guid, (.data.Sensor | map(select(.Temperature != null)) | length)])' <<<"$lines_of") == "$map" ]]
	[[ $(jq -sc 'map([.data.NumRecords, (.data.Sensor | length)]) | unique' <<<"$lines_of") == '[[51,51]]' ]]
	registers -- Get Sensors NumRecords=2
	# bytes behind the last record are not sensors of 0 C
	[[ $(jq -sc 'map([.data.NumRecords, (.data.Sensor | length)]) | unique' <<<"$lines_of") == '[[2,2]]' ]]
	run -0 madsend --device sim:fat-tree:2,2,1 -L 1 Get Sensors NumRecords=2
	[[ $output == *'Sensor[1].Temperature'* && $output != *'Sensor[2].'* ]]
	run -0 madsend --dry-run -L 1 Get Sensors NumRecords=0 -j
	[[ $(jq -c .data.Sensor <<<"$output") == '[]' ]]
}

@test "active copper has a temperature, and no optical power" {
	local technology power
	while read -r technology power; do
		registers "cable leaf1 5 type=Active technology=$technology" 'module leaf1 5 rx=0' -- Get ModuleInfo --select 'node.name == "leaf1" && number == 5'
		[[ $(jq -c '[.data.Temperature > 20, .data.RxPower[0], .data.RxPower[7]]' <<<"$lines_of") == "[true,$power]" ]] || { echo "$technology: $lines_of"; return 1; }
	done <<-'EOT'
		12 null,null
		15 null,null
		18 null,null
		20 null,null
		0 -40,0
		16 -40,0
		17 -40,0
	EOT
}

@test "the filter for optical cables and the selection of each cable once are right" {
	local words='link leaf2 1 down,control=cable leaf2 2 none'
	registers "$words" -- Get ModuleInfo --filter 'CableTechnology !~ Copper && CableType != Unplugged'
	# the switches are connected by optical cables, and the hosts by copper
	[[ $(jq -sc '[length, all(.port.node.type == "Switch" and .port.peer.node.type == "Switch")]' <<<"$lines_of") == '[16,true]' ]]
	registers "$words" -- Get ModuleInfo --select 'node.guid < peer.node.guid || state == Down'
	# 24 cables, one of which has no link
	[[ $(jq -sc '[(map(select(.port.peer)) | length), map(select(.port.state == "Down").port.node.name)]' <<<"$lines_of") == '[23,["leaf2"]]' ]]
}

@test "a node that is busy or refuses PortMapping is named with its status, after one port" {
	local words text
	while IFS='|' read -r words text; do
		registers "register leaf2 $words" -- Get ModuleInfo
		((status == 4))
		[[ $stderr == *"ModuleInfo of 6 ports of leaf2: not requested, because $text"* ]]
		[[ $(jq -c '[.requests.answered, .requests.refused, .requests.unsupported]' <<<"$summary") == '[42,6,0]' ]]
		[[ $(jq -c '.registers.refused | map([.status, .nodes])' <<<"$summary") == "[[${words#refuse=},1]]" ]]
		# a busy node is not asked for each of its ports
		(($(jq .requests.resent <<<"$summary") <= 3))
	done <<-'EOF'
		refuse=1|it is busy
		refuse=28|it refused PortMapping
	EOF
}
