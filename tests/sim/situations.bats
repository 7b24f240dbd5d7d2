#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# madcheck in a fabric that is not at rest, or that it cannot read as a whole. tests/shim/managers.bats has subnet managers.

setup() {
	load common
	cd "$dir" || return
}

teardown() { clean_up; }

# rules FILE: "SEVERITY RULE" of each problem in JSON lines, with its number
rules() { jq -r 'select(.kind == "problem") | .problem | "\(.severity) \(.rule)"' "$1" | sort | uniq -c | awk '{ print $2, $3, $1 }'; }

summary() { jq -c "select(.kind == \"summary\").data | [$2]" "$1"; }

# until_dropped: waits until a fault of the fabric has dropped a MAD
until_dropped() { until (($(control fault list | jq -s 'map(.done // .data.done) | add') > 0)); do :; done; }

@test "M_Keys: with the key all is read; without it, with a wrong one, or with that of one node, nothing is healthy" {
	local device=sim:fat-tree:2,3,1 key
	for place in 'leaf2 0' 'h2-1 1' 'h1-2 1'; do device+=",control=info $place Mkey=85 ProtectBits=2"; done
	run -0 madcheck --device "$device" --m-key 0x55
	# an M_Key protects Sets, but hides nothing
	run -0 madcheck --device "${device//=2/=1}"
	for key in '' '--m-key 0x1234'; do
		# shellcheck disable=SC2086  # words
		run -6 --separate-stderr madcheck -j --device "$device" --keep-going $key
		echo "$output" >json
		# of h1-2, and of leaf2: the hosts behind it are unknown
		[[ $(rules json) == *'critical silent 2'* && $(summary json .nodes,.hosts) == '[4,2]' ]] || { cat json; return 1; }
		# shellcheck disable=SC2086
		run -3 --separate-stderr madcheck --device "$device" --rules slow,name,guid $key
		[[ ${lines[0]} == "UNKNOWN: no problems in "*"; not everything was judged" ]] || { echo "$key: $output"; return 1; }
	done
	# the switch has another key than its host
	run -6 madcheck -j --device "${device/Mkey=85/Mkey=86}" --keep-going --m-key 0x55
	echo "$output" >json
	[[ $(rules json) == *'critical silent 1'* && $(summary json .nodes,.hosts) == '[5,3]' ]] || { cat json; return 1; }
}

@test "a limited member: SMPs need no P_Key; counters that it may not read are not judged, and no problem" {
	local device='sim:fat-tree:2,3,1,control=info h1-1 1 PKey[0]=0x7fff,control=info h2-1 1 PKey[0]=0x7fff'
	run -0 madcheck --device "$device" --rules standard,route,pkey
	# those of the other limited member, and those of the port itself
	run -3 --separate-stderr madcheck -j --device "$device" --rules standard,counters -t 50
	echo "$output" >json
	[[ -z $(rules json) && $(summary json .verdict,.complete,.unjudged) == '["UNKNOWN",false,2]' ]] || { cat json; return 1; }
}

@test "one of ten nodes is mute: each is one problem, all else is judged, nothing behind them is missing" {
	local device='sim:fat-tree:28,18,18,control=link leaf9 3 width=1x,control=join h1-1 1' i
	for i in {2..27}; do device+=",control=agent h$i-$((i % 18 + 1)) mute,control=agent h$i-$(((i + 7) % 18 + 1)) mute"; done
	device+=',control=agent leaf5 mute,control=agent spine3 mute'
	run -6 --separate-stderr madcheck -j --all --keep-going --device "$device"
	echo "$output" >json
	# 50 hosts of 25 leaves; leaf5 behind 17 spines; spine3 behind 27 leaves
	[[ $(rules json) == $'critical silent 94\nwarning slow 1' ]] || { rules json; return 1; }
	[[ $(summary json .nodes,.switches,.hosts,.verdict) == '[480,44,436,"CRITICAL"]' ]] || { summary json .nodes,.switches,.hosts,.verdict; return 1; }
	# bounded: less than three tries of a second for each silent port, several at once
	(($(summary json .elapsed_us | tr -d '[]') < 60000000))
	run -3 --separate-stderr madcheck --device "$device" --rules name
	[[ ${lines[0]} == UNKNOWN:* ]]
}

