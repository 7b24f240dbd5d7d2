#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Unusual paths and names: "@", blanks and colons; files of other users; what a failed start leaves behind.

setup() { load common; }
teardown() { clean_up; }

# A fabric with a node whose name and description contain "@".
net() {
	cat >"$1" <<-'END'
	Switch 4 "s"
	[1] "a@b"[1]
	[2] "c"[1]
	Ca 1 "a@b" # "me@home HCA-1"
	[1] "s"[1]
	Ca 1 "c" # "host HCA-1"
	[1] "s"[2]
	END
}

guid() { madsend --device "$1" -j -D 0 Get NodeDescription | jq -r .data.NodeDescription; }

@test "B8: a socket and a node whose names contain @" {
	net "$dir/net"
	socket="$dir/s@1"
	serve "$dir/net"
	[[ $(guid "sim:unix:$socket") == 'me@home HCA-1' ]]
	[[ $(guid "sim:unix:$socket@") == 'me@home HCA-1' ]]
	[[ $(guid "sim:unix:$socket@a@b") == 'me@home HCA-1' ]]
	[[ $(guid "sim:unix:$socket@a@b:1") == 'me@home HCA-1' ]]
	[[ $(guid "sim:unix:$socket@me@home") == 'me@home HCA-1' ]]
	[[ $(guid "sim:unix:$socket@c") == 'host HCA-1' ]]
	[[ $(stats nodes) == 3 ]]
	# the path of the socket has an "@" in a directory
	mkdir "$dir/x@y"
	mv "$socket" "$dir/x@y/s"
	[[ $(guid "sim:unix:$dir/x@y/s@a@b") == 'me@home HCA-1' ]]
	run -1 --separate-stderr madsend --device "sim:unix:$dir/x@y/s@no@ne" Get NodeInfo
	[[ $stderr == *"no node 'no@ne'"* ]]
	run -1 --separate-stderr madsend --device "sim:unix:$dir/x@y/none@a" Get NodeInfo
	[[ $stderr == *"no madsim serves $dir/x@y/none" ]]
	mv "$dir/x@y/s" "$socket"
}

@test "B8: two sockets that a specification can mean are an error that names both" {
	net "$dir/net"
	serve "$dir/net"
	python3 -c 'import socket, sys; socket.socket(socket.AF_UNIX).bind(sys.argv[1])' "$socket@a"
	run -2 --separate-stderr madsend --device "sim:unix:$socket@a@b" Get NodeInfo
	[[ $stderr == *"both '$socket@a' and '$socket' exist"* ]]
	# a file other than a socket does not count
	rm "$socket@a"
	touch "$socket@a"
	[[ $(guid "sim:unix:$socket@a@b") == 'me@home HCA-1' ]]
}

@test "B8: a topology and a node whose names contain @" {
	cd "$dir"
	net net@1
	[[ $(guid sim:net@1) == 'me@home HCA-1' ]]
	[[ $(guid sim:net@1@a@b) == 'me@home HCA-1' ]]
	[[ $(guid "sim:$dir/net@1@me@home,clock=virtual") == 'me@home HCA-1' ]]
	[[ $(guid sim:net@1@c) == 'host HCA-1' ]]
	cp net@1 net
	run -2 --separate-stderr madsend --device sim:net@1@c Get NodeInfo
	[[ $stderr == *"both 'net@1' and 'net' exist"* ]]
}

@test "B8: madsim runs its command at a node whose name contains @" {
	net "$dir/net@1"
	run -0 --separate-stderr inside "$dir/net@1" --socket "$dir/so@ck" --node a@b -- madsend -j -D 0 Get NodeDescription
	[[ $(jq -r .data.NodeDescription <<<"$output") == 'me@home HCA-1' ]]
	if command -v ibstat >/dev/null; then
		run -0 inside "$dir/net@1" --socket "$dir/so@ck" --node me@home -- ibstat
		[[ $output == *"CA 'sim0'"*'State: Active'* ]]
	fi
}

# ---- other users ------------------------------------------------------------------------------------

# As a user who must not matter to root.
stranger() { setpriv --reuid=65534 --regid=65534 --clear-groups -- "$@"; }

