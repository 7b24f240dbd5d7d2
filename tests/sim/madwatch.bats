#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# madwatch: each change of a fabric is exactly one line, with the right ends. Which, follows from what the test did to the
# fabric.

setup() {
	load common
	load watching
	cd "$dir" || return
}

teardown() { clean_up; }

@test "a link goes down, comes up, slows down and is fast again: a line each, with both ends" {
	serve fat-tree:3,3,2 --sm h1-2
	watch
	control link leaf2 1 down
	until_line 'down leaf2/1'
	control link leaf2 1 up
	until_line 'up leaf2/1'
	control link spine1 3 width=1x
	until_line 'slow'
	control link spine1 3 best
	until_line 'rate'
	shown 'down leaf2/1 <-> h2-1/1 was 4x HDR' 'up leaf2/1 <-> h2-1/1 4x HDR' \
		'slow spine1/3 <-> leaf3/4 1x HDR, was 4x HDR' 'rate spine1/3 <-> leaf3/4 4x HDR, was 1x HDR'
}

@test "a link that is down for less than 2 s is one line" {
	serve fat-tree:2,2,1 --sm h1-2 --training 500
	watch
	control link leaf2 2 down
	control link leaf2 2 up
	until_line 'up leaf2/2'
	control link leaf2 1 down
	until_line 'down leaf2/1'
	shown 'up leaf2/2 <-> h2-2/1 4x HDR' 'down leaf2/1 <-> h2-1/1 was 4x HDR'
	grep -E 'up +leaf2/2 <-> h2-2/1 +4x HDR; was down for (about |at most |at least )?[01]\.[0-9] s(; LinkDowned \+1)?$' watch.out
}

@test "nodes that are powered off and on: a host, a spine, and a leaf with what is behind it" {
	serve fat-tree:4,3,2 --sm h1-2
	watch
	control node h3-2 gone
	until_line 'down leaf3/2'
	control node h3-2 back
	until_line 'up leaf3/2'
	control node spine2 gone
	until_line 'node-down spine2'
	control node spine2 back
	until_line 'node-up spine2'
	control node leaf4 gone
	until_line 'node-down leaf4'
	control node leaf4 back
	until_line 'up leaf4'
	shown 'down leaf3/2 <-> h3-2/1 was 4x HDR' 'up leaf3/2 <-> h3-2/1 4x HDR' 'node-down spine2 4 links' \
		'node-up spine2 4 links' 'node-down leaf4 2 links; 3 others are out of reach' 'up leaf4 2 of 5 links'
}

@test "the same in JSON: a problem for each link, closed with the key that it was opened with" {
	serve fat-tree:3,3,2 --sm h1-2
	watch -j
	control node spine2 gone
	until_line '"open"'
	control node spine2 back
	until_line '"close"'
	control link leaf3 1 speed=EDR
	until_line '"slow"'
	jq -r '[.kind, .problem.rule, .problem.event, .problem.place, .problem.key, .problem.by] | join(" ")' watch.out |
		sort >got
	local spine=0x0000000000200001 leaf
	for leaf in 1 2 3; do
		local place="spine2/$leaf <-> leaf$leaf/5" key="down:$spine/$leaf:0x000000000020000$((leaf + 1))/5" event
		((leaf > 1)) || place="leaf1/5 <-> spine2/1"
		for event in open close; do
			echo "problem down $event $place $key trap"
		done
	done >expected
	echo 'problem slow open leaf3/1 <-> h3-1/1 slow:0x000000000010000c/1:0x0000000000200004/1 trap' >>expected
	sort expected | diff - got
	[[ $(jq -c '.problem.since | test("^20..-..-..T..:..:..Z$")' watch.out | sort -u) == true ]]
}

# downed NODE PORT: LinkDownedCounter, read from another host
downed() { on h2-2 madsend -j --name "$1" Get PortCounters "PortSelect=$2" 2>/dev/null | jq .data.LinkDownedCounter; }

