#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Names of fields: on the command line, in lines of a batch, in --filter, --assert and --fields.

setup() {
	load common
	cd "$BATS_TEST_TMPDIR" || return
}

@test "A1: a name of a record's identifier and of its embedded attribute is refused" {
	for name in LID lid Lid; do
		usage_error "EndportLID, PortInfo.Lid" madsend --dry-run GetTable PIR "$name=4"
		for option in --filter --assert; do
			usage_error "EndportLID, PortInfo.Lid" madsend --dry-run GetTable PIR "$option" "$name == 4"
		done
		usage_error "EndportLID, PortInfo.Lid" madsend --dry-run GetTable PIR --fields "$name"
	done
	usage_error "SubscriberGID, InformInfo.GID" madsend --dry-run GetTable IIR GID=fe80::1
	# the component masks of the two full names
	mad GetTable PIR EndportLID=4
	at 48 0000000000000001
	mad GetTable PIR PortInfo.LID=4
	at 48 0000000000000020
}

@test "A1: a line of a batch with such a name is refused, and offers both" {
	run -5 --separate-stderr madsend --batch - --dry-run \
		<<<'{"header":{"method":"GetTable","attribute":"PIR"},"data":{"LID":4}}'
	[[ -z $output && $stderr == *"EndportLID, PortInfo.Lid"* ]] || { echo "$stderr"; return 1; }
}

@test "A6: names are checked against the attribute that answers: GetMulti MultiPathRecord" {
	local query=(madsend --device "sim:fat-tree:2,2,1@h1-1" GetMulti MPR SGIDCount=1 DGIDCount=1)
	local gids
	gids=$(madsend --device "sim:fat-tree:2,2,1@h1-1" -j GetTable NodeRecord NodeType=1 |
		jq -rs '[.[].data.NodeInfo.PortGuid[2:] | "fe80::" + ([.[0:4], .[4:8], .[8:12], .[12:16]] | join(":"))][:2] | join(",")')
	query+=("SDGID=$gids")
	run -0 "${query[@]}" -j --fields DGID,SGID
	[[ $(jq -rsc '.[0].data | keys' <<<"$output") == '["DGID","SGID"]' ]]
	run -0 "${query[@]}" -j --filter 'DGID != ::' --assert 'MTU == 2048 || MTU'
	usage_error "PathRecord has no field 'SGIDCount'" "${query[@]}" --fields SGIDCount
	usage_error "PathRecord has no field 'SGIDCount'" "${query[@]}" --filter SGIDCount
	usage_error "PathRecord has no field 'SGIDCount'" madpoll --device "sim:fat-tree:2,2,1@h1-1" GetMulti MPR --until SGIDCount
	# nothing answers a dry run: it shows the request
	run -0 "${query[@]}" --dry-run --fields SGIDCount
	usage_error "MultiPathRecord has no field 'DGID'" "${query[@]}" --dry-run --fields DGID
}

@test "an unknown name in an expression: the nearest one, nested ones too, and madsend --describe" {
	local sim="sim:fat-tree:2,2,1@h1-1"
	usage_error "no field 'LinkStat'; did you mean 'LinkState'? (see madsend --describe PortInfo)" \
		madpoll --device "$sim" -D 0 Get PortInfo --until 'LinkStat==Active'
	usage_error "; did you mean 'NodeType'? (see madsend --describe NodeRecord)" \
		madsend --device "$sim" GetTable NodeRecord --filter 'NodeTyp == Switch'
	usage_error "; did you mean 'NodeInfo.NodeType'?" \
		madsend --device "$sim" GetTable NodeRecord --assert 'NodeInf.NodeType == Switch'
	usage_error "; did you mean 'PortXmitData.rate'?" \
		madpoll --device "$sim" -L 4 Get PortCounters PortSelect=1 --delta --filter 'PortXmitData.rat > 1'
	usage_error "no field 'zzz' (see madsend --describe NodeInfo)" \
		madsend --device "$sim" -D 0 Get NodeInfo --fields zzz
	usage_error "no field 'NodeTyp'; did you mean 'NodeType'?" madsend --dry-run GetTable NodeRecord NodeTyp=1
	usage_error "has a field 'metod'; did you mean 'method'? (see madsend(1))" \
		madsend --dry-run Get NodeInfo --filter 'header.metod == 1'
}

