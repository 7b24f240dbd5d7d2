# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# To be sourced by scripts that run the suite on a fabric that madsim serves:
#   served_start   starts it and waits until it listens, at $served_socket; it ends with the shell, as does
#                  the jobs in served_jobs
#   program        the suite
#   die TEXT       ends, as a failure

# shellcheck source-path=SCRIPTDIR source=../programs.sh
. "$(dirname "${BASH_SOURCE[0]}")/../programs.sh"
program=$MADKIT_BUILD/tests/conformance/.libs/conformance
[[ -x $program ]] || program=$MADKIT_BUILD/tests/conformance/conformance
served_jobs=()

die() { echo "Bail out! $1"; exit 1; }

# shellcheck disable=SC2329  # called by the trap
served_end() {
	((!${#served_jobs[@]})) || { kill "${served_jobs[@]}" && wait "${served_jobs[@]}"; } 2>/dev/null
	rm -rf "$served"
}

served_start() {
	local line
	served=$(mktemp -d) || die "no directory"
	trap served_end EXIT
	trap 'exit 143' HUP INT TERM
	served_socket=$served/socket
	mkfifo "$served/ready"
	madsim "$(dirname "${BASH_SOURCE[0]}")/../data/topologies/small.net" --sm node1 --socket "$served_socket" --banner \
		2>"$served/ready" &
	served_jobs+=($!)
	exec {served_ready}<"$served/ready"
	read -r -t 60 -u "$served_ready" line || die "madsim is not ready"
	[[ $line == *"$served_socket"* ]] || die "madsim: $line"
}
