#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# The bytes that madsend would send, read by od and held against the layouts of the IBA
# specification, written down here by hand.

setup() { load common; }

@test "an SMP by direct route: header, route, hop count" {
	mad -D 0,1,2 Get NodeInfo
	[[ $(stat -c %s "$BATS_TEST_TMPDIR/mad") == 256 ]]
	at 0 01810101		# base version, SubnMgtDR, class version, Get
	at 4 00000002		# no status, hop pointer 0, two hops
	at 16 00110000		# NodeInfo
	at 20 00000000
	at 32 ffffffff		# DrSLID, DrDLID
	at 128 0001020000
}

@test "without a destination an SMP goes to this node" {
	mad Get NodeInfo
	at 0 01810101
	at 6 0000
	at 128 0000
}

@test "an SMP by LID is of the LID-routed class" {
	mad -L 5 -m 3 Get PortInfo
	at 0 01010101
	at 16 0015
	at 20 00000003
	at 32 00000000
	run -0 madsend --dry-run -L 5 -m 3 Get PortInfo -j
	[[ $(jq -c '[.kind, .remote.lid, .remote.path, .remote.qp, .header.class_id]' <<<"$output") == '["request",5,null,0,1]' ]]
}

@test "the M_Key stands in the SMP, and is shown only with -K" {
	mad -y 0x1122334455667788 Get NodeInfo
	at 24 1122334455667788
	run -0 madsend --dry-run -y 0x1122334455667788 Get NodeInfo -j
	[[ $(jq -c '[.header.m_key, .redacted]' <<<"$output") == '[null,["header.m_key"]]' ]]
	run -0 madsend --dry-run -y 0x1122334455667788 -K Get NodeInfo -j
	[[ $(jq -c '[.header.m_key, .redacted]' <<<"$output") == '["0x1122334455667788",[]]' ]]
}

@test "fields go to their places: PortCounters" {
	mad -L 12 Set PortCounters PortSelect=255 CounterSelect=0xffff
	at 0 01040102
	at 16 0012
	at 64 00ffffff0000
	run -0 madsend --dry-run -L 12 Set PortCounters PortSelect=255 CounterSelect=0xffff -j
	[[ $(jq -c '[.data.PortSelect, .data.CounterSelect, .remote.qp]' <<<"$output") == '[255,65535,1]' ]]
}

# selected WORD...: CounterSelect and CounterSelect2 of the Set with these words.
selected() {
	madsend --dry-run -L 12 Set "$@" -j | jq -r '.data | [.CounterSelect, .CounterSelect2] | map(. // "-" | tostring) | join(" ")'
}

@test "D8: CounterSelect takes the names of counters" {
	[[ $(selected PortCounters PortSelect=1 CounterSelect=SymbolErrorCounter,linkdownedcounter) == '5 0' ]]
	[[ $(selected PortCounters PortSelect=1 'CounterSelect=VL15Dropped|PortRcvPkts' CounterSelect2=PortXmitWait) == '34816 1' ]]
	[[ $(selected PortCounters PortSelect=1 CounterSelect=0x10,SymbolErrorCounter CounterSelect2=qp1dropped) == '17 2' ]]
	[[ $(selected PortCountersExtended PortSelect=1 CounterSelect=PortXmitData CounterSelect2=VL15Dropped,PortXmitWait) == '1 6144' ]]
	[[ $(selected PortVLXmitWaitCounters PortSelect=1 CounterSelect=PortVLXmitWait3,PortVLXmitWait15) == '32776 -' ]]
	[[ $(selected PortRcvErrorDetails PortSelect=1 CounterSelect=PortLoopingErrors) == '32 -' ]]
	usage_error "'PortXmitData8' is neither a number nor one of its names: SymbolErrorCounter" \
		madsend --dry-run -L 12 Set PortCounters PortSelect=1 CounterSelect=PortXmitData8
	[[ $stderr == *'(madsend --describe PortCounters lists all names)' ]]
	run -0 madsend --dry-run -L 12 Set PortCounters PortSelect=1 CounterSelect=5 CounterSelect2=3 -j
	[[ $(jq -c '.data | [.CounterSelect_names, .CounterSelect2_names]' <<<"$output") == '[["SymbolErrorCounter","LinkDownedCounter"],["PortXmitWait","QP1Dropped"]]' ]]
	# the names alone make the same MAD
	names=$(jq -c 'del(.data.CounterSelect, .data.CounterSelect2)' <<<"$output")
	[[ $(madsend --dry-run --batch - -f hex <<<"$names") == "$(madsend --dry-run --batch - -f hex <<<"$output")" ]]
}

