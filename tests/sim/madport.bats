#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# madport, beside ibportstate: both ends of a link, and changes of a port.

setup() {
	load common
	cd "$dir" || return
	tree=sim:fat-tree:3,3,2
}

teardown() { clean_up; }

# diags NODE COMMAND...: a program of infiniband-diags on the served fabric
diags() {
	LD_PRELOAD="${MADKIT_PRELOAD:+$MADKIT_PRELOAD:}$MADKIT_BUILD/lib/.libs/libmadsim_umad.so" MADSIM_SOCKET=$socket MADSIM_NODE=$1 \
		"${@:2}"
}

# dotted NAME: the first value of a dotted line
dotted() { sed -n "s/^$1:\.*//p" | head -n 1; }

serve_tree() {
	madsim --generate fat-tree:3,3,2 >tree.net
	serve tree.net --sm 'h1-1 HCA-1'
	export MADKIT_DEVICE=sim:unix:$socket@h1-2
	madpoll -q --name leaf2 -m 2 Get PortInfo --until 'LinkState == Active' -i 50 >/dev/null
}

# cell LABEL [END]: of the last output
cell() { sed -n "s/^$1  *//p" <<<"$output" | awk -F '  +' -v end="${2:-1}" '{ print $end }'; }

@test "both ends of a link, by PLACE and by each kind of destination" {
	local words
	for words in leaf2/2 0x0000000000200003/2 'leaf2 -m 2' '--name leaf2 -m 2' '-G 0x200003 -m 2' '--gid fe80::20:3 -m 2' '-D 0,1,4,2 -m 2'; do
		# shellcheck disable=SC2086  # several words
		run -0 --separate-stderr madport --device "$tree" $words
		[[ ${lines[0]} == "leaf2/2 <-> h2-2/1: Active, 4x HDR, 200 Gb/s, as good as both ends support" && -z $stderr ]] ||
			{ echo "$words: ${lines[0]}"; return 1; }
	done
	[[ $(cell LID) == 8 && $(cell LID 2) == 13 && $(cell GUID 2) == 0x0000000000100009 && $(cell errors) == none ]]
	for words in h2-2 h2-2/1 '-L 13' '--name h2-2' '-G 0x100009' '-D 0,1,4,2,2'; do
		# shellcheck disable=SC2086
		run -0 --separate-stderr madport --device "$tree" $words
		[[ ${lines[0]} == "h2-2/1 <-> leaf2/2: Active, "* ]] || { echo "$words: ${lines[0]}"; return 1; }
	done
	# this host knows only the link, and not if another node begins with h2-2, too
	run -0 --separate-stderr madport --device "$tree@h2-2"
	[[ ${lines[0]} == "h2-2 HCA-1/1 <-> leaf2/2: Active, 4x HDR, 200 Gb/s, as good as both ends support" ]]
}

@test "two adapters of a host: each place is one that madport and madcheck read again" {
	local device place
	madsim --generate fat-tree:2,3,1 | sed 's/"h1-2 HCA-1"/"h1-1 HCA-2"/; s/"h2-[23] HCA-1"/"node7 mlx5_0"/' >net
	device="sim:net,control=link leaf1 1 speed=EDR,control=link leaf2 2 speed=EDR"
	for place in 'leaf1/1 <-> h1-1 HCA-1/1' 'leaf2/2 <-> 0x0000000000100008/1'; do
		run -6 madport --device "$device" "${place%% *}"
		[[ ${lines[0]} == "$place: "* && ${lines[1]} == "slow $place: "* ]]
		run -6 madport --device "$device" "${place%% *}" -j
		grep -qF "\"place\":\"$place\"" <<<"$output"
		run -6 madport --device "$device" "${place##*> }"
		[[ ${lines[0]} == "${place##*> } <-> ${place%% *}: "* ]]
	done
	run -6 madcheck --device "$device" -j
	grep -qF '"place":"leaf1/1 <-> h1-1 HCA-1/1"' <<<"$output"
}

@test "names that look like a port, a LID or a GUID never change another port" {
	local words wanted
	# a/3 is a node, and also port 3 of node a; 9 is a name, a GUID and the LID of another node
	madsim --generate fat-tree:2,4,2 | sed 's/"leaf1"/"a"/; s/"h1-2 HCA-1"/"9"/; s/"h1-3 HCA-1"/"a\/3"/; s/"h2-2 HCA-1"/"b\/7"/
		s/0000000000100004/0000000000000009/; s/0x100004/0x9/; s/(100005)/(9)/' >net
	while IFS='|' read -r words wanted; do
		# shellcheck disable=SC2086
		run --separate-stderr madport --device sim:net $words
		[[ ${lines[0]-$stderr} == *"$wanted"* ]] || { echo "$words: ${lines[0]-} $stderr"; return 1; }
	done <<-'END'
		a/3|PLACE 'a/3' is the name of a node, and also a port of another
		b/7|b/7/1 <->
		b/7/1|b/7/1 <->
		/1|PLACE '/1' names no node
		-G 0x9|a/3/1 <-> a/3:
		0x0000000000000009/1|a/3/1 <-> a/3:
		0x0000000000100002/1|0x0000000000100002/1 <-> a/2:
		9|'9' is a LID, and also the name of another node: use a GUID
		9/1|'9' is a LID, and also the name of another node: use a GUID
	END
	run -2 --separate-stderr madsweep --device sim:net --behind a/3
	[[ $stderr == *"--behind 'a/3' is the name of a node, and also a port of another: use a GUID"* ]]
	run -2 --separate-stderr madsweep --device sim:net --route 9,h2-1
	[[ $stderr == *"--route '9' is a LID, and also the name of another node: use a GUID"* ]]
	run -2 --separate-stderr madport --device sim:net --name 9
	[[ $stderr == *"--name '9' is a LID, and also the name of another node: use a GUID"* ]]
	run -2 --separate-stderr madport --device sim:net --name 10
	[[ $stderr == *"--name '10' is a LID or GUID: use -L or -G"* ]]
	run -2 --separate-stderr madport --device sim:net ''
	[[ $stderr == *"PLACE '' names no node"* ]]
}