@test "how often a link went down, as its counters say: also between two looks, full, reset, and of one end" {
	serve fat-tree:3,3,2 --sm h1-2
	watch -j
	# the counters of all 21 ends of links at switches are read at the start
	read -r -t 2 <> <(:) || :
	local was is
	was=$(downed leaf2 4)
	control link leaf2 4 flap=20
	until_line '"flapping"'
	control link leaf2 4 up
	until_line '"close"'
	is=$(downed leaf2 4)
	[[ $(jq 'select(.problem.rule == "flapping").problem.link_downed' watch.out | jq -s add) == $((is - was)) ]] || { cat watch.out; return 1; }
	((is - was > 20))

	# leaf3 does not respond: its other end does
	control agent leaf3 mute
	control link leaf3 4 down
	until_line 'spine1/3 <-> leaf3/4'
	control agent leaf3 normal
	[[ $(tail -n 1 watch.out | jq -c '[.problem.rule, .problem.link_downed, .problem.text]') == '["down",1,"was 4x HDR; LinkDowned +1"]' ]] || { tail -n 1 watch.out; return 1; }

	control counter leaf2 1 LinkDownedCounter=254
	control counter leaf2 2 LinkDownedCounter=7
	control counter leaf2 3 LinkDownedCounter=0
	kill "$watch_pid"
	wait "$watch_pid" || :
	rm watch.err
	watch -j
	read -r -t 2 <> <(:) || :
	control link leaf2 1 down
	control link leaf2 1 up
	control link leaf2 1 down
	control counter leaf2 2 LinkDownedCounter=0
	control link leaf2 2 down
	until_line 'leaf2/1'
	until_line 'leaf2/2'
	[[ $(jq -c 'select(.problem.place | test("leaf2/1 ")).problem.text' watch.out) == *'LinkDowned >= +1"' ]] || { cat watch.out; return 1; }
	[[ $(jq -c 'select(.problem.place | test("leaf2/2 ")).problem | [.link_downed, .text]' watch.out) == '[null,"was 4x HDR"]' ]] || { cat watch.out; return 1; }
}

@test "a link that flaps a thousand times is one line, and one when it has become quiet" {
	local i
	serve fat-tree:2,2,1 --sm h1-2
	watch
	control link leaf2 1 flap=4
	until_line flapping
	control link leaf2 1 up
	until_line steady
	# a server that is too slow leaves changes out, and the link is down or up for long at first
	[[ $(lines_of watch.out | cut -d ' ' -f 1-4 | grep -v '^down \|^up ') == $'flapping leaf2/1 <-> h2-1/1\nsteady leaf2/1 <-> h2-1/1' ]] || { cat watch.out; return 1; }
	[[ $(tail -n 1 watch.out) == *', now up' ]]
}

@test "a link that was down at the start, and then comes and goes, is reported" {
	serve fat-tree:2,2,1 --sm h1-2
	control link leaf2 1 down
	watch
	control link leaf2 1 flap=1800
	# a server that is too slow lets it be up for longer, or down and up more often in 5 s
	until_line 'leaf2/1 <-> h2-1/1'
	lines_of watch.out | head -n 1 | grep -E '^down leaf2/1 <-> h2-1/1 it was up for [0-9.]+ s|^(new|flapping) leaf2/1 <-> h2-1/1'
	control link leaf2 1 down
	control link leaf2 1 up
	until_line 'up leaf2/1' 'steady leaf2/1'
}

@test "a link that goes down again and again, but slowly: from the third time in an hour on, it is said how often" {
	run -0 madwatch --device 'sim:fat-tree:4,4,2,control=link leaf1 4 flap=3000' --deadline 30000 -q
	[[ $(lines_of - <<<"$output" | sed -n 's/^down [^;]*; //p') == $'LinkDowned +1\nLinkDowned +1\n3 times in 12 s; LinkDowned +1\n4 times in 18 s; LinkDowned +1' ]] || { echo "$output"; return 1; }
	# the first time is more than an hour ago
	run -0 madwatch --device 'sim:fat-tree:4,4,2,control=link leaf1 4 flap=1500000' --deadline 12000000 -q
	[[ $output != *times* && $output == *'LinkDowned +1'* ]] || { echo "$output"; return 1; }
}

