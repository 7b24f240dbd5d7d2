#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# madsweep --topology: what ibnetdiscover prints of the same fabric, and madsim reads.

setup() {
	load common
	cd "$dir" || return
}

teardown() { clean_up; }

# The nodes of a file, each on a line, sorted: all but comments.
nodes_of() {
	sed '/^#/d' |
		awk 'BEGIN { RS = ""; FS = "\n" } { line = $1; for (i = 2; i <= NF; i++) line = line "|" $i; print line }' |
		sort
}

# both TOPOLOGY [OPTION...]: files others and ours of one fabric.
both() {
	inside "$1" -- sh -c "ibnetdiscover ${*:2} >others && madsweep -q --topology ${*:2} >ours"
	[[ $(grep -cE '^(Switch|Ca)' others) -ge 1 ]]
}

# A file is read by madsim as the same fabric, with the same LIDs.
again() {
	inside ours -- madsweep -q --topology >again
	diff <(nodes_of <ours) <(nodes_of <again)
}

# Parts of lines that other programs expect in such files: a name and a description in quotes, and a rate at the end.
is_parsed() {
	local others
	others=$(sed '/^#/d; /^$/d' "$1" |
		grep -vE -e '^(vendid|devid|sysimgguid|caguid|rtguid)=0x[0-9a-f]+$' -e '^switchguid=0x[0-9a-f]+\([0-9a-f]+\)$' \
			-e '^Switch	[0-9]+ "S-[0-9a-f]{16}"		# "[^"]+"(.*")? (base|enhanced) port 0 lid [0-9]+ lmc [0-7]$' \
			-e '^(Ca|Rt)	[0-9]+ "[HR]-[0-9a-f]{16}"		# "[^"]+"(.*")?$' \
			-e '^\[[0-9]+\]	"S-[0-9a-f]{16}"\[[0-9]+\]		# "[^"]+"(.*")? lid [0-9]+ [0-9]+x[A-Z0-9]+$' \
			-e '^\[[0-9]+\]	"[HR]-[0-9a-f]{16}"\[[0-9]+\]\([0-9a-f]+\) 		# "[^"]+"(.*")? lid [0-9]+ [0-9]+x[A-Z0-9]+$' \
			-e '^\[[0-9]+\]\([0-9a-f]+\) 	"S-[0-9a-f]{16}"\[[0-9]+\]		# lid [0-9]+ lmc [0-7] "[^"]+"(.*")? lid [0-9]+ [0-9]+x[A-Z0-9]+$' \
			-e '^\[[0-9]+\]\([0-9a-f]+\) 	"[HR]-[0-9a-f]{16}"\[[0-9]+\] \([0-9a-f]+\) 		# lid [0-9]+ lmc [0-7] "[^"]+"(.*")? lid [0-9]+ [0-9]+x[A-Z0-9]+$' || :)
	[[ -z $others ]] || { echo "$others"; return 1; }
}

# A torus of X x Y switches with a host each.
torus() {
	awk -v X="$1" -v Y="$2" 'BEGIN {
		for (x = 0; x < X; x++) for (y = 0; y < Y; y++) {
			printf "Switch 5 \"s%d-%d\"\n[1] \"h%d-%d\"[1] w=3 s=7 e=3\n", x, y, x, y
			printf "[2] \"s%d-%d\"[3] w=3 s=7 e=3\n[3] \"s%d-%d\"[2] w=3 s=7 e=3\n", (x + 1) % X, y, (x + X - 1) % X, y
			printf "[4] \"s%d-%d\"[5] w=3 s=7 e=3\n[5] \"s%d-%d\"[4] w=3 s=7 e=3\n\n", x, (y + 1) % Y, x, (y + Y - 1) % Y
			printf "Ca 1 \"h%d-%d\"\n[1] \"s%d-%d\"[1] w=3 s=7 e=3\n\n", x, y, x, y
		} }'
}