# $dir/shared is as /tmp, and the stranger reaches it.
share() {
	((EUID == 0)) || skip "only root has another user's files to fear"
	command -v setpriv >/dev/null || skip "setpriv is missing"
	chmod 711 "$dir"
	mkdir -m 1777 "$dir/shared"
	mkdir "$dir/victim"
	touch "$dir/victim/empty"
	socket=$dir/shared/s
}

# A program that lists sysfs has the server make its directories.
list() {
	MADSIM_SOCKET=$socket MADSIM_NODE=node1 \
		LD_PRELOAD=${MADKIT_PRELOAD:+$MADKIT_PRELOAD:}$MADKIT_BUILD/lib/.libs/libmadsim_umad.so ls /sys/class/infiniband
}

@test "B7: a directory of another user in the place of SOCKET.sysfs is refused, and stays" {
	share
	stranger mkdir -p "$socket.sysfs/0/infiniband"
	stranger touch "$socket.sysfs/0/empty" "$socket.sysfs/0/infiniband/empty"
	stranger ln -s "$dir/victim" "$socket.sysfs/1"
	serve "$topologies/small.net" --no-sm
	run -2 list
	read -r -t 60 line <&"$errors"
	[[ $line == "madsim: $socket.sysfs exists and is not a directory of this user alone"* ]]
	run -0 control quit
	wait "$madsim_pid"
	[[ -e $socket.sysfs/0/empty && -e $socket.sysfs/0/infiniband/empty && -L $socket.sysfs/1 ]]
	[[ -e $dir/victim/empty && ! -e $socket ]]
}

@test "B7: a symbolic link in the place of SOCKET.sysfs is refused, and its target untouched" {
	share
	stranger ln -s "$dir/victim" "$socket.sysfs"
	serve "$topologies/small.net" --no-sm
	run -2 list
	run -0 control quit
	wait "$madsim_pid"
	[[ -L $socket.sysfs && $(ls "$dir/victim") == empty ]]
}

@test "B7: a directory that others may write to is refused even if it is this user's" {
	share
	mkdir -m 777 "$socket.sysfs"
	serve "$topologies/small.net" --no-sm
	run -2 list
	run -0 control quit
	wait "$madsim_pid"
	[[ -d $socket.sysfs ]]
}

@test "B7: a stale directory of this user is emptied without following links" {
	share
	mkdir -m 700 "$socket.sysfs"
	mkdir "$socket.sysfs/7"
	touch "$socket.sysfs/7/empty"
	echo text >"$socket.sysfs/text"
	ln -s "$dir/victim" "$socket.sysfs/link"
	serve "$topologies/small.net" --no-sm
	run -0 list
	[[ $output == sim0 && -d $socket.sysfs/node1/class/infiniband/sim0 && ! -e $socket.sysfs/7 ]]
	run -0 control quit
	wait "$madsim_pid"
	[[ -e $dir/victim/empty && ! -e $socket.sysfs/0 && -L $socket.sysfs/link && -e $socket.sysfs/text ]]
}

@test "B7: directories that a stranger swaps all the time lead nowhere" {
	share
	stranger mkdir -p "$dir/shared/a/0/infiniband"
	stranger touch "$dir/shared/a/0/empty"
	stranger ln -s "$dir/victim" "$dir/shared/b"
	# the name is now a directory of the stranger's, now a link to the victim
	# not by stranger(): kill has to reach the shell itself
	setpriv --reuid=65534 --regid=65534 --clear-groups -- \
		bash -c 'cd "$1" && while [[ -d $1 ]]; do mv -T a s.sysfs; mv -T s.sysfs a; mv -T b s.sysfs; mv -T s.sysfs b; done' \
		- "$dir/shared" 2>/dev/null 3>&- &
	local swapper=$!
	started+=("$swapper")
	for ((i = 0; i < 20; i++)); do
		timeout 60 madsim "$topologies/small.net" --no-sm --socket "$socket" -- \
			env LD_PRELOAD="${MADKIT_PRELOAD:+$MADKIT_PRELOAD:}$MADKIT_BUILD/lib/.libs/libmadsim_umad.so" \
			ls /sys/class/infiniband >/dev/null 2>&1 || :
		[[ -e $dir/victim/empty && $(ls "$dir/victim") == empty ]]
	done
	kill "$swapper"
	wait "$swapper" || :
	[[ ! -e $socket ]]
}

