#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# madsweep on fabrics with faults, beside infiniband-diags and opensm.

load common
load links

setup() { swept=$BATS_TEST_TMPDIR/swept; }
teardown() {
	[[ -z ${FLAPPING:-} ]] || kill "$FLAPPING" 2>/dev/null || true
	serve_end
}

control() { madsim --control "$SERVED_SOCKET" "$@"; }

# summary EXPRESSION: it is true of the summary's data in $swept.
summary() {
	jq -s -e ".[-1].data | $1" "$swept" >/dev/null || { tail -n 1 "$swept"; return 1; }
}

# each link in $swept is listed from both ends
both_ends() {
	jq -r 'select(.kind == "port" and .port.peer).port | "\(.node.guid) \(.number) \(.peer.node.guid) \(.peer.number)"' "$swept" |
		sort >"$BATS_TEST_TMPDIR/ends"
	diff "$BATS_TEST_TMPDIR/ends" <(awk '{ print $3, $4, $1, $2 }' "$BATS_TEST_TMPDIR/ends" | sort)
}

same_as_ibnetdiscover() {
	diff <(on "$1" ibnetdiscover -p "${@:2}" 2>/dev/null | links_of_ibnetdiscover) <(links_as_ibnetdiscover <"$swept")
}

@test "a tenth of the nodes is mute: the rest is complete, and found in bounded time" {
	local node
	serve fat-tree:6,10,4 --sweep 0
	until_true 60 port_is_active "h6-10 HCA-1"
	for node in h2-3 h2-4 h3-5 h4-6 h5-7 h6-8 spine4; do control agent "$node" mute; done
	run -0 --separate-stderr on "h1-1 HCA-1" madsweep -j -t 100
	echo "$output" >"$swept"
	[[ $stderr == *'no response from the node behind leaf2 port 3 '* ]]
	# each leaf has a cable to the spine; the window holds all requests: 3 tries, and once more
	summary '.silent == 12 and (.complete | not) and .elapsed_us < 30000000'
	both_ends
	same_as_ibnetdiscover "h1-1 HCA-1" -t 100
}

# ends when the fabric is gone
flap() {
	local link
	while :; do
		for link in "$@"; do
			# shellcheck disable=SC2086  # two words
			control link $link down && control link $link up || return 0
		done
	done
}

@test "links that flap during the sweep: it ends, and lists each link from both ends" {
	local i
	serve fat-tree:6,10,4
	until_true 60 port_is_active "h6-10 HCA-1"
	flap "leaf3 11" "leaf4 12" "leaf5 3" "leaf2 14" "h6-10 1" 2>/dev/null 3>&- &
	FLAPPING=$!
	for i in {1..8}; do
		on "h1-1 HCA-1" madsweep -q -j -t 50 >"$swept"
		both_ends
		summary '.duplicates == 0 and .refused == 0 and .nodes >= 60 and .nodes <= 70 and .links >= 70 and .elapsed_us < 50000000'
	done
	kill "$FLAPPING"
	wait "$FLAPPING" || true
	FLAPPING=''
	until_true 60 flapped_back
	until_true 60 port_is_active "h6-10 HCA-1"
	same_as_ibnetdiscover "h1-1 HCA-1"
}

# all links are back
flapped_back() {
	local link
	for link in "leaf3 11" "leaf4 12" "leaf5 3" "leaf2 14" "h6-10 1"; do
		# shellcheck disable=SC2086  # two words
		control link $link up >/dev/null 2>&1 || true
	done
	on "h1-1 HCA-1" madsweep -q -j >"$swept" && summary '.complete and .links == 84' &&
		! jq -e 'select(.kind == "port" and .port.lid == null)' "$swept" >/dev/null
}

