#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Differences of all ports, beside those of the performance manager of opensm.

load common

setup() { serve "$TOPOLOGIES/small.net" --no-sm; }
teardown() { serve_end; }

control() { madsim --control "$SERVED_SOCKET" "$@"; }

# perfmgr_start: opensm, which reads the counters of all ports each second; its console reads from the descriptor CONSOLE.
perfmgr_start() {
	local dir=$SERVED_DIR/sm
	mkdir "$dir"
	printf '%s\n' 'perfmgr TRUE' 'perfmgr_sweep_time_s 1' "event_db_dump_file $dir/dump" >"$dir/conf"
	mkfifo "$dir/console"
	exec {CONSOLE}<>"$dir/console"
	# shellcheck disable=SC2016  # for that shell to expand
	spawn sm node1 env "OSM_CACHE_DIR=$dir" "OSM_TMP_DIR=$dir" bash -c 'exec opensm "$@" <"$0"' "$dir/console" \
		-e -d2 -s 0 -f "$dir/log" -F "$dir/conf" --console local
	until_true 60 opensm_says sm 'SUBNET UP'
}

states() { grep -c '^.*Performance Manager status:' "$SERVED_DIR/sm.out" || true; }
another_state() { (($(states) > $1)); }

# dump: into the file sm/dump. The console executes its commands in order, but leaves a line that it has read with another
# one until it has more input: the second command waits for the first to begin.
dump() {
	local before
	before=$(states)
	rm -f "$SERVED_DIR/sm/dump"
	echo 'perfmgr dump_counters' >&"$CONSOLE"
	until_true 20 test -e "$SERVED_DIR/sm/dump"
	echo perfmgr >&"$CONSOLE"
	until_true 20 another_state "$before"
}

# dumped_after SECOND: dumps, and each counter was read in a later second
dumped_after() {
	dump
	sed -n 's/^ *Last \(Error\|Data\) Update *: //p' "$SERVED_DIR/sm/dump" | date -f - +%s | sort -n >"$SERVED_DIR/sm/times"
	(($(head -n 1 "$SERVED_DIR/sm/times") > $1))
}

# dump_later NAME SECONDS: of counters that were read so many seconds after this call or later. The times are those at which
# opensm had the responses: only after them, it sends the requests that lead to later ones.
dump_later() {
	until_true 60 dumped_after "$(($(date +%s) + $2))"
	until_true 60 dumped_after "$(tail -n 1 "$SERVED_DIR/sm/times")"
	cp "$SERVED_DIR/sm/dump" "$SERVED_DIR/$1"
}

# The counters of a dump.
names() {
	cat <<-'END'
		symbol_err_cnt SymbolErrorCounter
		link_err_recover LinkErrorRecoveryCounter
		link_downed LinkDownedCounter
		rcv_err PortRcvErrors
		rcv_rem_phys_err PortRcvRemotePhysicalErrors
		rcv_switch_relay_err PortRcvSwitchRelayErrors
		xmit_discards PortXmitDiscards
		xmit_constraint_err PortXmitConstraintErrors
		rcv_constraint_err PortRcvConstraintErrors
		link_integrity_err LocalLinkIntegrityErrors
		buf_overrun_err ExcessiveBufferOverrunErrors
		vl15_dropped VL15Dropped
		xmit_wait PortXmitWait
		xmit_data PortXmitData
		rcv_data PortRcvData
		xmit_pkts PortXmitPkts
		rcv_pkts PortRcvPkts
		unicast_xmit_pkts PortUnicastXmitPkts
		unicast_rcv_pkts PortUnicastRcvPkts
		multicast_xmit_pkts PortMulticastXmitPkts
		multicast_rcv_pkts PortMulticastRcvPkts
	END
}

# theirs FIRST SECOND: "GUID/PORT/COUNTER DIFFERENCE" a line
theirs() {
	names | awk '
		FILENAME == "-" { name[$1] = $2; next }
		/^"/ { guid = $(NF - 4); port = $NF; next }
		$1 in name {
			key = sprintf("%s/%s/%s", guid, port, name[$1])
			if (FILENAME == ARGV[2]) first[key] = $3
			else printf "%s %.0f\n", key, $3 - first[key]
		}' - "$SERVED_DIR/$1" "$SERVED_DIR/$2" | sort
}

# read_counters FILE [OPTION...]
read_counters() { on node4 madsweep -q -j "${@:2}" Get PortCountersExtended >"$SERVED_DIR/$1"; }

# ours FILE: the same, of a file of read_counters --since
ours() {
	jq -r 'select(.data.counters and .port.number > 0) | (.port.node.guid | sub("0x0*"; "0x")) as $guid | .data as $data |
		.data.counters | to_entries[] |
		"\($guid)/\($data.PortSelect)/\(.key) \(.value.delta)"' "$SERVED_DIR/$1" | sort
}

@test "differences of all ports bound those between two dumps of opensm's performance manager" {
	local at compared
	perfmgr_start
	for at in "leaf1 2" "leaf2 7" "node1 1"; do
		# shellcheck disable=SC2086  # node and port
		control traffic $at gbps=20 packets=2048
	done
	# their sums stay below the value at which opensm resets a counter
	control errors leaf1 2 SymbolErrorCounter=30
	control errors leaf2 3 PortRcvErrors=17
	control errors node3 1 PortXmitDiscards=5.5
	control errors leaf1 7 PortXmitWait=100000
	read_counters before_first
	dump_later first 0
	read_counters after_first
	dump_later ignored 5
	read_counters inner --since "$SERVED_DIR/after_first"
	dump_later second 0
	read_counters outer --since "$SERVED_DIR/before_first"
	theirs first second >"$SERVED_DIR/theirs"
	# key, at least, theirs, at most
	join <(ours inner) "$SERVED_DIR/theirs" | join - <(ours outer) >"$SERVED_DIR/compared"
	awk '!($2 <= $3 && $3 <= $4) { print; wrong++ } END { exit wrong != 0 }' "$SERVED_DIR/compared"
	# each counter of each port: 4 adapters, 2 switches of 8 ports
	compared=$(wc -l <"$SERVED_DIR/compared")
	((compared == 20 * 21)) || { echo "$compared compared"; return 1; }
	# and they moved, by the rates above
	for at in 0x200000/2/SymbolErrorCounter 0x200001/3/PortRcvErrors 0x100004/1/PortXmitDiscards \
		0x200000/7/PortXmitWait 0x200000/2/PortXmitData 0x100000/1/PortXmitPkts; do
		awk -v key="$at" '$1 == key && $2 >= 20 { found = 1 } END { exit !found }' "$SERVED_DIR/compared" ||
			{ grep "^$at" "$SERVED_DIR/compared"; return 1; }
	done
	exec {CONSOLE}>&-
}