@test "B7: sockets, links and files of another user at SOCKET stay" {
	share
	python3 -c 'import socket, sys; socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET).bind(sys.argv[1])' "$socket"
	chown -h 65534 "$socket"
	run -1 madsim "$topologies/small.net" --no-sm --socket "$socket" -- true
	[[ $output == *"$socket is a socket of user 65534; remove it or choose another path" && -S $socket ]]
	rm "$socket"
	stranger ln -s "$dir/victim/socket" "$socket"
	run -1 madsim "$topologies/small.net" --no-sm --socket "$socket" -- true
	[[ $output == *"$socket exists and is not a socket" && -L $socket && $(ls "$dir/victim") == empty ]]
	# this user's own stale socket is replaced
	rm "$socket"
	python3 -c 'import socket, sys; socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET).bind(sys.argv[1])' "$socket"
	run -0 inside "$topologies/small.net" --no-sm --socket "$socket" -- true
	[[ ! -e $socket ]]
}

@test "B7: of madsims that start at once on one socket, one serves" {
	# what decides: a lock on the directory, here held by another process
	exec 8<"$dir"
	flock 8
	run -1 timeout 20 madsim fat-tree:2,2,1 --no-sm --socket "$socket" 8<&-
	[[ $output == "madsim: cannot listen at $socket: another process keeps its directory locked" ]]
	exec 8<&-
	for _ in {1..10}; do
		rm -f "$socket" "$dir"/said.?
		python3 -c 'import socket, sys; socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET).bind(sys.argv[1])' "$socket"
		for i in 1 2 3; do
			madsim fat-tree:2,2,1 --no-sm --socket "$socket" --banner >/dev/null 2>"$dir/said.$i" 3>&- &
			started+=("$!")
		done
		until (($(cat "$dir"/said.? 2>/dev/null | wc -l) == 3)); do jobs >/dev/null; done
		(($(grep -c "is already served" <(cat "$dir"/said.?)) == 2)) || { cat "$dir"/said.?; return 1; }
		control stats >/dev/null
		control quit >/dev/null
		wait "${started[@]}" || :
		started=()
		[[ ! -e $socket ]]
	done
}

@test "B7: a start that is refused leaves the events of the madsim that serves" {
	serve "$topologies/small.net" --events "$dir/events"
	control link node1 1 down >/dev/null
	[[ $(jq -r .data.event "$dir/events" | wc -l) != 0 ]]
	cp "$dir/events" "$dir/before"
	run -1 madsim "$topologies/small.net" --socket "$socket" --events "$dir/events"
	[[ $output == *'is already served'* ]]
	run -2 madsim "$topologies/small.net" --socket "$dir/other" --events "$dir/events" --sm nobody
	cmp -n "$(stat -c %s "$dir/before")" "$dir/before" "$dir/events"
	control link node1 1 up >/dev/null
	jq -e .data.event "$dir/events" >/dev/null
}

@test "B7: a socket of another user that this one may not connect to is not said to be served" {
	share
	place "$dir/bin"
	local stale="import socket, sys; socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET).bind(sys.argv[1])"
	for mode in 600 755; do
		rm -f "$socket"
		python3 -c "$stale" "$socket"
		chmod "$mode" "$socket"
		run -1 stranger env LD_LIBRARY_PATH="$dir/bin/lib" timeout 20 "$dir/bin/bin/madsim" fat-tree:2,2,1 --no-sm --socket "$socket"
		[[ $output == "madsim: $socket is a socket of user 0, and you may not connect to it; choose another path" ]]
		[[ -S $socket ]]
	done
	rm "$socket"
	python3 -c "$stale" "$socket"
	chmod 666 "$socket"
	run -1 stranger env LD_LIBRARY_PATH="$dir/bin/lib" timeout 20 "$dir/bin/bin/madsim" fat-tree:2,2,1 --no-sm --socket "$socket"
	[[ $output == "madsim: $socket is a socket of user 0; remove it or choose another path" ]]
	# one that is served, by whichever type of socket
	for type in SEQPACKET STREAM; do
		rm "$socket"
		mkfifo "$dir/ready"
		python3 -c "import socket, sys, time
s = socket.socket(socket.AF_UNIX, socket.SOCK_$type); s.bind(sys.argv[1]); s.listen(); open(sys.argv[2], 'w').close(); time.sleep(60)" \
			"$socket" "$dir/ready" 3>&- &
		started+=("$!")
		cat "$dir/ready"
		rm "$dir/ready"
		run -1 timeout 20 madsim fat-tree:2,2,1 --no-sm --socket "$socket"
		[[ $output == "madsim: $socket is already served" ]]
	done
}