@test "what does not name a port is refused, with candidates" {
	local words wanted
	while IFS='|' read -r status words wanted; do
		# shellcheck disable=SC2086
		run "-$status" --separate-stderr madport --device "$tree" $words
		[[ -z $output && $stderr == *"$wanted"* ]] || { echo "$words: $stderr"; return 1; }
	done <<-'END'
		2|leaf2|leaf2 has 5 ports: choose one, such as leaf2/1
		2|leaf2/0|port 0 of leaf2 has no cable
		2|leaf2/255|leaf2 has no port 255
		2|leaf2/6|leaf2 has no port 6: its ports are 1 to 5
		2|leaf2/256|a port is a number up to 255
		2|h2-2/2|h2-2 has no port 2
		2|leaf2/2 -m 3|both name a port
		2|leaf2/2 -L 3|both name a port
		6|leaf/2|did you mean 'leaf1' or 'leaf2' or 'leaf3'?
		6|nosuch/2|no node of the subnet has this LID, GUID or name
		6|-D 0,5,1|the route ends after 0 of 2 hops
		2|leaf2/2 off|'off' is not disable, enable, reset, speed or width
		2|leaf2/2 speed|speed needs a value
		2|leaf2/2 speed NDR|leaf2/2 supports SDR, DDR, QDR, FDR, EDR, HDR, auto
		2|leaf2/2 width 5x|leaf2/2 supports 1x, 2x, 4x, auto
		2|leaf2/2 disable now|'now' is an unexpected word
		2|leaf2/2 --yes|--yes
		2|leaf2/2 -f table|madport shows text or JSON
	END
}

@test "a link below its best is 6, one without a response 3, one that is down 6" {
	run -6 madport --device "$tree,control=link leaf2 2 width=1x" leaf2/2
	[[ ${lines[0]} == *"1x HDR, 50 Gb/s of 200; not as good as it could be" && ${lines[1]} == "slow leaf2/2 <-> h2-2/1: 1x HDR, but both ends enable 4x HDR" ]]
	run -6 madport --device "$tree,control=link leaf2 2 down" leaf2/2
	[[ ${lines[0]} == "leaf2/2: Down (Polling)" && $(cell link) == none ]]
	run -3 madport --device "$tree,control=agent h2-2 mute" leaf2/2
	[[ ${lines[0]} == "leaf2/2: Active, 4x HDR, 200 Gb/s; the other end does not respond" ]]
	run -0 --separate-stderr madport --device "$tree,control=agent h2-2 mute gsi" leaf2/2 -t 50
	[[ $(cell errors) == none && $(cell errors 2) == "not read (no response)" ]]
	run -0 --separate-stderr madport --device "$tree,control=counter leaf2 2 SymbolErrorCounter=17" h2-2
	[[ $(cell errors) == none && $(cell errors 2) == "1 counter" && $(cell SymbolErrorCounter) == 0 && $(cell SymbolErrorCounter 2) == 17 ]]
}