@test "a lost trap: the change is found by the next look, and says so" {
	serve fat-tree:3,3,2 --sm h1-2
	watch --every 2s
	control fault drop method=Trap >/dev/null
	control link leaf2 1 down
	until_line 'down leaf2/1'
	control link leaf2 4 down
	until_line 'down spine1/2'
	shown 'down leaf2/1 <-> h2-1/1 was 4x HDR (sweep)' 'down spine1/2 <-> leaf2/4 was 4x HDR (sweep)'
	# the going down was before the look; and the coming up, of which a trap arrives, was seen at once
	control link leaf2 4 up
	until_line 'up spine1/2 <-> leaf2/4'
	control fault clear
	control link leaf2 1 up
	until_line 'up leaf2/1'
	grep -E 'up +leaf2/1 .*; was down for at least ' watch.out
	# the manager reports the port when it has activated it
	grep -E 'up +spine1/2 .*; was down for (about|at least) ' watch.out
}

@test "a trap that the manager has lost, which has read the ports since: the SA knows" {
	serve fat-tree:3,3,2 --sm h1-2 --sweep 1
	watch --every 4s
	control fault drop method=Trap >/dev/null
	control fault drop method=Report >/dev/null
	control link leaf2 1 down
	# the manager resets PortStateChange
	local i
	for ((i = 0; i < 100; i++)); do
		[[ $(on h2-2 madsend -j --name leaf2 Get SwitchInfo 2>/dev/null | jq .data.StateChange) != 0 ]] || break
		read -r -t 0.1 <> <(:) || :
	done
	until_line 'down leaf2/1'
	shown 'down leaf2/1 <-> h2-1/1 was 4x HDR (sweep)'
}

@test "without a subnet manager it says that it only looks, and finds what has changed" {
	serve fat-tree:3,3,2 --no-sm
	start watch madwatch --device "sim:unix:$socket@h1-1" --every 1s
	[[ $(cat watch.line) == 'madwatch: '*': there is no subnet manager to subscribe to traps at' ]] || { cat watch.line; return 1; }
	read -r line <&"$errors"
	[[ $line == 'madwatch: '*': no traps: it looks for changes every 1 s' ]] || { echo "$line"; return 1; }
	until_line 'sm-gone the local port knows no subnet manager'
}

@test "another program of this host has Report: it only looks, and says so" {
	serve fat-tree:3,3,2 --sm h1-2
	start other madrecv --device "sim:unix:$socket@h1-1" --subscribe 64 --banner
	start watch madwatch --device "sim:unix:$socket@h1-1" --every 1s --banner
	local said
	said=$(cat watch.line)
	[[ $said == *"another agent is registered for method Report"* ]]
	read -r said <&"$errors"
	[[ $said == *': no traps: it looks for changes every 1 s' ]]
	read -r said <&"$errors"
	[[ $said == *'watching the subnet of '* ]]
	control link leaf3 3 down
	until_line 'down leaf3/3'
	shown 'down leaf3/3 <-> h3-3/1 was 4x HDR (sweep)'
}

@test "the manager ends, and another one of higher priority" {
	serve fat-tree:3,3,2 --sm h3-3
	watch
	control agent h3-3 mute
	control node h3-3 gone
	until_line 'sm-gone'
	until_line 'down leaf3/3'
	control node h3-3 back
	control agent h3-3 normal
	until_line 'sm LID'
	until_line 'up leaf3/3'
	[[ $(lines_of watch.out | grep -c '^sm-gone the subnet manager at LID [0-9]* (h3-3) does not respond$') == 1 ]] || { cat watch.out; return 1; }
	[[ $(lines_of watch.out | grep -c '^sm LID [0-9]* (h3-3) responds again$') == 1 ]] || { cat watch.out; return 1; }
	(($(wc -l <watch.out) == 4)) || { cat watch.out; return 1; }
}

