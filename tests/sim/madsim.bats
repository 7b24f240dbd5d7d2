#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# A fabric that madsim serves, and who uses it.

setup() { load common; }
teardown() { clean_up; }

guid() { on "$1" madsend -j -D 0 Get NodeInfo | jq -r .data.Guid; }

@test "each process is at the node that it names: by name, description, GUID, port" {
	serve "$topologies/small.net"
	[[ $(guid node1) == 0x0000000000100000 ]]
	[[ $(guid node2) == 0x0000000000100002 ]]
	[[ $(guid "node3 HCA-1") == 0x0000000000100004 ]]
	[[ $(guid node4:1) == "$(guid 0x100006)" ]]
	[[ $(guid leaf2) == "$(on node2 madsend -j -D 0,1 Get NodeInfo | jq -r .data.Guid)" ]]
	# without a node: the first CA
	[[ $(madsend --device "sim:unix:$socket" -j -D 0 Get NodeInfo | jq -r .data.Guid) == 0x0000000000100000 ]]
}

@test "a node or a server that is not there is named, and it is a local failure" {
	serve "$topologies/small.net"
	run -1 --separate-stderr on nobody madsend Get NodeInfo
	[[ $stderr == *"no node 'nobody'"* ]]
	run -1 --separate-stderr on node1:2 madsend Get NodeInfo
	[[ $stderr == *"node1:2"* ]]
	run -1 --separate-stderr madsend --device "sim:unix:$dir/none@node1" Get NodeInfo
	[[ $stderr == *"no madsim serves $dir/none"* ]]
	run -2 --separate-stderr madsend --device sim:unix:@node1 Get NodeInfo
	[[ $stderr == *"socket is missing"* ]]
}

