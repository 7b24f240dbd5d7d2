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

@test "A5: --delta: a full counter has no rate, one that fell has no difference" {
	serve "$topologies/small.net"
	control counter leaf1 3 PortXmitWait=100
	local lid line value delta saturated reset
	lid=$(on node1 madsend -D 0,1 -j Get PortInfo | jq .data.Lid)
	coproc changes { on node1 madpoll -L "$lid" Get PortCountersExtended PortSelect=3 --delta -i 20 -j --deadline 60000 \
		--fields PortXmitWait --filter 'PortXmitWait.value == 100 || PortXmitWait > 0 || PortXmitWait.reset'; }
	while read -r value delta saturated reset; do
		control counter leaf1 3 PortXmitWait="$value"
		until [[ $line == *"\"PortXmitWait\":{\"value\":$value,\"delta\":$delta,"*"\"saturated\":$saturated,\"reset\":$reset}"* ]]; do
			read -r -t 60 line <&"${changes[0]}"
		done
		[[ $delta != null && $saturated == false || $line == *'"rate":null'* ]]
	done <<-END
		100 0 false false
		150 50 false false
		7 null false true
		18446744073709551615 18446744073709551608 true false
	END
	kill "$changes_PID"
}

@test "A5: --delta: nothing is known of the difference of a counter that was full before" {
	serve "$topologies/small.net"
	control counter leaf1 3 PortXmitWait=18446744073709551615
	local lid of_leaf
	lid=$(on node1 madsend -D 0,1 -j Get PortInfo | jq .data.Lid)
	of_leaf=(on node1 madpoll -L "$lid" Get PortCountersExtended PortSelect=3 --delta -n 1 -i 20)
	run -6 --separate-stderr "${of_leaf[@]}" --assert 'PortXmitWait == 0'
	run -0 "${of_leaf[@]}" -j --filter 'PortXmitWait > 0 || PortXmitWait.saturated'
	[[ $output == *'"PortXmitWait":{"value":18446744073709551615,"delta":null,"rate":null,"saturated":true,"reset":false}'* ]]
}

@test "A5: rounds that were missed are not made up: no difference over microseconds, no burst" {
	serve "$topologies/small.net" --sm node1
	control fault drop node=leaf1 class=PerfMgt method=GetResp attribute=PortCountersExtended nth=3 >/dev/null
	lid=$(on node1 madsend -D 0,1 Get PortInfo -j | jq .data.Lid)
	run -3 --separate-stderr on node1 madpoll -L "$lid" -t 500 --retries 0 --delta -n 6 -i 100 -j Get PortCounters PortSelect=1
	[[ $(jq -s 'map(.data.interval_us // empty) | length >= 3 and all(. > 50000)' <<<"$output") == true ]] || { jq -c .data.interval_us <<<"$output"; return 1; }
	# the first is answered after 500 ms, when four more have been missed
	control fault clear >/dev/null
	control fault delay delay=500 node=leaf1 class=SubnMgt method=GetResp nth=1 >/dev/null
	run -0 on node1 madsend -L "$lid" -n 4 -i 100 -t 2000 -j Get NodeInfo
	[[ $(jq -s 'map(select(.kind == "response").time | .[17:26] | tonumber) | [.[1:], .[:-1]] | transpose | map(.[0] - .[1] | if . < 0 then . + 60 else . end) | .[1:] | all(. > 0.05)' <<<"$output") == true ]] ||
		{ jq -c '[.kind, .time]' <<<"$output"; return 1; }
}

@test "A5: --delta: a port that does not say whether it has PortCountersExtended is not taken to have none" {
	serve "$topologies/small.net"
	control fault drop node=leaf1 class=PerfMgt method=GetResp attribute=ClassPortInfo
	local lid
	lid=$(on node1 madsend -D 0,1 -j Get PortInfo | jq .data.Lid)
	run -3 --separate-stderr on node1 madpoll -L "$lid" -t 100 --retries 1 Get PortCounters PortSelect=3 --delta -n 1 -i 20 -j
	[[ $(jq -sc 'map([.kind, .header.attribute])' <<<"$output") == '[["timeout","ClassPortInfo"],["event","PortCounters"]]' ]]
	[[ $stderr == *'no response to Get ClassPortInfo'*'not known whether the port has PortCountersExtended'* ]]
}

