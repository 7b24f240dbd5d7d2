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
	rules=module,temp,ber,fec
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
	[[ $output == *$'\n'"judged: "*", module, temp, ber, fec, "* ]]
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

@test "temp: modules by their own thresholds, the nearest tenth of a degree" {
	# links between switches are optical, with a threshold of 80 C
	run -6 check "$tree,control=temperature leaf1 5 81.5" --rules module,temp
	[[ $output == 'warning temp leaf1/5: the module is at 81.5 C (its threshold: 80 C)' ]] || { echo "$output"; return 1; }
	[[ $(jq -c 'select(.kind == "problem").problem | [.value, .limit]' out) == '["81.5 C","80 C"]' ]]
	check "$tree,control=temperature leaf1 5 79.9" --rules temp >shown || :
	[[ ! -s shown ]]
	# a limit that is given wins over the threshold, whether it is lower or higher; the other one stays
	echo 'temp module 50' >limits
	run -6 check "$tree,control=temperature leaf1 5 51,control=temperature leaf1 105.5" --rules temp --limits limits
	[[ $output == *'warning temp leaf1/5: the module is at 51 C (limit 50 C)'* ]] || { echo "$output"; return 1; }
	[[ $output == *'warning temp leaf1: the chip is at 105.5 C (its threshold: 105 C)'* ]] || { echo "$output"; return 1; }
	printf 'temp module 90\ntemp asic 110\n' >limits
	run -0 check "$tree,control=temperature leaf1 5 85,control=temperature leaf1 105.5" --rules temp --limits limits
	[[ -z $output ]] || { echo "$output"; return 1; }
	# the default does not
	run -0 check "$tree,control=temperature leaf1 5 79" --rules temp
	run -6 check "$tree,control=temperature leaf1 105.5,control=temperature h1-2 105" --rules temp
	[[ $output == 'warning temp leaf1: the chip is at 105.5 C (its threshold: 105 C)' ]] || { echo "$output"; return 1; }
	# copper has no temperature; another module with 0 is not judged
	run -3 check "$tree,control=temperature leaf1 5 0" --rules temp
	[[ -z $output ]]
	grep -q 'by the rule temp: ' err
}

@test "module: alarms by their severity, at the port that reports them" {
	local diagnosis text
	while IFS='|' read -r diagnosis text; do
		check "$tree,control=module leaf1 2 diagnosis=$diagnosis" --rules module >shown || (($? == 6))
		[[ $(<shown) == "$text" && -s shown ]] || { cat shown; return 1; }
	done <<-'EOT'
		1029|warning module leaf1/2: the port reports: Cable not supported
		1030|critical module leaf1/2: the port reports: Module too hot
		1031|critical module leaf1/2: the port reports: Cable shorted
		1032|warning module leaf1/2: the port reports: Power budget exceeded
		1034|info module leaf1/2: the port reports: Module disabled
		1041|warning module leaf1/2: the port reports the alarm 1041
		24|warning module leaf1/2: the port reports: Cable does not suit the port (24)
	EOT
	for diagnosis in 0 15 128 1023 1024; do
		run -0 check "$tree,control=module leaf1 2 diagnosis=$diagnosis" --rules module
		[[ -z $output ]]
	done
}

@test "module: values beyond the thresholds of the module; copper has none" {
	local words text
	while IFS='|' read -r words text; do
		check "$tree,control=module $words" --rules module >shown || (($? == 6))
		[[ $(<shown) == "${text:+warning module $text}" ]] || { echo "$words"; cat shown; return 1; }
	done <<-'EOT'
		leaf1 5 voltage=3.6|leaf1/5: the module reports Voltage above its threshold
		leaf1 5 voltage=3.0|leaf1/5: the module reports Voltage below its threshold
		leaf1 5 voltage=3.5|
		leaf1 5 rx=50|leaf1/5: the module reports RxPower below its threshold
		leaf1 5 rx=5000|leaf1/5: the module reports RxPower above its threshold
		leaf1 5 rx=0|leaf1/5: the module reports RxPower below its threshold
		leaf1 5 voltage=3.6 diagnosis=1054|leaf1/5: the port reports: Low power; the module: Voltage above its threshold
		leaf1 5 voltage=3.6 diagnosis=1029|leaf1/5: the port reports: Cable not supported; the module: Voltage above its threshold
		leaf1 5 tx=5000 bias=1|leaf1/5: the module reports TxPower above its threshold, TxBias below its threshold
		leaf1 5 bias=10.2|leaf1/5: the module reports TxBias above its threshold
		leaf1 5 rx=1000 tx=1000 bias=6|
	EOT
}

