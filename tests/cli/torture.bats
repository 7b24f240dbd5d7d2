#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Each call that may fail fails, once: no crash, no hang, no wrong result with status 0.

setup() {
	load common
	load ../torture/torture.bash
	torture_build
	cd "$BATS_TEST_TMPDIR" || return 1
	madsend --dry-run -f raw Get NodeInfo >mad
	printf '0x1 0x2\n' >keys
	madsend --dry-run -f hex -L 3 GetTable NodeRecord >dump
	madsend --dry-run -j -K -L 3 Get PathRecord SGID=fe80::1 DGID=fe80::2 >lines
	cat >>lines <<-'END'
	{"header":{"method":"Get","attribute":"NodeInfo"},"remote":{"name":"x"},"tag":{"a":1},"data":{"BaseVers":1,"BaseVers":1}}
	{"header":{"method":"Get","attribute":"PortInfo"},"data":{"LinkWidthEnabled_names":["1X"]},"rest":{"70":"01"}}
	END
}

@test "madsend --dry-run: each call fails" {
	torture error madsend --dry-run -j -L 3 Get PathRecord SGID=fe80::1 DGID=fe80::2
	torture error madsend --dry-run Get NodeInfo data=@mad --filter 'BaseVers==1' --fields Guid,BaseVers
	torture error madsend --dry-run -p -w capture Get PortInfo --assert 'LMC==0'
}

@test "madsend --batch --dry-run: each call fails" {
	torture error madsend --dry-run -j --batch lines
	torture error madsend --dry-run -f raw -w capture --batch lines
}

@test "madsend --batch without memory: 1, not a malformed line" {
	local n status
	export TORTURE_HOW=error TORTURE_LOG=$BATS_TEST_TMPDIR/log
	for ((n = 1; n < 400; n++)); do
		status=0
		TORTURE_NTH=$n torture_run madsend --dry-run -j --batch - >out 2>err < <(head -n 1 lines) || status=$?
		[[ -s $TORTURE_LOG ]] || break
		[[ $(<"$TORTURE_LOG") == *alloc ]] || continue
		((status <= 1)) || { echo "$n: status $status"; cat err out; return 1; }
		[[ $(jq -r 'select(.kind == "error").status.send' out) == @(|12) ]] || { echo "$n"; cat out; return 1; }
	done
	((n > 5 && n < 400))
}

@test "madsend --describe: each call fails" {
	torture error madsend --describe
	torture error madsend --describe -j NodeInfo
}

@test "madrecv -r: each call fails" {
	torture error madrecv -r mad -j
	torture error madrecv -r dump
	torture error madrecv -r mad -w capture -v
}

@test "X9: -w: a MAD that is missing from the file is not status 0" {
	local how
	export TORTURE_FILE=capture
	cat mad mad mad >mads
	for how in error memory; do
		torture $how madsend --dry-run -w capture Get PortInfo
		torture $how madrecv -r mads -w capture
		torture $how madsend --dry-run -f raw -w capture --batch lines
	done
}

@test "X8: -f table: rows that cannot be held are not status 0" {
	local how
	cat mad mad mad >mads
	for how in error memory; do
		torture $how madrecv -r mads -f table
		torture $how madrecv -r mads -f table --fields Guid,SystemGuid
	done
}

@test "usage errors: each call fails" {
	torture error madsend Get NodeInf
	torture error madsend --dry-run Get NodeInfo bogus=1
	torture error madreg --help
}

@test "interrupted and short reads and writes change nothing" {
	for how in intr short; do
		torture $how madsend --dry-run -j Get NodeInfo data=@mad
		torture $how madrecv -r mad -w capture -j
		torture $how madsend --batch lines --dry-run -j
		torture $how madrecv -r dump
		torture $how madsend Get NodeInf
		torture $how madsweep --device sim:fat-tree:1,1,0,sm=none -j --m-key @keys
	done
}

@test "a simulated device: each call fails" {
	torture error madsend --device sim:fat-tree:1,2,0,sm=none,clock=real,fault='delay delay=1' -D 0,1 Get NodeInfo
	printf 'Switch 2 "a"\n[1] "b"[1]\nCa 1 "b"\n[1] "a"[1]\n' >net
	torture error madsend --device sim:net GetTable NodeRecord
}

@test "madsweep: each call fails" {
	local device=sim:fat-tree:1,1,0,sm=none
	printf '0x1 "x"\n' >map
	torture error madsweep --device $device -j --node-name-map map --m-key @keys
	torture error madsweep --device $device --filter 'number > 0' --sort guid --assert 'speed == HDR'
	torture error madsweep --device $device Get NodeInfo -f table --fields Guid,port.number
	torture error madsweep --device $device --topology
	torture error madsweep --device sim:fat-tree:1,1,0 --via sa --route 1,2
}

@test "madsweep needs a small stack" {
	local words
	# the descriptions of a fabric's nodes and its depth are not on the stack
	for words in -j '' --topology 'Get PortCounters' '-j --via sa' '-j --route h1-1,h16-1 --both'; do
		# shellcheck disable=SC2086  # several words
		(ulimit -s 64 && madsweep --device sim:fat-tree:16,8,4 $words) >out 2>err || { echo "$words: $?"; cat err; return 1; }
		[[ -s out ]]
	done
}