@test "JSON: a line for each end, its counters and the problems" {
	madport --device "$tree,control=link leaf2 2 width=1x" leaf2/2 -j >out || (($? == 6))
	[[ $(jq -r 'select(.header.class != "Mlnx") | "\(.kind) \(.port.node.name) \(.header.attribute)"' out) == 'port leaf2 null
port h2-2 HCA-1 null
response leaf2 PortCounters
response h2-2 HCA-1 PortCounters
problem leaf2 null' ]]
	python3 "$BATS_TEST_DIRNAME/../schema.py" "$BATS_TEST_DIRNAME/../../schema/madkit-1.schema.json" <out
	madport --device "$tree,control=agent h2-2 mute" leaf2/2 -j >out || (($? == 3))
	[[ $(jq -r 'select(.header.class != "Mlnx").kind' out) == $'port\ntimeout\nresponse' ]]
}

@test "ibportstate shows what madport sets, and madport what ibportstate sets" {
	serve_tree
	run -0 --separate-stderr madport leaf2/2
	lid=$(cell LID)
	state() { diags h1-2 ibportstate "$lid" 2 query; }
	run -0 --separate-stderr madport leaf2/2 disable --yes
	[[ $stderr == "madport: leaf2/2: LinkUp -> Disabled" && ${lines[0]} == "leaf2/2: Down (Disabled)" ]]
	[[ $(state | dotted PhysLinkState) == Disabled ]]
	diags h1-2 ibportstate "$lid" 2 enable >/dev/null
	madpoll -q --name leaf2 -m 2 Get PortInfo --until 'LinkState == Active' -i 50 >/dev/null
	run -0 --separate-stderr madport leaf2/2
	[[ ${lines[0]} == "leaf2/2 <-> h2-2/1: "* && $(state | dotted PhysLinkState) == LinkUp ]]
	diags h1-2 ibportstate "$lid" 2 disable >/dev/null
	run -6 madport leaf2/2
	[[ ${lines[0]} == "leaf2/2: Down (Disabled)" ]]
	# the manager activates it
	run -0 --separate-stderr madport leaf2/2 enable --yes
	[[ $(state | dotted PhysLinkState) == LinkUp && ${lines[0]} == "leaf2/2 <-> h2-2 HCA-1/1: Active, "* ]] || { echo "$output"; return 1; }
	run -0 --separate-stderr madport leaf2/2 speed EDR --yes

	[[ ${lines[0]} == *"4x EDR, 100 Gb/s; not as good as it could be" && $(cell 'speeds enabled') == "up to EDR" ]]
	[[ $(state | dotted LinkSpeedExtActive) == 25.78125* && $(state | dotted LinkSpeedExtEnabled) == '14.0625 Gbps or 25.78125 Gbps' ]]
	run -0 --separate-stderr madport leaf2/2 width 1x --yes
	[[ $(state | dotted LinkWidthActive) == 1X && $(state | dotted LinkWidthEnabled) == 1X ]]
	run -0 --separate-stderr madport leaf2/2 width auto --yes
	run -0 --separate-stderr madport leaf2/2 speed auto --yes
	[[ ${lines[0]} == *"4x HDR, 200 Gb/s, as good as both ends support" && $(state | dotted LinkSpeedExtActive) == 53.125* ]]
	# a width that ibportstate enables takes effect by its reset
	diags h1-2 ibportstate "$lid" 2 width 1 >/dev/null
	diags h1-2 ibportstate "$lid" 2 reset >/dev/null
	run -6 madport leaf2/2
	[[ $(cell link) == "1x HDR, "* && $(cell 'widths enabled') == 1x && $(cell 'widths enabled' 2) == "1x 2x 4x" ]]
}

@test "the value is set at the given port, and the link is switched at the end of a switch" {
	serve_tree
	run -0 --separate-stderr madport h2-2/1 width 1x --yes
	[[ $stderr == "madport: h2-2/1: widths enabled: 1x 2x 4x -> 1x" && $(cell 'widths enabled') == 1x && $(cell 'widths enabled' 2) == "1x 2x 4x" ]]
	[[ $(cell link) == "1x HDR, 50 Gb/s"* ]]
	run -0 --separate-stderr madport h2-2/1 disable --yes
	[[ $stderr == "madport: leaf2/2: LinkUp -> Disabled" ]]
	# a port that is down keeps its new value until it trains
	run -0 --separate-stderr madport leaf2/2 speed EDR --yes
	[[ $stderr == *"leaf2/2 has no link: the change takes effect when it trains" && ${lines[0]} == "leaf2/2: Down (Disabled)" ]]
	run -0 --separate-stderr madport leaf2/2 disable --yes
	[[ $stderr == "madport: leaf2/2: Disabled: nothing to change" ]]
	run -0 --separate-stderr madport leaf2/2 enable --yes
	[[ $(cell link) == "1x EDR, "* ]]
}

@test "without --yes and a terminal nothing is changed, nor with --dry-run, nor after no" {
	serve_tree
	run -2 --separate-stderr setsid madport leaf2/2 disable </dev/null
	[[ $stderr == *"use --yes"* ]]
	run -0 --separate-stderr madport leaf2/2 disable --dry-run -w capture
	run -6 --separate-stderr madrecv -r capture -j --filter 'header.method == Set'
	[[ -z $output ]]
	command -v script || skip "script is not installed"
	run -6 script -qec 'madport leaf2/2 disable' /dev/null <<<n
	[[ $output == *'change it? [y/N]'*'nothing was changed'* ]]
	run -0 --separate-stderr madport leaf2/2
	run -0 script -qec 'madport leaf2/2 disable' /dev/null <<<y
	[[ $output == *'leaf2/2: Down (Disabled)'* ]]
}

@test "a link that this host or the manager needs, and the last uplink, are refused without --force" {
	local words wanted
	serve_tree
	while IFS='|' read -r words wanted; do
		# shellcheck disable=SC2086
		run -2 --separate-stderr madport $words --yes
		[[ -z $output && $stderr == *"$wanted"*"hint: --force"* ]] || { echo "$words: $stderr"; return 1; }
	done <<-'END'
		disable|it is a link of this host
		leaf1/2 reset|it is a link of this host
		h1-2/1 width 1x|it is a link of this host
		leaf1/1 disable|it is the link of the subnet manager
		leaf2/4 disable|on the route from this host to the switch
	END
	# without a manager, only the directed route counts
	local unmanaged="$tree,sm=none,control=link leaf3 5 down"
	run -0 --separate-stderr madport --device "$unmanaged" leaf1/5 disable --yes
	run -2 --separate-stderr madport --device "$unmanaged,control=link leaf2 5 down" leaf1/5 disable --yes
	[[ $stderr == *"it is the last link of spine2 to another switch"* ]]
	run -2 --separate-stderr madport --device "$unmanaged,control=link leaf2 5 down" leaf1/5 reset --dry-run
	# by --force, a link of this host trains again, although the second half of a reset could not reach it
	run -0 --separate-stderr madport leaf1/2 reset --yes --force
	[[ ${lines[0]} == "leaf1/2 <-> h1-2/1: Active, "* ]]
	run -3 --separate-stderr madport leaf1/2 disable --yes --force -t 50 --deadline 2000
	[[ $stderr == *"no response since the change"* ]]
}

@test "a link is also refused if its other end, a route or a LID is not known" {
	local words fault wanted fabric=sim:fat-tree:3,3,2
	while IFS='|' read -r words fault wanted; do
		# shellcheck disable=SC2086
		run -2 --separate-stderr madport $words disable --yes -t 50 --device "$fabric,$fault"
		[[ -z $output && $stderr == *"$wanted"*"hint: --force"* ]] || { echo "$words $fault: $stderr"; return 1; }
	done <<-'END'
		leaf1/4|control=agent spine1 mute smi|on the route between this host and the subnet manager
		leaf1/4|control=info spine1 0 Mkey=0x99 ProtectBits=2|on the route between this host and the subnet manager
		leaf3/3|control=agent h3-3 mute|the port of the subnet manager (LID 1) was not found
		|control=agent leaf1 mute smi|it is a link of this host
		leaf1/4|fault=drop attribute=LinearForwardingTable method=GetResp|is not known
		spine1/3|fault=drop attribute=SwitchInfo method=GetResp|is not known
		leaf1/4|control=info h2-1 1 Lid=9|the LID of this host or of the subnet manager is missing or shared
		leaf1/4|control=info h1-1 1 MasterSMLID=0|the port of the subnet manager (LID 0) was not found
		spine2/2|control=agent leaf2 mute|the node at its other end did not respond
		leaf2/3|control=agent h2-3 mute|the node at its other end did not respond
	END
	# a silent node may have the same name, so that another port would be changed
	run -2 --separate-stderr madport leaf2/2 disable --yes -t 50 --device "$fabric,control=agent h1-2 mute"
	[[ $stderr == *"a node that did not respond may have this name, too: use 0x0000000000200003/2"*"hint: --force"* ]] || { echo "$stderr"; return 1; }
	run -0 --separate-stderr madport 0x0000000000200003/2 disable --yes -t 50 --device "$fabric,control=agent h1-2 mute"
	run -2 --separate-stderr madport leaf2/2 enable --yes -t 50 --device "$fabric,control=agent h1-2 mute,control=link leaf2 2 down"
	# --force is for a host that hangs
	run -0 --separate-stderr madport leaf2/3 disable --yes --force -t 50 --device "$fabric,control=agent h2-3 mute"
}

@test "a reset never leaves the port disabled, whatever happens to its requests" {
	local fault state
	serve_tree
	for fault in 'answer node=leaf2 attribute=PortInfo method=Set as-modifier=2 nth=1' \
		'answer node=leaf2 attribute=PortInfo method=Set as-modifier=99 nth=1' \
		'drop node=h1-2 attribute=PortInfo method=Set nth=2+4' \
		'duplicate node=h1-2 attribute=PortInfo method=Set nth=1 delay=60'; do
		# shellcheck disable=SC2086
		control fault $fault >/dev/null
		run --separate-stderr madport leaf2/2 reset --yes -t 50
		control fault clear
		state=$(madsend -q --name leaf2 -m 2 Get PortInfo | dotted PhysLinkState)
		[[ $state == @(LinkUp|Polling) ]] || { echo "$fault: $state; $stderr"; return 1; }
	done
}

@test "a reset that leaves the port disabled, because no later request arrives, says so" {
	serve_tree
	control fault drop node=h1-2 attribute=PortInfo method=Set nth=2+ >/dev/null
	run -3 --separate-stderr madport leaf2/2 reset --yes -t 50 --deadline 1500
	[[ $stderr == *"leaf2/2: the link did not come up in time: Down, Disabled"*"hint: the port may still be Disabled: madport leaf2/2 enable" ]] ||
		{ echo "$stderr"; return 1; }
	[[ $(madsend -q --name leaf2 -m 2 Get PortInfo | dotted PhysLinkState) == Disabled ]]
	control fault clear
	run -0 --separate-stderr madport leaf2/2 enable --yes
	# without a response to any request, the link may never have been reset
	control fault drop node=h1-2 attribute=PortInfo method=Set nth=1+ >/dev/null
	run -3 --separate-stderr madport leaf2/2 reset --yes -t 50 --deadline 1500
	[[ $stderr == *"leaf2/2 may have been changed: no response was received"* ]] || { echo "$stderr"; return 1; }
}

@test "a signal after a lost request: the port is enabled again, or may be Disabled, which is said" {
	local nth
	serve_tree
	for nth in 2 2+; do
		control fault drop node=h1-2 attribute=PortInfo method=Set "nth=$nth" >/dev/null
		MADKIT_DEVICE=$MADKIT_DEVICE madport leaf2/2 reset --yes -t 60000 >out 2>err 3>&- &
		pid=$!
		until (($(control fault list | jq -s 'map(.done // .data.done) | add') > 0)); do :; done
		kill -TERM "$pid"
		status=0
		wait "$pid" || status=$?
		control fault clear
		state=$(madsend -q --name leaf2 -m 2 Get PortInfo | dotted PhysLinkState)
		case $nth in
		2) [[ $status == 143 && $state == @(LinkUp|Polling) ]] ;;
		*) [[ $status == 143 && $state == Disabled && $(<err) == *"hint: the port may still be Disabled: madport leaf2/2 enable" ]] ;;
		esac || { echo "$nth $status $state"; cat err; return 1; }
	done
}

