#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# madsweep --route and --mlid: output and errors. tests/shim/tracert.bats compares routes with ibtracert.

setup() {
	load common
	serve fat-tree:3,2,2
	export MADKIT_DEVICE=sim:unix:$socket@h1-1
}

teardown() { clean_up; }

lid_of() { madsweep -q -j --select "node.name =~ '^$1'" | jq '.port.lid // empty' | head -n 1; }

# forward SWITCH LID PORT: an entry of its table
forward() {
	madsend -q -L "$(lid_of "$1")" -m $(($2 / 64)) --merge Set LinearForwardingTable "Port[$(($2 % 64))]=$3" >/dev/null
}

# hops: "NUMBER DIRECTION NODE PORT NOTES" of the JSON lines
hops() { jq -r 'select(.hop) | "\(.hop.number) \(.hop.direction) \(.port.node.name) \(.port.number) \(.hop.notes | join(","))"'; }

@test "text has a row for each link, and JSON a line for each port" {
	run -0 --separate-stderr madsweep --route h1-1,h1-2
	[[ ${lines[0]} == "# from h1-1 HCA-1 port 1 to h1-2 HCA-1 port 1 (LID $(lid_of h1-2)): arrives: 2 hops, MTU 4096, P_Key 0x7fff, SL 0 on VL 0" ]]
	[[ ${lines[1]} == NODE*PEER*PORT* && ${#lines[@]} == 4 ]]
	[[ ${lines[2]} == 'h1-1 HCA-1 '*' leaf1 '* && ${lines[3]} == 'leaf1 '*' h1-2 HCA-1 '* ]]
	run -0 --separate-stderr madsweep --route h1-1,h1-2 -j
	[[ $(hops <<<"$output") == '0 egress h1-1 HCA-1 1 
1 ingress leaf1 1 
1 egress leaf1 2 
2 ingress h1-2 HCA-1 1 arrived' ]]
	jq -se 'map(select(.hop) | .kind == "port" and (.hop | .back == false and .lid > 0)) | all' <<<"$output"
	# only switches of Mellanox say whether they route adaptively
	[[ $(jq -r 'select(.hop) | "\(.port.node.type) \(.hop.adaptive)"' <<<"$output" | sort -u | paste -sd,) == 'CA false,Switch null' ]]
	python3 "$BATS_TEST_DIRNAME/../schema.py" "$BATS_TEST_DIRNAME/../../schema/madkit-1.schema.json" <<<"$output"
}

@test "ends are LIDs, GUIDs or names; --both adds the route back" {
	local guid far
	guid=$(madsweep -q -j --select "node.name == 'h3-1 HCA-1'" | jq -r '.port.node.guid // empty')
	far=$(lid_of h3-1)
	run -0 --separate-stderr madsweep -q --route "h1-1,h3-1 HCA-1" -j
	hops <<<"$output" >"$dir/names"
	grep -qx '4 ingress h3-1 HCA-1 1 arrived' "$dir/names"
	diff "$dir/names" <(madsweep -q --route "$(lid_of h1-1),$guid" -j | hops)
	diff "$dir/names" <(madsweep -q --route "h1-1,$far" -j | hops)
	diff <(madsweep -q --route "$far,h1-1" -j | hops) <(madsweep -q --route "h1-1,$far" --both -j | jq 'select(.hop.back)' | hops)
	run -0 --separate-stderr madsweep --route h1-1,h3-1 --both
	(($(grep -c '^# from' <<<"$output") == 2 && $(grep -c ^NODE <<<"$output") == 2))
	diff "$dir/names" <(madsweep -q --via sa --route "h1-1,$far" -j | hops)
	# to a switch, and to itself
	run -0 --separate-stderr madsweep --route spine1,leaf2 -j
	[[ $(hops <<<"$output") == *'1 ingress leaf2 '*arrived ]]
	run -0 --separate-stderr madsweep --route h1-1,h1-1
	[[ $output == *'the LID is that of this port' ]]
}

@test "a route that does not arrive says why at the hop, and is status 6" {
	local far
	far=$(lid_of h3-1)
	forward leaf3 "$far" 255
	run -6 --separate-stderr madsweep --route h1-1,h3-1
	[[ ${lines[0]} == *'does not arrive' && ${lines[-1]} == leaf3*'no route: the table has port 255' ]]
	[[ $stderr == *"the route to LID $far does not arrive: leaf3 port "*': no route: the table has port 255'* ]]
	forward leaf3 "$far" 77
	run -6 --separate-stderr madsweep --route h1-1,h3-1
	[[ ${lines[-1]} == *'the table has port 77, which does not exist' ]]
	forward leaf3 "$far" 1
	run -0 --separate-stderr madsweep --route h1-1,h3-1
	# through the spine switch that the route uses
	forward leaf3 "$far" "$(madsweep -q --route h1-1,h3-1 -j | jq 'select(.hop.number == 3 and .hop.direction == "ingress").port.number')"
	run -6 --separate-stderr madsweep --route h1-1,h3-1 -j
	[[ $(hops <<<"$output" | tail -n 1) == '4 ingress spine'*' loop' ]]
	forward leaf1 "$far" 2
	run -6 --separate-stderr madsweep --route h1-1,h3-1
	[[ ${lines[-1]} == *'this port does not have the LID' ]]
	forward leaf1 "$far" 0
	run -6 --separate-stderr madsweep --route h1-1,h3-1 -j
	[[ $(hops <<<"$output" | tail -n 1) == '1 ingress leaf1 1 stray' ]]
}

@test "--select chooses among the ports of the route, and --assert holds for both ends" {
	run -0 --separate-stderr madsweep --route h1-1,h3-1 --select 'node.type == Switch' -j
	[[ $(hops <<<"$output" | wc -l) == 6 ]]
	run -0 madsweep -q --route h1-1,h3-1 --assert 'state == Active'
	run -6 madsweep -q --route h1-1,h3-1 --assert 'node.type == Switch'
}

# of_hops KIND: "BACK NUMBER DIRECTION NODE PORT" of the JSON lines of a kind
of_hops() { jq -r --arg kind "$1" 'select(.kind == $kind) | "\(.hop.back) \(.hop.number) \(.hop.direction) \(.port.node.name) \(.port.number)"'; }

@test "requests along a route are in the order of the hops, each with its hop" {
	madsweep -q --route h1-1,h3-1 --both -j | of_hops port >"$dir/ports"
	(($(grep -c ^true "$dir/ports") == 8 && $(grep -c ^false "$dir/ports") == 8))
	# responses that arrive late do not change the order
	control agent leaf1 slow=50 gsi
	run -0 --separate-stderr madsweep --route h1-1,h3-1 --both Get PortCounters -j
	diff "$dir/ports" <(of_hops response <<<"$output")
	python3 "$BATS_TEST_DIRNAME/../schema.py" "$BATS_TEST_DIRNAME/../../schema/madkit-1.schema.json" <<<"$output"
	run -0 --separate-stderr madsweep --route h1-1,h3-1 --both Get NodeInfo -j
	[[ $(of_hops response <<<"$output" | cut -d ' ' -f 1,2 | paste -sd,) == \
		'false 0,false 1,false 2,false 3,false 4,true 0,true 1,true 2,true 3,true 4' ]]
	run -0 --separate-stderr madsweep --route h1-1,h3-1 --both -m all Get PKeyTable -j
	[[ $(of_hops response <<<"$output" | cut -d ' ' -f 1 | uniq -c | xargs) =~ ^([0-9]+)\ false\ ([0-9]+)\ true$ ]]
	((BASH_REMATCH[1] == BASH_REMATCH[2]))
	control agent leaf1 mute gsi
	run -0 --separate-stderr madsweep -t 50 --retries 0 --route h1-1,h3-1 Get PortCounters -j
	diff <(grep ^false "$dir/ports") <(jq -c 'select(.hop) | .kind |= "any"' <<<"$output" | of_hops any)
	[[ $(jq -r 'select(.kind == "timeout").port.node.name' <<<"$output") == $'leaf1\nleaf1' ]]
}

@test "text of requests along a route has a title and a table for each direction" {
	run -0 --separate-stderr madsweep --route h1-1,h3-1 --both Get PortCounters
	diff <(grep '^# from' <<<"$output") <(madsweep -q --route h1-1,h3-1 --both | grep '^# from')
	[[ $(sed -E 's/^# from.*/title/; s/^NODE .*/names/; s/^[^tn].*/row/; /^$/d' <<<"$output" | uniq -c | xargs) == '1 title 1 names 8 row 1 title 1 names 8 row' ]]
	run -0 --separate-stderr madsweep --route h1-1,h3-1 --both --select 'number > 0' --clear PortCounters --yes
	# once
	[[ $(sort <<<"$output" | uniq -d | wc -l) == 0 && $stderr == *"of $(wc -l <<<"$output") ports will be cleared"* ]]
}

@test "a multicast tree" {
	run -6 --separate-stderr madsweep --mlid 0xc000
	[[ $stderr == *'no switch has the multicast LID 0xc000'* ]]
	madsend -q -L "$(lid_of leaf1)" -m 0 --merge Set MulticastForwardingTable 'PortMask[1]=6' >/dev/null
	run -0 --separate-stderr madsweep --mlid 0xc001
	[[ ${lines[0]} == '# multicast LID 0xc001: 1 switch, 2 members' && ${lines[2]} == leaf1*' member' ]]
	madsend -q -L "$(lid_of leaf2)" -m 0 --merge Set MulticastForwardingTable 'PortMask[1]=14' >/dev/null
	run -6 --separate-stderr madsweep --mlid 49153 -j
	[[ $(hops <<<"$output" | grep leaf2) == 'null egress leaf2 1 member
null egress leaf2 2 member
null egress leaf2 3 one way' ]]
	[[ $stderr == *'2 parts that are not connected'*'the tree has 1 port, but not the port at the other end'* ]]
}

@test "a port of a multicast tree that has no link is status 6" {
	local fabric=sim:fat-tree:2,2,1@h1-1
	run -6 --separate-stderr madsweep --device "$fabric,control=join h2-1 1,control=link h2-1 1 down" --mlid 0xc000
	[[ ${lines[2]} == leaf2*'the link is down' ]]
	[[ ${stderr_lines[0]} == 'madsweep: 1 port of the tree has no link: packets are discarded there' ]]
	run -6 --separate-stderr madsweep -j --mlid 0xc000 \
		--device "$fabric,control=join h1-2 1,control=join h2-1 1,control=join h2-2 1,control=node h2-1 gone"
	[[ $stderr == *': 1 port of the tree has no link: '* ]]
}

@test "wrong ends and options" {
	for words in '--route h1-1' '--route ,h1-1' '--route h1-1,' '--route a,b,c'; do
		# shellcheck disable=SC2086
		run -2 madsweep $words
		[[ $output == *'is not two nodes: A,B'* ]]
	done
	run -2 madsweep --both
	[[ $output == *'--both has no effect without --route'* ]]
	run -2 madsweep --route h1-1,h1-2 --hops 3
	run -2 madsweep --mlid 0xc000 --sort name
	run -2 madsweep --mlid 0xc000 --route h1-1,h1-2
	run -2 madsweep --mlid 3
}

@test "a name of several nodes is refused, and they are listed" {
	sed -n '1,$p' <(madsim --generate fat-tree:2,2,1 | sed 's/h2-[12] HCA-1/h2 HCA-1/') >"$dir/twice.net"
	run -2 madsweep --device "sim:$dir/twice.net@h1-1" --route h1-1,h2
	[[ $output == *'h2 HCA-1'*'h2 HCA-1'*"--route 'h2' is the name of 2 nodes: use a GUID"* ]]
	printf '0x100004 "web 1"\n0x100006 "Web 2"\n' >"$dir/map"
	for word in h2 web; do
		run -2 madsweep --device "sim:$dir/twice.net@h1-1" --node-name-map "$dir/map" --route "h1-1,$word"
		[[ $output == *'GUID 0x0000000000100004: web 1'*'GUID 0x0000000000100006: Web 2'*"'$word' is the name of 2 nodes"* ]]
	done
}

@test "without a subnet manager, no port has a LID" {
	run -6 madsweep --device sim:fat-tree:2,2,1,sm=none --route h1-1,h2-1
	[[ $output == *'no port of this node has a LID'* ]]
}

@test "a node that the subnet does not have is status 6, and similar names are listed" {
	for word in nobody 999 0x1234567890abcdef; do
		run -6 --separate-stderr madsweep --route "h1-1,$word"
		[[ -z $output && $stderr == *"--route '$word': no node of the subnet has this LID, GUID or name"$'\n'* ]]
	done
	run -6 --separate-stderr madsweep --from h1- --hops 1
	[[ $stderr == *"or name; did you mean 'h1-"?" HCA-1' or 'h1-"?" HCA-1'?"* && $stderr != *"see madsweep"* ]]
	control node h3-1 gone
	run -6 --separate-stderr madsweep --route h1-1,h3-1
	[[ $stderr == *"--route 'h3-1': no node"*"or name; perhaps it is behind one of the switch ports that are down"$'\n'*': complete: '* ]]
	run -1 --separate-stderr madsweep --device "sim:fat-tree:2,2,1@h1-1,control=link h1-1 1 down" --route h1-1,h2-1
	[[ $stderr == *"--route 'h2-1': no node"*"the sweep is not complete"* ]]
	control agent leaf2 mute
	run -3 --separate-stderr madsweep -t 50 --route h1-1,h2-1
	[[ $stderr == *"--route 'h2-1': no node"*'or name; the sweep is not complete: perhaps it is behind what did not respond'* ]]
	run -3 madsweep -t 50 --strict --route h1-1,h2-1
}

@test "a link that is not Active carries no packets: the route and the tree end there" {
	clean_up
	load common
	serve fat-tree:2,2,1
	export MADKIT_DEVICE=sim:unix:$socket@h1-1
	# the subnet manager: nothing activates the link again
	madsim --control "$socket" node h2-2 gone
	madsim --control "$socket" link spine1 2 down
	madsim --control "$socket" link spine1 2 up
	madpoll -q -D 0,1,3 -m 2 Get PortInfo --until 'LinkState==Initialize' -i 10 --deadline 10000
	run -6 --separate-stderr madsweep --route h1-1,h2-1 --both
	(($(grep -c ': does not arrive$' <<<"$output") == 2))
	(($(grep -c 'Initialize .*the link is not Active: packets are discarded here$' <<<"$output") == 2))
	[[ $stderr == *'does not arrive: spine1 port 2: the link is not Active'* ]]
	# and so it is: a packet does not arrive
	run -3 madsend -t 100 --retries 0 -L "$(lid_of h2-1)" Get PerfMgt:ClassPortInfo
	run -6 --separate-stderr madsweep -j --route h1-1,h2-1
	[[ $(hops <<<"$output" | tail -n 1) == '2 egress spine1 2 inactive' ]]
}

@test "a table that leads to a port without a link: the route ends there" {
	local far out
	far=$(lid_of h3-1)
	out=$(madsweep -q --route h1-1,h3-1 -j | jq 'select(.hop.number == 1 and .hop.direction == "egress").port.number')
	control link leaf1 "$out" down
	# the subnet manager chooses the other spine switch
	until madsweep -q --route h1-1,h3-1 >/dev/null; do kill -0 "$madsim_pid"; done
	forward leaf1 "$far" "$out"
	run -6 --separate-stderr madsweep --route h1-1,h3-1
	[[ ${lines[0]} == *': does not arrive' && ${lines[-1]} == leaf1*" $out "*' Polling '*'the route ends here: the link is down' ]]
	[[ $stderr == *"the route to LID $far does not arrive: leaf1 port $out: the route ends here: the link is down"* ]]
	run -6 --separate-stderr madsweep -j --route h1-1,h3-1
	[[ $(hops <<<"$output" | tail -n 1) == "1 egress leaf1 $out down" ]]
	# and so it is: a packet does not arrive
	run -3 madsend -t 100 --retries 0 -L "$far" Get PerfMgt:ClassPortInfo
}

@test "a table that was not read: the route and the tree are not known beyond it, which is status 3" {
	local fault="sim:fat-tree:2,2,1,fault=drop node=leaf2 method=GetResp attribute"
	run -3 --separate-stderr madsweep -t 100 --device "$fault=LinearForwardingTable" --route h1-1,h2-1
	[[ ${lines[0]} == *': not followed to its end' ]]
	[[ $stderr == *'was not followed to its end: leaf2 port 3: no response to the request for the table'* ]]
	run -3 --separate-stderr madsweep -t 100 --device "$fault=MulticastForwardingTable" --mlid 0xc000
	[[ $stderr == *'the tree may have more members: 1 of its switches or links were not read'* && $stderr != *'no switch has'* ]]
	# a switch on the route, to a node that is found over another one
	local far
	for far in h2-1 h2-2 h3-1 h3-2; do
		! madsweep -q -j --route "h1-1,$far" | grep -q '"name":"spine1"' || break
	done
	madsim --control "$socket" agent spine1 mute smi
	run -3 --separate-stderr madsweep -t 100 --route "h1-1,$far"
	[[ $stderr == *'was not followed to its end: leaf1 port '*': the node behind it is not known'* ]]
}

@test "a tree is denied only if the sweep was complete: nodes that were not read are status 3" {
	clean_up
	load common
	serve fat-tree:2,2,2
	export MADKIT_DEVICE=sim:unix:$socket@h1-1
	madsend -q -L "$(lid_of leaf2)" -m 0 --merge Set MulticastForwardingTable 'PortMask[1]=6' >/dev/null
	run -0 --separate-stderr madsweep --mlid 0xc001
	control agent leaf2 mute smi
	run -3 --separate-stderr madsweep -t 50 --mlid 0xc001
	[[ $stderr == *'no switch that was read has the multicast LID 0xc001; the sweep is not complete'* ]]
	control agent leaf2 normal
	# a part on each side of a silent switch
	local spine
	spine=$(madsweep -q -j --select 'node.name == spine1' | jq 'select(.port.peer.node.name == "leaf1") | .port.peer.number')
	madsend -q -L "$(lid_of leaf1)" -m 0 --merge Set MulticastForwardingTable "PortMask[1]=$((2 | 1 << spine))" >/dev/null
	madsend -q -L "$(lid_of leaf2)" -m 0 --merge Set MulticastForwardingTable "PortMask[1]=$((2 | 1 << spine))" >/dev/null
	madsend -q -L "$(lid_of spine1)" -m 0 --merge Set MulticastForwardingTable 'PortMask[1]=6' >/dev/null
	run -0 --separate-stderr madsweep --mlid 0xc001
	control agent spine1 mute smi
	run -3 --separate-stderr madsweep -t 50 --mlid 0xc001
	[[ $stderr == *'it is not known whether the 2 parts of the tree are connected'* && $stderr != *'not connected'* ]]
}

@test "an end of a route that was not read is not known: status 3" {
	local lost='sim:fat-tree:2,2,2,fault=drop node=h2-1 method=GetResp attribute=PortInfo' end
	for end in h2-1 0x100005; do
		run -3 --separate-stderr madsweep -t 50 --device "$lost" --route "h1-1,$end"
		[[ $stderr == *"--route '$end': the LID of this node is not known, because its PortInfo was not read"* ]] || { echo "$stderr"; false; }
	done
	# by its LID, and behind a silent node
	run -3 --separate-stderr madsweep -t 50 --device "$lost" --route 7,3
	[[ $stderr == *"--route '3': no node of the subnet has this LID, GUID or name; the sweep is not complete"* ]]
	run -3 --separate-stderr madsweep -t 50 --device 'sim:fat-tree:2,2,2,control=agent leaf2 mute smi' --route h1-1,h2-1
	[[ $stderr == *"'h2-1'"*'; the sweep is not complete'* ]]
	run -3 --separate-stderr madsweep -t 50 --device sim:fat-tree:1,2,0 --device 'sim:fat-tree:2,2,2,control=agent leaf2 mute smi' --from h2-9 --hops 1
	[[ $stderr == *'no subnet has this node, as far as they were read'* ]]
	run -6 madsweep --route h1-1,h9-9
}

# ---- what passes the route ---------------------------------------------------------------------------------------------

# of_route [JQ]: a value of the route from h1-1 to h3-1, of the summary
of_route() { madsweep -q "${@:2}" --route h1-1,h3-1 -j | jq -rc "select(.kind == \"summary\").data.routes[0] | $1"; }

# reaches [INDEX [SL]]: a packet from h1-1 gets to h3-1, and the response back, with this P_Key and SL
reaches() { madsend -q -L "$far" -Y "${1:-0}" --sl "${2:-0}" -t 50 --retries 0 --class PerfMgt Get ClassPortInfo >/dev/null; }

@test "ends that share no P_Key: packets do not arrive" {
	far=$(lid_of h3-1)
	reaches
	control info h3-1 1 'PKey[0]=0x8001'
	run -6 --separate-stderr madsweep --route h1-1,h3-1
	[[ ${lines[0]} == *': does not arrive: 4 hops, MTU 4096, no P_Key in common, SL 0 on VL 0' && ${#lines[@]} == 6 ]]
	[[ ${stderr_lines[0]} == "madsweep: packets to LID $far do not arrive: h1-1/1 and h3-1/1: no P_Key in common" ]]
	run -6 madsweep -q --route h3-1,h1-1
	run -6 madsweep -q --route h1-1,h3-1 Get PortCounters
	run -6 --separate-stderr madsweep --route h1-1,h3-1 -j
	[[ $(jq -c 'select(.kind == "summary").data.routes' <<<"$output") == "[{\"lid\":$far,\"back\":false,\"outcome\":\"does not arrive\",\"hops\":4,\"mtu\":4096,\"partition\":\"none\",\"pkey\":null,\"sl\":0,\"vls\":[0]}]" ]]
	python3 "$BATS_TEST_DIRNAME/../schema.py" "$BATS_TEST_DIRNAME/../../schema/madkit-1.schema.json" <<<"$output"
	reaches && return 1
	# an entry of the second block
	madsend -q -L "$(lid_of h1-1)" -m 1 --zero-rest Set P_KeyTable 'PKey[31]=0x8001' >/dev/null
	[[ $(of_route '"\(.outcome) \(.pkey)"') == 'arrives 1' ]]
	reaches 63
}

@test "two limited members do not reach each other, a full member reaches both" {
	far=$(lid_of h3-1)
	control info h3-1 1 'PKey[0]=0x7fff'
	[[ $(of_route '"\(.outcome) \(.partition) \(.pkey)"') == 'arrives shared 32767' ]]
	reaches
	control info h1-1 1 'PKey[0]=0x7fff'
	run -6 --separate-stderr madsweep --route h1-1,h3-1
	[[ ${lines[0]} == *', both limited members, '* && ${stderr_lines[0]} == *': both are limited members of each P_Key in common' ]]
	reaches && return 1
	# the default P_Key comes first, then one of which both are full members
	control info h1-1 1 'PKey[1]=0x0005' 'PKey[2]=0x8006'
	control info h3-1 1 'PKey[1]=0x8005' 'PKey[2]=0x8006'
	[[ $(of_route .pkey) == 6 ]]
	control info h3-1 1 'PKey[3]=0xffff'
	[[ $(of_route .pkey) == 32767 ]]
}

@test "a switch that enforces P_Keys without that of the packets" {
	local spine in
	far=$(lid_of h3-1)
	control info h1-1 1 'PKey[1]=0x8001'
	control info h3-1 1 'PKey[1]=0x8001'
	control info leaf1 1 PartEnforceInb=1
	[[ $(of_route .outcome) == arrives ]]
	# it allows another one of both ends
	control info leaf1 1 'PKey[0]=0x8001'
	[[ $(of_route '"\(.outcome) \(.pkey)"') == 'arrives 1' ]]
	reaches && return 1
	reaches 1
	control info leaf1 1 'PKey[0]=0x8002'
	run -6 --separate-stderr madsweep --route h1-1,h3-1
	# the row of the ingress port is shown for its note
	[[ ${#lines[@]} == 7 && ${lines[3]} == 'leaf1 '*' h1-1 '*' P_Key 0x7fff is not allowed: packets are discarded here' ]]
	[[ ${stderr_lines[0]} == *'do not arrive: leaf1/1: P_Key 0x7fff is not allowed: packets are discarded here' ]]
	reaches && return 1
	reaches 1 && return 1
	# only into the switch
	[[ $(madsweep -q --route h3-1,h1-1 -j | jq -r 'select(.kind == "summary").data.routes[0].outcome') == arrives ]]
	control info leaf1 1 PartEnforceInb=0
	read -r spine in < <(madsweep -q --route h1-1,h3-1 -j | jq -r 'select(.hop.number == 2 and .hop.direction == "egress") | "\(.port.node.name) \(.port.number)"')
	control info "$spine" "$in" PartEnforceOutb=1 'PKey[0]=0'
	run -6 --separate-stderr madsweep --route h1-1,h3-1 -j
	[[ $(hops <<<"$output" | grep 'no P_Key') == "2 egress $spine $in no P_Key" ]]
	reaches && return 1
	control info "$spine" "$in" 'PKey[0]=0x7fff'
	[[ $(of_route .outcome) == arrives ]]
	reaches
}

@test "an SL without a VL is said at the hop" {
	local out in
	far=$(lid_of h3-1)
	[[ $(of_route '"\(.sl) \(.vls)"' --sl 3) == '3 [3]' && $(of_route .vls --sl 15) == '[0]' ]]
	reaches 0 3
	read -r in out < <(madsweep -q --route h1-1,h3-1 -j | jq -r 'select(.hop.number == 1).port.number' | xargs)
	# of another input port
	madsend -q -L "$(lid_of leaf1)" -m $((2 << 8 | out)) --merge Set SLtoVLMappingTable 'SLtoVL[3]=15' >/dev/null
	run -0 madsweep -q --route h1-1,h3-1 --sl 3
	reaches 0 3
	madsend -q -L "$(lid_of leaf1)" -m $((in << 8 | out)) --merge Set SLtoVLMappingTable 'SLtoVL[3]=15' >/dev/null
	run -6 --separate-stderr madsweep --route h1-1,h3-1 --sl 3
	[[ ${lines[0]} == *': does not arrive: 4 hops, MTU 4096, P_Key 0x7fff, SL 3 discarded' ]]
	[[ ${lines[3]} == 'leaf1 '*' SL 3 has VL 15: packets are discarded here' ]]
	[[ ${stderr_lines[0]} == *" do not arrive: leaf1/$out: SL 3 has VL 15: packets are discarded here" ]]
	reaches 0 3 && return 1
	run -0 madsweep -q --route h1-1,h3-1 --sl 4
	reaches 0 4
	# OperationalVLs: VL0 to VL3
	control info h1-1 1 OperVLs=3
	run -6 --separate-stderr madsweep --route h1-1,h3-1 --sl 4 -j
	[[ $(jq -r 'select(.hop.notes[0] == "no VL") | "\(.hop.number) \(.hop.sl) \(.hop.vl)"' <<<"$output") == '0 4 4' ]]
	reaches 0 4 && return 1
	run -6 madsweep --route h1-1,h3-1 --sl 4
	[[ $output == *'SL 4 has VL 4, which is not operational: packets are discarded here'* ]]
	control info h1-1 1 'SLtoVL[4]=2'
	[[ $(of_route .vls --sl 4) == '[2,4]' ]]
	run -0 --separate-stderr madsweep --route h1-1,h3-1 --sl 4
	[[ ${lines[0]} == *', SL 4 on VLs 2, 4' ]]
	reaches 0 4
	# a port that has only VL0 has no table
	control info h1-1 1 OperVLs=1 VLCap=1
	[[ $(of_route .vls --sl 4) == '[0,4]' ]]
}

@test "the MTU of a route is the smallest of its links" {
	local spine in
	read -r spine in < <(madsweep -q --route h1-1,h3-1 -j | jq -r 'select(.hop.number == 2 and .hop.direction == "ingress") | "\(.port.node.name) \(.port.number)"')
	control link "$spine" "$in" mtu=1024
	run -0 --separate-stderr madsweep --route h1-1,h3-1
	[[ ${lines[0]} == *', MTU 1024, '* && ${#lines[@]} == 6 && ${lines[3]} == 'leaf1 '*' MTU 1024, elsewhere 4096' ]]
	[[ $(of_route .mtu) == 1024 ]]
	# one end only: both rows are shown
	control info h3-1 1 NeighborMTU=512
	run -0 --separate-stderr madsweep --route h1-1,h3-1
	[[ ${lines[0]} == *', MTU 512, '* && ${#lines[@]} == 7 && ${lines[6]} == 'h3-1 '*' MTU 512, elsewhere 4096' ]]
}

@test "tables that were not read are unknown" {
	control fault drop method=GetResp attribute=P_KeyTable node=h3-1 >/dev/null
	run -0 --separate-stderr madsweep -t 50 --route h1-1,h3-1
	[[ ${lines[0]} == *': may arrive: 4 hops, MTU 4096, P_Keys of h3-1/1 not read, SL 0 on VL 0' ]]
	[[ ${stderr_lines[0]} == *'it is not known if packets to LID '*' arrive: h3-1/1: the P_Keys were not read' ]]
	run -3 madsweep -q -t 50 --route h1-1,h3-1 --strict
	run -3 madsweep -q -t 50 --route h1-1,h3-1 --assert 'state == Active'
	control fault clear
	control fault drop method=GetResp attribute=SLtoVLMappingTable node=leaf3 >/dev/null
	run -3 --separate-stderr madsweep -t 50 --route h1-1,h3-1 --strict
	[[ ${lines[0]} == *': may arrive: '*', VLs of SL 0 not read' && ${lines[5]} == 'leaf3 '*' the VL of SL 0 was not read' ]]
	[[ $stderr == *'arrive: leaf3/1: the VL of SL 0 was not read'* ]]
}

@test "the SA shows P_Keys only with the SM_Key" {
	run -0 --separate-stderr madsweep --via sa --route h1-1,h3-1
	[[ ${lines[0]} == *', P_Keys of h1-1/1 and h3-1/1 not read, SL 0 on VL 0' ]]
	run -3 madsweep -q --via sa --strict --route h1-1,h3-1
	diff <(of_route . --sm-key 1 --via sa) <(of_route .)
	diff <(of_route . --sm-key 1 --via sa --sl 3) <(of_route . --sl 3)
}

@test "the summary counts each port of the routes once, of all that were read" {
	local ports both
	for both in '' --both; do
		# shellcheck disable=SC2086
		run -0 --separate-stderr madsweep --device sim:fat-tree:4,4,2 --route h1-1,h4-4 $both
		[[ $stderr == *', 24 links, 8 of 48 ports shown, '* ]] || { echo "$stderr"; return 1; }
	done
	ports=$(madsweep --device sim:fat-tree:4,4,2 --route h1-1,h4-4 -j 2>/dev/null | tail -n 1)
	[[ $(jq -c '.data | [.ports, .ports_read]' <<<"$ports") == '[8,48]' ]]
}
