# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# For the tests on fabrics that madsim serves. Loads in setup().

bats_require_minimum_version 1.5.0

. "$BATS_TEST_DIRNAME/../programs.sh"
unset MADKIT_DEVICE MADSIM_SOCKET MADSIM_NODE

# shellcheck disable=SC2034  # for the tests
topologies=$BATS_TEST_DIRNAME/../data/topologies
# a socket's path is short
dir=$(mktemp -d "${TMPDIR:-/tmp}/sim-XXXXXX")
socket=$dir/s
started=()

# start LOG PROGRAM [WORD...]: in the background, and waits for the first line on its standard error. Sets pid, which is
# that of the program, never that of a subshell that runs a function of this name: clean_up() ends it.
start() {
	local log=$dir/$1 line
	shift
	mkfifo "$log.err"
	(exec "$@") 2>"$log.err" >"$log.out" 3>&- &
	pid=$!
	started+=("$pid")
	exec {errors}<"$log.err"
	read -r -t 60 line <&"$errors" || { echo "$1 said nothing"; return 1; }
	echo "$line" >"$log.line"
}

# serve TOPOLOGY [OPTION...]: until the test ends.
serve() {
	start madsim madsim "$@" --socket "$socket" --banner
	[[ $(cat "$dir/madsim.line") == *"sim:unix:$socket" ]] || { cat "$dir/madsim.line"; return 1; }
	# shellcheck disable=SC2034
	madsim_pid=$pid
}

# on NODE COMMAND...
on() { MADKIT_DEVICE=sim:unix:$socket@$1 "${@:2}"; }

control() { madsim --control "$socket" "$@"; }

# stats NAME: a number of the server's
stats() { control stats | jq -r ".$1"; }

# most FILE [report]: of a pcap, the largest number of MADs that were sent within a second, and how many were sent; report: of
# those after the first Report
most() {
	timeout 60 python3 - "$@" <<-'EOF'
		import struct, sys
		data = open(sys.argv[1], "rb").read()
		magic, kind = struct.unpack_from("<I", data)[0], struct.unpack_from("<I", data, 20)[0]
		unit = {0xa1b2c3d4: 1000000, 0xa1b23c4d: 1000000000}[magic]
		assert kind == 197  # ERF: its header, LRH, BTH, DETH, MAD
		at, sent, begin = 24, [], None if sys.argv[2:] else 0
		while at < len(data):
		    s, fraction, length, _ = struct.unpack_from("<4I", data, at)
		    method = data[at + 16 + 16 + 28 + 3]
		    if method == 6 and begin is None:
		        begin = s * unit + fraction
		    if not method & 0x80 and method != 6:  # no response, and not received
		        sent.append(s * unit + fraction)
		    at += 16 + length
		sent = sorted(time for time in sent if begin is not None and time >= begin)
		most = first = 0
		for last, time in enumerate(sent):
		    while time - sent[first] >= unit:
		        first += 1
		    most = max(most, last - first + 1)
		print(most, len(sent))
	EOF
}

clean_up() {
	# CONT: a test that stopped one can fail before it continues it
	((!${#started[@]})) || kill "${started[@]}" 2>/dev/null || :
	((!${#started[@]})) || kill -CONT "${started[@]}" 2>/dev/null || :
	((!${#started[@]})) || wait "${started[@]}" 2>/dev/null || :
	rm -rf "$dir"
}
