#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Standard output that is full, closed or no longer read; captures; configuration; signals.

setup() {
	load common
	cd "$BATS_TEST_TMPDIR" || return
	madsend --dry-run Get NodeInfo -f raw >mad
	sweep='madsweep -q --device sim:fat-tree:2,2,1'
}

@test "a full standard output: status 1 and one line" {
	[[ -c /dev/full ]]
	for command in 'madsend --dry-run Get NodeInfo' 'madsend --dry-run Get NodeInfo -j' \
		'madsend --describe' 'madsend --help' 'madsend -V' 'madrecv -r mad' 'madreg --help' \
		"$sweep" "$sweep -j" "$sweep -f table --fields number" "$sweep --topology" "$sweep --via sa" \
		"$sweep Get PortCounters" "$sweep -j Get NodeInfo" "$sweep --route h1-1,h2-2" 'madsweep --help'; do
		run -1 bash -c "$command 2>&1 >/dev/full"
		[[ ${#lines[@]} -eq 1 && $output == *"standard output"*"No space left"* ]]
	done
}

@test "a closed standard output: status 1 and one line, and no file is written to instead" {
	for command in 'madsend --dry-run Get NodeInfo' 'madrecv -r mad' 'madsend -V' 'madsend --help' \
		'madsend --dry-run Get NodeInfo -w capture' "$sweep" "$sweep -j" "$sweep --topology" \
		"$sweep Get PortCounters -w capture"; do
		run -1 bash -c "$command 2>&1 >&-"
		[[ ${#lines[@]} -eq 1 && $output == *"standard output"* ]]
	done
	madsend --dry-run Get NodeInfo -f raw | cmp - mad
}

@test "closed standard error and input hurt nobody" {
	run -0 bash -c 'madsend --dry-run Get NodeInfo -f raw 2>&- <&- | cmp - mad'
	run -2 bash -c 'madsend Get Nosuch 2>&-'
	[[ -z $output ]]
	$sweep -j >lines
	run -0 bash -c "$sweep -j 2>&- <&-"
	[[ ${#lines[@]} -gt 10 && ${#lines[@]} == $(wc -l <lines) ]]
}

@test "a reader that goes away ends the command as SIGPIPE would, without a word" {
	copies 4000 mad >many
	set +o pipefail
	madrecv -r many -j 2>err | head -n 1 >first
	status=${PIPESTATUS[0]}
	[[ $status == 141 && ! -s err ]]
	jq -e . first
	for words in -j 'Get PortCounters' '-j --via sa'; do
		# shellcheck disable=SC2086  # several words
		madsweep --device sim:fat-tree:32,32,8 $words 2>err | head -n 1 >first
		status=${PIPESTATUS[0]}
		[[ $status == 141 && ! -s err ]] || { echo "$words: $status"; cat err; return 1; }
	done
}

@test "a slow reader gets whole lines" {
	copies 2000 mad >many
	madrecv -r many -j | { read -r; sleep 0.1; cat; } >rest
	[[ $(wc -l <rest) == 1999 ]]
	tail -n 1 rest | jq -e .
}

@test "a capture that cannot be written: status 1 and one line" {
	run -1 --separate-stderr madsend --dry-run Get NodeInfo -w /nonexistent/capture
	[[ ${#stderr_lines[@]} -eq 1 && $stderr == *"'/nonexistent/capture'"* ]]
	run -1 --separate-stderr madrecv -r mad -w /dev/full
	[[ $stderr == *"'/dev/full'"* ]]
}

@test "a capture of what was read holds each MAD" {
	cat mad mad >two
	run -0 madrecv -r two -w capture
	# pcap with nanoseconds, link type ERF (197); two records
	[[ $(od -An -tx4 -N4 capture) == *a1b23c4d ]]
	[[ $(od -An -tu4 -j20 -N4 capture) == *197 ]]
	if command -v tshark >/dev/null; then
		run -0 --separate-stderr tshark -r capture -T fields -e infiniband.mad.attributeid
		[[ $output == $'0x0011\n0x0011' ]]
	fi
}

@test "the configuration file: keys of others and comments are passed over, values are strict" {
	printf '# comment\n\nCA = nosuch\nPort=7\ntimeout=5\nnd_format=%%h\nMLX_EPI=yes\n' >conf
	run -1 --separate-stderr madsend -z conf Get NodeInfo
	run -0 madsend -z conf --dry-run Get NodeInfo
	printf 'm_key=0x1122\nsa_key=0x3344\n' >keys
	[[ $(madsend -z keys --dry-run -K Get NodeInfo -j | jq -r .header.m_key) == 0x0000000000001122 ]]
	[[ $(madsend -z keys -y 0x55 --dry-run -K Get NodeInfo -j | jq -r .header.m_key) == 0x0000000000000055 ]]
	[[ $(madsend -z keys --dry-run -K Get NodeRecord -j | jq -r .header.sm_key) == 0x0000000000003344 ]]
	printf 'CA=x\ntimeout=5s\n' >bad
	run -2 --separate-stderr madsend -z bad --dry-run Get NodeInfo
	[[ ${#stderr_lines[@]} -eq 1 && $stderr == *"bad line 2"*"'5s'"* ]]
	printf 'm_key=secret\n' >bad
	run -2 --separate-stderr madsend -z bad --dry-run Get NodeInfo
	[[ $stderr != *secret* ]]
	run -1 --separate-stderr madsend -z nosuch --dry-run Get NodeInfo
	[[ $stderr == *nosuch* ]]
}

@test "SIGINT and SIGTERM while waiting: 128 and the signal's number" {
	mkfifo fifo
	exec {keep}<>fifo
	for signal in INT TERM HUP; do
		env --default-signal="$signal" madrecv -r fifo 3>&- &
		pid=$!
		# it waits once it sleeps in read()
		for _ in {1..500}; do
			[[ $(</proc/"$pid"/comm) != madrecv || $(awk '{ print $3 }' /proc/"$pid"/stat) != S ]] || break
			read -rt 0.02 <> <(:) || :
		done
		kill -s "$signal" "$pid"
		status=0
		wait "$pid" || status=$?
		[[ $status == $((128 + $(kill -l "$signal"))) ]]
	done
	exec {keep}>&-
}

@test "a failed assertion names the expression, the value and whose it is" {
	run -6 --separate-stderr madsend --dry-run -L 2 Get PortCounters PortSelect=1 SymbolErrorCounter=37 \
		--assert 'SymbolErrorCounter == 0'
	[[ $stderr == "madsend: 'SymbolErrorCounter == 0' did not hold: SymbolErrorCounter is 37 (Lid 2 port 1)" ]]
	# the shape of the output makes no difference
	run -6 --separate-stderr madsend --dry-run -L 2 Get PortCounters PortSelect=1 SymbolErrorCounter=37 \
		--assert 'SymbolErrorCounter == 0' -j --fields PortSelect
	[[ $stderr == "madsend: 'SymbolErrorCounter == 0' did not hold: SymbolErrorCounter is 37 (Lid 2 port 1)" ]]
	run -6 --separate-stderr madsend --dry-run -L 2 -m 3 Get PortInfo LinkState=Down --assert 'LinkState >= Active'
	[[ $stderr == *"LinkState is Down (Lid 2 port 3)" ]]
	run -6 --separate-stderr madsend --dry-run -L 2 Get NodeInfo --assert 'header.method == Set'
	[[ $stderr == *"'header.method == Set' did not hold: header.method is Get (Lid 2 port 0)" ]]
	# of several tests none is picked; neither of an array's elements
	run -6 --separate-stderr madsend --dry-run -L 2 Get NodeInfo --assert 'NumPorts > 8 && Guid'
	[[ $stderr == "madsend: 'NumPorts > 8 && Guid' did not hold (Lid 2 port 0)" ]]
	run -6 --separate-stderr madsend --dry-run -L 2 Get P_KeyTable --assert 'P_Key == 1'
	[[ $stderr == "madsend: 'P_Key == 1' did not hold (Lid 2 "* ]]
	# a secret stays one
	run -6 --separate-stderr madsend --dry-run -L 2 Get PortInfo M_Key=0x4711 --assert 'M_Key == 0'
	[[ $stderr != *4711* && $stderr == *"did not hold"* ]]
}

@test "a line of kind error has the reason in data.error, and is read back" {
	local device=sim:unix:$BATS_TEST_TMPDIR/none words
	export MADKIT_DEVICE=$device
	for words in 'madsend -j Get NodeInfo' 'madsend -j --filter NumPorts==7 Get NodeInfo' 'madsend --batch /dev/null -j' \
		'madpoll -j Get NodeInfo --until NumPorts' 'madpoll -j Get PortCounters --delta' 'madpoll -j --class PerfMgt' \
		'madrecv -j --class PerfMgt' 'madrecv -j --subscribe 64' 'madreg -j --class PerfMgt'; do
		run -1 --separate-stderr $words
		[[ $(jq -r 'select(.kind == "error") | .data.error' <<<"$output") == "no madsim serves $BATS_TEST_TMPDIR/none" ]] || { echo "$words: $output"; return 1; }
		[[ $stderr == "${words%% *}: no madsim serves $BATS_TEST_TMPDIR/none" ]]
	done
	run -1 --separate-stderr madpoll -j --class PerfMgt --device umad:nosuch/1 --device "$device"
	[[ $(jq -r .data.error <<<"$output") == "$(sed 's/^madpoll: //' <<<"$stderr")" ]]
	# the MAD that was not sent
	run -1 --separate-stderr madsend -K -L 4 -m 3 -j Get PortInfo
	[[ $(jq .data.error <<<"$output") == *"no madsim"* ]]
	[[ $(madsend --batch - --dry-run -f hex <<<"$output") == "$(madsend -L 4 -m 3 --dry-run -f hex Get PortInfo)" ]]
}
