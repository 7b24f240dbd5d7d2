#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Published readings of real switches (tests/data/register-readings) have the values that their users saw.

bats_require_minimum_version 1.5.0
setup() { . "$BATS_TEST_DIRNAME/../programs.sh"; }

# text ID DATA: a response with the register of that number, as text without the dots
text() {
	local mad
	printf -v mad '%s' 010a0181 000000000000000000000001 00510000 "0000$1" 0000000000000000 00000000 "$2"
	printf '%-512s\n' "$mad" | tr ' ' 0 | madrecv -r - | sed -E 's/:\.+/: /'
}

# bytes: the register in a MAD, as digits
bytes() { tail -c +37 | xxd -p | tr -d '\n'; }

@test "readings of SB7790, MQM8790, MQM9790 and Sequana3 are decoded as published" {
	local line device register id data decoded readings=0
	while IFS= read -r line; do
		case $line in
			'#'*) ;;
			$'\t'*)
				[[ $'\n'$decoded$'\n' == *$'\n'"${line#?}"$'\n'* ]] ||
					{ printf '%s\n' "$device $register: no line '${line#?}' in" "$decoded"; return 1; }
				;;
			*)
				read -r device register id data <<<"$line"
				decoded=$(text "$id" "$data")
				[[ $decoded == "# $register"* ]] || { echo "$device $register: $decoded"; return 1; }
				((readings += 1))
				;;
		esac
	done <"$BATS_TEST_DIRNAME/../data/register-readings"
	((readings == 23))
}

@test "a cable with strings without an end, control bytes and bytes that are no UTF-8 is shown, and read back" {
	local seed=$BATS_TEST_DIRNAME/../../fuzz/corpus/decode/register-moduleinfo-bad-strings line
	decoded=$(madrecv -r "$seed")
	[[ $decoded == "# ModuleInfo"* ]]
	# neither escapes nor line ends of the fabric reach the terminal
	[[ $decoded != *[$'\e\r\t\x7f']* && $decoded == *'\x1b[31m\xff\xfe'* ]]
	((${#decoded} > 1000))
	line=$(madrecv -r "$seed" -j -K)
	[[ $(jq -r '.data.VendorSerialNumber | length' <<<"$line") == 0 ]]
	# the line has every byte: as a request, it is the same data
	sent=$(jq -c '.kind = "request" | .header.method = "Get" | .header.method_id = 1 | .remote = {"lid":5}' <<<"$line" |
		madsend --batch - --dry-run -f raw | bytes)
	[[ $sent == $(bytes <"$seed") ]]
}

@test "bit error rates of which none was seen, and of 0, are told apart" {
	local seed=$BATS_TEST_DIRNAME/../../fuzz/corpus/decode/register-biterrors-extremes
	run -0 --separate-stderr madrecv -r "$seed" -j
	# 15E-255 and 0E-0; 5E-15
	jq -e '.data | .RawPhysicalBER != .SymbolBER and .SymbolBER == 5e-15 and (.RawPhysicalBERLane | length) == 8' <<<"$output"
}