@test "a link that no subnet manager activates: after 10 s, and over when it does, or when it is down again" {
	serve fat-tree:3,3,2 --sm h3-3
	watch -j --every 1s
	control node h3-3 gone
	control link leaf2 1 down
	control link leaf2 2 down
	until_line 'leaf2/1'
	until_line 'leaf2/2'
	control link leaf2 1 up
	control link leaf2 2 up
	local begin=$SECONDS
	until_line '"init","severity":"warning","event":"open"'
	((SECONDS - begin >= 10))
	control link leaf2 2 down
	until_line '"init","severity":"warning","event":"close"'
	control node h3-3 back
	until_line '"close","key":"down:0x0000000000100006/1'
	jq -r '.problem | select(.place | tostring | test("leaf2")) | [.rule, .event, .place] | join(" ")' watch.out | sort >got
	printf '%s\n' 'down open leaf2/1 <-> h2-1/1' 'down open leaf2/2 <-> h2-2/1' 'down close leaf2/1 <-> h2-1/1' \
		'init open leaf2/1 <-> h2-1/1' 'init open leaf2/2 <-> h2-2/1' 'init close leaf2/1 <-> h2-1/1' \
		'init close leaf2/2 <-> h2-2/1' | sort | diff - got
}

@test "the port of this host loses its link, and has it again" {
	serve fat-tree:2,3,2 --sm h1-2
	watch
	control link leaf1 1 down
	until_line 'down leaf1/1'
	# not seen from here
	control fault drop method=Trap >/dev/null
	control link leaf2 2 down
	control fault clear
	control link leaf1 1 up
	until_line 'up leaf1/1'
	until_line 'down leaf2/2'
	plain watch.out | sort | sed 's/ (sweep)//' >got
	printf '%s\n' 'down leaf1/1 <-> h1-1/1 was 4x HDR' 'down leaf2/2 <-> h2-2/1 was 4x HDR' 'up leaf1/1 <-> h1-1/1 4x HDR' | diff - got
}

@test "it begins when the port of this host has a link, and ends at once at a signal before" {
	serve fat-tree:2,3,2 --sm h1-2
	control link h1-1 1 down
	start watch madwatch --device "sim:unix:$socket@h1-1" --every 1s --banner
	[[ $(cat watch.line) == 'madwatch: the port is not Active: no Reports arrive' ]] || { cat watch.line; return 1; }
	local said
	for expected in 'incomplete: '*' has no link (Polling)'* "sim:unix:$socket@h1-1: waiting until the port has a link"; do
		read -r said <&"$errors"
		# shellcheck disable=SC2053  # a pattern
		[[ $said == "madwatch: "$expected ]] || { echo "$said"; return 1; }
	done
	control link h1-1 1 up
	read -r said <&"$errors"
	[[ $said == "madwatch: watching the subnet of "*': 10 nodes' ]] || { echo "$said"; return 1; }
	control link leaf2 1 down
	until_line 'down leaf2/1'
	kill "$pid"
	wait "$pid" || :
	control link h1-1 1 down
	start again madwatch --device "sim:unix:$socket@h1-1"
	local begin=$SECONDS status=0
	kill -HUP "$pid"
	wait "$pid" || status=$?
	((status == 129 && SECONDS - begin < 3)) || { echo "$status"; return 1; }
}

