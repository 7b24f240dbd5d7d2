#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# The manual pages say what the commands do: each option of --help is described,
# each option described exists, and the pages are well-formed.
build=${top_builddir:?}
# shellcheck source-path=SCRIPTDIR source=tap.sh
. "${top_srcdir:?}/tests/tap.sh"

helped=$(mktemp); described=$(mktemp)
trap 'rm -f "$helped" "$described"' EXIT
for command in madsend madrecv madpoll madreg; do
	page=$build/man/$command.1
	"$build/$command" --help < /dev/null 2>&1 | grep -oE '^ *(-[A-Za-z], +)?--[A-Za-z][A-Za-z-]*' |
		grep -oE -- '--.*' | sort -u > "$helped"
	sed -e 's/\\f[BIR]//g' -e 's/\\-/-/g' "$page" | grep -oE '^(-[A-Za-z], )?--[A-Za-z][A-Za-z-]*' |
		grep -oE -- '--.*' | sort -u > "$described"
	none "$command --help lists options" "$([ -s "$helped" ] || echo none)"
	none "$command.1 describes each option of --help" "$(comm -23 "$helped" "$described")"
	none "$command.1 describes no option that --help does not list" "$(comm -13 "$helped" "$described")"
	if command -v mandoc > /dev/null; then
		none "$command.1 is well-formed" "$(mandoc -Tlint -W warning "$page" | grep -v 'missing date')"
	else
		skip "$command.1 is well-formed" "mandoc is not installed"
	fi
done

# The page that is made from --describe has all of it.
page=$build/man/madkit-attributes.7
if command -v mandoc > /dev/null; then
	none "madkit-attributes.7 is well-formed" "$(mandoc -Tlint -W warning "$page" | grep -v 'missing date')"
else
	skip "madkit-attributes.7 is well-formed" "mandoc is not installed"
fi
"$build/madsend" --describe -j < /dev/null | grep -v '"class":"SubnMgtDR"' |
	grep -oE '"(attribute|name)":"[^"]*"' | sort -u | cut -d '"' -f 4 > "$helped"
sed -nE -e 's/^\.SS (.*)/\1/p' -e 's/^\\fB(.*)\\fR$/\1/p' "$page" | sed 's/\\-/-/g' | sort -u > "$described"
none "--describe lists attributes and fields" "$([ "$(wc -l < "$helped")" -gt 700 ] || wc -l "$helped")"
none "madkit-attributes.7 has each of them" "$(sort -u "$helped" | comm -23 - "$described")"
tap_done
