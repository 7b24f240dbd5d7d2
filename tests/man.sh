#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# The manual pages say what the commands do: each option of --help is described,
# each option described exists, and the pages are well-formed.
build=${top_builddir:?}
count=0 status=0
result() { # MESSAGE OFFENDERS
	count=$((count + 1))
	if [ -z "$2" ]; then
		echo "ok $count - $1"
	else
		echo "not ok $count - $1"
		echo "$2" | sed 's/^/# /'
		status=1
	fi
}

helped=$(mktemp); described=$(mktemp)
trap 'rm -f "$helped" "$described"' EXIT
for command in madsend madrecv madpoll madreg; do
	page=$build/man/$command.1
	"$build/$command" --help < /dev/null 2>&1 | grep -oE '^ *(-[A-Za-z], +)?--[A-Za-z][A-Za-z-]*' |
		grep -oE -- '--.*' | sort -u > "$helped"
	sed -e 's/\\f[BIR]//g' -e 's/\\-/-/g' "$page" | grep -oE '^(-[A-Za-z], )?--[A-Za-z][A-Za-z-]*' |
		grep -oE -- '--.*' | sort -u > "$described"
	result "$command --help lists options" "$([ -s "$helped" ] || echo none)"
	result "$command.1 describes each option of --help" "$(comm -23 "$helped" "$described")"
	result "$command.1 describes no option that --help does not list" "$(comm -13 "$helped" "$described")"
	if command -v mandoc > /dev/null; then
		result "$command.1 is well-formed" "$(mandoc -Tlint -W warning "$page" | grep -v 'missing date')"
	else
		count=$((count + 1))
		echo "ok $count - $command.1 is well-formed # SKIP mandoc is not installed"
	fi
done
echo "1..$count"
exit $status