# ---- files that are written ---------------------------------------------------------------------------

# capture FILE [OPTION...]
capture() { madsend --dry-run -w "$@" Get PortInfo; }
mode() { stat -c %a "$1"; }

@test "B13: a capture with keys is readable by its owner only" {
	umask 022
	run -0 capture "$dir/new" -K
	[[ $(mode "$dir/new") == 600 ]]
	run -0 capture "$dir/plain"
	[[ $(mode "$dir/plain") == 644 ]]
	# a file that exists loses what others may do with it before keys are written
	run -0 capture "$dir/plain" -K
	[[ $(mode "$dir/plain") == 600 && -s $dir/plain ]]
	# a longer file is emptied first
	head -c 100000 /dev/zero >"$dir/plain"
	run -0 capture "$dir/plain" -K
	cmp "$dir/new" "$dir/plain" || (($(stat -c %s "$dir/plain") == $(stat -c %s "$dir/new")))
	# devices are as they are
	was=$(mode /dev/null)
	run -0 capture /dev/null -K
	[[ $(mode /dev/null) == "$was" ]]
}

# refuses FILE WORDS: a capture, and the events of madsim, are not written there.
refuses() {
	run -1 timeout 20 madsend --dry-run -w "$1" Get PortInfo
	[[ $output == *"cannot write '$1': $2"* ]] || { echo "$output"; return 1; }
	run -1 timeout 20 madsim "$topologies/small.net" --no-sm --socket "$dir/e" --events "$1" -- true
	[[ $output == *"cannot write '$1': $2"* ]] || { echo "$output"; return 1; }
	[[ ! -e $dir/e ]]
}

@test "B13: in a shared directory links, files and pipes of another user are not written to" {
	share
	echo precious >"$dir/victim/file"
	stranger ln -s "$dir/victim/file" "$dir/shared/link"
	refuses "$dir/shared/link" 'it is a symbolic link of another user'
	stranger ln -s "$dir/victim/new" "$dir/shared/dangling"
	refuses "$dir/shared/dangling" 'it is a symbolic link of another user'
	stranger touch "$dir/shared/file"
	refuses "$dir/shared/file" 'it belongs to another user'
	stranger mkfifo "$dir/shared/fifo"
	refuses "$dir/shared/fifo" 'it belongs to another user'
	ln "$dir/victim/file" "$dir/shared/hard"
	refuses "$dir/shared/hard" 'it has several hard links'
	[[ $(<"$dir/victim/file") == precious && ! -e $dir/victim/new ]]
	(cd "$dir/shared" && refuses link 'it is a symbolic link of another user')
	# the user's own directories are accepted, and so is another directory
	ln -s "$dir/victim/own" "$dir/shared/own"
	run -0 capture "$dir/shared/own"
	run -0 capture "$dir/shared/regular"
	run -0 capture "$dir/shared/regular"
	[[ -s $dir/victim/own && -s $dir/shared/regular ]]
}

@test "B13: keys are not written into a file of another user" {
	share
	mkdir -m 755 "$dir/own"
	touch "$dir/own/file"
	chown 65534 "$dir/own/file"
	run -1 capture "$dir/own/file" -K
	[[ $output == *"it belongs to another user, and keys (-K) would be in it" && ! -s $dir/own/file ]]
	run -0 capture "$dir/own/file"
	[[ -s $dir/own/file ]]
}

