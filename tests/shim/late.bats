#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Responders that are slower than one timeout.

load common

setup_file() {
	serve "$TOPOLOGIES/small.net" --sm node1 --events "$BATS_FILE_TMPDIR/events"
	until_true 60 port_is_active node3
	madsim --control "$SERVED_SOCKET" fault delay node=node2 port=1 delay=250
	madsim --control "$SERVED_SOCKET" fault delay node=node1 port=1 class=SubnAdm delay=250
}

# The transaction IDs of the responses that were delayed since the test began, one line each.
delayed() { tail -n "+$begin" "$BATS_FILE_TMPDIR/events" | jq -r 'select(.data.event == "fault") | .data.tid'; }
two_delayed() { (($(delayed | wc -l) >= 2)); }

setup() {
	begin=$(($(wc -l <"$BATS_FILE_TMPDIR/events") + 1))
	lid=$(port_file node2 lid)
}

# The response counts, and is not timed; the peer answered two tries or more, which had one TID.
two_tries() {
	jq -se 'length == 1 and (.[0] | .kind == "response" and .status.mad == 0 and .rtt_us == null)' <<<"$output"
	until_true 10 two_delayed
	(($(delayed | sort -u | wc -l) == 1))
}

# libibmad waits as long as its timeout, and no more: umad returns the request later (diags.bats, E4).
@test "A16: smpquery and perfquery are answered after 250 ms if they wait so long" {
	run on node3 smpquery -t 100 nodeinfo "$((lid))"
	((status))
	[[ $output == *'recv failed: Connection timed out'* ]]
	run -0 on node3 smpquery -t 2000 nodeinfo "$((lid))"
	[[ $output == *PortGuid* ]]
	run -0 on node3 perfquery -t 2000 "$((lid))" 1
	[[ $output == *SymbolErrorCounter* ]]
}

@test "A16: madsend -t 200 --retries 50 is answered after 250 ms, on the preloaded device and on the served port" {
	local device request
	for device in '' "sim:unix:$SERVED_SOCKET@node3"; do
		for request in NodeInfo 'PortCounters PortSelect=1'; do
			begin=$(($(wc -l <"$BATS_FILE_TMPDIR/events") + 1))
			# shellcheck disable=SC2086  # words
			run -0 --separate-stderr on node3 env ${device:+MADKIT_DEVICE="$device"} \
				madsend -t 200 --retries 50 -L "$lid" -j Get $request
			two_tries
			(($(jq .attempts <<<"$output") >= 2))
		done
	done
}

@test "A16: so is a request to a slow SA, whoever does RMPP" {
	local rmpp
	for rmpp in none user kernel; do
		begin=$(($(wc -l <"$BATS_FILE_TMPDIR/events") + 1))
		run -0 --separate-stderr on node3 madsend -t 200 --retries 50 --rmpp "$rmpp" -j Get SA:PortInfoRecord \
			EndportLID="$lid" PortNum=1
		two_tries
		(($(jq .attempts <<<"$output") >= 2))
	done
}

@test "A16: so is a table that the library reassembles" {
	run -0 --separate-stderr on node3 madsend -t 200 --retries 50 --rmpp user -j GetTable NodeRecord
	jq -se 'length == 6 and all(.kind == "response" and .attempts >= 2 and .rtt_us == null)' <<<"$output"
}

@test "A16: so are the lines of a batch, and a repeated request, whose summary has no times" {
	local lines
	run -0 on node3 madsend --dry-run -K -L "$lid" -j Get NodeInfo
	lines=$output
	run -0 --separate-stderr on node3 madsend -t 200 --retries 50 -j --batch - <<<"$lines"$'\n'"$lines"
	jq -se 'length == 2 and all(.kind == "response" and .attempts >= 2 and .rtt_us == null)' <<<"$output"
	run -0 --separate-stderr on node3 madsend -t 200 --retries 50 -n 2 -i 1 -L "$lid" -j Get NodeInfo
	jq -se '.[2] | .kind == "summary" and .data == {sent: 2, lost: 0, outstanding: 0, timed: 0, min_us: null, avg_us: null, max_us: null}' <<<"$output"
	run -0 --separate-stderr on node3 madsend -t 1000 -n 2 -i 1 -L "$lid" -j Get NodeInfo
	jq -se '.[2].data | .timed == 2 and .min_us >= 250000' <<<"$output"
	run -0 --separate-stderr on node3 madsend -t 200 --retries 50 -n 2 -i 1 -L "$lid" Get NodeInfo
	[[ $output == *'2 sent, 0 lost, round trips not timed' ]]
}

@test "A16: so is madpoll --until" {
	run -0 --separate-stderr on node3 madpoll -t 200 --retries 50 -L "$lid" -j Get PortInfo --until 'PortState==Active' \
		--deadline 5000
	jq -se 'last | .kind == "response" and .attempts >= 2 and .rtt_us == null' <<<"$output"
}
