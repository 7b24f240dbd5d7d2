#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# madrecv -r: MADs from files, whole and damaged.

setup() {
	load common
	cd "$BATS_TEST_TMPDIR" || return
}

# bytes HEX...: as raw bytes; zeros LENGTH: so many zeros in hex.
bytes() { printf '%s' "$@" | xxd -r -p; }
zeros() { head -c "$1" /dev/zero | xxd -p | tr -d '\n'; }

# A MAD written down by hand: PerfMgt GetResp PortCounters, PortSelect 3, SymbolErrorCounter 77.
counters=0104018100000000000000000000002a0012000000000000
counters+=00000000000000000000000000000000000000000000000000000000000000000000000000000000
counters+=00030000004d

counters_mad() { bytes "$counters" "$(zeros $((256 - ${#counters} / 2)))"; }

# SA table MAD with $1 records' bytes declared, $2 of RMPP flags, and the records: LinkRecord.
link_record() { printf '%04x%02x%02x%04x0000' "$1" "$2" "$3" "$4"; }

@test "a raw MAD, from a file and from standard input" {
	counters_mad >mad
	[[ $(stat -c %s mad) == 256 ]]
	run -0 --separate-stderr madrecv -r mad -j
	[[ $(jq -c '[.kind, .device, .time, .remote, .header.tid, .header.method, .data.PortSelect, .data.SymbolErrorCounter]' <<<"$output") == \
		'["response",null,null,null,"0x000000000000002a","GetResp",3,77]' ]]
	line=$output
	run -0 --separate-stderr madrecv -r - -j <mad
	[[ $output == "$line" ]]
	run -0 madrecv -r mad
	[[ $output == "# PortCounters"*$'\n'"SymbolErrorCounter:..............77"$'\n'* ]]
}

@test "a name that no attribute and no header has is a mistake, another attribute's is not" {
	counters_mad >mad
	usage_error "no attribute has a field 'SymbolErrorCount'" madrecv -r mad --filter 'SymbolErrorCount > 1'
	usage_error "no attribute has a field 'NumPort'" madrecv -r mad --fields PortSelect,NumPort
	usage_error "no header has a field 'atribute'" madrecv -r mad --assert 'header.atribute == PortCounters'
	usage_error "-r reads one file, not also 'more'" madrecv -r mad more
	usage_error "'mad' is not an option; -r reads a file" madrecv mad
	run -6 --separate-stderr madrecv -r mad --filter 'NumPorts > 1'
	run -0 --separate-stderr madrecv -r mad --fields NumPorts,PortSelect -j
	[[ $output == '{"data":{"PortSelect":3}}' ]]
}

@test "hex text in every common shape is the same MAD" {
	counters_mad >mad
	want=$(madrecv -r mad -j)
	madrecv -r mad -f hex >dump
	xxd mad >xxd
	xxd -p mad >plain
	od -An -v -tx1 mad >od
	xxd -p mad | tr -d '\n' >one-line
	{ echo '# a comment'; echo; tr a-f A-F <dump; } >upper
	for form in dump xxd plain od one-line upper; do
		run -0 --separate-stderr madrecv -r "$form" -j
		[[ $output == "$want" ]] || { echo "$form"; return 1; }
	done
}

