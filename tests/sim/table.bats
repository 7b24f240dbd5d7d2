#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# -f table: one row for each record.

setup() {
	load common
	serve "$topologies/small.net"
}

teardown() { clean_up; }

# aligned: each row of standard input begins its columns where the title does
aligned() {
	awk 'NR == 1 { n = split($0, title, /  +/); at = 1; for (i = 1; i <= n; i++) { start[i] = index($0, title[i]) } next }
		{ for (i = 2; i <= n; i++) if (substr($0, start[i] - 2, 2) != "  " || substr($0, start[i], 1) == " ") exit 1 }'
}

@test "a row for each record, with the columns of --fields, in their order" {
	run -0 on node1 madsend GetTable NodeRecord -f table --fields NodeDescription,LID,NodeInfo.Guid
	[[ ${lines[0]} == "NodeDescription  LID  NodeInfo.Guid" ]]
	aligned <<<"$output"
	diff <(tail -n +2 <<<"$output" | sed -E 's/  +/|/g') \
		<(on node1 madsend GetTable NodeRecord -j |
			jq -r '"\(.data.NodeDescription)|\(.data.LID)|\(.data.NodeInfo.Guid)"')
}

@test "default columns fit each attribute, and every attribute has some" {
	run -0 on node1 madsend GetTable LinkRecord -f table
	[[ ${lines[0]} =~ ^FromLID\ +FromPort\ +ToPort\ +ToLID$ ]]
	((${#lines[@]} == 1 + $(on node1 madsend GetTable LinkRecord -j | wc -l)))
	run -0 on node1 madsend -L 2 -m all Get PortInfo -f table
	[[ ${lines[0]} == "remote.lid  header.modifier  LinkState  "* && ${#lines[@]} == 10 ]]
	aligned <<<"$output"
	run -0 on node1 madsend -L 2 -m all Get LFT -f table
	[[ ${lines[0]} =~ ^remote.lid\ +header.modifier\ +Port$ && $(wc -w <<<"${lines[1]}") == 66 ]]
}

@test "W3: a record with bit sets is one row" {
	run -0 on node1 madsend -L 2 -m 1 Get PortInfo -f table --fields LinkState,CapMask,Lid
	[[ ${#lines[@]} == 2 && ${lines[1]} =~ ^Active\ +0x0\ +0$ ]]
	run -0 on node1 madsend Get PortInfo -f table --fields LinkState,CapMask,Lid
	[[ ${#lines[@]} == 2 && $output != *$'\t'* ]]
	[[ $(awk 'NR == 2 { print $2 }' <<<"$output") == "$(on node1 madsend Get PortInfo -j |
		jq -r '.data.CapMask_names | join("|")')" ]]
	on node1 madsend Set MCMemberRecord MGID=ff12:401b:ffff::ffff:ffff PortGID=fe80::10:1 JoinState=1 >"$dir/join"
	run -0 --separate-stderr on node1 madsend GetTable MCMemberRecord -f table
	((${#lines[@]} == 1 + $(on node1 madsend GetTable MCMemberRecord -j | wc -l)))
}

@test "W4: the speed of a table is the one of the link, from whichever field" {
	local speed
	for speed in DDR QDR FDR EDR; do
		control link node1 1 speed=$speed
		run -0 on node1 madsend -D 0 Get PortInfo -f table --fields LinkSpeedActive,LinkState
		[[ ${lines[1]} =~ ^$speed\ +[AI] ]] || { echo "$speed: $output"; return 1; }
	done
	run -0 on node1 madsend Get PortInfo -f text --fields LinkSpeedActive,LinkSpeedExtActive
	[[ $output == *'LinkSpeedActive:'*' Gbps'* && $output == *'25.78125 Gbps' ]]
	run -0 --separate-stderr on node1 madsend GetTable PortInfoRecord -f table
	diff <(awk 'NR > 1 && $3 == "Active" { print $6 }' <<<"$output") <(on node1 madsend GetTable PortInfoRecord -j |
		jq -r '.data.PortInfo | select(.LinkState_name == "Active") | if .LinkSpeedExtActive == 0
			then ["", "SDR", "DDR", "", "QDR"][.LinkSpeedActive]
			else ["", "FDR", "EDR", "", "HDR"][.LinkSpeedExtActive] end')
}

@test "V7: MCMemberRecords without the GIDs of members have one hint at --sm-key" {
	local hint="madsend: hint: the members' GIDs (PortGID) are shown only with the right --sm-key"
	on node1 madsend Set MCMemberRecord MGID=ff12:401b:ffff::ffff:ffff PortGID=fe80::10:1 JoinState=1 >"$dir/join"
	run -0 --separate-stderr on node1 madsend GetTable MCMemberRecord
	[[ $output == *PortGID:* && $stderr == "$hint" ]] || { echo "$stderr"; return 1; }
	run -0 --separate-stderr on node1 madsend -n 3 -i 0 GetTable MCMemberRecord -j
	[[ $(jq -r '.data.PortGID // empty' <<<"$output" | sort -u) == :: && $stderr == "$hint" ]]
	run -0 --separate-stderr on node1 madsend --sm-key 1 GetTable MCMemberRecord
	[[ $output == *PortGID:*fe80::10:1* && -z $stderr ]] || { echo "$output$stderr"; return 1; }
	run -0 --separate-stderr on node1 madsend GetTable NodeRecord
	[[ -z $stderr ]]
}

@test "--filter, --assert and -n work on rows" {
	run -0 on node1 madsend GetTable NodeRecord -f table --filter 'NodeInfo.NodeType == Switch'
	[[ ${#lines[@]} == 3 ]]
	run -6 on node1 madsend GetTable NodeRecord -f table --assert 'NodeInfo.NodeType == Switch'
	run -0 on node1 madsend -n 3 -i 0 Get NodeInfo -f table
	[[ ${#lines[@]} == 5 && ${lines[4]} == "# Get NodeInfo to "* ]]
}

@test "no row, and no title, without a record" {
	run -4 --separate-stderr on node1 madsend -L 2 -m 99 Get PortInfo -f table
	[[ -z $output && -n $stderr ]]
	run -6 --separate-stderr on node1 madsend GetTable NodeRecord LID=999 -f table
	[[ -z $output && -n $stderr ]]
}

@test "madrecv -r and a batch: other columns begin another table" {
	on node1 madsend -f raw Get NodeInfo >"$dir/mads"
	on node1 madsend -f raw Get PortInfo >>"$dir/mads"
	on node1 madsend -f raw Get PortInfo >>"$dir/mads"
	run -0 madrecv -r "$dir/mads" -f table
	[[ ${#lines[@]} == 5 && ${lines[0]} == *NodeType* && ${lines[2]} == *LinkState* ]]
	run -0 madrecv -r "$dir/mads" -f table --fields header.attribute,NodeType,LinkState
	[[ ${#lines[@]} == 4 && ${lines[1]} =~ ^NodeInfo\ .*-$ && ${lines[2]} =~ ^PortInfo\ +-\ +Active$ ]]
	run -0 on node1 madsend --batch - -f table <<<'{"header":{"method":"Get","attribute":"NodeInfo"}}'
	[[ ${#lines[@]} == 2 ]]
}

@test "control characters are escaped, and the columns are still aligned" {
	printf 'vendid=0x1\ndevid=0x1\nsysimgguid=0x300\ncaguid=0x300\nCa 1 "H-0000000000000300" # "evil\033[2Jname"\n[1](301) "H-0000000000000400"[1](401) # lid 1 lmc 0 "x" lid 2 4xSDR\n\nvendid=0x1\ndevid=0x1\nsysimgguid=0x400\ncaguid=0x400\nCa 1 "H-0000000000000400" # "h\303\266st"\n[1](401) "H-0000000000000300"[1](301) # lid 2 lmc 0 "x" lid 1 4xSDR\n' >"$dir/evil.net"
	run -0 env "MADKIT_DEVICE=sim:$dir/evil.net@0x300" madsend Get NodeDescription -f table --fields NodeDescription,remote.path
	[[ $output != *$'\033'* && $output == *evil* ]]
}

@test "forms without records refuse it" {
	run -2 madreg --list -f table
	run -2 madsend --describe -f table
	run -2 on node1 madpoll Get PortCounters --delta -f table
	run -2 on node1 madsend -v Get NodeInfo -f table
}

@test "-f csv: what a CSV reader gets is what JSON says" {
	sed 's/"node2 HCA-1"/"a, \\"b\\" HCA"/; s/\\"/'"'"'/g' "$topologies/small.net" >"$dir/odd.net"
	run -0 --separate-stderr madsweep --device "sim:$dir/odd.net" -f csv --sort guid --fields node.name,number,lid,state,width,gbps,peer.node.name
	[[ $output == 'node.name,number,lid,state,width,gbps,peer.node.name'$'\r'* ]]
	printf '%s\n' "$output" >"$dir/csv"
	diff <(python3 -c 'import csv, sys
for row in list(csv.reader(open(sys.argv[1], newline="")))[1:]:
    print("|".join(row))' "$dir/csv") \
		<(madsweep --device "sim:$dir/odd.net" -j | jq -r 'select(.kind == "port").port |
			[.node.name, .number, .lid, .state, .width, .gbps, .peer.node.name] | map(. // "") | join("|")')
	grep -q '"a, '"'b'"' HCA"' "$dir/csv"
	run -0 on node1 madsend GetTable NodeRecord -f csv --fields LID,NodeDescription
	[[ ${lines[0]} == LID,NodeDescription* ]]
	run -2 on node1 madreg --list -f csv
}
