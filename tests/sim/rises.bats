#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# madcheck --for, --since and --state: counters of errors that rise. tests/properties/rises.py has random fabrics.

setup() {
	load common
	cd "$dir" || return
}

teardown() { clean_up; }

# risen TIME [NODE PORT NAME=RATE]...: the problems, after so long, of counters that rise
risen() {
	local spec=sim:fat-tree:4,4,2 time=$1 words
	for words in "${@:2}"; do spec+=",control=errors $words"; done
	run --separate-stderr madcheck --device "$spec" --for "$time" --rules standard
	problems=$(grep -E '^(critical|warning|info) ' <<<"$output" | tr -s ' ' || :)
}

@test "the limits of symbol errors are those of 12 and of 125 minutes, and are exceeded at once" {
	# 200 Gb/s: 1.44 in 12 min at 1e-14, 1.5 in 125 min at 1e-15, 2.4 in 200 min
	risen 60s 'leaf1 1 SymbolErrorCounter=0.025'
	[[ $status == 0 && $problems == "info rises leaf1/1 SymbolErrorCounter rose within the limits" ]] || { echo "$output"; return 1; }
	[[ ${lines[2]} == "counters of 48 ports compared over 60 s of 125 min" ]]
	risen 60s 'leaf1 1 SymbolErrorCounter=0.042'
	[[ $status == 6 && $problems == "warning "*"leaf1/1 <-> h1-1/1 SymbolErrorCounter +2 (limit 1.44) in 60 s: bad bits arrive at the first end: "* ]]
	risen 60min 'h1-1 1 SymbolErrorCounter=0.0007'
	[[ $status == 6 && $problems == *" h1-1/1 <-> leaf1/1 SymbolErrorCounter +2 (limit 1.50) in 60 min: "* ]]
	risen 200min 'leaf1 1 SymbolErrorCounter=0.0002'
	[[ $status == 0 && $problems == info* && $output == *"compared over 200 min"$'\n'* ]]
	risen 200min 'leaf1 1 SymbolErrorCounter=0.0003'
	[[ $status == 6 && $problems == *"SymbolErrorCounter +3 (limit 2.40) in 200 min"* ]]
}

@test "what rises together says what to do" {
	risen 60s 'leaf1 1 SymbolErrorCounter=1' 'leaf1 1 LinkErrorRecoveryCounter=0.05'
	[[ $problems == *"SymbolErrorCounter +60 (limit 1.44), LinkErrorRecoveryCounter +3 (limit 0) in 60 s: the link retrains: replace the cable now" ]]
	risen 60s 'leaf1 1 SymbolErrorCounter=1' 'h1-1 1 SymbolErrorCounter=2'
	[[ $problems == *"SymbolErrorCounter +60 (limit 1.44), at the other end SymbolErrorCounter +120 (limit 1.44) in 60 s: physical errors of this link: reseat or replace the cable" ]] ||
		[[ $problems == *"SymbolErrorCounter +120 (limit 1.44), at the other end SymbolErrorCounter +60 (limit 1.44) in 60 s: physical errors of this link: reseat or replace the cable" ]]
	[[ $(wc -l <<<"$problems") -eq 1 ]]
	risen 60s 'leaf1 1 PortRcvErrors=1.1'
	[[ $problems == *"PortRcvErrors +66 (limit 60) in 60 s: packets are malformed: see PortRcvErrorDetails" ]]
	risen 60s 'leaf1 1 PortRcvErrors=0.9'
	[[ $status == 0 && $problems == info* ]]
	risen 60s 'leaf1 1 LocalLinkIntegrityErrors=0.02'
	[[ $status == 6 && $problems == *"LocalLinkIntegrityErrors +1 (limit 0) in 60 s: many physical errors: replace the cable soon" ]]
	risen 60s 'leaf1 1 PortXmitWait=1000000' 'leaf1 1 VL15Dropped=9' 'leaf1 1 PortRcvSwitchRelayErrors=9'
	[[ $status == 0 && $problems == "info rises leaf1/1 PortRcvSwitchRelayErrors, VL15Dropped, PortXmitWait rose within the limits" ]]
}

