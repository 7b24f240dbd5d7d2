#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# The library's ports and agents on the simulated fabric, without a command around them.

load common

tool=${MADKIT_BUILD:?}/tests/ibsim/agent_tool

@test "the list of ports says what the port says of itself" {
	run -0 on node1 "$tool" list
	listed=$output
	info=$(on node1 smpquery portinfo -D 0)
	node=$(on node1 smpquery nodeinfo -D 0)
	[[ $listed == *"ret 0 ports 1 skipped 0"* ]]
	[[ $listed == *"umad:ibsim0/1 /dev/infiniband/umad0 node $(dotted Guid <<<"$node") "* ]]
	[[ $listed == *" port $(dotted PortGuid <<<"$node") "* ]]
	[[ $listed == *" prefix $(dotted GidPrefix <<<"$info") lid $(dotted Lid <<<"$info") sm $(dotted SMLid <<<"$info") "* ]]
	[[ $listed == *" state 4 phys 5 "* && $listed == *" layer 1 "* ]]
	[[ $listed == *" capmask $(printf '0x%08x' "$(dotted CapMask <<<"$info")") "* ]]
}

@test "NodeInfo by direct route, one and 32 outstanding" {
	guid=$(on node1 smpquery nodeinfo -D 0,1 | dotted Guid)
	for window in 1 32; do
		run -0 --separate-stderr on node1 "$tool" nodeinfo 0,1 5000 "$window" 20000 2
		[[ $output == "guid $guid answered 5000 failed 0 other 0 resends 0" ]]
	done
}

@test "a LID that is there answers, once" {
	lid=$(on node2 smpquery portinfo -D 0 | dotted Lid)
	guid=$(on node2 smpquery nodeinfo -D 0 | dotted Guid)
	run -0 on node1 "$tool" lid "$lid" 1000 2
	[[ $output == "ret 0 status 0 attempts 1 kernel 0 from $lid guid $guid" ]]
}

@test "a dead LID ends with a timeout after all tries" {
	run -0 on node1 "$tool" lid 99 1000 2
	[[ $output == "ret 0 status -110 attempts 3 kernel 0" ]]
	run -0 on node1 "$tool" lid 99 1000 0
	[[ $output == "ret 0 status -110 attempts 1 kernel 0" ]]
}

@test "what a lossy link drops without a word is sent again by our own deadline" {
	guid=$(on node2 smpquery nodeinfo -D 0,1 | dotted Guid)
	console 'Error "node2"[1] 30'
	run -0 --separate-stderr on node2 "$tool" nodeinfo 0,1 50 8 20 50
	console 'Error "node2"[1] 0'
	[[ $output =~ ^"guid $guid answered 50 failed 0 other 0 resends "([0-9]+)$ ]]
	((BASH_REMATCH[1] > 0))
}

@test "GUIDs, GIDs and names resolve to LIDs" {
	guid=$(on node2 smpquery nodeinfo -D 0 | dotted PortGuid)
	lid=$(on node2 smpquery portinfo -D 0 | dotted Lid)
	prefix=$(on node1 smpquery portinfo -D 0 | dotted GidPrefix)
	[[ $prefix == 0xfe80000000000000 ]]
	run -0 on node1 "$tool" guid "$guid"
	[[ $output == "lid $lid sl 0 grh 0" ]]
	run -0 on node1 "$tool" gid "fe80::${guid:2:4}:${guid:6:4}:${guid:10:4}:${guid:14:4}"
	[[ $output == "lid $lid sl 0 grh 0" ]]
	run -0 on node1 "$tool" name "node2 HCA-1"
	[[ $output == "lid $lid sl 0 grh 0" ]]
}

@test "a node name map comes before the SA" {
	guid=$(on node4 smpquery nodeinfo -D 0 | dotted Guid)
	lid=$(on node4 smpquery portinfo -D 0 | dotted Lid)
	printf '# a comment\n\n%s "Storage 1"\n' "$guid" >"$BATS_TEST_TMPDIR/map"
	run -0 on node1 "$tool" name "storage 1" "$BATS_TEST_TMPDIR/map"
	[[ $output == "lid $lid sl 0 grh 0" ]]
	run -0 on node1 "$tool" name "node4 HCA-1" "$BATS_TEST_TMPDIR/map"
	[[ $output == "lid $lid sl 0 grh 0" ]]
	echo 'nonsense' >>"$BATS_TEST_TMPDIR/map"
	run -1 on node1 "$tool" name "nobody" "$BATS_TEST_TMPDIR/map"
	[[ $output == *"map:4: expected 0xGUID"* ]]
}

@test "what nobody has is not resolved" {
	run -1 on node1 "$tool" guid 0xdead
	[[ $output == *": -2 the SA has no port with GUID 0x000000000000dead" ]]
	run -1 on node1 "$tool" name nobody
	[[ $output == *": -2 the SA has no node 'nobody'" ]]
	run -1 on node1 "$tool" name "$(printf 'x%.0s' {1..80})"
	[[ $output == *": -2 the SA has no node 'x"* ]]
}

@test "flags that the device refuses are told apart" {
	run -0 on node1 "$tool" register 4 1 0 0
	[[ $output == "ret 0 cause none code 0 "* ]]
	run -0 on node1 "$tool" register 4 1 0 1
	[[ $output == "ret -22 cause flags code 22 "*"without flags the same registration is accepted" ]]
}