# ---- remains -------------------------------------------------------------------------------------------

left() { ls -A "$dir/tmp" "$dir/t"; }

@test "B12: whichever call fails, madsim leaves nothing behind and says why" {
	load ../torture/torture.bash
	torture_build
	mkdir "$dir/tmp" "$dir/t"
	net "$dir/net"
	local place n status called
	for place in "" "--socket $dir/t/s"; do
		for ((n = 1; n < 1000; n++)); do
			status=0
			# shellcheck disable=SC2086  # two words
			TMPDIR=$dir/tmp LD_PRELOAD=$TORTURE TORTURE_PROGRAM=madsim TORTURE_SERVER=1 TORTURE_HOW=error \
				TORTURE_NTH=$n TORTURE_LOG=$dir/log timeout -k 1 30 madsim "$dir/net" --no-sm $place -- \
				ls /sys/class/infiniband >"$dir/out" 2>"$dir/err" </dev/null || status=$?
			called=$(<"$dir/log")
			[[ -n $called ]] || break
			if ! [[ $(left) == "$dir/t:"$'\n\n'"$dir/tmp:" || $(left) == "$dir/tmp:"$'\n\n'"$dir/t:" ]] ||
				((status > 2 && status != 126)) ||
				{ ((status)) && [[ ! -s $dir/err && $called != 'write 2' ]]; }; then
				echo "$place: call $n ($called): status $status"
				left
				cat "$dir/err"
				return 1
			fi
		done
		((n > 50 && n < 1000)) || { echo "$n calls"; return 1; }
		echo "# ${place:-no socket named}: $((n - 1)) calls" >&3
	done
}

@test "madsim without memory from any point on ends with one line, or says that the subnet may be incomplete" {
	load ../torture/torture.bash
	torture_build
	local n=0 status=0 ups=0 said=0
	export TORTURE_PROGRAM=madsim TORTURE_FROM=1 TORTURE_LOG=$dir/log
	while ((++n < 1000)); do
		status=0
		TORTURE_NTH=$n LD_PRELOAD=$TORTURE timeout -k 1 20 madsim fat-tree:2,2,1 -- true 2>"$dir/err" || status=$?
		[[ -s $dir/log ]] || break
		((status == 0 && ++ups)) || { ((status == 1)) && (($(wc -l <"$dir/err") == 1)); } ||
			{ echo "$n: status $status: $(<"$dir/err")"; return 1; }
	done
	((status == 0 && n - ups > 100 && n < 1000)) || { echo "$n allocations, $ups times up"; return 1; }
	# a later sweep
	for ((n -= 10; n < 1000 && !said; n++)); do
		status=0
		# shellcheck disable=SC2016  # COMMAND's own
		TORTURE_NTH=$n LD_PRELOAD=$TORTURE timeout -k 1 20 madsim fat-tree:2,2,1 -- env -u TORTURE_NTH -u LD_PRELOAD \
			bash -c 'madsim --control "$MADSIM_SOCKET" link leaf1 1 down; sleep 0.1' 2>"$dir/err" >&2 || status=$?
		((status <= 1)) || { echo "$n: status $status: $(<"$dir/err")"; return 1; }
		! grep -q '^madsim: the simulation ran out of memory: the subnet may be incomplete$' "$dir/err" || said=1
	done
	((said))
}

@test "B12: what a simulation leaves behind that was killed is removed" {
	mkdir "$dir/tmp"
	TMPDIR=$dir/tmp run -0 inside "$topologies/small.net" --no-sm -- \
		env LD_PRELOAD="${MADKIT_PRELOAD:+$MADKIT_PRELOAD:}$MADKIT_BUILD/lib/.libs/libmadsim_umad.so" \
		bash -c 'ls /sys/class/infiniband >/dev/null && [[ -d $MADSIM_SOCKET.sysfs ]] && for pid in $(LD_PRELOAD= pgrep -P $PPID madsim); do kill -KILL $pid; done'
	[[ $output == *'the simulation ended by signal 9'* ]]
	[[ -z $(ls -A "$dir/tmp") ]]
}

