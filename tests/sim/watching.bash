# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# For the tests that run madwatch on a fabric that madsim serves. Loads after common.

# watch [OPTION...]: on h1-1; its lines are in watch.out
watch() {
	start watch madwatch --device "sim:unix:$socket@h1-1" --banner "$@"
	# shellcheck disable=SC2034
	watch_pid=$pid
	[[ $(cat watch.line) == *'watching the subnet of '* ]] || { cat watch.line; return 1; }
}

# lines: without times, one blank between words
lines_of() { sed -E 's/^[0-9-]{10} [0-9:]{8} //; s/ +/ /g' "$1"; }

# until_line TEXT...: a line begins with one of them
until_line() {
	local i texts=()
	for i in "$@"; do texts+=(-e "$i"); done
	for ((i = 0; i < 400; i++)); do
		! lines_of watch.out | grep -qF "${texts[@]}" || return 0
		read -r -t 0.1 <> <(:) || :
	done
	echo "no line '$*'"
	cat watch.out
	false
}

# plain FILE: lines without the time that a link was down, and how often
plain() { lines_of "$1" | sed -E 's/; was down for (about |at least |at most )?[0-9.]+ (s|min)//; s/; LinkDowned (>= )?[+][0-9]+//'; }

# shown: all lines are the arguments, in this order
shown() {
	local expected
	expected=$(printf '%s\n' "$@")
	diff <(echo "$expected") <(plain watch.out)
}
