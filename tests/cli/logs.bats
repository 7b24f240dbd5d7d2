#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# madrecv -r: dumps between other lines, with and without the prefixes of logs.
# tests/data/dumps has what the programs of infiniband-diags print with -ddd, and a part of opensm's log.

setup() {
	load common
	cd "$BATS_TEST_TMPDIR" || return
	dumps=$BATS_TEST_DIRNAME/../data/dumps
	lines_skipped=' lines skipped, which are not part of a hex dump'
}

# prefixed FILE: the file as LOG.1 and so on, as it is in logs.
prefixed() {
	local format n=0
	rm -f LOG.*
	for format in '[12345.678901] ' '[    9.%06d] ' '<6>[  123.%06d] mlx5_core 0000:03:00.0: ' \
		'[Fri Nov 20 22:10:11 2026] ' 'Nov 20 22:10:11 host kernel: ' 'Nov 20 22:10:11 host kernel: [12345.%06d] ' \
		'2026-11-20T22:10:11.%06d+01:00 host smpquery[4711]: ' 'Nov 20 22:10:11 %06d [7F3A2B40] 0x01 -> ' \
		'Nov 20 22:10:11 %06d [7F3A2B40] 0x08 -> osm_vendor_get: ' '<30>1 2026-11-20T22:10:11Z host prog 4711 - - data: '; do
		n=$((n + 1))
		awk -v "format=$format" '{ printf format, NR; print }' "$1" >"LOG.$n"
	done
	((n == 10))
}

