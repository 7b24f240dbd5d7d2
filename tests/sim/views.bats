#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# The views of madsweep: rows of many ports, --errors, -f dot.

setup() { load common; }

teardown() { clean_up; }

# serve_errors: a fat tree with counters and a host whose performance agent is mute
serve_errors() {
	serve fat-tree:3,3,2
	control counter leaf1 2 SymbolErrorCounter=65535
	control counter leaf1 2 PortRcvErrors=12
	control counter h3-1 1 LinkDownedCounter=2
	control counter leaf2 1 PortXmitWait=9
	control counter leaf3 2 PortXmitData=2500000
	control agent h2-1 mute gsi
}

# on_terminal COLUMNS COMMAND...: of node h1-1, standard output is a terminal
on_terminal() {
	local columns=$1
	shift
	on h1-1 timeout 60 script -qec "stty cols $columns; $*" /dev/null </dev/null | tr -d '\r'
}

@test "--errors: a row for each counter that is not 0, with both ends; silent ports are rows with ?" {
	serve_errors
	run -0 --separate-stderr on h1-1 madsweep --errors -t 100 --retries 0
	diff - <(sed -E 's/ +/ /g' <<<"$output") <<-'END'
		NODE PORT COUNTER VALUE PEER PORT
		h2-1 HCA-1 1 ? ? leaf2 1
		h3-1 HCA-1 1 LinkDownedCounter 2 leaf3 1
		leaf1 2 SymbolErrorCounter >= 65535 h1-2 HCA-1 1
		leaf1 2 PortRcvErrors 12 h1-2 HCA-1 1
	END
	# the worst port first, by its greatest counter
	run -0 --separate-stderr on h1-1 madsweep --errors -t 100 --retries 0 --sort -any_error
	diff - <(sed -E 's/ +/ /g' <<<"$output") <<-'END'
		NODE PORT COUNTER VALUE PEER PORT
		leaf1 2 SymbolErrorCounter >= 65535 h1-2 HCA-1 1
		leaf1 2 PortRcvErrors 12 h1-2 HCA-1 1
		h3-1 HCA-1 1 LinkDownedCounter 2 leaf3 1
		h2-1 HCA-1 1 ? ? leaf2 1
	END
	run -0 --separate-stderr on h1-1 madsweep Get PortCounters -t 100 --sort any_error --top 29 --fields port.number,PortRcvErrors
	[[ ${lines[28]} =~ ^\ *1\ +0$ && ${lines[29]} =~ ^\ *2\ +12$ ]] || { echo "$output"; return 1; }
	run -2 madsweep --sort any_error
	run -0 --separate-stderr on h1-1 madsweep --errors -j -t 100 --retries 0
	diff <(jq -r 'select(.kind == "response") | .port.node.name' <<<"$output" | sort) <(printf '%s\n' 'h3-1 HCA-1' leaf1)
	# each counter that selects a row is a column
	run -0 --separate-stderr on h1-1 madsweep --errors -f csv -t 100 --retries 0
	[[ ${lines[0]} == port.node.name,port.number,SymbolErrorCounter,*,VL15Dropped,port.peer.node.name,port.peer.number* ]]
	[[ ${lines[1]} == 'h2-1 HCA-1,1,,,'*',,leaf2,1'* && ${lines[3]} == leaf1,2,65535,0,0,12,* && ${#lines[@]} == 4 ]]
	run -6 --separate-stderr on h1-1 madsweep --errors -q --assert 'SymbolErrorCounter < 100' --select 'node.name == leaf1'
}

@test "--errors finds the ports and values of any_error, and of ibqueryerrors without PortXmitWait" {
	local counter port
	serve "$topologies/small.net"
	for counter in SymbolErrorCounter LinkErrorRecoveryCounter LinkDownedCounter PortRcvErrors PortRcvRemotePhysicalErrors \
		PortRcvSwitchRelayErrors PortXmitDiscards PortXmitConstraintErrors PortRcvConstraintErrors \
		LocalLinkIntegrityErrors ExcessiveBufferOverrunErrors VL15Dropped QP1Dropped PortXmitWait; do
		port=$((port % 2 + 1))
		control counter leaf1 $port "$counter=$((port + 2))"
	done
	run -0 --separate-stderr on node1 madsweep --errors
	diff <(awk '$1 == "leaf1" && NR > 1 { print $3, $4, $5 }' <<<"$output" | sort) <(
		on node1 madsweep -j -q Get PortCounters --select 'node.name =~ ^leaf1' | jq -r 'select(.data) | .port.number as $port |
			.data | to_entries[] | select(.key | test("Err|Downed|Recovery|Discard|VL15|Overrun")) |
			select(.value > 0) | "\($port) \(.key) \(.value)"' | sort)
	[[ $(awk '$1 == "leaf1"' <<<"$output" | wc -l) == 12 && $output != *QP1* && $output != *Wait* ]]
}

@test "any_error names the attribute that has no counters of errors" {
	run -2 madsweep --device sim:fat-tree:2,2,1 Get PortInfo --filter 'any_error > 3'
	[[ $output == *'any_error: PortInfo has no counters of errors'* ]]
}

@test "a link with ends that show different rates is marked at both, and by --links" {
	local device=sim:fat-tree:2,3,1,control='link h2-1 1 shows=1x,SDR'
	run -0 --separate-stderr madsweep --device "$device"
	[[ $(grep -c 'half: the other end shows another rate' <<<"$output") == 2 ]]
	run -0 --separate-stderr madsweep --device "$device" --links
	grep -qE '^leaf2 +1 .*half: the other end shows another rate' <<<"$output"
	[[ $(grep -c half <<<"$output") == 1 ]]
}

@test "--errors is not combined with what would change its lines" {
	local word
	for word in '--filter number==1' '--fields data' --links 'Get NodeInfo'; do
		# shellcheck disable=SC2086  # words
		run -2 madsweep --errors $word
		[[ $output == *errors* ]]
	done
}

@test "a request to many ports is a table; -f text has blocks, and csv empty cells for silent ports" {
	serve_errors
	run -0 --separate-stderr on h1-1 madsweep Get PortCounters -t 100 --retries 0
	[[ ${lines[0]} =~ ^NODE\ +PORT\ +SymbolErrorCounter\ +.*\ PortXmitData\ +.*PortXmitWait$ ]]
	((${#lines[@]} == 1 + 30))
	grep -qE '^h2-1 HCA-1 +1( +\?)+$' <<<"$output"
	grep -qE '^leaf1 +2 +65535 +0 +0 +12 ' <<<"$output"
	# data in bytes, with a unit
	[[ $(awk '$1 == "leaf3" && $2 == 2 { print $8, $9 }' <<<"$output") == '10.0 MB' ]]
	run -0 --separate-stderr on h1-1 madsweep Get PortCounters -f text --select 'node.name == leaf2 && number == 1'
	[[ ${lines[0]} == '# PortCounters: '* ]]
	grep -qx 'PortXmitWait:....................9' <<<"$output"
	run -0 --separate-stderr on h1-1 madsweep Get PortCounters -f csv -t 100 --retries 0
	[[ $(wc -l <<<"$output") == 31 && $output != *'?'* ]]
	grep -qE $'^h2-1 HCA-1,1,+\r?$' <<<"$output"
	# a route has no title among the rows
	run -0 --separate-stderr on h1-1 madsweep --route h1-1,h2-1 Get PortCounters -f csv -t 100 --retries 0
	[[ ${lines[0]} == port.node.name,port.number,* && $(wc -l <<<"$output") == 9 ]]
	grep -qE $'^h2-1 HCA-1,1,+\r?$' <<<"$output"
	# the port without an answer is in doubt
	run -0 --separate-stderr on h1-1 madsweep Get PortCounters --fields port.node.name,PortRcvErrors --filter 'PortRcvErrors > 0' \
		-t 100 --retries 0
	diff - <(sed -E 's/ +/ /g' <<<"$output") <<<$'port.node.name PortRcvErrors\nh2-1 HCA-1 ?\nleaf1 12'
	# so is one that has no address
	run -0 --separate-stderr madsweep --device sim:fat-tree:2,2,1,control='info h2-2 1 Lid=0' Get PortCounters
	grep -qE '^h2-2 HCA-1 +1( +\?)+$' <<<"$output"
	run -0 --separate-stderr madsweep --device sim:fat-tree:2,2,1,control='info h2-2 1 Lid=0' --errors
	grep -qE '^h2-2 HCA-1 +1 \? +\? leaf2 +2$' <<<"$output"
	run -0 --separate-stderr on h1-1 madsweep Get NodeInfo
	[[ ${lines[0]} =~ ^NODE\ +PORT\ +NodeType ]]
	((${#lines[@]} == 1 + 14))
}

@test "on a terminal, titles have several lines where a row would be too long" {
	serve fat-tree:2,2,1
	run -0 on_terminal 100 madsweep -q Get PortCounters
	[[ $(awk '{ if (length > n) n = length } END { print n }' <<<"$output") -le 100 ]]
	grep -qE '^NODE +PORT +Counter +Counter +Counter +Errors +Discards +Data' <<<"$output"
	run -0 on_terminal 250 madsweep -q Get PortCounters
	grep -qE '^NODE +PORT +SymbolErrorCounter +LinkErrorRecoveryCounter' <<<"$output"
}

@test "--links has the cable to a node that does not respond" {
	run -0 --separate-stderr madsweep --links -f csv -t 50 --device 'sim:fat-tree:2,2,1,control=agent h2-1 mute smi'
	[[ ${#lines[@]} == 7 && $output == *$'\nleaf2,1,Active,4x,HDR,,'* ]] || { echo "$output"; return 1; }
	run -0 --separate-stderr madsweep --links -t 50 --device 'sim:fat-tree:2,2,1,control=agent leaf2 mute smi'
	grep -qE '^spine1 +2 .* no response from the node behind it$' <<<"$output"
}

@test "-f dot: Graphviz draws each node and link; parallel cables are one edge, problems are red" {
	local edges
	serve "$topologies/small.net"
	control link leaf2 2 speed=SDR
	run -0 --separate-stderr on node1 madsweep -f dot
	edges=$(dot -Tplain <<<"$output" | awk '$1 == "edge"')
	[[ $(dot -Tplain <<<"$output" | awk '$1 == "node"' | wc -l) == 6 ]]
	# 6 cables, of which 2 connect the same switches
	[[ $(wc -l <<<"$edges") == 5 ]]
	grep -q '2 x 4x' <<<"$output"
	[[ $(grep -c 'color=red' <<<"$output") == 1 && $(grep 'color=red' <<<"$output") == *SDR* ]]
	dot -Tsvg <<<"$output" | grep -q 'leaf1 rack1'
	control link node3 1 shows=1x,SDR
	run -0 --separate-stderr on node1 madsweep -f dot
	[[ $(grep -c 'color=red' <<<"$output") == 2 && $output == *'"different rates"'* ]]
	# a node that does not respond
	control agent node2 mute
	run -0 --separate-stderr on node1 madsweep -f dot -t 100 --retries 0
	dot -Tplain <<<"$output" | grep -q 'no response'
	# an end with another MTU, and a link that is not Active
	run -0 --separate-stderr madsweep -f dot --device sim:fat-tree:2,2,1,control='link leaf1 1 mtu=1024'
	[[ $(grep -c 'color=red' <<<"$output") == 1 ]]
	run -0 --separate-stderr madsweep -f dot --device sim:fat-tree:2,2,1,sm=none
	[[ $(grep -c 'color=red' <<<"$output") == 6 ]]
	# names cannot break out of their quotes
	printf '0x0000000000100000 "a\\b%s"\n' $'\033[31m' >"$dir/map"
	run -0 --separate-stderr on node1 madsweep -f dot --node-name-map "$dir/map" --select 'node.type == Switch || node.name =~ a'
	dot -Tplain <<<"$output" >/dev/null
	[[ $output == *'label="a\\b\\x1b[31m\n0x'* && $output != *node4* ]]
	for word in 'Get NodeInfo' --links '--sort name'; do
		# shellcheck disable=SC2086  # words
		run -2 madsweep -f dot $word
	done
}
