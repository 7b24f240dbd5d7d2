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
