#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# madsweep: the list of ports.

setup() {
	load common
	load ../manual
	serve "$topologies/small.net"
	export MADKIT_DEVICE=sim:unix:$socket@node1
}

teardown() { clean_up; }

# ports: the links of the JSON lines, as "NODE PORT PEER PORT WIDTH SPEED".
ports() { jq -r 'select(.kind == "port" and .port.peer) | .port | "\(.node.name) \(.number) \(.peer.node.name) \(.peer.number) \(.width)\(.speed)"' | sort; }

# discovered: the same of ibnetdiscover -p.
discovered() {
	MADKIT_DEVICE='' inside "$topologies/small.net" -- ibnetdiscover -p |
		sed -nE "s/^(CA|SW|RT) +[0-9]+ +([0-9]+) 0x[0-9a-f]+ ([^ ]+) ([A-Z0-9]+) - (CA|SW|RT) +[0-9]+ +([0-9]+) 0x[0-9a-f]+ \( '(.*)' - '(.*)' \)$/\7 \2 \8 \6 \3\4/p" | sort
}

@test "the links are those of ibnetdiscover, with widths and speeds" {
	run -0 --separate-stderr madsweep -j
	discovered >"$dir/others"
	[[ $(wc -l <"$dir/others") -ge 8 ]]
	diff "$dir/others" <(ports <<<"$output")
}

@test "text has a row for each port, ports that are down too, and fits into 80 columns" {
	run -0 --separate-stderr madsweep
	[[ ${lines[0]} =~ ^NODE\ +PORT\ +LID\ STATE\ +LINK\ +PEER\ +PORT ]]
	grep -qE '^leaf1 rack1 +1 +[0-9]+ Active +4x [A-Z]+ +node1 HCA-1 +1' <<<"$output"
	grep -qE '^leaf1 rack1 +3 .*(Polling|Disabled|Down)' <<<"$output" || { echo "$output"; return 1; }
	[[ $(wc -L <<<"$output") -le 80 ]]
	[[ $stderr == *complete* ]]
}

@test "the summary counts what there is" {
	run -0 --separate-stderr madsweep -j
	jq -s -e '.[-1] | .kind == "summary" and .data.complete and .data.nodes == 6 and .data.switches == 2 and
		.data.silent == 0 and .data.missing == []' <<<"$output"
	jq -s -e '(map(select(.kind == "port")) | length) == .[-1].data.ports' <<<"$output"
}