# ---- blanks and colons ------------------------------------------------------------------------------------

# place DIRECTORY: madsim, its libraries and the library that it preloads. LD_LIBRARY_PATH has a symbolic link
# to them, because it cannot contain colons.
place() {
	[[ -n ${MADKIT_BUILD:-} ]] || skip "there is no build directory"
	command -v ibstat >/dev/null || skip "ibstat is missing"
	mkdir -p "$1/bin" "$1/lib"
	cp "$MADKIT_BUILD/.libs/madsim" "$1/bin/"
	cp "$MADKIT_BUILD"/lib/.libs/libmad{kit.so.0,kit-sim.so,sim_umad.so} "$1/lib/"
	ln -sfT "$1/lib" "$dir/libraries"
	export LD_LIBRARY_PATH=$dir/libraries
}

@test "B15: madsim in a directory with blanks and colons shows its fabric" {
	local where
	mkdir "$dir/tmp"
	for where in "a b" "a:b" 'a$LIB' 'x y:z$ORIGIN'; do
		place "$dir/$where"
		run -0 env TMPDIR="$dir/tmp" ${MADKIT_PRELOAD:+LD_PRELOAD="$MADKIT_PRELOAD"} \
			ASAN_OPTIONS="${ASAN_OPTIONS:-}:detect_leaks=0" "$dir/$where/bin/madsim" "$topologies/small.net" -- ibstat
		[[ $output == *"CA 'sim0'"*'State: Active'* && $output != *ld.so* ]]
		[[ -z $(ls -A "$dir/tmp") ]]
	done
}

@test "B15: so do blanks and colons in TMPDIR, the socket's path and the topology's" {
	place "$dir/a b"
	mkdir "$dir/t m:p"
	cp "$topologies/small.net" "$dir/t m:p/small net:1"
	run -0 env TMPDIR="$dir/t m:p" ${MADKIT_PRELOAD:+LD_PRELOAD="$MADKIT_PRELOAD"} \
		ASAN_OPTIONS="${ASAN_OPTIONS:-}:detect_leaks=0" "$dir/a b/bin/madsim" "$dir/t m:p/small net:1" -- ibstat
	[[ $output == *'State: Active'* ]]
	[[ $(ls -A "$dir/t m:p") == "small net:1" ]]
	run -0 inside "$dir/t m:p/small net:1" --socket "$dir/t m:p/so ck:et" -- bash -c 'ibstat && madsend -D 0 Get NodeInfo'
	[[ $output == *'State: Active'*NodeType* ]]
	[[ $(ls -A "$dir/t m:p") == "small net:1" ]]
}

@test "B15: what is preloaded already stays, and comes first" {
	place "$dir/a b"
	load ../torture/torture.bash
	torture_build
	run -0 env LD_PRELOAD="$TORTURE" "$dir/a b/bin/madsim" "$topologies/small.net" -- bash -c 'echo "$LD_PRELOAD"; cat "${LD_PRELOAD#*:}" | cmp - "$1"' - \
		"$dir/a b/lib/libmadsim_umad.so"
	[[ $output == "$TORTURE:"*/libmadsim_umad.so ]]
}

@test "X11: madsim preloads the library beside libmadkit-sim.so, and none beside its own directory" {
	local planted place
	place "$dir/prefix"
	for planted in shim/.libs .libs bin bin/.libs lib/.libs; do
		place=$dir/prefix/$planted/libmadsim_umad.so
		mkdir -p "${place%/*}"
		[[ -e $place ]] || echo "not a library" >"$place"
	done
	run -0 --separate-stderr env ${MADKIT_PRELOAD:+LD_PRELOAD="$MADKIT_PRELOAD"} \
		ASAN_OPTIONS="${ASAN_OPTIONS:-}:detect_leaks=0" "$dir/prefix/bin/madsim" "$topologies/small.net" -- bash -c 'echo "$LD_PRELOAD"'
	[[ $output == "${MADKIT_PRELOAD:+$MADKIT_PRELOAD:}$dir/prefix/lib/libmadsim_umad.so" && -z $stderr ]] || { echo "$output"; return 1; }
	rm "$dir/prefix/lib/libmadsim_umad.so"
	run -0 --separate-stderr env ${MADKIT_PRELOAD:+LD_PRELOAD="$MADKIT_PRELOAD"} \
		ASAN_OPTIONS="${ASAN_OPTIONS:-}:detect_leaks=0" "$dir/prefix/bin/madsim" "$topologies/small.net" -- bash -c 'echo "$LD_PRELOAD"'
	[[ $output == "${MADKIT_PRELOAD:-}" ]] || { echo "$output"; return 1; }
	[[ $stderr == "madsim: no libmadsim_umad.so in $dir/prefix/lib: third-party programs do not see the fabric" ]]
}