@test "module: an unplugged cable is a problem only where the plan has a link" {
	madsweep -q -j --device "$tree" >plan.json
	local gone="$tree,control=cable leaf1 2 none,control=link leaf1 2 down"
	run -0 check "$gone" --rules module
	[[ -z $output ]]
	run -6 check "$gone" --rules module --plan plan.json
	[[ $output == 'warning module leaf1/2: no cable is plugged in, but there should be a link' ]] || { echo "$output"; return 1; }
	run -0 check "$tree" --rules module --plan plan.json
	# a plan without that link
	madsweep -q -j --device "$gone" >plan.json
	run -0 check "$gone" --rules module --plan plan.json
}

@test "ber: the rate that counts at the speed, one problem for both ends, the worse one first" {
	local words text
	while IFS='|' read -r words text; do
		check "$tree,control=ber ${words//;/,control=ber }" --rules ber >shown || (($? == 6))
		# shellcheck disable=SC2053
		[[ $(<shown) == $text ]] || { echo "$words"; cat shown; return 1; }
	done <<-'EOT'
		leaf1 2 symbol=2e-14|warning ber leaf1/2 <-> h1-2/1: symbol BER 2e-14 (limit 1e-14), raw BER *, FEC RS(544,514)
		leaf1 2 symbol=1e-14|
		leaf1 2 symbol=none|
		leaf1 2 effective=1e-9|
		leaf1 2 raw=2e-4|warning ber leaf1/2 <-> h1-2/1: symbol BER none seen, raw BER 2e-4 (limit 1e-4), FEC RS(544,514)
		leaf1 2 raw=1e-4|
		leaf1 2 symbol=2e-14;h1-2 1 symbol=1.5e-13|warning ber h1-2/1 <-> leaf1/2: symbol BER 1.5e-13 (limit 1e-14), raw BER *; at the other end symbol BER 2e-14 (limit 1e-14), *
		leaf1 2 raw=9e-4;h1-2 1 symbol=3e-14|warning ber h1-2/1 <-> leaf1/2: symbol BER 3e-14 (limit 1e-14), *; at the other end symbol BER none seen, raw BER 9e-4 (limit 1e-4), *
	EOT
	local mixed="sim:$topologies/mixed.dump,control=ber"
	run -6 check "$mixed store1 1 effective=2e-14" --rules ber
	[[ $output == 'warning ber store1/1 <-> hdr1/21: effective BER 2e-14 (limit 1e-14), '* ]]
	run -0 check "$mixed store1 1 symbol=1e-9" --rules ber
	[[ -z $output ]]
	run -0 check "$mixed x01 1 raw=1e-3 symbol=1e-9" --rules ber
	[[ $output == 'info ber x01/1 <-> xdr1/1: symbol BER 1e-9 (limit 1e-14), raw BER 1e-3 (limit 1e-4), '*'; not judged at XDR' ]]
	# a port that reports no rate at all
	run -3 check "$tree,control=ber leaf1 2 raw=0 effective=0 symbol=0" --rules ber
	[[ $(<err) == 'madcheck: 1 port not judged, such as leaf1/2 by the rule ber: it reports no bit error rate' ]] || { cat err; return 1; }
}

@test "fec: the ends differ; it chooses the limit of the raw rate" {
	run -6 check "$tree,control=fec leaf1 2 2" --rules fec
	[[ $output == 'warning fec leaf1/2 <-> h1-2/1: the first end uses the FEC RS(528,514), the other one RS(544,514)' ]] || { echo "$output"; return 1; }
	run -0 check "$tree,control=fec leaf1 2 2,control=fec h1-2 1 2" --rules fec
	run -0 check "$tree,control=ber leaf1 2 raw=5e-5" --rules ber
	run -6 check "$tree,control=ber leaf1 2 raw=5e-5,control=fec leaf1 2 2" --rules ber
	[[ $output == *'raw BER 5e-5 (limit 1e-5), FEC RS(528,514)' ]]
}

@test "the reason of the last link-down: of the end that is blamed, of either end" {
	local words text
	# the manager has processed the link before the word join
	while IFS='|' read -r words text; do
		run -6 check "$tree,control=link leaf1 5 width=1x,control=reason $words,control=join h1-1 1"
		[[ $output == "warning slow leaf1/5 <-> spine1/1: 1x HDR, but both ends enable 4x HDR$text" ]] || { echo "$words: $output"; return 1; }
	done <<-'EOT'
		leaf1 5 23 20|, last link-down: Cable unplugged (local)
		leaf1 5 0 23|, last link-down: Cable unplugged (remote)
		spine1 1 25|, last link-down: Thermal (remote)
		spine1 1 0 33|, last link-down: Peer: disabled (local)
		spine1 1 200|, last link-down: reason 200 (remote)
		spine1 1 1|
	EOT
	# not if the link is as most of its kind are, nor without a rule that asks for the registers
	run -6 check "$tree,control=link leaf1 5 width=1x,control=reason leaf1 5 23,control=join h1-1 1" --rules slow
	[[ $output == *'enable 4x HDR' ]]
	run -6 check "$tree,control=link leaf1 5 width=1x,control=reason leaf1 5 23,control=join h1-1 1" --rules slow,fec
	[[ $output == *'enable 4x HDR, last link-down: Cable unplugged (local)' ]]
	# of a node that refuses it: no failure
	run -6 check "$tree,control=link leaf1 5 width=1x,control=register all refuse=20 0x5031,control=join h1-1 1"
	[[ $output == *'enable 4x HDR' && ! -s err ]]
}