@test "a stream of several, and of both sizes" {
	counters_mad >mad
	# OPA's base version: 2048 bytes
	{ bytes 8004; head -c 2046 /dev/zero; } >opa
	cat mad opa mad mad >stream
	run -0 --separate-stderr madrecv -r stream -j
	[[ ${#lines[@]} -eq 4 ]]
	[[ $(jq -sc 'map([.seq, .header.base_version])' <<<"$output") == '[[1,1],[2,128],[3,1],[4,1]]' ]]
	{ madrecv -r mad -f hex; madrecv -r opa -f hex; madrecv -r mad -f hex; } >hex
	run -0 --separate-stderr madrecv -r hex -j
	[[ $(jq -sc 'map(.header.base_version)' <<<"$output") == '[1,128,1]' ]]
	run -0 madrecv -r stream -n 2 -j
	[[ ${#lines[@]} -eq 2 ]]
}

@test "the device of the environment or of the configuration is nothing to a file" {
	counters_mad >mad
	want=$(madrecv -r mad -j)
	[[ $(MADKIT_DEVICE=umad:nosuch/1 madrecv -r mad -j) == "$want" ]]
	usage_error "--config has no effect with --read" madrecv -z conf -r mad
	usage_error "--Ca has no effect with --read" madrecv -r mad -C nosuch
}

@test "raw out is raw in" {
	counters_mad >mad
	cat mad mad >two
	madrecv -r two -f raw | cmp - two
	madrecv -r two -f hex | madrecv -r - -f raw | cmp - two
}

@test "a truncated MAD: what there is, its offset, status 5" {
	counters_mad >mad
	{ cat mad; head -c 100 mad; } >cut
	run -5 --separate-stderr madrecv -r cut -j
	[[ ${#lines[@]} -eq 2 && $stderr == *"offset 256"*"100 of 256 bytes"* ]]
	[[ $(jq -sc 'map(.data.SymbolErrorCounter)' <<<"$output") == '[77,77]' ]]
	# a header that is cut
	head -c 10 mad >short
	run -5 --separate-stderr madrecv -r short -j
	[[ $stderr == *"offset 0"*"10 of 256 bytes"* ]]
	jq -e . <<<"$output"
	# hex of which the end is missing
	madrecv -r mad -f hex | head -n 5 >cut.hex
	run -5 --separate-stderr madrecv -r cut.hex -j
	[[ -z $output && $stderr == *"lines 1 to 5: the dump ends within a MAD: 80 of 256 bytes, not shown" ]]
}

@test "what is no MAD: its offset, status 5, and what came before it" {
	counters_mad >mad
	{ cat mad; printf '\377\376'; } >junk
	run -5 --separate-stderr madrecv -r junk -j
	[[ ${#lines[@]} -eq 1 && $stderr == *"offset 256"*"0xff"* ]]
	echo 'no hex at all' >text
	run -5 --separate-stderr madrecv -r text
	[[ -z $output && $stderr == *"line 1"* ]]
	{ xxd -p mad; echo '01 0'; } >odd
	run -5 --separate-stderr madrecv -r odd -j
	[[ $(jq .data.SymbolErrorCounter <<<"${lines[0]}") == 77 && $stderr == *"line 10, column 4"* ]]
}

@test "a compressed file: what to do, status 5" {
	counters_mad >mad
	compressed() { # FORMAT PROGRAM, whose output is on standard input
		cat >file
		run -5 --separate-stderr madrecv -r file -j
		[[ -z $output && $stderr == "madrecv: file: compressed with $1: use $2 FILE | madrecv -r -" ]]
	}
	gzip -c mad | compressed gzip zcat
	# by hand: not every machine has these
	bytes 425a6839 314159265359 "$(zeros 20)" | compressed bzip2 bzcat
	bytes fd377a585a00 "$(zeros 20)" | compressed xz xzcat
	bytes 28b52ffd 2400 "$(zeros 20)" | compressed zstd zstdcat
	gzip -c mad >file
	zcat file | madrecv -r - -f raw | cmp - mad
}

@test "nothing in the file: status 6; no file: status 1" {
	: >empty
	run -6 --separate-stderr madrecv -r empty
	[[ -z $output && $stderr == *"no MAD"* ]]
	run -1 --separate-stderr madrecv -r nosuch
	[[ -z $output && $stderr == *"'nosuch'"* ]]
	run -1 --separate-stderr madrecv -r .
	[[ -z $output && -n $stderr ]]
}

@test "a table that was put together: one line a record" {
	# GetTableResp LinkRecord, FIRST and ACTIVE, PayloadLength counts the SA header of 20 bytes
	# of each of two segments; AttributeOffset 1; 40 records of 8 bytes
	records=$(for i in {1..40}; do link_record "$i" 1 2 "$((i + 100))"; done)
	bytes 0103029200000000000000000000000100200000"00000000" \
		0101f300"00000001$(printf %08x $((320 + 40)))" \
		"$(zeros 8)" 00010000 "$(zeros 8)" "$records" >table
	[[ $(stat -c %s table) == $((56 + 320)) ]]
	run -0 --separate-stderr madrecv -r table -j
	[[ ${#lines[@]} -eq 40 ]]
	[[ $(jq -sc '[.[0].record, .[39].record, .[39].records, .[39].data.FromLID, .[39].data.ToLID]' <<<"$output") == '[0,39,40,40,140]' ]]
	# and another MAD behind it
	{ cat table; counters_mad; } >more
	run -0 --separate-stderr madrecv -r more -j
	[[ ${#lines[@]} -eq 41 ]]
	# -n counts messages, not the records in them; what the filter holds back does not count
	run -0 madrecv -r more -j -n 1
	[[ ${#lines[@]} -eq 40 ]]
	run -0 madrecv -r more -j -n 2
	[[ ${#lines[@]} -eq 41 ]]
	run -0 madrecv -r more -j -n 1 --filter 'header.attribute == PortCounters'
	[[ ${#lines[@]} -eq 1 ]]
}

@test "a table cut short: the records that are there, how many there were, status 5" {
	records=$(for i in {1..25}; do link_record "$i" 1 2 3; done)
	bytes 0103029200000000000000000000000100200000"00000000" \
		0101f300"00000001$(printf %08x $((320 + 40)))" \
		"$(zeros 8)" 00010000 "$(zeros 8)" "$records" >cut
	[[ $(stat -c %s cut) == 256 ]]
	run -5 --separate-stderr madrecv -r cut -j
	[[ ${#lines[@]} -eq 25 && $stderr == *"25 of 40"* ]]
	run -5 --separate-stderr madrecv -r cut
	[[ $(grep -c FromLID <<<"$output") == 25 ]]
}

# message TID NUMBER FLAGS LENGTH DATA: GetTableResp LinkRecord; segment: one that is full, of 25.
message() {
	printf '%s' "01030292000000000000000000$1" 00200000 00000000 "0101f$3" 00 "$(printf %08x "$2" "$4")" \
		"$(zeros 8)" 00010000 "$(zeros 8)" "$5"
}
segment() { message "$@"; zeros $((200 - ${#5} / 2)); }
records() { for ((i = $1; i <= $2; i++)); do link_record "$i" 1 2 3; done; }

@test "the segments of a table, raw and as hex: put together whatever lies between them" {
	one=$(segment 000001 1 3 $((400 + 3 * 20 + 48)) "$(records 1 25)")
	two=$(segment 000001 2 1 0 "$(records 26 50)")
	three=$(segment 000001 3 5 $((48 + 20)) "$(records 51 56)")
	bytes "$one$two$three" >plain
	{ bytes "$one"; counters_mad; bytes "$two$two"; counters_mad; bytes "$three"; } >mixed
	xxd -p plain >hex
	for file in plain mixed hex; do
		run -0 --separate-stderr madrecv -r "$file" --filter 'header.attribute == LinkRecord' -j
		[[ -z $stderr ]]
		[[ $(jq -sc '[length, all(.records == 56), (map(.data.FromLID) == [range(1; 57)]), .[0].rmpp.payload_length]' <<<"$output") == \
			'[56,true,true,508]' ]] || { echo "$file: $output"; return 1; }
	done
	[[ $(madrecv -r mixed --fields header.attribute,record -j | jq -c 'select(.header.attribute == "PortCounters")' | wc -l) == 2 ]]
	# what a message put together holds is the same, however it came
	madrecv -r plain -f raw >whole
	[[ $(stat -c %s whole) == $((56 + 448)) ]]
	madrecv -r whole -f raw | cmp - whole
	cmp <(madrecv -r whole -j --fields data,record,records) <(madrecv -r plain -j --fields data,record,records)
	# one is missing, or the last: the received part, and its share of the whole
	bytes "$one$three" >gap
	run -5 --separate-stderr madrecv -r gap -j
	[[ $(jq -s 'map(.data.FromLID)[:25] == [range(1; 26)]' <<<"$(grep '"records":25' <<<"$output")") == true ]]
	[[ $stderr == *"offset 0: the table is cut short: got 25 of 56"* ]] || { echo "$stderr"; return 1; }
	bytes "$one$two" >early
	run -5 --separate-stderr madrecv -r early -j
	[[ ${#lines[@]} -eq 50 && $stderr == *"got 50 of 56"* ]]
}

@test "A14: a segment that belongs to no message is reported" {
	local file
	one=$(segment 000001 1 3 $((400 + 3 * 20 + 48)) "$(records 1 25)")
	two=$(segment 000001 2 1 0 "$(records 26 50)")
	three=$(segment 000001 3 5 $((48 + 20)) "$(records 51 56)")
	# two messages without the first segment, and segments between each other's: one line per message
	bytes "$two$three" "$(sed 's/000001002/000002002/' <<<"$two")" "$(sed 's/000001002/000002002/' <<<"$three")" >apart
	bytes "$two" "$(sed 's/000001002/000002002/' <<<"$two")" "$three" "$(sed 's/000001002/000002002/' <<<"$three")" >mixed
	xxd -p mixed >hex
	for file in apart mixed hex; do
		run -5 --separate-stderr madrecv -r $file -j
		[[ $(jq -sc 'map(.rmpp.segment) | sort' <<<"$output") == '[2,2,3,3]' ]]
		[[ ${#stderr_lines[@]} -eq 2 ]] || { echo "$file: $stderr"; return 1; }
		[[ ${stderr_lines[0]} == "madrecv: $file: offset 0: segment 2 of a message without segment 1" ]]
		[[ ${stderr_lines[1]} == "madrecv: $file: offset "*": segment 2 of a message without segment 1" ]]
	done
	# a header that fits no message
	bytes "$one$two" "$(segment 000001 3 5 $((221)) "$(records 51 56)")" >long
	run -5 --separate-stderr madrecv -r long -j
	[[ ${stderr_lines[0]} == *"offset 0: the table is cut short: got 50 of 56" ]]
	[[ ${stderr_lines[1]} == *"offset 512: a segment that fits no message: RMPPVersion 1, RMPPFlags 0x5, SegmentNumber 3, PayloadLength 221" ]]
	bytes "$(segment 000001 1 1 0 "$(records 1 25)")" >first
	run -5 --separate-stderr madrecv -r first -j
	[[ $stderr == *"offset 0: a segment that fits no message: RMPPVersion 1, RMPPFlags 0x1, SegmentNumber 1, PayloadLength 0" ]]
}

@test "A14: segments that are sent again after the last are dropped without addresses, too" {
	one=$(segment 000001 1 3 $((400 + 3 * 20 + 48)) "$(records 1 25)")
	two=$(segment 000001 2 1 0 "$(records 26 50)")
	three=$(segment 000001 3 5 $((48 + 20)) "$(records 51 56)")
	bytes "$one$two$three" >once
	bytes "$one$two$three$three" >last
	bytes "$one$two$three$two$three" >window
	xxd -p window >hex
	for file in last window hex; do
		run -0 --separate-stderr madrecv -r $file -f raw
		[[ -z $stderr ]]
		madrecv -r $file -f raw | cmp - <(madrecv -r once -f raw)
	done
	# a whole table that is given twice is two tables
	cat once once >twice
	[[ $(madrecv -r twice -j --fields record | wc -l) == 112 ]]
	# other bytes
	bytes "$one$two$three" "${two:0:200}ff${two:202}" >other
	run -5 --separate-stderr madrecv -r other -j
	[[ ${#lines[@]} -eq 57 && $stderr == "madrecv: other: offset 768: segment 2 of a message differs from an earlier copy" ]]
}

@test "data that looks like a MAD's header does not end a message" {
	# byte 256 of the message begins with what could be SubnMgt Get, version 1
	body=$(zeros 200)01010101$(zeros 244)
	bytes "$(message 000001 1 3 $((448 + 60)) "$body")" >message
	{ cat message; counters_mad; } >two
	for file in message two; do
		madrecv -r "$file" -f raw | cmp - "$file"
		[[ $(madrecv -r "$file" -j --fields records | grep -c ':56}') == 56 ]]
	done
}

@test "a first segment whose length leads nowhere is one MAD, whatever follows" {
	old=0104$(printf %02x 2)81${counters:8} # of another version of the class
	for length in 2000 400 100000 3fffffff; do
		{
			bytes "$(message 000001 1 3 "0x$length" "$(records 1 25)")"
			for mad in "$old" "$counters" "$old" "$counters"; do
				bytes "$mad" "$(zeros $((256 - ${#mad} / 2)))"
			done
		} >file
		run -5 --separate-stderr madrecv -r file -j --filter 'header.attribute == PortCounters'
		[[ ${#lines[@]} -eq 4 ]] || { echo "$length: ${#lines[@]}: $stderr"; return 1; }
	done
}

@test "an empty table is one line with records 0" {
	bytes 0103029200000000000000000000000100200000"00000000" \
		0101f700"00000001$(printf %08x 20)" "$(zeros 8)" 00010000 "$(zeros 208)" >empty
	run -0 --separate-stderr madrecv -r empty -j
	[[ $(jq -c '[.record, .records, .data]' <<<"$output") == '[0,0,null]' ]]
}

@test "lines are written before the next MAD is waited for" {
	counters_mad >mad
	mkfifo fifo
	exec {keep}<>fifo
	madrecv -r fifo -j >out 3>&- &
	pid=$!
	cat mad >&"$keep"
	for _ in {1..500}; do
		[[ ! -s out ]] || break
		read -rt 0.02 <> <(:) || :
	done
	[[ $(wc -l <out) == 1 ]]
	kill "$pid"
	run wait "$pid"
	exec {keep}>&-
}

@test "control characters from a file do not reach the terminal" {
	bytes 0101018100000000000000000000000100100000"00000000" "$(zeros 40)" \
		1b5b33316d41 "$(zeros 186)" >desc
	run -0 madrecv -r desc
	[[ $output != *$'\e'* && $output == *A* ]]
	run -0 madrecv -r desc -j
	[[ $(jq -r .data.NodeDescription <<<"$output") == $'\e[31mA' ]]
}

@test "hex text of comments alone holds no MAD" {
	printf '# nothing\n\n# here\n' >comments
	run -6 --separate-stderr madrecv -r comments
	[[ -z $output && $stderr == *comments* ]]
}

@test "a directed-route SMP is headed with its own path" {
	madsend --dry-run -D 0,1,2 -m 3 Get PortInfo -f raw >mad
	run -0 madrecv -r mad
	[[ ${lines[0]} == "# Get PortInfo: DR path slid 65535; dlid 65535; 0,1,2 port 3" ]]
	# a count beyond the path is not believed
	{ head -c 7 mad; printf '\100'; tail -c +9 mad; } >odd
	run -0 madrecv -r odd
	[[ ${lines[0]} == "# Get PortInfo: port 3" ]]
	madsend --dry-run -L 2 -m 3 Get PortInfo -f raw >mad
	run -0 madrecv -r mad
	[[ ${lines[0]} == "# Get PortInfo: port 3" ]]
}

# same_mad FILE...: each text is the MAD in the file mad.
same_mad() {
	local form
	for form; do
		madrecv -r "$form" -f raw >out 2>err || { echo "$form: $(cat err)"; return 1; }
		cmp out mad && [[ ! -s err ]] || { head -n 3 "$form"; return 1; }
	done
}

@test "hex as other programs print it" {
	# all bytes differ from their neighbours, and some are "|" and ">" as characters
	bytes 0104018100000000000000000000002a0012000000000000 \
		"$(for i in {24..255}; do printf %02x $((i * 7 % 256)); done)" >mad
	hexdump -C mad >hexdump-C
	hexdump mad >hexdump
	hexdump -x mad >hexdump-x
	od -A d -t x1 mad >od-decimal
	xxd -d mad >xxd-d
	xxd -g 4 mad >xxd-4
	xxd -c 8 mad >xxd-c8
	xxd -u mad | sed 's/^/  /; s/$/\r/' >xxd-u
	od -A x -t x1 mad >od-x1
	od -t x1z -A x mad >od-z
	od -t x1 mad >od-octal
	od -x mad >od-x
	od -t x2 --endian=big mad >od-big
	xxd -p mad | sed 's/../&:/g; s/:$//' >colons
	xxd -p mad | sed 's/../&-/g; s/-$//' >dashes
	xxd -p -c 16 mad | sed 's/..../& /g' >groups
	# tcpdump -x and -X
	xxd mad | sed 's/^0000/\t0x/; s/: /:  /' >tcpdump-X
	xxd mad | sed 's/^0000/\t0x/; s/: /:  /; s/  [^ ]*$//; s/   .*//' | cut -c 1-49 >tcpdump-x
	{ echo '# comment'; cat hexdump-C; } | sed '5s/$/ # not a byte/' >commented
	same_mad hexdump-C hexdump hexdump-x od-decimal xxd-d xxd-4 xxd-c8 xxd-u od-x1 od-z od-octal od-x od-big \
		colons dashes groups tcpdump-X tcpdump-x commented
}

@test "hex in a format that is not read: why, and what to use" {
	bytes 0104018100000000000000000000002a0012000000000000 "$(zeros 232)" >mad
	refused() { # COMMAND TEXT...: its output is refused alone, in a log and before a dump that is read
		eval "$1" >dump
		shift
		{ echo first; cat dump; } >log
		{ cat dump; echo; xxd mad; } >before
		for file in dump log before; do
			run -5 --separate-stderr madrecv -r $file -f raw
			for text; do
				[[ $stderr == "madrecv: $file: "*"$text"* ]] || { cat $file; echo "$stderr"; return 1; }
			done
			madrecv -r $file -f raw 2>err | cmp - "$([[ $file == before ]] && echo mad || echo /dev/null)"
		done
	}
	local use=': use hexdump -C or od -t x1'
	refused 'od -t x4 mad' ', column 9: words of 8 digits are not read'"$use"
	refused 'od -A x -t x8 mad' ', column 8: words of 16 digits are not read'"$use"
	refused 'od mad' ', column 9: words of 6 digits are not read'"$use"
	refused 'xxd -i mad | sed "1d; s/^}.*//"' ', column 3: bytes with 0x are not read'"$use"
	refused 'xxd -i <mad' ', column 3: bytes with 0x are not read'"$use"
	refused "xxd -p mad | sed 's/../\\\\x&/g'" ', column 1: bytes with \x are not read'"$use"
	refused "xxd -p -c 16 mad | sed 's/......../0x& /g'" ', column 1: bytes with 0x are not read'"$use"
	# gdb's x/16xb
	refused "od -An -v -t x1 -w8 mad | awk '{ printf \"0x7ffe%04x:\", n; n += 8; for (i = 1; i <= NF; i++) printf \"\t0x%s\", \$i; print \"\" }'" \
		', column 13: bytes with 0x are not read'"$use"
}

@test "words in another byte order than expected are not read" {
	# 01 01 01 01, SubnMgt Get by LID: the first words fit both orders
	bytes 01010101 00000000 000000000000002a 0011 0000 00000000 "$(zeros 232)" >mad
	hexdump mad >hexdump
	od -x mad >od-x
	same_mad hexdump od-x
	od -t x2 --endian=big mad >big
	od -A n -v -x mad >no-offsets
	xxd -e mad >xxd-e
	xxd -e -g 2 mad >xxd-e2
	for form in big no-offsets xxd-e xxd-e2; do
		run -5 --separate-stderr madrecv -r $form -f raw
		[[ -z $output && $stderr == "madrecv: $form: lines 1 to "*": words in another byte order than expected: use hexdump -C or od -t x1" ]] ||
			{ echo "$form: $stderr"; return 1; }
	done
	# the header is cut
	printf '0000000 0180 0101\n' >short
	run -5 --separate-stderr madrecv -r short -f raw
	[[ -z $output && $stderr == *"4 of 2048 bytes"* ]]
}

@test "lines of a dump that repeat" {
	{ bytes 0104018100000000000000000000002a; zeros 240 | xxd -r -p; } >mad
	hexdump -C mad >d1; od -A x -t x1 mad >d2; od -t x1 mad >d3; xxd -a mad >d4; od -x mad >d5; hexdump mad >d6
	for form in d?; do grep -q '^\*' "$form"; done
	same_mad d?
	# several, one behind the other
	cat mad mad mad >three
	cat d1 d1 d1 >dumps
	cmp <(madrecv -r dumps -f raw) three
	cat d? >mixture
	cat mad mad mad mad mad mad | cmp - <(madrecv -r mixture -f raw)
	# the same row, up to the unknown part
	sed '$d' d1 >endless
	run -5 --separate-stderr madrecv -r endless
	[[ -z $output && $stderr == *"the offset after '*' is missing" ]]
	printf '*\n%s' "$(cat d1)" >first
	run -5 --separate-stderr madrecv -r first
	[[ $stderr == *"line 1, column 1: '*' repeats nothing"* ]]
}

@test "B1: '*' repeats a row whose bytes were shown already" {
	# the last row of the first MAD is every row of the second
	{ bytes 0104018100000000000000000000002a "$(zeros 224)"; } >mads
	for _ in {1..17}; do bytes 01020304050607080910111213141516; done >>mads
	[[ $(stat -c %s mads) == 512 ]]
	hexdump -C mads >d1; od -A x -t x1 mads >d2; od -t x1 mads >d3; xxd -a mads >d4; od -x mads >d5; hexdump mads >d6
	for form in d[12356]; do grep -q '^\*' "$form"; done
	for form in d?; do
		run -0 --separate-stderr madrecv -r "$form" -f hex
		[[ -z $stderr ]]
		madrecv -r "$form" -f raw | cmp - mads || { cat "$form"; return 1; }
	done
	# a row that the buffer cannot hold while later rows are read
	{ printf '00000000: '; zeros 332800 | sed 's/00/01/g'; printf '\n*\n%08x:\n' 665600; } >long
	run -0 --separate-stderr madrecv -r long --filter 'header.attribute == 0x0101' --fields seq -j
	[[ -z $stderr && ${#lines[@]} -eq 2600 ]]
}

@test "B9: text that ends before its first byte of a MAD" {
	run -5 --separate-stderr madrecv -r - <<<zz
	[[ -z $output && $stderr == "madrecv: standard input: line 1, column 1: no hex digits" ]]
}

# chunked ARGUMENT...: madrecv reads FILE ($file) whole, byte by byte, and 7 bytes at a time, with
# the same output, messages and status.
chunked() {
	local bytes status want
	want=0
	madrecv -r - "$@" <"$file" >want 2>want.err || want=$?
	for bytes in 1 7; do
		status=0
		LD_PRELOAD=$TORTURE TORTURE_READ=$bytes madrecv -r - "$@" <"$file" >got 2>got.err || status=$?
		((status == want)) && cmp want got && cmp want.err got.err ||
			{ echo "$file $*: reads of $bytes: status $status, not $want"; return 1; }
	done
}

@test "A14: a file and a slow pipe decode alike" {
	load ../torture/torture.bash
	torture_build
	counters_mad >raw
	cat raw raw raw | head -c 600 >raw-cut
	printf '0181\n' >raw-no; printf '\x1f\x8b\x08' >gzip; printf 'BZh91AY' >bzip2; printf '\x7fELF' >elf
	printf '{"header":{}}\n' >json; printf '\n\n# K\xc3\xb6ln\n' >comment; : >empty
	madrecv -r raw -w pcap >/dev/null
	head -c 200 pcap >pcap-cut
	for form in xxd 'od -x' hexdump 'xxd -p'; do $form raw-cut >"${form// /}"; done
	for file in raw* gzip bzip2 elf json comment empty pcap* xxd od-x hexdump xxd-p \
		"$BATS_TEST_DIRNAME"/../../tests/data/golden/{guidinfo,nodeinfo,noderecords-rmpp,pathrecords}.hex; do
		chunked -j
	done
	for file in raw-cut pcap-cut od-x; do chunked -f raw; chunked -v; done
	# a pipe that stays open: the MAD is shown although its reader does not know what follows
	mkfifo slow
	madrecv -r slow --fields kind -j >live &
	exec 7>slow
	head -c 256 raw >&7
	until [[ -s live ]]; do :; done
	exec 7>&-
	wait $!
	[[ $(<live) == '{"kind":"response"}' ]]
}

@test "A14: bytes without a base version are no segment of a message" {
	{ segment 000001 1 3 0 "$(records 1 25)" | sed 's/^01/20/'; segment 000001 1 3 0 "$(records 1 25)"; } | xxd -r -p >lost
	[[ $(stat -c %s lost) == 512 ]]
	run -5 --separate-stderr madrecv -r lost --fields seq -j
	[[ ${#stderr_lines[@]} -eq 1 && $stderr == *"offset 0: base version 0x20 is neither 0x01 nor 0x80"* ]]
	[[ -z $output ]]
}

# dialects: dumps of the file mad in files whose names begin with "dialect-", offsets in them.
dialects() {
	local form
	for form in xxd 'xxd -d' 'xxd -c 8' 'xxd -o 4096' hexdump 'hexdump -C' 'hexdump -x' 'od -x' 'od -t x1' 'od -A d -t x1' \
		'od -A d -x' 'od -A x -t x1z' 'od -w64 -t x1'; do
		$form mad >"dialect-${form// /}"
	done
	xxd mad | sed 's/^0000/\t0x/; s/: /:  /' >dialect-tcpdump
	xxd -g 1 mad | sed 's/^0000//; s/: /  /; s/  \([^ ]*\)$/   \1/; s/$/\r/' >dialect-wireshark
}

@test "A14: the offsets of a dump are checked: hex, decimal and octal" {
	local form
	bytes 0104018100000000000000000000002a0012000000000000 \
		"$(for i in {24..255}; do printf %02x $((i * 7 % 256)); done)" >one
	cat one one >mad
	dialects
	for form in dialect-*; do
		same_mad "$form"
		# several, one after the other
		[[ $form == *4096 ]] || cat mad mad | cmp - <(cat "$form" "$form" | madrecv -r - -f raw)
		# in the second MAD, behind the whole first one
		line=$(($(wc -l <"$form") * 3 / 4))
		sed "${line}d" "$form" >missing
		sed "${line}p" "$form" >repeated
		sed "${line}{h;d}; $((line + 1))G" "$form" >exchanged
		sed "${line}s/ \([0-9a-f]*\) \( *\)\([0-9a-f]*\)/ \1 \2\3 \2\3/" "$form" >longer
		sed "${line}s/ \([0-9a-f]*\) \( *\)\([0-9a-f]*\)/ \1 /" "$form" >shorter
		for damage in missing repeated exchanged longer shorter; do
			! cmp -s "$form" "$damage"
			run -5 --separate-stderr madrecv -r "$damage" --fields seq -j
			[[ $output == '{"seq":1}' && ${#stderr_lines[@]} -le 2 && $stderr =~ line\ $((line + 1))|line\ $line &&
				($stderr == *"column "*"the offset is "*" was expected"* ||
					$damage$stderr == longer*"column 1: the line has "*" bytes, and the first of its dump has "*) ]] ||
				{ echo "$form $damage: $output $stderr"; return 1; }
		done
		[[ $(madrecv -r shorter -f raw 2>/dev/null | sha256sum) == "$(sha256sum <one)" ]]
	done
	# a comment or a blank line does not hide a line that is missing
	for line in '' '# a comment'; do
		sed "5s/.*/$line/" dialect-xxd >missing
		run -5 --separate-stderr madrecv -r missing --fields seq -j
		[[ $stderr == *"64 of 256 bytes"* ]]
	done
}

@test "A14: a closing offset is checked, and says how much of the last word is padding" {
	{ counters_mad; bytes 01; } >mad
	for form in hexdump 'hexdump -x' 'od -x' 'od -A d -x'; do
		$form mad >dump
		run -5 --separate-stderr madrecv -r dump --fields seq -j
		[[ $stderr == *": the dump ends within a MAD: 1 of 256 bytes, not shown" ]] || { echo "$form: $stderr"; return 1; }
	done
	counters_mad >mad
	hexdump -v -C mad | sed '$s/1/2/' >dump
	run -5 --separate-stderr madrecv -r dump --fields seq -j
	[[ $output == '{"seq":1}' && $stderr == *"column 1: the offset is 0x200, and 0x100 was expected"* ]]
}

@test "A14: a byte too many in the last line of a MAD" {
	counters_mad >one
	cat one one >mad
	for form in 'od -v -t x1' 'od -v -A d -t x1' 'xxd -g 1'; do
		$form mad | sed '16s/ 00/ 01 00/; 16s/  \..*//' >dump
		# nothing follows it, another line, or another dump
		head -n 16 dump >end
		cat end dump >more
		for file in dump end more; do
			run -5 --separate-stderr madrecv -r $file --fields seq -j
			[[ -z $output && ${stderr_lines[0]} == "madrecv: $file: line 16, column 1: the line has 17 bytes, and the first of its dump has 16" ]] ||
				{ echo "$form: $output $stderr"; return 1; }
		done
	done
	# only the last line may be shorter
	p=$(xxd -p -c 256 one)
	printf '0000: %s\n0080: %s\n' "${p:0:256}" "${p:256}" >mad
	madrecv -r mad -f raw | cmp - one
	printf '0000: %s\n0018: %s\n' "${p:0:48}" "${p:48}" >dump
	run -5 --separate-stderr madrecv -r dump --fields seq -j
	[[ -z $output && $stderr == *"line 2, column 1: the line has 232 bytes, and the first of its dump has 24"* ]]
}

@test "A14: the radix of the offsets decides how many lines '*' repeats" {
	{ bytes 0104018100000000000000000000002a "$(zeros 240)"; } >mad
	for form in 'od -A d -t x1' 'od -t x1' 'od -A x -t x1' 'od -A d -x' hexdump 'hexdump -x' 'hexdump -C' 'xxd -a' 'xxd -d -a' \
		'od -A d -t x1 -w8' 'od -A d -t x1 -w4'; do
		$form mad >dump
		grep -q '^\*' dump
		same_mad dump
		[[ $form == xxd* ]] || cat mad mad | cmp - <(cat dump dump | madrecv -r - -f raw)
	done
	# one line before '*'
	row=$(printf ' 01%.0s' {1..16})
	printf '0000000%s\n*\n0000512\n' "$row" >decimal
	[[ $(madrecv -r decimal -f raw | wc -c) == 512 ]]
	printf '0000000%s\n*\n0001000\n' "$row" >any
	run -5 --separate-stderr madrecv -r any -f raw
	[[ -z $output && $stderr == *"line 3, column 1: the offset may be hex, decimal or octal: "* ]]
	printf '00001000 %s\n*\n00002000\n' "$(od -An -v -t x1 -w256 mad)" >eight
	[[ $(madrecv -r eight -f raw | wc -c) == 4096 ]]
	# no offset follows
	printf '%s\n' '*' | cat <(xxd mad) - >open
	run -5 --separate-stderr madrecv -r open --fields seq -j
	[[ $output == '{"seq":1}' && $stderr == *"line 18, column 1: the offset after '*' is missing" ]]
	cat open <(xxd mad) >open-more
	run -5 --separate-stderr madrecv -r open-more --fields seq -j
	[[ $output == $'{"seq":1}\n{"seq":2}' && $stderr == *"line 18, column 1: the offset after '*' is missing" ]]
}

@test "A14: a file and a slow pipe decode alike: dumps, whole and with a line missing" {
	load ../torture/torture.bash
	torture_build
	{ bytes 0104018100000000000000000000002a; for i in {16..100}; do bytes "$(printf %02x $((i * 7 % 256)))"; done; zeros 155 | xxd -r -p; } >mad
	dialects
	for file in dialect-*; do
		chunked -f raw
		sed 3d "$file" >missing
		file=missing chunked -f raw
	done
}

@test "A14: a line without digits is reported" {
	madsend --dry-run -L 9 Get NodeInfo -f raw >raw
	want=$(madrecv -r raw -j --fields header,data)
	for line in '| 01 01 01 |' '|....|' '> |....|' '> What is this?' '>'; do
		{ echo "$line"; hexdump -C raw; } >text
		run -0 --separate-stderr madrecv -r text -j --fields header,data
		[[ $output == "$want" && $stderr == "madrecv: text: 1 line skipped, which is not part of a hex dump" ]]
	done
	for line in '0000: |....|' '0000: >....<'; do
		{ echo "$line"; hexdump -C raw; } >text
		run -5 --separate-stderr madrecv -r text -j
		[[ $stderr == *'line 1, column '*': no hex digits' ]]
	done
	hexdump -C raw | sed 's/^/>/' >quoted
	run -5 --separate-stderr madrecv -r quoted -j
	[[ -z $output && $stderr == "madrecv: quoted: line 1, column 1: no hex digits; remove the '>' of a quotation" ]]
}

@test "hex by tshark" {
	command -v tshark >/dev/null || skip "tshark is missing"
	counters_mad >mad
	# all of the packet is the MAD
	od -A x -v -t x1 mad >dump
	text2pcap -q -l 147 dump packet.pcap
	tshark -x -r packet.pcap 2>/dev/null >hex
	same_mad hex
}

@test "text that is no hex: its line and column" {
	trouble() { # TEXT WORDS
		printf '%b' "$1" >text
		run -5 --separate-stderr madrecv -r text
		[[ $stderr == *"madrecv: text: $2"* ]] || { echo "$1: $stderr"; return 1; }
	}
	trouble '01 81 0z' 'line 1, column 7: a single hex digit'
	trouble '01 81 zz' 'line 1, column 7: no hex digits'
	trouble '{"schema":"madkit/1"}' 'line 1, column 1: no hex digits; lines of JSON are for madsend --batch'
	trouble '\n# a\n01 8' 'line 3, column 4: a single hex digit'
	trouble '01810101 01810101 00 01810101' 'line 1, column 22: a word of 2 digits among words of 8'
	trouble '018 000' 'line 1, column 1: an odd number of hex digits'
	trouble '0000000 0304 0506' 'line 1, column 9: words in an unknown byte order: use hexdump -C'
	trouble '0000: 01 02\n*\nzz' "line 3, column 1: the offset after '*' is missing"
	trouble '0000: 01 02\n*\nffffffff: 01' "line 3, column 1: the offset does not say how often"
	trouble "# $(zeros 40)\n01 \\0 02" 'line 2, column 4: no hex digits'
}

# OPA's PortInfo and SMInfo: no table knows their fields. The other base version of PortCounters has no key.
@test "B13: a key in an OPA attribute whose fields are not known is not shown" {
	local key=feedc0defeedc0de id
	for id in 0015 0020; do
		bytes "80018081$(zeros 12)${id}$(zeros 14)$(zeros 48)" "$key" "$(zeros $((2048 - 88)))" >opa
		[[ $(stat -c %s opa) == 2048 ]]
		run -0 --separate-stderr madrecv -r opa -w "$id.pcap"
		[[ $output == *"not displayed"* && $output != *$key* ]]
		run -0 --separate-stderr madrecv -r opa -j
		[[ $(jq -c '[.data.Data, .redacted]' <<<"$output") == '[null,["header.m_key","data.Data"]]' && $output != *$key* ]]
		run -1 grep -q "$key" <(xxd -p "$id.pcap" | tr -d '\n')
		run -0 --separate-stderr madrecv -r opa -K -j
		[[ $output == *$key* && $(jq -c .redacted <<<"$output") == '[]' ]]
	done
	bytes "80040181$(zeros 12)0012$(zeros 46)" "$key" "$(zeros $((2048 - 72)))" >opa
	run -0 --separate-stderr madrecv -r opa -j
	[[ $output == *$key* ]]
}