@test "it ends at once when its reader is gone, and unsubscribes" {
	serve fat-tree:2,2,1 --sm h1-2
	local begin=$SECONDS
	# shellcheck disable=SC2016  # the shell's
	run -0 bash -o pipefail -c 'madwatch --device "sim:unix:$1@h1-1" | true; [[ ${PIPESTATUS[0]} == 141 ]]' -- "$socket"
	((SECONDS - begin < 5))
	[[ $(on h2-1 madsend -j GetTable InformInfoRecord 2>/dev/null | jq -s 'map(select(.data)) | length') == 0 ]]
	watch
	[[ $(on h2-1 madsend -j GetTable InformInfoRecord 2>/dev/null | jq -s 'map(select(.data)) | length') == 5 ]]
	kill -TERM "$watch_pid"
	local status=0
	wait "$watch_pid" || status=$?
	((status == 143))
	[[ $(on h2-1 madsend -j GetTable InformInfoRecord 2>/dev/null | jq -s 'map(select(.data)) | length') == 0 ]]
}

@test "lines begin with date and time; on a terminal with the time, and a line has the date when the day changes" {
	local fabric='sim:fat-tree:2,2,1,control=link leaf2 1 flap=3600000'
	TZ=UTC run -0 madwatch --device "$fabric" -q --deadline 90010000
	sed -En 's/:[0-9]{2} +(down|up|new) .*/ \1/p' <<<"$output" | tail -n 3 >got
	printf '%s\n' '2026-01-01 23:00 up' '2026-01-02 00:00 down' '2026-01-02 01:00 up' | diff got -
	TZ=UTC run -0 script -qec "madwatch --device '$fabric' -q --color=never --deadline 90010000" /dev/null
	tr -d '\r' <<<"$output" | sed -E 's/:[0-9]{2} +(down|up|new) .*/ \1/' | tail -n 4 >got
	printf '%s\n' '23:00 up' 2026-01-02 '00:00 down' '01:00 up' | diff got -
	[[ $output != *2026-01-01* ]]
}

@test "--state: what changed while it was stopped is reported once, by restart" {
	serve fat-tree:3,3,2 --sm h1-2
	watch --state st
	control link leaf2 1 down
	until_line 'down leaf2/1'
	kill -TERM "$watch_pid"
	wait "$watch_pid" || :
	control link leaf2 1 up
	control node spine2 gone
	start again madwatch --device "sim:unix:$socket@h1-1" --banner --state st --deadline 6000
	wait "$pid"
	printf '%s\n' 'node-down spine2 3 links (restart)' 'up leaf2/1 <-> h2-1/1 4x HDR (restart)' |
		diff - <(lines_of again.out | sort)
	run -0 madwatch --device "sim:unix:$socket@h1-1" -q --state st --deadline 6000
	[[ -z $output ]] || { echo "$output"; return 1; }
}

# cables FROM TO: the events that are reported between two topologies
cables() {
	rm -f cables
	run -0 madwatch --device "sim:$1" -q --state cables --deadline 6000
	[[ -z $output ]]
	run -0 madwatch --device "sim:$2" -q --state cables --deadline 6000
	lines_of - <<<"$output" | sed 's/ (restart)$//'
}

# exchange A B: in the text of standard input
exchange() { sed "s/$1/@/g; s/$2/$1/g; s/@/$2/g"; }

# until_file FILE: it exists
until_file() {
	local i
	for ((i = 0; i < 400; i++)); do
		[[ ! -e $1 ]] || return 0
		read -r -t 0.1 <> <(:) || :
	done
	false
}

@test "--state: the file is there when the subnet is quiet, and serves after SIGKILL" {
	serve fat-tree:3,3,2 --sm h1-2
	watch --state st
	until_file st
	kill -KILL "$watch_pid"
	wait "$watch_pid" || :
	control link leaf2 1 down
	run -0 madwatch --device "sim:unix:$socket@h1-1" -q --state st --deadline 6000
	[[ $(plain - <<<"$output") == 'down leaf2/1 <-> h2-1/1 was 4x HDR (restart)' ]] || { echo "$output"; return 1; }
}

