#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Batches to nodes of which some never answer.

setup() {
	load common
}

teardown() { clean_up; }

# lines N SILENT ATTRIBUTE [DATA]: a request to each of N LIDs; each SILENT-th LID is unassigned.
lines() {
	awk -v n="$1" -v silent="$2" -v attribute="$3" -v data="${4:-}" 'BEGIN {
		for (i = 1; i <= n; i++)
			printf "{\"header\":{\"method\":\"Get\",\"attribute\":\"%s\"},\"remote\":{\"lid\":%d}%s,\"tag\":%d}\n",
				attribute, i % silent ? i % 6 + 1 : 1000 + i, data, i
	}'
}
# The kinds of JSON lines, counted.
kinds() { jq -r .kind | sort | uniq -c | xargs echo; }
# Milliseconds from the first JSON line to the last.
span() { jq -s 'map(.time | (.[0:19] + "Z" | fromdate) * 1000 + (.[20:23] | tonumber)) | max - min'; }

@test "D1: silent nodes cost one round of timeouts, whatever their number" {
	for request in NodeInfo 'PortCounters ,"data":{"PortSelect":1}'; do
		read -r attribute data <<<"$request"
		lines 2000 10 "$attribute" "$data" >"$dir/lines"
		# in virtual time; a window of 16 without parking took 200 / 16 x 0.6 s
		run -3 --separate-stderr madsend --device "sim:$topologies/small.net" --batch "$dir/lines" -t 200 -j
		[[ $(kinds <<<"$output") == '1800 response 200 timeout' ]]
		ms=$(span <<<"$output")
		((ms >= 600 && ms <= 800)) || { echo "$attribute: $ms ms"; false; }
		# all tries of each silent node are made
		[[ $(jq -c 'select(.kind == "timeout").attempts' <<<"$output" | sort | uniq -c | xargs echo) == '200 3' ]]
	done
}

@test "D1: failures of a kind beyond ten are counted, and -v shows each" {
	serve "$topologies/small.net" --sm node1
	lines 60 3 NodeInfo >"$dir/lines"
	for _ in {1..12}; do echo '{"bad"'; done >>"$dir/lines"
	run -5 --separate-stderr on node1 madsend --batch "$dir/lines" -t 50 --retries 0 -j
	[[ $(kinds <<<"$output") == '12 error 40 response 20 timeout' ]]
	[[ $(grep -c 'no response to Get NodeInfo' <<<"$stderr") == 10 && $(grep -c '^madsend: line' <<<"$stderr") == 10 ]]
	[[ $stderr == *'and 10 more requests without a response'* && $stderr == *'and 2 more lines were not sent'* ]]
	run -5 --separate-stderr on node1 madsend --batch "$dir/lines" -t 50 --retries 0 -j -v
	[[ $(grep -c 'no response to Get NodeInfo' <<<"$stderr") == 20 && $stderr != *'more requests'* ]]
	# a request that is repeated has them as well
	run -3 --separate-stderr on node1 madsend -L 1000 -t 20 --retries 0 -i 0 -n 14 Get NodeInfo
	[[ $(grep -c 'no response' <<<"$stderr") == 10 && $stderr == *'and 4 more requests without a response'* ]]
}

@test "D1: a response that comes while its request is parked counts" {
	serve "$topologies/small.net" --sm node1
	control fault delay delay=300
	lines 40 1000 NodeInfo >"$dir/lines"
	run -0 on node1 madsend --batch "$dir/lines" --window 4 -t 9000 -j
	[[ $(kinds <<<"$output") == '40 response' ]]
	[[ $(jq -c 'select(.remote.lid != 1 and .rtt_us < 300000)' <<<"$output" | wc -l) == 0 ]]
}

shows_progress() {
	MADKIT_DEVICE=sim:unix:$socket@node1 timeout 300 script -qec "madsend --batch $dir/lines -t $ms --retries 1 >/dev/null" \
		"$dir/terminal" </dev/null >/dev/null || :
	grep -aq '20 lines, 10 answered, 10 outstanding' "$dir/terminal"
}