@test "a counter that another field selects: the message names that field" {
	while read -r attribute select counter use; do
		usage_error "$select: '$counter' is a name of another field: use $use=$counter" \
			madsend --dry-run -L 12 Set "$attribute" PortSelect=1 "$select=$counter"
		run -5 --separate-stderr madsend --dry-run --batch - \
			<<<"{\"header\":{\"method\":\"Set\",\"attribute\":\"$attribute\"},\"remote\":{\"lid\":12},\"data\":{\"PortSelect\":1,\"$select\":\"$counter\"}}"
		[[ $stderr == *"'$counter' is a name of another field: use $use=$counter" ]]
	done <<-END
		PortCounters CounterSelect PortXmitWait CounterSelect2
		PortCounters CounterSelect QP1Dropped CounterSelect2
		PortCounters CounterSelect2 VL15Dropped CounterSelect
		PortCountersExtended CounterSelect SymbolErrorCounter CounterSelect2
	END
	usage_error "'PortXmitWait' is a name of another field" \
		madsend --dry-run -L 12 Set PortCounters PortSelect=1 CounterSelect=SymbolErrorCounter,PortXmitWait
}

@test "a Set that selects no counter is refused for every attribute with CounterSelect" {
	attributes=$(madsend --describe -j |
		jq -r 'select(.class == "PerfMgt" and any(.fields[]; .name == "CounterSelect" and .count == 1)) | .attribute' | sort -u)
	[[ $(wc -l <<<"$attributes") == 20 ]] || { echo "$attributes"; return 1; }
	for attribute in $attributes; do
		for command in madsend madpoll; do
			local words=(--dry-run)
			[[ $command == madsend ]] || words=(--until PortSelect==1)
			usage_error "$attribute: CounterSelect is missing" "$command" "${words[@]}" -L 12 Set "$attribute" PortSelect=1
			[[ $stderr == *'CounterSelect=all resets every counter'* ]]
		done
		run -5 --separate-stderr madsend --dry-run --batch - -j \
			<<<"{\"header\":{\"method\":\"Set\",\"attribute\":\"$attribute\"},\"remote\":{\"lid\":12},\"data\":{\"PortSelect\":1},\"tag\":7}"
		[[ $stderr == *'CounterSelect is missing'* && $(jq .tag <<<"$output") == 7 ]]
		run -0 madsend --dry-run -L 12 Set "$attribute" PortSelect=1 CounterSelect=0 -j
		run -0 madsend --dry-run --batch - <<<"$output"
		run -0 madsend --dry-run -L 12 Set "$attribute" data=0001
		run -0 madsend --dry-run -L 12 Set "$attribute" PortSelect=1 --zero-rest
		run -0 madsend --dry-run -L 12 Get "$attribute" PortSelect=1
	done
	usage_error 'CounterSelect is missing' madsend --dry-run -L 12 Set PortCounters PortSelect=1 SymbolErrorCounter=1
	run -0 madsend --dry-run -L 12 Set PortCounters PortSelect=1 SymbolErrorCounter=1 CounterSelect=1
	run -0 madsend --dry-run -L 12 Set PortCounters PortSelect=1 CounterSelect2=QP1Dropped
	run -0 madsend --dry-run -L 12 Set PortSamplesControl PortSelect=1
}

@test "D8: CounterSelect=all selects every counter, in CounterSelect2 too" {
	[[ $(selected PortCounters PortSelect=255 CounterSelect=all) == '65535 3' ]]
	[[ $(selected pc CounterSelect=ALL PortSelect=255) == '65535 3' ]]
	[[ $(selected PortCountersExtended PortSelect=255 CounterSelect=all) == '255 16383' ]]
	[[ $(selected PortXmitDiscardDetails PortSelect=255 CounterSelect=all) == '15 -' ]]
	[[ $(selected PortVLXmitTimeCong PortSelect=255 CounterSelect=all) == '32767 -' ]]
	[[ $(selected PortRcvDataSL PortSelect=255 CounterSelect=all) == '65535 -' ]]
	# its bits have no names
	[[ $(selected PortExtendedSpeedsCounters PortSelect=255 CounterSelect=all) == '0xffffffffffffffff -' ]]
	# given values are kept
	[[ $(selected PortCounters PortSelect=1 CounterSelect=all CounterSelect2=0) == '65535 0' ]]
	[[ $(selected PortCounters PortSelect=1 CounterSelect2=QP1Dropped CounterSelect=all) == '65535 2' ]]
	[[ $(selected PortCounters PortSelect=1 CounterSelect2=all) == '0 3' ]]
	[[ $(selected PortCounters PortSelect=1 CounterSelect=0xffff) == '65535 0' ]]
	[[ $(selected PortCounters data=00010000 CounterSelect=all) == '65535 0' ]]
	# in a batch
	batched() {
		printf '{"header":{"method":"Set","attribute":"%s"},"remote":{"lid":12},"data":{"PortSelect":1,%s}}\n' "$@" |
			madsend --dry-run --batch - -j | jq -c '.data | [.CounterSelect, .CounterSelect2]'
	}
	[[ $(batched PortCounters '"CounterSelect":"all"') == '[65535,3]' ]]
	[[ $(batched PortCountersExtended '"CounterSelect":"all"') == '[255,16383]' ]]
	[[ $(batched PortCounters '"CounterSelect2":0,"CounterSelect":"all"') == '[65535,0]' ]]
	[[ $(batched PortCounters '"CounterSelect":65535') == '[65535,0]' ]]
	usage_error "'all' is not a number" madsend --dry-run -L 12 Set PortSamplesControl PortSelect=1 CounterSelect=all
	usage_error "'all' is neither a number nor one of its names" madsend --dry-run -D 0 Set PortInfo --zero-rest LinkWidthEnabled=all
}