@test "discards of packets to a link that is down are no errors" {
	risen 60s 'leaf1 1 PortXmitDiscards=3' 'leaf1 1 PortInactiveDiscards=3' 'leaf1 2 PortXmitDiscards=3' \
		'leaf1 3 PortXmitDiscards=3' 'leaf1 3 PortNeighborMTUDiscards=3'
	[[ $status == 6 && $(wc -l <<<"$problems") -eq 2 ]] || { echo "$problems"; return 1; }
	[[ $problems == *"leaf1/2 <-> h1-2/1 PortXmitDiscards +180 (limit 60) in 60 s: congestion, or a credit loop: "* ]]
	[[ $problems == *"leaf1/3 <-> h1-3/1 PortXmitDiscards +180 (limit 60) in 60 s: packets exceed the MTU of the other end: "* ]]
}

@test "links that go down: once between switches, three times in an hour, five times in a day" {
	# the errors of a link that went down are not judged
	risen 60s 'leaf1 5 LinkDownedCounter=0.025' 'leaf1 5 SymbolErrorCounter=5'
	[[ $status == 6 && $problems == "warning flapping "*" <-> "*" the link went down 1 time in 60 s; the errors of that time were not judged" ]]
	risen 60s 'leaf1 5 LinkDownedCounter=0.06'
	[[ $status == 6 && $problems == critical*"3 times in 60 s"* ]]
	risen 60s 'leaf1 1 LinkDownedCounter=0.04'
	[[ $status == 0 && $problems == info*"2 times in 60 s"* ]]
	risen 60s 'leaf1 1 LinkDownedCounter=0.06'
	[[ $status == 6 && $problems == warning*"leaf1/1 <-> h1-1/1 the link went down 3 times in 60 s"* ]]
	risen 10h 'leaf1 1 LinkDownedCounter=0.00012'
	[[ $status == 0 && $problems == info*"4 times in 10.0 h"* ]]
	risen 10h 'leaf1 1 LinkDownedCounter=0.00015'
	[[ $status == 6 && $problems == warning*"5 times in 10.0 h"* ]]
	risen 2d 'leaf1 1 LinkDownedCounter=0.00004'
	[[ $status == 0 && $problems == info*"6 times in 48.0 h"* ]]
}

@test "--limits: none, a number, and what is neither" {
	local device='sim:fat-tree:4,4,2,control=errors leaf1 1 PortRcvErrors=2,control=errors leaf1 2 VL15Dropped=2'
	printf '%s\n' 'rises PortRcvErrors none' 'rises VL15Dropped 1/s' >limits
	run -6 madcheck --device "$device" --for 60s --limits limits
	[[ $(tr -s " " <<<"$output") == *"warning rises leaf1/2 <-> h1-2/1 VL15Dropped +120 (limit 60) in 60 s: management packets arrive too fast"* ]]
	[[ $(tr -s " " <<<"$output") == *"info rises leaf1/1"* ]]
	echo 'rises short-ber none' >limits
	run -2 madcheck --device "$device" --for 60s --limits limits
	[[ $output == "madcheck: limits:1:17: 'none' is not a number from 6 to 20"* ]]
}

@test "refused: rules, deadlines and combinations that cannot be judged" {
	run -2 madcheck --device sim:fat-tree:2,1,1 --rules rises
	[[ $output == "madcheck: --rules: rises needs --for, --since or --state, to compare counters"* ]]
	run -2 madcheck --device sim:fat-tree:2,1,1 --for 60s --deadline 60s
	[[ $output == "madcheck: --deadline ends the check before the second reading of --for"* ]]
	run -2 madcheck --device sim:fat-tree:2,1,1 --for 60s --since x
	[[ $output == "madcheck: --for has no effect: --since has the first reading"* ]]
	run -2 madcheck --device sim:fat-tree:2,1,1 --local --for 60s
	run -2 madcheck --device sim:fat-tree:2,1,1 --for 60
	[[ $output == "madcheck: --for '60' is less than 1000 ms: add a unit, as in 60s"* ]]
	run -2 madcheck --device sim:fat-tree:2,1,1 --for 60parsecs
	[[ $output == *"'60parsecs'"* ]]
	run -0 madcheck --device sim:fat-tree:2,1,1
	[[ $output == *"not judged: counters of errors that rise (--for 60s)" ]]
}

