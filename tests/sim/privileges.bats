#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Capabilities of root that a command keeps, and which users can see its keys.

setup() {
	load common
	vendor=(--class 0x32 --oui 0x1405)
	# another user is root of a namespace, with capabilities there
	root=(env)
	((!EUID)) || root=(unshare --user --map-root-user)
	serve "$topologies/small.net"
	export MADKIT_DEVICE=sim:unix:$socket@node2
	mkfifo "$dir/input"
	exec {held}<>"$dir/input"
}

teardown() { clean_up; }

# capabilities PID: those that it may use, and whether it may have more
capabilities() { awk '/^(CapPrm|CapEff|NoNewPrivs):/ { printf "%s ", $2 } END { print "" }' "/proc/$1/status" 2>/dev/null; }

# keeps BITS COMMAND...: it is left with these capabilities at most, of those that it had, within 60 s
keeps() {
	local all wanted end=$((SECONDS + 60))
	all=0x$("${root[@]}" awk '/^CapPrm:/ { print $2 }' /proc/self/status)
	((all & 2)) || skip "root has no CAP_DAC_OVERRIDE here"
	wanted=$(printf '%016x %016x 1 ' $((all & $1)) $((all & $1)))
	"${root[@]}" "${@:2}" <&"$held" >"$dir/out" 2>"$dir/err" 3>&- &
	pid=$!
	started+=("$pid")
	until [[ $(capabilities "$pid") == "$wanted" ]]; do
		((SECONDS < end)) && kill -0 "$pid" || { echo "${*:2}: $(capabilities "$pid"), not $wanted"; cat "$dir/err"; return 1; }
	done
	kill "$pid"
	wait "$pid" || (($? == 143))
}

@test "X13: commands drop their capabilities when devices and files are open" {
	local net_raw=$((1 << 13)) ipc_lock=$((1 << 14)) override=$((1 << 1)) read_search=$((1 << 2)) queue_pair
	queue_pair=$((net_raw | ipc_lock))
	control agent node3 mute
	echo '0x1 name' >"$dir/map"
	keeps "$queue_pair" madrecv "${vendor[@]}" --respond echo
	keeps "$queue_pair" madrecv --subscribe 64
	keeps 0 madrecv -r -
	keeps "$queue_pair" madpoll "${vendor[@]}"
	keeps "$queue_pair" madpoll Get PortInfo --until 'LinkState == Down' -i 3600000
	keeps "$queue_pair" madreg "${vendor[@]}" --hold
	keeps "$queue_pair" madsend --name 'node3 HCA-1' -t 3600000 Get PortInfo
	keeps "$queue_pair" madsend --batch -
	keeps $((queue_pair | override | read_search)) madsend --batch - --node-name-map "$dir/map"
	keeps "$queue_pair" madsweep -t 3600000
}

@test "X13: COMMAND has the capabilities of the command that starts it" {
	local all
	all=$("${root[@]}" grep -E '^(Cap|NoNewPrivs)' /proc/self/status)
	run -0 "${root[@]}" madreg "${vendor[@]}" --hold -- grep -E '^(Cap|NoNewPrivs)' /proc/self/status
	[[ $output == "$all" ]]
}

@test "X13: a key is not left in the command line of the process" {
	local m_key=0x1122334455667788 sm_key=0x99aabbccddeeff00 words m sm
	for words in '-y,KEY --sm-key,KEY' '-yKEY --sm-key=KEY' '--m_key=KEY --sm_key=KEY'; do
		read -r m sm <<<"$words"
		IFS=, read -ra m <<<"${m/KEY/$m_key}"
		IFS=, read -ra sm <<<"${sm/KEY/$sm_key}"
		start "batch${#started[@]}" madsend --batch "$dir/input" "${m[@]}" "${sm[@]}" --banner -j
		run -0 tr '\0' ' ' <"/proc/$pid/cmdline"
		[[ $output == *"--batch $dir/input "* && ! $output =~ 1122|99aa ]] || { echo "$output"; return 1; }
		kill "$pid"
		wait "$pid" || (($? == 143))
		# and is used
		[[ $(madsend --dry-run -D 0 Get NodeInfo -K -j "${m[@]}" | jq -r .header.m_key) == "$m_key" ]]
		[[ $(madsend --dry-run -L 1 Get NodeRecord -K -j "${sm[@]}" | jq -r .header.sm_key) == "$sm_key" ]]
	done
}

# warned TEXT COMMAND...: succeeds with these lines on standard error, without those of the summary
warned() {
	local errors
	run -0 --separate-stderr "${@:2}"
	errors=$(grep -v ': complete' <<<"$stderr") || :
	[[ $errors == "$1" ]] || { echo "${*:2}: $errors"; return 1; }
}

@test "X13: a file with keys that other users can read causes a warning" {
	local file=$dir/file all
	all="madsweep: '$file' has keys, and every user may read it (mode 0644)
madsweep: hint: chmod o-r '$file'"
	echo '0x1 0x2' >"$file"
	chmod 644 "$file"
	warned "$all" madsweep --m-key "@$file"
	warned "" madsweep -q --m-key "@$file"
	chmod 640 "$file"
	warned "" madsweep --m-key "@$file"
	mkdir "$dir/opensm"
	cp "$file" "$dir/opensm/guid2mkey"
	echo '0x1:1 0x2:1' >"$dir/opensm/neighbors"
	chmod 644 "$dir/opensm/neighbors" "$dir/opensm/guid2mkey"
	warned "${all//"$file"/"$dir/opensm/guid2mkey"}" madsweep --m-key "@$dir/opensm"
	chmod 600 "$dir/opensm/guid2mkey"
	warned "" madsweep --m-key "@$dir/opensm"
	# the configuration file: only if it has a key
	echo 'timeout=1000' >"$file"
	chmod 644 "$file"
	warned "" madsend -z "$file" Get NodeInfo
	echo 'sa_key=0x0' >"$file"
	warned "" madsend -z "$file" Get NodeInfo
	echo 'sa_key=0x1' >"$file"
	warned "${all//madsweep/madsend}" madsend -z "$file" Get NodeInfo
	((!EUID)) || skip "only root can give a file away"
	chmod 600 "$file"
	chown 65534 "$file"
	warned "madsend: '$file' has keys, and belongs to another user (65534)
madsend: hint: chown it, and make new keys if that user must not have them" madsend -z "$file" Get NodeInfo
}