@test "A13: a request has the same kind live, answered, in a capture and as bytes" {
	serve "$topologies/small.net"
	local vendor=(--class 0x32 --oui 0x1405)
	start live env MADKIT_DEVICE="sim:unix:$socket@node2" madrecv "${vendor[@]}" -n 3 --respond echo -j \
		--fields kind,header.method -w "$dir/capture" --banner
	on node1 madsend --name 'node2 HCA-1' "${vendor[@]}" Get 0x12
	on node1 madsend --name 'node2 HCA-1' "${vendor[@]}" Send 0x12
	on node1 madsend --name 'node2 HCA-1' "${vendor[@]}" Trap 0x12
	wait "$pid"
	[[ $(jq -c '[.kind, .header.method]' "$dir/live.out") == \
		'["request","Get"]'$'\n''["request","Send"]'$'\n''["request","Trap"]' ]]
	run -0 madrecv -r "$dir/capture" -j --filter 'header.method != GetResp && header.method != TrapRepress' --fields kind,header.method
	[[ $output == "$(cat "$dir/live.out")" ]]
	madrecv -r "$dir/capture" -f raw >"$dir/raw"
	run -0 madrecv -r "$dir/raw" -j --filter 'header.method != GetResp && header.method != TrapRepress' --fields kind,header.method
	[[ $output == "$(cat "$dir/live.out")" ]]
	# Get and Trap are answered
	run -0 madrecv -r "$dir/capture" -j --filter 'header.method == GetResp || header.method == TrapRepress' --fields kind
	[[ $output == '{"kind":"response"}'$'\n''{"kind":"response"}' ]]
}