@test "a speed that is enabled already: the link is reset if it runs at another one" {
	serve_tree
	madsend -q --name leaf2 -m 2 --merge Set PortInfo LinkSpeedExtEnabled=3 >/dev/null
	run -0 --separate-stderr madport leaf2/2 speed EDR --yes
	[[ ${lines[0]} == "leaf2/2 <-> h2-2/1: Active, 4x EDR, 100 Gb/s"* ]] || { echo "$output"; return 1; }
	[[ $stderr == 'madport: leaf2/2: speeds enabled: up to EDR (reset)' ]]
	run -0 --separate-stderr madport leaf2/2 speed EDR --yes
	[[ $stderr == *"nothing to change"* ]]
	# it says so if values were set that have no effect yet
	control fault drop node=leaf2 attribute=PortInfo method=GetResp nth=13+3 >/dev/null
	for skip in 13 14 15 16 17 18; do
		control fault clear
		control fault drop node=leaf2 attribute=PortInfo method=GetResp "nth=$skip+3" >/dev/null
		run --separate-stderr madport leaf2/2 speed HDR --yes -t 40
		control fault clear
		[[ $status != 3 || $stderr == *"enabled, but the link was not reset: repeat the command"* || $stderr == *"may have been changed"* ||
			$(madsend -q --name leaf2 -m 2 Get PortInfo | dotted LinkSpeedExtEnabled) == '14.0625 Gbps or 25.78125 Gbps' ]] || { echo "$skip: $stderr"; return 1; }
		madport leaf2/2 speed EDR --yes >/dev/null 2>&1
	done
}

@test "the links of other adapters of this host are refused, too" {
	madsim --generate fat-tree:3,2,2 | sed 's/"h2-1 HCA-1"/"h1-1 HCA-2"/' >net
	run -2 --separate-stderr madsim net --node 'h1-1 HCA-1' -- madport leaf2/1 disable --yes
	[[ $stderr == *"it is a link of another adapter of this host"* ]] || { echo "$stderr"; return 1; }
	run -2 --separate-stderr madsim net --node 'h1-1 HCA-1' -- madport 'h1-1 HCA-2' disable --yes
}

@test "a change is checked again after the question" {
	serve_tree
	# spine2/2 becomes the last uplink of leaf2 while it asks
	printf '%s\n' 'until grep -q "change it" typed 2>/dev/null; do :; done' 'madsim --control "$1" link leaf2 4 down >/dev/null' 'echo y' >answer
	run timeout 60 script -qfec "madport spine2/2 disable" typed < <(timeout 60 bash answer "$socket")
	grep -q 'it is the last link of leaf2 to another switch' typed || { cat typed; return 1; }
	[[ $(madsend -q --name spine2 -m 2 Get PortInfo | dotted PhysLinkState) == LinkUp ]]
}

@test "a word that is too long, and a GID of another subnet, name no port" {
	local fabric=sim:fat-tree:2,2,1
	run -2 --separate-stderr madport "0x$(printf '0%.0s' {1..400})200001/1" --device $fabric
	[[ $stderr == *"is longer than a name can be"* ]]
	run -2 --separate-stderr madport --name "$(printf 'l%.0s' {1..400})" -m 1 --device $fabric
	run -6 --separate-stderr madport --gid 1234::10:3 --device $fabric
	[[ $stderr == *"the prefix 0x1234000000000000 is not that of the subnet"* ]]
	run -0 --separate-stderr madport --gid fe80::10:3 --device $fabric
}

# matched NTH [done]: how many MADs have matched the rule of the NTH one, or were dropped
matched() { control fault list | jq "select(.first == $1) | .${2:-matched}"; }

@test "a signal ends the wait at once, and a reset never leaves the port disabled" {
	serve_tree
	control link leaf2 2 down
	for how in TERM HUP; do
		start "port$how" madport leaf2/2 reset --yes
		until [[ $(madsend -q --name leaf2 -m 2 Get PortInfo | dotted PhysLinkState) == Polling ]]; do :; done
		kill "-$how" "$pid"
		status=0
		wait "$pid" || status=$?
		((status == 128 + $(kill -l "$how"))) || { echo "$how: $status"; cat "$dir/port$how.out"; return 1; }
		[[ $(madsend -q --name leaf2 -m 2 Get PortInfo | dotted PhysLinkState) == Polling ]]
	done
	run -3 --separate-stderr madport leaf2/2 reset --yes --deadline 1000
	[[ $stderr == *"leaf2/2: the link did not come up in time: Down, Polling" ]]
}

@test "a reset whose second response is lost: after a Get that shows the port, a signal sends no more" {
	local responses='drop node=leaf2 attribute=PortInfo method=GetResp' sets='drop node=h1-2 attribute=PortInfo method=Set'
	serve_tree
	control link leaf2 2 down
	# how many responses there are before the first Set
	# shellcheck disable=SC2086
	control fault $responses nth=1000 && control fault $sets nth=1
	start first madport leaf2/2 reset --yes -t 60000
	until (($(matched 1 "done") > 0)); do :; done
	nth=$(($(matched 1000) + 2))
	kill -TERM "$pid"
	wait "$pid" || :
	control fault clear
	# shellcheck disable=SC2086
	control fault $responses "nth=$nth" && control fault $sets nth=1000
	start second madport leaf2/2 reset --yes --retries 0 -t 200
	until (($(matched "$nth") > nth + 1)); do :; done
	kill -TERM "$pid"
	status=0
	wait "$pid" || status=$?
	[[ $status == 143 && $(matched 1000) == 2 ]] || { echo "$status"; control fault list; return 1; }
}

