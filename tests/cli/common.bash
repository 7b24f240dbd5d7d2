# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# For the tests of the commands that need no fabric. Loads in setup().

bats_require_minimum_version 1.5.0

. "$BATS_TEST_DIRNAME/../programs.sh"
# only the test's settings
unset MADKIT_DEVICE

# usage_error WORD COMMAND...: ends with 2, says one line that names the word, prints nothing.
usage_error() {
	local word=$1
	shift
	run -2 --separate-stderr "$@"
	[[ -z $output ]]
	# one line, and perhaps a hint
	[[ ${#stderr_lines[@]} -eq 1 || (${#stderr_lines[@]} -eq 2 && ${stderr_lines[1]} == "$1: hint: "*) ]] || { echo "$stderr"; return 1; }
	[[ $stderr == "$1: "*"$word"* ]] || { echo "$stderr"; return 1; }
}

# copies COUNT FILE: prints the file so many times, by few processes.
copies() { seq "$1" | sed "s|.*|$2|" | xargs cat; }

# hex FILE OFFSET LENGTH: those bytes, by od and not by our own printer.
hex() { od -An -v -tx1 -j "$2" -N "$3" "$1" | tr -d ' \n'; }

# mad ARGUMENT...: the bytes of a request into $BATS_TEST_TMPDIR/mad.
mad() {
	madsend --dry-run -f raw "$@" >"$BATS_TEST_TMPDIR/mad"
}
# at OFFSET HEX: checks the bytes at the offset.
at() {
	local got
	got=$(hex "$BATS_TEST_TMPDIR/mad" "$1" $((${#2} / 2)))
	[[ $got == "$2" ]] || { echo "at $1: got $got, want $2"; return 1; }
}
