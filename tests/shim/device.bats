#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# The preloaded umad device itself: what a kernel's does, and what becomes of it without its server.

load common

setup_file() {
	serve "$TOPOLOGIES/small.net"
	until_true 60 port_is_active node3
}

@test "the device does what a kernel's does" {
	run on node3 "$MADKIT_BUILD/tests/shim/device"
	grep -v '^ok' <<<"$output"
	((status == 0))
}

@test "sysfs is listed, searched and read from within" {
	run -0 on node4 ls -l /sys/class/infiniband/sim0/ports/
	[[ $output == *' 1'$'\n'*' 2' ]]
	# shellcheck disable=SC2016  # for the inner shell to expand
	run -0 on node4 bash -c 'cd /sys/class/infiniband/sim0/ports/2 && echo "$(cat phys_state) $(<link_layer)"'
	[[ $output == '2: Polling InfiniBand' ]]
	run -0 on node3 grep -rh . /sys/class/infiniband/sim0/ports/1/state /sys/class/infiniband/sim0/ports/1/gids
	[[ $output == '4: ACTIVE'*'fe80:0000:0000:0000:'* ]]
	run -0 on node3 find /sys/class/infiniband_mad -type f
	(($(wc -l <<<"$output") >= 5))
	# part by part, of which the first two are the machine's own
	if [[ -d /sys/class ]]; then
		run -0 on node3 realpath -e /sys/class/infiniband/../infiniband//sim0/
		[[ $output == /sys/class/infiniband/sim0 ]]
	fi
	run -1 on node3 cat /sys/class/infiniband/sim0/none
	[[ $output == *'No such file or directory' ]]
	run -1 on node3 test -e /dev/infiniband/uverbs0
}

@test "a device is a character device of its number" {
	run -0 on node4 stat -c '%F %t:%T %a' /dev/infiniband/umad1 /dev/infiniband/issm1
	[[ $output == $'character special file e7:1 600\ncharacter special file e7:41 600' ]]
	run -1 on node3 test -e /dev/infiniband/umad1
}

@test "MADSIM_NODE that is no node is told" {
	run on node9 ibstat
	[[ $output == *'libmadsim_umad: MADSIM_NODE: the fabric has no node9'* ]]
	run on node9 smpquery -D nodeinfo 0
	((status))
}

@test "a madsim that it is preloaded into serves, and does not wait for itself" {
	run -0 on node1 madsim fat-tree:2,2,1 -- env "ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0" ibstat
	[[ $output == *'Node GUID: 0x0000000000100000'*'State: Active'* ]]
	# nor if its own socket is given
	on node1 env MADSIM_SOCKET="$SERVED_DIR/own" madsim fat-tree:2,2,1 --socket "$SERVED_DIR/own" --banner 2>"$SERVED_DIR/own.err" &
	until_true 60 grep -q 'serving sim:' "$SERVED_DIR/own.err"
	run -0 on h2-1 env MADSIM_SOCKET="$SERVED_DIR/own" ibstat
	[[ $output == *'State: Active'* ]]
	run -0 madsim --control "$SERVED_DIR/own" quit
	wait $!
	[[ ! -s $SERVED_DIR/own.err || $(<"$SERVED_DIR/own.err") != *libmadsim_umad* ]]
}

@test "without MADSIM_SOCKET there is no device" {
	run on node1 env -u MADSIM_SOCKET cat /dev/infiniband/umad0
	((status == 1))
	[[ ${lines[0]} == 'libmadsim_umad: MADSIM_SOCKET is not set: there is no umad device' ]]
	[[ ${lines[1]} == *'No such device' ]]
	((${#lines[@]} == 2))
}

@test "without a server there is none, and the socket is named" {
	run on node1 env MADSIM_SOCKET=/nonexistent/socket smpquery -D nodeinfo 0
	((status))
	(($(grep -c 'libmadsim_umad: no madsim at /nonexistent/socket: No such file or directory' <<<"$output") == 1))
}

@test "programs that do not ask for it do not notice" {
	run -0 env "LD_PRELOAD=${MADKIT_PRELOAD:+$MADKIT_PRELOAD:}$SERVED_SHIM" ls /
	[[ $output == "$(ls /)" ]]
	run -0 env "LD_PRELOAD=${MADKIT_PRELOAD:+$MADKIT_PRELOAD:}$SERVED_SHIM" bash -c 'cd / && cat </etc/passwd | head -n 1'
	[[ $output == root:* ]]
}

# The server of a separate fabric.
@test "when the server is killed the device is gone" {
	# shellcheck disable=SC2034  # serve sets them
	local SERVED_DIR SERVED_SOCKET SERVED_PID
	serve "$TOPOLOGIES/small.net"
	spawn server node1 ibping -S
	until_true 60 bash -c "ls -l /proc/$SERVED_JOB/fd | grep -q socket"
	until_true 60 test -d "$SERVED_SOCKET.sysfs"
	{ kill -KILL "$SERVED_PID"; } 2>/dev/null
	until_true 60 fabric_gone "$SERVED_PID"
	run on node1 ibstat
	[[ $output == *"libmadsim_umad: no madsim at $SERVED_SOCKET: Connection refused"* ]]
	# its read() has failed
	until_true 60 fabric_gone "$SERVED_JOB"
	# its remains do not disturb others
	[[ -d $SERVED_SOCKET.sysfs ]]
	fabric_background madsim "$TOPOLOGIES/tree.net" --socket "$SERVED_SOCKET"
	# shellcheck disable=SC2030
	SERVED_PID=$!
	until_true 60 port_is_active "h8-12 HCA-1"
	run -0 on "h8-12 HCA-1" ibstat
	[[ $output == *'State: Active'* ]]
	end "$SERVED_PID"
	[[ ! -e $SERVED_SOCKET && ! -e $SERVED_SOCKET.sysfs ]]
	serve_end
}

# The server of a separate fabric.
@test "a server that is stopped blocks one call, not each, and no call waits on a connection of another" {
	# shellcheck disable=SC2034  # serve sets them
	local SERVED_DIR SERVED_SOCKET SERVED_PID
	serve "$TOPOLOGIES/small.net" --no-sm
	# shellcheck disable=SC2031
	local pid=$SERVED_PID
	run on node3 "$MADKIT_BUILD/tests/shim/silent" "$pid"
	kill -CONT "$pid"
	grep -v '^ok' <<<"$output"
	((status == 0))
	serve_end
}

@test "B5: signal handlers, threads, children and cancellation" {
	# The ASan of clang 14 does not clear the shadow of the stack of a cancelled thread, and then reports its own
	# removal of the thread's signal stack.
	ASAN_OPTIONS="${ASAN_OPTIONS:+$ASAN_OPTIONS:}use_sigaltstack=0" run on node3 "$MADKIT_BUILD/tests/shim/storm"
	grep -v '^ok' <<<"$output"
	((status == 0))
}

@test "B6: paths and descriptors of others need at most 1 KB of stack" {
	run on node3 "$MADKIT_BUILD/tests/shim/stack"
	grep -v '^ok' <<<"$output"
	((status == 0))
}