@test "after a signal, a response is awaited before a request is repeated" {
	local sets='drop node=h1-2 attribute=PortInfo method=Set nth=1000'
	serve_tree
	# shellcheck disable=SC2086
	control fault delay node=leaf2 attribute=PortInfo method=GetResp delay=100 >/dev/null && control fault $sets
	MADKIT_DEVICE=$MADKIT_DEVICE madport leaf2/2 reset --yes >out 2>err 3>&- &
	pid=$!
	until (($(matched 1000) == 2)); do :; done
	kill -TERM "$pid"
	status=0
	wait "$pid" || status=$?
	[[ $status == 143 && $(matched 1000) == 2 && $(<err) != *hint* ]] || { echo "$status"; control fault list; cat err; return 1; }
}

@test "a reset whose first request had no response: it may arrive later, which is said whatever happens" {
	local disable='node=h1-2 attribute=PortInfo method=Set nth=1' late="leaf2/2: the request that disables it had no response, and may still arrive"
	serve_tree
	# shellcheck disable=SC2086
	control fault delay $disable delay=60000 >/dev/null
	MADKIT_DEVICE=$MADKIT_DEVICE madport leaf2/2 reset --yes -t 60000 >out 2>err 3>&- &
	pid=$!
	until (($(matched 1) > 0)); do :; done
	kill -TERM "$pid"
	status=0
	wait "$pid" || status=$?
	[[ $status == 143 && $(<err) == *"$late"*"hint: look again later: madport leaf2/2" ]] || { echo "$status"; cat err; return 1; }
	control fault clear
	# shellcheck disable=SC2086
	control fault drop ${disable/nth=1/nth=1+2} >/dev/null
	run -3 --separate-stderr madport leaf2/2 reset --yes --retries 0 -t 100
	[[ $stderr == *"$late"* ]] || { echo "$stderr"; return 1; }
	control fault clear
	# shellcheck disable=SC2086
	control fault drop ${disable/nth=1/nth=2+2} >/dev/null
	run -3 --separate-stderr madport leaf2/2 speed EDR --yes --retries 0 -t 100
	[[ $stderr == *"$late"* || $stderr == *"speeds are enabled, but the link may not have been reset: repeat the command"* ]] || { echo "$stderr"; return 1; }
}

@test "a reset whose second request is lost, and a response that is wrong: the port is enabled again" {
	local nth n=0
	serve_tree
	for ((nth = 4; nth < 24; nth++)); do
		control fault drop node=h1-2 attribute=PortInfo method=Set nth=2 >/dev/null
		control fault answer node=leaf2 attribute=PortInfo method=Get as-port=3 "nth=$nth" >/dev/null
		run --separate-stderr madport leaf2/2 reset --yes --retries 0 -t 100
		control fault clear
		n=$((n + (status == 5)))
		[[ $(madsend -q --name leaf2 -m 2 Get PortInfo | dotted PhysLinkState) == @(LinkUp|Polling) ]] || { echo "$nth $status: $stderr"; return 1; }
	done
	((n))
}

@test "the device goes away during a reset: the port may be Disabled, which is said once" {
	serve_tree
	control fault delay node=leaf2 attribute=PortInfo method=GetResp delay=200 >/dev/null
	control fault drop node=h1-2 attribute=PortInfo method=Set nth=1000 >/dev/null
	MADKIT_DEVICE=$MADKIT_DEVICE madport leaf2/2 reset --yes >out 2>err 3>&- &
	pid=$!
	until (($(matched 1000) > 0)); do :; done
	control quit
	status=0
	wait "$pid" || status=$?
	[[ $status == 1 && $(grep -c 'the device is gone' err) -le 2 && $(tail -n 1 err) == *'hint: the port may still be Disabled: madport leaf2/2 enable' ]] ||
		{ echo "$status"; cat err; return 1; }
}

@test "a link that trains faster than a request is repeated is reset once, also if a response is lost" {
	local responses='drop node=leaf2 attribute=PortInfo method=GetResp' sets='drop node=h1-2 attribute=PortInfo method=Set nth=1000'
	madsim --generate fat-tree:3,3,2 >tree.net
	serve tree.net --sm 'h1-1 HCA-1' --training 200
	export MADKIT_DEVICE=sim:unix:$socket@h1-2
	madpoll -q --name leaf2 -m 2 Get PortInfo --until 'LinkState == Active' -i 50 >/dev/null
	# shellcheck disable=SC2086
	control fault $responses nth=1000 && control fault drop node=h1-2 attribute=PortInfo method=Set nth=1
	MADKIT_DEVICE=$MADKIT_DEVICE madport leaf2/2 reset --yes -t 60000 >out 2>err 3>&- &
	pid=$!
	until (($(matched 1 "done") > 0)); do :; done
	nth=$(($(matched 1000) + 2))
	kill -TERM "$pid"
	wait "$pid" || :
	control fault clear
	# shellcheck disable=SC2086
	control fault $responses "nth=$nth" && control fault $sets
	run -0 --separate-stderr madport leaf2/2 reset --yes
	[[ $(matched 1000) == 2 && $(matched "$nth" "done") == 1 ]] || { control fault list; echo "$stderr"; return 1; }
	# no response can come back from the port of this host
	control fault clear
	# shellcheck disable=SC2086
	control fault $sets
	run -0 --separate-stderr madport leaf1/2 reset --yes --force
	[[ $(matched 1000) == 1 ]] || { control fault list; echo "$stderr"; return 1; }
}

@test "disable of the port of this host, and a wrong response: what may have been changed is said" {
	serve_tree
	control fault answer node=leaf2 attribute=PortInfo method=Set as-port=3 nth=1 >/dev/null
	run -5 --separate-stderr madport leaf2/2 disable --yes
	[[ $stderr == *"leaf2/2 may have been changed: the response is not about this request"* ]] || { echo "$stderr"; return 1; }
	control fault clear
	control fault drop node=h1-2 attribute=PortInfo method=Set >/dev/null
	run -3 --separate-stderr madport leaf1/2 disable --yes --force -t 100 --deadline 2000
	[[ $stderr == *"leaf1/2 is not Disabled: the request may have been lost"*"hint: if the port is Disabled, another host has to enable it" ]] || { echo "$stderr"; return 1; }
	control fault clear
	run -3 --separate-stderr madport leaf1/2 disable --yes --force -t 100 --deadline 2000
	[[ $stderr == *"hint: if the port is Disabled, another host has to enable it" ]] || { echo "$stderr"; return 1; }
}

@test "a deadline of 0 is 3" {
	serve_tree
	run -3 madport leaf2/2 reset --yes --deadline 0
	run -3 madport --deadline 0
}

@test "a port with an M_Key takes a change only with the key" {
	serve_tree
	madsend -q --name leaf2 -m 0 Set PortInfo M_Key=0x1234 ProtectBits=1 --merge >/dev/null 2>&1
	run -3 --separate-stderr madport leaf2/2 disable --yes -t 50
	[[ -z $output && $stderr == *"no response to Set PortInfo"*M_Key* ]]
	run -0 --separate-stderr madport leaf2/2
	run -0 --separate-stderr madport leaf2/2 disable --yes -y 0x1234
	umask 077
	echo 0x200003 0x1234 >keys
	run -0 --separate-stderr madport leaf2/2 enable --yes -y @keys --deadline 3000
}

