#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# The exchange of mstflint 4.33 by LID: madsend sends the same requests for registers, and madsim gives the
# responses that make mstreg go on.

setup() { load common; }
teardown() { clean_up; }

# hex WORD...: the bytes that madsend prints, as one word of digits
hex() { madsend "$@" -f hex | sed 's/^[0-9a-f]*: //' | tr -d ' \n'; }

# mlnx STATUS WORD...: a request to the switch; its status, and sets reply to the digits
mlnx() {
	run -"$1" --separate-stderr on h1-1 madsend -L 2 --class 0x0a "${@:2}" -f hex
	reply=$(sed 's/^[0-9a-f]*: //' <<<"$output" | tr -d ' \n')
}

@test "requests for registers are those of mstreg" {
	local word rest name words sent n=0
	while read -r word rest; do
		case $word in
			register) name=${rest% *} ;;
			words) words=${rest#-} ;;
			request)
				# all sensors are asked for unless a number is given
				[[ $name != Sensors ]] || words+=' NumRecords=0'
				# shellcheck disable=SC2086  # several
				sent=$(hex --dry-run -L 5 Get "$name" $words)
				[[ $sent == "$rest"* ]] || { printf '%s\n' "$name" "$sent" "$rest"; return 1; }
				((n += 1))
				;;
		esac
	done <"$BATS_TEST_DIRNAME/../data/mstreg-fields"
	((n == 24))
}

@test "requests for temperatures are those of mstmget_temp" {
	local header=010a0101000000000000000000000000
	# the list of sensors, and then each internal one
	[[ $(hex --dry-run -L 5 Get MTCAP) == "$header"0051000000009009000000000000000000000000000000* ]]
	[[ $(hex --dry-run -L 5 Get MTMP Internal=1) == "$header"005100000000900a000000000000000000000000800000* ]]
}

@test "madsim answers what mstreg asks before a register" {
	serve fat-tree:4,4,2
	# the type of the device: revision and ID
	mlnx 0 Get 0x0050 -m 0x0f010014
	[[ ${reply:8:4} == 0000 && ${reply:64:8} == 00a0024d ]]
	# GeneralInfo, bit 20 of the word at 160: registers by GMP
	mlnx 0 Get 0x0017
	[[ ${reply:8:4} == 0000 ]]
	((0x${reply:320:8} >> 20 & 1))
	# MTCAP by another way first, which is refused: mstreg goes on with 0x0051
	mlnx 4 Set 0xff52 data=080400009009010a00000000000000001805000000000000
	[[ ${reply:8:4} == 000c ]]
}

@test "madsim answers PLIB with the tail that mstreg leaves in its request" {
	serve fat-tree:4,4,2
	# block, local port 1, and 28 bytes of what mstreg had in memory
	mlnx 0 Get 0x0051 -m 0x500a \
		data=00000000000100000000000000000000000000006d73623d30005d0021000000000000001cbbc02050550000480d51
	[[ ${reply:8:4} == 0000 && ${reply:40:8} == 0000500a ]]
	# its index is echoed, and the IB port follows
	[[ ${reply:72:4} == 0001 ]]
	((0x${reply:76:4} & 0x3ff))
	# mstreg prints status 20 and 28 alike, as "not supported"
	mlnx 4 Get 0x0051 -m 0x5eee
	[[ ${reply:8:4} == 0014 ]]
}