@test "D3: what smpquery -ddd prints decodes to the fields that it prints" {
	run -0 --separate-stderr madrecv -r "$dumps/smpquery"
	[[ $stderr == "madrecv: $dumps/smpquery: 51$lines_skipped" ]] || { echo "$stderr"; return 1; }
	# the request first
	[[ ${lines[0]} == '# Get NodeInfo: DR path slid 65535; dlid 65535; 0,1 port 0' ]]
	cmp <(grep ':\.\.' "$dumps/smpquery") <(tail -n 12 <<<"$output")
	run -0 --separate-stderr madrecv -r "$dumps/smpquery" -j --fields kind,header.method,header.attribute,data.NumPorts
	[[ $output == '{"kind":"request","header":{"method":"Get","attribute":"NodeInfo"},"data":{"NumPorts":0}}'$'\n'* ]]
	[[ ${lines[1]} == *'"kind":"response"'*'"NumPorts":8'* && ${#lines[@]} -eq 2 ]]
}

@test "D3: what saquery -ddd prints is read as a whole table" {
	run -0 --separate-stderr madrecv -r "$dumps/saquery" -j --fields record,records,data.LID,data.NodeDescription
	[[ ${#lines[@]} -eq 7 && ${lines[6]} == '{"record":5,"records":6,"data":{"LID":6,"NodeDescription":"node3 HCA-1"}}' ]]
	for record in {1..6}; do
		grep -qF "NodeDescription.........$(jq -r .data.NodeDescription <<<"${lines[record]}")" "$dumps/saquery"
	done
}

@test "D3: what madsend -dd prints" {
	madsend --device "sim:$BATS_TEST_DIRNAME/../data/topologies/small.net@node2" -dd GetTable NodeRecord -j >out 2>err
	run -0 --separate-stderr madrecv -r err -j --fields header,record,data
	# three MADs before the table
	[[ ${#lines[@]} -eq 9 && ${#stderr_lines[@]} -eq 1 ]]
	cmp <(jq -cS '[.record, .data, .header.tid]' out) <(tail -n 6 <<<"$output" | jq -cS '[.record, .data, .header.tid]')
	# with the results between them
	cat err out >both
	run -0 --separate-stderr madrecv -r both -j --fields header,record,data
	[[ ${#lines[@]} -eq 9 ]]
}

@test "D3: the prefixes of dmesg, syslog, journalctl and opensm.log" {
	local file
	for file in "$dumps/smpquery" "$dumps/saquery"; do
		madrecv -r "$file" -j >want 2>want.err
		prefixed "$file"
		for log in LOG.*; do
			run -0 --separate-stderr madrecv -r "$log" -j
			cmp want <(sed -E 's/"time":"[^"]*","epoch":[0-9.]*/"time":null,"epoch":null/' <<<"$output") || { head -n 40 "$log"; return 1; }
		done
	done
	# dumps with offsets and characters
	madsend --dry-run -L 9 Get NodeInfo -f raw >raw
	madrecv -r raw -f hex | awk '{ print } END { print "another message: 12" }' >own
	xxd raw >xxd; hexdump -C raw >hexdump-C; xxd raw | sed 's/^/mad /' >kernel; od -A x -t x1 raw >od
	for file in own xxd hexdump-C kernel od; do
		prefixed $file
		for log in $file LOG.*; do
			madrecv -r "$log" -f raw 2>err | cmp - raw || { cat "$log" err; return 1; }
		done
	done
}

@test "D3: a dump that is cut, damaged or mixed with another is reported, and the others are read" {
	madsend --dry-run -L 9 Get NodeInfo -f raw >raw
	{ echo first; xxd -p raw; echo second; xxd -p raw | head -n 5; echo third; xxd -p raw; } >cut
	run -5 --separate-stderr madrecv -r cut -j --fields seq
	[[ $output == $'{"seq":1}\n{"seq":2}' ]]
	[[ ${stderr_lines[0]} == "madrecv: cut: lines 12 to 16: the dump ends within a MAD: 150 of 256 bytes, not shown" ]]
	[[ ${stderr_lines[1]} == "madrecv: cut: 3$lines_skipped" ]]
	# a message in the middle
	{ echo first; xxd -p raw | sed '3i another message'; echo third; xxd -p raw; } >middle
	run -5 --separate-stderr madrecv -r middle -j --fields seq
	[[ $output == '{"seq":1}' && ${stderr_lines[0]} == *"lines 2 to 3: the dump ends within a MAD: 60 of 256 bytes, not shown" ]]
	[[ ${stderr_lines[1]} == *"lines 5 to 11: hex digits, but not a MAD" ]]
	# a line is missing
	{ echo first; xxd raw | sed 3d; echo third; xxd raw; } >missing
	run -5 --separate-stderr madrecv -r missing -j --fields seq
	[[ $output == '{"seq":1}' && ${stderr_lines[0]} == *"line 4, column 1: the offset is 0x30, and 0x20 was expected" ]]
	# a damaged digit
	{ echo first; xxd -p raw | sed '3s/.$//'; echo third; xxd -p raw; } >odd
	run -5 --separate-stderr madrecv -r odd -j --fields seq
	[[ $output == '{"seq":1}' && ${stderr_lines[0]} == *"line 4, column 1: an odd number of hex digits" ]]
	# two processes at once
	for process in 17 18; do xxd -p raw | sed "s/^/host smpquery[$process]: /" >p$process; done
	paste -d '\n' p17 p18 >mixed
	run -5 --separate-stderr madrecv -r mixed -j --fields seq
	[[ -z $output && $stderr == *"line 1: the dump ends within a MAD: 30 of 256 bytes"* ]]
	# a dump of other bytes
	{ echo first; head -c 300 /dev/zero | xxd -p; echo second; xxd -p raw; } >other
	run -5 --separate-stderr madrecv -r other -j --fields seq
	[[ $output == '{"seq":1}' && ${stderr_lines[0]} == *"lines 2 to "*": hex digits, but not a MAD" ]]
}

@test "D3: numbers in other lines are not taken for a dump" {
	madsend --dry-run -L 9 Get NodeInfo -f raw >raw
	cat >log <<-'END'
		GUID: 0x0002c90300000001
		lid: 9
		dead
		20 21 22 23 24
	END
	{ cat log; xxd -p raw; } >before
	{ sed 's/^/host prog: /' log; xxd -p raw | sed 's/^/host prog: mad: /'; sed 's/^/host prog: /' log; } >around
	run -0 --separate-stderr madrecv -r around -f raw
	[[ $stderr == "madrecv: around: 8$lines_skipped" ]]
	madrecv -r around -f raw | cmp - raw
	# directly before a dump, only their notation says that they are not part of it
	run -0 --separate-stderr madrecv -r before -f raw
	[[ $stderr == "madrecv: before: 4$lines_skipped" ]]
	madrecv -r before -f raw | cmp - raw
	{ cat log; xxd -g 1 raw | cut -c 11-57; } >before
	run -0 --separate-stderr madrecv -r before -f raw
	[[ $stderr == "madrecv: before: 4$lines_skipped" ]] || { echo "$stderr"; false; }
	madrecv -r before -f raw | cmp - raw
	sed '$a END' log | cat - <(xxd -p raw) >apart
	run -0 --separate-stderr madrecv -r apart -f raw
	[[ $stderr == "madrecv: apart: 5$lines_skipped" ]] || { echo "$stderr"; false; }
}

@test "D3: the SMPs in opensm's log" {
	local log=$dumps/opensm
	run -0 --separate-stderr madrecv -r "$log" -j
	[[ $(jq -sc 'map([.header.method, .header.attribute, .header.tid, .header.d, .remote])' <<<"$output") == \
		'[["Get","NodeInfo","0x0000000000001234",'*'["GetResp","NodeInfo","0x0000000000001234",'* ]]
	[[ ${#lines[@]} -eq 2 && $stderr == "madrecv: $log: 89$lines_skipped" ]]
	# what opensm read in it
	for name in num_ports:NumPorts sys_guid:SystemGuid node_guid:Guid port_guid:PortGuid; do
		[[ $(sed -n "s/^\t*${name%:*}\.*//p" "$log") == "$(jq -r ".data.${name#*:}" <<<"${lines[1]}")" ]]
	done
	# a path of two hops, and a set reserved bit or a missing line: not a header that is known whole
	sed 's/hop_count\.*0x0/hop_count...............0x2/; s/Initial path: 0/Initial path: 0,1,7/; s/Return path:  0/Return path:  0,0,3/' "$log" >hops
	run -0 --separate-stderr madrecv -r hops -f raw
	[[ $(madrecv -r hops -f raw | xxd -p -s $((256 + 128)) -l 4) == 00010700 ]]
	[[ $(madrecv -r hops -f raw | xxd -p -s $((256 + 192)) -l 4) == 00000300 ]]
	for damage in '0,/Reserved: /s/\[0\]/[1]/' '0,/m_key/{/m_key/d}' '0,/hop_count/s/0x0/0x1/' '0,/Return path/s/  0/  256/' \
		'0,/attr_id/s/0x11/0.11/' '0,/attr_id/s/0x11/011/' '0,/attr_id/s/0x11/0x1:1/' '0,/dr_slid/s/65535/6553x/' '0,/Initial/s/: 0/: 0x/'; do
		sed "$damage" "$log" >damaged
		! cmp -s "$log" damaged
		run -5 --separate-stderr madrecv -r damaged -j
		[[ ${#lines[@]} -eq 1 && ${stderr_lines[0]} == *"line "*", column 1: the header of the SMP before is not one that opensm prints" ]] || { echo "$damage $output $stderr"; return 1; }
	done
	# data that are cut
	sed 31,32d "$log" >cut
	run -5 --separate-stderr madrecv -r cut --fields seq -j
	[[ $output == '{"seq":1}' && ${stderr_lines[0]} == *"lines 25 to 29: the dump ends within a MAD: 112 of 256 bytes, not shown" ]]
}

@test "W6: a LID-routed SMP in opensm's log, whose data it does not print, is skipped" {
	local log=$dumps/opensm-trap damage
	run -0 --separate-stderr madrecv -r "$log" -j
	[[ $(jq -sc 'map([.header.method, .header.attribute, .header.tid])' <<<"$output") == \
		'[["GetResp","SMInfo","0x000000000000126f"],["Get","SMInfo","0x00cd05f600070017"]]' ]] || { echo "$output"; return 1; }
	[[ $stderr == "madrecv: $log: "+([0-9])"$lines_skipped" ]] || { echo "$stderr"; return 1; }
	# at the end of a log
	sed -n "$(($(grep -n 'SubnTrap)' "$log" | cut -d : -f 1) - 4)),/LID ROUTED/p" "$log" | cat "$dumps/opensm" - >trap
	run -0 --separate-stderr madrecv -r trap -j
	((${#lines[@]} == 2))
	# one that misses a line, or is not LID-routed
	for damage in /m_key/d /trans_id/d 's/mgmt_class.*/mgmt_class..............0x81/' 's/LID ROUTED/LID/'; do
		sed "108,\${$damage}" trap >damaged
		! cmp -s trap damaged
		run -5 --separate-stderr madrecv -r damaged -j
		[[ ${#lines[@]} -eq 2 && $stderr == *"the header of the SMP before is not one that opensm prints"* ]] || { echo "$damage: $stderr"; return 1; }
	done
}

# mads: raw MADs a and c, which differ in the first and the last line of their dumps.
mads() {
	madsend --dry-run -L 9 Get NodeInfo -f raw >a
	madsend --dry-run -L 9 Get PortInfo -f raw >c
	for mad in a c; do xxd -g 1 $mad | cut -c 5-57 >$mad.xxd; xxd -p -c 16 $mad >$mad.plain; done
}

# refused FILE N TEXT: N MADs are shown, and TEXT is reported.
refused() {
	run -5 --separate-stderr madrecv -r "$1" -j --fields seq
	[[ $(grep -c seq <<<"$output") -eq $2 && $stderr == *"$3"* ]] || { cat "$1"; echo "$output"; echo "$stderr"; return 1; }
}

@test "D3: rows of two dumps are not joined: another line ends a dump" {
	mads
	for between in 'another message' 'x: 12 messages suppressed' '# a comment' ''; do
		for prefix in '' 'host kernel: '; do
			{ echo first; head -n 4 a.xxd | sed "s/^/$prefix/"; echo "$between"; sed "1,4d; s/^/$prefix/" c.xxd; echo last; } >log
			refused log 0 'lines 2 to 5: the dump ends within a MAD: 64 of 256 bytes'
		done
	done
	# rows with offsets and rows without
	{ echo first; head -n 4 a.xxd; sed 1,4d c.plain; echo last; } >log
	refused log 0 'line 6, column 1: no offset, unlike the lines before'
}

@test "D3: rows with the prefixes of two hosts, devices, ports or processes are not joined" {
	mads
	while IFS='|' read -r one two; do
		for form in xxd plain; do
			sed "s/^/$one/" a.$form >one
			sed "s/^/$two/" c.$form >two
			{ echo first; head -n 4 one; sed 1,4d two; } >log
			refused log 0 'lines 2 to 5: the dump ends within a MAD: 64 of 256 bytes'
			paste -d '\n' one two >log
			refused log 0 'line 1: the dump ends within a MAD: 16 of 256 bytes'
			cat one two >log
			[[ $(madrecv -r log -f raw | sha256sum) == $(cat a c | sha256sum) ]]
		done
	done <<-'END'
		Nov 23 10:00:00 node1 kernel: x: |Nov 23 10:00:01 node2 kernel: x: 
		kernel: mlx5_0: dump: |kernel: mlx5_1: dump: 
		Nov 23 10:00:00 10.0.0.1 kernel: x: |Nov 23 10:00:00 10.0.0.2 kernel: x: 
		[   12.000001] mlx5_core 0000:03:00.0: |[   12.000002] mlx5_core 0000:04:00.0: 
		kernel: port 1: |kernel: port 2: 
		2026-11-20T22:10:11.000001+01:00 host prog[17]: |2026-11-20T22:10:11.000001+01:00 host prog[18]: 
	END
}

@test "D3: a number between the rows of a dump without offsets is not part of it" {
	mads
	for number in 10 'dead beef' '01 81 01'; do
		for prefix in '' 'prog: '; do
			{ echo first; sed "4i $number" a.plain | sed "s/^/$prefix/"; echo "then"; sed "s/^/$prefix/" c.plain; } >log
			refused log 1 ', column '
			[[ $stderr == *'bytes, and those before it have 16'*13\ lines\ dropped* ||
				$stderr == *'digits are grouped otherwise than in the first line of the dump'*14\ lines\ dropped* ]]
			# behind it
			{ echo first; sed "s/^/$prefix/" a.plain; echo "$prefix$number"; echo "then"; sed "s/^/$prefix/" c.plain; } >log
			[[ $(madrecv -r log -f raw 2>err | sha256sum) == $(cat a c | sha256sum) && -s err ]]
		done
	done
}

@test "D3: a time before the bytes is not bytes" {
	mads
	for time in 01:03:01 01:03 01:03:01.123456 '2026-11-20 01:03:01' 2026-11-20T01:03:01Z; do
		sed "s/^/$time /" a.xxd >log
		madrecv -r log -f raw | cmp - a
		sed "s/^/$time /" a.plain >log
		madrecv -r log -f raw | cmp - a
	done
	echo '01:03:01 01 81' >log
	refused log 0 'line 1: a time, or bytes with colons between them'
	# the bytes alone may look like a time
	sed 's/../&:/g; s/:$//' a.plain >log
	madrecv -r log -f raw | cmp - a
}

@test "D3: a long line is read in time that grows with its length" {
	{ echo hello; printf 'z '; yes aa: | head -n 200000 | tr '\n' ' '; echo zz; } >log
	run -5 timeout 10 madrecv -r log
	{ echo hello; printf 'z '; yes '0000: #' | head -n 100000 | tr '\n' ' '; echo zz; } >log
	run -5 timeout 10 madrecv -r log
}

@test "D3: what follows a damaged dump is read, and what is dropped is counted" {
	mads
	for end in '' '# again' text; do
		{ sed 3d a.xxd; echo "$end"; cat c.xxd; } >log
		refused log 1 '12 lines dropped, which belong to damaged hex dumps'
	done
	{ echo '0000: 01 01 0'; echo; cat c.xxd; } >log
	run -5 --separate-stderr timeout 10 madrecv -r log -j --fields seq
	[[ $output == *'"seq":'* && $stderr == *'a single hex digit'* ]]
	{ sed 3d a.xxd; cat c.xxd; } >log
	refused log 1 '12 lines dropped, which belong to damaged hex dumps'
}

@test "D3: a line of more than 1 MiB is skipped" {
	mads
	{ cat a.xxd; head -c 1500000 /dev/zero | tr '\0' x; echo; cat c.xxd; } >log
	run -0 --separate-stderr madrecv -r log -j --fields seq
	[[ ${#lines[@]} -eq 2 && $stderr == "madrecv: log: 1 line skipped, which is not part of a hex dump" ]]
	# in parts
	[[ $({ head -c 1400000 log; sleep 0.1; tail -c +1400001 log; } | madrecv -r - -j --fields seq 2>err) == "$output" ]]
	# it may be a dump
	{ cat a.xxd; head -c 1500000 /dev/zero | tr '\0' 0; echo; echo "then"; cat c.xxd; } >log
	refused log 2 'line 17, column 1: the line is longer than 1048576 bytes'
}

@test "D3: a log that begins with a byte order mark or a colour" {
	mads
	for begin in '\xef\xbb\xbf' '\xef\xbb\xbfhello\n' '\e[32m[ 1.0]\e[0m hello\n'; do
		{ printf "$begin"; cat a.xxd; } >log
		madrecv -r log -f raw | cmp - a
	done
}

@test "D3: a line that is missing or there twice in a dump without offsets: the MAD is not shown" {
	mads
	for prefix in '' 'host kernel: ' '[    9.000001] '; do
		for damage in 3d 3p 16p; do
			{ echo first; sed "$damage" a.plain | sed "s/^/$prefix/"; echo "then"; sed "s/^/$prefix/" c.plain; } >log
			refused log 1 'lines 2 to '
			# directly before another dump
			{ echo first; { sed "$damage" a.plain; cat c.plain; } | sed "s/^/$prefix/"; echo "then"; sed "s/^/$prefix/" c.plain; } >log
			refused log 1 'the dump does not end where a MAD does'
		done
		# the end of one and all of another
		{ echo first; { head -n 4 a.plain; cat c.plain; } | sed "s/^/$prefix/"; echo "then"; } >log
		refused log 0 'the dump does not end where a MAD does'
		# several MADs are one dump
		{ cat a.plain c.plain a.plain | sed "s/^/$prefix/"; echo "then"; } >log
		madrecv -r log -f raw | cmp - <(cat a c a)
	done
}

@test "D3: a dump in a log of which the beginning is missing is not shown" {
	mads
	for prefix in '' 'host kernel: '; do
		for row in 01810101 00000000; do
			# as a MAD looks, but at offset 0x40
			{ echo first; for n in {4..31}; do printf '%s%08x: %s%024d\n' "$prefix" $((n * 16)) $row 0; done; echo "then"; sed "s/^/$prefix/" c.xxd; } >log
			refused log 1 'lines 2 to 17: the dump begins at offset 0x40: its beginning is missing'
			[[ $stderr == *'12 lines dropped, which belong to damaged hex dumps'* ]]
		done
		{ sed 1,4d a.xxd | sed "s/^/$prefix/"; echo "then"; } >log
		refused log 0 'the dump begins at offset 0x40: its beginning is missing'
	done
	# addresses
	{ echo first; sed 's/^0*/ffff9a1c0000/; s/^[^:]*\(...\):/kernel: ffff9a1c00000\1:/' a.xxd; } >log
	madrecv -r log -f raw | cmp - a
}

@test "D3: od, hexdump -C and tshark behind a prefix, with the column of characters" {
	mads
	for form in 'hexdump -C -v' 'hexdump -C' 'od -A x -t x1z' 'od -A d -v -t x1z'; do
		for prefix in '[    9.000001] ' 'Nov 20 22:10:11 node1 kernel: '; do
			$form a | sed "s/^/$prefix/" >log
			madrecv -r log -f raw | cmp - a
		done
	done
	# words and bytes in one dump: nothing shows their order
	{ echo first; hexdump a | sed '3s/ \(....\) / \1/3'; } >log
	refused log 0 'a word of 8 digits among words of 4'
	{ echo first; hexdump -C a | sed '2s/ 00 00 / 0000 /'; } >log
	refused log 0 'a word of 4 digits among words of 2'
	# only a whole line is repeated
	{ echo first; hexdump -C a | sed '3s/ 00  00 .*//; 3s/ 00 00$//'; } >log
	refused log 0 "'*' follows a line that is longer or shorter than the first"
}

@test "D3: a blank line within a MAD is reported as such" {
	mads
	sed '4s/$/\n/' a.plain >text
	run -5 --separate-stderr madrecv -r text -j --fields seq
	[[ ${stderr_lines[0]} == 'madrecv: text: lines 1 to 4: the dump ends within a MAD: 64 of 256 bytes, not shown' ]]
	head -n 4 a.plain >text
	run -5 --separate-stderr madrecv -r text -j --fields seq
	[[ ${stderr_lines[0]} == 'madrecv: text: lines 1 to 4: the dump ends within a MAD: 64 of 256 bytes, not shown' ]]
	# its rest is not a MAD
	{ head -n 4 a.plain; echo; yes '01 01 01 01 01 01 01 01 01 01 01 01 01 01 01 01' | head -n 16; echo; cat c.plain; } >text
	run -5 --separate-stderr madrecv -r text -f raw
	madrecv -r text -f raw 2>err | tail -c 256 | cmp - c
	[[ $(madrecv -r text -j --fields seq 2>err | wc -l) -eq 1 ]]
	grep -qx 'madrecv: text: lines 6 to 21: hex digits, but not a MAD' err
}

@test "D3: a column of characters in front of the bytes" {
	mads
	for end in ']' ':' '>' '' ' |'; do
		xxd a | awk -v "end=$end" '{ print $NF end "  " substr($0, 11, 39) }' | cat <(echo first) - >log
		[[ -z $(madrecv -r log -f raw 2>err | xxd -p) ]] || madrecv -r log -f raw 2>err | cmp - a
	done
}

@test "D3: GUIDs in lines below each other are no dump" {
	mads
	for n in 1 2 3 40; do
		{ for ((i = 0; i < n; i++)); do echo "host prog: GUID: 0x0002c90300000001"; done; sed 's/^/host prog: /' a.xxd; } >log
		run -0 --separate-stderr madrecv -r log -j --fields seq
		[[ $output == '{"seq":1}' && $stderr == *": $n line"*" skipped, which "*"not part of a hex dump" ]] || { echo "$stderr"; return 1; }
	done
}

@test "D3: a time with a date and a time zone is the time of the MAD; any other is ambiguous" {
	local prefix want
	mads
	while IFS='|' read -r prefix want; do
		for form in xxd plain; do
			{ sed "s/^/$prefix/" a.$form; echo end; cat c.$form; } >log
			run -0 --separate-stderr madrecv -r log -j --fields time
			[[ $output == "{\"time\":$want}"$'\n''{"time":null}' ]] || { echo "$prefix: $output"; return 1; }
		done
	done <<-'END'
		2026-11-20T22:10:11+0100 node1 kernel: |"2026-11-20T21:10:11.000000Z"
		2026-11-20T22:10:11.123456+01:00 node1 smpquery[4711]: |"2026-11-20T21:10:11.123456Z"
		<30>1 2026-11-20T22:10:11Z host prog 4711 - - data: |"2026-11-20T22:10:11.000000Z"
		[2024-02-29 23:59:59,5-00:30] kernel: |"2024-03-01T00:29:59.500000Z"
		2026-11-20 22:10:11 node1 kernel: |null
		2026-02-29T22:10:11Z node1 kernel: |null
		2026-11-20T24:10:11Z node1 kernel: |null
		Nov 20 22:10:11 node1 kernel: |null
		[Fri Nov 20 22:10:11 2026] |null
		[12345.678901] |null
		Nov 20 22:10:11 123456 [7F3A2B40] 0x01 -> |null
		kernel: |null
	END
	# in the order of the log: a response has the time of its dump
	{ sed 's/^/2026-11-20T22:10:11Z x: /' a.xxd; sed 's/^/2026-11-20T22:10:12Z x: /' c.xxd; } >log
	[[ $(madrecv -r log -j --fields time | jq -r .time) == $'2026-11-20T22:10:11.000000Z\n2026-11-20T22:10:12.000000Z' ]]
	# a request is named as such
	run -0 --separate-stderr madrecv -r log --filter 'kind == request'
	[[ $(grep '^#' <<<"$output") == $'# Get NodeInfo: '*$'\n''# Get PortInfo: '* ]]
	run -6 --separate-stderr madrecv -r log --filter 'kind == response'
}

@test "D3: rows that follow the data of opensm's SMP make it damaged" {
	local log=$dumps/opensm damage
	# a row twice, without and with opensm's blank line; another row; one of other words; one that is shorter
	for damage in 63p 65p 67p 69p '65s/.*/&\n\n&/' $'69s/$/\\n\\n\t\t\t\t02 02 02 02 00 00 00 00   00 10 00 00 00 00 00 00/' \
		'65s/.*/&\n\ndeadbeef deadbeef deadbeef deadbeef/' '69s/$/\n\ndeadbeef deadbeef deadbeef deadbeef/' '69s/$/\n01 02/'; do
		sed "$damage" "$log" >damaged
		! cmp -s "$log" damaged
		refused damaged 1 'lines '
		[[ $(madrecv -r damaged -j 2>/dev/null | jq -r .header.method) == Get ]] || { echo "$damage"; return 1; }
	done
	# a dump with offsets behind the header is not its data
	madsend --dry-run -L 9 Get NodeInfo -f raw >raw
	{ sed -n 42,61p "$log"; xxd raw; echo end; } >offsets
	madrecv -r offsets -f raw | cmp - raw
	# another dump behind it
	{ cat "$log"; echo; xxd -p raw; } >behind
	[[ $(madrecv -r behind -j --fields seq | wc -l) -eq 3 ]]
}

@test "D3: a dump that is not a whole MAD is not shown, in plain hex as in a log" {
	mads
	local form
	for form in plain xxd; do
		for damage in 5d '2,4d' 1d 16d; do
			sed "$damage" a.$form >damaged
			refused damaged 0 ''
			[[ -z $output && ${#stderr_lines[@]} -le 2 ]]
			# before a log
			{ cat damaged; echo; sed 's/^/Nov 23 17:00:07 node7 kernel: /' c.$form; } >log
			refused log 1 ''
			madrecv -r log -f raw 2>err | cmp - c
			! grep 'the file ends' err
			# before another dump
			{ cat damaged; echo; cat c.$form; } >log
			madrecv -r log -f raw 2>err | cmp - c
		done
	done
	sed 5d a.plain >damaged
	refused damaged 0 'madrecv: damaged: lines 1 to 15: the dump ends within a MAD: 240 of 256 bytes, not shown'
	sed 5d a.xxd >damaged
	refused damaged 0 'line 5, column 1: the offset is 0x50, and 0x40 was expected'
}

@test "D3: rows of another notation do not complete a dump without offsets" {
	local form row
	mads
	xxd -p -c 16 a | sed 's/..../& /g' >a.words
	xxd -p -c 16 a | sed 's/../&:/g; s/:$//' >a.colons
	xxd -p -c 16 a | sed 's/../& /g' >a.pairs
	local pairs='00 11 22 33 44 55 66 77 88 99 aa bb cc dd ee ff'
	for form in plain words colons pairs; do
		for row in fe80:0000:0000:0000:0002:c903:0000:1234 'deadbeef deadbeef deadbeef deadbeef' \
			'0xdeadbeef 0xdeadbeef 0xdeadbeef 0xdeadbeef' 'fe80000000000000 0002c90300001234' \
			"$([[ $form == pairs ]] || echo "$pairs")" "$([[ $form == colons ]] || echo "${pairs// /:}")"; do
			[[ $row ]] || continue
			for at in 4 16; do
				sed "${at}s/.*/$row/" a.$form >log
				[[ $row == 0x* ]] && why='bytes with 0x are not read' || why='digits are grouped otherwise than in the first line'
				refused log 0 "line $at, column 1: $why"
				{ echo first; sed 's/^/host kernel: /' log; echo end; sed 's/^/host kernel: /' c.xxd; } >log2
				refused log2 1 ''
			done
		done
		# blanks may differ
		sed '3s/^/  /; 4s/ /  /g' a.$form >log
		madrecv -r log -f raw | cmp - a
	done
}

@test "D3: of a damaged dump of any program, no MAD is shown that was not dumped" {
	run -0 python3 "$BATS_TEST_DIRNAME/dump_damage.py" "$(type -P madrecv)"
	[[ $output == *"missing: "*"nothing: "*"offset: "* ]]
}