@test "the summary in text has the figures of JSON and of the rows" {
	local -a words
	local fabric=sim:fat-tree:2,3,2,control='link leaf1 4 speed=EDR',control='link leaf2 2 down' line n
	for line in '' '--select number>=2' '--route h1-1,h2-1'; do
		read -ra words <<<"$line"
		run -0 --separate-stderr madsweep --device "$fabric" "${words[@]}" -j
		n=$(jq -s -r '.[-1].data | "complete: \(.nodes) nodes (\(.switches) switches), \(.links) links, \(if .shown == .ports_read then "" else "\(.shown) of " end)\(.ports_read) ports\(if .shown == .ports_read then "" else " shown" end), \(.slow) slow, \(.down) down, \(.silent) silent; \(.mads) SMPs, \(.resent) resent, in "' <<<"$output")
		jq -s -e '.[-1].data.down == (map(select(.kind == "port" and .port.state == "Down")) | length)' <<<"$output"
		run -0 --separate-stderr madsweep --device "$fabric" "${words[@]}"
		[[ $stderr == *"madsweep: $n"* ]] || { echo "$stderr; $n"; return 1; }
		[[ $stderr == *" $(grep -c 'slow: ' <<<"$output") slow, "* ]] || { echo "$output $stderr"; return 1; }
	done
	run -0 --separate-stderr madsweep --device "$fabric" --filter 'speed < speed_best'
	[[ ${#lines[@]} == 3 && $stderr == *', 2 of 19 ports shown, 2 slow, '* ]] || { echo "$output $stderr"; return 1; }
	run -0 --separate-stderr madsweep --device "$fabric" --sort number --top 1
	[[ $stderr == *', 1 of 19 ports shown, '* ]] || { echo "$output $stderr"; return 1; }
	run -3 --separate-stderr madsweep --device "$fabric" --deadline 0
	[[ $stderr == *'madsweep: incomplete (deadline): 0 nodes (0 switches), '* ]] || { echo "$output $stderr"; return 1; }
}

@test "a port that is down has no width and no peer, and nothing is asserted of it" {
	run -0 --separate-stderr madsweep -j --select 'node.name == "leaf1 rack1" && number == 3'
	jq -s -e '.[0].port | .width == null and .gbps == null and .peer == null and .state == "Down"' <<<"$output"
	run -6 --separate-stderr madsweep --select 'node.name == "leaf1 rack1" && number == 3' --assert 'width == 4x'
}

@test "--rate limits the MADs of each second: SMPs, other requests, and resends" {
	local fabric='sim:fat-tree:4,6,2,fault=drop class=0x81 node=h2-3,fault=drop class=4 node=h3-1' n most sent words command
	# in virtual time
	for n in 7 1000; do
		for words in '' 'Get PortCountersExtended' "--errors --via sa" '--route h1-1,h4-1 Get PortInfo' '--topology' \
			"--select number==1 --clear PortCounters --yes"; do
			read -ra command <<<"$words"
			run --separate-stderr madsweep --device "$fabric" -w "$dir/pcap" --rate "$n" "${command[@]}"
			((status == 0 || status == 3)) || { echo "$words: $status: $stderr"; return 1; }
			read -r most sent < <(most "$dir/pcap")
			((most <= n && sent >= 4)) || { echo "$n $words: $most of $sent"; return 1; }
			# no slower than that
			((n > 7 || most >= n)) || { echo "$n $words: $most of $sent"; return 1; }
		done
	done
	run -6 --separate-stderr madcheck --device "$fabric" -w "$dir/pcap" --rate 50 --rules standard,counters
	read -r most sent < <(most "$dir/pcap")
	((most <= 50 && most >= 49 && sent > 100))
	# the same number of MADs as without it; on the clock of this machine
	run -0 --separate-stderr madsweep -w "$dir/pcap" Get PortCounters -j
	sent=$(jq -s '.[-1].data.mads' <<<"$output")
	run -0 --separate-stderr madsweep -w "$dir/pcap" Get PortCounters -j --rate 200
	[[ $(jq -s '.[-1].data.mads' <<<"$output") == "$sent" ]]
	jq -s -e ".[-1].data.elapsed_us >= ($sent - 3) * 5000" <<<"$output"
	read -r most _ < <(most "$dir/pcap")
	((most <= 200))
}

@test "--rate 0, negative rates, words and more than a million are usage errors" {
	local word command
	madsweep -q --rate 1000000
	load ../cli/common
	for command in madsweep 'madsweep --topology' madcheck; do
		for word in 0 -1 ten 1000001 '' 1.5; do
			# shellcheck disable=SC2086  # a command and its words
			usage_error "${word:---rate}" $command --rate "$word"
		done
	done
	usage_error --rate madcheck --local --rate 5
}

# at_columns N COMMAND...: runs the command on a terminal of N columns
at_columns() {
	python3 - "$@" <<-'EOF'
		import fcntl, os, pty, struct, subprocess, sys, termios
		master, slave = pty.openpty()
		fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, int(sys.argv[1]), 0, 0))
		child = subprocess.Popen(sys.argv[2:], stdout=slave, stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL)
		os.close(slave)
		text = b""
		while True:
		    try:
		        data = os.read(master, 65536)
		    except OSError:
		        break
		    if not data:
		        break
		    text += data
		sys.stdout.write(text.decode().replace("\r\n", "\n"))
		sys.exit(child.wait())
	EOF
}

@test "a terminal: names are cut in the middle, and two names never look alike" {
	local net=$dir/long.net leaf='MF0;ib-core-rack12-leaf1:MQM8700/U1'
	{
		printf 'switchguid=0xa(a)\nSwitch 8 "S-a" # "%s" enhanced port 0 lid 1 lmc 0\n' "$leaf"
		for i in 1 2 3 4; do printf '[%d] "H-%d"[1](b%d) # "compute-rack12-node11%d-of-the-long-row mlx5_0" lid %d 4xHDR\n' "$i" "$i" "$i" "$i" "$((i + 1))"; done
		for i in 1 2 3 4; do printf 'caguid=0xc%d\nCa 1 "H-%d" # "compute-rack12-node11%d-of-the-long-row mlx5_0"\n[1](b%d) "S-a"[%d] # lid %d lmc 0 "%s" lid 1 4xHDR\n' \
			"$i" "$i" "$i" "$i" "$i" "$((i + 1))" "$leaf"; done
	} >"$net"
	run -0 at_columns 120 madsweep --device "sim:$net" --select 'node.type == CA'
	[[ ${lines[1]} == 'compute-rack12-node111-of-the-long-row mlx5_0    1   2 Active 4x HDR MF0;ib-core-rack12-leaf1:MQM8700/U1    1' ]] || { echo "$output"; return 1; }
	run -0 at_columns 80 madsweep --device "sim:$net" --select 'node.type == CA'
	# in 80 columns, and in the middle, all of them would be compute-ra...-row mlx5_0
	for i in 1 2 3 4; do [[ ${lines[i]} == "compute-rack12-node11$i... "*'MF0;ib-core...:MQM8700/U1 '* ]] || { echo "$output"; return 1; }; done
	run -0 at_columns 80 madsweep --device "sim:$net" --select 'lid == 3'
	[[ ${lines[1]} == 'compute-rac...-row mlx5_0    1   3 Active 4x HDR MF0;ib-core...:MQM8700/U1    2' ]] || { echo "$output"; return 1; }
	run -0 --separate-stderr madsweep --device "sim:$net" --select 'node.type == CA'
	[[ $output != *...* ]]
}

@test "--sort FIELD and --top: of the ports and of the responses, in both directions" {
	local field
	for field in number peer.node.name gbps lid; do
		run -0 --separate-stderr madsweep -j --sort "$field"
		jq -s -e --arg path "$field" '[.[] | select(.kind == "port").port | getpath($path / ".")] |
			(map(values) | . == sort) and (.[(map(values) | length):] | all(. == null))' <<<"$output" >"$dir/sorted" || { echo "$field"; return 1; }
		run -0 --separate-stderr madsweep -j --sort "-$field" --top 3
		jq -s -e --arg path "$field" '[.[] | select(.kind == "port").port | getpath($path / ".")] |
			length == 3 and all(. != null) and . == (sort | reverse)' <<<"$output" >"$dir/sorted" || { echo "-$field"; return 1; }
	done
	madsweep -q -j Get PortCounters | jq -s 'map(.data.PortXmitData) | sort | reverse | .[:4]' >"$dir/all"
	run -0 --separate-stderr madsweep -j Get NodeInfo --sort -Guid
	jq -s -e '[.[] | select(.kind == "response").data.Guid] | length == 6 and . == (sort | reverse)' <<<"$output" >"$dir/sorted"
	run -0 --separate-stderr madsweep Get PortInfo --sort -LocalPort --top 2 -f table --fields port.number
	[[ $output == port.number* && ${lines[*]:1} =~ ^\ *[0-9]+\ +[0-9]+$ ]] || { echo "$output"; return 1; }
	# what failed is shown in any case
	control fault drop class=4 node=node2
	run -0 --separate-stderr madsweep -j -t 20 --retries 0 Get PortCounters --sort -PortXmitData --top 1
	jq -s -e '(map(select(.kind == "response")) | length == 1) and (map(select(.kind == "timeout")) | length == 1)' <<<"$output" >"$dir/sorted" || { echo "$output"; return 1; }
	run -2 madsweep --sort nosuch
	[[ $output == *"--sort: port has no field 'nosuch'"* ]]
	run -2 madsweep --sort 'number > 3'
	[[ $output == *"--sort 'number > 3' is not guid, name or a field"* ]]
	run -2 madsweep --sort -
	run -2 madsweep --top 3
	[[ $output == *'--top has no effect without --sort'* ]]
}

@test "--links: each cable once, the end at a switch first, whichever end is selected" {
	run -0 --separate-stderr madsweep --links -j
	jq -r 'select(.kind == "port").port | "\(.node.type) \(.node.guid)/\(.number) \(.peer.node.guid)/\(.peer.number)"' <<<"$output" >"$dir/links"
	[[ $(wc -l <"$dir/links") -eq $(jq -s '.[-1].data.links' <<<"$output") ]]
	[[ $(grep -c '^CA ' "$dir/links") == 0 ]]
	[[ -z $(awk '{ print $2; print $3 }' "$dir/links" | sort | uniq -d) ]]
	run -0 --separate-stderr madsweep --links --select 'node.name == "node1 HCA-1"' -f table --fields node.name,peer.node.name
	[[ ${#lines[@]} -eq 2 && ${lines[1]} == "node1 HCA-1"*"leaf"* ]]
	run -0 --separate-stderr madsweep --links
	[[ $stderr == *"madsweep: complete: "*" links, "*" shown, "* && ${#lines[@]} -eq $((1 + $(wc -l <"$dir/links"))) ]]
	run -2 madsweep --links Get PortCounters
	run -2 madsweep --links --route node1,node2
}

@test "--select, --filter and --assert" {
	run -0 --separate-stderr madsweep --select 'node.type == Switch' -f table --fields node.name,number
	[[ $output != *node1* && $output == *"leaf1 rack1"* ]]
	run -0 --separate-stderr madsweep --filter 'lid == 0xbfff'
	[[ -z $output ]]
	run -6 --separate-stderr madsweep -q --assert 'speed == XDR'
	run -0 --separate-stderr madsweep -q --assert 'gbps > 0'
	run -2 madsweep --select 'wodth == 4x'
	[[ $output == *wodth*width* ]]
	for option in --select --filter --assert; do
		run -2 madsweep "$option" 'widht == 4x'
		[[ $output == *"no field 'widht'; did you mean 'width'?"* ]]
	done
	run -2 madsweep --filter 'hop == 1'
	[[ $output == *"'hop' has no values to compare"* ]]
}

# guid_of NAME: of the node with this description
guid_of() { madsweep -q -j --select "node.name == '$1'" | jq -rs '.[0].port.node.guid'; }

# notes: the notes about links, as "NODE PORT NOTE".
notes() { madsweep 2>/dev/null | sed -nE 's/^(.*[^ ]) +([0-9]+) +[0-9]+ +[A-Z].* [0-9]+ ((slow|misc|limi).*)/\1 \2 \3/p'; }

@test "notes say why a link is below its best, at the end that is the reason" {
	[[ -z $(notes) ]]
	madsend -D 0,1 -m 2 Set PortInfo --merge LinkWidthEnabled=1
	[[ $(notes) == 'leaf1 rack1 2 misconfigured: 4x QDR is not enabled' ]]
	control link "leaf1 rack1" 2 down
	control link "leaf1 rack1" 2 up
	for ((i = 0; i < 100; i++)); do
		[[ $(notes) != *limited* ]] || break
		sleep 0.1
	done
	diff - <(notes | sort) <<-END
		leaf1 rack1 2 misconfigured: 4x QDR is not enabled
		node3 HCA-1 1 limited by peer: 4x QDR is not enabled there
	END
	control link "leaf1 rack1" 2 speed=SDR
	diff - <(notes | sort) <<-END
		leaf1 rack1 2 misconfigured: 4x QDR is not enabled; slow: 1x QDR is possible (2 Gb/s of 8)
		node3 HCA-1 1 limited by peer: 4x QDR is not enabled there; slow: 1x QDR is possible (2 Gb/s of 8)
	END
}

@test "--fields in text are the columns of a table" {
	run -0 --separate-stderr madsweep --fields node.name,gbps --select 'node.name == "node1 HCA-1"'
	[[ ${lines[0]} =~ ^node.name\ +gbps$ && ${lines[1]} =~ ^node1\ HCA-1\ +100$ ]]
}

@test "--from and --hops" {
	local subnet='sim:fat-tree:2,2,1,control=link leaf2 1 width=1x' from
	run -0 --separate-stderr madsweep -j --hops 1
	jq -s -e '[.[] | select(.kind == "port").port.node.name] | unique == ["leaf1 rack1", "node1 HCA-1"]' <<<"$output"
	# links at the edge have both ends, with --from and without
	for from in '' '--from h1-1'; do
		# shellcheck disable=SC2086
		run -6 --separate-stderr madsweep --device "$subnet" --hops 3 $from --assert 'width == width_best'
		[[ $output =~ leaf2\ +1\ .*h2-1\ HCA-1\ +1\ slow ]]
		[[ $(grep -c '^h' <<<"$output") == 2 ]]
	done
	# a route that ends at a host, which does not forward SMPs
	run -0 --separate-stderr madsweep --device "$subnet" --from 0,1,3,2,1
	diff <(echo "$output") <(madsweep -q --device "$subnet")
	for from in '' '--via sa'; do
		# shellcheck disable=SC2086
		run -0 --separate-stderr madsweep --device "${subnet%,*}" $from --from 0,1,3,2,1 --hops 1
		diff <(echo "$output") <(madsweep -q --device "${subnet%,*}" --from h2-1 --hops 1)
		[[ $(wc -l <<<"$output") == 5 && $output =~ h2-1\ HCA-1\ +1\ .*leaf2\ +1 ]]
	done
	run -0 --separate-stderr madsweep -j --from node2 --hops 1
	jq -s -e '[.[] | select(.kind == "port").port.node.name] | unique | length == 2' <<<"$output"
	# the summary does not count nodes that are farther away
	subnet='sim:fat-tree:2,2,2@h1-1,control=agent spine1 mute smi'
	for from in '' '--from h1-1' '--from 0,1,2'; do
		# shellcheck disable=SC2086
		run -0 --separate-stderr madsweep --device "$subnet" $from -t 50 --hops 1
		[[ $stderr == *"no response from the node behind leaf1 port 3"*': incomplete: 2 nodes (1 switch), 1 link, '* ]] ||
			{ echo "$stderr"; false; }
	done
	run -3 --separate-stderr madsweep --device "$subnet" -t 50 --hops 2 --strict -j
	jq -s -e 'last.data | .nodes == 4 and .links == 3 and .cas == 2 and .silent == 1 and .complete == false' <<<"$output"
	run -6 madsweep --from nowhere --hops 1
	[[ $output == *nowhere* ]]
	run -2 madsweep --from 0,x
}

# leads_nowhere ROUTE PATTERN DEVICE: the sweep from there has no first node; the message says that of the route.
leads_nowhere() {
	run -3 --separate-stderr madsweep --device "$3" --from "$1" -t 50
	# shellcheck disable=SC2053  # a pattern
	[[ ${stderr_lines[0]} == 'madsweep: incomplete: the first node did not respond' &&
		${stderr_lines[1]} == "madsweep: the last node that responded is "$2 ]] || { echo "$stderr"; false; }
}

@test "--from a route that leads nowhere: where it ends, and why" {
	local net=sim:$topologies/small.net
	leads_nowhere 0,1,9 '0,1: leaf1 rack1 (*; the route leaves it by port 9, and it has 8 ports' "$net"
	leads_nowhere 0,1,5 '0,1: leaf1 rack1 (*; no response from behind its port 5, which is Down' "$net"
	leads_nowhere 0,1,2,1 '0,1,2: node3 HCA-1 (*; the route goes through it to port 1, and it is not a switch' "$net"
	leads_nowhere 0,1,7,2 '0,1: leaf1 rack1 (*its port 7, which is Active; perhaps that node needs another M_Key (--m-key)' \
		"$net,control=agent leaf2 mute smi"
	# the M_Keys of the nodes on the route are not known
	run -3 --separate-stderr madsweep --device "$net" --from 0,1,9 -t 50 --m-key @/dev/null
	[[ $stderr == *'the first node did not respond; perhaps it needs an M_Key'* && $stderr != *'last node'* ]]
	run -1 --separate-stderr madsweep --device "$net" --from 0,9,9
	[[ $stderr == 'madsweep: --from 0,9,9: hop 1 is port 9, but must be port 1, which sends the requests' ]]
	# JSON has no line for it
	run -3 --separate-stderr madsweep -j --device "$net" --from 0,1,9 -t 50
	[[ $stderr == *'port 9, and it has 8 ports'* && $(jq -r .kind <<<"$output") == summary ]]
}

@test "names of a map: --sort, --select, --from and --route" {
	printf '%s "zz top"\n%s "AB 7"\n' "$(guid_of 'node1 HCA-1')" "$(guid_of 'leaf2 rack2')" >"$dir/map"
	names() { madsweep -q -j --node-name-map "$dir/map" "$@" | jq -r 'select(.kind == "port").port.node.name' | uniq; }
	names --sort name >"$dir/names"
	diff "$dir/names" <(LC_ALL=C sort "$dir/names")
	[[ $(head -n 1 "$dir/names") == 'AB 7' && $(tail -n 1 "$dir/names") == 'zz top' ]]
	[[ $(names --select 'node.name == "zz top"') == 'zz top' ]]
	# a map is compared without case; a description still finds its node
	for word in 'AB 7' 'ab 7' ab 'leaf2 rack2' leaf2; do
		[[ $(names --from "$word" --hops 1 | wc -l) == 4 ]]
		names --route "zz,$word" | grep -qx 'AB 7'
	done
	run -6 --separate-stderr madsweep --node-name-map "$dir/map" --from LEAF2 --hops 1
	[[ $stderr == *"no node of the subnet has this LID, GUID or name"* ]]
}

@test "a silent node is named, counted and not a failure, but with --strict" {
	control agent node2 mute
	run -0 --separate-stderr madsweep -j -t 50
	[[ $stderr == *"no response from the node behind"* ]]
	jq -s -e '.[-1].data | .silent == 1 and .complete == false' <<<"$output"
	jq -s -e '[.[] | select(.kind == "timeout")] | length == 1 and .[0].port.node.name and .[0].status.send == 110' <<<"$output"
	run -3 --separate-stderr madsweep -q -t 50 --strict
	for words in '' --strict; do
		# shellcheck disable=SC2086
		run -3 --separate-stderr madsweep -t 50 $words --assert 'speed == XDR'
		[[ ${stderr_lines[-2]} == *"'speed == XDR' did not hold"* &&
			${stderr_lines[-1]} == 'madsweep: the exit status is 3: a missing response comes before --assert' ]]
	done
}

@test "routes that do not return: the sweep ends, and names the ports that they leave by" {
	run -0 --separate-stderr madsweep --device 'sim:fat-tree:2,3,2@h1-1,fault=drop node=leaf2 method=GetResp' -t 50 --retries 2
	[[ ${stderr_lines[0]} == 'madsweep: no response from the node behind spine1 port 2 (0,1,4)' &&
		${stderr_lines[1]} == 'madsweep: no response from the node behind spine2 port 2 (0,1,5)' &&
		${stderr_lines[3]} == *'madsweep: incomplete: 6 nodes (3 switches), 5 links, 12 ports, 0 slow, '*', 2 silent; '*', 4 resent, in 0.'* ]] || { echo "$stderr"; false; }
}

@test "a silent switch is counted at each port that leads to it" {
	run -0 --separate-stderr madsweep -j -t 50 --device 'sim:fat-tree:12,1,2,control=agent spine2 mute smi'
	jq -s -e '.[-1].data.silent == 12' <<<"$output"
	[[ $(grep -c 'no response from the node behind leaf' <<<"$stderr") == 10 ]]
	[[ $stderr == *'and 2 more places without a response'*'several ports may lead to one node'* ]]
}

@test "a node that does not respond to one request is not silent: what was not read is named" {
	local drop='sim:fat-tree:2,2,1,fault=drop node=h2-1 method=GetResp attribute'
	run -0 --separate-stderr madsweep --strict -t 50 --device "$drop=NodeDescription nth=1+3"
	[[ $stderr != *response* && $stderr == *': complete: '* ]]
	run -3 --separate-stderr madsweep --strict -t 50 --device "$drop=NodeDescription"
	[[ $stderr == *'not read from 0x0000000000100004 (0,1,3,2,1): NodeDescription (no response)'* ]]
	run -3 --separate-stderr madsweep --strict -t 50 --device "$drop=PortInfo"
	[[ $stderr == *'not read from 0x0000000000100004 h2-1 HCA-1 (0,1,3,2,1): PortInfo of port 1 (no response)'* ]]
	[[ $output == *'no response to PortInfo'* ]]
	# this one is silent, and has not said its name
	run -3 --separate-stderr madsweep --strict -t 50 --device "sim:fat-tree:2,2,1,fault=drop node=h2-1 class=SubnMgt nth=2+99"
	[[ $stderr == *'no response any more from 0x0000000000100004 (0,1,3,2,1)'* ]]
}

ends_early() {
	run -3 --separate-stderr madsweep -j -t 60000 --deadline "$ms" || return
	[[ $stderr == *"the deadline ended the sweep"* ]] && jq -s -e '.[-1].data.nodes > 1' <<<"$output"
}

@test "the deadline ends the sweep, and what was found is shown" {
	control agent node2 mute
	in_time 300 ends_early
	jq -s -e '.[-1].data.missing == ["deadline"] and (.[-1].data.complete | not) and .[-1].data.nodes > 1' <<<"$output"
}

@test "options that have no effect beside others are refused" {
	local words
	for words in '--from node1' '--from 1 --sort name' -K '-K -d' '--topology -K' '--via sa -y 7' '--via sa --window 3' \
		'--via sa --topology -y 7' '--via sa --topology --window 3' '--via sa -y 7 Get PortCounters' '--via sa --keep-going' \
		'--clear PortCounters --select number==1 --yes --both' '--clear PortCounters --select number==1 --yes -K' \
		'--both' '-m 0' '--sl 1' '--route node1,node2 --hops 1' '--route node1,node2 --sort name' '--mlid 0xc000 --from 0,1' \
		'--clear PortCounters --select number==1 --yes -m 0' 'Get NodeInfo -m 0' '--sm-key 7' '-s 1' 'Get NodeInfo -Y 1'; do
		# shellcheck disable=SC2086
		run -2 madsweep $words
		[[ $output == *'no effect'* ]] || { echo "$words: $output"; false; }
	done
	# these have one
	for words in '--via sa -y 7 Get NodeInfo' '--via sa --window 3 Get PortCounters' '--from node1 --hops 1' '--from node1 --via sa' '-K -d -d'; do
		# shellcheck disable=SC2086
		run -0 madsweep $words
	done
}

@test "-v names all nodes that do not respond, not only ten" {
	local net
	net="sim:fat-tree:1,14,0$(printf ',fault=drop class=0x81 node=h1-%d' {2..13})"
	run -0 --separate-stderr madsweep --device "$net" -t 50 --keep-going
	[[ $(grep -c 'no response from the node' <<<"$stderr") == 10 && $stderr == *'and 2 more places without a response'* ]]
	run -0 --separate-stderr madsweep --device "$net" -t 50 --keep-going -v
	[[ $(grep -c 'no response from the node' <<<"$stderr") == 12 && $stderr != *'more silent nodes'* ]]
}

@test "other words are refused" {
	run -2 madsweep Set PortInfo
	run -2 madsweep -f raw
	run -2 madsweep --sort size
	run -2 madsweep --hops 64
}

# other_net: a subnet whose hosts have other names
other_net() {
	printf 'switchguid=0x900001(900001)\nSwitch 2 "S-1" # "other leaf" base port 0 lid 1 lmc 0\n[1] "H-1"[1]\n\ncaguid=0x900002\nCa 1 "H-1" # "other host"\n[1](900003) "S-1"[1] # lid 2 lmc 0 "other leaf" lid 1 4xEDR\n' >"$dir/other.net"
}

@test "several devices: each subnet once, and one that fails does not stop the others" {
	other_net
	run -1 --separate-stderr madsweep --device "sim:unix:$dir/nobody" --device "$MADKIT_DEVICE" --device "${MADKIT_DEVICE%node1}node2" --device "sim:$dir/other.net"
	[[ $stderr == *"is in the subnet of"* && $stderr == *nobody* ]]
	[[ $(grep -c '^# ' <<<"$output") == 2 ]]
	grep -q '^other host' <<<"$output"
	[[ $(grep -c '^node2' <<<"$output") == 1 ]]
	run -2 madsweep --device "$MADKIT_DEVICE" --device "$MADKIT_DEVICE"
	run -2 madsweep --device all --device "$MADKIT_DEVICE"
}

@test "several devices: a node that one subnet does not have" {
	local rails
	other_net
	rails=(--device "$MADKIT_DEVICE" --device "sim:$dir/other.net")
	run -0 --separate-stderr madsweep "${rails[@]}" --route "other host,other leaf"
	[[ $output == *'# from other host '* && $output != *node* ]]
	[[ $stderr == *"@node1: --route 'other host': no node of the subnet has this LID, GUID or name"* ]]
	run -0 --separate-stderr madsweep "${rails[@]}" --from node1 --hops 1 -j
	jq -s -e '[.[] | select(.kind == "summary").data] | .[0].shown > 0 and .[0].ports == .[0].shown and
		.[1].ports == 0 and .[1].shown == 0' <<<"$output"
	run -6 --separate-stderr madsweep "${rails[@]}" --route "node1,other host"
	[[ $stderr == *"--route 'node1,other host': no subnet has such a route"* ]]
	run -6 --separate-stderr madsweep "${rails[@]}" --from nobody Get NodeInfo
	[[ -z $output && $stderr == *"--from 'nobody': no subnet has this node"* ]]
	# a device that fails says more about the name than those that do not have the node
	run -1 madsweep "${rails[@]}" --device "sim:unix:$dir/nobody" --from nobody
	# a sweep that is not complete may have missed the node
	run -3 --separate-stderr madsweep --window 1 -t 50 --device "sim:fat-tree:1,5,0$(printf ',fault=drop class=0x81 node=h1-%d' 2 3 4 5)" --from h1-2 --hops 1
	[[ $stderr == *"no node of the subnet has this"* ]]
	[[ $stderr != *"see madsweep(1)"* ]]
}

@test "several devices: RoCE, and a server that is stopped" {
	run -1 --separate-stderr inside fat-tree:1,2,0 --hosts roce -- madsweep --device umad:roce0/1 --device umad:sim0/1
	[[ $stderr == *'roce0/1 is RoCE, which has no QP0'* ]]
	grep -q '^h1-2 HCA-1' <<<"$output"
	run -0 inside fat-tree:1,2,0 --hosts roce -- madsweep --device all
	run -1 inside fat-tree:1,2,0 --hosts planar -- madsweep --device umad:sim0/1
	[[ $output != *"Protocol not supported"* && $output == *"use smi1/1"* ]] || { echo "$output"; false; }
	madsim fat-tree:1,2,0 --socket "$dir/stopped" --banner 2>"$dir/banner" &
	local server=$!
	for ((i = 0; i < 100; i++)); do
		[[ ! -s $dir/banner ]] || break
		sleep 0.1
	done
	kill -STOP "$server"
	run -1 --separate-stderr timeout 20 madsweep --device "sim:unix:$dir/stopped" --device "$MADKIT_DEVICE"
	kill -CONT "$server"
	kill "$server"
	[[ $stderr == *"sim:unix:$dir/stopped: its server did not respond within"* ]]
	grep -q '^node2' <<<"$output"
}

@test "a file of M_Keys that never ends, and --hops 0, are refused" {
	run -2 --separate-stderr timeout 10 madsweep --m-key @/dev/zero
	[[ $stderr == *"1:1: the line has more than 4096 bytes"* ]]
	run -2 --separate-stderr timeout 20 bash -c 'yes "1 1" | madsweep --m-key @/dev/stdin'
	[[ $stderr == *"'/dev/stdin' has more than 4194304 entries"* ]]
	run -2 madsweep --hops 0
}

@test "a port without a link is a failure, and names its state" {
	local dead="sim:fat-tree:2,2,1@h1-1,control=link h1-1 1 down"
	for words in '' --strict '--via sa' '--from 0,1' 'Get PortCounters' '--assert width==4x' '--route h1-1,h2-1'; do
		# shellcheck disable=SC2086
		run -1 --separate-stderr madsweep -q --device "$dead" $words
		[[ $stderr == *"incomplete: $dead has no link (Polling): check its cable, and whether the port at the other end is enabled" ]]
	done
	run -1 --separate-stderr madsweep --device "$dead"
	[[ $output == *"h1-1 HCA-1 "*Polling* && $stderr == *': incomplete'*': 1 node ('* ]]
	run -1 --separate-stderr madsweep --device "$dead" --topology
	[[ $output == *'# incomplete: the link of the port is not up'* ]]
	other_net
	run -1 --separate-stderr madsweep --device "$dead" --device "sim:$dir/other.net" -j
	jq -s -e 'map(select(.kind == "summary").data) | .[0].missing == ["no link"] and .[0].complete == false and
		.[1].complete and .[1].nodes == 2' <<<"$output"
}

@test "--device all names the ports that it omits because they have no link" {
	run -0 --separate-stderr inside "$topologies/hosts.net" --node "node17 mlx5_2" -- madsweep --device all
	[[ $stderr == *'umad:mlx5_2/2 is omitted: it has no link (Polling)'* && $stderr != *'mlx5_2/1 is omitted'* ]]
}

@test "words that are no request: the message says what to write" {
	run -2 --separate-stderr madsweep leaf1
	[[ $stderr == "madsweep: 'leaf1' is not a method: expected Get ATTRIBUTE; --select chooses nodes and ports (see madsweep(1))" ]]
	run -2 --separate-stderr madsweep Get PortFaults
	[[ $stderr == "madsweep: there is no attribute 'PortFaults'; 'madsend --describe' lists them (see madsweep(1))" ]]
	run -2 --separate-stderr madsweep --filter 'peer.node == "x"'
	[[ $stderr == *"'peer.node' is a group: name one of its fields, such as 'peer.node.name'"* ]]
}

@test "an assertion without a port to check is a failure" {
	for words in '--select number==99' '--select phys==Polling' '--filter number==99'; do
		# shellcheck disable=SC2086
		run -6 --separate-stderr madsweep $words --assert 'width >= 1x'
		[[ ${stderr_lines[-1]} == "madsweep: no record to check 'width >= 1x' against" ]]
	done
	run -6 --separate-stderr madsweep --select number==99 Get PortInfo --assert 'Lid >= 0'
	[[ ${stderr_lines[-1]} == "madsweep: no record to check 'Lid >= 0' against" ]]
	# no node responds: that is the failure
	run -3 --separate-stderr madsweep -t 50 --from 0,1,5 --assert 'lid > 0'
	[[ $stderr == *'the first node did not respond'* && $stderr != *'no record to check'* ]]
	run -3 madsweep -t 50 --from 0,1,5 --strict --assert 'lid > 0'
}

@test "--select that matches no port is said" {
	for words in '' 'Get PortCounters'; do
		# shellcheck disable=SC2086
		run -0 --separate-stderr madsweep --select 'number == 99' $words
		[[ -z $output && ${stderr_lines[-1]} == "madsweep: no port matches --select 'number == 99'" ]]
	done
	# of several subnets, one may have it
	other_net
	run -0 --separate-stderr madsweep --device "$MADKIT_DEVICE" --device "sim:$dir/other.net" --select 'node.name == "other leaf"'
	[[ $output == *'other leaf'* && $stderr != *--select* ]]
	# a name that is wrong is another matter
	run -6 --separate-stderr madsweep --from nobody --hops 1 --select 'number == 99'
	[[ $stderr != *--select* ]]
}

# names_of_ports: each documented name of a port: the keys of its object.
names_of_ports() {
	madsweep -q -j | jq -rs '[.[] | select(.kind == "port").port | select(.peer) | paths(type != "object") | join(".")] | unique[]'
}

@test "X1: each name of a port means the same after port., in lists, routes, requests and --clear" {
	local -a names
	local words name both='' count
	mapfile -t names < <(names_of_ports)
	# 15 and node of the port, 5 and node of its peer
	((${#names[@]} == 15 + 5 + 5 + 5))
	for name in node.name node.system_guid number guid lid width_best label plane peer.node.type peer.plane; do
		[[ " ${names[*]} " == *" $name "* ]] || { echo "$name"; return 1; }
	done
	for name in "${names[@]}"; do
		run -0 --separate-stderr madsweep -q --select "port.$name"
		[[ $output == "$(madsweep -q --select "$name")" ]] || { echo "$name"; return 1; }
		both+=" || $name"
	done
	count=$(madsweep -q --select "${both# || }" -j | jq -s '.[-1].data.ports')
	((count > 0))
	both=${both//|| /|| port.}
	for words in '' '--route node1,node4' '--mlid 0xc000' 'Get PortCounters' 'Get NodeDescription' '--clear PortCounters --yes' \
		'--route node1,node4 --clear PortCounters --yes'; do
		# shellcheck disable=SC2086
		run --separate-stderr madsweep -q -j --select "${both# || }" $words
		((status < 7)) && jq -s -e '.[-1].kind == "summary" and (.[-1].data.missing == [])' <<<"$output" || { echo "$words: $status $stderr"; return 1; }
		[[ -n $words ]] || jq -s -e --argjson count "$count" '.[-1].data.ports == $count' <<<"$output"
	done
	run -0 --separate-stderr madsweep -q -f table --fields "$(printf 'port.%s,' "${names[@]}" | sed 's/,$//')"
	diff <(sed 1d <<<"$output" | tr -s ' ') <(madsweep -q -f table --fields "$(IFS=,; echo "${names[*]}")" | sed 1d | tr -s ' ')
	run -0 --separate-stderr madsweep -q --filter 'port.number == 1' --assert 'port.width == port.width_best'
	[[ -n $output && $output == "$(madsweep -q --filter 'number == 1')" ]]
}

@test "X1: a name that a port cannot have is refused, and what a line has beside the port is known to --select" {
	for name in port.nmae port.device header.method header.hop_pointer rmpp.type remote.lid rtt_us attempts; do
		for option in --select --filter --assert; do
			run -2 --separate-stderr madsweep "$option" "$name == 1"
			[[ $stderr == *"${name#port.}'"* ]] || { echo "$stderr"; return 1; }
		done
	done
	run -2 --separate-stderr madsweep -f table --fields header.hop_pointer
	run -0 --separate-stderr madsweep -q --select "kind == port && device == '$MADKIT_DEVICE'"
	[[ $output == "$(madsweep -q)" ]]
}

# A link of two devices of Mellanox that runs at FDR10.
fdr10_net() {
	printf 'vendid=0x2c9\ndevid=0xc738\nSwitch 2 "S-0000000000200001" # "left"\n[1] "H-0000000000100001"[1] # "h" lid 0 4xFDR10\n'
	printf '[2] "S-0000000000200002"[2] # "right" lid 0 4xFDR10\n\n'
	printf 'vendid=0x2c9\ndevid=0xc738\nSwitch 2 "S-0000000000200002" # "right"\n[2] "S-0000000000200001"[2] # "left" lid 0 4xFDR10\n\n'
	printf 'vendid=0x2c9\ndevid=0x1017\nCa 1 "H-0000000000100001" # "h"\n[1] "S-0000000000200001"[1] # lid 0 lmc 0 "left" lid 0 4xFDR10\n'
}

@test "W10: a speed of which MLNXExtendedPortInfo was lost is not known, and the node is partial" {
	fdr10_net >"$dir/fdr10.net"
	local device="sim:$dir/fdr10.net" lost
	lost="$device,control=fault drop attribute=0xff90 node=right"
	run -0 --separate-stderr madsweep -j --strict --device "$device" --assert 'speed == speed_best && gbps >= 40'
	jq -s -e '[.[] | select(.port.peer).port | .speed, .speed_best] == ["FDR10", "FDR10", "FDR10", "FDR10", "FDR10", "FDR10", "FDR10", "FDR10"]' <<<"$output"
	run -0 --separate-stderr madsweep -j -t 20 --device "$lost"
	jq -s -e '[.[] | select(.kind == "port").port | select(.node.name == "right" and .number == 2) | .speed, .gbps, .speed_enabled, .speed_best] == [null, null, null, null]' <<<"$output"
	jq -s -e '[.[] | select(.kind == "port").port | select(.node.name == "left" and .number == 2) | .speed, .speed_best] == ["FDR10", null]' <<<"$output"
	jq -s -e '.[-1].data | .complete == false and .partial == 1 and .silent == 0' <<<"$output"
	[[ $stderr == 'madsweep: not read from 0x0000000000200002 right (0,1,2): MLNXExtendedPortInfo of 2 ports (no response)'* ]]
	run -3 --separate-stderr madsweep -t 20 --device "$lost" --strict
	[[ $output =~ right\ +2\ .*\ 4x\ \? && $output != *QDR* ]]
	run -3 --separate-stderr madsweep -t 20 --device "$lost" --strict --assert 'speed == speed_best'
	run -0 --separate-stderr madsweep -q -t 20 --device "$lost" --topology
	[[ $output == *'# S-0000000000200002[2] (right): its speed is not known'* ]]
	# a device that does not have the attribute runs at QDR
	sed 's/FDR10/QDR/' "$dir/fdr10.net" >"$dir/qdr.net"
	run -0 --separate-stderr madsweep --strict --device "sim:$dir/qdr.net" --assert 'speed == QDR && speed == speed_best'
}

@test "W10: FDR10 is known of a port that is down, or has fallen to a lower speed" {
	fdr10_net >"$dir/fdr10.net"
	local device="sim:$dir/fdr10.net"
	run -0 --separate-stderr madsweep -j --strict --device "$device,control=link right 2 down"
	jq -s -e '[.[] | select(.kind == "port").port | select(.state == "Down") | .speed_enabled] | length > 0 and all(. == "FDR10")' <<<"$output"
	run -0 --separate-stderr madsweep -j --strict --device "$device,control=link right 2 speed=SDR"
	jq -s -e '[.[] | select(.kind == "port").port | select(.speed == "SDR") | .speed_enabled, .speed_best] == ["FDR10", "FDR10", "FDR10", "FDR10"]' <<<"$output"
	# what depends on a response that was lost is null
	run -3 --separate-stderr madsweep -j -t 20 --strict --device "$device,control=link right 2 down,control=fault drop attribute=0xff90 node=left"
	jq -s -e '[.[] | select(.kind == "port").port | select(.node.name == "left" and .number == 2) | .speed_enabled] == [null]' <<<"$output"
}

# protect NODE KEY: its port 1 answers only requests with the M_Key.
protect() { madsend -q -t 100 --name "$1" Set PortInfo --merge "M_Key=$2" M_KeyProtectBits=2 >/dev/null || :; }

@test "V2: keys by port GUID or node GUID; a node that is not known yet needs neighbors, which a message says" {
	local node2 keys
	protect node2 0x77
	protect node1 0x78
	# node1 is the port of the sweep
	node2=0x100003
	mkdir "$dir/keys"
	for keys in "$node2 0x77;0x100001 0x78" "$node2 0x77;0x100000 0x78"; do
		tr ';' '\n' <<<"$keys" >"$dir/keys/guid2mkey"
		chmod -R go= "$dir/keys"
		run -0 --separate-stderr madsweep -t 100 -y "@$dir/keys/guid2mkey"
		[[ $stderr == *'no response from the node behind leaf2 rack2 port 1'* && $(wc -l <<<"$output") == 20 ]]
		[[ $stderr == *'hint: use --m-key @DIR; its file neighbors says which port, and thus which M_Key, is behind each cable'* ]]
	done
	printf '0x200001:1 %s:1\n' $node2 >"$dir/keys/neighbors"
	run -0 --separate-stderr madsweep --strict -t 100 -y "@$dir/keys"
	[[ $output == *'node2 HCA-1 '*Active* && $stderr != *hint* ]]
	# both by the GUID of the node
	printf '0x200001:1 0x100002:1\n' >"$dir/keys/neighbors"
	printf '0x100002 0x77\n0x100000 0x78\n' >"$dir/keys/guid2mkey"
	run -0 --separate-stderr madsweep --strict -t 100 -y "@$dir/keys"
	[[ $output == *'node2 HCA-1 '*Active* ]]
}

@test "V4: a deadline that passes while the port is opened has one summary line" {
	kill -STOP "$madsim_pid"
	for words in '' 'Get PortCounters' '--clear PortCounters --select number>0 --yes' '--route node1,node2'; do
		# shellcheck disable=SC2086
		run -3 --separate-stderr madsweep -j --deadline 50 $words
		[[ $(jq -c 'select(.kind == "summary").data | [.complete, .missing, .nodes, .ports]' <<<"$output") == '[false,["deadline"],0,0]' ]]
		[[ $(tail -n 1 <<<"$output" | jq -r .kind) == summary ]]
		python3 "$BATS_TEST_DIRNAME/../schema.py" "$BATS_TEST_DIRNAME/../../schema/madkit-1.schema.json" <<<"$output"
	done
	run -3 --separate-stderr madsweep --deadline 50
	[[ -z $output && $stderr == *': incomplete (deadline): 0 nodes'* ]]
	kill -CONT "$madsim_pid"
}

@test "W12: a port with the port GUID of a port of another subnet does not hide its subnet" {
	printf 'Switch 2 "S-0000000000000a00" # "other leaf"\n[1] "H-0000000000100000"[1](100001)\n[2] "H-0000000000000b00"[1](b01)\n\n' >"$dir/twin.net"
	printf 'Ca 1 "H-0000000000100000" # "twin"\n[1](100001) "S-0000000000000a00"[1]\n\nCa 1 "H-0000000000000b00" # "b"\n[1](b01) "S-0000000000000a00"[2]\n' >>"$dir/twin.net"
	run -0 --separate-stderr madsweep --device "$MADKIT_DEVICE" --device "sim:$dir/twin.net@twin"
	[[ $output == *'leaf1 rack1'* && $output == *'other leaf'* && $stderr != *'is in the subnet of'* ]]
	# the same subnet by two of its ports
	run -0 --separate-stderr madsweep --device "$MADKIT_DEVICE" --device "sim:unix:$socket@node2"
	[[ $stderr == *'is in the subnet of'* && $(grep -c '^leaf1 rack1 .* node1' <<<"$output") == 1 ]]
}
