#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# The commands against each other and against opensm: every kind of destination, requests that are
# received, reports of traps, counters over time, registrations.

# shellcheck disable=SC2030,SC2031,SC2154  # run sets output, stderr and their lines
load common

# The remains of a failed test do not make others fail.
teardown() {
	console 'Error "node2"[1] 0'
}

# Node $1's description of itself, by smpquery.
lid_of() { on "$1" smpquery portinfo -D 0 | dotted Lid; }
guid_of() { on "$1" smpquery nodeinfo -D 0 | dotted "${2:-Guid}"; }

said() { grep -qs "$2" "$FABRIC_DIR/$1.err"; }

vendor=(--class 0x32 --oui 0x001405)

# ---- destinations ---------------------------------------------------------------------------

@test "every kind of destination leads to the node that smpquery finds there" {
	guid=$(guid_of node1)
	port_guid=$(guid_of node1 PortGuid)
	lid=$(lid_of node1)
	gid=$(on node1 smpquery portinfo -D 0 | dotted GidPrefix)
	gid=$(printf '%s%s' "${gid#0x}" "${port_guid#0x}" | sed 's/..../&:/g; s/:$//')
	printf '%s "first of all"\n' "$guid" >"$FABRIC_DIR/map"
	while read -ra to; do
		run -0 --separate-stderr on node2 madsend "${to[@]//_/ }" Get NodeInfo --fields Guid -j
		[[ $(jq -r .data.Guid <<<"$output") == "$guid" ]] || { echo "${to[*]}: $output$stderr"; return 1; }
	done <<-TO
		-L $lid
		-D 0,1,7,1
		-G $port_guid
		--gid $gid
		--gid $gid -L $lid
		--gid $gid --hop-limit 3 --flow-label 7
		--name node1_HCA-1
		--node-name-map $FABRIC_DIR/map --name first_of_all
	TO
	[[ $(on node2 madsend Get NodeInfo --fields Guid -j | jq -r .data.Guid) == "$(guid_of node2)" ]]
}

@test "destinations of general management: by LID, GUID, GID, name, and the port itself" {
	port_guid=$(guid_of node1 PortGuid)
	for to in "-L $(lid_of node1)" "-G $port_guid" "--gid fe80::${port_guid:10:4}:${port_guid:14}"; do
		# shellcheck disable=SC2086
		run -0 on node2 madsend $to Get PortCounters PortSelect=1 -j
		[[ $(jq -c '[.remote.lid, .remote.qp]' <<<"$output") == "[$(lid_of node1),1]" ]]
	done
	run -0 on node2 madsend Get PortCounters PortSelect=1 -j
	[[ $(jq .remote.lid <<<"$output") == "$(lid_of node2)" ]]
}

@test "without a destination a request for the SA goes to the SM's LID, or where -s says" {
	run -0 on node2 madsend Get SA:ClassPortInfo -j
	[[ $(jq .remote.lid <<<"$output") == "$(on node2 smpquery portinfo -D 0 | dotted SMLid)" ]]
	run -3 on node2 madsend -s 99 -t 100 Get SA:ClassPortInfo
}

# The simulator routes no such SMP, not smpquery's either: only what would be sent can be looked at.
@test "a combined route holds this port's LID and goes to the other one" {
	run -0 on node2 madsend --dry-run -L 7 -D 0,1,2 Get NodeInfo -j
	[[ $(jq -c '[.remote.lid, .remote.path, .header.class_id, .header.dr_slid, .header.dr_dlid, .header.hop_count]' <<<"$output") == \
		"[7,\"0,1,2\",129,$(lid_of node2),65535,2]" ]]
}

