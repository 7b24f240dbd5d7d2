#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# madreg --registers: a report about the registers of the devices of a subnet.

setup() {
	load common
	cd "$dir" || return
	tree=sim:fat-tree:2,2,1
}

teardown() { clean_up; }

@test "each type of device and firmware: its nodes, the checks, and the status of each register" {
	local type
	run -0 --separate-stderr madreg --registers --device "$tree"
	[[ ${lines[0]} == "# $(madreg --version | sed 's/.*(madkit)/madkit/')" ]]
	[[ -z $stderr && $(grep -c '^# device ' <<<"$output") == 2 && $(grep -c '^trust: yes$' <<<"$output") == 2 ]]
	madreg --registers --device "$tree" -j >out
	python3 "$BATS_TEST_DIRNAME/../schema.py" "$BATS_TEST_DIRNAME/../../schema/madkit-1.schema.json" <out
	# the truth: GeneralInfo of each node
	madsweep -q --device "$tree" Get GeneralInfo -j | jq -r 'select(.data.HWDeviceID) | [.data.HWDeviceID, .data.FWPSID, "\(.data.FWExtMajor).\(.data.FWExtMinor).\(.data.FWExtSubMinor)"] | join(" ")' | sort | uniq -c | awk '{ print $2, $3, $4, $1 }' >truth
	[[ $(jq -r .data.madkit out | sort -u) == "$(madreg --version | awk '{ print $NF }')" ]]
	diff truth <(jq -r '.data | [.hw_device_id, .psid, .firmware, .nodes] | join(" ")' out | sort)
	[[ $(wc -l <truth) == 2 && $(jq -c '.data | [.ports_mapped, .ports]' out | sort) == $'[1,1]\n[2,2]' ]]
	# every register of the tables, once, and GeneralInfo
	madsend --describe Mlnx -j | jq -r 'select(.id == 0x51 and .attribute != "AccessRegisterGMP").attribute' 2>/dev/null >known ||
		madsend --describe Mlnx -j | jq -r 'select(.id == 81 and .attribute != "AccessRegisterGMP").attribute' >known
	(($(wc -l <known) > 20))
	for type in 1 2; do
		diff <(sort known) <(sed -n "${type}p" out | jq -r '.data.registers[].attribute' | grep -vx GeneralInfo | sort)
	done
}

@test "the status of each register is that of its own request" {
	local attribute status number inner port device="sim:fat-tree:1,1,0,control=register leaf1 refuse=28 0x5008" seen=0 refused=0
	# one switch with one host: LIDs 2 and 1, port 1
	madsend --device "$device" -L 2 Get NodeInfo --assert 'NodeType == Switch' >/dev/null
	inner=$(for number in {1..148}; do
		printf '{"header":{"method":"Get","attribute":"PortMapping"},"remote":{"lid":2},"data":{"PortSelect":%d},"tag":%d}\n' "$number" "$number"
	done | madsend --device "$device" --batch - -j 2>/dev/null | jq 'select(.data.IBPort == 1).tag')
	((inner > 0))
	madreg --registers --device "$device" -j >types
	while read -r attribute status; do
		port=()
		[[ $(madsend --describe "$attribute") != *PortSelect:* ]] || port=(PortSelect="$inner")
		number=$(madsend --device "$device" -L 2 -j Get "$attribute" "${port[@]}" 2>/dev/null | jq .status.mad)
		[[ $number == "$status" ]] || { echo "$attribute: $status, but $number"; return 1; }
		seen=$((seen + 1)) refused=$((refused + (status == 28)))
	done < <(jq -r 'select(.data.hw_device_id == 54000).data.registers[] | "\(.attribute) \(.status)"' types)
	((seen > 20 && refused >= 6))
}