@test "a port without two readings is not judged, and is never healthy" {
	run -3 --separate-stderr madcheck -t 50 --device 'sim:fat-tree:4,4,2,control=agent h1-2 mute gsi' --for 60s
	[[ $stderr == "madcheck: 1 port not judged, such as h1-2/1 by the rule rises: no response to the first request" ]]
	[[ ${lines[0]} == "UNKNOWN: "* ]]
	run -3 --separate-stderr madcheck -t 50 --device 'sim:fat-tree:4,4,2,fault=drop class=4 method=GetResp node=h1-2 nth=3+' --for 60s
	[[ $stderr == "madcheck: 1 port not judged, such as h1-2/1 by the rule rises: no response to the second request" ]]
	# a counter that is full shows no rise
	run -3 --separate-stderr madcheck --device 'sim:fat-tree:4,4,2,control=counter h1-1 1 SymbolErrorCounter=18446744073709551615' --for 60s
	[[ $stderr == *"h1-1/1 by the rule rises: a counter is full, and shows no rise: clear it" ]]
}

@test "a signal ends the wait at once, and what was not judged is unknown" {
	serve fat-tree:4,4,2
	export MADKIT_DEVICE=sim:unix:$socket
	madcheck --for 1h >out 2>err &
	# its first readings have been sent
	until [[ $(stats sends) -gt 150 ]]; do :; done
	kill -TERM $!
	run -143 wait $!
	[[ $(<err) == "madcheck: incomplete: the signal ended the check" && $(<out) == "UNKNOWN: "* ]]
}

# narrow NODES COMMAND...: as nodes without PortCountersExtended
narrow() {
	LACKED=0x600 LACKED2=0 LACKED_BY=$1 LD_PRELOAD=${MADKIT_PRELOAD:+$MADKIT_PRELOAD:}$MADKIT_BUILD/tests/sim/.libs/capabilities.so "${@:2}"
}

@test "--since: rises since an earlier run, of nodes with and without PortCountersExtended" {
	serve fat-tree:4,4,2
	export MADKIT_DEVICE=sim:unix:$socket
	control counter leaf2 1 SymbolErrorCounter=7
	madsweep -q -j Get PortCountersExtended,PortCounters >old.json
	python3 - old.json <<-'END'
		import json, sys
		lines = [json.loads(line) for line in open(sys.argv[1])]
		with open(sys.argv[1], 'w') as out:
		    for line in lines:
		        line['epoch'] -= 3600
		        print(json.dumps(line), file=out)
	END
	for nodes in none switches all; do
		control counter leaf1 1 SymbolErrorCounter=0
		run -0 --separate-stderr narrow $nodes madcheck --since old.json
		[[ $output == *"counters of 48 ports compared over 6"?" min of 125 min"* && -z $stderr ]] || { echo "$output $stderr"; return 1; }
		control counter leaf1 1 SymbolErrorCounter=3
		run -6 --separate-stderr narrow $nodes madcheck --since old.json
		[[ $output == *"leaf1/1 <-> h1-1/1  SymbolErrorCounter +3 (limit 1.50) in 6"?" min: "* && $output != *leaf2/1* ]]
	done
	control counter leaf1 1 SymbolErrorCounter=0
	# the count since a reset is a part of the rise
	control counter leaf2 1 SymbolErrorCounter=5
	run -6 --separate-stderr madcheck --since old.json
	[[ $output == *"leaf2/1 <-> h2-1/1  SymbolErrorCounter +5 (limit 1.50) in 6"?" min or less: "* ]]
	control counter leaf2 1 SymbolErrorCounter=0
	run -3 --separate-stderr madcheck --since old.json
	[[ $stderr == "madcheck: 1 port not judged, such as leaf2/1 by the rule rises: its counters were reset between the readings" ]]
	control counter leaf2 1 SymbolErrorCounter=7
	# a port without an earlier reading; from standard input
	run -3 --separate-stderr madcheck --since - < <(jq -c 'select(.port.node.name != "h1-1 HCA-1")' old.json)
	[[ $stderr == "madcheck: 1 port not judged, such as h1-1/1 by the rule rises: no earlier reading" ]]
}

