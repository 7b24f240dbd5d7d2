# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Programs of others on a madsim, by the preloaded umad device; to be sourced:
#
#   serve TOPOLOGY [OPTION...]  start madsim on a topology and wait until it answers (in no subshell)
#   serve_end                   end everything and remove the directory
#   on NODE COMMAND...          run COMMAND as a program of NODE; 124 when it takes too long
#   spawn NAME NODE COMMAND...  the same in the background: pid in SERVED_JOB, output in
#                               $SERVED_DIR/NAME.out and NAME.err
#   end PID                     end it, or the rest of it; in the shell that spawned it
#   opensm_start NAME NODE [OPTION...]  opensm as a daemon; its log is $SERVED_DIR/NAME/log
#   until_true SECONDS CMD...   run CMD until it succeeds: for SECONDS on a quiet machine, ten times that on a busy one
#
# Written for bash with or without `set -eu`.

# shellcheck source-path=SCRIPTDIR source=../ibsim/fabric.sh
. "$(dirname "${BASH_SOURCE[0]}")/../ibsim/fabric.sh"

SERVED_TIMEOUT=${SERVED_TIMEOUT:-300}
SERVED_SHIM=${MADKIT_BUILD:?}/lib/.libs/libmadsim_umad.so

# SERVED_SETTINGS: what env needs to run COMMAND... on NODE. Programs that were not built with the
# sanitizers, as the device was, leak what they please.
serve_settings() {
	local program
	SERVED_SETTINGS=("MADSIM_SOCKET=$SERVED_SOCKET" "MADSIM_NODE=$1"
		"LD_PRELOAD=${MADKIT_PRELOAD:+$MADKIT_PRELOAD:}$SERVED_SHIM")
	program=$(type -P "$2") || program=$2
	[[ :${MADKIT_PROGRAMS:-}: == *:"${program%/*}":* || $program == "$MADKIT_BUILD"/* ]] ||
		SERVED_SETTINGS+=("ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0")
}

on() {
	local status=0 SERVED_SETTINGS
	serve_settings "$@"
	timeout --foreground -k 2 "$SERVED_TIMEOUT" env "${SERVED_SETTINGS[@]}" "${@:2}" || status=$?
	((status != 124)) || fabric_say "took more than $SERVED_TIMEOUT s: ${*:2}"
	return "$status"
}

spawn() {
	local name=$1 SERVED_SETTINGS
	serve_settings "${@:2}"
	fabric_background env --default-signal=INT,QUIT,PIPE "${SERVED_SETTINGS[@]}" "${@:3}" \
		</dev/null >"$SERVED_DIR/$name.out" 2>"$SERVED_DIR/$name.err"
	SERVED_JOB=$!
	echo "$SERVED_JOB" >>"$SERVED_DIR/jobs"
}

end() { fabric_end "$1"; }

# A node answers: of the server's own state nothing is known here.
serve_answers() {
	fabric_gone "$SERVED_PID" || on '' cat /sys/class/infiniband_mad/abi_version >/dev/null 2>&1
}

serve() {
	SERVED_DIR=$(mktemp -d "${BATS_TEST_TMPDIR:-${BATS_FILE_TMPDIR:-${TMPDIR:-/tmp}}}/serve.XXXXXX") || return 1
	SERVED_SOCKET=$SERVED_DIR/socket
	export SERVED_DIR SERVED_SOCKET SERVED_PID
	fabric_background madsim "$1" --socket "$SERVED_SOCKET" "${@:2}" </dev/null \
		>"$SERVED_DIR/madsim.out" 2>"$SERVED_DIR/madsim.err"
	SERVED_PID=$!
	until_true 60 serve_answers
	if fabric_gone "$SERVED_PID"; then
		cat "$SERVED_DIR/madsim.err" >&2
		serve_end
		return 1
	fi
}

serve_end() {
	local pid
	[[ -n ${SERVED_DIR:-} && -d $SERVED_DIR ]] || return 0
	if [[ -e $SERVED_DIR/jobs ]]; then
		while read -r pid; do
			grep -qsz "^MADSIM_SOCKET=$SERVED_SOCKET\$" "/proc/$pid/environ" && end "$pid"
		done <"$SERVED_DIR/jobs"
	fi
	end "$SERVED_PID"
	rm -rf "$SERVED_DIR"
	SERVED_DIR=''
}

# A file of sysfs, as a program of NODE sees it.
port_file() { on "$1" cat "/sys/class/infiniband/sim0/ports/${3:-1}/$2"; }

port_is_active() { [[ $(port_file "$1" state 2>/dev/null) == '4: ACTIVE' ]]; }

# Without -d2 the log stays in a buffer for minutes.
opensm_start() {
	local dir=$SERVED_DIR/$1
	mkdir "$dir"
	spawn "$1" "$2" env "OSM_CACHE_DIR=$dir" "OSM_TMP_DIR=$dir" opensm -e -d2 -s 0 -f "$dir/log" "${@:3}"
}

# opensm_says NAME WORDS: its log has them.
opensm_says() { grep -qs "$2" "$SERVED_DIR/$1/log"; }

# The output of ibnetdiscover, without comments and LIDs, in a canonical order: nodes, and the
# lines of each, sorted.
topology_of() {
	sed -E '/^#/d; s/ base port 0 lid [0-9]+ lmc [0-9]+//; s/# lid [0-9]+ lmc [0-9]+ /# /; s/ lid [0-9]+ / /' |
		awk 'BEGIN { RS = ""; FS = "\n" } { line = $1; for (i = 2; i <= NF; i++) line = line "|" $i; print line }' |
		sed -E 's/[ \t]+/ /g' | sort
}