@test "fields go to their places: PortInfo, with names of values and aliases" {
	mad -D 0 -m 1 Set PortInfo --zero-rest Lid=0x1234 SMLid=7 PortState=Active LinkWidthEnabled=1X LMC=3 GidPrefix=0xfe80000000000000
	at 72 fe80000000000000
	at 80 12340007
	at 93 01		# LocalPortNum, LinkWidthEnabled
	at 96 04		# LinkSpeedSupported, PortState
	at 98 03		# M_KeyProtectBits, LMC
}

@test "fields go to their places: counters by number, extended samples, congestion control" {
	mad -L 9 Set PortVLXmitFlowCtlUpdateErrors --zero-rest PortSelect=1 'PortVLXmitFlowCtlUpdateErrors[1]=3' \
		PortVLXmitFlowCtlUpdateErrors15=2
	at 16 001b
	at 64 0001000030000002
	mad -L 9 Set PortSamplesResultExtended --zero-rest Tag=0x1234 SampleStatus=2 ExtendedWidth="64 bits" \
		Counter0=0x0102030405060708 Counter14=18446744073709551615
	at 16 001e
	at 64 12340002800000000102030405060708
	at 184 ffffffffffffffff
	mad -L 9 Set CongestionLog --zero-rest LogType=1 CongestionFlags=2 LogEventsCounter=3 LogDetails=ff
	at 1 21
	at 16 0013
	at 32 01020003ff
	mad -L 9 Set CongestionControlTable --zero-rest CCTI_Limit=63 'Entry[63].CCT_Shift=3' \
		'Entry[63].CCT_Multiplier=1'
	at 64 003f0000
	at 194 c001
	# opa-ff's ib_dm.h, which nothing that is installed has
	mad -L 9 Set DiagnosticTimeout --zero-rest MaxDiagTime=0x01020304
	at 1 06
	at 16 0020
	at 64 0102030400000000
	mad -L 9 Set DevMgt:DiagCode --zero-rest DiagCode=0x1234
	at 16 0024
	at 64 1234000000000000
}

@test "one element of an array of counters has one companion" {
	run -0 madsend --dry-run -L 9 Get PortVLOpData PortSelect=1 PortVLOpData3=5 -j --fields PortVLOpData3
	[[ $output == '{"data":{"PortVLOpData":[5],"PortVLOpData_bytes":[20]}}' ]]
}

@test "an SA request: version 2, fields, component mask, SM_Key" {
	mad --sm-key 0x0102030405060708 Get PathRecord SGID=fe80::1 DGID=fe80::2 Reversible=1
	at 0 01030201
	at 16 0035
	at 24 000000000000000000000000	# no RMPP
	at 36 0102030405060708
	# DGID is component 2, SGID 3, Reversible 11 (IBA volume 1, table 212)
	at 48 000000000000080c
	at 64 fe800000000000000000000000000002fe800000000000000000000000000001
	mad Get PathRecord SGID=fe80::1 --comp-mask 0x5
	at 48 0000000000000005
	mad GetTable NodeRecord
	at 0 01030212
	at 48 0000000000000000
	mad GetTable NodeRecord LID=3 Guid=0x1
	at 48 0000000000000081	# LID 0, NodeGUID 7
	at 56 0003
}