@test "A13: a Report to a subscriber is a request" {
	serve "$topologies/small.net"
	start reports env MADKIT_DEVICE="sim:unix:$socket@node1" madrecv --subscribe 128 -n 1 -j \
		--fields kind,header.method --banner
	run -0 control link leaf1 7 down
	wait "$pid"
	[[ $(cat "$dir/reports.out") == '{"kind":"request","header":{"method":"Report"}}' ]]
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
	run -0 control errors leaf1 3 PortRcvErrors=1000000
	run -0 control traffic node3 1 gbps=2
	run -0 on node3 madpoll --name 'leaf1 rack1' --until 'PortRcvErrors > 1000' Get PortCounters PortSelect=3 --deadline 20000
	run -0 on node3 madpoll --name 'leaf1 rack1' --until 'PortRcvPkts > 1000' Get PortCountersExtended PortSelect=2 --deadline 20000
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

@test "control: what an end supports, enables and reports outlasts training; GeneralInfo has the firmware" {
	serve "$topologies/mixed.dump"
	# info FIELD...: of port 1 of gpu01 mlx5_0
	info() { on 'gpu01 mlx5_1' madsend -j --name 'gpu01 mlx5_0' Get PortInfo | jq -r "[$1] | join(\" \")"; }
	link=.data.LinkWidthActive,.data.LinkSpeedExtActive
	[[ $(info "$link") == '2 8' ]]
	run -0 control link 'gpu01 mlx5_0' 1 enabled=4x,HDR shows=2x,NDR
	until [[ $(info "$link" 2>/dev/null) == '16 8' ]]; do :; done
	[[ $(info .data.LinkWidthEnabled,.data.LinkSpeedExtEnabled,.data.LinkSpeedExtSupported) == '19 7 15' ]]
	run -0 control link 'gpu01 mlx5_0' 1 down
	run -0 control link 'gpu01 mlx5_0' 1 up
	until [[ $(info "$link" 2>/dev/null) == '16 8' ]]; do :; done
	run -0 on 'gpu02 mlx5_0' madsweep -q -j --select 'peer.node.name == "gpu01 mlx5_0"'
	[[ $(jq -r 'select(.kind == "port") | .port | "\(.width) \(.speed)"' <<<"$output") == "4x HDR" ]]
	run -0 control link 'gpu01 mlx5_0' 1 best
	until [[ $(info "$link" 2>/dev/null) == '2 8' ]]; do :; done
	run -0 on 'gpu02 mlx5_0' madsend -j --name 'gpu01 mlx5_0' Get GeneralInfo
	[[ $(jq -r '.data.FWPSID, .data.CapabilityMask_names[]' <<<"$output") == $'SIM_0000004129\nIsAccessRegisterGMPSupported' ]]
	run -0 control node 'gpu01 mlx5_0' firmware=28.39.3004 psid=MT_0000000838
	run -0 on 'gpu02 mlx5_0' madsend -j --name 'gpu01 mlx5_0' Get GeneralInfo
	[[ $(jq -r '.data | [.FWExtMajor, .FWExtMinor, .FWExtSubMinor, .FWPSID] | join(" ")' <<<"$output") == '28 39 3004 MT_0000000838' ]] ||
		{ echo "$output"; return 1; }
}

@test "control: a link that flaps faster than the subnet manager follows does not stop the server" {
	serve fat-tree:8,8,4
	control link h2-1 1 flap=0.01
	run -0 timeout 60 madsim --control "$socket" stats
	run -0 on h1-1 timeout 60 madsend -q -D 0,1 Get NodeInfo
	run -0 timeout 60 madsim --control "$socket" link h2-1 1 up
	until on h1-1 madsend -q -j --name 'h2-1 HCA-1' Get PortInfo 2>/dev/null | jq -e '.data.LinkState == 4'; do sleep 0.05; done
	run -0 timeout 60 madsim --control "$socket" quit
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
	says "the node is missing" sysfs ''
	says "'x' is too much; usage: sysfs NODE" sysfs node1 x
	says "port '9'" link leaf1 9 down
	says "port 'x'" link leaf1 x down
	says "no cable" link leaf1 3 down
	says "'sideways'" link leaf1 1 sideways
	says "NODE PORT" link leaf1
	says "'supported=4x'" link leaf1 1 supported=4x
	says "'enabled=4x,XDR'" link leaf1 1 enabled=4x,XDR
	says "'shows=5x,HDR'" link leaf1 1 shows=5x,HDR
	says "found 'speed=SDR'" link leaf1 1 shows=1x,SDR speed=SDR
	says "'firmware=28'" node leaf1 firmware=28
	says "'colour=red'" node leaf1 colour=red
	says "'away'" node leaf1 away
	says "'Frob'" counter leaf1 1 Frob=1
	says "SymbolErrorCounter" counter leaf1 1 SymbolErrorCounter=x
	says "NAME=VALUE" counter leaf1 1 SymbolErrorCounter
	says "Gb/s" traffic node3 1 gbps=1000
	says "'Frob'" errors leaf1 1 Frob=1
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

@test "a file of events lacks none, however many there are at once" {
	serve fat-tree:14,34,14 --events "$dir/events"
	until (($(stats sweeps))); do sleep 0.1; done
	run -0 control quit
	wait "$madsim_pid"
	jq -se 'map(.data.event) | length > 2000 and any(. == "subnet-up") and all(. != "lost")' "$dir/events"
}

@test "a deadline ends it with status 3 and one line" {
	local ms
	for ms in 1 2 50; do
		run -3 --separate-stderr madsim fat-tree:2,2,1 --socket "$socket" --deadline "$ms"
		[[ ! $output && ${#stderr_lines[@]} -eq 1 && $stderr == "madsim: "*deadline* ]]
	done
	[[ $stderr == "madsim: the deadline has passed: no longer serving" ]]
	[[ ! -e $socket ]]
	for ms in 0 0 0; do
		run -3 --separate-stderr madsim fat-tree:2,2,1 --deadline "$ms" -- true
	done
	for ms in 1 1 1 1 1; do
		run --separate-stderr madsim fat-tree:20,20,10 --deadline "$ms" -- true
		((status == 0 && !${#stderr_lines[@]})) ||
			[[ $status -eq 3 && $stderr == "madsim: the fabric did not come up before the deadline" ]]
	done
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
	[[ $stderr == *"already served"* ]]
	kill -9 "$madsim_pid"
	wait "$madsim_pid" || :
	[[ -S $socket ]]
	rm "$dir"/madsim.*
	serve "$topologies/small.net"
	[[ $(guid node1) == 0x0000000000100000 ]]
	echo mine >"$dir/file"
	run -1 --separate-stderr madsim "$topologies/small.net" --socket "$dir/file"
	[[ $stderr == *"is not a socket"* && $(cat "$dir/file") == mine ]]
}

@test "a client whose server dies is told so, and does not wait" {
	serve "$topologies/small.net"
	start held env MADKIT_DEVICE="sim:unix:$socket@node2" madrecv --class PerfMgt --method Get --banner
	kill -9 "$madsim_pid"
	status=0
	wait "$pid" || status=$?
	((status == 1))
}

@test "B4: control: a list of faults that is longer than 4 KB" {
	local i
	serve "$topologies/small.net"
	for ((i = 1; i <= 60; i++)); do
		control fault drop nth=1000000+5 node=node1 class=SubnMgt method=Get attribute=NodeInfo >/dev/null
	done
	run -0 --separate-stderr control fault list
	((${#output} > 4096))
	[[ $(jq -s 'map(.rule) == [range(1; 61)]' <<<"$output") == true ]]
}

@test "B15: control: a fault at a node whose description has a blank" {
	printf 'Switch 4 "s" # "leaf one"\n[1] "a"[1]\nCa 1 "a" # "host HCA-1"\n[1] "s"[1]\n' >"$dir/net"
	serve "$dir/net"
	control fault drop 'node=leaf one' rate=1
	control fault drop 'node=host HCA-1'
	control fault 'drop node=s rate=1'
	run -0 control fault list
	[[ $(jq -sr 'map(.node) | join(" ")' <<<"$output") == 's a s' ]]
	run -2 --separate-stderr control fault drop 'node=leaf1 rate=1' port=1
	[[ $stderr == *"'leaf1 rate=1'"* ]]
}

# ---- a command

@test "B4: the serving process of a COMMAND is killed: clients see at once that nothing is served" {
	# shellcheck disable=SC2016
	run -1 --separate-stderr inside fat-tree:2,2,1 -- bash -c '
		for file in /proc/[0-9]*/stat; do
			read -r pid _ _ parent _ <"$file" || continue
			((parent == PPID && pid != $$)) && server=$pid
		done 2>/dev/null
		kill -KILL "$server"
		until [[ $(<"/proc/$server/stat") == *") Z "* ]]; do :; done
		begin=$SECONDS
		ibstat -l
		madsend Get NodeInfo
		status=$?
		echo "took $((SECONDS - begin)) s"
		exit $status'
	[[ $output =~ ^"took "([0-9]+)" s"$ ]]
	((BASH_REMATCH[1] < 10))
	[[ $stderr == *"libmadsim_umad: no madsim at "*"madsend: no madsim serves "*"the simulation ended by signal 9"* ]]
}

@test "A3: on a simulated fabric the holders of a method and of a device are not known" {
	local more='.possible_holders == null and has("processes_not_seen") and .processes_not_seen == null'
	serve "$topologies/small.net"
	start holder env MADKIT_DEVICE="sim:unix:$socket@node2" madrecv --class PerfMgt --method Set --banner
	run -1 --separate-stderr on node2 madreg --class PerfMgt --method Get,Set -j
	jq -e ".data | .cause == \"methods-taken\" and $more" <<<"$output"
	[[ $stderr == *'class PerfMgt: another agent is registered for method Set' ]]
	run -1 --separate-stderr on node2 madreg --class PerfMgt --method Set
	[[ $output =~ PossibleHolder:\.+"not known on a simulated fabric" ]]
	run -1 --separate-stderr on node2 madrecv --class PerfMgt --method Set -j
	jq -e ".data | .cause == \"methods-taken\" and $more" <<<"$output"
	[[ $stderr == *'method Set; the holder is not known on a simulated fabric'* ]]
}

@test "A3: so it is on the device that the preloaded library shows" {
	# shellcheck disable=SC2016
	run -0 --separate-stderr inside fat-tree:2,2,1 -- bash -c '
		madreg -C sim0 --class PerfMgt --method Set --hold -- madreg -C sim0 --class PerfMgt --method Set -j
		madreg --list -j
		madreg --list'
	jq -se '.[0].data | .cause == "methods-taken" and .possible_holders == null and .processes_not_seen == null' \
		<<<"${output%%# umad*}"
	jq -se '.[1].data | .umad, .issm | .open_by == null and .processes_not_seen == null' <<<"${output%%# umad*}"
	[[ $output =~ Umad:[^$'\n']*"open by: not known on a simulated fabric" ]]
}

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
	start madsim bash -c 'ulimit -n 64 && exec madsim "$@"' - "$topologies/small.net" --socket "$socket" --banner
	# 100 at the socket, of which at most 64 are accepted; its message shows that it has seen the others
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
	# no client stays at the head of the queue, and madsim does not spin: it sleeps in between
	kill "$crowd"
	wait "$crowd" || :
	[[ $(guid node1) == 0x0000000000100000 ]]
	run -1 read -r -t 0 line <&"$errors"
}

@test "when faults are cleared the manager looks at all again" {
	serve "$topologies/small.net"
	local was end=$((SECONDS + 60))
	was=$(stats sweeps)
	# node1 gets another manager, without a trap
	run -0 control fault drop class=CommMgt
	run -0 on node1 madsend -D 0 --merge Set PortInfo SMLid=77
	(($(stats sweeps) == was))
	run -0 control fault clear 1
	until (($(stats sweeps) > was)); do
		((SECONDS < end))
	done
	[[ $(on node1 madsend -D 0 -j Get PortInfo | jq .data.SMLid) != 77 ]]
}

@test "A8: --merge shows that a key changes, without its value" {
	serve "$topologies/small.net"
	local secret=0x00c0ffee00c0ffee
	run -0 --separate-stderr on node1 madsend -D 0,1 --merge Set PortInfo "Mkey=$secret" -v
	[[ ${stderr_lines[0]} == -Mkey:*'<not displayed>' && ${stderr_lines[1]} == +Mkey:*'<not displayed>' ]]
	[[ ${#stderr_lines[@]} == 2 && ${output,,} != *c0ffee* ]]
	run -0 --separate-stderr on node1 madsend -D 0,1 -y "$secret" --merge Set PortInfo Mkey=0 -K
	[[ ${stderr_lines[0]} == "-Mkey:"*"$secret" && ${stderr_lines[1]} == "+Mkey:"*0x0000000000000000 ]]
	run -0 --separate-stderr on node1 madsend -D 0,1 --merge Set PortInfo Mkey=0
	[[ $stderr == '(nothing changes)' ]]
}

@test "A8: --merge --dry-run sends the Get alone, and shows the difference and the MAD" {
	serve "$topologies/small.net"
	local sent
	run -0 --separate-stderr on node1 madsend -D 0 --merge --dry-run -w "$dir/w" -dd -j Set PortInfo SMLid=77
	sent=$(grep -c '^madsend: sent ' <<<"$stderr")
	[[ $sent == 1 && $stderr == *'sent SubnMgtDR Get '* ]] || { echo "$stderr"; return 1; }
	[[ $stderr == *-SMLid:*1$'\n'+SMLid:*77* ]]
	[[ $(jq -c '[.kind, .header.method, .data.SMLid]' <<<"$output") == '["request","Set",77]' ]]
	[[ $(on node1 madsend -D 0 -j Get PortInfo | jq .data.SMLid) == 1 ]]
	run -4 --separate-stderr on node1 madsend -D 0 -m 9 --merge --dry-run Set PortInfo SMLid=77
	[[ -z $output ]]
}

@test "A5: madpoll --until sees the envelope of a response with a MAD status" {
	serve "$topologies/small.net"
	run -0 --separate-stderr on node1 madpoll -L 2 -m 77 Get PortInfo --until 'status.mad != 0' -n 3 -i 50 -j --fields status.mad
	[[ $output == '{"status":{"mad":28}}' && $stderr == *"was answered with status 0x001c"* ]]
	# its data is unknown, and so is a negation
	run -4 --separate-stderr on node1 madpoll -L 2 -m 77 Get PortInfo --until '!(LinkState == Down)' -n 1
	run -3 --separate-stderr on node1 madpoll -L 99 -t 50 --retries 0 Get PortInfo --until 'status.mad == 0' -n 1
	# an empty table
	run -0 --separate-stderr on node1 madpoll GetTable NodeRecord LID=99 --until 'records == 0' -n 1
	run -6 --separate-stderr on node1 madpoll GetTable NodeRecord LID=99 --until 'LID > 0' -n 1
}

@test "an assertion that an unknown field does not satisfy calls it null" {
	serve "$topologies/small.net"
	run -6 --separate-stderr on node1 madsend -L 2 Get NodeInfo --assert 'status.rmpp == 0'
	[[ $stderr == *"'status.rmpp == 0' did not hold: status.rmpp is null (Lid 2 port 0)" ]]
}

@test "a process without a free descriptor gives that as the reason" {
	serve "$topologies/small.net"
	local n words
	# libtool's wrappers need descriptors themselves
	for n in 4 5; do
		for words in 'madsend Get NodeInfo' 'madreg --class 4' 'madpoll --class 4 --deadline 1000'; do
			# shellcheck disable=SC2016  # for the inner shell
			run --separate-stderr on node1 bash -c 'export LD_LIBRARY_PATH=${MADKIT_BUILD:+$MADKIT_BUILD/lib/.libs:}$LD_LIBRARY_PATH
				program=$(command -v "$1"); [[ -z ${MADKIT_BUILD:-} ]] || program=$MADKIT_BUILD/.libs/$1
				shift; for fd in /proc/self/fd/*; do fd=${fd##*/}; ((fd < 3)) || eval "exec $fd<&-"; done
				ulimit -n "$0"; exec "$program" "$@"' "$n" $words
			[[ $status == [03] || ($status == 1 && $stderr == *"Too many open files"*) ]] ||
				{ echo "$n $words: $status $stderr"; return 1; }
			((n > 4)) || [[ $status == 1 ]] || { echo "$n $words: $status $stderr"; return 1; }
		done
	done
}

@test "A7: --fields applies to lines of every kind" {
	serve "$topologies/small.net"
	run -5 --separate-stderr on node1 madsend --batch - -j --fields tag,kind <<<'{bad'
	[[ $output == '{"kind":"error","tag":null}' ]]
	run -0 --separate-stderr on node1 madsend -L 3 -n 1 -j --fields kind,records Get NodeInfo
	[[ $output == '{"kind":"response","records":1}'$'\n''{"kind":"summary","records":0}' ]]
	# a field of the data selects all data of a summary
	run -0 --separate-stderr on node1 madsend -L 3 -n 1 -j --fields NumPorts Get NodeInfo
	[[ $(jq -c 'keys' <<<"$output") == '["data"]'$'\n''["data"]' && $(jq .data.sent <<<"${lines[1]}") == 1 ]]
	run -3 --separate-stderr on node1 madsend -D 0,1,4,3,1 -t 50 --retries 0 --locate -j --fields kind Get NodeInfo
	[[ $output == '{"kind":"timeout"}'$'\n''{"kind":"event"}' ]]
	run -1 --separate-stderr on node1 madsend -C nonesuch -j --fields kind Get NodeInfo
	[[ $output == '{"kind":"error"}' ]]
	# refused while another process holds the class
	start holder env MADKIT_DEVICE="sim:unix:$socket@node2" madrecv --class PerfMgt --banner
	run -1 --separate-stderr on node2 madrecv --class PerfMgt -j --fields kind
	[[ $output == '{"kind":"error"}' ]]
	run -1 --separate-stderr on node2 madpoll --class PerfMgt -j --fields kind,status.send --deadline 1000
	[[ $(jq -c 'keys' <<<"$output") == '["kind","status"]' ]]
}

@test "A8: the Get of --merge does not contain the fields given for the Set" {
	serve "$topologies/small.net"
	run -0 --separate-stderr on node1 madsend -L 4 -m 1 --merge --dry-run -w "$dir/w" -j Set PortInfo HoqLife=9
	[[ $(madrecv -r "$dir/w" -j | jq -c 'select(.header.method == "Get") | [.data.HoqLife, .header.modifier]') == '[0,1]' ]]
	run -0 --separate-stderr on node1 madsend -L 4 --merge -w "$dir/w2" Set PortSamplesControl PortSelect=2 Tag=3 OpCode=1
	[[ $(madrecv -r "$dir/w2" -j | jq -c 'select(.header.method == "Get") | .data | [.PortSelect, .Tag, .OpCode]') == '[2,0,0]' ]]
}

@test "D8: CounterSelect=all resets every counter, PortXmitWait and those of CounterSelect2 too" {
	serve "$topologies/small.net"
	local attribute counters counter
	for attribute in PortCounters PortCountersExtended; do
		mapfile -t counters < <(madsend --describe -j "$attribute" | jq -r '.fields[] | select(.kind == "counter").name' | grep -v QP1Dropped)
		((${#counters[@]} > 16))
		for counter in "${counters[@]}"; do
			# the narrowest has 4 bits; the port has traffic meanwhile
			case $counter in *Data | *Pkts) control counter leaf1 2 "$counter=1000000" ;; *) control counter leaf1 2 "$counter=15" ;; esac
		done
		run -0 on node1 madsend -L 4 -j Get "$attribute" PortSelect=2
		[[ $(jq -c '[.data | .PortXmitWait, .SymbolErrorCounter, .PortXmitPkts >= 1000000]' <<<"$output") == '[15,15,true]' ]]
		run -0 on node1 madsend -L 4 Set "$attribute" PortSelect=2 CounterSelect=all
		run -0 on node1 madsend -L 4 -j Get "$attribute" PortSelect=2
		jq -e '.data | with_entries(select(.key | test("Select") | not)) | to_entries |
			all(if .key | test("Data|Pkts") then .value < 1000000 else .value == 0 end)' <<<"$output"
	done
}

@test "A8: --merge refuses a Set that resets counters, and resets none" {
	serve "$topologies/small.net"
	control counter leaf1 2 SymbolErrorCounter=17
	local attribute
	for attribute in PortCounters PortCountersExtended PortRcvErrorDetails PortXmitDiscardDetails \
			PortOpRcvCounters PortExtendedSpeedsCounters PortExtendedSpeedsCountersRSFEC SwPortVLCongestion \
			PortXmitDataSL; do
		run -2 --separate-stderr on node1 madsend --merge -L 4 Set "$attribute" PortSelect=2 CounterSelect=1
		[[ $stderr == "madsend: Set $attribute resets the counters that CounterSelect selects"* && -z $output ]] ||
			{ echo "$attribute: $stderr"; return 1; }
	done
	[[ $(on node1 madsend -L 4 -j Get PortCounters PortSelect=2 | jq .data.SymbolErrorCounter) == 17 ]]
	run -2 --separate-stderr on node1 madsend --merge Set MCMemberRecord JoinState=1
	[[ $stderr == *"not for the SA"* ]]
	run -2 --separate-stderr on node1 madsend -D 0 --merge Set PortInfo data=00
	[[ $stderr == *"data gives every field a value"* ]]
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

@test "a port that a Set of PortInfo disables and enables again comes up" {
	serve "$topologies/small.net" --sm node1
	lid=$(on node1 madsend -D 0,1 Get PortInfo -j | jq .data.Lid)
	run -0 on node1 madsend -L "$lid" -m 2 --merge Set PortInfo PhysLinkState=Disabled
	run -0 on node1 madpoll -L "$lid" -m 2 Get PortInfo --until LinkState==Down -i 20 --deadline 10000
	run -0 on node1 madsend -L "$lid" -m 2 --merge Set PortInfo PhysLinkState=Polling
	run -0 on node1 madpoll -L "$lid" -m 2 Get PortInfo --until LinkState==Active -i 20 --deadline 10000
}

@test "madreg --list prints the tenths of a port's rate" {
	sed 's/\(\[1\]\t"leaf1"\[1\]\) .*/\1 w=1 s=1/' "$topologies/small.net" >"$dir/slow.net"
	run -0 inside "$dir/slow.net" --socket "$socket" -- madreg --list
	[[ $output == *"Rate:............................2.5 Gb/s"* ]] || { echo "$output"; return 1; }
	run -0 inside "$dir/slow.net" --socket "$socket" -- madreg --list -j
	[[ $(jq .data.rate <<<"$output") == 2.5 ]]
	run -0 inside "$topologies/small.net" --socket "$socket" -- madreg --list -j
	[[ $(jq .data.rate <<<"$output") == +([0-9]) ]]
}

@test "X14: madreg --list shows no value of a file that could not be read, and its status is 1" {
	load ../torture/torture.bash
	torture_build
	# shellcheck disable=SC2016  # expanded in the shell that madsim starts
	run -0 env LD_PRELOAD="$TORTURE" TORTURE_PROGRAM=madreg madsim "$topologies/small.net" --socket "$socket" -- bash -c '
		keep="del(.umad, .issm)"
		good=$(madreg --list -j | jq -c ".data | $keep")
		lines=$(madreg --list | grep -c "^[A-Za-z]*:")
		for ((n = 1; n < 2000; n++)); do
			status=0
			out=$(TORTURE_NTH=$n TORTURE_LOG="$1/log" madreg --list -j 2>"$1/err") || status=$?
			[[ -s $1/log ]] || break
			[[ $out ]] || continue
			jq -ec --argjson good "$good" ".data | $keep | to_entries |
				map(select(.value != null and .value != \$good[.key])) == []" <<<"$out" >"$1/same" ||
				{ echo "call $n ($(<"$1/log")): $out"; exit 1; }
			# each key is there, and null has its status
			jq -ec --argjson good "$good" ".data | $keep | keys == (\$good | keys)" <<<"$out" >"$1/same" ||
				{ echo "call $n: $out"; exit 1; }
			nulls=$(jq -c ".data | $keep | map(select(. == null)) | length" <<<"$out")
			((nulls == 0 || status == 1)) || { echo "call $n ($(<"$1/log")): status $status: $out"; exit 1; }
			text=$(TORTURE_NTH=$n TORTURE_LOG="$1/log" madreg --list 2>"$1/err")
			[[ -z $text || $(grep -c "^[A-Za-z]*:" <<<"$text") == "$lines" ]] || { echo "call $n: $text"; exit 1; }
			unknown=$((unknown + $(grep -cE "^(CAType|Firmware|Rate):.*unknown$" <<<"$text")))
			[[ $out == *"\"lid\":null"* ]] || continue
			grep -q "umad:sim0/1: cannot read lid: " "$1/err" || exit 1
			unread=$((unread + 1))
		done
		echo "$n calls, $unread without a LID, $unknown others unknown"
		((n > 20 && n < 2000 && unread > 0 && unknown >= 3))' - "$dir"
}

@test "V1: --assert, --filter and --fields of madreg --list see the data of the port" {
	# shellcheck disable=SC2016  # expanded in the shell that madsim starts
	run -0 inside "$topologies/small.net" --socket "$socket" -- bash -c '
		set -e
		madreg --list --assert "data.rate >= 100" >"$1/out"
		! madreg --list --assert "data.rate > 100" >"$1/out" 2>"$1/err" || exit 1
		grep -q "data.rate" "$1/err"
		words=("data.state == Active" "state_name == Active" "phys_state == LinkUp" "data.lid != 0 && data.lid == $(madreg --list -j | jq .data.lid)"
			"data.ca == \"sim0\"" "data.port == 1" "data.link_layer =~ Infini" "node_guid == 0x100000" "data.umad.usable == 1"
			"data.issm.path =~ issm0" "!(data.rate < 100)" "device =~ sim0")
		for word in "${words[@]}"; do
			[[ $(madreg --list -j --filter "$word" | wc -l) == 1 ]] || { echo "$word"; exit 1; }
			status=0
			madreg --list -j --filter "!($word)" >"$1/out" 2>"$1/err" || status=$?
			[[ $status == 6 && ! -s $1/out ]] || { echo "not $word"; exit 1; }
		done
		[[ $(madreg --list -j --fields data.rate,state,device | jq -cS .) == \
			"{\"data\":{\"rate\":100,\"state\":4,\"state_name\":\"Active\"},\"device\":\"umad:sim0/1\"}" ]]
		[[ $(madreg --list -j --fields data.port,port | jq -c .data) == "{\"port\":1}" ]]
		# the record and the line have the same keys
		for key in $(madreg --list -j | jq -r ".data | keys[]"); do
			[[ $(madreg --list -j --fields "data.$key" | jq -r ".data | keys[0]") == "${key%_name}" ]] || { echo "$key"; exit 1; }
		done' - "$dir"
}

@test "madreg --list takes each --device that the other commands take" {
	local device
	for device in umad: umad:/1 umad:sim0 umad:sim0/1 umad:sim0/01 umad:sim0/0x1; do
		run -0 inside "$topologies/small.net" --socket "$socket" -- madreg --list --device "$device" -j
		[[ $(jq -r .device <<<"$output") == umad:sim0/1 ]] || { echo "$device: $output"; return 1; }
	done
	run -6 --separate-stderr inside "$topologies/small.net" --socket "$socket" -- madreg --list --device umad:/2
	[[ $stderr == *"no such port"* ]]
}

@test "quit ends COMMAND: with SIGTERM, and one that ignores it with SIGKILL" {
	local status=0 inside
	inside_words
	start quit "${inside[@]}" fat-tree:1,2,0 --socket "$socket" --banner -- sleep 60
	control quit
	wait "$pid" || status=$?
	((status == 143))
	start kill "${inside[@]}" fat-tree:1,2,0 --socket "$socket" --banner -- bash -c 'trap "" TERM; while sleep 0.2; do :; done'
	control quit
	wait "$pid" || status=$?
	((status == 137))
	# one that ends by itself has its own status
	# shellcheck disable=SC2016  # for the inner shell to expand
	run -7 inside fat-tree:1,2,0 --socket "$socket" -- bash -c 'madsim --control "$MADSIM_SOCKET" quit; exit 7'
}