@test "a response that a second reading corrects is no problem: SMInfo" {
	local device=sim:fat-tree:4,6,2,fault=
	# SMInfo is lost in the first reading
	run -0 madcheck --device "${device}drop attribute=SMInfo method=GetResp nth=1+3"
	[[ ${lines[0]} == "OK: "* ]]
	run -6 madcheck --rules sm --device "${device}drop attribute=SMInfo method=GetResp"
	[[ $output == *"no subnet manager is master: this one does not respond"* ]]
}

@test "links that go down and up while madcheck runs: no crash, nothing that a second reading does not confirm" {
	local i status
	serve fat-tree:4,6,2
	# a link is unplugged for 1 ms in 60
	while kill -0 "$BATS_ROOT_PID" 2>/dev/null && [[ ! -e stop ]]; do
		for i in 1 2 3 4; do
			control link "leaf$i" "$i" down && control link "leaf$i" "$i" up
		done
	done >/dev/null 2>&1 3>&- &
	toggler=$!
	started+=("$toggler")
	for ((i = 0; i < 12; i++)); do
		status=0
		on h1-6 madcheck -j --all --rules standard,route >>json 2>>err || status=$?
		[[ $status == [036] ]] || { echo "status $status"; cat err; return 1; }
	done
	touch stop
	wait "$toggler" || :
	[[ $(grep -c '"kind":"summary"' json) -eq 12 ]]
	# a link that is caught twice while it trains is half or init, which is true
	[[ $(rules json) != *slow* && $(rules json) != *mtu* && $(rules json) != *lid* ]] || { rules json; return 1; }
}

@test "a signal and the deadline, also with --nagios: the statuses, and what was found until then" {
	local signal
	serve fat-tree:4,6,2
	control link leaf1 2 width=1x >/dev/null
	control fault drop node=leaf3 class=0x81 method=GetResp >/dev/null
	for signal in TERM:143 HUP:129; do
		MADKIT_DEVICE=sim:unix:$socket@h1-1 madcheck -t 60000 --keep-going >out 2>err 3>&- &
		pid=$!
		until grep -q . "/proc/$pid/wchan" && (($(control fault list | jq -s 'map(.done // .data.done) | add') > 0)); do :; done
		kill -s "${signal%:*}" "$pid"
		status=0
		wait "$pid" || status=$?
		[[ $status -eq ${signal#*:} && $(head -1 out) == *'; not everything was judged (signal)' ]] || { echo "$status"; cat out err; return 1; }
		grep -q 'leaf1/2 <-> h1-2/1' out
		[[ $(<err) == *'incomplete: a signal ended the sweep'* && $(<err) != *deadline* ]] || { cat err; return 1; }
		control fault clear >/dev/null
		control fault drop node=leaf3 class=0x81 method=GetResp >/dev/null
	done
	run -6 --separate-stderr on h1-1 madcheck -t 60000 --keep-going --deadline 700
	[[ ${lines[0]} == *'; not everything was judged (deadline)' && $stderr == *'the deadline ended the sweep' ]]
	run -3 --separate-stderr on h1-1 madcheck --nagios --rules name -t 60000 --deadline 700
	[[ ${lines[0]} == 'IB UNKNOWN - no problems in '*'not everything was judged'*' | '* ]] || { echo "$output"; return 1; }
	# from here on, so that the signal follows the first request
	control fault clear >/dev/null
	control fault drop node=leaf3 class=0x81 method=GetResp >/dev/null
	MADKIT_DEVICE=sim:unix:$socket@h1-1 madcheck --nagios --rules name -t 60000 >out 2>err 3>&- &
	pid=$!
	until_dropped
	kill -TERM "$pid"
	status=0
	wait "$pid" || status=$?
	[[ $status -eq 3 && $(head -1 out) == 'IB UNKNOWN - '* ]] || { echo "$status"; cat out; return 1; }
}

# strays WORD...: madcheck on a fabric in which h2-1 has the LID of another manager, which WORD... changes after SMInfo was read.
# Sets status.
strays() {
	local line
	printf 'sm again 3000ms\n' >"$dir/limits"
	serve fat-tree:2,3,1 --sweep 0
	control info h2-1 1 MasterSMLID=77
	start check madcheck -d --rules sm --limits "$dir/limits" --device "sim:unix:$socket@h1-1"
	until [[ ${line:-} == *received*'attribute 0x0020'* ]]; do read -r -t 60 line <&"$errors"; done
	kill -STOP "$pid"
	"$@"
	kill -CONT "$pid"
	cat <&"$errors" >/dev/null
	status=0
	wait "$pid" || status=$?
}

@test "handover: a port that has the LID of the other manager only at first is not a problem" {
	strays control info h2-1 1 MasterSMLID=1
	[[ $status == 0 && $(head -n 1 "$dir/check.out") == OK:* ]] || { cat "$dir/check.out"; return 1; }
}

@test "a port that has the LID of another manager twice is a problem" {
	strays true
	[[ $status == 6 && $(sed -n 2p "$dir/check.out") == 'warning   sm  h2-1/1  SMLid is 77, but the master has LID 1' ]] ||
		{ cat "$dir/check.out"; return 1; }
}

@test "sm: a check that ends before the second reading claims nothing about managers" {
	local device="sim:fat-tree:2,3,1,control=info h2-1 1 MasterSMLID=77"
	printf 'sm again 100000ms\n' >limits
	# in virtual time, the pause before it passes the deadline
	run -3 --separate-stderr madcheck --limits limits --deadline 50000 --device "$device"
	[[ ${lines[0]} == 'UNKNOWN: no problems in 9 nodes (3 switches), 8 links; not everything was judged' ]]
	[[ ${lines[1]} == 'judged in part: silent, sm, '* && $stderr == *'the deadline ended the check'* ]]
	run -6 --separate-stderr madcheck --limits limits --deadline 500000 --device "$device"
	[[ ${lines[1]} == 'warning   sm  h2-1/1  SMLid is 77, but the master has LID 1' ]]
}

# sent: verdict, completeness and the number of MADs in the summary of $output
sent() { tail -n 1 <<<"$output" | jq -r '.data | "\(.verdict) \(.complete) \(.mads)"'; }

@test "wherever a deadline cuts a check, by any rule, it is OK only if as many MADs were sent as without one" {
	local rules seconds all cut
	# minutes of virtual time; that of opening the port is real
	for rules in standard sm counters route pkey firmware standard,counters standard,route,pkey,counters; do
		run -0 --separate-stderr madcheck -j --rules "$rules" --rate 2 --device sim:fat-tree:2,3,1
		all=$(sent) cut=0
		for ((seconds = 20; seconds < 60; seconds++)); do
			run --separate-stderr madcheck -j --rules "$rules" --rate 2 --deadline ${seconds}000 --device sim:fat-tree:2,3,1
			case $status in
			0) [[ $(sent) == "$all" ]] ;;
			3) [[ $(sent) == 'UNKNOWN false '* && -n $stderr ]] && cut=$((cut + 1)) ;;
			*) false ;;
			esac || { echo "$rules, $seconds s: $status $(sent), all: $all; $stderr"; return 1; }
		done
		((cut > 0 && cut < 40)) || { echo "$rules: $cut were cut"; return 1; }
	done
}