@test "finite VL15 buffers: nothing is reported silent that is not" {
	madsim --generate fat-tree:18,26,18 >"$BATS_TEST_TMPDIR/tree.net"
	serve "$BATS_TEST_TMPDIR/tree.net" --vl15 typical
	until_true 60 port_is_active "h18-26 HCA-1"
	on "h1-1 HCA-1" madsweep -q -j >"$swept"
	summary '.complete and .silent == 0 and .nodes == 504 and .links == 792'
	same_as_ibnetdiscover "h1-1 HCA-1"
	serve_end
	serve fat-tree:2,6,2 --vl15 4,2000
	until_true 60 port_is_active "h2-6 HCA-1"
	on "h1-1 HCA-1" madsweep -q -j >"$swept"
	summary '.complete and .silent == 0 and .nodes == 16 and .links == 16'
	same_as_ibnetdiscover "h1-1 HCA-1"
	# the least that the IBA permits
	serve_end
	serve fat-tree:6,6,4 --vl15 1,500
	until_true 60 port_is_active "h6-6 HCA-1"
	on "h1-1 HCA-1" madsweep -q -j >"$swept"
	summary '.complete and .nodes == 46 and .links == 60 and .elapsed_us < 200000000'
	on "h1-1 HCA-1" madsweep -q -j Get PortInfo >"$swept"
	summary '.complete and .requests.silent == 0'
}

@test "no subnet manager: links are found; counters are not requested, because ports have no LIDs" {
	serve fat-tree:6,10,4 --no-sm
	run -0 --separate-stderr on "h1-1 HCA-1" madsweep -j
	echo "$output" >"$swept"
	summary '.complete and .nodes == 70 and .links == 84'
	both_ends
	jq -s -e 'map(select(.port.number > 0)) | all(.port.lid == null)' "$swept"
	run -3 --separate-stderr on "h1-1 HCA-1" madsweep -j Get PortCounters
	echo "$output" >"$swept"
	[[ $stderr == *'PortCounters of h1-1 HCA-1 port 1: not requested, because the port has no LID'* ]]
	summary '.requests | .failed == 168 and .silent == 0 and .mads == 0'
}

@test "a limited default P_Key: the P_Key is named where ibqueryerrors waits" {
	serve fat-tree:2,3,2 --no-sm
	echo 'Default=0x7fff, ipoib: ALL=limited, SELF=full;' >"$BATS_TEST_TMPDIR/partitions"
	opensm_start daemon "h2-3 HCA-1" -P "$BATS_TEST_TMPDIR/partitions"
	until_true 60 opensm_says daemon 'SUBNET UP'
	# a full member reaches all, a limited one only that
	on "h2-3 HCA-1" madsweep -q -j Get PortCounters >"$swept"
	summary '.requests | .answered == 20 and .silent == 0'
	run -0 --separate-stderr on "h1-1 HCA-1" madsweep -j -t 50 Get PortCounters
	echo "$output" >"$swept"
	summary '(.complete | not) and .nodes == 10 and .requests.answered == 1 and .requests.silent == 19'
	[[ $stderr == *'no response to Get PortCounters from Lid '*' and the P_Key'* ]]
	jq -s -e 'map(select(.kind == "response").port.node.name) == ["h2-3 HCA-1"]' "$swept"
}

@test "a subnet manager that hands over to another" {
	local i
	serve fat-tree:2,3,2 --no-sm
	opensm_start first "h2-3 HCA-1"
	until_true 60 opensm_says first 'SUBNET UP'
	opensm_start second "h1-3 HCA-1" -p 15
	for ((i = 0; i < 200; i++)); do
		on "h1-1 HCA-1" madsweep -q -j >"$swept"
		summary '.complete and .nodes == 10 and .links == 10 and .silent == 0'
		! opensm_says second 'SUBNET UP' || break
	done
	until_true 60 opensm_says second 'SUBNET UP'
	links_agree "h1-1 HCA-1"
	jq -s -e 'map(select(.kind == "port")) | all(.port.lid)' "$swept"
	on "h1-1 HCA-1" madsweep -q -j Get PortCounters >"$swept"
	summary '.requests | .answered == 20 and .silent == 0'
}
