#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# madrecv -r: captures, written down here byte by byte or made by Wireshark's own tools.

setup() {
	load common
	cd "$BATS_TEST_TMPDIR" || return
}

needs() {
	local tool
	for tool; do
		command -v "$tool" >/dev/null || skip "$tool is missing"
	done
}

# bytes HEX...: as raw bytes; zeros LENGTH: so many zeros in hex.
bytes() { printf '%s' "$@" | tr -d ' \n' | xxd -r -p; }
zeros() { printf '%0*d' "$((2 * $1))" 0; }
size() { printf '%s' "$((${#1} / 2))"; }

# ---- a packet ----------------------------------------------------------------------
# A MAD: PerfMgt METHOD PortCounters, PortSelect 3, SymbolErrorCounter 77.
counters() {
	printf '010401%02x%s%s%s' "${1:-0x81}" 0000000000000000000002a000120000 \
		"$(zeros 44)" 00030000004d
	zeros 186
}
# BTH and DETH from QP 0x17 to QP 1 or $2, P_Key 0x8001, Q_Key $3 or the GSI's, behind opcode $1.
transport() {
	printf '%02x008001%08x00000009%s00000017' "$1" "${2:-1}" "${3:-80010000}"
}
payload() { transport 0x64; counters "$@"; }
crcs=0badc0de
# LRH to LID 7 from LID 5, SL 2; $1: next header, $2: words
lrh() { printf '00%02x0007%04x0005' "$((0x20 | $1))" "$2"; }
infiniband() { lrh 2 72; payload "$@"; printf '%s' $crcs beef; }
gids=fe800000000000000002c90300000005fe800000000000000002c90300000007
grh() { printf '6ab12345%04x1b40%s' "$1" $gids; }
global() { grh 280; payload; printf '%s' $crcs; }
# $1: type, $2: the packet; its seconds are 1000000000
erf() {
	local n
	n=$(size "$2")
	printf '00000080%s%02x04%04x0000%04x%s' 00ca9a3b "$1" "$((16 + n))" "$n" "$2"
}
ethernet() { printf '020000000007020000000005%s' "$1"; }
roce1() { ethernet 8915; global; }
udp() { printf 'c00012b7%04x0000' "$((8 + 280))"; payload; printf '%s' $crcs; }
ipv4() { printf '45020%03x000040004011%s' "$((20 + 8 + 280))" 0000c0a80105c0a80107; udp; }
# with a destination-options header before UDP
ipv6() { printf '6ab12345%04x3c40%s%s' "$((8 + 8 + 280))" $gids 1100000000000000; udp; }
roce2() { ethernet 0800; ipv4; }

