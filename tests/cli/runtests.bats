#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# The summary of a test run: a lane that dies half-way must not look like success.

bats_require_minimum_version 1.5.0

top=$BATS_TEST_DIRNAME/../..

# sum TAP...: one file each
sum() {
	local tap i=0
	rm -f "$BATS_TEST_TMPDIR"/*.tap
	for tap; do
		i=$((i + 1))
		printf '%b' "$tap" >"$BATS_TEST_TMPDIR/$i.tap"
	done
	run -0 --separate-stderr awk -f "$top/tests/sum.awk" "$BATS_TEST_TMPDIR"/*.tap
}

@test "passed, failed and skipped tests are counted over files" {
	sum '1..4\nok 1 - a\nnot ok 2 - b\n# because\nok 3 - c # SKIP no d\nok 4\n' '1..1\nok 1\n'
	[[ $output == '3 1 1' ]]
	[[ $stderr == $'1.tap: not ok 2 - b\n    # because' ]]
}

@test "the plan may come last" {
	sum 'ok 1\nok 2\n1..2\n'
	[[ $output == '2 0 0' && -z $stderr ]]
}

@test "tests that were planned and did not run have failed" {
	sum '1..5\nok 1\nok 2\n'
	[[ $output == '2 3 0' && $stderr == '1.tap: 5 tests planned, 2 ran' ]]
}

@test "more tests than planned is a failure" {
	sum '1..1\nok 1\nok 2\n'
	[[ $output == '2 1 0' ]]
}

@test "no plan is a failure, and so is an empty file, wherever it stands" {
	sum 'ok 1\n' '1..1\nok 1\n' ''
	[[ $output == '2 2 0' ]]
	sum '' '1..1\nok 1\n'
	[[ $output == '1 1 0' ]]
}

@test "a file skipped as a whole is one skipped test" {
	sum '1..0 # SKIP no qemu\n'
	[[ $output == '0 0 1' && $stderr == *'no qemu'* ]]
}

@test "where all is wanted, a test skipped for want of something has failed" {
	sum '1..0 # SKIP tshark is missing\n' '1..2\nok 1 - a # skip jq is missing\nok 2 - what is missing # SKIP not with a sanitizer\n'
	[[ $output == '0 0 3' ]]
	run -0 --separate-stderr awk -v all=1 -f "$top/tests/sum.awk" "$BATS_TEST_TMPDIR"/*.tap
	[[ $output == '0 2 1' && $stderr == *'tshark is missing'*'jq is missing'* ]]
}

@test "Bail out! is a failure" {
	sum '1..1\nok 1\nBail out! no more\n'
	[[ $output == '1 1 0' ]]
}

@test "a lane that does not exist is refused" {
	run -2 "$top/runtests" --lane nonsense
	[[ $output == *'one of kernel cross sim ibsim cli unit fuzz properties tsan shim' ]]
	run -2 "$top/runtests" --lane
}

@test "a section of packages that does not exist is refused" {
	run -2 "$top/packages" build nonsense
	[[ $output == 'packages: no section nonsense'* ]]
	run -2 "$top/packages"
}

@test "packages are named without being installed" {
	run -0 "$top/packages" --list build fabric
	[[ $output == *libibumad-dev*ibsim-utils* ]]
}

# A machine where nothing is installed, and a user who may not change that.
@test "without root and without sudo, packages says what is missing" {
	local drop=()
	mkdir "$BATS_TEST_TMPDIR/bin"
	printf '#!/bin/sh\nexit 1\n' >"$BATS_TEST_TMPDIR/bin/dpkg-query"
	chmod 755 "$BATS_TEST_TMPDIR" "$BATS_TEST_TMPDIR/bin" "$BATS_TEST_TMPDIR/bin/dpkg-query"
	((EUID)) || drop=("$(command -v setpriv)" --reuid 65534 --regid 65534 --clear-groups)
	PATH=$BATS_TEST_TMPDIR/bin run -1 "${drop[@]}" /bin/bash -s -- fabric <"$top/packages"
	[[ $output == 'packages: as root, please: apt-get install ibsim-utils opensm' ]]
}

# make -W takes the library for changed, and -n runs nothing.
@test "T5: make check TESTS=NAME links no program that the test does not need" {
	local build=${MADKIT_BUILD:-$top/build} built
	[[ -e $build/Makefile ]] || skip "the programs are installed ones"
	built=$(make -C "$build" -n -W lib/libmadkit-internal.la check TESTS=tests/unit/mad |
		sed -nE '/ -c /!s/.* -o ((tests|fuzz)\/[^ ]+) .*/\1/p' | sort -u)
	[[ $built == tests/unit/mad ]] || { echo "$built"; return 1; }
}

# leftovers RUN: its status in status, its messages in output, with no process of the outer run
leftovers() { run "$top/tests/leftovers" "$1"; }

@test "X12: a process that a run leaves is named, killed, and makes the run fail" {
	local id=x12.$BASHPID pid
	MADKIT_RUN=$id sleep 3600 3>&- &
	pid=$!
	leftovers "$id"
	[[ $status == 1 && $output == "left running: $pid sleep 3600 " ]] || { echo "$status: $output"; return 1; }
	wait "$pid" || [[ $? == 137 ]]
	leftovers "$id"
	[[ $status == 0 && -z $output ]]
	MADKIT_RUN=$id leftovers "$id"
	[[ $status == 0 && -z $output ]] || { echo "it named itself: $output"; return 1; }
}