@test "components that are several, and elements of arrays, in the component mask" {
	# ServiceID of PathRecord is components 0 and 1 (8 most and 56 least significant bits)
	mad Get PathRecord ServiceID=5
	at 48 0000000000000003
	# ServiceRecord: ServiceData8 begins at component 7, ServiceData16 at 23 (IBA volume 1, table 215)
	mad Get ServiceRecord 'ServiceData8[3]=5'
	at 48 0000000000000400
	mad Get ServiceRecord ServiceData16=5,6,7
	at 48 0000000003800000
}

@test "class, attribute and payload by number; OUI; an unknown attribute's data" {
	mad --class 0x32 --oui 0x001405 --class-version 1 -L 4 Send 0x10 data=0a0b0c
	at 0 01320103
	at 16 0010
	at 37 0014050a0b0c00
	printf '\1\2\3' >"$BATS_TEST_TMPDIR/payload"
	mad --class 0x09 Get 0x50 data=@"$BATS_TEST_TMPDIR/payload"
	at 0 01090101
	at 16 0050
	at 24 01020300
}

@test "a payload longer than a MAD becomes an RMPP message, where the class has RMPP" {
	head -c 1000 /dev/zero | tr '\0' x >"$BATS_TEST_TMPDIR/payload"
	mad --class 0x32 --oui 0x1405 Send 0x10 data=@"$BATS_TEST_TMPDIR/payload"
	[[ $(stat -c %s "$BATS_TEST_TMPDIR/mad") == 1040 ]]
	at 24 0101f900		# version 1, DATA, response time unspecified and ACTIVE, status 0
	at 40 7878787878
	run -2 madsend --dry-run --rmpp none --class 0x32 --oui 0x1405 Send 0x10 data=@"$BATS_TEST_TMPDIR/payload"
}

@test "all formats tell the same MAD" {
	args=(--dry-run -L 12 Set PortCounters PortSelect=3 CounterSelect=0x1234)
	madsend "${args[@]}" -f raw >"$BATS_TEST_TMPDIR/raw"
	madsend "${args[@]}" -f hex | sed 's/^[0-9a-f]*://' | xxd -r -p | cmp - "$BATS_TEST_TMPDIR/raw"
	[[ $(madsend "${args[@]}" -j | jq -c '[.header.class_id, .header.method_id, .header.attribute_id, .data.PortSelect, .data.CounterSelect]') == '[4,2,18,3,4660]' ]]
	run -0 madsend "${args[@]}"
	[[ ${lines[0]} == "# Set PortCounters: Lid 12 port 3" ]]
	[[ $output == *$'\n'"PortSelect:......................3"$'\n'"CounterSelect:...................0x1234"$'\n'* ]]
}

