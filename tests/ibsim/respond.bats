#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# madrecv --respond: against madsend, and against infiniband-diags' ibping in both directions.

# shellcheck disable=SC2030,SC2031,SC2154  # run sets output, stderr and their lines
load common

vendor=(--class 0x32 --oui 0x001405)

lid_of() { on "$1" smpquery portinfo -D 0 | dotted Lid; }
said() { grep -qs "$2" "$FABRIC_DIR/$1.err"; }

# responder OPTION...: in the background, as node2
responder() {
	spawn_receiver responder node2 madrecv --banner -j "$@"
	until_true 60 said responder listening
}

# The remains of a failed test do not make others fail.
teardown() {
	fabric_gone "$FABRIC_JOB" || kill -KILL "$FABRIC_JOB"
	finish "$FABRIC_JOB"
}

# stopped: ends it as a signal does
stopped() {
	kill -TERM "$FABRIC_JOB"
	finish "$FABRIC_JOB"
	((FABRIC_STATUS == 143))
	# libumad2sim writes "ERR: real_poll failure" when a signal interrupts poll()
	[[ $(grep -v '^ERR: real_poll failure$' "$FABRIC_DIR/responder.err") == 'madrecv: listening on umad:ibsim0/1 for '[GS0]* ]] ||
		{ cat "$FABRIC_DIR/responder.err"; return 1; }
}

@test "--respond echo: GetResp to Get and Set, the response bit to others, all else as it was" {
	lid=$(lid_of node2)
	responder "${vendor[@]}" --method Get,Set,0x10,Send --respond echo
	# bytes 224 to 255 are lost in the simulator
	data=$(printf 'a1b2%0360dc3d4' 0)
	n=0
	for method in 1:129 2:129 0x10:144; do
		run -0 --separate-stderr on node3 madsend "${vendor[@]}" -L "$lid" -m 77 "${method%:*}" 0x1234 "data=$data" -j
		[[ $(jq -c '[.kind, .header.method_id, .header.attribute_id, .header.modifier, .header.oui, .status.mad, .data.Data[:368]]' <<<"$output") == \
			"[\"response\",${method#*:},4660,77,5125,0,\"$data\"]" ]] || { echo "$method: $output"; return 1; }
		# the request that was shown has the same transaction ID
		((n += 1))
		[[ $(jq -sc ".[$n - 1].header | [.method_id, .tid]" "$FABRIC_DIR/responder.out") == \
			"[$((${method%:*})),$(jq .header.tid <<<"$output")]" ]]
	done
	stopped
}

@test "--respond echo: what wants no response gets none, and is shown" {
	lid=$(lid_of node2)
	spawn_receiver responder node2 madrecv --banner -j -d "${vendor[@]}" --method Get,Send --respond echo
	until_true 60 said responder listening
	run -0 on node3 madsend "${vendor[@]}" -L "$lid" Get 0x10
	run -0 on node3 madsend "${vendor[@]}" -L "$lid" -n 2 -i 20 Send 0x10
	run -0 on node3 madsend "${vendor[@]}" -L "$lid" Get 0x10
	kill -TERM "$FABRIC_JOB"
	finish "$FABRIC_JOB"
	[[ $(jq -sc 'map(.header.method) | unique' "$FABRIC_DIR/responder.out") == '["Get","Send"]' ]]
	(($(grep -c ': sent ' "$FABRIC_DIR/responder.err") == 2))
}

@test "--respond echo -n 3 answers three requests and ends" {
	lid=$(lid_of node2)
	responder "${vendor[@]}" --respond echo -n 3
	# what a process sends last may be lost by the simulator when it ends
	run on node3 madsend "${vendor[@]}" -L "$lid" -n 3 -i 10 -t 3000 --retries 0 Get 0x10
	((status == 0 || status == 3))
	[[ $output == *'3 sent, '[01]' lost'* ]] || { echo "$output"; return 1; }
	finish "$FABRIC_JOB"
	((FABRIC_STATUS == 0))
	(($(wc -l <"$FABRIC_DIR/responder.out") == 3))
}

@test "--respond ibping: infiniband-diags' ibping is answered, with this host's name" {
	lid=$(lid_of node2)
	responder --respond ibping
	run -0 on node3 ibping -c 3 "$lid"
	[[ $output == *"Pong from $(hostname)"* && $output == *'3 packets transmitted, 3 received, 0% packet loss'* ]]
	# the server distinguishes ibping's MADs from others
	[[ $(jq -sc 'map([.header.class_id, .header.method, .header.attribute, .header.oui]) | unique' "$FABRIC_DIR/responder.out") == \
		'[[50,"Get","Ping",5125]]' ]]
	stopped
}

# what matters of the answer, without the bytes that the simulator loses
pong() { jq -c '[.kind, .header.method_id, .header.attribute, .header.oui, .status.mad, .data.Host[:184], .rmpp]' <<<"$output"; }

@test "--respond ibping answers as ibping -S does" {
	lid=$(lid_of node2)
	ping=(on node3 madsend "${vendor[@]}" -L "$lid" Get 0x0 -j)
	responder --respond ibping
	run -0 --separate-stderr "${ping[@]}"
	ours=$(pong)
	[[ $ours == *"$(hostname)"* ]]
	stopped
	spawn_receiver theirs node2 ibping -S
	until_true 60 answers "${ping[@]}"
	run -0 --separate-stderr "${ping[@]}"
	[[ $(pong) == "$ours" ]] || { pong; echo "$ours"; return 1; }
}
answers() { "$@" -t 200 --retries 0 >/dev/null 2>&1; }