@test "destinations that nobody knows: 6, and one line" {
	for to in '-G 0x77' '--gid fe80::77' '--name nobody'; do
		# shellcheck disable=SC2086
		run -6 --separate-stderr on node2 madsend $to Get NodeInfo
		[[ -z $output && ${#stderr_lines[@]} -eq 1 ]]
	done
}

# ---- requests and what becomes of them -------------------------------------------------------

@test "some lost, some answered: the batch's status, and the summary in text" {
	run -3 --separate-stderr on node2 madsend -L 99 -n 2 -i 0 --retries 0 -t 100 Get NodeInfo
	[[ $output == '# Get NodeInfo to Lid 99: 2 sent, 2 lost' ]]
	run -0 --separate-stderr on node2 madsend -n 3 -i 0 Get NodeInfo --fields Guid
	[[ ${lines[-1]} =~ ^'# Get NodeInfo to '.*': 3 sent, 0 lost, min/avg/max '[0-9]+/[0-9]+/[0-9]+' us'$ ]]
}

@test "-i is the time from one to the next" {
	before=$(date +%s%N)
	run -0 on node2 madsend -n 3 -i 100 Get NodeInfo
	((($(date +%s%N) - before) / 1000000 >= 200))
}

# The simulator silently loses packets that leave a port, and refuses at once packets that are lost further on.
@test "a deadline that ends -n says so" { in_time 600 ends_count; }

ends_count() {
	run -3 --separate-stderr on node2 madsend -D 0 -n 100000 -i 100 --deadline "$ms" --fields Guid Get NodeInfo || return
	[[ $stderr =~ ^'madsend: the deadline ended it after '[1-9][0-9]*' of 100000'$ && ${lines[-1]} == *' sent, 0 lost'* ]]
}

@test "-dd shows MADs in hex, and keys with -K alone" {
	run -0 --separate-stderr on node2 madsend -dd -D 0 -y 0xdeadbeefcafe -K Get NodeInfo
	[[ $stderr == *'de ad be ef ca fe'* ]]
	run -0 --separate-stderr on node2 madsend -dd -D 0 -y 0xdeadbeefcafe Get NodeInfo
	[[ $stderr == *'0020: ff ff'* && $stderr != *'de ad be ef'* ]]
}

@test "--deadline bounds the whole; tries without an answer take their time" {
	lid=$(lid_of node4)
	console 'Error "node2"[1] 100'
	before=$(date +%s%N)
	run -3 --separate-stderr on node2 madsend -L "$lid" -t 200 --retries 1 Get NodeInfo
	took=$((($(date +%s%N) - before) / 1000000))
	[[ $stderr == *' 2 tries'* ]] && ((took >= 400))
	before=$(date +%s%N)
	run -3 on node2 madsend -L "$lid" -t 60000 --deadline 200 Get NodeInfo
	took=$((($(date +%s%N) - before) / 1000000))
	((took >= 200))
	console 'Error "node2"[1] 0'
}

@test "SIGINT while waiting for an answer: 130" {
	lid=$(lid_of node4)
	console 'Error "node2"[1] 100'
	spawn int node2 madsend -L "$lid" -t 300 --retries 0 -n 1000 -i 0 Get NodeInfo
	until_true 60 said int 'no response'
	kill -INT "$FABRIC_JOB"
	finish "$FABRIC_JOB"
	console 'Error "node2"[1] 0'
	((FABRIC_STATUS == 130))
	[[ $(tail -n 1 "$FABRIC_DIR/int.out") == '# Get NodeInfo to Lid '*' lost'?(', 1 outstanding') ]]
}

# The simulator sends every MAD without a way back to its sender, and its library is at fault in exit()
# when something arrives at that moment: hence several goes.
@test "--no-response and methods without one do not wait" {
	until_true 60 asks_nothing 'request request summary' -j --no-response Get NodeInfo
	until_true 60 asks_nothing 'request request summary' -j "${vendor[@]}" Send 0x10
	until_true 60 asks_nothing '' -f raw --no-response Get NodeInfo
}

asks_nothing() {
	local kinds=$1 shown
	shift
	shown=$(FABRIC_TIMEOUT=20 on node2 madsend -L 99 -n 2 -i 50 "$@" 2>/dev/null) || return
	[[ $(jq -r .kind <<<"$shown" | xargs) == "$kinds" ]]
}

@test "--locate as JSON" {
	run -3 --separate-stderr on node2 madsend -D 0,1,7,5 -t 1000 --locate Get NodeInfo -j
	[[ $(jq -c 'select(.kind == "event") | .data | [.last_path, .NodeDescription, .LocalPort, .exit_port, .exit_port_state]' <<<"$output") == \
		'["0,1,7","leaf1 rack1",7,5,"Down"]' ]]
}

@test "-w writes what was sent and what came" {
	run -0 on node2 madsend -D 0,1 Get NodeInfo -w "$FABRIC_DIR/capture"
	# pcap header, two records of headers and a MAD each
	(($(stat -c %s "$FABRIC_DIR/capture") > 24 + 2 * 256))
	if command -v tshark >/dev/null; then
		run -0 --separate-stderr tshark -r "$FABRIC_DIR/capture" -T fields -e infiniband.mad.method
		[[ $output == $'0x01\n0x81' ]]
	fi
}

@test "-d says on standard error what goes and comes" {
	run -0 --separate-stderr on node2 madsend -d -D 0,1 Get NodeInfo --fields Guid
	[[ $stderr == *'sent SubnMgtDR Get '*'received SubnMgtDR GetResp '* ]]
	[[ ${#lines[@]} -eq 2 ]]
}

# ---- receiving ---------------------------------------------------------------------------------

# The simulator may lose the last packet of a process that ends: hence one more each time.
@test "madrecv shows what another process sends and --filter lets through" {
	lid=$(lid_of node2)
	spawn_receiver recv node2 madrecv "${vendor[@]}" --banner -j --filter 'header.attribute == 0x11'
	until_true 60 said recv listening
	on node3 madsend "${vendor[@]}" -L "$lid" -n 2 -i 20 Send 0x10 data=a1b2
	on node3 madsend "${vendor[@]}" -L "$lid" -n 3 -i 20 Send 0x11 data=a1b2
	until_true 60 received recv 2
	kill -TERM "$FABRIC_JOB"
	finish "$FABRIC_JOB"
	((FABRIC_STATUS == 143))
	[[ $(jq -sc 'map([.kind, .header.method, .header.attribute_id, .header.oui, .remote.lid, .data.Data[0:4]]) | unique' "$FABRIC_DIR/recv.out") == \
		"[[\"request\",\"Send\",17,5125,$(lid_of node3),\"a1b2\"]]" ]]
	# what the filter left out was counted
	[[ $(jq -sc '.[0].seq > 1 and .[1].seq == .[0].seq + 1' "$FABRIC_DIR/recv.out") == true ]]
}

received() { (($(wc -l <"$FABRIC_DIR/$1.out") >= $2)); }

@test "madrecv ends after -n of them" {
	lid=$(lid_of node2)
	spawn_receiver recv node2 madrecv "${vendor[@]}" --banner -j -n 2
	until_true 60 said recv listening
	arrives "$lid"
	((FABRIC_STATUS == 0))
	[[ $(wc -l <"$FABRIC_DIR/recv.out") == 2 ]]
}

@test "madrecv: fewer than -n in time: 3" {
	lid=$(lid_of node2)
	in_time 2500 receives_fewer
}

receives_fewer() {
	spawn_receiver recv node2 madrecv "${vendor[@]}" --banner -n 5 --deadline "$ms"
	until_true 60 said recv listening
	on node3 madsend "${vendor[@]}" -L "$lid" -n 2 -i 20 Send 0x10
	finish "$FABRIC_JOB"
	((FABRIC_STATUS == 3)) && grep -q '[12] of 5' "$FABRIC_DIR/recv.err"
}

@test "madpoll ends when a MAD is there, and runs COMMAND with its status" {
	lid=$(lid_of node2)
	spawn_receiver poll node2 madpoll "${vendor[@]}" -d
	until_true 60 attached
	arrives "$lid"
	((FABRIC_STATUS == 0))
	[[ $(head -n 1 "$FABRIC_DIR/poll.out") == '# Send '* ]]
	spawn_receiver poll node2 madpoll "${vendor[@]}" -j --fields header.method -- sh -c 'head -n 1; exit 7'
	arrives "$lid"
	((FABRIC_STATUS == 7))
	[[ $(<"$FABRIC_DIR/poll.out") == '{"header":{"method":"Send"}}' ]]
	spawn_receiver poll node2 madpoll "${vendor[@]}" -- /nonexistent
	arrives "$lid"
	((FABRIC_STATUS == 127))
	spawn_receiver poll node2 madpoll "${vendor[@]}" -j
	arrives "$lid"
	[[ $(head -n 1 "$FABRIC_DIR/poll.out" | jq -c '[.kind, .device, .header.method]') == '["request","umad:ibsim0/1","Send"]' ]]
	spawn_receiver poll node2 madpoll "${vendor[@]}" --filter 'device =~ ibsim' --assert 'kind == response'
	arrives "$lid"
	((FABRIC_STATUS == 6))
	[[ -s $FABRIC_DIR/poll.out ]]
	spawn_receiver poll node2 madpoll "${vendor[@]}" --filter 'kind == response' --deadline 2000
	arrives "$lid"
	((FABRIC_STATUS == 3))
	[[ ! -s $FABRIC_DIR/poll.out ]]
}

attached() { (($(console Attached | grep -c '^Client') >= 2)); }

# Sends to a waiting process until it has ended. The simulator's library is at fault in exit() when
# a packet comes back at that moment, which it does if the listener has ended.
arrives() {
	local lid=$1 job=$FABRIC_JOB
	until_true 60 sent_and_gone "$lid" "$job"
	finish "$job"
}
sent_and_gone() {
	FABRIC_TIMEOUT=20 on node3 madsend "${vendor[@]}" -L "$1" -n 2 -i 50 Send 0x10 >/dev/null 2>&1 || :
	fabric_gone "$2"
}

# How many opensm knows, as far as the simulator lets it say so.
subscriptions() {
	local records
	records=$(on node1 saquery -I) || { echo 'unknown >'; return; }
	grep -c trap_num <<<"$records" || :
}

@test "--subscribe: the SA knows of it, its report comes, and afterwards it is gone" {
	spawn_receiver sub node2 madrecv --subscribe 128,64 --banner -j -d -n 1
	until_true 60 said sub listening
	(($(subscriptions) > 0))
	console 'Unlink "node3"[1]'
	finish "$FABRIC_JOB"
	console 'ReLink "node3"[1]'
	((FABRIC_STATUS == 0))
	[[ $(jq -c '[.kind, .header.class, .header.method, .header.attribute, .data.TrapNumber]' "$FABRIC_DIR/sub.out") == \
		'["request","SA","Report","Notice",128]' ]]
	# the report was answered, with its TID
	tid=$(sed -n 's/.*received SA Report .*TID \(0x[0-9a-f]*\).*/\1/p' "$FABRIC_DIR/sub.err")
	grep -q "sent SA ReportResp .* TID $tid" "$FABRIC_DIR/sub.err"
	(($(subscriptions) == 0))
}

@test "--subscribe --names: the node of a Report, from opensm's SA" {
	spawn_receiver sub node2 madrecv --subscribe 65,128 --names --banner -j -n 1
	until_true 60 said sub listening
	console 'Unlink "node3"[1]'
	finish "$FABRIC_JOB"
	console 'ReLink "node3"[1]'
	((FABRIC_STATUS == 0))
	jq -e '.data.TrapNumber == 128 and .remote.name == "node1 HCA-1" and .port.lid == .data.LIDADDR
		and (.port.node | .name == "leaf1 rack1" and .type == "Switch")' "$FABRIC_DIR/sub.out"
}

@test "--subscribe unsubscribes when it is stopped, too" {
	spawn sub node2 madrecv --subscribe 64,65,66 --banner
	until_true 60 said sub listening
	(($(subscriptions) > 0))
	kill -TERM "$FABRIC_JOB"
	finish "$FABRIC_JOB"
	((FABRIC_STATUS == 143))
	(($(subscriptions) == 0))
	run -3 on node2 madrecv --subscribe 64 --deadline 1000
	(($(subscriptions) == 0))
}

# ---- counters over time -------------------------------------------------------------------------

counter() { tail -n 1 <<<"$output" | jq -c ".data.counters.$1 | [.value, .delta, .rate, .saturated, .reset]"; }

# until_shown N: the spawned madpoll has shown N differences.
shown() { (($(wc -l <"$FABRIC_DIR/delta.out") >= $1)); }

# No --delta -j of the port of opensm: ibsim passes it the requests that ibsim does not answer, such as
# PortSamplesControl, and its PerfMgr ends with a segmentation fault.
@test "--delta: differences, and the wide counters where the port has them" {
	run -0 on node2 madpoll Get PortCounters PortSelect=1 --delta -i 20 -n 2 -j
	[[ ${#lines[@]} -eq 2 ]]
	[[ $(jq -sc '.[0] | [.kind, .data.attribute, .data.counters.PortXmitData.delta]' <<<"$output") == '["event","PortCountersExtended",0]' ]]
	# narrow counters that the wide ones lack come from PortCounters
	[[ $(counter SymbolErrorCounter) == '[0,0,0.000,false,false]' || $(counter SymbolErrorCounter) == '[0,0,0,false,false]' ]]
	run -0 on node2 madpoll Get PortCounters PortSelect=1 --delta -i 20 -n 1
	[[ $output == '# PortCountersExtended: Lid '*' port 1 in '*$'\n''PortXmitData:....................+0 (0.0/s) = 0 B/s'* ]]
}

@test "--delta tells the port: in the heading, in data and by the header" {
	run -0 on node1 madpoll -L 2 Get PortCountersExtended PortSelect=1 --delta -i 20 -n 1 -j
	[[ $(jq -c '[.data.PortSelect, .header.class, .header.attribute, .header.method]' <<<"$output") == '[1,"PerfMgt","PortCountersExtended","GetResp"]' ]]
	run -0 on node1 madpoll -L 2 Get PortCounters PortSelect=1 --delta -i 20 -n 1 -j --fields PortSelect
	[[ $(jq -c '[.data.PortSelect, .data.counters]' <<<"$output") == '[1,{}]' ]]
	run -0 on node1 madpoll -L 2 Get PortCounters PortSelect=1 --delta -i 20 -n 1 --fields PortSelect
	((${#lines[@]} == 2))
	[[ ${lines[0]} == *': Lid 2 port 1 in '* && ${lines[1]} == 'PortSelect:......................1' ]]
}

@test "--delta: a counter that moved, one that is full, one that was reset" {
	spawn delta node2 madpoll Get PortCounters PortSelect=1 --delta -i 100 -j --fields SymbolErrorCounter
	until_true 60 shown 1
	console 'PerformanceSet "node2"[1] PortCounters.SymbolErrorCounter=77'
	until_true 60 moved 'select(.value == 77 and .delta == 77 and .rate > 0 and (.saturated or .reset | not))'
	console 'PerformanceSet "node2"[1] PortCounters.SymbolErrorCounter=65535'
	until_true 60 moved 'select(.value == 65535 and .saturated and .rate == null)'
	console 'PerformanceSet "node2"[1] PortCounters.SymbolErrorCounter=5'
	until_true 60 moved 'select(.value == 5 and .reset and .delta == null and .rate == null)'
	kill -TERM "$FABRIC_JOB"
	finish "$FABRIC_JOB"
	((FABRIC_STATUS == 143))
	console 'PerformanceSet "node2"[1] PortCounters.SymbolErrorCounter=0'
}

moved() { [[ -n $(jq -c ".data.counters.SymbolErrorCounter | $1" "$FABRIC_DIR/delta.out") ]]; }

@test "--delta of counters that are arrays: each element, or those that --fields takes" {
	run -0 --separate-stderr on node2 madpoll Get PortVLOpData PortSelect=1 --delta -i 20 -n 1 -j
	[[ $stderr == 'madpoll: PortVLOpData has 32 bits: full after '*' s at '* ]]
	[[ $(jq -c '.data.counters.PortVLOpData | [length, .[15].delta, .[15].saturated]' <<<"$output") == '[16,0,false]' ]]
	run -0 --separate-stderr on node2 madpoll Get PortVLOpData PortSelect=1 --delta -i 20 -n 1 -j --fields 'PortVLOpData[1],PortVLOpData[3]'
	[[ $(jq -c '.data.counters | [keys, (.PortVLOpData | length)]' <<<"$output") == '[["PortVLOpData"],2]' ]]
	run -0 on node2 madpoll Get PortVLXmitWaitCounters PortSelect=1 --delta -i 20 -n 1 --fields 'PortVLXmitWait[3]'
	[[ ${#lines[@]} -eq 2 && ${lines[1]} == 'PortVLXmitWait3:.................+0 (0.0/s), value '* ]]
}

@test "--delta of what has no counters: 2" {
	run -2 --separate-stderr on node2 madpoll Get NodeInfo --delta -i 10
	[[ $stderr == *NodeInfo* ]]
}

# ---- registrations -------------------------------------------------------------------------------

@test "madreg says what it got, and holds it for COMMAND" {
	run -0 on node2 madreg --class PerfMgt --method Get,Set -j
	[[ $(jq -c '[.kind, .device, .data.registered, .data.class, .data.class_version, .data.methods]' <<<"$output") == \
		'["event","umad:ibsim0/1",true,"PerfMgt",1,["Get","Set"]]' ]]
	run -0 on node2 madreg --class PerfMgt
	[[ ${lines[0]} == '# registered: umad:ibsim0/1 agent '* && $output == *$'\n'"Methods:.........................none"* ]]
	run -5 --separate-stderr on node2 madreg --class PerfMgt --hold -- sh -c 'echo held; exit 5'
	[[ $output == held ]]
	run -126 on node2 madreg --class PerfMgt --hold -- /
	run -0 on node2 madreg --class PerfMgt --hold --deadline 100
	spawn hold node2 madreg --class PerfMgt --hold
	until_true 60 grep -qs registered "$FABRIC_DIR/hold.out"
	kill -TERM "$FABRIC_JOB"
	finish "$FABRIC_JOB"
	((FABRIC_STATUS == 143))
}

@test "madreg explains a refusal, with status 1" {
	run -1 --separate-stderr on node2 madreg --class 0x32 --oui 0 --method Send -j
	[[ $(jq -c '[.kind, .status.send, .data.registered, .data.cause, .data.errno]' <<<"$output") == '["error",22,false,"oui",22]' ]]
	[[ ${#stderr_lines[@]} -eq 1 && $stderr == *OUI* ]]
	run -1 --separate-stderr on node2 madreg --class 0x32 --oui 0 --hold -- echo never
	[[ $output == '# refused: '* && $output != *never* ]]
	run -1 --separate-stderr on node2 madreg --class SA --user-rmpp
	[[ $output == *$'\n'"Cause:...........................flags"* ]]
}
