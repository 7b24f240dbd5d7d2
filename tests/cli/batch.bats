#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# madsend --batch without a fabric: lines of JSON to bytes, and the errors in lines.

setup() {
	load common
	cd "$BATS_TEST_TMPDIR" || return
}

# line JSON: the bytes of one hand-written line into ./mad.
line() { madsend --batch - --dry-run -f raw "${@:2}" <<<"$1" >mad; }

# refused TEXT JSON: the line is not sent; the message says which line, and TEXT.
refused() {
	run -5 --separate-stderr madsend --batch - --dry-run "${@:3}" <<<"$2"
	[[ -z $output ]]
	[[ ${#stderr_lines[@]} -eq 1 ]] || { echo "$stderr"; return 1; }
	[[ $stderr == 'madsend: line 1: '*"$1"* ]] || { echo "$stderr"; return 1; }
}

@test "a key that is mistyped: the message has the nearest one" {
	local get='"method":"Get","attribute":"PortCounters"'
	while IFS='|' read -r text line; do
		refused "$text" "{$line}"
	done <<-END
		tagg: unknown key; did you mean 'tag'?|"tagg":1
		dedline: unknown key; did you mean 'deadline'?|"header":{$get},"dedline":1
		header.modifer: unknown key; did you mean 'modifier'?|"header":{$get,"modifer":1}
		header.mkey: unknown key; did you mean 'm_key'?|"header":{$get,"mkey":1}
		remote.guiid: an address has none; did you mean 'guid'?|"header":{$get},"remote":{"guiid":1}
		data.PortSelct: PortCounters has no field 'PortSelct'; did you mean 'PortSelect'?|"header":{$get},"data":{"PortSelct":1}
	END
	refused 'data.Foo: PortCounters has no field' "{\"header\":{$get},\"data\":{\"Foo\":1}}"
	[[ $stderr != *'did you mean'* ]]
}

# random N SEED: N bytes of hex.
random() {
	awk -v n="$1" -v seed="$2" 'BEGIN { srand(seed); while (n--) printf "%02x", int(256 * rand()) }'
}

@test "every attribute: JSON of any bytes is read back to the same bytes" {
	local class attribute bytes args method n=0
	while read -r class attribute bytes; do
		args=()
		[[ $class != Vendor0x3* ]] || args=(--oui 0x123456)
		n=$((n + 1))
		# registers are only read: their requests have no such bytes
		method=Send
		[[ $class != Mlnx ]] || method=GetResp
		set -- "${args[@]}" -L 4 "$method" "$class:$attribute" data="$(random "$bytes" $n)"
		madsend --dry-run -f raw "$@" >>a
		madsend --dry-run -K -j "$@" >>lines.json
	done < <(madsend --describe -j | jq -r 'select(.base_version != 128) |
		"\(.class) \(.attribute) \(.bytes)"')
	((n > 130 && $(wc -l <lines.json) == n && $(wc -c <a) == 256 * n))
	madsend --batch lines.json --dry-run -f raw >b
	cmp a b
	# and the lines are the same when they are printed again
	diff <(jq -c 'del(.seq)' lines.json) <(madsend --batch lines.json --dry-run -K -j | jq -c 'del(.seq)')
}

@test "every field set to all ones by name survives the way through JSON" {
	madsend --dry-run -L 4 -f raw Get PortInfo LinkState=Active CapabilityMask=IsSM Lid=7 Mkey=0x8000000000000000 >a
	madsend --dry-run -L 4 -K -j Get PortInfo LinkState=Active CapabilityMask=IsSM Lid=7 Mkey=0x8000000000000000 |
		madsend --batch - --dry-run -f raw >b
	cmp a b
}

@test "2^63, 2^64 - 1 and U+0000" {
	line '{"header":{"method":"Get","attribute":"PortCountersExtended"},"remote":{"lid":4},"data":{"PortSelect":1,"PortXmitData":9223372036854775808,"PortRcvData":18446744073709551615}}'
	at 72 8000000000000000
	at 80 ffffffffffffffff
	line '{"header":{"method":"Set","attribute":"NodeDescription"},"remote":{"lid":4},"data":{"NodeDescription":"a\u0000b\u00e9"}}'
	at 64 610062c3a900
}

@test "a line by hand has the command line's defaults" {
	line '{"header":{"method":"Get","attribute":"NodeInfo"},"remote":{"path":"0,1"}}'
	mv mad by-line
	mad -D 0,1 Get NodeInfo
	cmp mad by-line
	line '{"header":{"method":"GetTable","attribute":"PathRecord"},"data":{"SGID":"fe80::1","NumbPath":3}}'
	mv mad by-line
	mad GetTable PathRecord SGID=fe80::1 NumbPath=3
	cmp mad by-line
	line '{"header":{"method":"Get","attribute":"NI"}}' -L 9
	at 0 0101
	line '{"header":{"method":"Get","attribute":"VLArb","modifier":"0x10001"},"remote":{"lid":4},"data":{"Block":[{"VL":1,"Weight":2},{"Weight":3}],"Block[5].VL":4}}'
	at 20 00010001
	at 64 01020003
	at 74 0400
}

@test "names stand for values, and have to agree with them" {
	line '{"header":{"method":"Get","attribute":"PortInfo"},"remote":{"lid":4},"data":{"LinkState_name":"Active","LinkWidthEnabled_names":["1X","4X"]}}'
	mv mad by-line
	mad -L 4 Get PortInfo LinkState=Active 'LinkWidthEnabled=1X|4X'
	cmp mad by-line
	refused 'data.LinkState_name: "Active" is not what LinkState says' \
		'{"header":{"method":"Get","attribute":"PortInfo"},"data":{"LinkState":1,"LinkState_name":"Active"}}'
	refused 'data.CapMask_names' '{"header":{"method":"Get","attribute":"PortInfo"},"data":{"CapMask":1,"CapMask_names":["IsSM"]}}'
}

@test "a table is all of its lines" {
	local stride=$((112 / 8))
	{
		printf '0103 0292 0000 0000 0000000100000002 0011 0000 00000000'
		printf '01010700 00000001 00000178 0000000000000000 %04x 0000 0000000000000000' "$stride"
		random $((3 * 112)) 5
	} | xxd -r -p >table
	madrecv -r table -j -K >lines || true
	head -n 1 lines | jq -e '.records == 3'
	madsend --batch lines --dry-run -f raw >b
	cmp table b
	run -5 --separate-stderr madsend --batch - --dry-run < <(head -n 2 lines)
	[[ $stderr == *'records: 2 of 3 came'* ]]
	run -5 --separate-stderr madsend --batch - --dry-run < <(sed -n '1p;3p' lines)
	[[ $stderr == *'record: 2 does not continue'* ]]
}

@test "the lines of a table agree in all that is not the record's" {
	local edit key
	madsend --device sim:fat-tree:2,2,1 GetTable NodeRecord -j -K >lines
	madsend --batch lines --dry-run -f raw >table
	while IFS='|' read -r key edit; do
		for n in 1 3; do
			run -5 --separate-stderr madsend --batch - --dry-run \
				< <(jq -c "if .record == $n then $edit else . end" lines)
			[[ ${stderr_lines[0]} == "madsend: line $((n + 1)): $key: "* ]] || { echo "$edit: $stderr"; return 1; }
		done
	done <<-'END'
	header.tid|.header.tid = "0x01"
	header.bogus|.header.bogus = 1
	header.modifier|.header.modifier = 1
	header.attribute|.header.attribute = "PathRecord"
	header.sm_key|del(.header.sm_key)
	header|.header = 1
	remote.lid|.remote.lid = 7
	remote.bogus|.remote.bogus = 7
	remote|.remote = null
	rmpp.segment|.rmpp.segment = 2
	rmpp.flags_names|.rmpp.flags_names[0] = "LAST"
	rmpp|.rmpp = null
	kind|.kind = "request"
	tag|.tag = 1
	schema|.schema = null
	seq|del(.seq)
	record|.seq = 2
	bogus|.bogus = 1
	END
	# an edit of all lines, and another order of keys
	jq -c '.header.tid = "0x01" | .tag = [1]' lines | jq -cS 'if .record == 2 then . else .header |= with_entries(.) end' >edited
	madsend --batch edited --dry-run -f raw >b
	cmp <(tail -c +17 table) <(tail -c +17 b)
	jq -c 'if .record == 1 then .header |= (to_entries | reverse | from_entries) else . end' lines >edited
	madsend --batch edited --dry-run -f raw >b
	cmp table b
	# unrelated lines are not one table
	run -5 --separate-stderr madsend --batch - --dry-run < <(jq -c 'del(.seq)' lines)
	[[ ${stderr_lines[0]} == *'line 1: seq: is missing'* ]]
}

# again HEX...: the MAD of these bytes, and zeros, goes through JSON and back.
again() {
	printf '%s' "$@" | xxd -r -p >a
	truncate -s '>256' a
	madrecv -r a -j -K >lines || [[ -s lines ]]
	madsend --batch lines --dry-run -f raw >b
	cmp a b
}

@test "odd MADs that were printed are taken: routes, Sets, records cut by the frame" {
	# routes that do not begin with 0, go by port 0, or by port 255
	local path
	for path in 20 0000 00ff; do
		again 0181010100000001 0000000000000001 0011000000000000 \
			0000000000000000 ffffffff "$(printf '%056d' 0)" "$(printf '%0128d' 0)" "$path"
	done
	# Set of what no table knows, and with a status
	again 0181010200000000 0000000000000001 0077000000000000 "$(printf '%080d' 0)" 01
	again 0181010200040000 0000000000000001 0010000000000000 "$(printf '%080d' 0)" 01
	# AttributeOffset beyond the frame
	again 0103028100000000 0000000000000001 0017000000000000 0101010000000001 0000007500000000 0000000000000000 \
		00240000
	# more hops than there are; by LID, and where to is not said
	again 0181010100c80001 0000000000000001 0011000000000000
	again 0101010100000000 0000000000000001 0015000000000001
}

@test "a message is as long as it was: records cut by the frame, padded and not" {
	# first ATTRIBUTE OFFSET PAYLOAD: the header of GetTableResp, a first segment
	first() { printf '01030292000000000000000000000001%s000000000000010103000000000100%06x0000000000000000%s0000%016d' "$1" "$3" "$2" 0; }
	local zeros record
	zeros=$(printf '%0400d' 0)
	record=$(printf '%0160d' 0)
	# the first segment alone: the record ends before the frame, its padding behind
	again "$(first 0001 0064 200)"
	again "$(first 0001 0064 1000)" "$(printf '%0144d' 1)"
	again "$(first 0001 0400 5000)"
	# PathRecords that overlap, of which the frame cuts the last
	again "$(first 0035 0001 220)" "${zeros//0/7}"
	# ServiceRecord: whole, and another that is cut
	again "$(first 0031 0016 1000)" "${zeros//0/5}"
	# PortInfoRecords of 72 bytes: the last padded to 80, or not
	again "$(first 0012 000a $((240 + 2 * 20)))" "$record$record$record"
	again "$(first 0012 000a $((232 + 2 * 20)))" "$record$record${record:16}"
}

@test "what is wrong with a line is told by its key" {
	refused 'not a JSON object' 'xx'
	refused 'not a JSON object: it ends too early at column 11: a value' '{"header":'
	refused 'it ends too early at column 3: a closing quote' '{"'
	refused 'not a JSON object, but null' 'null'
	refused 'not a JSON object, but an array' ' [{}, "x"]'
	refused 'not a JSON object, but a number' '-12.5e+3'
	refused 'at column 2: a name in double quotes is expected' "{'header':{}}"
	refused 'at column 11: a value is expected' "{\"header\":'x'}"
	for value in NaN Infinity -Infinity 01 1. .5 +1 0x1 True nul '[1,]' '{"a":1,}' '{a:1}' '{"a"}' '"\q"' '"\u00g0"' \
		$'"\t"' $'\f1' '/**/1' '1 2'; do
		run -5 --separate-stderr madsend --batch - --dry-run <<<"{\"header\":{\"method\":\"Get\",\"attribute\":\"NodeInfo\"},\"tag\":$value}"
		[[ $stderr == 'madsend: line 1: not a JSON object: unexpected character at column '* ]] || { echo "$value: $stderr"; return 1; }
	done
	for value in 0 -0 -1.5E-3 '"\u0009\/ \ud83d\ude00"' $' [\t] ' '{"":[true,false,null,{}]}'; do
		run -0 --separate-stderr madsend --batch - --dry-run <<<"{\"header\":{\"method\":\"Get\",\"attribute\":\"NodeInfo\"},\"tag\":$value}"
	done
	deep=$(printf '[%.0s' {1..20})
	refused 'column 24: no deeper nesting is expected' "{\"data\":$deep"
	refused 'unexpected character at column' '{"header":{"method":"Get","attribute":"NodeInfo"}} {}'
	refused 'has more than 65536 keys and values' "{\"data\":[$(printf '%070000d' 0 | sed 's/0/0,/g')0]}"
	refused "header.attribute: there is no attribute 'NodeInf'" '{"header":{"method":"Get","attribute":"NodeInf"}}'
	refused 'header.method: is missing' '{"header":{"attribute":"NodeInfo"}}'
	refused "header.method: there is no method 'Got'" '{"header":{"method":"Got","attribute":"NodeInfo"}}'
	refused 'header.class_id: 3 is not class PerfMgt' '{"header":{"method":"Get","attribute":"ClassPortInfo","class":"PerfMgt","class_id":3}}'
	refused 'header.attribute: several classes have' '{"header":{"method":"Get","attribute":"ClassPortInfo"}}'
	refused 'header.methd: unknown key' '{"header":{"methd":"Get","attribute":"NodeInfo"}}'
	refused 'header.Method: unknown key' '{"header":{"Method":"Get","attribute":"NodeInfo"}}'
	refused 'header.mod: unknown key' '{"header":{"method":"Get","attribute":"PortInfo","mod":1}}'
	refused 'header.sm_key: a MAD of this class has none' '{"header":{"method":"Get","attribute":"NodeInfo","sm_key":1}}'
	refused 'rmpp: a MAD of this class has none' '{"header":{"method":"Get","attribute":"NodeInfo"},"rmpp":{}}'
	refused 'data: 217 bytes do not fit: Vendor0x32 holds 216 without RMPP' \
		'{"header":{"method":"Send","class":"Vendor0x32","attribute_id":16,"oui":5125},"data":{"Data":"'"$(random 217 1)"'"}}' --rmpp none
	refused 'header: is given twice' '{"header":{"method":"Get","attribute":"NodeInfo"},"header":{"method":"Get","attribute":"NodeInfo"}}'
	refused 'header.tid: is given twice' '{"header":{"method":"Get","attribute":"NodeInfo","tid":1,"t\u0069d":2}}'
	refused 'data.Block.Weight: is given twice' '{"header":{"method":"Get","attribute":"VLArb","modifier":1},"data":{"Block":[{"VL":1,"Weight":2},{"Weight":3,"Weight":4}]}}'
	refused 'data.CapMask_names: "IsSM\u0000junk" contains U+0000' \
		'{"header":{"method":"Get","attribute":"PortInfo"},"data":{"CapMask_names":["IsSM\u0000junk","IsTrapSupported"]}}'
	refused 'a key: "header\u0000x" contains U+0000' '{"header\u0000x":{"method":"Get","attribute":"NodeInfo"}}'
	for text in $'\xed\xa0\x80' $'\xc0\x80' $'\xf4\x90\x80\x80'; do
		refused 'the text at column 9 is not UTF-8, or has half' "{\"kind\":\"$text\",\"header\":{\"method\":\"Get\",\"attribute\":\"NodeInfo\"}}"
		refused 'tag: the text at column 9 is not UTF-8' "{\"tag\":\"$text\",\"header\":{\"method\":\"Get\",\"attribute\":\"NodeInfo\"}}"
	done
	for text in '\ud800' '\ud800\u0041' '\udc00\ud800'; do
		refused 'the text at column 9 is not UTF-8, or has half' "{\"kind\":\"$text\",\"header\":{\"method\":\"Get\",\"attribute\":\"NodeInfo\"}}"
	done
	for value in 5 '"00"' '[]' true; do
		refused 'data: must be an object or null' "$(madsend --dry-run -j --show-keys Get NodeInfo | jq -c ".data = $value")"
	done
	refused 'bogus: unknown key' '{"header":{"method":"Get","attribute":"NodeInfo"},"bogus":1}'
	refused 'data.Bogus' '{"header":{"method":"Get","attribute":"NodeInfo"},"data":{"Bogus":1}}'
	refused 'data.Lid' '{"header":{"method":"Get","attribute":"PortInfo"},"data":{"Lid":65536}}'
	refused 'data.Lid: -1 is below 0' '{"header":{"method":"Get","attribute":"PortInfo"},"data":{"Lid":-1}}'
	refused 'data.Lid: 1.5 must be an integer' '{"header":{"method":"Get","attribute":"PortInfo"},"data":{"Lid":1.5}}'
	refused 'data.Lid: is null' '{"header":{"method":"Get","attribute":"PortInfo"},"data":{"Lid":null}}'
	refused 'the number at column 66 is more than 2^64 - 1 ("Mkey")' '{"header":{"method":"Get","attribute":"PortInfo"},"data":{"Mkey":18446744073709551616}}'
	refused 'data.PKey: 33 elements: at most 32' "$(jq -cn '{header:{method:"Get",attribute:"P_KeyTable"},data:{PKey:[range(33)]}}')"
	refused 'data.NodeDescription: the text has 65 bytes: at most 64' "$(jq -cn '{header:{method:"Get",attribute:"NodeDescription"},data:{NodeDescription:("x" * 65)}}')"
	refused 'rest.64: byte 64 also has bits of a field' '{"header":{"method":"Get","attribute":"NodeInfo"},"remote":{"lid":4},"data":{"BaseVers":255},"rest":{"64":"01"}}'
	refused 'rest.1: byte 1 also has bits of a field' '{"header":{"method":"Get","attribute":"NodeInfo"},"rest":{"1":"20"}}'
	refused 'rest.2: byte 3 also has bits of a field' '{"header":{"method":"Get","attribute":"NodeInfo"},"rest":{"2":"0080"}}'
	refused 'rest.300: extends to byte 301: a MAD of this class has 256 bytes' '{"header":{"method":"Get","attribute":"NodeInfo"},"rest":{"300":"ff"}}'
	refused 'rest.255: extends to byte 257: a MAD' '{"header":{"method":"Get","attribute":"PortCounters"},"rest":{"255":"0001"}}'
	refused 'data.Data: extends to byte 257: a MAD' "{\"header\":{\"class\":\"PerfMgt\",\"method\":\"Get\",\"attribute_id\":65280},\"data\":{\"Data\":\"$(printf '%0386d' 0)\"}}"
	refused 'rest.67108864: extends to byte 67108865: a message has at most 67108864 bytes' '{"header":{"method":"Get","attribute":"PathRecord"},"rest":{"67108864":"01"}}'
	refused 'rest.x: is not a byte offset' '{"header":{"method":"Get","attribute":"NodeInfo"},"rest":{"x":"01"}}'
	refused 'rest.0: expected pairs of hex' '{"header":{"method":"Get","attribute":"NodeInfo"},"rest":{"0":"zz"}}'
	refused 'remote.lid: 65536' '{"header":{"method":"Get","attribute":"NodeInfo"},"remote":{"lid":65536}}'
	refused 'remote.ldi: an address has none' '{"header":{"method":"Get","attribute":"NodeInfo"},"remote":{"ldi":1}}'
	refused 'kind: there is no' '{"kind":"reqest","header":{"method":"Get","attribute":"NodeInfo"}}'
	refused 'schema: is not madkit/1' '{"schema":"madkit/9","header":{"method":"Get","attribute":"NodeInfo"}}'
}

@test "a line that is too long is left out, and those behind it are not" {
	local request='{"header":{"method":"Get","attribute":"NodeInfo"},"tag"'
	run -5 --separate-stderr madsend --batch - --dry-run -j < <(
		echo "$request:1}"
		printf '%s:"' "$request"
		head -c 70000000 /dev/zero | tr '\0' x
		echo '"}'
		echo "$request:3}"
		echo x
		head -c 70000000 /dev/zero | tr '\0' ' '
	)
	[[ $(jq -c '[.kind, .tag, .data.line?]' <<<"$output") == \
		$'["request",1,null]\n["error",null,2]\n["request",3,null]\n["error",null,4]\n["error",null,5]' ]] || { echo "$output"; return 1; }
	[[ ${stderr_lines[0]} == 'madsend: line 2: has more than 64 MiB: skipped' ]]
	[[ ${stderr_lines[2]} == 'madsend: line 5: has more than 64 MiB: skipped' ]]
}

@test "a line of many values takes no more memory than other lines, and has its tag in the error" {
	{
		printf '{"data":['
		head -c 20000000 /dev/zero | tr '\0' 0 | sed 's/0/0,/g'
		echo '0],"tag":[1,[2]]}'
	} >long
	sanitized || ulimit -v 400000
	run -5 --separate-stderr madsend --batch long --dry-run -j
	[[ $(jq -c .tag <<<"$output") == '[1,[2]]' && $stderr == 'madsend: line 1: has more than 65536 keys and values' ]]
	# the values of a tag do not count
	run -0 --separate-stderr madsend --batch - --dry-run -j \
		< <(jq -cn '{header:{method:"Get",attribute:"NodeInfo"},tag:[range(100000)]}')
}

@test "a line that was cut, or lacks keys, is refused by name" {
	madsend --dry-run -L 4 -j Get PortInfo >redacted
	run -5 --separate-stderr madsend --batch redacted --dry-run
	[[ $stderr == *'redacted: "header.m_key" was omitted'* ]]
	madsend --dry-run -K -L 4 -j --fields header,data Get PortInfo >cut
	run -5 --separate-stderr madsend --batch cut --dry-run
	[[ $stderr == *'schema: is missing'* ]]
	madsend --dry-run -K -L 4 -j Get PortInfo | jq -c 'del(.data)' >cut
	run -5 --separate-stderr madsend --batch cut --dry-run
	[[ $stderr == *'data: is missing'* ]]
	madsend --dry-run -K -L 4 -j Get PortInfo | jq -c 'del(.header.tid)' >cut
	run -5 --separate-stderr madsend --batch cut --dry-run
	[[ $stderr == *'header.tid: is missing'* ]]
}

@test "a line without epoch, as of an earlier version, means the same MAD" {
	madsend --dry-run -K -L 4 -j Get PortInfo >line
	jq -e '.time == null and .epoch == null' line
	run -0 --separate-stderr madsend --batch line --dry-run -f hex
	[[ $output == *'0010: 00 15'* ]]
	cmp <(echo "$output") <(jq -c 'del(.epoch)' line | madsend --batch - --dry-run -f hex)
	cmp <(echo "$output") <(jq -c '.time = "2026-11-20T22:10:11.123456Z" | .epoch = 1795904411.123456' line | madsend --batch - --dry-run -f hex)
}

@test "one bad line does not keep the others, and is told in JSON as well" {
	cat >lines <<-'END'
	{"header":{"method":"Get","attribute":"NodeInfo"},"tag":1}

	{"header":{"method":"Get","attribute":"Nothing"},"tag":2}
	{"header":{"method":"Get","attribute":"PortInfo"},"tag":{"a":[3]}}
	END
	run -5 --separate-stderr madsend --batch lines --dry-run -j
	[[ $(jq -sc 'map([.kind, .tag, .data.line])' <<<"$output") == '[["request",1,null],["error",2,3],["request",{"a":[3]},null]]' ]]
	[[ $stderr == 'madsend: line 3: header.attribute: '* ]]
}

@test "what is wrong with a line is told whole: reason and tag are in JSON too" {
	told() { # TEXT JSON
		refused "$1" "$2"
		run -5 --separate-stderr madsend --batch - --dry-run -j <<<"$2"
		[[ $(jq -c '[.kind, .tag, .status.send, .data.line]' <<<"$output") == '["error",{"a":7},22,1]' ]] || { echo "$output"; return 1; }
		[[ $stderr == "madsend: line 1: $(jq -r .data.error <<<"$output")" ]]
	}
	local node='"header":{"method":"Get","attribute":"NodeInfo"},"tag":{"a":7}'
	told 'remote: several destinations' "{$node,\"remote\":{\"lid\":4,\"guid\":\"0x10\"}}"
	told 'remote: several destinations' "{$node,\"remote\":{\"gid\":\"fe80::1\",\"name\":\"node1\"}}"
	told 'remote: several destinations' "{$node,\"remote\":{\"gid\":\"fe80::1\",\"path\":\"0\"}}"
	told 'remote.path: PathRecord is not an SMP' '{"header":{"method":"Get","attribute":"PathRecord"},"tag":{"a":7},"remote":{"path":"0,1"}}'
	told 'header.class: NodeInfo: a directed route' '{"header":{"method":"Get","class":"SubnMgt","attribute":"NodeInfo"},"tag":{"a":7},"remote":{"path":"0,1"}}'
	told 'data: Set SwitchInfo replaces the whole attribute' '{"header":{"method":"Set","attribute":"SwitchInfo"},"tag":{"a":7}}'
	told 'dest: unknown key' "{$node,\"dest\":4}"
	# LID 0 next to another address does not count
	run -0 madsend --batch - --dry-run <<<"{$node,\"remote\":{\"lid\":0,\"name\":\"node1\"}}"
	# the tag is the line's own
	run -5 --separate-stderr madsend --batch - --dry-run -j <<-'END'
	{"header":{"method":"Get","attribute":"NodeInfo"},"remote":{"name":"node1"},"tag":1}
	nothing
	END
	[[ $(jq -sc 'map([.kind, .tag])' <<<"$output") == '[["request",1],["error",null]]' ]]
}

# tags: JSON values, one a line, that a reader of JSON could change.
tags() {
	cat <<-'END'
	0.12345678901234567890123
	123456789012345678901234567890
	-99999999999999999999
	18446744073709551616
	9007199254740993
	-0
	-0.0
	1e400
	1E-400
	1.50
	[1.0,1e2,1E+2]
	"\u0041\/\u0000\b"
	{"a":1,"a":2,"\u0061":3}
	{"tag":{"tag":[ ]}, "header" : 99999999999999999999}
	[1,	2 , {"b" :3}]
	"\ud83d\ude00 and 😀"
	"\ud800"
	"with \"quotes\", {braces} and }]"
	null
	true
	""
	END
	printf '[%.0s' {1..200}
	printf ']%.0s' {1..200}
	echo
}

@test "A12: any JSON value of a tag is echoed byte for byte" {
	local tag got key
	while IFS= read -r tag; do
		for key in tag '\u0074a\u0067'; do
			run -0 --separate-stderr madsend --batch - --dry-run -K -j \
				<<<"{\"header\":{\"method\":\"Get\",\"attribute\":\"NodeInfo\"}, \"$key\" : $tag ,\"remote\":{\"lid\":4}}"
			[[ $output == *",\"tag\":$tag,\"record\":"* ]] || { echo "$tag: $output"; return 1; }
		done
		# the output is read again, and the tag is still the same
		got=$(madsend --batch - --dry-run -K -j <<<"$output")
		[[ $(sed 's/"seq":[0-9]*//' <<<"$got") == "$(sed 's/"seq":[0-9]*//' <<<"$output")" ]] || { echo "$got"; return 1; }
		# --fields and a line that is refused
		got=$(madsend --batch - --dry-run -j --fields tag <<<"$output")
		[[ $got == "{\"tag\":$tag}" ]] || { echo "fields: $got"; return 1; }
		run -5 --separate-stderr madsend --batch - --dry-run -j <<<"{\"tag\":$tag,\"header\":{\"method\":\"Get\",\"attribute\":\"Nothing\"}}"
		[[ $output == *",\"tag\":$tag,\"record\":"* ]] || { echo "$tag: $output"; return 1; }
	done < <(tags)
	# one value to another reader, too
	while IFS= read -r tag; do
		got=$(madsend --batch - --dry-run -j <<<"{\"header\":{\"method\":\"Get\",\"attribute\":\"NodeInfo\"},\"tag\":$tag}")
		[[ $(jq -c .tag <<<"$got") == "$(jq -c . <<<"$tag")" ]] || { echo "$got"; return 1; }
	done < <(tags | grep -v '^\[\[')
}

@test "A12: a tag may nest as deep as a line is long" {
	python3 - <<-'END' >line
	n = 1000000
	print('{"tag":' + '[' * n + '{"a":1}' + ']' * n + ',"header":{"method":"Get","attribute":"NodeInfo"}}')
	END
	madsend --batch line --dry-run -j >printed
	python3 - <<-'END'
	n = 1000000
	tag = ',"tag":' + '[' * n + '{"a":1}' + ']' * n + ',"record":'
	assert tag in open('printed').read()
	END
	# brackets are matched there as well
	run -5 --separate-stderr madsend --batch - --dry-run <<<'{"tag":[[[}]],"header":{}}'
	[[ $stderr == *"column 11: a value is expected" ]] || { echo "$stderr"; return 1; }
	run -5 --separate-stderr madsend --batch - --dry-run <<<'{"tag":[[1}],"header":{}}'
	[[ $stderr == *"column 11: ',' or ']' is expected" ]] || { echo "$stderr"; return 1; }
}

@test "A12: every error about a line has its tag, if that is readable" {
	has() { # TAG LINE
		run -5 --separate-stderr madsend --batch - --dry-run -j <<<"$2"
		[[ $(jq -c '[.kind, .tag]' <<<"$output") == "[\"error\",$1]" ]] || { echo "$2: $output"; return 1; }
	}
	has '{"a":7}' '{"tag":{"a":7},"header":}'
	has '{"a":7}' '{"tag":{"a":7},"header":{"method":"Get","method":"Set","attribute":"NodeInfo"}}'
	has '{"a":7}' '{"tag":{"a":7},"header":{"method":"Get","attribute":"PortInfo"},"data":{"Mkey":18446744073709551616}}'
	has '{"a":7}' '{"tag":{"a":7},"header":{"method":"Get","attribute":"NodeInfo"}} x'
	has '{"a":7}' '{"tag":{"a":7},"record":3,"header":{}}'
	has '{"a":7}' '{"bogus":1,"tag":{"a":7}}'
	# whatever follows a tag that is complete
	has '"x"' '{"tag":"x" "header":{}}'
	has '{"a":7}' '{"tag":{"a":7}'
	has '"x"' '{"tag":"x"'
	has 12 '{"tag":12 "header":{}}'
	# a number that may be cut, two tags, no UTF-8
	has null '{"tag":12'
	has null '{"tag":12"header":{}}'
	has null '{"tag":"x'
	has null '{"tag":1,"tag":1}'
	[[ $stderr == *'tag: is given twice' ]]
	has null $'{"tag":"\xff"}'
	# of a line that does not continue a table it is that line's own
	has 2 '{"tag":1,"seq":1,"records":2,"header":{"method":"GetResp","attribute":"NodeRecord"},"data":{}}
{"tag":2,"record":0,"header":{"method":"Get","attribute":"NodeInfo"}}'
}

@test "A12: line ends and controls of a tag cannot be output as they are" {
	run -0 --separate-stderr madsend --batch - --dry-run -j \
		<<<$'{"header":{"method":"Get","attribute":"NodeInfo"},"tag":[1,\r2,\t"a\u202eb\u009b"]}'
	[[ $output == *$'"tag":[1, 2,\t"a\\u202eb\\u009b"],"record"'* ]] || { echo "$output"; return 1; }
}

@test "a Set of an SMP is all of it, or --zero-rest" {
	local line='{"header":{"method":"Set","attribute":"SwitchInfo"},"remote":{"lid":4},"data":{"LinearFdbTop":5}}'
	run -5 --separate-stderr madsend --batch - --dry-run <<<"$line"
	[[ $stderr == *'line 1: data: Set SwitchInfo replaces the whole attribute'* ]]
	line "$line" --zero-rest
	at 64 0000000000000005
}

@test "what does not go with --batch" {
	usage_error '--batch reads its requests from' madsend --batch x Get NodeInfo
	usage_error '--count has no effect with --batch' madsend --batch x -n 3
	usage_error '--merge has no effect with --batch' madsend --batch x --merge
	usage_error '--window has no effect without --batch' madsend --window 3 Get NodeInfo
	usage_error '--window' madsend --batch x --window 0
	run -1 --separate-stderr madsend --batch nowhere --dry-run
	[[ $stderr == *"cannot read 'nowhere'"* ]]
}

@test "no lines: nothing is sent, nothing is wrong" {
	run -0 madsend --batch /dev/null --dry-run
	[[ -z $output ]]
}

@test "A11: a batch that ends within a table names its port in the error, and no freed memory" {
	echo '{"record":0,"records":2,"seq":1,"header":{"class":"SubnAdm","method":"GetTableResp","attribute":"NodeRecord"}}' >cut
	run -5 --separate-stderr madsend --device sim:fat-tree:2,2,1@h1-1 --batch cut -j
	[[ $(jq -c '[.kind, .device]' <<<"$output") == '["error","sim:fat-tree:2,2,1@h1-1"]' ]]
}

@test "B10: a number that is too large is not repeated in a message: it may be a mistyped key" {
	run -5 --separate-stderr madsend --device sim:fat-tree:2,2,1 --batch - -j <<<'{"header":{"method":"Get","attribute":"NodeInfo","m_key":160456909845030980460},"remote":{"path":"0"}}'
	[[ $output$stderr != *16045690984* && $stderr == *'line 1: the number at column 58 is more than 2^64 - 1 ('* ]]
}

@test "X_bytes of a counter above 2^62 has to agree with it" {
	local line='{"header":{"method":"Get","attribute":"PortCountersExtended"},"data":{"PortSelect":1,"PortXmitData":%s,"PortXmitData_bytes":%s}}\n'
	local value bytes wrong
	while read -r value bytes wrong; do
		# shellcheck disable=SC2059
		run -0 madsend --dry-run --batch - -j < <(printf "$line" "$value" "$bytes")
		[[ $(grep -o '"PortXmitData_bytes":[0-9]*' <<<"$output") == *":$bytes" ]]
		for wrong in $wrong; do
			# shellcheck disable=SC2059
			run -5 --separate-stderr madsend --dry-run --batch - < <(printf "$line" "$value" "$wrong")
			[[ $stderr == *"is not what PortXmitData says"* ]] || { echo "$stderr"; return 1; }
		done
	done <<-END
		4611686018427387903 18446744073709551612 18446744073709551613
		4611686018427387904 18446744073709551616 0 18446744073709551620 1
		18446744073709551615 73786976294838206460 73786976294838206464 7 7378697629483820646 -1
	END
}