# A COMMAND that changes its directory.
# shellcheck disable=SC2016
elsewhere='cd /
	ibstat -l
	madsend --fields NodeType Get NodeInfo
	printf "%s\n" "$MADSIM_SOCKET" "${MADKIT_DEVICE%@*}"
	ls -A "$TMPDIR"'

@test "B6: with a relative --socket, programs that change their directory have the fabric" {
	mkdir "$dir/tmp" "$dir/fabric"
	export TMPDIR=$dir/tmp
	for name in rel.sock ./rel.sock ../fabric/rel.sock; do
		cd "$dir/fabric"
		run -0 --separate-stderr inside fat-tree:2,2,1 --socket "$name" -- bash -c "$elsewhere"
		[[ ! $stderr ]]
		[[ ${lines[0]} == sim0 && $output == *NodeType:*"Channel Adapter"* ]]
		[[ ${lines[-2]} == "$dir/fabric/$name" && ${lines[-1]} == "sim:unix:$dir/fabric/$name" ]]
		[[ ! $(find "$dir/fabric" "$dir/tmp" -mindepth 1) ]]
	done
}

@test "B6: so they have if the absolute path of the socket is too long for a name" {
	mkdir "$dir/tmp"
	deep=$dir/$(printf 'd%.0s' {1..120})
	mkdir "$deep"
	cd "$deep"
	export TMPDIR=$dir/tmp
	run -0 --separate-stderr inside fat-tree:2,2,1 --socket rel.sock -- bash -c "$elsewhere"
	[[ ! $stderr ]]
	[[ ${lines[0]} == sim0 && $output == *NodeType:*"Channel Adapter"* ]]
	[[ ${lines[-3]} == "$dir/tmp/madsim-"*/socket && ${lines[-2]} == "sim:unix:${lines[-3]}" ]]
	[[ ! $(find "$deep" "$dir/tmp" -mindepth 1) ]]
	# a start that fails leaves no link
	run -2 inside fat-tree:2,2,1 --socket rel.sock --node nowhere -- true
	[[ ! $(find "$deep" "$dir/tmp" -mindepth 1) ]]
}

@test "device path: a port of a simulated host, in the commands, in MADKIT_DEVICE and in completions" {
	# shellcheck disable=SC2016  # for the shell inside
	run -0 inside "$topologies/small.net" --node node2 -- bash -c '
		madsend --device /dev/infiniband/umad0 -j Get NodeDescription | jq -r .device,.data.NodeDescription
		MADKIT_DEVICE=/dev/infiniband/umad0 madreg --class PerfMgt | head -n 1
		madreg --list --device /dev/infiniband/umad0 | head -n 1
		madpoll --device /dev/infiniband/umad9 --class PerfMgt || echo $?
		. "$MADKIT_SRC/completions/madkit.bash"
		_madkit_argument SPEC /dev
		echo "${COMPREPLY[@]}"
	'
	echo "$output"
	[[ ${lines[0]} == umad:*/1 && ${lines[1]} == 'node2 HCA-1' ]]
	[[ ${lines[2]} == "# registered: ${lines[0]} agent "* && ${lines[3]} == "# ${lines[0]}" ]]
	[[ ${lines[4]} == 'madpoll: no port has the device node /dev/infiniband/umad9; there is '* && ${lines[5]} == 1 ]]
	[[ ${lines[6]} == /dev/infiniband/umad0 ]]
}