@test "no serial number, GUID, LID or name is in the output" {
	local secrets=0 secret
	madsim --generate fat-tree:2,2,1 >tree.net
	serve tree.net
	export MADKIT_DEVICE=sim:unix:$socket@h1-2
	madpoll -q --name leaf2 -m 2 Get PortInfo --until 'LinkState == Active' -i 50 >/dev/null
	{
		madsweep -q Get ModuleInfo -j | jq -r '.data.VendorSerialNumber // empty'
		madsweep -q -j | jq -r '.port | .node.guid, .guid, .node.name, .node.system_guid' | sed 's/^0x0*//'
		sed -n 's/^[A-Z][a-z]*	[0-9]*	"\([^"]*\)".*# "\([^"]*\)".*/\1\n\2/p' tree.net
		printf '%s\n' leaf1 leaf2 spine1 h1-1 h1-2 h2-1 h2-2 "$(hostname)" "$socket"
	} | grep -v '^null$' | sort -u >secrets
	(($(wc -l <secrets) > 15 && $(grep -c ^MT secrets) >= 6))
	madreg --registers >text 2>&1
	madreg --registers -j >json 2>&1
	for secret in text json; do [[ -s $secret ]]; done
	while read -r secret; do
		run -1 grep -iF -- "$secret" text json
		secrets=$((secrets + 1))
	done <secrets
	((secrets > 15))
	run -1 grep -E '"(lid|guid|remote|name)":[^n]|[Ll]id' text json
}

@test "a type that disagrees with itself is named, and 6" {
	madsim --generate fat-tree:1,3,0 >tree.net
	serve tree.net
	export MADKIT_DEVICE=sim:unix:$socket@h1-3
	madpoll -q --name leaf1 -m 1 Get PortInfo --until 'LinkState == Active' -i 50 >/dev/null
	# the link changes after its PortInfo has been read, and before its registers
	control fault drop class=Mlnx attribute=GeneralInfo
	madreg --registers -t 200 --retries 100 >check.out 2>check.err &
	pid=$!
	started+=("$pid")
	until [[ $(control fault list | jq -s 'flatten | .[0].matched') -gt 0 ]]; do :; done
	control link leaf1 1 speed=EDR
	control fault clear
	wait "$pid" || (($? == 6))
	grep -q '^trust: no: LinkModes ' check.out
	grep -q '^  LinkModes with PortInfo: disagrees (' check.out
}

# The report with control words, in text and JSON, has this exit status, and prints for adapters and switches whether
# they are trusted, with the reason.
expect() {
	local status=$1 words=$2 adapters=$3 switches=$4
	run -"$status" --separate-stderr madreg --registers --device "$tree,control=$words" -t 30
	sed -n 's/^trust: //p' <<<"$output" >trust
	diff <(printf '%s\n' "$adapters" "$switches") trust || { echo "$words"; return 1; }
	run -"$status" --separate-stderr madreg --registers --device "$tree,control=$words" -t 30 -j
	jq -r '.data | ({ true: "yes", false: "no", null: "not judged" }["\(.trusted)"]) + if .why then ": \(.why)" else "" end' <<<"$output" | diff trust -
	# no ports are counted of a node that was not asked, and a type is trusted by LinkModes or DeviceInfo
	jq -es 'all(.[].data; (.trusted != null) == (.ports != null) and (.trusted != true or any(.checks[0, 2]; .verdict == "agrees")))' <<<"$output" >/dev/null
}

@test "a type that could not be checked is 3 and says why, one that is wrong 6" {
	local neither="no: it answers neither LinkModes nor DeviceInfo" other="not judged: its answer to PortMapping is not valid" mapping="not judged: it refused PortMapping"
	expect 3 "register all refuse=20" "$neither" "$mapping"
	expect 3 "register all refuse=28" "$neither" "$mapping"
	expect 3 "register all refuse=1" "$neither" "$mapping"
	expect 3 "register all refuse=20 0x500a" yes "$mapping"
	expect 6 "register all wrong=register" "no: LinkModes disagrees with PortInfo (its answer is about another register)" "$other"
	expect 6 "register all wrong=page" "no: RegisterPortCounters disagrees with PortCounters (its answer is about another register)" \
		"no: RegisterPortCounters disagrees with PortCounters (its answer is about another register)"
	[[ $stderr == "" ]]
	# the switches alone
	expect 3 "register leaf1 wrong=port,control=register leaf2 wrong=port,control=register spine1 wrong=port" yes "$other"
	[[ $stderr == "madreg: nodes of these types: 3 gave a wrong answer to PortMapping" ]]
	# a register that a type does not have, an index that is not echoed, and one node of a type change nothing
	for words in "all refuse=20 0x5004" "all refuse=20 0x9020" "all refuse=20 0x5008" "all refuse=20 0x5031" "all refuse=28 0x5031" "all noecho" "leaf1 refuse=20" "leaf1 wrong=port"; do
		expect 0 "register $words" yes yes
	done
}

