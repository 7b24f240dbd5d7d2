# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Test Anything Protocol for test scripts in sh, to be sourced:
#   none MESSAGE OFFENDERS   ok where OFFENDERS is empty, else they are shown
#   skip MESSAGE REASON
#   tap_done                 the plan; exits
tap_count=0 tap_failed=0

none() {
	tap_count=$((tap_count + 1))
	if [ -z "$2" ]; then
		echo "ok $tap_count - $1"
	else
		tap_failed=1
		echo "not ok $tap_count - $1"
		echo "$2" | sed 's/^/# /'
	fi
}

skip() {
	tap_count=$((tap_count + 1))
	echo "ok $tap_count - $1 # SKIP $2"
}

tap_done() {
	echo "1..$tap_count"
	exit $tap_failed
}
