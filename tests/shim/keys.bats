#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# madsweep with M_Keys at protection level 2, from the files of opensm.

load common

teardown() { serve_end; }

# A subnet with M_Key 0x1234 at each port, which opensm writes to its cache.
keys() {
	serve "$TOPOLOGIES/small.net" --no-sm
	printf '%s\n' 'm_key 0x1234' 'm_key_protection_level 2' >"$SERVED_DIR/keys.conf"
	opensm_start keys node1 -F "$SERVED_DIR/keys.conf"
	until_true 60 opensm_says keys 'SUBNET UP'
	cache=$SERVED_DIR/keys
	until_true 20 grep -qs . "$cache/guid2mkey"
	until_true 20 grep -qs . "$cache/neighbors"
}

swept() { on node1 madsweep -j -t 200 "$@" 2>"$BATS_TEST_TMPDIR/said"; }

@test "keys of a directory: the whole subnet, and no violation is counted" {
	local node
	keys
	swept --m-key "@$cache" >"$BATS_TEST_TMPDIR/lines"
	jq -s -e '.[-1].data | .complete and .nodes == 6' "$BATS_TEST_TMPDIR/lines"
	for node in node2 node3 node4; do
		(($(on node1 smpquery -y 0x1234 portinfo "$(($(port_file "$node" lid)))" 1 | dotted MkeyViolations) == 0))
	done
}

@test "without keys the message names M_Keys; with one key for all nodes the sweep is complete" {
	local status=0
	keys
	swept >"$BATS_TEST_TMPDIR/lines" || status=$?
	((status == 3))
	grep -q 'M_Key' "$BATS_TEST_TMPDIR/said"
	jq -s -e '.[-1].data | (.complete | not) and .nodes == 0' "$BATS_TEST_TMPDIR/lines"
	swept -y 0x1234 >"$BATS_TEST_TMPDIR/lines"
	jq -s -e '.[-1].data | .complete and .nodes == 6' "$BATS_TEST_TMPDIR/lines"
}

@test "a key goes to its port alone: one that is missing leaves that node silent" {
	keys
	sed -i '/^0x0*100003 /d' "$cache/guid2mkey"
	swept --m-key "@$cache" >"$BATS_TEST_TMPDIR/lines"
	jq -s -e '.[-1].data | .silent == 1 and .nodes == 5' "$BATS_TEST_TMPDIR/lines"
}

@test "files that are no keys are refused, and no key is shown" {
	local cache=$BATS_TEST_TMPDIR/cache
	mkdir "$cache"
	printf '0x1 0xsecret\n' >"$cache/guid2mkey"
	run -2 madsweep --device "sim:$TOPOLOGIES/small.net" --m-key "@$cache"
	[[ $output == *"guid2mkey' line 1"* && $output != *secret* ]]
	printf '0x1 1\n0x1 2\n' >"$cache/guid2mkey"
	run -2 madsweep --device "sim:$TOPOLOGIES/small.net" --m-key "@$cache/guid2mkey"
	run -1 madsweep --device "sim:$TOPOLOGIES/small.net" --m-key "@$cache/nothing"
}