@test "devices without registers are 6, silent ones 3, and only counted" {
	# a switch of another vendor drops the requests
	madsim --generate fat-tree:2,2,1 | sed 's/^vendid=.*/vendid=0x1234/' >other.net
	# without LIDs, nothing is asked
	serve other.net --no-sm
	run -3 --separate-stderr madreg --registers --device "sim:unix:$socket@h1-1"
	[[ -z $output && $stderr == "madreg: nodes without a known type: 7 not asked" ]]
	run -6 --separate-stderr madreg --registers --device sim:other.net -t 50
	[[ -z $output && ${stderr_lines[0]} == "madreg: nodes without a known type: 3 did not respond, 4 refused GeneralInfo" ]]
	run -0 --separate-stderr madreg --registers --device "$tree,control=fault drop class=Mlnx node=h2-2" -t 50
	[[ ${stderr_lines[0]} == "madreg: nodes without a known type: 1 did not respond" && $(grep -c '^# device ' <<<"$output") == 2 ]]
}

@test "a node is counted in its type, or among those without one: together all nodes" {
	local words message typed untyped n
	while IFS='|' read -r words typed message; do
		run --separate-stderr madreg --registers --device "$tree,control=$words" -t 20
		[[ $(sed -n 's/^# device .*: \([0-9]*\) nodes*$/\1/p' <<<"$output" | awk '{ n += $1 } END { print n + 0 }') == "$typed" ]] || { echo "$words: $output"; return 1; }
		[[ $(grep -v hint <<<"$stderr") == "${message:+madreg: nodes $message}" ]] || { echo "$words: $stderr"; return 1; }
		untyped=0
		for n in $(sed -n 's/.* without a known type://p' <<<"$stderr" | grep -oE '[0-9]+'); do untyped=$((untyped + n)); done
		((typed + untyped == 7))
	done <<-'END'
		register leaf1 noecho|7|
		register leaf1 off|6|without a known type: 1 had no registers
		register leaf1 wrong=port|7|of these types: 1 gave a wrong answer to PortMapping
		register leaf1 refuse=20|7|of these types: 1 refused PortMapping or the checks
		register all refuse=20|7|of these types: 5 refused PortMapping or the checks
		vkey leaf1 5 12|6|without a known type: 1 refused GeneralInfo
		vkey leaf1 5|6|without a known type: 1 did not respond
	END
}

@test "nodes that need a V_Key: the hint, and as many refusals as madsweep has" {
	local number
	run -3 --separate-stderr madreg --registers --device "$tree,control=vkey all 0x1234" -t 20
	[[ $stderr == *" 7 did not respond"$'\nmadreg: hint: a node with another V_Key may not respond: --v-key' ]]
	run -3 --separate-stderr madreg --registers --device "$tree,control=vkey all 0x1234" -t 20 --v-key 0x1
	[[ $stderr == *" 7 did not respond"$'\nmadreg: hint: a node with another V_Key may not respond: --v-key' ]]
	run -6 --separate-stderr madreg --registers --device "$tree,control=vkey all 0x1234 4"
	[[ $stderr == "madreg: nodes without a known type: 7 refused GeneralInfo" ]]
	for number in 1 28; do
		run -3 --separate-stderr madreg --registers --device "$tree,control=vkey all 0x1234 $number"
		[[ $stderr == "madreg: nodes without a known type: 7 refused GeneralInfo" ]]
	done
	number=$(madsweep --device "$tree,control=vkey all 0x1234 4" Get ModuleInfo 2>&1 | grep -oE '[0-9]+ nodes refused with status 4' | cut -d ' ' -f 1)
	[[ $number == 7 ]]
}

@test "only Get is sent, and a capture has what the report does not have, which is said" {
	run -0 --separate-stderr madreg --registers --device "$tree" -w capture
	[[ $stderr == "madreg: hint: unlike the report, the capture has serial numbers, GUIDs and names" ]]
	madrecv -r capture -j | grep -q SerialNumber
	[[ $(madrecv -r capture -j | jq -r 'select(.header.class == "Mlnx").header.method' | sort -u) == $'Get\nGetResp' ]]
}

@test "the example of madreg(1) prints what the page shows" {
	sed -n '/^\$ madreg .*registers/,/^\.EE/p' "$BATS_TEST_DIRNAME/../../man/madreg.1.in" | sed 's/\\-/-/g; /^\.EE/d' >example
	(($(wc -l <example) == 9))
	eval "$(sed -n '1s/^\$ //p' example)" >shown
	diff <(tail -n +2 example) shown
}