@test "D1: on a terminal a long batch shows how far it is, and nowhere else" {
	serve "$topologies/small.net" --sm node1
	lines 20 2 NodeInfo >"$dir/lines"
	in_time 700 shows_progress
	run -3 --separate-stderr on node1 madsend --batch "$dir/lines" -t 700 --retries 1 -j
	[[ $stderr != *outstanding* ]]
}

@test "D1: --window 1 sends one request after the other" {
	serve "$topologies/small.net" --sm node1
	lines 8 4 NodeInfo >"$dir/lines"
	run -3 --separate-stderr on node1 madsend --batch "$dir/lines" --window 1 -t 100 --retries 0 -j
	[[ $(jq -r .tag <<<"$output" | xargs echo) == '1 2 3 4 5 6 7 8' ]]
}

resolves_in_vain() {
	before=$(stats sends)
	run -3 --separate-stderr on node2 madsend --batch "$dir/lines" -j --deadline "$ms" || return
	[[ $(jq -c '[.kind, .status.send, .attempts]' <<<"$output" | sort | uniq -c | xargs echo) == '51 [timeout,110,0]' ]] || return
	[[ $stderr == *'the deadline has passed: 51 requests were not sent'* ]] || return
	# the request to the SA
	(($(stats sends) == before + 1))
}

@test "a deadline or a signal while an address is being resolved: nothing more is sent" {
	serve "$topologies/small.net" --sm node1
	control fault drop class=SubnAdm method=GetResp
	{
		echo '{"header":{"method":"Get","attribute":"NodeInfo"},"remote":{"guid":"0x0000000000100001"},"tag":0}'
		lines 50 1000 NodeInfo
	} >"$dir/lines"
	in_time 500 resolves_in_vain
	before=$(($(stats sends) - 1))
	start batch env MADKIT_DEVICE="sim:unix:$socket@node2" madsend --batch "$dir/lines" -d
	asked() { (($(stats sends) >= before + 2)); }
	for _ in {1..1000}; do asked && break; read -r -t 0.05 <> <(:) || :; done
	kill -TERM "$pid"
	status=0
	wait "$pid" || status=$?
	((status == 143))
	(($(stats sends) == before + 2))
}

# stopped LOG SIGNAL COMMAND...: is stopped while the SA's response to it is on its way; then the signal (or "", and its
# deadline passes). Sets status; later packets are in sent.
stopped() {
	local log=$1 signal=$2
	before=$(stats sends)
	start "$log" env MADKIT_DEVICE="sim:unix:$socket@node2" "${@:3}" -d
	asked() { (($(stats sends) > before)); }
	for _ in {1..200}; do asked && break; read -r -t 0.01 <> <(:) || :; done
	kill -STOP "$pid"
	[[ -z $signal ]] || kill -s "$signal" "$pid"
	# longer than the response's delay and the deadline
	read -r -t "$((ms / 1000 + 1)).2" <> <(:) || :
	kill -CONT "$pid"
	status=0
	wait "$pid" || status=$?
	sent=$(($(stats sends) - before))
}

@test "an address that is resolved after the deadline or a signal: nothing is sent" {
	serve "$topologies/small.net" --sm node1
	control fault delay class=SubnAdm method=GetResp delay=300
	to='"remote":{"guid":"0x0000000000100001"}'
	echo '{"header":{"method":"Get","attribute":"NodeInfo"},'"$to}" >"$dir/lines"
	local ms=0
	stopped a TERM madsend --batch "$dir/lines" -j
	((status == 143 && sent == 1))
	in_time 500 late_in_batch
	ms=0
	stopped c TERM madsend -G 0x100001 Get NodeInfo -n 3
	((status == 143 && sent == 1))
	in_time 500 late_alone
}