@test "a kind, class, method or attribute that does not exist is refused in an expression" {
	refused() { # TEXT EXPRESSION
		usage_error "$1" madrecv -r /dev/null --filter "$2"
		usage_error "$1" madpoll --device "sim:fat-tree:2,2,1@h1-1" -D 0 Get NodeInfo --until "$2"
	}
	refused "there is no kind 'respons'; did you mean 'response'?" 'kind == respons'
	refused "there is no method 'GetRep'; did you mean 'GetResp'?" 'header.method == GetRep'
	refused "there is no class 'PerfMtg'; did you mean 'PerfMgt'?" 'seq && header.class != PerfMtg'
	refused "there is no attribute 'ni'; did you mean 'NodeInfo'?" 'header.attribute == ni'
	refused "there is no attribute 'zzzz' (see" 'header.attribute == zzzz'
}

@test "A11: a field that is given twice is refused, whatever it is called" {
	local request='{"header":{"method":"Get","attribute":"'
	twice() { # WORD ATTRIBUTE DATA
		run -5 --separate-stderr madsend --batch - --dry-run --zero-rest <<<"$request$2\"},\"data\":$3}"
		[[ -z $output && ${#stderr_lines[@]} -eq 1 && $stderr == *"data.$1: is given twice" ]] ||
			{ echo "$stderr"; return 1; }
	}
	twice PathRecDGid PathRecord '{"DGID":"fe80::1","PathRecDGid":"fe80::2"}'
	twice dgid PathRecord '{"DGID":"fe80::1","dgid":"fe80::1"}'
	twice 'PKey[0]' P_KeyTable '{"PKey":[1,2],"PKey[0]":7}'
	twice 'PKey[1]' P_KeyTable '{"PKey":"1,2","PKey[1]":7}'
	twice 'PKey[0]' P_KeyTable '{"PKey[0]":7,"PKey":[1,2]}'
	twice PKey P_KeyTable '{"PKey[0]":7,"PKey":"1,2"}'
	twice 'P_Key[1]' P_KeyTable '{"PKey[1]":7,"P_Key[1]":7}'
	twice RcvDataSL0 PerfMgt:PortRcvDataSL '{"RcvDataSL[0]":7,"RcvDataSL0":7}'
	twice PortState PortInfo '{"LinkState":4,"PortState_name":"Down"}'
	twice 'NodeInfo.Guid' NodeRecord '{"NodeInfo":{"NodeGUID":1,"Guid":2}}'
	twice Guid NodeRecord '{"NodeInfo":{"NodeGUID":1},"Guid":2}'
	twice 'Block[1].weight' VLArb '{"Block":[{"VL":1},{"Weight":1,"weight":2}]}'
	twice NodeDesc NodeDescription '{"NodeDescription":"a","NodeDesc":"b"}'
	twice LIDADDR SubnMgt:Notice '{"IsGeneric":1,"TrapNumber":128,"DataDetails":"01","LIDADDR":1}'
	# headers, too
	run -5 --separate-stderr madsend --batch - --dry-run \
		<<<'{"header":{"method":"Get","attribute":"NodeInfo","m_key":1,"MadMkey":2}}'
	[[ $stderr == *'header.MadMkey: is given twice' ]] || { echo "$stderr"; return 1; }
	run -5 --separate-stderr madsend --batch - --dry-run \
		<<<'{"header":{"method":"Get","attribute":"NodeRecord"},"rmpp":{"type":1,"RMPPType":2}}'
	[[ $stderr == *'rmpp.RMPPType: is given twice' ]] || { echo "$stderr"; return 1; }
	# the same words on the command line
	usage_error "PathRecDGid is given twice" madsend --dry-run Get PathRecord DGID=fe80::1 PathRecDGid=fe80::2
	usage_error "PKey[0] is given twice" madsend --dry-run Get P_KeyTable PKey=1,2 'PKey[0]=7'
	usage_error "PKey is given twice" madsend --dry-run Get P_KeyTable 'PKey[0]=7' PKey=1,2
	usage_error "Guid is given twice" madsend --dry-run Get NodeRecord NodeInfo.NodeGUID=1 Guid=2
	# and fields that are not the same
	run -0 madsend --dry-run Get P_KeyTable 'PKey[0]=7' 'PKey[1]=7'
	run -0 madsend --dry-run Get P_KeyTable PKey=1,2 'PKey[2]=7'
	run -0 madsend --batch - --dry-run --zero-rest <<<"${request}P_KeyTable\"},\"data\":{\"PKey[0]\":7,\"PKey[1]\":7}}"
	run -0 madsend --batch - --dry-run --zero-rest <<<"${request}P_KeyTable\"},\"data\":{\"PKey\":[1,2],\"PKey[2]\":7}}"
	run -0 madsend --batch - --dry-run --zero-rest <<<"${request}PathRecord\"},\"data\":{\"DGID\":\"fe80::1\",\"SGID\":\"fe80::1\"}}"
}

@test "A11: the component mask has the elements that a line gives, as that of the command line" {
	for value in '"1,2"' '[1,2]'; do
		madsend --batch - --dry-run -f raw >mad \
			<<<'{"header":{"method":"GetTable","attribute":"ServiceRecord"},"data":{"ServiceData8":'"$value"'}}'
		at 48 0000000000000180
	done
	mad GetTable ServiceRecord ServiceData8=1,2
	at 48 0000000000000180
}

@test "A11: MTU, Rate and PacketLifeTime in a request to the SA have a selector: Exactly unless one is given" {
	# IBA volume 1, table 212: MtuSelector and Mtu are components 16 and 17, and so on in pairs
	mad GetTable PathRecord MTU=256 Rate=2 PacketLifeTime=1
	at 48 00000000003f0000
	at 110 818281	# 2 in the upper two bits of each byte
	mad GetTable PathRecord Rate=2 RateSelector=LessThan
	at 48 00000000000c0000
	at 111 42
	mad GetTable PathRecord RateSelector=Largest
	at 48 00000000000c0000
	mad Get MultiPathRecord MTU=256
	at 48 0000000000000c00
	mad GetTable MCMemberRecord MTU=256
	at 48 0000000000000030
	mad GetTable PathRecord MTU=256 --comp-mask 0x20000
	at 48 0000000000020000
	at 110 01
	request='{"header":{"class":"SubnAdm","method":"GetTable","attribute":"PathRecord"},"data":'
	madsend --batch - --dry-run -f raw >mad <<<"$request{\"MTU\":\"256\"}}"
	at 48 0000000000030000
	at 110 81
	usage_error "MTUSelector needs a value: MTU" madsend --dry-run GetTable PathRecord MTUSelector=Exactly
	run -5 --separate-stderr madsend --batch - --dry-run <<<"$request{\"MTUSelector\":1}}"
	[[ $stderr == *'line 1: data: MTUSelector needs a value: MTU' ]]
	# the built-in SA answers as opensm does
	local paths=(madsend --device "sim:$MADKIT_SRC/tests/data/topologies/small.net" GetTable PathRecord SLID=5 DLID=3)
	[[ $("${paths[@]}" MTU=256 -j --fields MTU | jq -r .data.MTU_name) == 256 ]]
	[[ $("${paths[@]}" Rate=2 -j --fields Rate | jq -r .data.Rate_name) == '2.5 Gbps' ]]
	[[ $("${paths[@]}" PacketLifeTime=1 -j --fields PacketLifeTime | jq .data.PacketLifeTime) == 1 ]]
}

@test "A2: == and != with a number above every code are a usage error, which offers the name" {
	local paths=(madsend --device "sim:$MADKIT_SRC/tests/data/topologies/small.net" GetTable PathRecord SLID=5)
	usage_error "Rate: no code is 100: write '100 Gbps'" "${paths[@]}" --assert 'Rate != 100'
	usage_error "Rate: no code is 100: write '100 Gbps'" "${paths[@]}" --filter 'Rate == 100'
	usage_error "MTU: no code is 3000: write a name" "${paths[@]}" --filter 'MTU == 3000'
	usage_error "no code is 100" madsend --batch /dev/null --dry-run --filter 'Rate == 100'
	# a name, a code, a reserved code
	run -0 "${paths[@]}" --assert 'MTU != 2048 || MTU == 2048' --filter 'MTU == 4096 || Rate == 12 || Rate == 1'
}

@test "A2: rates and widths compare by magnitude, and what has no order is a usage error" {
	local at=(madsend --device "sim:fat-tree:2,2,1@h1-1")
	run -0 "${at[@]}" -j Get PathRecord SLID=1 DLID=1 --fields Rate
	rate=$(jq -r .data.Rate_name <<<"$output")
	run -0 "${at[@]}" Get PathRecord SLID=1 DLID=1 --assert "Rate <= '$rate' && Rate >= '$rate' && Rate > '2.5 Gbps'" \
		--filter "Rate < '1600 Gbps'"
	run -6 "${at[@]}" -j Get PathRecord SLID=1 DLID=1 --filter "Rate > '$rate'"
	usage_error "NodeType have no order" "${at[@]}" Get NodeInfo --filter 'NodeType < 2'
	usage_error "LinkWidthEnabled is a set of bits" "${at[@]}" Get PortInfo --assert 'LinkWidthEnabled >= 4X'
	usage_error "'NoChange' cannot be compared by magnitude" "${at[@]}" Get PortInfo --assert 'LinkState > NoChange'
	# a slow link has no extended speed, and is slower than one that has
	madsend --dry-run -f raw -D 0 GetResp PortInfo LinkSpeedExtActive=0 >"$BATS_TEST_TMPDIR/slow"
	run -0 madrecv -r "$BATS_TEST_TMPDIR/slow" --assert "LinkSpeedExtActive < '14.0625 Gbps'"
	run -6 madrecv -r "$BATS_TEST_TMPDIR/slow" --assert "LinkSpeedExtActive >= '14.0625 Gbps'"
	usage_error "PhysLinkState have no order" madpoll --device "sim:fat-tree:2,2,1@h1-1" Get PortInfo --until 'PhysLinkState > Polling'
	run -0 "${at[@]}" Get PortInfo --assert 'LinkState >= Armed'
}

@test "A2: an ordered comparison with a number that could be a code or a size is a usage error" {
	local get=(madsend --dry-run -L 4)
	usage_error "LinkWidthActive: a number is ambiguous with < and >: write '4X', or '8X' for code 4" "${get[@]}" Get PortInfo --filter 'LinkWidthActive < 4'
	usage_error "write '2048' for code 4" "${get[@]}" Get PortInfo --assert 'NeighborMTU >= 4'
	usage_error "write '100 Gbps'" "${get[@]}" Get PathRecord --filter 'Rate > 100'
	usage_error "'77' is not one of its values: write a name, such as '1X'" "${get[@]}" Get PortInfo --filter 'LinkWidthActive < 77'
	# a name, a number that is a name, code and rank in one, and codes with == are clear
	run -0 "${get[@]}" Send PortInfo LinkWidthActive=8 NeighborMTU=5 LinkState=4 \
		--assert "LinkWidthActive > 4X && LinkWidthActive == 8 && LinkWidthActive != 4 && NeighborMTU >= 2048 && LinkState >= 3"
	run -6 "${get[@]}" Send PortInfo LinkWidthActive=16 --assert 'LinkWidthActive > 2X'
}

@test "A2: an ordered comparison that no answer can satisfy is reported where the attribute is not known before" {
	local expression
	madsend --dry-run -L 4 -f raw Send PortInfo LinkSpeedActive=1 >mad
	cat mad mad >mads
	# no attribute can answer these
	usage_error "write '4X', or '8X' for code 4" madrecv -r mads --filter 'LinkWidthActive < 4'
	usage_error "NodeType have no order" madrecv -r mads --assert 'NodeType < 3'
	usage_error "LinkWidthActive: a number is ambiguous" madsend --batch /dev/null --dry-run --filter 'LinkWidthActive < 4'
	# some can (MlnxExtendedPortInfo), PortInfo cannot
	run -6 --separate-stderr madrecv -r mads --filter 'LinkSpeedActive < 2'
	[[ ${stderr_lines[0]} == "madrecv: --filter: LinkSpeedActive: a number is ambiguous with < and >: write '5.0 Gbps' for code 2 (PortInfo)" ]] || { echo "$stderr"; return 1; }
	[[ ${#stderr_lines[@]} == 2 && ${stderr_lines[1]} == 'madrecv: nothing matched the filter' ]]
	for expression in 'LinkSpeedActive < 2' 'PKey[0] == 1 || LinkSpeedActive < 2'; do
		run -6 --separate-stderr madrecv -r mads -j --assert "$expression"
		[[ $stderr == *"did not hold: LinkSpeedActive: a number is ambiguous"*', nor for 1 more record' ]] || { echo "$stderr"; return 1; }
	done
	# unrelated fields are not reported
	madsend --dry-run -L 4 -f raw Send NodeInfo >other
	run -6 --separate-stderr madrecv -r other --filter 'LinkSpeedActive < 2'
	[[ $stderr == 'madrecv: nothing matched the filter' ]] || { echo "$stderr"; return 1; }
}

@test "A7: an element of a table is one line in text" {
	run -0 madsend --dry-run Get LFT 'Port[5]=7' 'Port[6]=8' --fields 'Port[5]'
	[[ ${#lines[@]} == 2 && ${lines[1]} == 'Port[5]:'*.7 ]] || { echo "$output"; return 1; }
	run -0 madsend --dry-run Get P_KeyTable PKey=1,0xffff,3 --fields 'PKey[1],PKey[2]'
	[[ ${#lines[@]} == 3 && ${lines[1]} == 'PKey[1]:'*0xffff && ${lines[2]} == 'PKey[2]:'*0x0003 ]] || { echo "$output"; return 1; }
	run -0 madsend --dry-run Get VLArb -m 0x10001 'Block[3].VL=2' --fields 'Block[3].VL'
	[[ ${#lines[@]} == 2 && ${lines[1]} == 'VL    : |0x2 |' ]] || { echo "$output"; return 1; }
}

@test "B10: controls of bidirectional text are escaped in text and JSON" {
	local c
	for c in 007f 0080 009b 061c 200e 200f 2028 2029 202a 202e 2066 2069; do
		# shellcheck disable=SC2059
		text=$(printf "a\\u${c}b")
		run -0 madsend --dry-run Get NodeDescription NodeDescription="$text"
		[[ $output == *'a\x'*b && $output != *"$text"* ]] || { echo "$c: $output"; return 1; }
		run -0 madsend --dry-run -j Get NodeDescription NodeDescription="$text"
		[[ $output == *"\"a\\u${c}b\""* && $(jq -r .data.NodeDescription <<<"$output") == "$text" ]] || { echo "$c: $output"; return 1; }
	done
}

@test "B10: words from outside are escaped in every message and in text" {
	local c word out
	for c in '\u001b' '\u007f' '\u0085' '\u061c' '\u202e' '\u2066' '\u2028' '\xff'; do
		word=$(printf "a${c}b")
		for command in "madsend --dry-run -L 4 Get NodeInfo --fields" "madsend --dry-run -L 4 Get NodeInfo --filter" \
				"madsend --dry-run --device" "madsend --name" "madsend --batch" "madsend --dry-run Get" \
				"madrecv -r" "madsim" "madsim --control" "madreg --device" "madreg --list --device" \
				"madpoll --device" "madsend --node-name-map"; do
			out=$($command "$word" 2>&1 || true)
			[[ $out != *"$word"* ]] || { echo "$command: $out" | od -c | head; return 1; }
			! grep -qP '[\x00-\x08\x0b-\x1f\x7f]' <<<"$out" || { echo "$command: $out" | od -c | head; return 1; }
		done
		# one word in JSON, and the line's key in the message
		[[ $c == '\xff' ]] && continue
		out=$(madsend --batch - --dry-run <<<'{"header":{"method":"Get","attribute":"Nod'"$word"'"}}' 2>&1 || true)
		[[ -n $out && $out != *"$word"* ]] || { echo "$out"; return 1; }
		# a device's name in a title
		out=$(madreg --list --device "sim:$word" 2>&1 || true)
		[[ -n $out && $out != *"$word"* ]] || { echo "$out"; return 1; }
	done
}

@test "B10: controls in a tag are escaped, and the value stays the same" {
	local c text
	for c in 007f 0085 202e 2066 2028; do
		# shellcheck disable=SC2059
		text=$(printf "a\\u${c}b")
		run -0 madsend --batch - --dry-run -j <<<'{"header":{"method":"Get","attribute":"NodeInfo"},"tag":["'"$text"'"]}'
		[[ $output == *"[\"a\\u${c}b\"]"* && $(jq -r '.tag[0]' <<<"$output") == "$text" ]] || { echo "$output"; return 1; }
	done
}

@test "A15: libibmad's names for several CounterMasks are set, shown and compared as one" {
	local get=(--dry-run -L 4 -f json Send PortSamplesControl PortSelect=1)
	run -0 madsend "${get[@]}" CounterMasks1to9=0x7000001 CounterMasks10to14=6 --fields CounterMasks1to9
	[[ $(jq -c '.data | to_entries | map(.value)' <<<"$output") == '[7,0,0,0,0,0,0,0,1]' ]] || { echo "$output"; return 1; }
	run -0 madsend "${get[@]}" CounterMask1=7 CounterMask9=1 CounterMask14=6 --filter 'CounterMasks1to9 == 0x7000001 && CounterMasks10to14 == 6'
	[[ $(jq -c '[.data.CounterMask1, .data.CounterMask14]' <<<"$output") == '[7,6]' ]] || { echo "$output"; return 1; }
	run -2 --separate-stderr madsend "${get[@]}" CounterMask3=1 CounterMasks1to9=0
	[[ $stderr == *'CounterMasks1to9'*twice* ]] || { echo "$stderr"; return 1; }
	run -0 madsend --batch - --dry-run -j <<<'{"header":{"method":"Send","attribute":"PortSamplesControl"},"remote":{"lid":4},"data":{"PortSelect":1,"CounterMasks10to14":32767}}'
	[[ $(jq -c '[.data | .CounterMask10, .CounterMask14, .CounterMask9]' <<<"$output") == '[7,7,0]' ]] || { echo "$output"; return 1; }
}

@test "B4: a regular expression cannot exhaust the stack, the memory or the time" {
	local at=(madsend --device "sim:fat-tree:2,2,1" Get PortInfo --filter)
	parentheses=$(printf '(%.0s' {1..900})
	usage_error '32 parentheses' "${at[@]}" "Lid =~ '$parentheses'"
	usage_error '1024 bytes' "${at[@]}" "Lid =~ '$parentheses$parentheses'"
	for pattern in '((a{200}){200}){200}' '((a{200})*{200})' '(([[:alpha:]{]){9999}){2}' 'a{100}{101}'; do
		usage_error 'repetitions are too large' "${at[@]}" "Lid =~ '$pattern'"
	done
	usage_error 'back-references' "${at[@]}" "Lid =~ '(a)\\1'"
	for pattern in '^[0-9]{1,4}$' '([]{]|[^]])+' '(a|9{2}|.){50}|.*' '\('; do
		run timeout 20 "${at[@]}" "Lid =~ '$pattern'"
		((status == 0 || status == 6))
	done
}

# The number of bytes is jq's product.
@test "A5: NAME_bytes in an expression is the number of bytes, as in the line of JSON" {
	local mad=(madsend --dry-run -L 4 -j Send PortCounters PortSelect=1 PortXmitData=14112) bytes option
	bytes=$("${mad[@]}" --fields PortXmitData | jq '.data.PortXmitData * 4')
	for option in --filter --assert; do
		run -0 "${mad[@]}" --fields PortXmitData_bytes "$option" \
			"PortXmitData_bytes == $bytes && data.PortXmitData_bytes > $((bytes - 1)) && PortXmitData_bytes < $((bytes + 1))"
		[[ $output == "{\"data\":{\"PortXmitData\":14112,\"PortXmitData_bytes\":$bytes}}" ]]
		run -6 --separate-stderr "${mad[@]}" "$option" "PortXmitData_bytes < $((bytes - 4))"
	done
	[[ $stderr == *"did not hold: PortXmitData_bytes is $bytes (Lid 4 port 1)" ]] || { echo "$stderr"; return 1; }
	madsend --dry-run -L 4 -f raw Send PortCounters PortSelect=1 PortXmitData=14112 >mads
	run -0 madrecv -r mads --assert "PortXmitData_bytes == $bytes" --filter "PortXmitData_bytes > 14112"
	run -6 madrecv -r mads --filter "PortXmitData_bytes <= 14112"
	run -6 --separate-stderr madsend --dry-run -L 4 Send PortVLOpData PortSelect=1 PortVLOpData=5,7 --assert 'PortVLOpData_bytes[1] == 7'
	[[ $stderr == *"did not hold: PortVLOpData_bytes[1] is 28 (Lid 4 port 1)" ]] || { echo "$stderr"; return 1; }
	run -6 --separate-stderr madpoll --device sim:fat-tree:2,2,1 Get PortCounters -i 10 -n 1 \
		--until 'PortXmitData > 600 && PortXmitData_bytes < 2400'
}

@test "A5: NAME_bytes of a counter that is not of 4-octet units is an error, and of --delta also" {
	local option
	for option in --filter --assert; do
		usage_error "no field 'SymbolErrorCounter_bytes'" madsend --dry-run -L 4 Get PortCounters PortSelect=1 "$option" 'SymbolErrorCounter_bytes > 0'
		usage_error "no field 'PortXmitData_bytes'" madpoll --device sim:fat-tree:2,2,1 Get PortCounters --delta "$option" 'PortXmitData_bytes > 0'
	done
	usage_error "no attribute has a field 'SymbolErrorCounter_bytes'" madrecv -r /dev/null --filter SymbolErrorCounter_bytes
	usage_error "no field 'SymbolErrorCounter_bytes'" madsend --dry-run -L 4 Get PortCounters PortSelect=1 --fields SymbolErrorCounter_bytes
}

@test "A5: NAME_bytes in a line of a batch has to agree with NAME, and does not set it" {
	local line='{"header":{"method":"Set","attribute":"PortCounters"},"remote":{"lid":4},"data":{"PortSelect":1,"CounterSelect":0,%s}}\n' data
	for data in '"PortXmitData_bytes":8' '"PortXmitData_bytes":"8"' '"PortXmitData_bytes":["8"]'; do
		# shellcheck disable=SC2059
		run -5 --separate-stderr madsend --batch - --dry-run < <(printf "$line" "$data")
		[[ $stderr == *'data.PortXmitData_bytes: specify PortXmitData instead, in units of 4 octets' ]] || { echo "$stderr"; return 1; }
	done
	# shellcheck disable=SC2059
	run -0 madsend --batch - --dry-run < <(printf "$line" '"PortXmitData":2,"PortXmitData_bytes":8')
	# shellcheck disable=SC2059
	run -5 madsend --batch - --dry-run < <(printf "$line" '"SymbolErrorCounter":1,"SymbolErrorCounter_bytes":4')
}

@test "D7: a misspelt name is answered with the nearest one if the attribute is not known, too" {
	usage_error "did you mean 'LinkState'?" madrecv -r /dev/null --filter 'LinkStat == Active'
	usage_error "did you mean 'LinkWidthActive'?" madrecv -r /dev/null --fields LinkWidthActiv
	usage_error "did you mean 'remote.lid'?" madrecv -r /dev/null --filter 'remote.ldi == 3'
	usage_error "did you mean 'm_key'?" madrecv -r /dev/null --filter 'header.m_keys == 3'
}

@test "D7: --filter compares two fields as jq does" {
	export MADKIT_DEVICE=sim:$BATS_TEST_DIRNAME/../data/topologies/small.net
	madsend -j GetTable PortInfoRecord >all
	madsend -j GetTable PathRecord >>all
	# the highest bit of a set, by lanes: 2X has the highest code, but two lanes
	lanes='def lanes: {"1":1,"2":4,"4":8,"8":12,"16":2}[tostring];
		def highest: . as $set | [1,2,4,8,16 | select(($set / . | floor) % 2 == 1) | lanes] | max;
		.data.PortInfo as $p | ($p.LinkWidthActive | lanes) as $a | ($p.LinkWidthEnabled | highest) as $e |'
	lanes=${lanes//$'\n'/ }
	while IFS='|' read -r attribute filter condition; do
		madsend -j GetTable "$attribute" --filter "$filter" | jq .record >got || true
		jq "select(.header.attribute == \"$attribute\") | select($condition) | .record" all >want
		diff want got || { echo "$filter"; return 1; }
		count=$((count + $(wc -l <want)))
	done <<-EOF
		PathRecord|SGID == DGID|.data.SGID == .data.DGID
		PathRecord|SLID < DLID|.data.SLID < .data.DLID
		PathRecord|DLID != remote.lid|.data.DLID != .remote.lid
		PathRecord|remote.lid >= SLID && !(SLID == DLID)|.remote.lid >= .data.SLID and .data.SLID != .data.DLID
		PortInfoRecord|EndportLID == PortInfo.Lid|.data.EndportLID == .data.PortInfo.Lid
		PortInfoRecord|PortNum == LocalPort|.data.PortNum == .data.PortInfo.LocalPort
		PortInfoRecord|LinkWidthActive == LinkWidthEnabled|$lanes \$a and \$e and \$a == \$e
		PortInfoRecord|LinkWidthActive < LinkWidthEnabled|$lanes \$a and \$e and \$a < \$e
		PortInfoRecord|LinkWidthEnabled == LinkWidthSupported|.data.PortInfo | .LinkWidthEnabled == .LinkWidthSupported
		PortInfoRecord|LinkWidthEnabled != LinkWidthSupported|.data.PortInfo | .LinkWidthEnabled != .LinkWidthSupported
		PortInfoRecord|NeighborMTU <= MtuCap|.data.PortInfo | .NeighborMTU <= .MtuCap and .NeighborMTU > 0
	EOF
	[[ $count -gt 40 ]]
}

@test "D7: two fields that cannot be compared are an error that names both, before anything is sent" {
	usage_error "LinkWidthActive (an enumeration) and Lid (a number)" \
		madsend --dry-run Get PortInfo --filter 'LinkWidthActive == Lid'
	usage_error "a secret is compared only with a value" madsend --dry-run Get PortInfo --assert 'Mkey == Lid'
	usage_error "EndportLID, PortInfo.Lid" madsend --dry-run GetTable PIR --filter 'EndportLID == LID'
	usage_error "did you mean the field 'LinkWidthEnabled'?" \
		madsend --dry-run Get PortInfo --filter 'LinkWidthActive < LinkWidthEnabeld'
}

@test "port: the object of a line, not the field Port; names are checked; a batch ignores it" {
	local lft=$BATS_TEST_DIRNAME/../data/golden/lft.hex port
	[[ $(madrecv -j -r "$lft" --fields port) == '{"port":null}' ]]
	[[ $(madrecv -j -r "$lft" --fields 'Port[1]') == '{"data":{"Port":[1]}}' ]]
	[[ $(madrecv -j -r "$lft" --filter 'port == 255' --fields port.number) == '{"port":null}' ]]
	run -6 madrecv -r "$lft" --filter 'port.number == 1 || !(port.number == 1)'
	run -6 madrecv -r "$lft" --assert 'port.number != 1'
	run -2 madrecv -r "$lft" --fields port.numbr
	[[ $output == *"no port has a field 'numbr'; did you mean 'number'?"* ]]
	run -2 madrecv -r "$lft" --filter 'port.speed < 25'
	[[ $output == *"write a name, such as 'SDR'"* ]]
	port=$(head -n 1 "$BATS_TEST_DIRNAME/../data/port.json" | jq -c .port)
	madsend -j --dry-run -L 3 Get PortCounters PortSelect=1 >line
	jq -c ".port = $port" line | madsend --batch - --dry-run -j | jq -c .data >data
	cmp data <(jq -c .data line)
	run -5 madsend --batch - --dry-run <<<'{"header":{"method":"Get","attribute":"NodeInfo"},"ports":null}'
	[[ $output == *"did you mean 'port'?"* ]]
}
