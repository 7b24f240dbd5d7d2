#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# madsweep: --hops and --from, and what they leave out.

setup() { load common; }

teardown() { clean_up; }

# net < LINKS: makes $dir/net of lines "NODE PORT NODE PORT". Nodes of which the name begins with s are switches with 6 ports,
# others are hosts with 2.
net() {
	awk '
	{ port[$1, $2] = $3 "\"[" $4 "]"; port[$3, $4] = $1 "\"[" $2 "]"; }
	!($1 in seen) { seen[$1]; order[++n] = $1 }
	!($3 in seen) { seen[$3]; order[++n] = $3 }
	END {
		for (i = 1; i <= n; i++) {
			ports = order[i] ~ /^s/ ? 6 : 2
			printf "%s\t%d \"%s\"\t# \"%s\"\n", ports == 6 ? "Switch" : "Hca", ports, order[i], order[i]
			for (p = 1; p <= ports; p++)
				if ((order[i], p) in port)
					printf "[%d]\t\"%s\n", p, port[order[i], p]
			print ""
		}
	}' >"$dir/net"
}

# nodes: those of JSON lines.
nodes() { jq -r 'select(.kind == "port").port.node.name' | sort -u | paste -sd' '; }

# open_ends: ports of JSON lines that are up, without the other end, or the possible rate of the link.
open_ends() { jq -r 'select(.kind == "port").port | select(.state != "Down" and .number > 0 and (.peer.lid == null or .width_best == null)) | "\(.node.name)/\(.number)"'; }

# The host h is linked to both ends of a row of switches, and so is d.
row() {
	net <<-END
		h 1 s1 1
		s1 2 s2 1
		s2 2 s3 1
		s3 2 s4 1
		h 2 s3 3
		d 1 s1 3
		d 2 s4 2
		a 1 s2 3
		b 1 s4 3
	END
}

@test "W7: --hops equals the nodes that are so near, although a detour is faster" {
	# the short way from s1 to x is through a slow switch
	net <<-END
		h 1 s1 1
		s1 2 sa 1
		sa 2 sx 1
		s1 3 sb 1
		sb 2 sc 1
		sc 2 sd 1
		sd 2 sx 2
		sx 3 sy 1
		y 1 sy 2
		sy 3 sz 1
	END
	local device="sim:$dir/net@h,control=agent sa slow=20" words
	for words in '--hops 3:h s1 sa sb sc sx' '--hops 4:h s1 sa sb sc sd sx sy' '--hops 5:h s1 sa sb sc sd sx sy sz y'; do
		# shellcheck disable=SC2086
		run -0 --separate-stderr madsweep --device "$device" -j ${words%:*} --strict
		[[ $(nodes <<<"$output") == "${words#*:}" ]] || { nodes <<<"$output"; false; }
		[[ -z $(open_ends <<<"$output") ]] || { open_ends <<<"$output"; false; }
		[[ $(jq -r 'select(.kind == "summary").data.complete' <<<"$output") == true ]]
	done
}

@test "W8: --hops counts out of one port of a host with two, and links at the edge have both ends" {
	row
	local device="sim:$dir/net@h,control=link s3 2 width=1x"
	run -0 --separate-stderr madsweep --device "$device" -j --hops 2 --assert 'width == width_best'
	[[ $(nodes <<<"$output") == 'd h s1 s2' && -z $(open_ends <<<"$output") ]] || { echo "$output"; false; }
	run -6 --separate-stderr madsweep --device "$device" -j --hops 3 --assert 'width == width_best'
	[[ $(nodes <<<"$output") == 'a d h s1 s2 s3' && -z $(open_ends <<<"$output") ]] || { echo "$output"; false; }
}

@test "W8: --from a route, a GUID or a name of a host with two ports: one distance, and the port is said" {
	row
	local device=sim:$dir/net@h guids from
	guids=$(madsweep -q --device "$device" -j --select 'node.name == d' | jq -r '"\(.port.number) \(.port.guid)"')
	for from in 0,1,3 d "$(awk '$1 == 1 { print $2 }' <<<"$guids")"; do
		run -0 --separate-stderr madsweep --device "$device" -j --from "$from" --hops 1
		[[ $(nodes <<<"$output") == 'd s1' && -z $(open_ends <<<"$output") ]] || { echo "$from: $output"; false; }
		if [[ $from == d ]]; then
			[[ ${stderr_lines[0]} == "madsweep: --from 'd' begins at port 1 of d" && ${stderr_lines[1]} == 'madsweep: hint: '* ]]
		else
			[[ $stderr != *'begins at port'* ]]
		fi
		run -0 --separate-stderr madsweep --device "$device" -j --from "$from" --hops 2
		[[ $(nodes <<<"$output") == 'd h s1 s2' ]] || { echo "$from: $output"; false; }
	done
	for from in 0,1,2,2,2,2 "$(awk '$1 == 2 { print $2 }' <<<"$guids")"; do
		run -0 --separate-stderr madsweep --device "$device" -j --from "$from" --hops 2
		[[ $(nodes <<<"$output") == 'b d s3 s4' && -z $(open_ends <<<"$output") ]] || { echo "$from: $output"; false; }
	done
	# by its name, this host begins at the port that sends, as without --from
	for from in '' '--from h'; do
		# shellcheck disable=SC2086
		run -0 --separate-stderr madsweep --device "sim:$dir/net@h:2" -j $from --hops 1
		[[ $(nodes <<<"$output") == 'h s3' ]] || { echo "$output"; false; }
	done
}