@test "the reason beside a link that is flapping" {
	serve "$dir/tree.net"
	on h1-1 madsweep -q -j Get PortCountersExtended >earlier.json
	control link leaf1 5 down
	control link leaf1 5 up
	control reason leaf1 5 7
	control join h1-1 1
	run -6 on h1-1 madcheck --since earlier.json --rules standard,flapping
	[[ $output == *' flapping  leaf1/5 <-> spine1/1  the link went down 1 time in '*', last link-down: FIFO overflow (local); the errors of that time were not judged'* ]] || { echo "$output"; return 1; }
}

@test "what a node refuses or does not answer is not judged, and is never healthy" {
	local words text
	while IFS='|' read -r words text; do
		run -3 check "$tree,control=register $words" --rules "$rules"
		[[ -z $output && $(<err) == "madcheck: $text" ]] || { echo "$output"; cat err; return 1; }
	done <<-'EOT'
		leaf2 refuse=28 0x5031|6 ports not judged, such as leaf2/1 by the rule temp: bad parameter
		leaf2 refuse=1 0x5031|6 ports not judged, such as leaf2/1 by the rule temp: busy
		leaf2 refuse=1|6 ports not judged, such as leaf2/1 by the rule temp: busy
		leaf2 refuse=28|6 ports not judged, such as leaf2/1 by the rule temp: bad parameter
		all off|48 ports not judged, such as h1-1/1 by the rule temp: its GeneralInfo does not have IsAccessRegisterGMPSupported
		h1-2 wrong=page|1 port not judged, such as h1-2/1 by the rule temp: it refused the request, or answered another
		all refuse=20|48 ports not judged, such as h1-1/1 by the rule temp: register not supported
	EOT
	# without PhyOperation, ber is judged by the speed
	run -6 check "$tree,control=register all refuse=20 0x5031,control=ber leaf1 2 raw=2e-4" --rules ber
	[[ $output == 'warning ber leaf1/2 <-> h1-2/1: symbol BER none seen, raw BER 2e-4 (limit 1e-4)' ]] || { echo "$output"; return 1; }
	# a node that answers nothing of the class: each of its ports is counted once, whatever the number of rules
	run -3 check "$tree,control=agent h1-2 mute gsi" --rules "$rules" -t 100
	[[ -z $output && $(<err) == 'madcheck: 1 port not judged, such as h1-2/1 by the rule '*$'\n'*' --v-key' && $(wc -l <err) -eq 2 ]] || { cat err; return 1; }
	check "$tree,control=agent h1-2 mute gsi" --rules "$rules" -t 100 || :
	[[ $(jq -c '[.verdict, .unjudged, .complete]' <<<"$data") == '["UNKNOWN",1,false]' ]] || { echo "$data"; return 1; }
}

@test "V_Key: a fabric that needs it is judged with it, and its key is not recorded" {
	run -3 check "$tree,control=vkey all 77" --rules temp,firmware
	[[ $(<err) == *': the node does not respond'* && $(<err) == *'hint: a node with another V_Key may not respond: --v-key' ]] || { cat err; return 1; }
	run -3 check "$tree,control=vkey all 77" --rules temp --v-key 78
	[[ $(<err) == *'hint: a node with another V_Key may not respond: --v-key' ]] || { cat err; return 1; }
	check "$tree,control=vkey all 77" --rules temp,firmware --v-key 77 -w capture
	[[ ! -s err && $(jq -c '[.verdict, .complete, .firmware_unknown]' <<<"$data") == '["OK",true,0]' ]] || { cat err; return 1; }
	# by node, and to no other
	madsweep --device "$tree" -j | jq -r 'select(.port.node.name | IN("leaf1", "spine1")?).port.node.guid + " 77"' | sort -u >keys
	chmod 600 keys
	[[ $(wc -l <keys) -eq 2 ]]
	run -0 check "$tree,control=vkey leaf1 77,control=vkey spine1 77" --rules temp --v-key @keys -w shown -K
	[[ ! -s err ]] || { cat err; return 1; }
	[[ $(madrecv -r capture -j -K | jq -r 'select(.kind == "request" and .header.class == "Mlnx").header.v_key' | sort -u) == 0x0000000000000000 ]]
	[[ $(madrecv -r shown -j -K | jq -r 'select(.kind == "request" and .header.class == "Mlnx").header.v_key' | sort -u | xargs) == '0x0000000000000000 0x000000000000004d' ]]
	run -1 check "$tree" --rules temp --v-key @nosuch
}