@test "fabrics of tests/data: as ibnetdiscover prints them, and read as the same fabric" {
	for name in small.net small.dump tree.net real.dump hosts.net; do
		both "$topologies/$name"
		diff <(nodes_of <others) <(nodes_of <ours) || { echo "$name"; return 1; }
		is_parsed ours
		again
		# the header
		diff <(sed -n '/^$/q; s/ on .*//; p' others) <(sed -n '/^$/q; s/ on .*//; p' ours)
	done
}

@test "a fat tree of 504 nodes, and a torus" {
	madsim --generate fat-tree:18,26,18 >tree
	torus 6 6 >torus
	for name in tree torus; do
		both "$name"
		diff <(nodes_of <others) <(nodes_of <ours)
		is_parsed ours
		again
	done
	(($(grep -c '^\[' ours) == 6 * 6 * 6))
}

@test "widths and speeds, FDR10 among them, and degraded links" {
	# ibnetdiscover asks only devices that it knows about FDR10
	{
		printf 'vendid=0x2c9\ndevid=0xc738\nSwitch 12 "S-0000000000200001" # "left"\n'
		i=0
		for rate in 4xSDR 4xDDR 4xQDR 4xFDR10 4xFDR 4xEDR 4xHDR 4xNDR 1xSDR 2xHDR 1xEDR; do
			printf '[%d] "S-0000000000200002"[%d] # "right" lid 0 %s\n' $((++i)) $i "$rate"
		done
		printf '[12] "H-0000000000100001"[1] # "h" lid 0 4xHDR\n'
		printf '\nvendid=0x2c9\ndevid=0xc738\nSwitch 12 "S-0000000000200002" # "right"\n'
		i=0
		for rate in 4xSDR 4xDDR 4xQDR 4xFDR10 4xFDR 4xEDR 4xHDR 4xNDR 1xSDR 2xHDR 1xEDR; do
			printf '[%d] "S-0000000000200001"[%d] # "left" lid 0 %s\n' $((++i)) $i "$rate"
		done
		printf '\nCa 1 "H-0000000000100001" # "h"\n[1] "S-0000000000200001"[12] # lid 0 lmc 0 "left" lid 0 4xHDR\n'
	} >rates
	both rates
	diff <(nodes_of <others) <(nodes_of <ours)
	for rate in 4xSDR 4xDDR 4xQDR 4xFDR10 4xFDR 4xEDR 4xHDR 4xNDR 1xSDR 2xHDR 1xEDR; do
		(($(grep -c " $rate\$" ours) == 2 + 2 * (0$([[ $rate == 4xHDR ]] && echo 1)))) || { echo "$rate"; cat ours; return 1; }
	done
	again
}

@test "ibsim reads the file" {
	both "$topologies/small.net"
	printf 'dump\nquit\n' | timeout 20 ibsim -s ours >ibsim.out 2>ibsim.err
	grep -q 'parsed [0-9]* lines' ibsim.out || { cat ibsim.out ibsim.err; return 1; }
	[[ ! -s ibsim.err ]] || { cat ibsim.err; return 1; }
	(($(grep -cE '^(Switch|Ca) ' ibsim.out) == 6 && $(grep -c 'Init/LinkUp' ibsim.out) == 12))
}

@test "names of a map, on all lines; descriptions with quotes and UTF-8" {
	printf '0x200001 "mapped leaf"\n' >map
	printf 'Switch 2 "S-0000000000200001" # "leaf"\n[1] "H-0000000000100001"[1]\n[2] "H-0000000000100002"[1]\n\n' >odd
	printf 'Ca 1 "H-0000000000100001" # "a "b" c"\n[1] "S-0000000000200001"[1]\n\nCa 1 "H-0000000000100002" # "d\303\251"\n[1] "S-0000000000200001"[2]\n' >>odd
	inside odd -- madsweep -q --topology --node-name-map map >ours
	[[ $(grep -c '"mapped leaf"' ours) == 3 && $(grep -c '"leaf"' ours) == 0 ]] || { cat ours; return 1; }
	grep -qF '# "a "b" c"' ours
	grep -qF $'# "d\303\251"' ours
	again
}