@test "--since: nothing is judged on a file that is not whole, of another time, subnet or attribute" {
	local device=sim:fat-tree:4,4,2
	madsweep -q --device $device -j Get PortCountersExtended >old.json
	refused() {
		run -5 --separate-stderr madcheck --device "${2:-$device}" --since bad.json
		[[ -z $output && $stderr == "madcheck: --since bad.json"$1* ]] || { echo "$output $stderr"; return 1; }
	}
	head -c -100 <(head -n 20 old.json) >bad.json
	refused ', line 20: '
	{ head -n 5 old.json; echo 'h1-1 0 0 0'; } >bad.json
	refused ', line 6: not a JSON object'
	jq -c '.epoch += 1e9' old.json >bad.json
	refused ', line 1: its time is in the future: was a clock set back?'
	jq -c 'del(.epoch)' old.json >bad.json
	refused ', line 1: epoch'
	sed 's/"node":{"name":\("[^"]*"\),"guid":"0x00000000002/"node":{"name":\1,"guid":"0x00000000009/; s/"guid":"0x00000000001/"guid":"0x00000000008/' old.json >bad.json
	run -5 --separate-stderr madcheck --device $device --since bad.json
	[[ $stderr == "madcheck: --since bad.json is of another subnet: none of its nodes is in this one" ]] || { echo "$stderr"; return 1; }
	madsweep -q --device $device -j Get PortInfo >bad.json
	refused ' has no counters to compare'
	madsweep -q --device $device -j >bad.json
	refused ' has no counters to compare'
	: >bad.json
	refused ' has no counters to compare'
	madsweep -q --device $device -j Get PortCountersExtended --fields SymbolErrorCounter >bad.json
	refused ', line 1: '
	printf '\0\377\376' >bad.json
	refused ', line 1: '
	# a line without an end: memory and time have limits
	run -5 --separate-stderr bash -c "ulimit -v 2000000; timeout 60 madcheck --device $device --since /dev/zero"
	[[ $stderr == "madcheck: --since /dev/zero, line 1: the line is too long for a line of madsweep" ]]
	# a reading that is later than those of this run: a clock that was set back
	jq -c '.epoch += 60' old.json >bad.json
	run -3 --separate-stderr madcheck --device $device --since bad.json
	[[ $stderr == "madcheck: 48 ports not judged, such as h1-1/1 by the rule rises: the clock was set back between the readings" ]]
}

@test "--since and --state: a link that went down and stays down is a problem; a file that is cut off is none" {
	serve fat-tree:4,4,2
	export MADKIT_DEVICE=sim:unix:$socket
	madsweep -q -j Get PortCountersExtended,PortCounters | jq -c '.epoch -= 600' >old.json
	run -0 --separate-stderr madcheck --rules standard,rises --state state
	[[ ${lines[0]} == *"; counters are compared by the next check" && $output != *"judged: "*rises* ]]
	# a run that does not judge rises keeps the readings
	run -0 --separate-stderr madcheck --state state
	control link leaf1 5 down
	for files in '--since old.json' '--rules standard,rises --state state'; do
		# shellcheck disable=SC2086
		run -6 --separate-stderr madcheck $files
		[[ $output == *"flapping  leaf1/5 "*" the link went down 1 time in "*", and is down"* ]] || { echo "$output"; return 1; }
	done
	head -n -1 state >cut
	run -5 --separate-stderr madcheck --rules standard,rises --state cut
	[[ $stderr == "madcheck: cut is cut off: its last line is missing" ]]
	run -2 --separate-stderr madcheck --rules silent --since old.json
	[[ $stderr == "madcheck: --since has no effect: neither rises nor flapping is judged"* ]]
}