@test "--state: it goes on when the file cannot be written any more" {
	mkdir keep
	serve fat-tree:3,3,2 --sm h1-2
	watch --state keep/st
	until_file keep/st
	mv keep away
	control link leaf2 1 down
	until_line 'down leaf2/1'
	control link leaf2 1 up
	until_line 'up leaf2/1'
	kill -TERM "$watch_pid"
	wait "$watch_pid" || (($? == 143))
	run -1 madwatch --device sim:fat-tree:2,2,1 --state keep/st --deadline 1000
	[[ $output == *"cannot write 'keep/st'"* ]]
}

@test "--state: LinkDowned of a link that came up while it was stopped counts from its return on" {
	serve fat-tree:3,3,2 --sm h1-2
	watch --state st
	control link leaf2 1 down
	until_line 'down leaf2/1'
	kill -TERM "$watch_pid"
	wait "$watch_pid" || :
	control link leaf2 1 up
	rm watch.*
	watch --state st
	until_line 'up leaf2/1'
	[[ $(lines_of watch.out) == 'up leaf2/1 <-> h2-1/1 4x HDR (restart)' ]] || { cat watch.out; return 1; }
	control link leaf2 1 down
	until_line 'down leaf2/1'
	[[ $(lines_of watch.out | tail -n 1) == 'down leaf2/1 <-> h2-1/1 was 4x HDR; LinkDowned +1' ]] || { cat watch.out; return 1; }
}

@test "--state: a switch that has more ports now is watched at all of them" {
	madsim --generate fat-tree:2,2,2 >four.net
	# without the second spine, leaf switches have three ports
	run -0 madwatch --device sim:fat-tree:2,2,1 -q --state st --deadline 4000
	run -0 madwatch --device 'sim:four.net,control=link leaf2 4 flap=4000' -q --state st --deadline 12000
	[[ $(plain - <<<"$output") == *$'\ndown leaf2/4 <-> spine2/2 was 4x HDR'* ]] || { echo "$output"; return 1; }
	# fewer again: the links of the others are gone, and the file can be read
	run -0 madwatch --device sim:fat-tree:2,2,1 -q --state st --deadline 4000
	[[ $(plain - <<<"$output") == *'spine2'* ]] || { echo "$output"; return 1; }
	run -0 madwatch --device sim:fat-tree:2,2,1 -q --state st --deadline 4000
	[[ -z $output ]] || { echo "$output"; return 1; }
}

@test "a host channel adapter is replaced, two hosts exchange places, a host moves, a host is new" {
	madsim --generate fat-tree:3,3,2 >one.net
	sed 's/0000000000100008/0000000000777777/g; s/100008/777777/g; s/100009/777778/g' one.net >two.net
	[[ $(cables one.net two.net) == 'replaced leaf2/2 <-> h2-2/1 0x0000000000777777 in place of 0x0000000000100008 (h2-2/1)' ]]

	# h2-2 has the GUIDs 100008 and 100009, h3-1 10000c and 10000d
	exchange 0000100008 000010000c <one.net | exchange x100008 x10000c | exchange 100009 10000d | exchange h2-2 h3-1 >two.net
	[[ $(cables one.net two.net) == 'swapped leaf2/2, leaf3/1 the cables of both are exchanged' ]]

	# port 6 of the leaves is free
	sed -E 's/^Switch\t5 "S-000000000020000([234])"/Switch\t6 "S-000000000020000\1"/' one.net >free.net
	awk '/^\[2\]\t"H-0000000000100008"/ { sub(/^\[2\]/, "[6]"); cable = $0; next } { print }
		/"S-0000000000200001"\[3\]|"S-0000000000200001".*leaf3/ { next }
		/^\[5\]\t"S-0000000000200001"\[3\]/ { print cable }' free.net >two.net
	awk '/^Switch.*"leaf3"/ { here = 1 } /^\[2\]\t"H-0000000000100008"/ { cable = $0; sub(/^\[2\]/, "[6]", cable); next }
		here && /^$/ { print cable; here = 0 } { print }' free.net |
		sed -E '/^\[1\]\(100009\)/ s/"S-0000000000200003"\[2\]/"S-0000000000200004"[6]/' >two.net
	[[ $(cables free.net two.net) == 'moved leaf3/6 <-> h2-2/1 was at leaf2/2' ]]

	# without h2-2, and with it
	awk 'BEGIN { RS = ""; ORS = "\n\n" } !/caguid=0x100008/' one.net | grep -v '"H-0000000000100008"' >less.net
	[[ $(cables less.net one.net) == 'new leaf2/2 <-> h2-2/1 new node; 4x HDR' ]]
	[[ $(cables one.net less.net) == 'down leaf2/2 <-> h2-2/1 was 4x HDR' ]]
}

