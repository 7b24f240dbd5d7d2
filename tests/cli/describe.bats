#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# madsend --describe: the tables themselves.

setup() { load common; }

@test "all of it: one JSON object a line, each with fields that lie within the attribute" {
	madsend --describe -j >"$BATS_TEST_TMPDIR/all"
	[[ $(wc -l <"$BATS_TEST_TMPDIR/all") -gt 30 ]]
	[[ $(jq -s 'map(select(.layout == "known" and .bytes > 0 and (.fields | length) == 0)) | length' "$BATS_TEST_TMPDIR/all") == 0 ]]
	[[ $(jq -s '[.[] | . as $a | .fields[] | select((.block | not) and .offset + (.count - 1) * .stride + .width > $a.bytes * 8)] | length' "$BATS_TEST_TMPDIR/all") == 0 ]]
}

@test "the attributes of the everyday classes are there" {
	all=$(madsend --describe -j | jq -r '.class + ":" + .attribute')
	for name in SubnMgt:{NodeDescription,NodeInfo,SwitchInfo,GUIDInfo,PortInfo,P_KeyTable,SLtoVLMappingTable,VLArbitrationTable,LinearForwardingTable,MulticastForwardingTable,SMInfo} \
		PerfMgt:{ClassPortInfo,PortCounters,PortCountersExtended} \
		SA:{ClassPortInfo,Notice,InformInfo,NodeRecord,PortInfoRecord,SMInfoRecord,LinkRecord,PathRecord,MCMemberRecord,ServiceRecord}; do
		grep -qx "$name" <<<"$all" || { echo "$name"; return 1; }
	done
}

@test "one attribute, by name, short name and number" {
	run -0 madsend --describe NodeInfo -j
	[[ $(jq -c '[.class, .class_id, .attribute, .id, .bytes, .layout]' <<<"$output") == '["SubnMgt",1,"NodeInfo",17,40,"known"]' ]]
	[[ $(jq -c '.fields[] | select(.name == "Guid") | [.offset, .width, .kind]' <<<"$output") == '[96,64,"guid"]' ]]
	line=$output
	run -0 madsend --describe ni -j
	[[ $output == "$line" ]]
	run -0 madsend --describe SubnMgt:0x11 -j
	[[ $output == "$line" ]]
	run -0 madsend --describe NodeInfo
	[[ $output == *SubnMgt*NodeInfo*$'\n'"Guid:"* ]]
}

@test "a name that several classes have is shown for each; --class chooses" {
	run -0 madsend --describe ClassPortInfo -j
	[[ ${#lines[@]} -gt 3 ]]
	run -0 madsend --describe ClassPortInfo --class PerfMgt -j
	[[ ${#lines[@]} -eq 1 && $(jq -r .class <<<"$output") == PerfMgt ]]
}

@test "what is not known is a usage error" {
	usage_error "'Nosuch'" madsend --describe Nosuch
	usage_error "0x7777" madsend --describe SubnMgt:0x7777
	usage_error "'PortInfo'" madsend --describe NodeInfo PortInfo
	usage_error "text or JSON" madsend --describe NodeInfo -f raw
	usage_error "unknown class 0x99" madsend --describe --class 0x99
	for option in --pretty --fields=NumPorts '--filter=NumPorts > 1' '--assert=NumPorts > 1' --write=x; do
		usage_error "${option%%=*} has no effect with --describe" madsend --describe NodeInfo "$option"
	done
}

@test "a class lists its attributes; a field says whose it is; near names" {
	run -0 madsend --describe PerfMgt -j
	[[ $(jq -r .class <<<"$output" | sort -u) == PerfMgt ]]
	((${#lines[@]} == $(madsend --describe -j | jq -c 'select(.class == "PerfMgt")' | wc -l)))
	here=$output
	run -0 madsend --describe --class PerfMgt -j
	[[ $output == "$here" ]]
	run -0 madsend --describe Application
	# the heading is what --class takes
	class=$(awk '{ print $2; exit }' <<<"$output")
	run -0 madsend --describe ClassPortInfo --class "$class"
	usage_error "'LinkState' is a field of PortInfo, PortInfoRecord" madsend --describe LinkState
	usage_error "did you mean 'NodeInfo'?" madsend --describe NodeInf
}

@test "the classes of one vendor's OUI: by their own name, and no other vendor's" {
	run -0 madsend --describe OpenIBSysStat -j
	[[ $(jq -rs 'map(.attribute) | join(" ")' <<<"$output") == "ClassPortInfo SysStatPing HostInfo CPUInfo" ]]
	run -0 madsend --describe Ping -j
	[[ ${#lines[@]} -eq 1 && $(jq -r .class <<<"$output") == OpenIBPing ]]
}

@test "OPA's form of ClassPortInfo is told beside the SA's" {
	[[ $(madsend --describe -j | jq -c 'select(.base_version) | [.class, .attribute, .bytes, .base_version]') == \
		'["SA","ClassPortInfo",80,128]' ]]
	run -0 madsend --describe SA:ClassPortInfo
	[[ $(grep -c '^# SA ClassPortInfo' <<<"$output") == 2 ]]
	[[ $output == *', 80 bytes, short CPI, base version 0x80'* ]]
}

@test "fields that other fields bring along say so" {
	[[ $(madsend --describe SA:Notice -j | jq -c '.fields[] | select(.name == "PORTNO" and .when.TrapNumber[0] == 129) | .when') == \
		'{"IsGeneric":[1],"TrapNumber":[129,130,131]}' ]]
	run -0 madsend --describe SA:Notice
	[[ $output == *'PORTNO:'*', where IsGeneric=1 TrapNumber=129-131'* ]]
}

@test "a field that is none: one hint, to the attribute's description" {
	run -2 --separate-stderr madsend --dry-run -D 0 Get NodeInfo NumPort=1
	[[ $stderr == "madsend: "*"NumPorts"*" (see madsend --describe NodeInfo)" ]]
}

@test "the objects of JSON lines: the keys of a line of each are described, and can be selected" {
	local device=sim:fat-tree:2,2,1 key
	run -0 madsend --describe port
	[[ ${lines[0]} == '# port: '* ]]
	grep -qE '^speed_best:\.+enum.*HDR' <<<"$output"
	run -0 madsend --describe port -j
	jq -e '.object == "port"' <<<"$output" >/dev/null
	diff <(jq -r '.fields[].name' <<<"$output" | sort) <(madsweep -q -j --device $device | head -n 1 |
		jq -r '.port | paths(type != "object") | map(tostring) | join(".")' | sort)
	for key in $(jq -r '.fields[].name' <<<"$output"); do
		madsweep -q -j --device $device --fields "$key" >/dev/null || { echo "$key"; return 1; }
	done
	run -0 madsend --describe difference -j
	jq -e '.fields | map(.name) | index("before")' <<<"$output" >/dev/null
	run -0 madsend --describe problem -j
	jq -e '.fields | map(.name) | index("severity")' <<<"$output" >/dev/null
}