@test "JSON is one line, and several with -p" {
	run -0 madsend --dry-run Get NodeInfo -j
	[[ ${#lines[@]} -eq 1 ]]
	line=$(jq -cS . <<<"$output")
	run -0 madsend --dry-run Get NodeInfo -p
	[[ ${#lines[@]} -gt 20 && $(jq -cS . <<<"$output") == "$line" ]]
}

@test "--fields and --filter choose, --assert judges" {
	run -0 madsend --dry-run Get NodeInfo --fields NodeType,header.method -j
	[[ $(jq -cS . <<<"$output") == '{"data":{"NodeType":0,"NodeType_name":null},"header":{"method":"Get"}}' ]]
	run -6 --separate-stderr madsend --dry-run Get NodeInfo --filter NumPorts==3
	[[ -z $output && $stderr == *filter* ]]
	run -0 madsend --dry-run Get NodeInfo NumPorts=3 --filter NumPorts==3 --assert 'NumPorts>2'
	run -6 --separate-stderr madsend --dry-run Get NodeInfo NumPorts=3 --assert 'NumPorts>3'
	[[ -n $output && $stderr == *"did not hold"* ]]
}

@test "-- ends the options" {
	run -0 madsend --dry-run -j -- Get NodeInfo NumPorts=3
	[[ $(jq .data.NumPorts <<<"$output") == 3 ]]
}

@test "A9: --dry-run without a destination shows none, and its line in a batch goes where the request would" {
	local device=sim:$BATS_TEST_DIRNAME/../data/topologies/small.net
	run -0 madsend --dry-run GetTable NodeRecord
	[[ ${lines[0]} == '# GetTable NodeRecord' ]]
	run -0 madsend --dry-run GetTable NodeRecord -j -K
	[[ $(jq -c .remote <<<"$output") == null ]]
	run -0 madsend --device "$device" --batch - -j --fields LID <<<"$output"
	((${#lines[@]} == 6))
	run -0 madsend --dry-run -L 4 Get NodeInfo -j
	[[ $(jq -c .remote.lid <<<"$output") == 4 ]]
}

@test "--dry-run keeps -G and --name, and its line in a batch goes there" {
	local device=sim:$BATS_TEST_DIRNAME/../data/topologies/small.net to line
	run -0 madsend --dry-run -G 0x100003 Get NodeInfo
	[[ ${lines[0]} == '# Get NodeInfo: Guid 0x0000000000100003 port 0' ]]
	run -0 madsend --dry-run --name 'node2 HCA-1' Get NodeInfo
	[[ ${lines[0]} == '# Get NodeInfo: Name node2 HCA-1 port 0' ]]
	for to in "-G 0x100003" "--name node2_HCA-1"; do
		read -r option to <<<"$to"
		run -0 madsend --dry-run "$option" "${to/_/ }" Get NodeInfo -j -K
		line=$output
		[[ $(jq -c '[.remote.lid, .remote.sl]' <<<"$line") == '[null,null]' ]]
		[[ $(jq -r '.remote.guid // .remote.name' <<<"$line") == @(0x0000000000100003|'node2 HCA-1') ]]
		# the value does not change
		[[ $(madsend --dry-run --batch - -j -K <<<"$line" | jq -cS 'del(.seq)') == "$(jq -cS 'del(.seq)' <<<"$line")" ]]
		run -0 madsend --device "$device" --batch - -j <<<"$line"
		[[ $(jq -r .data.Guid <<<"$output") == 0x0000000000100002 ]] || { echo "$output"; return 1; }
		run -0 madsend --dry-run "$option" "${to/_/ }" --sl 3 Get NodeInfo -j --fields remote.sl
		[[ $output == '{"remote":{"sl":3}}' ]]
		run -2 --separate-stderr madsend --dry-run "$option" "${to/_/ }" -w "$BATS_TEST_TMPDIR/w" Get NodeInfo
		[[ $stderr == *"needs an address"* && ! -e $BATS_TEST_TMPDIR/w ]]
	done
	line='{"header":{"method":"Get","attribute":"NodeRecord"}}'
	[[ $(madsend --dry-run --batch - -j <<<"$line" | jq -c .remote) == null ]]
}

@test "V5: speeds have the names that madsweep prints" {
	mad -D 0 Set PortInfo --zero-rest LinkSpeedEnabled='sdr|QDR' LinkSpeedExtEnabled=FDR,NDR LinkSpeedExtEnabled2=XDR
	at 99 05	# LinkSpeedEnabled: 2.5 and 10 Gbps (IBA volume 1, section 14.2.5.6)
	at 127 09	# LinkSpeedExtEnabled: 14.0625 and 106.25 Gbps
	at 120 01	# LinkSpeedExtEnabled2: 212.5 Gbps
	run -2 --separate-stderr madsend --dry-run -D 0 Set PortInfo --zero-rest LinkSpeedEnabled=EDR
	[[ $stderr == *"'EDR' is a name of another field: use LinkSpeedExtEnabled=EDR"* ]]
	run -0 madsend --describe PortInfo
	[[ $output == *'0x2 25.78125 Gbps (EDR)'* ]]
}

@test "W14: a field Data has precedence over the payload, unless data= is in lower case" {
	local name
	for name in Data DATA; do
		mad -L 5 Get AccessRegisterGMP "$name=aabb"
		at 32 00000000aabb0000	# behind the word of the block
	done
	mad -L 5 Get AccessRegisterGMP data=aabb
	at 32 aabb000000000000
	mad -L 5 Get MlnxRegisterAccess Data=aabb
	at 84 aabb
	mad -L 5 Send OEM Data=aabb
	at 71 aabb
	mad -L 5 Send OEM data=aabb
	at 64 aabb
	# as in a batch
	madsend --dry-run -f raw --batch - >"$BATS_TEST_TMPDIR/mad" \
		<<<'{"header":{"class":"Mlnx","method":"Get","attribute":"AccessRegisterGMP"},"remote":{"lid":5},"data":{"Data":"aabb"}}'
	at 32 00000000aabb0000
	# without such a field, it is the payload in any case
	mad --class 0x31 --oui 0x1405 -L 5 Get 0x10 Data=aabb
	at 40 aabb
}

@test "D9: a wrong name of a speed: the message lists the short names" {
	usage_error 'LinkSpeedExtEnabled: '"'14.0625' is neither a number nor one of its names: 0, FDR, EDR, HDR, NDR" \
		madsend --dry-run -m 1 -D 0 Set PortInfo --zero-rest LinkSpeedExtEnabled=14.0625
}