# ---- a file --------------------------------------------------------------------------
le() { printf "%0$((2 * $1))x" "$2" | fold -w 2 | tac | tr -d '\n'; }
be() { printf "%0$((2 * $1))x" "$2"; }
# pcap ORDER MAGIC LINKTYPE; record ORDER FRACTION PACKET [ORIGINAL]
pcap() { "$1" 4 "$2"; "$1" 2 2; "$1" 2 4; zeros 8; "$1" 4 65535; "$1" 4 "$3"; }
record() {
	"$1" 4 1000000000
	"$1" 4 "$2"
	"$1" 4 "$(size "$3")"
	"$1" 4 "${4:-$(size "$3")}"
	printf '%s' "$3"
}
# one LINKTYPE PACKET: a file that holds it
one() { bytes "$(pcap le 0xa1b2c3d4 "$1")" "$(record le 5 "$2")"; }
# block ORDER TYPE BODY
block() {
	local n=$((12 + ${#3} / 2)) pad
	pad=$(((4 - n % 4) % 4))
	"$1" 4 "$2"
	"$1" 4 $((n + pad))
	printf '%s%s' "$3" "$([[ $pad == 0 ]] || zeros $pad)"
	"$1" 4 $((n + pad))
}
section() { block "$1" 0x0a0d0d0a "$("$1" 4 0x1a2b3c4d)$("$1" 2 1)$("$1" 2 0)ffffffffffffffff"; }
# interface ORDER LINKTYPE [OPTIONS]
interface() { block "$1" 1 "$("$1" 2 "$2")0000$("$1" 4 0)${3:-}"; }
# enhanced ORDER INTERFACE TIME PACKET
enhanced() {
	block "$1" 6 "$("$1" 4 "$2")$("$1" 4 $(($3 >> 32)))$("$1" 4 $(($3 & 0xffffffff)))$(
		"$1" 4 "$(size "$4")")$("$1" 4 "$(size "$4")")$4"
}

# shown FILE FILTER: one MAD comes out, and nothing is said
shown() {
	run -0 --separate-stderr madrecv -r "$1" -j
	[[ ${#lines[@]} -eq 1 && -z $stderr ]] || { echo "$output$stderr"; return 1; }
	jq -c "$2" <<<"$output"
}
# what the MAD above says
is_mad() {
	[[ $(shown "$1" '[.kind,.header.tid,.data.PortSelect,.data.SymbolErrorCounter]') == \
		'["response","0x00000000000002a0",3,77]' ]]
	madrecv -r "$1" -f raw | cmp - <(bytes "$(counters)")
}

@test "pcap of either byte order and either unit of time" {
	declare -A want=([0xa1b2c3d4]=000005 [0xa1b23c4d]=000000)
	for magic in "${!want[@]}"; do
		for order in le be; do
			bytes "$(pcap $order $magic 247)" "$(record $order 5 "$(infiniband)")" >"$order-$magic"
			is_mad "$order-$magic"
			[[ $(shown "$order-$magic" .time) == "\"2001-09-09T01:46:40.${want[$magic]}Z\"" ]]
		done
	done
	# several, and a time that cannot be
	bytes "$(pcap le 0xa1b2c3d4 247)" "$(record le 1 "$(infiniband)")" \
		"$(record le 1000000 "$(infiniband)")" "$(record le 2 "$(infiniband 1)")" >three
	run -0 --separate-stderr madrecv -r three -j
	[[ $(jq -sc 'map([.seq, .kind, .time[20:26]])' <<<"$output") == \
		'[[1,"response","000001"],[2,"response",null],[3,"request","000002"]]' ]]
	run -0 madrecv -r - -j -n 2 <three
	[[ ${#lines[@]} -eq 2 ]]
}

@test "every kind of packet: the same MAD, and where it came from" {
	lid='{"lid":5,"path":null,"gid":null,"qp":23,"sl":2,"pkey_index":null}'
	gid='"gid":"fe80::2:c903:0:5"'
	ip='"gid":"::ffff:192.168.1.5"'
	declare -A file=(
		[link-247]=$lid [link-197]=$lid [link-197x]=$lid [link-247i]=$lid
		[link-247g]='{"lid":5,"path":null,'$gid',"qp":23,"sl":2,"pkey_index":null}'
		[link-1v1]='{"lid":0,"path":null,'$gid',"qp":23,"sl":0,"pkey_index":null}'
		[link-1v2]='{"lid":0,"path":null,'$ip',"qp":23,"sl":0,"pkey_index":null}'
		[link-1v6]='{"lid":0,"path":null,'$gid',"qp":23,"sl":0,"pkey_index":null}'
		[link-1vlan]='{"lid":0,"path":null,'$ip',"qp":23,"sl":5,"pkey_index":null}'
		[link-1qinq]='{"lid":0,"path":null,'$gid',"qp":23,"sl":3,"pkey_index":null}'
		[link-113]='{"lid":0,"path":null,'$ip',"qp":23,"sl":0,"pkey_index":null}'
		[link-276]='{"lid":0,"path":null,'$gid',"qp":23,"sl":0,"pkey_index":null}'
		[link-101]='{"lid":0,"path":null,'$ip',"qp":23,"sl":0,"pkey_index":null}'
		[link-197ethernet]='{"lid":0,"path":null,'$ip',"qp":23,"sl":0,"pkey_index":null}'
		[link-197ipv6]='{"lid":0,"path":null,'$gid',"qp":23,"sl":0,"pkey_index":null}'
		[link-247qp]=$lid)
	one 247 "$(infiniband)" >link-247
	one 247 "$(lrh 3 82)$(global)0000" >link-247g
	# with immediate data, and with a pad of 3 bytes behind the MAD
	one 247 "$(lrh 2 73)$(transport 0x65)00000000$(counters)$crcs$crcs" >link-247i
	# a separate queue pair, by the GSI's Q_Key
	one 247 "$(lrh 2 72)$(transport 0x64 0x99)$(counters)$crcs" >link-247qp
	one 197 "$(erf 21 "$(infiniband)")" >link-197
	# two headers of extensions, and filled up to a multiple of 8 at the end
	one 197 "0000008000ca9a3b9504$(be 2 $((32 + 290 + 6)))0000$(be 2 290)81000000000000000300000000000000$(infiniband)ffffffffffff" >link-197x
	one 197 "$(erf 2 "0000$(roce2)")" >link-197ethernet
	one 197 "$(erf 23 "$(ipv6)")" >link-197ipv6
	one 1 "$(roce1)" >link-1v1
	one 1 "$(roce2)" >link-1v2
	one 1 "$(ethernet 86dd)$(ipv6)" >link-1v6
	one 1 "$(ethernet 8100)a0020800$(ipv4)" >link-1vlan
	one 1 "$(ethernet 88a8)e001810060028915$(global)" >link-1qinq
	one 113 "00000001000602000000000500000800$(ipv4)" >link-113
	one 276 "86dd000000000002000100060200000000050000$(ipv6)" >link-276
	one 101 "$(ipv4)" >link-101
	for name in "${!file[@]}"; do
		is_mad "$name" || { echo "$name"; return 1; }
		[[ $(shown "$name" '.remote | del(.name)') == "${file[$name]}" ]] ||
			{ echo "$name: $(shown "$name" .remote)"; return 1; }
	done
	# an Ethernet frame with its checksum behind it
	bytes "$(pcap le 0xa1b2c3d4 0x24000001)" "$(record le 5 "$(roce2)01020304")" >fcs
	is_mad fcs
}

@test "remote: where a request goes, where all else came from" {
	one 247 "$(infiniband 0x01)" >get
	[[ $(shown get '[.kind,.remote.lid,.remote.qp]') == '["request",7,1]' ]]
	one 247 "$(infiniband 0x81)" >get-resp
	[[ $(shown get-resp '[.kind,.remote.lid,.remote.qp]') == '["response",5,23]' ]]
	for method in 3 5 6; do
		one 247 "$(infiniband $method)" >"method-$method"
		[[ $(shown "method-$method" '[.kind,.remote.lid,.remote.qp]') == '["request",5,23]' ]]
	done
	run -0 madrecv -r get
	[[ ${lines[0]} == "# Get PortCounters: Lid 7 port 3" ]]
	# a directed route, as in the SMP
	smp=$(counters | sed 's/^0104/0181/; s/^\(.\{12\}\)..../\10002/')
	smp=${smp:0:64}ffffffff$(zeros 92)000104${smp:262}
	one 247 "f002ffff0048ffff$(transport 0x64 0 00000000)$smp$crcs" >direct
	[[ $(shown direct '[.remote.lid,.remote.path]') == '[0,"0,1,4"]' ]]
}

@test "pcapng: byte orders, sections, interfaces, times, and blocks that are skipped" {
	ib=$(infiniband) roce=$(roce2)
	for order in le be; do
		resol=$($order 2 9)$($order 2 1)09000000
		binary=$($order 2 9)$($order 2 1)94000000
		offset=$($order 2 14)$($order 2 8)$($order 8 3600)
		comment=$($order 2 1)$($order 2 5)68656c6c6f000000
		{
			section $order
			block $order 0x0bad "$(zeros 1000)"
			interface $order 247
			interface $order 1 "$comment$resol${offset}00000000"
			interface $order 197 "$binary"
			enhanced $order 0 1000000000000001 "$ib"
			block $order 4 00000000
			enhanced $order 1 1000000000000000001 "$roce"
			enhanced $order 2 $((1000000000 * 1048576 + 524288)) "$(erf 21 "$ib")"
			# simple, and the obsolete one
			block $order 3 "$($order 4 "$(size "$ib")")$ib"
			block $order 2 "$($order 2 1)0000$($order 4 $((1000000000000000001 >> 32)))$(
				$order 4 $((1000000000000000001 & 0xffffffff)))$($order 4 "$(size "$roce")")$(
				$order 4 "$(size "$roce")")$roce"
			block $order 5 "$(zeros 12)"
		} >$order.hex
	done
	# a section of one order behind one of the other: the interfaces begin anew
	bytes "$(cat le.hex be.hex)" >both
	run -0 --separate-stderr madrecv -r both -j
	[[ -z $stderr ]]
	times='"01:46:40.000001","02:46:40.000000","01:46:40.500000",null,"02:46:40.000000"'
	[[ $(jq -sc 'map(if .time then .time[11:26] else null end)' <<<"$output") == "[$times,$times]" ]]
	[[ $(jq -sc 'map(.data.SymbolErrorCounter) | unique' <<<"$output") == '[77]' ]]
	# in pieces, through a pipe
	{ head -c 1001 both; sleep 0.05; tail -c +1002 both | head -c 1500; sleep 0.05; tail -c +2502 both; } |
		madrecv -r - -j | cmp - <(printf '%s\n' "$output")
}

@test "other packets are counted, and nothing is said of them unless asked" {
	tcp=$(ethernet 0800)450000280000400040060000c0a80105c0a80107$(zeros 20)
	arp=$(ethernet 0806)$(zeros 28)
	dns=$(ethernet 0800)4500001c0000400040110000c0a80105c0a80107c00000350008$(zeros 2)
	send=$(ethernet 8915)$(grh 280)$(transport 0x04)$(counters)$crcs
	data=$(ethernet 8915)$(grh 280)$(transport 0x64 0x55 00000b1b)$(counters)$crcs
	bytes "$(pcap le 0xa1b2c3d4 1)" "$(for p in $tcp $arp $dns $send $data $(roce2); do record le 5 "$p"; done)" >mixed
	is_mad mixed
	run -0 --separate-stderr madrecv -r mixed -v
	[[ $stderr == "madrecv: mixed: 5 of 6 packets hold no MAD" ]]
	bytes "$(pcap le 0xa1b2c3d4 1)" "$(record le 5 "$tcp")" >none
	run -6 --separate-stderr madrecv -r none
	[[ -z $output && $stderr == "madrecv: none: there is no MAD in its 1 packet" ]]
	bytes "$(pcap le 0xa1b2c3d4 1)" >empty
	run -6 --separate-stderr madrecv -r empty
	[[ -z $output && $stderr == "madrecv: empty: there is no MAD in it" ]]
}

# damaged FILE WORD [SHOWN]: status 5, one line that has the word, so many MADs shown
damaged() {
	run -5 --separate-stderr madrecv -r "$1" -j
	[[ ${#stderr_lines[@]} -eq 1 && $stderr == "madrecv: $1: offset "*"$2"* ]] ||
		{ echo "$1: $stderr"; return 1; }
	[[ ${#lines[@]} -eq ${3:-1} ]] || { echo "$1: ${#lines[@]} lines"; return 1; }
}

@test "damage: what was before it, where it is, status 5" {
	head=$(pcap le 0xa1b2c3d4 247)
	good=$(record le 5 "$(infiniband)")
	n=$((24 + 16 + 290))
	bytes "$head" "$good" "${good:0:20}" >cut-header
	damaged cut-header "$n: the file ends within a record's header: 10 of 16 bytes"
	bytes "$head" "${good:0:400}" >cut-data
	damaged cut-data "24: the file ends within a packet: 106 bytes are missing"
	[[ $(jq -c '[.data.SymbolErrorCounter, .remote.lid]' <<<"$output") == '[77,5]' ]]
	bytes "${head:0:30}" >cut-file
	damaged cut-file "0: the file ends within its header: 15 of 24 bytes" 0
	bytes "$head" "$good" "$(zeros 8)ffffff7f$(zeros 4)" >absurd
	damaged absurd "$n: a record claims a packet of 2147483647 bytes"
	bytes "$head" "$(record le 5 "$(infiniband)" 60)" "$good" >longer
	damaged longer "24: a packet of 60 bytes, of which 290 were captured" 2
	# cut by the snapshot length: in the MAD, before it, before anything is known
	bytes "$head" "$(record le 5 "$(infiniband | head -c 400)" 290)" "$good" >snap
	damaged snap "24: the packet is cut within a MAD: 172 of 256 bytes" 2
	[[ $(jq -s -c '.[0].data.SymbolErrorCounter' <<<"$output") == 77 ]]
	bytes "$head" "$(record le 5 "$(infiniband | head -c 56)" 290)" "$good" >snap-28
	damaged snap-28 "24: the packet is cut before its MAD"
	bytes "$head" "$(record le 5 "$(infiniband | head -c 40)" 290)" "$good" >snap-20
	damaged snap-20 "24: the packet is cut within its transport headers"
	bytes "${head:0:8}0300${head:12}" "$good" >version
	damaged version "pcap of version 3.4" 0
	# no MAD of any version, to QP 1
	bytes "$head" "$(record le 5 "$(infiniband | sed 's/010401/770401/')")" "$good" >base
	damaged base "24: base version 0x77"
	bytes "$head" "$(record le 5 "$(lrh 2 5)$(payload)")" "$good" >lrh
	damaged lrh "24: the headers leave no room: by them the packet has 12 bytes"
}

@test "damage in pcapng" {
	ib=$(infiniband)
	head=$(section le)$(interface le 247)
	good=$(enhanced le 0 5 "$ib")
	n=$((28 + 20))
	size=$((${#good} / 2))
	bytes "$head" "$good" "${good:0:10}" >cut-header
	damaged cut-header "$((n + size)): the file ends within a block's header: 5 of 8 bytes"
	bytes "$head" "${good:0:300}" >cut-data
	damaged cut-data "$n: the file ends within a packet: $((size - 150)) bytes are missing"
	bytes "$head" "$good" "$(block le 99 "$(zeros 40)" | head -c 60)" >cut-block
	damaged cut-block "the file ends within a block"
	bytes "$head" "$good" "06000000 0e000000" "$(zeros 40)" >odd
	damaged odd "$((n + size)): no block can have 14 bytes"
	bytes "$head" "$good" "${good:0:-8}00000000" >tail
	damaged tail "a block of $size bytes says 0 at its end"
	bytes "$head" "$good" "$(block le 99 00000000 | sed 's/........$/00000000/')" >skipped-tail
	damaged skipped-tail "a block of 16 bytes says 0 at its end"
	# these do not end it
	bytes "$head" "$(enhanced le 7 5 "$ib")" "$good" >interface
	damaged interface "$n: a packet of interface 7, which the file does not describe"
	bytes "$head" "$(block le 6 "$(zeros 12)ffff0000ffff0000$ib")" "$good" >room
	damaged room "$n: a packet of 65535 bytes in a block with room for 292"
	bytes "$head" "$(block le 6 "$(zeros 8)")" "$good" >short
	damaged short "$n: a packet's block of 20 bytes"
	bytes "$(section le | sed 's/4d3c2b1a/4d3c2b1b/')" "$good" >magic
	damaged magic "0x4d3c2b1b is not a byte-order magic" 0
	bytes "$head" "$good" "$(section le | sed 's/4d3c2b1a01/4d3c2b1a02/')" "$good" >version
	damaged version "pcapng of version 2"
}

@test "link types that are not read, by name; ERF records that make no sense" {
	one 105 "$(infiniband)" >wireless
	damaged wireless "24: link type 105 (IEEE 802.11) is not read" 0
	[[ -z $output ]]
	one 147 "$(infiniband)" >private
	run -5 --separate-stderr madrecv -r private
	[[ $stderr == *"link type 147 is not read"* ]]
	# reported once, whatever else there is
	bytes "$(section le)$(interface le 105)$(interface le 247)" "$(for i in 0 0 1 0; do
		enhanced le $i 5 "$(infiniband)"; done)" >several
	damaged several "link type 105"
	erf=$(erf 21 "$(infiniband)")
	one 197 "${erf:0:20}0008${erf:24}" >rlen
	run -5 --separate-stderr madrecv -r rlen
	[[ -z $output && $stderr == *"offset 24: an ERF record that claims 8 bytes"* ]]
	one 197 "${erf:0:20}0030${erf:24}" >cut
	run -5 --separate-stderr madrecv -r cut
	[[ $stderr == *"offset 24: the packet is cut within a MAD: 4 of 256 bytes"* ]]
	one 197 "${erf:0:16}ff${erf:18:14}$(zeros 40 | sed 's/../ff/g')" >extensions
	run -5 --separate-stderr madrecv -r extensions
	[[ -z $output && $stderr == *"offset 24: an ERF record that claims 306 bytes"* ]]
	one 197 "${erf:0:16}95${erf:18:2}0014${erf:24:8}81$(zeros 40)" >extension
	run -5 --separate-stderr madrecv -r extension
	[[ -z $output && $stderr == *"offset 24: an ERF record that claims 20 bytes"* ]]
	# a capture of nothing but damage does not flood
	bytes "$(pcap le 0xa1b2c3d4 247)" "$(for i in {1..30}; do record le 5 "$(infiniband | head -c 40)" 290; done)" >flood
	run -5 --separate-stderr madrecv -r flood
	[[ ${#stderr_lines[@]} -eq 11 && $stderr == *"20 more places like these"* ]]
}

@test "what -w wrote is read back: MAD, address, time" {
	madsend --dry-run -L 9 --sl 3 --qp 0x77 --gid fe80::1234 --hop-limit 7 Get PortCounters PortSelect=4 \
		-f raw -w gid >mad
	[[ $(shown gid '[.kind, .remote.lid, .remote.gid, .remote.qp, .remote.sl]') == \
		'["request",9,"fe80::1234",119,3]' ]]
	madrecv -r gid -f raw | cmp - mad
	madsend --dry-run -D 0,1,5 Get NodeInfo -f raw -w direct >mad
	[[ $(shown direct '[.kind, .remote.lid, .remote.path, .remote.qp]') == '["request",0,"0,1,5",0]' ]]
	madrecv -r direct -f raw | cmp - mad
	madsend --dry-run -L 4 Trap SubnMgt:Notice -f raw -w trap >mad
	[[ $(shown trap '[.kind, .remote.lid]') == '["request",4]' ]]
	madrecv -r trap -f raw | cmp - mad
	# from one capture to another: nothing is lost of either end
	for method in 0x81 0x01; do
		one 247 "$(lrh 3 82)$(grh 280)$(payload $method)${crcs}0000" >first
		madrecv -r first -w second >/dev/null
		[[ $(shown second '[.time,.remote]') == "$(shown first '[.time,.remote]')" ]]
		# LRH, GRH, BTH without its sequence number, DETH
		[[ $(hex second 56 48) == "00230007005200056ab12345$(be 2 280)1b40$gids" ]]
		[[ $(hex second 104 8) == 6400800100000001 ]]
		[[ $(hex second 116 8) == 8001000000000017 ]]
	done
}

@test "a message of many segments is written as its segments, and put together from them" {
	# three segments of class 0x32 with RMPP: 216 bytes of data in each
	body=$(head -c 500 /dev/urandom | xxd -p | tr -d '\n')
	bytes 01320113000000000000000000000001001000000000000001010300 00000001 00000200 \
		00 001405 "$body" >message
	madrecv -r message -w segments -f raw | cmp - message
	[[ $(stat -c %s segments) == $((24 + 3 * (16 + 16 + 28 + 256 + 6))) ]]
	shown segments '[.rmpp, .time]'
	madrecv -r segments -f raw | cmp - message
	# one twice, and another message's between them
	piece() { tail -c +$((25 + $1 * 322)) "${2:-segments}" | head -c 322; }
	bytes 01320113000000000000000200000001001000000000000001010300 00000001 00000200 \
		00 001405 "$body" >other
	madrecv -r other -w others >/dev/null
	{ head -c 24 segments; piece 0; piece 0 others; piece 1; piece 1; piece 1 others; piece 2 others; piece 2; } >mixed
	run -0 --separate-stderr madrecv -r mixed -f raw
	[[ -z $stderr ]]
	madrecv -r mixed -f raw | cmp - <(cat other message)
	# one is missing
	{ head -c 24 segments; piece 0; piece 2; one 197 "$(erf 21 "$(infiniband)")" | tail -c +25; } >gap
	run -5 --separate-stderr madrecv -r gap -j
	[[ ${#lines[@]} -eq 3 && ${#stderr_lines[@]} -eq 2 ]] || { echo "$stderr"; return 1; }
	[[ ${stderr_lines[0]} == *"gap: offset 24: a message without its later segments" ]]
	[[ ${stderr_lines[1]} == *"gap: offset 346: segment 3 of a message without segment 2" ]]
	madrecv -r segments -w copy >/dev/null
	cmp segments copy
	# the first is missing; A14: the status says so
	{ head -c 24 segments; piece 1; piece 2; } >no-first
	run -5 --separate-stderr madrecv -r no-first -j
	[[ ${#lines[@]} -eq 2 && $stderr == "madrecv: no-first: offset 24: segment 2 of a message without segment 1" ]] ||
		{ echo "$stderr"; return 1; }
	# the bytes of a segment change while it is sent again, before and after the message is whole
	{ piece 1 | head -c 200; printf X; piece 1 | tail -c +202; } >changed
	{ head -c 24 segments; piece 0; piece 1; cat changed; piece 2; } >before
	{ head -c 24 segments; piece 0; piece 1; piece 2; piece 1; cat changed changed; piece 2; } >after
	for file in before after; do
		run -5 --separate-stderr madrecv -r $file -j
		[[ ${#lines[@]} -eq 2 && ${#stderr_lines[@]} -eq 1 ]] || { echo "$file: $stderr"; return 1; }
		[[ $stderr == *": segment 2 of a message differs from an earlier copy" ]]
		madrecv -r $file -n 1 -f raw | cmp - message
	done
}

@test "Wireshark's tools make the files" {
	needs text2pcap editcap mergecap tshark
	# a packet as a dump, from other hands than ours
	dump() { bytes "$1" | od -A x -v -t x1; }
	# text2pcap puts an empty ERF header before its input
	one 197 "$(erf 21 "$(infiniband)")" >erf.pcap
	dump "$(roce2)" | text2pcap -q -F pcap -l 1 - roce.pcap 2>/dev/null
	dump "$(transport 0x64)$(counters)$crcs" | text2pcap -q -F pcap -u 49153,4791 -4 192.168.1.5,192.168.1.7 - udp4.pcap 2>/dev/null
	dump "$(transport 0x64)$(counters)$crcs" | text2pcap -q -F pcap -u 49153,4791 -6 fe80::5,fe80::7 - udp6.pcap 2>/dev/null
	for file in erf roce udp4 udp6; do
		is_mad $file.pcap
		for type in pcap nsecpcap pcapng; do
			editcap -F $type $file.pcap $file.$type
			is_mad $file.$type
		done
		editcap -F pcapng -s 150 $file.pcap short.pcapng
		run -5 --separate-stderr madrecv -r short.pcapng -j
		[[ $stderr == *"the packet is cut within a MAD"* && $(jq .data.PortSelect <<<"$output") == 3 ]]
	done
	[[ $(shown udp4.pcap .remote.gid) == '"::ffff:192.168.1.5"' && $(shown udp6.pcap .remote.gid) == '"fe80::5"' ]]
	mergecap -w merged.pcapng erf.pcap roce.nsecpcap udp4.pcapng udp6.pcap
	run -0 --separate-stderr madrecv -r merged.pcapng -j
	[[ ${#lines[@]} -eq 4 && -z $stderr ]]
	[[ $(jq -sc 'map(.remote.gid) | sort' <<<"$output") == '[null,"::ffff:192.168.1.5","::ffff:192.168.1.5","fe80::5"]' ]]
}

@test "tshark sees in these packets what we see" {
	needs tshark
	one 197 "$(erf 21 "$(infiniband)")" >a
	one 197 "$(erf 21 "$(lrh 3 82)$(global)0000")" >b
	one 1 "$(roce1)" >c
	one 1 "$(roce2)" >d
	one 1 "$(ethernet 86dd)$(ipv6)" >e
	one 1 "$(ethernet 8100)a0020800$(ipv4)" >f
	for file in a b c d e f; do
		theirs=$(tshark -r $file -T fields -e infiniband.deth.srcqp -e infiniband.mad.transactionid \
			-e infiniband.portcounters.symbolerrorcounter -e infiniband.lrh.slid 2>/dev/null)
		ours=$(madrecv -r $file -j | jq -r '[.remote.qp, .header.tid, .data.SymbolErrorCounter] | @tsv')
		read -r qp tid errors slid <<<"$theirs"
		[[ "$((qp))	$tid	$((errors))" == "$ours" ]] || { echo "$file: $theirs; $ours"; return 1; }
		[[ $((slid)) == "$(madrecv -r $file -j | jq .remote.lid)" ]]
	done
	# and in what we write
	madsend --dry-run -L 9 --gid fe80::1234 Get PortCounters PortSelect=4 -w gid >/dev/null
	[[ $(tshark -r gid -Y '!_ws.malformed' -T fields -e infiniband.lrh.dlid -e infiniband.grh.dgid \
		-e infiniband.portcounters.portselect 2>/dev/null) == $'9\tfe80::1234\t0x04' ]]
}