@test "the subnet is up when the banner comes, and the SA answers with tables" {
	serve "$topologies/small.net"
	[[ $(on node4 madsend -j -D 0 Get PortInfo | jq -r .data.LinkState_name) == Active ]]
	run -0 --separate-stderr on node3 madsend -j GetTable NodeRecord
	((${#lines[@]} == 6))
}

@test "without a subnet manager it stays as it is when it is switched on" {
	serve "$topologies/small.net" --no-sm
	[[ $(on node4 madsend -j -D 0 Get PortInfo | jq -r .data.LinkState_name) == Initialize ]]
	[[ $(stats sm) == null ]]
}

@test "one node answers what another asks" {
	serve "$topologies/small.net"
	start echo env MADKIT_DEVICE="sim:unix:$socket@node2" madrecv --class 0x32 --oui 0x1405 --method Get \
		--respond echo --banner
	run -0 --separate-stderr on node3 madsend -j --name 'node2 HCA-1' --class 0x32 --oui 0x1405 Get 0x12
	[[ $(jq -r .header.method <<<"$output") == GetResp ]]
}

@test "a client that is killed frees what it had" {
	serve "$topologies/small.net"
	start held env MADKIT_DEVICE="sim:unix:$socket@node2" madrecv --class PerfMgt --method Get --banner
	run -1 --separate-stderr on node2 madreg --class PerfMgt --method Get
	[[ $output == *methods-taken* ]]
	[[ $(stats files) == 1 ]]
	kill -9 "$pid"
	wait "$pid" || :
	run -0 --separate-stderr on node2 madreg --class PerfMgt --method Get
	[[ $(stats files) == 0 ]]
}

@test "refusals have their causes" {
	serve "$topologies/small.net"
	cause() { on node1 madreg -j "$@" | jq -r .data.cause; }
	[[ $(cause --class 0x32 --method Get) == oui ]]
	[[ $(cause --class 0x50 --method Get) == class ]]
	[[ $(cause --class PerfMgt --rmpp-version 1) == rmpp-class ]]
}

@test "what a client sends and the kernel refuses comes back at once" {
	serve "$topologies/small.net"
	# the table of P_Keys has no such place
	run --separate-stderr on node1 madsend -Y 100 -L 1 -t 60000 --retries 0 Get ClassPortInfo --class PerfMgt
	((status == 1)) || { echo "$status $output $stderr"; return 1; }
	(($(stats refused) == 1))
}

@test "control: cables, nodes, counters, faults" {
	serve "$topologies/small.net"
	run -0 control link leaf1 1 down
	[[ $(on node1 madsend -j -D 0 Get PortInfo | jq -r .data.LinkState_name) == Down ]]
	run -0 control link leaf1 1 up
	[[ $(on node1 madsend -j -D 0 Get PortInfo | jq -r .data.LinkState_name) != Down ]]
	run -0 control node node4 gone
	run -3 on node2 madsend -D 0,1,2 -t 100 --retries 0 Get NodeInfo
	run -0 control node node4 back
	run -0 on node2 madsend -D 0,1,2 Get NodeInfo
	run -0 control counter leaf1 3 SymbolErrorCounter=7
	[[ $(on node3 madsend -j --name 'leaf1 rack1' Get PortCounters PortSelect=3 | jq .data.SymbolErrorCounter) == 7 ]]
	run -0 control fault drop node=node2 port=1 class=0x81 nth=1
	[[ $output == 1 ]]
	run -3 on node2 madsend -D 0,1 -t 100 --retries 0 Get NodeInfo
	run -0 on node2 madsend -D 0,1 -t 100 --retries 0 Get NodeInfo
	run -0 control fault list
	[[ $(jq -c '[.action,.node,.done]' <<<"$output") == '["drop","node2",1]' ]]
	run -0 control fault clear 1
	run -0 control fault list
	[[ -z $output ]]
}

@test "control: words that are wrong are named" {
	serve "$topologies/small.net"
	says() {
		local word=$1
		shift
		run -2 --separate-stderr control "$@"
		[[ -z $output && ${#stderr_lines[@]} -eq 1 && $stderr == "madsim: "*"$word"* ]] ||
			{ echo "$* -> $output / $stderr"; return 1; }
	}
	says "'frob'" frob
	says "'nobody'" link nobody 1 down
	says "port '9'" link leaf1 9 down
	says "port 'x'" link leaf1 x down
	says "no cable" link leaf1 3 down
	says "'sideways'" link leaf1 1 sideways
	says "NODE PORT" link leaf1
	says "'away'" node leaf1 away
	says "'Frob'" counter leaf1 1 Frob=1
	says "SymbolErrorCounter" counter leaf1 1 SymbolErrorCounter=x
	says "NAME=VALUE" counter leaf1 1 SymbolErrorCounter
	says "frob" fault frob
	says "rate" fault drop rate=7
	says "no rule 9" fault clear 9
	run -1 --separate-stderr madsim --control "$dir/none" stats
	[[ $stderr == *"$dir/none"* ]]
}

@test "events are lines of JSON" {
	serve "$topologies/small.net" --events "$dir/events"
	run -0 control link leaf1 7 down
	run -0 control quit
	wait "$madsim_pid"
	jq -se 'all(.schema == "madkit/1" and .kind == "event" and (.device | startswith("sim:unix:")))' "$dir/events"
	jq -se 'map(.data) | any(.event == "port-state" and .node == "leaf1" and .port == 7 and .state == "Down")' "$dir/events"
	jq -se 'map(.data) | any(.event == "subnet-up" and .nodes == 6)' "$dir/events"
	jq -se 'map(.data) | any(.event == "sm-state" and .state == "master")' "$dir/events"
}

@test "a signal ends it with 128 + its number, and the socket goes" {
	serve "$topologies/small.net"
	[[ $(stat -c %a "$socket") == 600 ]]
	kill -TERM "$madsim_pid"
	status=0
	wait "$madsim_pid" || status=$?
	((status == 143))
	[[ ! -e $socket ]]
}

@test "a socket that is served is refused, one that is not is replaced, a file is left alone" {
	serve "$topologies/small.net"
	run -1 --separate-stderr madsim "$topologies/small.net" --socket "$socket"
	[[ $stderr == *"served already"* ]]
	kill -9 "$madsim_pid"
	wait "$madsim_pid" || :
	[[ -S $socket ]]
	rm "$dir"/madsim.*
	serve "$topologies/small.net"
	[[ $(guid node1) == 0x0000000000100000 ]]
	echo mine >"$dir/file"
	run -1 --separate-stderr madsim "$topologies/small.net" --socket "$dir/file"
	[[ $stderr == *"no socket"* && $(cat "$dir/file") == mine ]]
}

@test "a client whose server dies is told so, and does not wait" {
	serve "$topologies/small.net"
	start held env MADKIT_DEVICE="sim:unix:$socket@node2" madrecv --class PerfMgt --method Get --banner
	kill -9 "$madsim_pid"
	status=0
	wait "$pid" || status=$?
	((status == 1))
}

# ---- a command

@test "COMMAND runs in the fabric, and its status is the exit status" {
	# shellcheck disable=SC2016  # for the other shell
	run -0 --separate-stderr inside "$topologies/small.net" --node node3 -- \
		sh -c 'madsend -j -D 0 Get NodeInfo; echo "$MADSIM_SOCKET"; test -S "$MADSIM_SOCKET"'
	[[ $(jq -r .data.Guid <<<"${lines[0]}") == 0x0000000000100004 ]]
	[[ ! -e ${lines[1]} && ! -e $(dirname "${lines[1]}") ]]
	run -7 inside "$topologies/small.net" -- sh -c 'exit 7'
	run -127 inside "$topologies/small.net" -- "$dir/none"
	run -126 inside "$topologies/small.net" -- "$dir"
	# shellcheck disable=SC2016
	run -143 inside "$topologies/small.net" -- sh -c 'kill -TERM $$'
	run -0 inside "$topologies/small.net" --socket "$socket" -- test -S "$socket"
	[[ ! -e $socket ]]
	run -2 --separate-stderr inside "$topologies/small.net" --node nobody -- true
	[[ $stderr == *"'nobody'"* ]]
}

@test "a topology that is made up, through a pipe" {
	run -0 --separate-stderr madsim --generate fat-tree:2,3,1
	echo "$output" >"$dir/tree"
	run -0 --separate-stderr inside - -- madsend -j GetTable NodeRecord <"$dir/tree"
	((${#lines[@]} == 9))
	# by the host's name, the first word of its description
	run -0 --separate-stderr inside - --node h2-1 -- madsend Get NodeDescription <"$dir/tree"
	[[ $output == *'h2-1 HCA-1' ]]
	run -2 --separate-stderr madsim --generate fat-tree:0,3,1
	[[ $stderr == *fat-tree* ]]
}

@test "a topology that is made up and never written" {
	run -0 --separate-stderr inside fat-tree:2,3,1 --node h2-1 -- madsend -j GetTable NodeRecord
	((${#lines[@]} == 9))
	run -2 --separate-stderr inside fat-tree:2,x,1 -- true
	[[ $stderr == *"'x'"* ]]
}

@test "a topology with an error: line and column are told, status 5, nothing starts" {
	printf 'Ca 1 "a"\n[1] "b"[1]\nSwitch frob "b"\n' >"$dir/bad"
	run -5 --separate-stderr madsim "$dir/bad" --socket "$socket" --events "$dir/events"
	[[ ${#stderr_lines[@]} -eq 1 && $stderr == "madsim: $dir/bad: "*3*8*frob* ]] || { echo "$stderr"; return 1; }
	[[ ! -e $socket && ! -e $dir/events ]]
	run -1 --separate-stderr madsim "$dir/none" --socket "$socket"
	[[ $stderr == *"$dir/none"* ]]
}

@test "bytes that are no protocol end their connection, not the server" {
	command -v python3 >/dev/null || skip "python3 is missing"
	serve "$topologies/small.net"
	python3 - "$socket" <<-'PYTHON'
		import os, socket, sys
		for packet in b'', b'x', os.urandom(16), bytes(16), os.urandom(70000), b'\1\0\0\0' * 4:
		    s = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
		    s.connect(sys.argv[1])
		    try:
		        s.send(packet)
		    except OSError:
		        pass
		    s.close()
	PYTHON
	[[ $(guid node1) == 0x0000000000100000 ]]
}

@test "more clients than the system has descriptors for: it says so, waits, and goes on" {
	command -v python3 >/dev/null || skip "python3 is missing"
	start madsim bash -c 'ulimit -n 64 && exec madsim "$@"' - "$topologies/small.net" --socket "$socket" --banner
	# 100 at the socket, of whom 64 at most are let in; what it says shows that it has seen it
	python3 - "$socket" <<-'PYTHON' &
		import signal, socket, sys
		clients = [socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) for i in range(100)]
		for s in clients:
		    s.connect(sys.argv[1])
		signal.pause()
	PYTHON
	local crowd=$!
	started+=("$crowd")
	read -r -t 60 line <&"$errors"
	[[ $line == 'madsim: '*' clients, and no room for another one for now: Too many open files' ]]
	# nobody is at the head of the queue for ever, nor does it spin: it sleeps in between
	kill "$crowd"
	wait "$crowd" || :
	[[ $(guid node1) == 0x0000000000100000 ]]
	run -1 read -r -t 0 line <&"$errors"
}

@test "when faults are cleared the manager looks at all again" {
	serve "$topologies/small.net"
	local was end=$((SECONDS + 60))
	was=$(stats sweeps)
	# node1 is told another manager, and no trap tells
	run -0 control fault drop class=CommMgt
	run -0 on node1 madsend -D 0 --merge Set PortInfo SMLid=77
	(($(stats sweeps) == was))
	run -0 control fault clear 1
	until (($(stats sweeps) > was)); do
		((SECONDS < end))
	done
	[[ $(on node1 madsend -D 0 -j Get PortInfo | jq .data.SMLid) != 77 ]]
}

@test "the examples of madsim(1)" {
	[[ -n ${MADKIT_BUILD:-} ]] || skip "there is no build directory"
	cd "$dir" || return
	commands=$(sed -n 's/^\$ madsim/madsim/p' "$MADKIT_BUILD/man/madsim.1" | sed -e 's/\\-/-/g' -e "s/\\\\(aq/'/g")
	(($(wc -l <<<"$commands") == 4))
	while read -r line; do
		case $line in
		"madsim --generate"*) run -0 eval "$line" ;;
		*) run -0 eval "inside ${line#madsim }" ;;
		esac
	done <<<"$commands"
	[[ $output == *NodeDescription* || $output == *NodeDesc* ]]
}