@test "a check that is cut closes no problem of --state" {
	local device='sim:fat-tree:2,3,1,control=counter leaf2 1 SymbolErrorCounter=5000' seconds n=0
	run -6 madcheck --rules counters --state st --device "$device"
	grep -v '^#' st >before
	for ((seconds = 20; seconds < 60; seconds++)); do
		run --separate-stderr madcheck -j --rules counters --state st --rate 2 --deadline ${seconds}000 --device "$device"
		((status == 6 || status == 3))
		[[ $output != *'"event":"close"'* ]]
		[[ $(grep -v '^#' st) == "$(<before)" ]] || { echo "$seconds"; diff before st; return 1; }
		n=$((n + (status == 3)))
	done
	((n))
}

@test "a signal while counters are read: the verdict says that not everything was judged" {
	local words
	serve fat-tree:2,3,1
	for words in '' -j --nagios; do
		control fault clear >/dev/null
		control fault drop node=leaf2 class=PerfMgt method=GetResp >/dev/null
		# shellcheck disable=SC2086
		MADKIT_DEVICE=sim:unix:$socket@h1-1 madcheck --rules counters -t 60000 $words >out 2>err 3>&- &
		pid=$!
		until_dropped
		kill -TERM "$pid"
		status=0
		wait "$pid" || status=$?
		[[ $(<err) == *'the signal ended the check'* && $(<err) != *'nterrupted'* ]] || { cat out err; return 1; }
		case $words in
		'') [[ $status == 143 && $(head -n 1 out) == 'UNKNOWN: '*'; not everything was judged' ]] ;;
		-j) [[ $status == 143 ]] && output=$(<out) && [[ $(sent) == 'UNKNOWN false '* ]] ;;
		*) [[ $status == 3 && $(head -n 1 out) == 'IB UNKNOWN - '*'; not everything was judged'* ]] ;;
		esac || { echo "$words: $status"; cat out err; return 1; }
	done
}