@test "W16: --via sa --hops shows the other end of a host's second link" {
	row
	local device=sim:$dir/net@h hops
	for hops in 1 2 3 4; do
		run -0 --separate-stderr madsweep --device "$device" -j --via sa --hops $hops --strict
		[[ -z $(open_ends <<<"$output") ]] || { open_ends <<<"$output"; false; }
		[[ $(nodes <<<"$output") == $(madsweep -q --device "$device" -j --hops $hops | nodes) ]] || { nodes <<<"$output"; false; }
		[[ $(jq -r 'select(.kind == "summary").data.complete' <<<"$output") == true ]]
	done
	for hops in 1 2; do
		run -0 --separate-stderr madsweep --device "$device" -j --via sa --from 0,1,3 --hops $hops
		[[ $(nodes <<<"$output") == $(madsweep -q --device "$device" -j --from d --hops $hops | nodes) ]] || { nodes <<<"$output"; false; }
	done
}

@test "W15: a silent node at the other end of a link within --hops is in the summary, and a failure with --strict" {
	local from device
	for from in '' '--from h1-1' '--from 0,1,2'; do
		# shellcheck disable=SC2086
		run -3 --separate-stderr madsweep --device 'sim:fat-tree:2,2,2@h1-1,control=agent spine1 mute smi' $from -t 50 --hops 1 --strict -j
		[[ $stderr == *'no response from the node behind leaf1 port 3'* ]]
		jq -s -e 'last.data | .nodes == 2 and .silent == 1 and .complete == false' <<<"$output"
	done
	# it has NodeInfo, but the other end of the link is not known
	for from in '' '--from h1-1'; do
		# shellcheck disable=SC2086
		run -3 --separate-stderr madsweep --device 'sim:fat-tree:2,2,2@h1-1,fault=drop node=spine1 method=GetResp attribute=PortInfo' $from -t 50 --hops 1 --strict -j
		[[ $stderr == *spine1* ]]
		jq -s -e 'last.data | .nodes == 2 and .silent + .partial == 1 and .complete == false' <<<"$output" || { tail -n1 <<<"$output"; false; }
	done
	# of its ports, only the one of the link counts: the second response is about port 1, the third about port 2
	device='sim:fat-tree:2,2,2@h1-1,fault=drop node=spine1 method=GetResp attribute=PortInfo'
	run -3 --separate-stderr madsweep --device "$device nth=2" --retries 0 -t 50 --hops 1 --strict
	[[ $stderr == *'not read from '*' spine1 (0,1,3): PortInfo of port 1 (no response)'* ]]
	run -0 --separate-stderr madsweep --device "$device nth=3" --retries 0 -t 50 --hops 1 --strict
	run -3 --separate-stderr madsweep --device "$device nth=3" --retries 0 -t 50 --hops 2 --strict
	[[ $stderr == *'not read from '*' spine1 (0,1,3): PortInfo of port 2 (no response)'* ]]
	# nodes behind that do not count
	run -0 --separate-stderr madsweep --device 'sim:fat-tree:2,2,1@h1-1,control=agent leaf2 mute smi' -t 50 --hops 1 --strict -j
	jq -s -e 'last.data | .silent == 0 and .complete' <<<"$output"
	run -0 --separate-stderr madsweep --device 'sim:fat-tree:2,2,1@h1-1,control=agent leaf2 mute smi' -t 50 --from h1-1 --hops 1 --strict -j
	jq -s -e 'last.data | .silent == 0 and .complete' <<<"$output"
}

