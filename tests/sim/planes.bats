#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Fabrics with planes of XDR, split ports and aggregation nodes: in files, from the generator, in all that shows them.

setup() {
	load common
	cd "$dir" || return
}

teardown() { clean_up; }

# ports DEVICE EXPR FIELDS: what jq makes of the objects "port" that EXPR selects
ports() { madsweep -q -j --device "$1" --select "$2" | jq -r "select(.kind == \"port\") | .port | $3"; }

# nodes_of: the nodes of a file, each on a line, sorted: all but comments
nodes_of() {
	sed '/^#/d' |
		awk 'BEGIN { RS = ""; FS = "\n" } { line = $1; for (i = 2; i <= NF; i++) line = line "|" $i; print line }' |
		sort
}

@test "planes are ports of one node with one GUID and one LID, each with its link" {
	run -0 ports sim:fat-tree:2,3,2+planes 'node.name == "h2-1 HCA-1"' '[.guid, .lid, .width, .speed, .peer.number] | @tsv'
	[[ ${#lines[@]} -eq 4 && $(cut -f1-4 <<<"$output" | sort -u | wc -l) -eq 1 ]] || { echo "$output"; return 1; }
	[[ $output == *$'\t1x\tXDR\t1\n'*$'\t4' ]]
	# each answers with its number
	for plane in 1 2 3 4; do
		run -0 madsend --device sim:fat-tree:1,2,0+planes -D "0,1,$((plane + 4))" -j Get PortInfo -m 0
		[[ $(jq -c '[.data.LocalPort, .data.LinkWidthSupported_name, .data.LinkSpeedExtActive2_name]' <<<"$output") == "[$plane,"* ]] ||
			{ echo "$output"; return 1; }
	done
}

@test "a plane that goes down: the subnet manager routes the LID to the next one" {
	serve fat-tree:2,2,1+planes --sweep 0
	export MADKIT_DEVICE=sim:unix:$socket@h1-1
	lid=$(madsweep -j --select 'node.name == "h2-1 HCA-1"' | jq -s '.[0].port.lid')
	[[ $(madsend --name leaf2 Get LFT -m 0 -j | jq ".data.Port[$lid]") == 1 ]]
	control link h2-1 1 down
	until [[ $(madsend --name leaf2 Get LFT -m 0 -j | jq ".data.Port[$lid]") == 2 ]]; do :; done
	run -0 madcheck --rules standard,route
	[[ ${lines[0]} == "OK: no problems in 7 nodes (3 switches), 23 links" ]]
	run -0 madsend -L "$lid" Get PortCounters PortSelect=2 --class PerfMgt
	control link h2-1 1 up
	until [[ $(madsend --name leaf2 Get LFT -m 0 -j | jq ".data.Port[$lid]") == 1 ]]; do :; done
}

@test "planes of a file are read and written; the same GUID at another node is refused" {
	madsim --generate fat-tree:2,2,1+planes+aggregation >tree
	run -0 madsweep -q --topology --device sim:tree
	echo "$output" >ours
	diff <(grep -c . tree) <(grep -v '^#' ours | grep -c .)
	run -0 madsweep -q --topology --device sim:ours
	diff <(nodes_of <ours) <(nodes_of <<<"$output")
	sed 's/0000000000100001/0000000000100006/; s/(100001)/(100006)/' tree >twice
	run -5 --separate-stderr madsim twice -- true
	[[ $stderr == *"another port has the GUID 100006"* ]] || { echo "$stderr"; return 1; }
}

@test "--hosts planar: the SMI device has each plane of the topology" {
	# shellcheck disable=SC2016
	run -0 --separate-stderr inside fat-tree:1,2,0+planes --hosts planar -- bash -c '
		madreg --list -j | jq -r ".data | \"\(.ca) \(.port)\""
		for port in 1 2 3 4; do madsend --device umad:smi1/$port -D 0 -j Get PortInfo | jq .data.LocalPort; done
		madsend -L 1 Get ClassPortInfo --class PerfMgt -j | jq -r .header.class'
	[[ $(grep -c '^smi1 ' <<<"$output") -eq 4 && $(grep -c '^sim0 ' <<<"$output") -eq 1 ]] || { echo "$output"; return 1; }
	[[ $output == *$'1\n2\n3\n4\nPerfMgt' ]] || { echo "$output"; return 1; }
}

@test "aggregation nodes: at the last port of each switch, never the default node" {
	run -0 ports sim:fat-tree:2,2,1+aggregation 'node.name >= "Mellanox" && node.name < "Mellanoy"' '[.peer.node.name, .peer.number, .width, .speed] | @tsv'
	[[ $(sort <<<"$output") == $'leaf1\t4\t4x\tHDR\nleaf2\t4\t4x\tHDR\nspine1\t3\t4x\tHDR' ]] || { echo "$output"; return 1; }
	# the first and the last channel adapters of the file
	{
		echo 'Ca 1 "a1" # "Mellanox Technologies Aggregation Node"'
		printf '[1] "s"[1]\nCa 1 "h1" # "h1 HCA-1"\n[1] "s"[2]\nCa 1 "h2" # "h2 HCA-1"\n[1] "s"[3]\n'
		echo 'Ca 1 "a2" # "Mellanox Technologies Aggregation Node of SHARP"'
		printf '[1] "s"[4]\nSwitch 4 "s"\n[1] "a1"[1]\n[2] "h1"[1]\n[3] "h2"[1]\n[4] "a2"[1]\n'
	} >odd
	run -0 madsend --device sim:odd -D 0 -j Get NodeDescription
	[[ $(jq -r .data.NodeDescription <<<"$output") == "h1 HCA-1" ]] || { echo "$output"; return 1; }
	run -0 madsend --device sim:odd -j GetTable SMInfoRecord
	sm=$(jq -r .data.LID <<<"$output")
	[[ $(ports sim:odd "lid == $sm" .node.name | head -1) == "h2 HCA-1" ]]
}

@test "2x at a switch is a split port; 1x at XDR is a plane; neither changes the other ports; w= may say it" {
	{
		printf 'vendid=0x2c9\ndevid=0xd2f4\nSwitch 6 "s1"\n[1] "s2"[1] # "s2" lid 2 4xNDR\n[2] "s2"[2] # "s2" lid 2 1xXDR\n'
		printf '[3] "s2"[3] # "s2" lid 2 2xNDR\n[4] "s2"[4] # "s2" lid 2 1xNDR\n[5] "s2"[5] w=1 # "s2" lid 2 1xNDR\n[6] "h"[1] # "h" lid 3 2xHDR\n\n'
		printf 'vendid=0x2c9\ndevid=0xd2f4\nSwitch 6 "s2"\n[1] "s1"[1]\n[2] "s1"[2]\n[3] "s1"[3]\n[4] "s1"[4]\n[5] "s1"[5]\n\n'
		printf 'Ca 1 "h" # "h HCA-1"\n[1] "s1"[6]\n'
	} >kinds
	run -0 madsend --device sim:kinds -D 0,1 -m 1-6 -j Get PortInfo
	[[ $(jq -r '[.data.LocalPort, .data.LinkWidthSupported, .data.LinkSpeedExtSupported2] | join(" ")' <<<"$output" | cut -d' ' -f2- | paste -sd,) == \
		"19 0,1 1,17 0,19 0,1 0,17 0" ]] || { jq -c '[.data.LinkWidthSupported, .data.LinkSpeedExtSupported2]' <<<"$output"; return 1; }
	run -6 madcheck --device sim:kinds -j
	[[ $(jq -r 'select(.kind == "problem") | .problem | "\(.severity) \(.rule) \(.place)"' <<<"$output") == "warning slow s1/4 <-> s2/4" ]] ||
		{ echo "$output"; return 1; }
}

@test "mixed.dump: 59 nodes of four generations are written as they were read" {
	run -0 madsweep -q --topology --device "sim:$topologies/mixed.dump"
	diff <(nodes_of <"$topologies/mixed.dump") <(nodes_of <<<"$output")
	inside "$topologies/mixed.dump" -- sh -c 'madsweep -q --topology >ours && madsweep -q --topology --via sa >records'
	diff <(nodes_of <ours) <(nodes_of <records)
}

@test "counters: planes of a port are asked once, by the first one that is up" {
	local device=sim:fat-tree:2,2,1+planes
	run -0 --separate-stderr madsweep -q -j --device "$device" Get PortCounters --select 'node.type == CA'
	[[ $(jq -s -c '[.[] | select(.port) | .port.number] | unique' <<<"$output") == '[1]' ]]
	[[ $(jq -s '[.[] | select(.kind == "response")] | length' <<<"$output") == 4 ]]
	run -0 madcheck --device "$device" --rules standard,counters
	run -0 madsweep -q -j --device "$device" Get PortInfo --select 'node.type == CA'
	[[ $(jq -s '[.[] | select(.kind == "response")] | length' <<<"$output") -gt 4 ]]
}

@test "port 0 of a switch is as good as its links, of whichever kind" {
	# the only plain link is at 1x SDR
	cat >"$dir/planes.net" <<-'END'
		switchguid=0x20(20)
		Switch 3 "S-0000000000000020" # "leaf" base port 0 lid 3 lmc 0
		[1] "H-0000000000000010"[1] # "h1" lid 1 1xXDR
		[2] "H-0000000000000014"[1] # "h2" lid 2 1xSDR

		caguid=0x10
		Ca 1 "H-0000000000000010" # "h1"
		[1](11) "S-0000000000000020"[1] # lid 1 lmc 0 "leaf" lid 3 1xXDR

		caguid=0x14
		Ca 1 "H-0000000000000014" # "h2"
		[1](15) "S-0000000000000020"[2] # lid 2 lmc 0 "leaf" lid 3 1xSDR
	END
	run -0 madsweep -q --device "sim:$dir/planes.net@h1,control=join leaf 0"
}

@test "planes of a port share a cable: one serial number" {
	madsim --generate fat-tree:2,2,1+planes >planes.net
	run -0 --separate-stderr madsweep --device sim:planes.net -j Get ModuleInfo
	jq -se 'map(select(.kind == "response" and .port.node.name == "leaf1" and .port.peer.node.type == "CA")) |
		group_by(.port.peer.node.name) | length == 2 and
		all(.[]; length == 4 and (map(.data.VendorSerialNumber) | unique | length) == 1)' <<<"$output"
}
