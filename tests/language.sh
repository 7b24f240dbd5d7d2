#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# README, the manual pages, --help and messages have none of the signs of prose that has to be read twice.
# shellcheck source-path=SCRIPTDIR source=tap.sh
. "${top_srcdir:?}/tests/tap.sh"

mkdir -p language.dir/man
trap 'rm -rf language.dir' EXIT
echo 'A node whose port is told nobody answers.' > language.dir/README
: > language.dir/quickstart
none "the check can fail" "$(python3 "$top_srcdir/tests/language.py" language.dir language.dir > /dev/null && echo "it does not")"
none "no text for users has a sign of prose that must be read twice" "$(python3 "$top_srcdir/tests/language.py" "$top_srcdir" "${top_builddir:?}")"
tap_done
