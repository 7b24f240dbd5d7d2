#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# madcheck --rules module,temp,ber,fec: problems that only registers show, and the reason of the last link-down.

setup() {
	load common
	cd "$dir" || return
	# devices of NVIDIA
	madsim --generate fat-tree:4,4,2 | sed -z 's/vendid=0x0\ndevid=0x0\n\([^\n]*\ncaguid\)/vendid=0x2c9\ndevid=0x101b\n\1/g
		s/vendid=0x0\ndevid=0x0\n/vendid=0x2c9\ndevid=0xd2f0\n/g' >tree.net
	tree=sim:$dir/tree.net
	rules=module,ber,fec
}

teardown() { clean_up; }

# check DEVICE [OPTION...]: "SEVERITY RULE PLACE: TEXT" of each problem, sorted; the summary is in $data
check() {
	local status=0
	madcheck -j --device "$@" 2>err >out || status=$?
	data=$(jq -c 'select(.kind == "summary").data' out)
	jq -r 'select(.kind == "problem") | .problem | "\(.severity) \(.rule) \(.place): \(.text)"' out | sort
	return "$status"
}

# vendor DEVICE OPTION...: how many requests for registers, and for GeneralInfo, madcheck sends
vendor() {
	madcheck -q --device "$@" -w pcap >out 2>err || (($? == 6))
	madrecv -r pcap -j | jq -r 'select(.kind == "request" and .header.class == "Mlnx").header | "\(.attribute_id) \(.attribute)"' >sent
	registers=$(grep -c '^81 ' sent || :)
	general=$(grep -c ' GeneralInfo$' sent || :)
}

@test "nothing is wrong on a clean fabric, and everything was judged" {
	run -0 check "$tree" --rules "$rules"
	[[ -z $output && ! -s err ]] || { echo "$output"; cat err; return 1; }
	run -0 --separate-stderr madcheck --device "$tree" --rules "standard,$rules"
	[[ ${lines[0]} == "OK: no problems in 22 nodes (6 switches), 24 links" && -z $stderr ]]
	[[ $output == *$'\n'"judged: "*", module, "*"ber, fec, "* ]]
}

@test "registers are requested only if a rule needs them" {
	vendor "$tree,control=link leaf2 3 width=1x" --rules slow
	[[ $registers == 0 && $general == 0 ]] || { echo "$registers $general"; return 1; }
	grep -q '^warning *slow' out
	vendor "$tree"
	[[ $registers == 0 && $general -gt 0 ]] || { echo "$registers $general"; return 1; }
	vendor "$tree" --rules fec
	[[ $registers -gt 48 && $general -gt 0 ]] || { echo "$registers $general"; return 1; }
	# one register of each port that is up, both of them for ber
	[[ $(grep -c PhyOperation sent) -eq 48 ]]
	run -1 grep BitErrors sent
	vendor "$tree" --rules ber
	[[ $(grep -c BitErrors sent) -eq 48 && $(grep -c PhyOperation sent) -eq 48 ]]
}

@test "limits: each key changes the judgement of its rates" {
	echo 'ber raw-rs544 9' >limits
	run -6 check "$tree" --rules ber --limits limits
	[[ $(wc -l <<<"$output") -eq 24 && $output == *'(limit 1e-9), FEC RS(544,514)'* ]] || { echo "$output"; return 1; }
	printf 'ber %s 20\n' raw-none raw-firecode raw-rs528 >limits
	run -0 check "$tree" --rules ber --limits limits
	echo 'ber raw-rs544 0' >limits
	run -2 --separate-stderr madcheck --device "$tree" --rules ber --limits limits
	[[ $stderr == *"limits:1:15: '0' is not from 1 to 20"* ]]
}

@test "what a node refuses or does not answer is not judged, and is never healthy" {
	# a switch that refuses all registers
	run -3 check "$tree,fault=answer node=leaf2 attribute=AccessRegisterGMP as-modifier=0x1234" --rules fec,ber
	[[ -z $output && $(<err) == 'madcheck: 6 ports not judged, such as leaf2/1 by the rule fec: it refused PortMapping' ]] || { echo "$output"; cat err; return 1; }
	# a node that answers nothing of the class: each of its ports is counted once, whatever the number of rules
	run -3 check "$tree,control=agent h1-2 mute gsi" --rules "$rules" -t 100
	[[ -z $output && $(<err) == 'madcheck: 1 port not judged, such as h1-2/1 by the rule '* && $(wc -l <err) -eq 1 ]] || { cat err; return 1; }
	check "$tree,control=agent h1-2 mute gsi" --rules "$rules" -t 100 || :
	[[ $(jq -c '[.verdict, .unjudged, .complete]' <<<"$data") == '["UNKNOWN",1,false]' ]] || { echo "$data"; return 1; }
}
