#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Texts for users (README, the manual pages, --help, messages) and for developers (comments, HACKING, ChangeLog, commit
# subjects) have none of the signs of prose that has to be read twice.
# shellcheck source-path=SCRIPTDIR source=tap.sh
. "${top_srcdir:?}/tests/tap.sh"

trap 'rm -rf language.dir' EXIT
finds() { # FILE TEXT: the check reports this text in this file, and nothing without it
	rm -rf language.dir
	mkdir -p language.dir/man language.dir/src
	: > language.dir/README
	: > language.dir/quickstart
	none "nothing is found in no text" "$(python3 "$top_srcdir/tests/language.py" language.dir language.dir)"
	printf '%s\n' "$2" > "language.dir/$1"
	none "a sign in $1 is found" "$(python3 "$top_srcdir/tests/language.py" language.dir language.dir |
		grep -q "^$1: " || echo "$2")"
}
finds README 'A node that nobody answers for.'
finds quickstart 'This is told on standard error.'
finds man/x.1 'The port whose LID this is stands first.'
finds HACKING 'A file has a table of its own.'
finds ChangeLog '* A wait lasts for ever.'
finds src/x.c 'static const char text[] = "the node that was told of";'
finds src/x.c '/* What the port has. */'
finds src/x.h '	int a; /* is none */'
finds src/x.sh '# whoever asks'
finds src/x.bats '	# what is wrong with it'
finds src/x.py '"""Whether it ends."""'
finds src/x.awk '# a line that tells it'
finds Makefile.am '# Who builds this.'
finds configure.ac 'dnl it stands below'
if git --version > /dev/null 2>&1; then
	finds README 'A node that nobody answers for.'
	: > language.dir/README
	(cd language.dir && git init -q && git config user.name x && git config user.email x@example.org &&
		git commit -q --allow-empty -m 'all: begin' && git tag before-house &&
		git commit -q --allow-empty -m 'x: tell what it is')
	none "a sign in the subject of a commit is found" "$(python3 "$top_srcdir/tests/language.py" language.dir language.dir |
		grep -q '^commit: ' || echo "it is not")"
else
	skip "a sign in the subject of a commit is found" "git is not installed"
fi
none "no text has a sign of prose that must be read twice" "$(python3 "$top_srcdir/tests/language.py" "$top_srcdir" "${top_builddir:?}")"
tap_done