@test "W5: --assert passes only what was checked: it implies --strict" {
	local device='sim:fat-tree:2,3,1@h1-1,control=agent leaf2 mute smi'
	run -0 madsweep -q -t 50 --device "$device"
	run -3 madsweep -q -t 50 --device "$device" --assert 'state == Active || state == Down'
	run -3 madsweep -q -t 50 --device "$device" --strict --assert 'state == Active || state == Down'
	device='sim:fat-tree:2,3,1@h1-1,fault=drop node=h1-3 class=PerfMgt'
	run -0 madsweep -q -t 50 --device "$device" Get PortCounters
	run -3 madsweep -q -t 50 --device "$device" Get PortCounters --assert 'SymbolErrorCounter == 0'
	# and a port that was read fails
	run -6 madsweep -q --device sim:fat-tree:2,3,1 --assert 'speed == XDR'
}

# table NODE: "LID PORT" of the forwarding table of a switch, from its blocks
table() {
	madsend -q --device "$device" --name "$1" -j -m all Get LinearForwardingTable |
		jq -r 'select(.data) | .header.modifier as $block | .data.Port | to_entries[] | "\($block * 64 + .key) \(.value)"'
}

@test "--behind: the hosts to which a switch forwards by a port, as its table says" {
	local device=sim:fat-tree:4,5,3,seed=7 switch port
	for switch in leaf2 spine3; do
		table "$switch" >"$dir/table"
		[[ -s $dir/table ]]
		for port in 1 2 3 4 5 6 7 8; do
			[[ $switch == leaf2 || $port -le 4 ]] || continue
			run -0 --separate-stderr madsweep --device "$device" --behind "$switch/$port" -j
			diff <(jq -r 'select(.kind == "port").port.node.name' <<<"$output" | sort) <(
				madsweep -q -j --device "$device" --select 'node.type == CA' | jq -r 'select(.port) | "\(.port.lid) \(.port.node.name)"' |
					while read -r lid name; do grep -qx "$lid $port" "$dir/table" && echo "$name"; done | sort)
		done
	done
	run -0 --separate-stderr madsweep --device "$device" --behind spine1/2 Get NodeInfo
	((${#lines[@]} == 6))
}

@test "--behind: hosts that do not respond are missing, which is said" {
	local said='madsweep: --behind: hosts that do not respond are not listed, although packets to them may pass'
	run -0 --separate-stderr madsweep --device sim:fat-tree:2,2,1 --behind leaf1/3
	[[ $(grep -c '^h2-' <<<"$output") == 2 && $stderr != *"$said"* ]]
	run -0 --separate-stderr madsweep --device 'sim:fat-tree:2,2,1,control=agent h2-2 mute' --behind leaf1/3
	[[ $(grep -c '^h2-' <<<"$output") == 1 && $stderr == *"$said"* ]]
}

@test "--behind: what is not a port of a switch, a table that was not read, a route that it contradicts" {
	local device=sim:fat-tree:2,2,1 word wanted
	while IFS='|' read -r word wanted; do
		run -2 madsweep --device "$device" --behind "$word"
		[[ $output == *"$wanted"* ]] || { echo "$output"; return 1; }
	done <<-'END'
		leaf2|'leaf2' is not a port of a switch
		leaf2/x|'leaf2/x' is not a port of a switch
		/1|'/1' is not a port of a switch
		leaf2/256|'leaf2/256': a port is a number up to 255
		leaf2/4|the ports of this switch are 1 to 3
		leaf2/0|the ports of this switch are 1 to 3
		h1-1/1|only switches forward packets
	END
	run -6 madsweep --device "$device" --behind leaf9/1
	run -2 madsweep --device "$device" --behind leaf2/1 --route h1-1,h2-1
	run -2 madsweep --device "$device" --behind leaf2/1 --topology
	run -3 --separate-stderr madsweep --device "$device,fault=drop class=0x81 attribute=LinearForwardingTable node=leaf2" -t 20 --behind leaf2/1
	[[ $stderr == *'the forwarding table of the switch was not read'* && -z $output ]]
}

@test "text and tables are in the order of names, JSON in that of GUIDs" {
	local device=sim:fat-tree:2,11,1
	run -0 --separate-stderr madsweep --device "$device"
	diff <(awk 'NR > 1 { print $1 }' <<<"$output" | uniq) <(printf '%s\n' h{1,2}-{1..11} leaf1 leaf2 spine1)
	run -0 --separate-stderr madsweep --device "$device" Get NodeInfo -f csv
	diff <(tail -n +2 <<<"$output" | cut -d ' ' -f 1 | cut -d , -f 1) <(printf '%s\n' h{1,2}-{1..11} leaf1 leaf2 spine1)
	run -0 --separate-stderr madsweep --device "$device" -j
	diff <(jq -r '.port.node.guid | select(.)' <<<"$output") <(jq -r '.port.node.guid | select(.)' <<<"$output" | sort)
}