@test "--for, --since, --state: a link that is down at the sweep has flapped if LinkDownedCounter rises, else nothing is said" {
	# down for 2 s, up for 2 s
	run -6 --separate-stderr madcheck --for 60s --device 'sim:fat-tree:4,4,2,control=link leaf1 4 flap=2000'
	[[ $output == *"flapping  leaf1/4  the link went down 15 times in 60 s, and was down before"$'\n'* && $output == *"counters of 47 ports compared"* ]] || { echo "$output"; return 1; }
	run -0 --separate-stderr madcheck --for 60s --device 'sim:fat-tree:4,4,2,control=link leaf1 4 down,control=errors leaf1 4 SymbolErrorCounter=5'
	[[ ${lines[0]} == "OK: no problems in "* && $output != *leaf1/4* && -z $stderr ]] || { echo "$output $stderr"; return 1; }
	serve fat-tree:4,4,2
	export MADKIT_DEVICE=sim:unix:$socket
	control link leaf1 4 down
	madsweep -q -j Get PortCountersExtended,PortCounters | jq -c '.epoch -= 600' >old.json
	run -0 --separate-stderr madcheck --rules standard,rises,flapping --state state
	for files in '--since old.json' '--rules standard,rises,flapping --state state'; do
		# shellcheck disable=SC2086
		run -0 --separate-stderr madcheck $files
		[[ $output == *"counters of 47 ports compared"* && $output != *leaf1/4* && -z $stderr ]] || { echo "$output $stderr"; return 1; }
	done
	control counter leaf1 4 LinkDownedCounter=5
	for files in '--since old.json' '--rules standard,rises,flapping --state state'; do
		# shellcheck disable=SC2086
		run -6 --separate-stderr madcheck $files
		[[ $output == *"flapping  leaf1/4  the link went down 4 times in "*", and is down"$'\n'* ]] || { echo "$output"; return 1; }
	done
	# a counter of 8 bits that is full shows nothing; others of a port without a link do not matter
	control counter leaf1 4 LinkErrorRecoveryCounter=255
	control counter leaf1 4 LinkDownedCounter=255
	madsweep -q -j Get PortCountersExtended,PortCounters | jq -c '.epoch -= 600' >old.json
	run -3 --separate-stderr narrow switches madcheck --since old.json
	[[ $stderr == "madcheck: 1 port not judged, such as leaf1/4 by the rule rises: a counter is full, and shows no rise: clear it" ]] || { echo "$stderr"; return 1; }
	control counter leaf1 4 LinkDownedCounter=254
	madsweep -q -j Get PortCountersExtended,PortCounters | jq -c '.epoch -= 600' >old.json
	run -0 --separate-stderr narrow switches madcheck --since old.json
	# a port that is disabled has no link to lose
	madport -q leaf2/4 disable --yes
	run -0 --separate-stderr madcheck --for 1s
	[[ $output == *"2 switch ports down (1 disabled, 1 polling)"$'\n'"counters of 45 ports compared"* ]] || { echo "$output"; return 1; }
}

# earlier SECONDS FILE: as if the state had been written so long ago
earlier() {
	python3 - "$@" <<-'END'
		import datetime, re, sys
		seconds, path = int(sys.argv[1]), sys.argv[2]
		text = open(path).read()
		def time(match):
		    t = datetime.datetime.strptime(match[0], '%Y-%m-%dT%H:%M:%SZ') - datetime.timedelta(seconds=seconds)
		    return t.strftime('%Y-%m-%dT%H:%M:%SZ')
		text = re.sub(r'\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ', time, text)
		text = re.sub(r'(?m)^([@=]\t[^\t]*\t[^\t]*\t)(\d+)', lambda m: m[1] + str(int(m[2]) - seconds * 10**9), text)
		open(path, 'w').write(text)
	END
}

