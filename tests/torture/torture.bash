# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Runs a command again and again, each time with another of its calls going wrong (fail.c).
# To be sourced after programs.sh.
#
#   torture_build           compile fail.c; call it in setup()
#   torture HOW COMMAND...  HOW as in fail.c, or `memory`: that allocation and all later ones fail
#   TORTURE_FILE            a file that the command also writes: a run with status 0 writes as much to it

torture_build() {
	TORTURE=$BATS_FILE_TMPDIR/fail.so
	local compiler
	read -ra compiler <<<"${CC:-cc}"
	[[ -e $TORTURE ]] || "${compiler[@]}" -Wall -Wextra -Werror -O1 -shared -fPIC \
		"$BATS_TEST_DIRNAME/../torture/fail.c" -o "$TORTURE"
	# a sanitizer has its own malloc in front
	! sanitized || skip "not with a sanitizer"
}

# More calls than any of the commands makes.
TORTURE_CALLS=400

torture_run() { LD_PRELOAD=$TORTURE timeout 20 "$@"; }

# Values of a clock and of a counter are not differences.
torture_plain() { sed -E 's/ in [0-9.]+ s$/ in 0 s/; s/"epoch":[0-9.]+/"epoch":0/g; s/"(time|tid|rtt_us|mads|resent|elapsed_us|interval_us)":("[^"]*"|[0-9]+)/"\1":0/g' "$1"; }

torture() {
	local dir=$BATS_TEST_TMPDIR n status want called size=0 how=$1
	export TORTURE_HOW=${how/memory/error} TORTURE_LOG=$dir/log
	unset TORTURE_FROM
	[[ $how != memory ]] || export TORTURE_FROM=1
	local runner=${TORTURE_RUNNER:-torture_run}
	shift
	unset TORTURE_NTH
	want=0
	"$runner" "$@" </dev/null >"$dir/want" 2>"$dir/err" || want=$?
	[[ -z ${TORTURE_FILE:-} ]] || size=$(stat -c %s "$TORTURE_FILE")
	for ((n = 1; n < TORTURE_CALLS; n++)); do
		status=0
		: >"$dir/out"
		: >"$dir/err"
		TORTURE_NTH=$n "$runner" "$@" </dev/null >>"$dir/out" 2>>"$dir/err" || status=$?
		called=$(<"$dir/log")
		[[ -n $called ]] || break
		if ! torture_good; then
			echo "$*: call $n ($called, $how): status $status"
			head -c 2000 "$dir/err" "$dir/out"
			return 1
		fi
	done
	((n > 1 && n < TORTURE_CALLS)) || { echo "$*: $n calls"; return 1; }
	unset TORTURE_HOW TORTURE_LOG TORTURE_FROM
	echo "# $*: $((n - 1)) calls" >&3
}

# One of the documented statuses; as it should be, or less with a word of why.
torture_good() {
	((status <= 6)) || return 1
	if ((status == want)) && cmp -s <(torture_plain "$dir/want") <(torture_plain "$dir/out") &&
		{ [[ -z ${TORTURE_FILE:-} ]] || (($(stat -c %s "$TORTURE_FILE") == size)); }; then
		return 0
	fi
	[[ $TORTURE_HOW == error ]] || return 1
	((status != 0)) || return 1
	[[ -s $dir/err || $called == "write 2" ]] || return 1
	# of JSON there are whole lines, if the writing itself did not fail
	[[ $called == write || $(head -c 1 "$dir/out") != '{' ]] || jq empty "$dir/out"
}