@test "a silent node, a limit of hops and a deadline are told in comments, and madsim reads the rest" {
	serve "$topologies/small.net"
	export MADKIT_DEVICE=sim:unix:$socket@node1
	control agent node2 mute
	run -0 --separate-stderr madsweep --topology -t 50
	[[ $stderr == *"no response from the node behind leaf2 rack2 port 1"* ]]
	grep -qE '^# S-0000000000200001\[1\] \(leaf2 rack2\): the node behind it did not respond$' <<<"$output"
	echo "$output" >ours
	(($(MADKIT_DEVICE='' inside ours -- madsweep -q --topology | grep -cE '^(Switch|Ca)') == 5))
	run -3 --separate-stderr madsweep --topology -t 50 --strict
	[[ -n $output ]]
	run -0 --separate-stderr madsweep --topology --hops 1
	grep -qx '# Max of 1 hops discovered' <<<"$output"
	in_time 300 is_incomplete
}

is_incomplete() {
	run -3 --separate-stderr madsweep --topology -t 60000 --deadline "$ms" || return
	grep -qx '# incomplete: the sweep was ended before it was complete' <<<"$output" || { echo "$output"; return 1; }
	[[ $stderr == *"the deadline ended the sweep"* ]] || return
	(($(grep -cE '^(Switch|Ca)' <<<"$output") > 1))
}

@test "through the SA: the same, but FDR10, which its records do not contain" {
	inside "$topologies/real.dump" -- sh -c 'madsweep -q --topology >ours && madsweep -q --topology --via sa >records'
	[[ $(<records) != *FDR10* ]]
	diff <(sed 's/FDR10$/QDR/' ours | nodes_of) <(nodes_of <records)
}

@test "what does not fit a topology file is refused" {
	export MADKIT_DEVICE=sim:$topologies/small.net
	for option in -j '-f json' '-f table' -p '--select number==1' '--filter number==1' '--fields number' '--sort name' '--assert number==1'; do
		# shellcheck disable=SC2086
		run -2 --separate-stderr madsweep --topology $option
		[[ $stderr == *"has no effect with --topology"* ]] || { echo "$option: $stderr"; return 1; }
	done
	run -2 madsweep --topology --device all
	[[ $output == *"one subnet"* ]]
	run -2 madsweep --topology --from leaf1
	[[ $output == *"a directed route"* ]]
	run -0 --separate-stderr madsweep --topology --from 0,1
	grep -qx '# Initiated from node 0000000000200000 port 0000000000200000' <<<"$output"
}

@test "a 1x link is degraded in a topology file if the vendor ID says what the host supports" {
	inside fat-tree:2,2,1 --socket "$socket" -- bash -c "madsim --control $socket link leaf1 2 width=1x; madsweep -q --topology" >"$dir/narrow.net"
	grep -q 1xHDR "$dir/narrow.net"
	slow() { madsweep --device "sim:$1@h1-1" | grep -c 'slow: 4x HDR is possible' || true; }
	[[ $(slow "$dir/narrow.net") == 0 ]]
	sed -i 's/^vendid=0x0/vendid=0x2c9/; s/^devid=0x0/devid=0x1017/' "$dir/narrow.net"
	[[ $(slow "$dir/narrow.net") == 2 ]]
}

@test "a switch without a port GUID gets another one if a port has that of the node" {
	printf '%s\n' 'sysimgguid=0x10' 'switchguid=0x10' $'Switch\t4 "S-0000000000000010"\t\t# "sw" base port 0 lid 0 lmc 0' \
		$'[1]\t"H-0000000000000020"[1](10)\t\t# "h" lid 0 4xSDR' '' 'caguid=0x20' $'Ca\t1 "H-0000000000000020"\t\t# "h HCA-1"' \
		$'[1](10) \t"S-0000000000000010"[1]\t\t# lid 0 lmc 0 "sw" lid 0 4xSDR' >"$BATS_TEST_TMPDIR/same.net"
	run -0 --separate-stderr madsweep -q --topology --device "sim:$BATS_TEST_TMPDIR/same.net"
	[[ $output == *$'\nswitchguid=0x10(110)\n'* && $output == *'[1](10)'* ]]
}