late_in_batch() {
	stopped "b$ms" '' madsend --batch "$dir/lines" -j --deadline "$ms"
	((status == 3 && sent == 1)) && [[ $(jq -c '[.kind, .attempts]' "$dir/b$ms.out") == '["timeout",0]' ]]
}

late_alone() {
	stopped "d$ms" '' madsend -G 0x100001 Get NodeInfo --deadline "$ms" -j
	((status == 3 && sent == 1)) && [[ $(jq -c '[.kind, .status.send]' "$dir/d$ms.out") == '["timeout",110]' ]]
}

@test "a batch sends nothing at its deadline" {
	device="sim:$topologies/small.net,fault=delay class=3 node=node1 delay=170,fault=drop class=1 node=node1 nth=2"
	device+=",fault=delay class=1 node=node1 delay=100"
	to() { echo '{"header":{"method":"Get","attribute":"NodeInfo"},"remote":{'"$1"'}}'; }
	{
		to '"lid":4'
		to '"lid":3'
		to '"guid":"0x0000000000100001"'
		for lid in {301..306}; do to "\"lid\":$lid"; done
		to '"guid":"0x0000000000100001"'
		to '"lid":4'
	} >"$dir/lines"
	for deadline in 360 400 450 500 560; do
		run -3 --separate-stderr madsend --device "$device" --batch "$dir/lines" -t 200 --retries 3 -j \
			--deadline $deadline -w "$dir/$deadline.pcap"
		last=$(madrecv -r "$dir/$deadline.pcap" -j | jq -r 'select(.kind == "request").time[17:23]' | sort | tail -n 1)
		((10#${last/./} < deadline)) || { echo "$deadline $last"; return 1; }
		unsent=$(jq -c 'select(.attempts == 0)' <<<"$output" | wc -l)
		((unsent == 0)) || [[ $stderr == *"$unsent request"*' not sent'* ]]
	done
}

@test "a batch ends when its device is gone: while addresses are resolved, and while its input is awaited" {
	serve "$topologies/small.net" --sm node1
	for _ in {1..500}; do
		echo '{"header":{"method":"Get","attribute":"NodeInfo"},"remote":{"guid":"0x0000000000100001"}}'
	done >"$dir/lines"
	control fault drop class=SubnAdm method=GetResp
	before=$(stats sends)
	start gone env MADKIT_DEVICE="sim:unix:$socket@node2" madsend --batch "$dir/lines" -j --banner -t 60000
	batch=$pid
	asked() { (($(stats sends) > before)); }
	for _ in {1..200}; do asked && break; read -r -t 0.01 <> <(:) || :; done
	mkfifo "$dir/input"
	# shellcheck disable=SC2034  # held open
	exec {input}<>"$dir/input"
	start idle env MADKIT_DEVICE="sim:unix:$socket@node2" madsend --batch "$dir/input" -j --banner
	idle=$pid
	kill "$madsim_pid"
	for pid in "$batch" "$idle"; do
		status=0
		wait "$pid" || status=$?
		((status == 1))
	done
	# a line for each
	[[ $(tail -n 1 "$dir/gone.out" | jq -r .data.error) == 'not sent: the device is gone' ]]
	[[ $(jq -c '[.kind, .status.send, .attempts]' "$dir/gone.out" | sort | uniq -c | xargs echo) == '500 [error,19,0]' ]] ||
		{ jq -c '[.kind, .status.send, .attempts]' "$dir/gone.out" | sort | uniq -c; return 1; }
}

@test "a batch whose device is lost has a line for each request: outstanding, or not sent any more" {
	serve "$topologies/small.net" --sm node1
	for i in {1..300}; do
		echo '{"header":{"method":"Get","attribute":"NodeInfo"},"remote":{"path":"0,1,7,'$((i % 250 + 1))'"},"tag":'"$i}"
	done >"$dir/lines"
	before=$(stats sends)
	start lost env MADKIT_DEVICE="sim:unix:$socket@node2" madsend --batch "$dir/lines" -j --summary --banner -t 60000
	asked() { (($(stats sends) > before)); }
	for _ in {1..200}; do asked && break; read -r -t 0.01 <> <(:) || :; done
	kill "$madsim_pid"
	status=0
	wait "$pid" || status=$?
	((status == 1))
	[[ $(jq -r 'select(.kind != "summary").tag' "$dir/lost.out" | sort -n) == "$(seq 300)" ]]
	[[ $(jq -r 'select(.kind == "error").status.send' "$dir/lost.out" | sort -u | grep -vx 5) == 19 ]]
	tail -n 1 "$dir/lost.out" | jq -e '.data | .lines == 300 and .not_sent > 0 and .sent + .not_sent + .errors >= 300'
}

@test "an address that cannot be resolved in time is a timeout" {
	run -3 --separate-stderr madsend --device "sim:$topologies/small.net,fault=drop class=3 method=GetResp" --batch - -j --summary -t 20 --retries 0 <<-END
		{"header":{"method":"Get","attribute":"NodeInfo"},"remote":{"guid":"0x0000000000100001"},"tag":"guid"}
		{"header":{"method":"Get","attribute":"NodeInfo"},"remote":{"lid":4},"tag":"lid"}
	END
	[[ $(jq -c 'select(.kind != "summary") | [.tag, .kind, .status.send, .attempts]' <<<"$output" | xargs echo) == '[guid,timeout,110,0] [lid,response,0,1]' ]] || { echo "$output"; return 1; }
	[[ $(tail -n 1 <<<"$output" | jq -c '.data | [.sent, .answered, .not_sent, .bad_lines]') == '[1,1,1,0]' ]]
	[[ $stderr == 'madsend: line 1: '*'does not answer'* ]] || { echo "$stderr"; return 1; }
}

@test "a line whose address is resolved while the window becomes smaller is sent" {
	serve "$topologies/small.net" --sm node1
	control fault delay class=3 node=node1 delay=50
	control fault drop class=1 node=node1 nth=1
	for lid in 4 300 301 302 303 304 305; do
		echo '{"header":{"method":"Get","attribute":"NodeInfo"},"remote":{"lid":'"$lid}}"
	done >"$dir/lines"
	echo '{"header":{"method":"Get","attribute":"NodeInfo"},"remote":{"guid":"0x0000000000100001"},"tag":"guid"}' >>"$dir/lines"
	run -3 --separate-stderr on node1 madsend --batch "$dir/lines" -t 20 --retries 5 -j
	[[ $(jq -c 'select(.tag == "guid").kind' <<<"$output") == '"response"' ]]
}

@test "results come before the lines that are read after them, with the time of their end" {
	serve "$topologies/small.net" --sm node1
	{
		lines 1 1000 NodeInfo
		printf '{"bad"\n{"bad"\n'
	} >"$dir/lines"
	run -5 --separate-stderr madsend --device "sim:$topologies/small.net" --batch "$dir/lines" --window 1 -j
	[[ $(jq -r .kind <<<"$output" | xargs echo) == 'response error error' ]]
	# a request that ends while the addresses of others are resolved
	control fault drop class=SubnAdm method=GetResp
	{
		lines 1 1 NodeInfo
		for ((i = 0; i < 4; i++)); do
			echo '{"header":{"method":"Get","attribute":"NodeInfo"},"remote":{"name":"nobody"}}'
		done
	} >"$dir/lines"
	run -3 --separate-stderr on node2 madsend --batch "$dir/lines" -t 100 --retries 1 -j
	[[ $(jq -c '[.kind, .status.send, .attempts]' <<<"$output" | sort | uniq -c | xargs echo) == '4 [timeout,110,0] 1 [timeout,110,2]' ]]
	# it ends when the first of them does
	head -n 2 <<<"$output" | jq -e -s 'any(.[]; .attempts == 2)'
	# 2 x 100 ms, not the 800 ms of the others
	(($(span <<<"$output") >= 500))
}
