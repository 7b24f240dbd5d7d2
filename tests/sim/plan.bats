#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# madcheck --plan: plans in each format, what the differences do to the verdict, and plans that are malformed. The
# differences of random fabrics are in tests/properties/recable.py, those of single changes in tests/unit/compare.c.

tree=sim:fat-tree:2,3,2

setup() {
	load common
	cd "$dir" || return
	madsweep -q -j --device $tree >plan.json
	madsweep -q --topology --device $tree >plan.net
}

teardown() { clean_up; }

# check [OPTION...]: madcheck with one rule, and a --device if that is the first word
check() {
	local device=$tree
	if [[ $1 == sim:* ]]; then device=$1 && shift; fi
	madcheck --rules silent --device "$device" "$@"
}

# differences FILE [DEVICE] [OPTION...]: "SEVERITY WHAT PLACE: BEFORE AFTER" of each
differences() {
	local status=0 plan=$1
	shift
	check "$@" -q -j --plan "$plan" >out || status=$?
	jq -r 'select(.kind == "difference") | .difference | "\(.severity) \(.what) \(.place): \(.before) \(.after)"' out
	return "$status"
}

# rows: the links of the tree as CSV by name, from the topology file
rows() {
	awk '/^(Switch|Ca)/ { match($0, /# "[^" ]*/); own = substr($0, RSTART + 3, RLENGTH - 3); kind = $1 }
		/^\[/ && kind == "Switch" {
			match($0, /^\[[0-9]+\]/); port = substr($0, 2, RLENGTH - 2)
			rest = substr($0, RLENGTH + 1)
			match(rest, /"\[[0-9]+\]/); peer = substr(rest, RSTART + 2, RLENGTH - 3)
			match(rest, /# "[^" ]*/); name = substr(rest, RSTART + 3, RLENGTH - 3)
			print own "," port "," name "," peer
		}' plan.net
}

@test "a subnet is as its plans, in each format: status 0" {
	rows >plan.csv
	(($(wc -l <plan.csv) == 14))
	{ echo 'End Device;End Port;Start Device;Start Port;Note'; tr ',' ';' <plan.csv | sed 's/$/;x/'; } >columns.csv
	sed 's/,/,Port /1; s/,\([0-9]*\)$/,port_\1/; s/^leaf/LEAF/' plan.csv >words.csv
	jq -r 'select(.kind == "port" and .port.peer) | .port | [.node.guid, .number, .peer.node.guid, .peer.number] | @csv' plan.json >guids.csv
	for plan in plan.json plan.net plan.csv columns.csv words.csv guids.csv; do
		run -0 --separate-stderr check --plan $plan
		[[ ${lines[0]} == "OK: no problems in 10 nodes (4 switches), 10 links; plan: 10 links as planned" && -z $stderr ]] || { echo "$plan: $output"; return 1; }
	done
	run -0 check --plan - <plan.net
	madsim "${tree#sim:}" -- ibnetdiscover >diags.net
	run -0 differences diags.net
	[[ -z $output ]]
}

@test "columns of CSV: NODE/PORT, and titles without an end" {
	rows | sed 's|,\([0-9]*\),|/\1,|; s|,\([0-9]*\)$|/\1|' >places.csv
	grep -q '^leaf1/1,h1-1/1$' places.csv
	{ echo From,To; cat places.csv; } >header.csv
	{ echo 'Switch,Port,Peer,Peer Port'; rows; } >peer.csv
	{ echo 'hca port;host;switch;switch port'; rows | awk -F , '$1 ~ /leaf/ { print $4 ";" $3 ";" $1 ";" $2 }'; } >switch.csv
	madsweep -q -f csv --device $tree >madsweep.csv
	for plan in places.csv header.csv peer.csv switch.csv madsweep.csv; do
		run -0 --separate-stderr check --plan $plan
		[[ ${lines[0]} == *'; plan: 10 links as planned' && -z $stderr ]] || { echo "$plan: $output $stderr"; return 1; }
	done
	# in a wrong place
	sed 's|^leaf1/1,h1-1/1$|leaf1/1,h1-2/1|; s|^leaf1/2,h1-2/1$|leaf1/2,h1-1/1|' places.csv >moved.csv
	run -6 differences moved.csv
	[[ $(sort <<<"$output") == $'critical moved h1-1: leaf1/2 leaf1/1\ncritical moved h1-2: leaf1/1 leaf1/2' ]]
	# which node has the port?
	printf 'host,switch,port,hca port\nh1-1,leaf1,1,1\n' >vague
	run -5 --separate-stderr check --plan vague
	[[ -z $output && $stderr == *"vague: line 1: no column is the port of 'host': 'hca port' is not known"*$'\n''madcheck: hint: CSV: node,port,node,port or NODE/PORT,NODE/PORT; '* ]]
}

@test "a link that is down has its states, and is a critical problem" {
	run -6 check "$tree,control=link leaf1 4 down" --plan plan.json
	[[ ${lines[0]} == "CRITICAL: 1 critical problem in 10 nodes (4 switches), 9 links; plan: 9 of 10 links as planned" ]]
	[[ ${lines[1]} == "critical  link-gone  leaf1/4 <-> spine1/1  the link is gone: leaf1/4 is Polling, spine1/1 is Polling" ]]
	[[ ${lines[-1]} == "next for link-gone: "*"madport leaf1/4" ]]
	serve "${tree#sim:}"
	on h1-1 madport -q leaf1/4 disable --yes --force >/dev/null
	run -6 differences plan.net "sim:unix:$socket@h1-1"
	[[ $output == "critical link-gone leaf1/4 <-> spine1/1: spine1/1 Disabled" ]]
}

@test "a slow link, a renamed node and another LID" {
	run -6 differences plan.json "$tree,control=link leaf2 1 width=1x"
	[[ $output == "warning rate leaf2/1 <-> h2-1/1: 4x HDR 1x HDR" ]]
	sed 's/h1-1 HCA-1/h1-x HCA-1/' plan.json >renamed.json
	run -0 differences renamed.json
	[[ $output == "info renamed h1-1: h1-x HCA-1 h1-1 HCA-1" ]]
	lid=$(jq 'select(.port.node.name == "h1-2 HCA-1").port.lid' plan.json)
	sed "s/\"lid\":$lid,/\"lid\":99,/" plan.json >lid.json
	run -0 differences lid.json
	[[ -z $output ]]
	run -0 differences lid.json --lids
	[[ $output == "info lid h1-2/1: 99 $lid" ]]
	run -6 differences lid.json --lids --severity info
	# of a switch
	lid=$(jq -s 'map(select(.port.node.name == "leaf2"))[0].port.lid' plan.json)
	sed "s/\"lid\":$lid\b/\"lid\":99/g" plan.json >lid.json
	run -0 differences lid.json --lids
	[[ $output == "info lid leaf2/0: 99 $lid" ]]
	# a value that the standard reserves has no name in JSON
	sed '3s/"phys":"LinkUp"/"phys":9/' plan.json >reserved.json
	run -0 differences reserved.json
	[[ -z $output ]]
}

@test "two cables between the same switches are exchanged at one end: ibnetdiscover --diff shows nothing" {
	local after=sim:$dir/swapped.net
	cp "$topologies/small.net" before.net
	# ports 7 and 8 of leaf1 at one end, 8 and 7 of leaf2 at the other
	sed -E '/^\[(7|8)\]/{s/(leaf[12]"\[)7\]/\1x]/;s/(leaf[12]"\[)8\]/\17]/;s/x\]/8]/}' before.net >swapped.net
	run -1 diff before.net swapped.net
	madsweep -q -j --device "sim:$dir/before.net" >before.json
	run -0 differences before.json "sim:$dir/before.net"
	[[ -z $output ]]
	run -0 differences before.json "$after"
	[[ $output == 'info swapped leaf1/7: leaf2/7 leaf2/8' && ${#lines[@]} == 1 ]]
	madsim before.net -- ibnetdiscover --cache cache >/dev/null
	run -0 madsim swapped.net -- ibnetdiscover --diff cache
	[[ -z $output ]]
}

@test "nodes and links behind a node that does not respond are unknown, not gone" {
	run -6 differences plan.json "$tree,fault=drop class=0x81 node=leaf2" -t 50
	[[ -z $output ]]
	run -0 jq -r 'select(.kind == "problem").problem | .rule' out
	[[ $(sort -u <<<"$output") == silent ]]
	# a leaf that is powered off is gone, as its hosts are
	run -6 differences plan.json "$tree,control=node leaf2 gone"
	[[ $(sort <<<"$output") == $'warning node-gone h2-1: leaf2/1 null\nwarning node-gone h2-2: leaf2/2 null\nwarning node-gone h2-3: leaf2/3 null\nwarning node-gone leaf2: '* ]]
	((${#lines[@]} == 4))
	run -6 check "$tree,fault=drop class=0x81 node=leaf2" -t 50 --plan plan.json
	[[ ${lines[0]} == *'; plan: 5 links as planned (5 unknown)'* ]]
	# in a plan of a sweep in which it was silent, it is not known: now it is not new
	madsweep -q -j -t 50 --device "$tree,fault=drop class=0x81 node=leaf2" >silent.json || :
	run -0 differences silent.json
	[[ -z $output ]]
}

@test "links inside a director and aggregation nodes are not compared; a switch with other ports is split" {
	sed 's/^sysimgguid=0x200000$/sysimgguid=0x200002/' plan.net >director.net
	run -6 differences plan.net "sim:$dir/plan.net,control=link leaf1 4 down"
	[[ $output == "critical link-gone leaf1/4 <-> spine1/1: "* ]]
	run -0 differences director.net "sim:$dir/director.net,control=link leaf1 4 down"
	[[ -z $output ]]
	sed 's/h2-3 HCA-1/Mellanox Technologies Aggregation Node/' plan.net >sharp.net
	run -6 differences plan.net "$tree,control=node h2-3 gone"
	run -0 differences sharp.net "sim:$dir/sharp.net,control=link leaf2 3 down"
	[[ -z $output ]]
	# port 1 of spine1 is port 3 after the split
	sed 's/^Switch\t2 "S-0000000000200000"/Switch\t8 "S-0000000000200000"/' plan.net >whole.net
	sed '/^Switch\t8/,/^$/s/^\[1\]/[3]/; s/"S-0000000000200000"\[1\]/"S-0000000000200000"[3]/' whole.net >split.net
	run -6 differences plan.net "sim:$dir/split.net"
	[[ $output == "warning split spine1: 2 8 ports" ]]
	run -6 differences whole.net "sim:$dir/split.net"
	[[ $output == "critical recabled leaf1/4: spine1/1 spine1/3" ]]
}

@test "differences are known deviations, and are open, update and close" {
	down="$tree,control=link leaf1 4 down"
	run -6 check "$down" --plan plan.json --write-accept accepted
	grep -q '^link-gone leaf1/4 # ' accepted
	run -0 --separate-stderr check "$down" --plan plan.json --accept accepted
	[[ ${lines[0]} == *'; 1 known deviation' && -z $stderr ]]
	# as the text prints it, and the other way round
	for place in 'leaf1/4 <-> spine1/1' 'spine1/* <-> leaf1/*' '0x0000000000200000/1 <-> leaf1/4 until=2999-01-01'; do
		echo "link-gone $place # known" >printed
		run -0 --separate-stderr check "$down" --plan plan.json --accept printed
		[[ ${lines[0]} == *'; 1 known deviation' && -z $stderr ]] || { echo "$place: $output $stderr"; return 1; }
	done
	echo 'link-gone leaf1/4 <-> spine1/2' >other
	run -6 --separate-stderr check "$down" --plan plan.json --accept other
	[[ $stderr == *'other:1: matches no problem: link-gone leaf1/4 <-> spine1/2' ]]
	echo 'link-gone leaf1/4 <->' >half
	run -2 check "$down" --plan plan.json --accept half
	run -0 --separate-stderr check --plan plan.json --accept accepted
	[[ $stderr == *'accepted:2: matches no problem: link-gone leaf1/4' ]]
	run -0 --separate-stderr check --accept accepted
	[[ -z $stderr ]]
	for event in open update; do
		run -6 check "$down" --plan plan.json --state state -j
		jq -e 'select(.kind == "difference").difference.event == "'$event'"' <<<"${lines[0]}" >/dev/null || { echo "$output"; return 1; }
	done
	# without the plan it is not judged
	run -0 --separate-stderr check --state state -j
	[[ $stderr == *'1 open problem was not judged, and stays open' && $output != *'"kind":"difference"'* ]]
	run -0 check --plan plan.json --state state -j
	jq -e 'select(.kind == "difference").difference | .event == "close" and .before == "spine1/1" and .text == "was: the link is gone: leaf1/4 is Polling, spine1/1 is Polling" and .key == "link-gone:0x0000000000200000/1:0x0000000000200002/4"' \
		<<<"${lines[0]}" >/dev/null || { echo "$output"; return 1; }
	run -0 check --plan plan.json --state state -j
	((${#lines[@]} == 1))
}

@test "JSON is valid by the schema; tables have one header; filters know the names of both; Nagios has its line" {
	both="$tree,control=link leaf1 4 down,control=link leaf2 1 width=1x"
	madcheck -q -j --device "$both" --plan plan.json >lines || (($? == 6))
	run -0 python3 "$BATS_TEST_DIRNAME/../schema.py" "$BATS_TEST_DIRNAME/../../schema/madkit-1.schema.json" <lines
	((output == 4))
	[[ $(jq -c 'select(.kind == "summary").data | [.plan_links, .plan_same, .plan_unknown, .plan_outside]' lines) == '[10,8,0,0]' ]]
	madcheck -q -j --device "$tree,fault=drop class=0x81 node=leaf2" -t 50 --plan plan.json --scope 'leaf*,h*' >silent || (($? == 6))
	# 3 of 5 known links and 3 of 5 unknown ones lead to hosts
	[[ $(jq -c 'select(.kind == "summary").data | [.plan_links, .plan_same, .plan_unknown, .plan_outside]' silent) == '[10,3,3,4]' ]]
	jq -c 'select(.kind == "difference") | .difference.what = "else"' lines >bad
	run -1 python3 "$BATS_TEST_DIRNAME/../schema.py" "$BATS_TEST_DIRNAME/../../schema/madkit-1.schema.json" <bad
	run -6 --separate-stderr madcheck -f csv --device "$both" --plan plan.json
	[[ $(cut -d , -f 1-3 <<<"$output" | tr -d '\r') == $'severity,rule,place\ncritical,link-gone,leaf1/4 <-> spine1/1\nwarning,slow,leaf2/1 <-> h2-1/1\nwarning,rate,leaf2/1 <-> h2-1/1' ]]
	run -6 madcheck -q -f csv --fields what --device "$both" --plan plan.json --filter 'what == rate || rule == slow'
	[[ $(tr -d '\r' <<<"$output") == $'what\nslow\nrate' ]]
	run -2 madcheck --device "$both" --plan plan.json --filter 'whatt == rate'
	run -2 check "$both" --nagios --plan plan.json
	[[ ${lines[0]} == "IB CRITICAL - 1 critical problem, 1 warning in 10 nodes (4 switches), 9 links; plan: 8 of 10 links as planned: link-gone "* ]]
	run -3 check --nagios --plan nosuch
	[[ $output == *"IB UNKNOWN - cannot read 'nosuch': "* ]]
}

@test "--scope and --names" {
	{ rows; echo leaf1,9,leaf3,9; echo leaf3,1,h3-1,1; } >plan.csv
	run -6 differences plan.csv
	[[ $output == *"node-gone h3-1: "* && $output == *"node-gone leaf3: "* ]]
	run -0 differences plan.csv --scope 'leaf[12],h[12]-*,SPINE*'
	[[ -z $output ]]
	{ echo '#StartDevice,StartPort,EndDevice,EndPort,Links'; echo '"Core 1","Blade 2_Port 1/3",h1-1,ibp1s0'; echo leaf-two,1/2/1,h2-1,1; echo 'leaf2,*,spine1,*,1'; } >cages.csv
	run -5 check --plan cages.csv
	[[ $output == *"cages.csv: line 2: "*"'Blade 2_Port 1/3' is not a port number"* ]]
	printf '%s\n' '# names' '"Core 1" "Blade 2_Port 1/3" leaf1/1' 'h1-1 ibp1s0 "h1-1 HCA-1/1"' 'leaf-two leaf2' '* 1/2/1 */1' >names
	run -0 --separate-stderr check --plan cages.csv --names names --scope 'h1-*,spine*'
	[[ $output == *'; plan: 0 links as planned (3 outside --scope)'* && -z $stderr ]]
	run -2 --separate-stderr check --plan cages.csv --names names --scope 'leaf1,nosuch*'
	[[ -z $output && $stderr == "madcheck: --scope 'nosuch*' matches no node of the plan or the subnet"* ]]
	run -0 --separate-stderr check --plan cages.csv --names names --scope 'leaf*,h2-1'
	printf 'a b\na c\n' >twice
	run -2 check --plan cages.csv --names twice
	[[ $output == *"twice:2:1: 'a' is in the file twice"* ]]
	printf '# names\ncn011,h1-1\n' >commas
	run -2 check --plan cages.csv --names commas
	[[ $output == *"commas:2:1: expected NAME NODE or NAME PORT NODE/PORT, with blanks in place of commas (see madkit-plan(7))" ]] || { echo "$output"; return 1; }
	printf 'a 1 leaf1\n' >portless
	run -2 check --plan cages.csv --names portless
	[[ $output == *"portless:1:5: 'leaf1' is not NODE/PORT"* ]]
	for option in '--names names' '--scope x' --lids; do
		# shellcheck disable=SC2086  # words
		run -2 check $option
		[[ $output == *"has no effect without --plan"* ]] || { echo "$output"; return 1; }
	done
	run -2 check --plan plan.csv --scope ,
	run -2 madcheck --local --plan plan.json
}

# refused FILE TEXT: status 5, one message with the text and perhaps a hint at --names, nothing judged
refused() {
	run -5 --separate-stderr check --plan "$1"
	[[ -z $output && $stderr == "madcheck: $1: "*"$2"* && ${stderr/$'\n'madcheck: hint: --names*/} != *$'\n'* ]] || { echo "$1: $stderr"; return 1; }
}

@test "a malformed plan is refused with its line, and nothing is judged" {
	rows >plan.csv
	head -c -20 plan.json >cut && refused cut 'line 21: not a JSON object: it ends too early'
	for at in 1 7 13 19; do
		head -n $at plan.json >cut && refused cut "line $at: the file ends without the summary of madsweep -j: is it cut off?"
		sed "${at}d" plan.json >cut && refused cut 'line 20: the sweep showed 20 ports, but 19 are in the file'
	done
	madsweep -q -j --device "$tree,fault=drop class=0x81 node=leaf2" --deadline 3 >cut || (($? == 3))
	refused cut ': the sweep is not complete: "deadline"'
	for wrong in 'width = 4' 'speed = "Bogus"' 'state = true' 'phys = {}' 'lid = "4"' 'peer = 3' 'node.name = 4' 'node.type = "Zwitch"'; do
		jq -c "if .port.number == 2 then .port.$wrong else . end" plan.json >type && refused type "line 8: port.${wrong%% *} is missing or not valid"
	done
	printf 'from,to,state\nleaf1/1,h1-1/1,Active\nleaf1/2,h1-2/1,Bogus\n' >state && refused state "line 3: 'Bogus' is not a state"
	printf 'from,to,domain\nleaf1/1,h1-1/1,Bogus\n' >domain && refused domain "line 2: 'Bogus' is not a domain"
	head -c 700 plan.net >cut && refused cut 'line '
	{ cat plan.csv; printf 'leaf1,9,h9'; } >cut && refused cut 'line 15: the line has 3 cells: is it cut off?'
	{ cat plan.csv; echo leaf1,1,spine1,9; } >twice && refused twice 'line 15: '
	cat plan.json plan.json >twice && refused twice 'h1-1 HCA-1/1 is also in line 1'
	jq -c 'if .port.node.name == "leaf1" and .port.number == 1 then .port.peer.node.guid = "0x77" else . end' plan.json >other &&
		refused other 'has another link than in line'
	jq -c 'if .port.node.name == "leaf1" and .port.number == 1 then .port.peer = null | .port.state = "Down" else . end' plan.json >half &&
		refused half 'has a link only in one of its lines'
	printf 'a,1,b,1\na,2,\0,1\n' >zero && refused zero 'line 2: column 5 is a zero byte'
	printf 'a,1,b,1\na,2,\377,1\n' >binary && refused binary 'line 2: column 5 is not UTF-8'
	iconv -t UTF-16 plan.csv >wide && refused wide 'line 1: column 1 is not UTF-8'
	printf 'a,1,b,1\nc,1,d,1\n' >else.csv && refused else.csv 'a plan of another subnet, or of other names: 4 of its 4 nodes are not here, such as a'
	run -2 --separate-stderr madcheck --device $tree --plan - --since - <plan.json
	[[ $stderr == *'--plan - and --since - both read standard input'* ]]
	printf 'switch,port,host,hca\nleaf1,1,h1-1,1\n' >unknown
	run -5 --separate-stderr check --plan unknown
	[[ $stderr == "madcheck: unknown: line 1: no column is the port of 'host': 'hca' is not known"$'\n'"madcheck: hint: CSV: "* ]] || { echo "$stderr"; return 1; }
	: >empty && refused empty 'the plan has no nodes'
	madsend --dry-run -D 0 -j Get NodeInfo >requests && refused requests 'line 1: a line of kind request'
	echo 'h1-1,1,leaf1,1' | cat - <(echo 'h1,1,leaf1,2') >vague && check --plan vague >out 2>err || :
	for _ in {1..2000}; do echo 'x,1,y,1'; done >same && refused same 'or of other names: 2 of its 2 nodes are not here'
}

@test "names that the subnet does not have: a host is known by its first word, others are counted, most are refused" {
	tree=sim:fat-tree:4,4,2
	{
		echo 'switch;port;host;hca port'
		for leaf in 1 2 3 4; do
			for port in 1 2 3 4; do echo "leaf$leaf;P$port;h$leaf-$port;mlx5_0"; done
			for spine in 1 2; do echo "leaf$leaf;P$((4 + spine));spine$spine;P$leaf"; done
		done
	} >plan
	run -0 --separate-stderr madcheck --plan plan --device $tree
	[[ ${lines[0]} == "OK: "*"; plan: 24 links as planned" && $output != *replaced* && -z $stderr ]] || { echo "$output $stderr"; return 1; }
	# two hosts exchanged
	sed 's/;h1-1;/;h2-2;/; t; s/;h2-2;/;h1-1;/' plan >exchanged
	run -6 --separate-stderr madcheck --plan exchanged --device $tree
	[[ $output == *"critical  moved  h1-1  from leaf2/2 to leaf1/1"$'\n'"critical  moved  h2-2  from leaf1/1 to leaf2/2"$'\n'* ]] || { echo "$output"; return 1; }
	sed 's/;h1-\(.\);mlx5_0/;cn0\1;1/' plan >some
	run -0 --separate-stderr madcheck --plan some --device $tree
	[[ ${lines[0]} == "OK: "*"; plan: 20 of 24 links as planned; 4 names of the plan are not in the subnet" && ${lines[1]} == *"cn01 was replaced by h1-1 at leaf1/1" ]] || { echo "$output"; return 1; }
	[[ $stderr == "madcheck: 4 names of the plan are not in the subnet, such as 'cn01'"$'\n'"madcheck: hint: --names FILE says which node a name of the plan means (see madkit-plan(7))" ]] || { echo "$stderr"; return 1; }
	run -0 --separate-stderr madcheck --plan some --device $tree --scope 'leaf2,h2-*'
	[[ -z $stderr && $output != *names* ]]
	run -0 --separate-stderr madcheck --plan some --device $tree -j
	[[ $(tail -n 1 <<<"$output" | jq .data.plan_names_unknown) == 4 ]]
	sed 's/;h\(.\)-\(.\);mlx5_0/;cn\1\2;1/' plan >most
	run -5 --separate-stderr madcheck --plan most --device $tree
	[[ -z $output && $stderr == "madcheck: most: a plan of another subnet, or of other names: 16 of its 22 nodes are not here, such as cn11"$'\n'"madcheck: hint: --names FILE says"* ]] || { echo "$stderr"; return 1; }
	# half of the fabric without power is not another subnet
	words=
	for leaf in 1 2 3; do words+=,control=node\ leaf$leaf\ gone; done
	run -6 --separate-stderr madcheck --plan plan --device "$tree@h4-2$words"
	[[ $output == *node-gone* && $stderr != *"other names"* ]] || { echo "$output $stderr"; return 1; }
}

@test "an endless plan ends, with bounded memory, and so does a wait for a plan" {
	ulimit -v 600000
	run -5 check --plan - < <(head -c 200000000 /dev/zero)
	[[ $output == *'line 1 is too long'* ]]
	run -5 check --plan - < <(yes 'Switch 4 "x" # y' | head -c 300000000)
	[[ $output == *'the plan has more than 256 MiB'* || $output == *"line 2, "* ]]
	run -5 check --plan - < <(awk 'BEGIN { for (;;) print "n" i++ ",1,m" i ",1" }')
	[[ $output == *'the plan has more than '* ]]
	mkfifo pipe
	run -3 timeout 20 madcheck --device $tree --plan pipe --deadline 200
	run -124 timeout -s INT 1 madcheck --device $tree --plan pipe
}

@test "what a check did not reach is not gone: a deadline, a port without a link, a subnet that was not read" {
	for ms in 1 20 200; do
		madcheck -q -j --rules silent --device "$tree,fault=drop class=0x81 node=leaf2" --deadline $ms --plan plan.json >out 2>err || (($? == 3 || $? == 6))
		[[ $(jq -r 'select(.kind == "difference").difference.key' out) == "" ]] || { cat out; return 1; }
	done
	run -3 --separate-stderr check "$tree,control=link h1-1 1 down" --plan plan.json
	[[ $stderr == *'the plan is not compared: a subnet was not read' && $output != *gone* ]]
	run -1 --separate-stderr check --plan plan.json --device sim:nosuch
	[[ $stderr == *'the plan is not compared: a subnet was not read' && $output != *gone* ]]
}