# preloaded COMMAND...: with tests/sim/port.c
preloaded() {
	env LD_PRELOAD="${MADKIT_PRELOAD:+$MADKIT_PRELOAD:}$MADKIT_BUILD/tests/sim/.libs/port.so" "$@"
}

@test "the node behind a switch that protects reading is not asked without its M_Key" {
	local device="sim:fat-tree:1,2,0@leaf1,control=info leaf1 0 Mkey=7 ProtectBits=2,control=info h1-2 1 Mkey=7 ProtectBits=2"
	echo "$(madsend -q --device "$device" -y 7 Get NodeInfo -j --fields data.Guid | jq -r .data.Guid) 7" >keys
	chmod 600 keys
	run -3 --separate-stderr madport --device "$device" -m 2 -y @keys -w capture
	[[ ${lines[0]} == *"the other end was not read, because its M_Key is not known (--m-key)" ]] || { echo "$output $stderr"; return 1; }
	[[ $(madrecv -r capture -j | jq -r 'select(.kind == "request").remote.path | select(.)' | sort -u) == 0 ]]
	run -0 madport --device "$device" -m 2 -y 7
	[[ ${lines[0]} == "leaf1/2 <-> h1-2 HCA-1/1: Active, "* ]]
	run -2 madport --device "$device" -y 7
	[[ $output == *"is a switch: choose a port by -m"* ]]
}

@test "changes are in the system log" {
	serve_tree
	run -0 preloaded SYSLOG_FILE="$dir/log" madport leaf2/2 reset --yes
	[[ $(cat log) == "5 leaf2/2: LinkUp -> Polling (reset) ($MADKIT_DEVICE, uid $(id -u))" ]]
	run -0 preloaded SYSLOG_FILE="$dir/log" madport leaf2/2 reset --dry-run
	[[ $(wc -l <log) == 1 ]]
}

@test "a port that ignores a Set is 6, with the field and both values" {
	local words wanted
	serve_tree
	while IFS='|' read -r words wanted; do
		# shellcheck disable=SC2086  # several words
		run -6 --separate-stderr preloaded IGNORED=1 madport leaf2/2 $words --yes --deadline 1000
		[[ -z $output && $stderr == *"leaf2/2 ignored the Set: $wanted as requested" ]] || { echo "$stderr"; return 1; }
	done <<-'END'
		disable|PhysLinkState is 5, not 3
		width 1x|LinkWidthEnabled is 19, not 1
		speed EDR|LinkSpeedExtEnabled is 7, not 3
		speed QDR|LinkSpeedExtEnabled is 7, not 30
	END
}

@test "a reader that is gone, and a full disk" {
	run -1 bash -c "madport --device $tree >&-"
	[[ ! -w /dev/full ]] || run -1 bash -c "madport --device $tree >/dev/full"
}

@test "a Set without a response: the port may have been changed, which is said" {
	local words n
	for words in disable 'speed EDR'; do
		# from the first response on that is the one to the Set
		for ((n = 5; n < 40; n++)); do
			# shellcheck disable=SC2086
			run --separate-stderr madport leaf2/1 $words --yes --deadline 3000 \
				--device "sim:fat-tree:4,4,2,fault=drop node=leaf2 attribute=PortInfo method=GetResp class=SubnMgt nth=$n+"
			[[ $stderr != *'no response to Set'* ]] || break
		done
		[[ $status == 3 && ${stderr_lines[1]} == *'no response to Set PortInfo'* ]]
		[[ ${stderr_lines[2]} == 'madport: leaf2/1 may have been changed: no response was received' ]]
	done
}

# local_port LID PORT: the local port of a port of a switch, by PortMapping of every local port
local_port() {
	local inner
	for inner in {1..148}; do
		printf '{"header":{"method":"Get","attribute":"PortMapping"},"remote":{"lid":%d},"data":{"PortSelect":%d},"tag":%d}\n' \
			"$1" "$inner" "$inner"
	done | madsend --device "$tree" --batch - -j 2>/dev/null | jq "select(.data.IBPort == $2).tag"
}

# serial LID LOCAL: the serial number in ModuleInfo
serial() { madsend --device "$tree" -L "$1" -j Get ModuleInfo PortSelect="$2" | jq -r .data.VendorSerialNumber; }

@test "the cable of both ends, with one serial number, is one line" {
	local inner serial
	inner=$(local_port 8 2)
	((inner > 0 && inner != 2))
	serial=$(serial 8 "$inner")
	[[ $serial == MT* && $(serial 13 1) == "$serial" ]]
	run -0 --separate-stderr madport --device "$tree" leaf2/2
	[[ ${lines[-1]} == "cable: Mellanox MCP1650-H002E26 SN $serial, 2 m passive copper, QSFP28" && -z $stderr ]]
	(($(grep -c cable <<<"$output") == 1))
	# copper has no temperature
	[[ $(cell 'bit errors') == *'e-'*', none after RS(544,514)' && $output != *$'\nmodule '* ]]
	run -0 madport --device "$tree@h2-2"
	[[ ${lines[-1]} == "cable: "*" SN $serial, "* ]]
	run -0 madport --device "$tree" leaf2/4
	[[ ${lines[-1]} == *' m active optical, '* && $(cell module) =~ ^[0-9.]+\ C,\ Rx\ -?[0-9]+\ dBm$ ]]
	run -6 --separate-stderr madport --device "$tree,control=link leaf2 2 down" leaf2/2
	[[ ${lines[-1]} == "cable at leaf2/2: "* && $output != *'bit errors'* && -z $stderr ]]
}