@test "--state: a file that is cut off, of another program or of another subnet is status 5, with line and reason" {
	run -0 madwatch --device sim:fat-tree:2,2,1 -q --state st --deadline 3000
	cp st before
	head -n 5 st >cut
	sed '3 s/node/nude/' st >bad
	echo '# open problems, kept by madcheck --state: do not edit' >check
	sed '$ d' st | sed 's/^link/# link/' >link
	local file text
	while read -r file text; do
		run -5 --separate-stderr madwatch --device sim:fat-tree:2,2,1 --state "$file" --deadline 3000
		[[ $stderr == "madwatch: $file:$text" ]] || { echo "$file: $stderr"; return 1; }
	done <<-'END'
		cut 6: the file is cut off: its end is missing
		bad 3: not a line of madwatch --state
		check 1: not a file of madwatch --state
	END
	run -5 --separate-stderr madwatch --device "sim:$topologies/real.dump" --state st --deadline 3000
	[[ $stderr == *"--state 'st': none of its nodes is in the subnet of "* ]] || { echo "$stderr"; return 1; }
	# and is left as it is
	cmp st before
}

@test "sd_notify: READY, WATCHDOG and STOPPING; and lines to the journal have priorities" {
	serve fat-tree:2,2,1 --sm h1-2
	start notified python3 -c '
import socket, sys
s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
s.bind("notify")
s.settimeout(60)
print("listening", file=sys.stderr, flush=True)
states = []
while "STOPPING=1" not in states:
    states.append(s.recv(100).decode())
print(*states)'
	local python=$pid journal
	: >journal
	journal=$(stat -c %d:%i journal)
	NOTIFY_SOCKET=$dir/notify WATCHDOG_USEC=200000 JOURNAL_STREAM=$journal \
		madwatch --device "sim:unix:$socket@h1-1" --banner >journal 2>&1 3>&- &
	started+=("$!")
	local watcher=$! word i
	for word in watching down; do
		for ((i = 0; i < 200; i++)); do
			! grep -q "$word" journal || break
			read -r -t 0.1 <> <(:) || :
		done
		control link leaf2 1 down
	done
	kill -TERM "$watcher"
	wait "$watcher" || :
	wait "$python"
	[[ $(cat notified.out) =~ ^READY=1(\ WATCHDOG=1)+\ STOPPING=1$ ]] || { cat notified.out; return 1; }
	grep -E '^<2>[0-9:]{8} down +leaf2/1 <-> h2-1/1' journal || { cat journal; return 1; }
}

@test "a full pipe does not lose lines, and a filter selects events also in text" {
	serve fat-tree:2,2,1 --sm h1-2
	watch --filter 'rule == slow'
	control link leaf2 1 down
	control link leaf2 2 width=1x
	until_line 'slow leaf2/2'
	shown 'slow leaf2/2 <-> h2-2/1 1x HDR, was 4x HDR'
	run -2 madwatch --device sim:fat-tree:2,2,1 --filter 'rulle == slow' --deadline 1000
	[[ $output == *"rulle"* ]]
	run -2 madwatch --device sim:fat-tree:2,2,1 --every 10 --deadline 1000
	[[ $output == *"--every '10' is less than 1000 ms: add a unit, as in 60s"* ]]
	run -2 madwatch --device sim:fat-tree:2,2,1 word
	[[ $output == *"'word'"* ]]
}