@test "--state: rare errors add up, and a problem is over only after the whole time of its limit" {
	serve fat-tree:4,4,2
	export MADKIT_DEVICE=sim:unix:$socket
	check() { run --separate-stderr madcheck --rules standard,rises --state state "$@"; }
	check
	[[ $status == 0 && $output == *"; counters are compared by the next check"* ]]
	# one error in each of two runs is more than 1.44 in 12 minutes
	control counter leaf1 1 SymbolErrorCounter=1
	earlier 300 state
	check
	[[ $status == 0 && $output == *"rises  leaf1/1  SymbolErrorCounter rose within the limits"* ]]
	[[ $output == *"compared over "?*" of 125 min"* ]]
	control counter leaf1 1 SymbolErrorCounter=2
	earlier 300 state
	check -j
	[[ $status == 6 && $(jq -c 'select(.kind == "problem").problem | [.event, .severity, .value]' <<<"$output") == $'["open","warning","2"]\n["close","info","1"]' ]] || { echo "$status $output"; return 1; }
	# no more errors: it stays open for 125 minutes, with its first time
	since=$(jq -r 'select(.problem.event == "open").problem.since' <<<"$output")
	check -j
	[[ $status == 6 && $(jq -r 'select(.kind == "problem").problem | .event + .since' <<<"$output") == "update$since" ]]
	earlier 7300 state
	check -j
	[[ $status == 6 && $(jq -r 'select(.kind == "problem").problem.event' <<<"$output") == update ]]
	earlier 300 state
	check -j
	[[ $status == 0 && $(jq -r 'select(.kind == "problem").problem.event' <<<"$output") == close ]]
	[[ $(grep -c '^[@=]' state) -eq 96 ]]
}

@test "--state: a link that goes down three times in an hour, in three runs, is flapping" {
	serve fat-tree:4,4,2
	export MADKIT_DEVICE=sim:unix:$socket
	check() { run --separate-stderr madcheck --rules standard,rises,flapping --state state -j; }
	check
	for downs in 1 2; do
		control counter leaf1 1 LinkDownedCounter=$downs
		earlier 600 state
		check
		[[ $status == 0 && $(jq -r 'select(.kind == "problem").problem | .rule + .severity' <<<"$output") == flappinginfo ]] || { echo "$output"; return 1; }
	done
	control counter leaf1 1 LinkDownedCounter=3
	earlier 600 state
	check
	[[ $status == 6 && $(jq -r 'select(.kind == "problem").problem | .rule + .severity + .value' <<<"$output") == flappingwarning3 ]]
	# a host that reboots, and begins at 0, is not unknown
	control counter leaf1 1 LinkDownedCounter=0
	earlier 7200 state
	check
	[[ $status == 0 ]] || { echo "$output"; return 1; }
}

@test "--state: without --rules rises, counters are neither read nor kept; other lines are refused" {
	local device=sim:fat-tree:4,4,2
	run -0 madcheck --device $device --state state
	[[ $output == *"not judged: counters of errors that rise (--for 60s, or --rules standard,rises)"* ]]
	[[ $(grep -c '^[@=]' state) -eq 0 ]]
	madcheck --device $device --state state --rules standard,rises
	cp state whole
	for bad in $'@\t0x1/1\t0x1d\t5\t0x' $'@\t0x1/1\t0x1d\t5\t0' $'@\t0x1/999\t0x1d\t5\t00' $'=\t1' '@'; do
		{ cat whole; echo "$bad"; } >state
		run -5 --separate-stderr madcheck --device $device --state state --rules standard,rises
		[[ $stderr == "madcheck: state:99: not a line of madcheck --state" ]] || { echo "$bad: $stderr"; return 1; }
	done
}