@test "JSON has a line for each register of each end, of the right port" {
	madport --device "$tree" leaf2/2 -j >out
	[[ $(jq -r 'select(.kind == "response") | "\(.port.node.name) \(.header.attribute)"' out) == 'leaf2 PortCounters
h2-2 HCA-1 PortCounters
leaf2 ModuleInfo
leaf2 BitErrors
leaf2 PhyOperation
leaf2 LinkDownInfo
h2-2 HCA-1 ModuleInfo
h2-2 HCA-1 BitErrors
h2-2 HCA-1 PhyOperation
h2-2 HCA-1 LinkDownInfo' ]]
	[[ $(jq -r 'select(.header.attribute == "ModuleInfo").data.VendorSerialNumber' out | sort -u) == "$(serial 13 1)" ]]
	python3 "$BATS_TEST_DIRNAME/../schema.py" "$BATS_TEST_DIRNAME/../../schema/madkit-1.schema.json" <out
}

@test "registers are only read, one request at a time, and the local port is searched from the port's number on" {
	local last=0 n=0 number distance inner
	madport --device "$tree" leaf2/2 -w capture >/dev/null
	madrecv -r capture -j | jq -c 'select(.header.class == "Mlnx")' >mads
	[[ $(jq -r .header.method mads | sort -u) == $'Get\nGetResp' ]]
	[[ $(jq -r 'select(.kind == "request" and .header.attribute == "GeneralInfo").remote.lid' mads | sort | uniq -c | awk '{ print $1 }') == $'1\n1' ]]
	# no request before the response to the last one
	[[ -z $(jq -r .kind mads | uniq -d) ]]
	while read -r number; do
		distance=$((number > 2 ? number - 2 : 2 - number))
		((number > 0 && distance >= last))
		last=$distance inner=$number n=$((n + 1))
	done < <(jq 'select(.kind == "request" and .header.attribute == "PortMapping").data.PortSelect' mads)
	((n > 1 && inner == $(local_port 8 2)))
	[[ $(jq -r 'select(.kind == "request" and .header.attribute == "ModuleInfo").data.PortSelect' mads) == "$inner"$'\n1' ]]
}

@test "devices of another vendor, and without registers, are not mentioned" {
	local words
	madsim --generate fat-tree:3,3,2 | sed 's/^vendid=.*/vendid=0x1234/' >other.net
	grep -q '^vendid=0x1234' other.net
	for words in "sim:other.net" "$tree,control=register all off"; do
		run -0 --separate-stderr madport --device "$words" leaf2/2
		[[ ${lines[0]} == *"as good as both ends support" && ${lines[-1]} == errors* && -z $stderr ]] || { echo "$words: $output $stderr"; return 1; }
		madport --device "$words" leaf2/2 -j >out
		[[ $(jq -r .header.attribute out | sort -u) == $'PortCounters\nnull' ]]
	done
	# one of two ends
	run -0 --separate-stderr madport --device "$tree,control=register h2-2 off" leaf2/2
	[[ ${lines[-1]} == "cable at leaf2/2: Mellanox "* && -z $stderr && $(grep -c cable <<<"$output") == 1 && $(cell 'bit errors' 2) == - ]]
}

@test "an end without data has ? and a reason, and one that does not have the value -" {
	local words second why locked hint='madport: hint: a node with another V_Key may not respond: --v-key'
	while IFS='|' read -r words second why locked; do
		run -0 --separate-stderr madport --device "$tree,control=$words" leaf2/2 -t 20
		[[ ${lines[0]} == *"as good as both ends support" && $(cell module) == '?' && $(cell 'bit errors') == '?' ]] || { echo "$words: $output"; return 1; }
		[[ $(cell module 2) == "$second" ]] || { echo "$words: $output"; return 1; }
		[[ ${stderr_lines[0]} == "madport: not all registers of leaf2/2 were read: $why" ]] || { echo "$words: $stderr"; return 1; }
		[[ -z $locked || ${stderr_lines[-1]} == "$hint" ]]
		[[ -n $locked || $stderr != *hint* ]]
		# one line for each end
		[[ $(grep -c 'not all registers' <<<"$stderr") == "$([[ $second == '?' ]] && echo 2 || echo 1)" ]]
	done <<-'END'
		vkey leaf2 0x1234|-|no response to Get GeneralInfo|1
		vkey all 0x1234|?|no response to Get GeneralInfo|1
		vkey all 0x1234 4|?|Get GeneralInfo was answered with status 4: class not supported|1
		agent leaf2 mute gsi|-|no response to Get PortCounters|
		register leaf2 refuse=20|-|Get PortMapping was answered with status 20: register not supported|
		register leaf2 wrong=register|-|a wrong response to Get PortMapping|
	END
	# the key may be wrong
	run -0 --separate-stderr madport --device "$tree,control=vkey all 0x1234" leaf2/2 -t 20 --v-key 0x1
	[[ $stderr == *'no response to Get GeneralInfo'* && ${stderr_lines[-1]} == "$hint" ]]
	# the other registers are shown
	run -0 --separate-stderr madport --device "$tree,control=register leaf2 refuse=20 0x5031" leaf2/2
	[[ $(cell module) == '?' && $(cell module 2) == - && $(cell 'bit errors') == *e-* ]]
	[[ $stderr == "madport: not all registers of leaf2/2 were read: Get ModuleInfo was answered with status 20: register not supported" ]]
	run -0 --separate-stderr madport --device "$tree,control=register leaf2 wrong=page" leaf2/2
	[[ $(cell module) == '?' && $stderr == "madport: not all registers of leaf2/2 were read: RegisterPortCounters disagrees with PortCounters (its answer is about another register)" ]]
}

# between REGISTER COMMAND...: runs madport leaf2/2, and COMMAND while it waits for the first response about this attribute from h2-2
between() {
	control fault drop node=h2-2 class=Mlnx attribute="$1"
	madport leaf2/2 -t 200 --retries 200 >out 2>err &
	pid=$!
	started+=("$pid")
	until [[ $(control fault list | jq -s 'flatten | .[0].matched') -gt 0 ]]; do :; done
	control "${@:2}"
	control fault clear
	wait "$pid"
}

@test "two serial numbers of a link: each end is a line, and what that means" {
	serve_tree
	between GeneralInfo cable leaf2 2 serial=OTHER1
	[[ $(grep -c ^cable out) == 2 && $(tail -n 3 out | head -n 1) == "cable at leaf2/2: "*" SN MT"* ]]
	[[ $(tail -n 2 out) == "cable at h2-2/1: "*" SN OTHER1, 2 m passive copper, QSFP28
serial numbers differ, although a copper cable has one: are these ends of two cables?" ]]
	control cable leaf2 2 type=Optical technology=6 serial=A
	between GeneralInfo cable leaf2 2 serial=B
	[[ $(tail -n 3 out | sed 's/.* SN //') == "A, 2 m optical, QSFP28
B, 2 m optical, QSFP28
serial numbers differ, as those of two transceivers do; an active cable has one" ]]
	# the same again: one line
	madport leaf2/2 >out
	[[ $(tail -n 1 out) == "cable: "*" SN B, 2 m optical, QSFP28" && $(grep -c serial out) == 0 ]]
}

@test "what modules and bit errors report is shown at the right end" {
	run -0 madport --device "$tree,control=ber leaf2 4 raw=3e-8 effective=2e-13,control=temperature leaf2 4 71.5,control=fec leaf2 4 1" leaf2/4
	[[ $(cell 'bit errors') == '3e-8, 2e-13 after Firecode' && $(cell 'bit errors' 2) == *' after RS(544,514)' ]]
	[[ $(cell module) == '71.5 C, Rx '* && $(cell module 2) != 71.5* ]]
	run -0 madport --device "$tree,control=ber leaf2 4 raw=0 effective=0 symbol=1e-5" leaf2/4
	[[ $(cell 'bit errors') == '-, - after RS(544,514), symbols 1e-5' ]]
	# the weakest of four lanes, and not 0 dBm of one that the module does not have
	run -0 madport --device "$tree,control=module leaf2 4 rx=1500" leaf2/4
	[[ $(cell module) == *', Rx 2 dBm' ]] || { echo "$output"; return 1; }
	run -0 madport --device "$tree,control=module leaf2 4 rx=1000" leaf2/4
	[[ $(cell module) == *', Rx 0 dBm' ]]
	run -0 madport --device "$tree,control=reason h2-2 1 2" leaf2/2
	[[ $(cell 'last link-down' 2) == 'local: high bit error rate' ]]
	run -0 madport --device "$tree,control=reason leaf2 2 0 23" leaf2/2
	[[ $(cell 'last link-down') == 'remote: cable unplugged' ]]
	run -0 madport --device "$tree,control=cable leaf2 2 none" leaf2/2
	[[ $output == *$'\ncable at leaf2/2: unplugged\ncable at h2-2/1: unplugged' ]]
}

@test "registers that disagree with PortInfo, refuse or answer something else are not shown, which is never a failure" {
	local word why
	serve_tree
	between GeneralInfo link leaf2 2 width=1x
	[[ $(<err) == "madport: not all registers of h2-2/1 were read: LinkModes disagrees with PortInfo (1x HDR, 4x HDR)" ]]
	[[ $(grep -c "^cable at leaf2/2: " out) == 1 && $(grep -c "^cable" out) == 1 ]]
	while IFS='|' read -r word why; do
		run -0 --separate-stderr madport --device "$tree,control=register leaf2 $word" leaf2/2
		[[ $stderr == "${why:+madport: not all registers of leaf2/2 were read: $why}" ]] || { echo "$word: $stderr"; return 1; }
		[[ ${lines[-1]} == "cable at h2-2/1: Mellanox "* && ${lines[0]} == *"as good as both ends support" ]] || { echo "$word: $output"; return 1; }
	done <<-'END'
		off|
		refuse=20 0x5031|Get ModuleInfo was answered with status 20: register not supported
		refuse=20|Get PortMapping was answered with status 20: register not supported
		refuse=99 0x500a|Get PortMapping was answered with status 99
		wrong=register|a wrong response to Get PortMapping
		wrong=block|a wrong response to Get PortMapping
		wrong=port|a wrong response to Get PortMapping
		wrong=page|RegisterPortCounters disagrees with PortCounters (its answer is about another register)
	END
	# LinkModes that is refused shows nothing: DeviceInfo agrees
	run -0 --separate-stderr madport --device "$tree,control=register leaf2 refuse=28 0x5004" leaf2/2
	[[ ${lines[-1]} == "cable: Mellanox "* && -z $stderr ]]
	# a response need not have the fields of the request
	run -0 --separate-stderr madport --device "$tree,control=register leaf2 noecho" leaf2/2
	[[ ${lines[-1]} == "cable: Mellanox "* && -z $stderr ]]
	# a speed that PortInfo does not have is not compared
	madsim --generate fat-tree:3,3,2 | sed 's/4xHDR/4xFDR10/; s/^vendid=.*/vendid=0x2c9/; s/^devid=.*/devid=0xcb20/' >fdr10.net
	for word in '' ',control=fault drop attribute=MLNXExtendedPortInfo'; do
		run -0 --separate-stderr madport --device "sim:fdr10.net$word" leaf2/2 -t 50
		[[ $output == *'cable at leaf2/2: Mellanox '* && -z $stderr ]] || { echo "$word: $output $stderr"; return 1; }
	done
	# registers that are refused have their status in JSON
	madport --device "$tree,control=register leaf2 refuse=20 0x5031" leaf2/2 -j >out
	[[ $(jq -r 'select(.status.mad == 20).header.attribute' out) == $'ModuleInfo\nPhyOperation\nLinkDownInfo' ]]
}

@test "a port of a switch is shown if madsweep, too, trusts the switch" {
	local word wanted
	# shown NODE FILE: if JSON has ModuleInfo of a node
	shown() { jq -s "any(.header.attribute == \"ModuleInfo\" and .kind == \"response\" and .status.mad == 0 and (.port.node.name | startswith(\"$1\")))" "$2"; }
	while IFS='|' read -r word wanted; do
		# of the node alone: several nodes of a type are judged together
		madsweep --device "$tree,control=register $word" --select "node.name =~ \"^${word%% *}\"" -j Get ModuleInfo >swept || true
		madport --device "$tree,control=register $word" -j leaf2/2 >ends
		[[ $(shown "${word%% *}" swept) == "$wanted" && $(shown "${word%% *}" ends) == "$wanted" ]] || { echo "$word"; return 1; }
	done <<-'END'
		leaf2 wrong=port|false
		leaf2 wrong=page|false
		leaf2 wrong=block|false
		leaf2 refuse=28 0x5004|true
		leaf2 refuse=28 0x9020|true
		leaf2 off|false
		h2-2 wrong=page|false
		h2-2 refuse=28 0x5004|true
		h2-2 off|false
	END
}

@test "port 2 of a CA, of which registers have one port, does not show the cable of port 1" {
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
	run -0 --separate-stderr madport --device sim:two.net a/1
	[[ ${lines[-1]} == "cable: Mellanox "* && -z $stderr ]]
	run -0 --separate-stderr madport --device sim:two.net a/2
	[[ ${lines[-1]} == "cable at S-1/2: Mellanox "* && $(cell 'bit errors') == '?' ]]
	[[ $stderr == "madport: not all registers of a/2 were read: only port 1 of a CA has registers" ]]
}

@test "a V_Key goes to its node, and is not shown" {
	run -0 --separate-stderr madport --device "$tree,control=vkey all 0x1234" leaf2/2
	[[ $output != *cable* ]]
	run -0 --separate-stderr madport --device "$tree,control=vkey all 0x1234" leaf2/2 --v-key 0x1234
	[[ ${lines[-1]} == "cable: Mellanox "* ]]
	# the switch has GUID 0x200003, the host 0x100008
	echo '0x200003 0x1234' >keys
	run -0 --separate-stderr madport --device "$tree,control=vkey all 0x1234" leaf2/2 --v-key @keys -w capture -d
	[[ ${lines[-1]} == "cable at leaf2/2: Mellanox "* && $stderr != *1234* ]]
	[[ $(madrecv -r capture -j -K | jq -r 'select(.header.class == "Mlnx" and .kind == "request").header | select(.v_key != "0x0000000000000000").v_key' 2>/dev/null | sort -u) != *1234* ]]
	madport --device "$tree,control=vkey all 0x1234" leaf2/2 --v-key @keys -w capture -K >/dev/null
	[[ $(madrecv -r capture -j -K | jq -r 'select(.header.class == "Mlnx" and .kind == "request") | "\(.remote.lid) \(.header.v_key)"' | sort -u) == $'13 0x0000000000000000\n8 0x0000000000001234' ]]
}