@test "what a device does not have is counted, and not judged only if no device has it" {
	while IFS='|' read -r words text; do
		run -0 --separate-stderr madcheck --device "$tree,control=register $words" --rules "$rules"
		[[ ${lines[0]} == 'OK: no problems in 22 nodes (6 switches), 24 links' && ${lines[1]} == "$text" && -z $stderr ]] ||
			{ echo "$words: $output $stderr"; return 1; }
	done <<-EOT
		h1-4 off|module: 1 device does not have the register; temp: 1 device does not have the register; ber: 1 device does not have the register; fec: 1 device does not have the register
		leaf2 refuse=20 0x5008|ber: 1 device does not have the register
		leaf2 refuse=20 0x500a|module: 1 device does not have the register; temp: 1 device does not have the register; ber: 1 device does not have the register; fec: 1 device does not have the register
	EOT
	# also by a status of GeneralInfo; a device counts once, for all rules together
	check "$tree,control=register h1-4 off,control=register leaf2 off,control=vkey h2-1 5 12" --rules "$rules"
	[[ ! -s err && $(jq -c '[.verdict, .registers_lacking, .unjudged, .complete]' <<<"$data") == '["OK",3,0,true]' ]] || { cat err; echo "$data"; return 1; }
	# no adapter has a sensor, but switches do
	adapters=
	for host in h{1..4}-{1..4}; do adapters+=",control=register $host refuse=20 0x900a"; done
	run -0 --separate-stderr madcheck --device "$tree$adapters" --rules temp
	[[ ${lines[1]} == 'temp: 16 devices do not have the register' ]] || { echo "$output $stderr"; return 1; }
	run -3 check "$tree,control=register all refuse=20 0x5008" --rules temp,ber
	[[ $(<err) == 'madcheck: 48 ports not judged, such as '*' by the rule ber: register not supported' ]] || { cat err; return 1; }
	# of a CA with two ports, the second one has no registers
	cat >two.net <<-'END'
		vendid=0x2c9
		devid=0xd2f0
		Switch 4 "S-1"
		[1] "H-1"[1] # "a" lid 2 4xHDR
		[2] "H-1"[2] # "a" lid 3 4xHDR
		vendid=0x2c9
		devid=0x101b
		Ca 2 "H-1" # "a"
		[1] "S-1"[1] # lid 2 lmc 0 "sw" lid 1 4xHDR
		[2] "S-1"[2] # lid 3 lmc 0 "sw" lid 1 4xHDR
	END
	run -0 --separate-stderr madcheck --device sim:two.net --rules temp
	[[ $output == *$'\ntemp: 1 device does not have the register\n'* && -z $stderr ]] || { echo "$output $stderr"; return 1; }
	# temp needs two registers
	for words in 'refuse=20 0x5031' 'refuse=20 0x900a'; do
		run -3 check "$tree,control=register all $words" --rules temp
		[[ $(<err) == 'madcheck: '*' ports not judged, such as '*' by the rule temp: register not supported' ]] || { cat err; return 1; }
	done
	# a problem of a device that lost its register is not closed
	run -6 check "$tree,control=temperature leaf1 2 99" --rules temp --state state
	run -0 check "$tree,control=register leaf1 off" --rules temp --state state
	[[ $(grep -c temp state) -ge 1 ]]
	run -0 check "$tree" --rules temp --state state
	[[ $output == *' temp leaf1/2'* ]]
}

@test "the rules about registers are marked as not yet tried, and --local names the alternative" {
	[[ $(madcheck --list-rules | grep -B1 'not yet tried on hardware' | grep -oE '^[a-z]+' | xargs) == 'module temp ber fec' ]]
	for rule in module temp ber fec; do
		run -2 --separate-stderr madcheck --local --device "$tree" --rules "$rule"
		[[ $stderr == *"--local does not judge the rule $rule: it needs the whole subnet"*$'\n'*"hint: for the port of a host: madsend Get BitErrors --assert 'SymbolBER<=1e-14', or madport" ]] ||
			{ echo "$stderr"; return 1; }
	done
	run -2 --separate-stderr madcheck --local --device "$tree" --rules pkey
	[[ $stderr != *hint:* ]]
	run -0 madsend --device "$tree" Get BitErrors --assert 'SymbolBER<=1e-14'
	run -6 madsend --device "$tree,control=ber h1-1 1 symbol=2e-14" Get BitErrors --assert 'SymbolBER<=1e-14'
}
