# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# To be sourced: puts the programs under test first in PATH.
#
#   MADKIT_BINDIR   a directory of installed ones, or
#   MADKIT_BUILD    a build tree; there the programs may be libtool's wrapper scripts, which are
#                   no good under LD_PRELOAD, so that the real ones in .libs come first
#
# With neither, it is the build directory of ./runtests. MADKIT_PROGRAMS is set to the added directory.

if [[ -z ${MADKIT_PROGRAMS:-} ]]; then
	: "${MADKIT_BUILD:=$(dirname "${BASH_SOURCE[0]}")/../build}"
	if [[ -n ${MADKIT_BINDIR:-} ]]; then
		MADKIT_PROGRAMS=$(realpath "$MADKIT_BINDIR")
	elif [[ -d $MADKIT_BUILD ]]; then
		MADKIT_BUILD=$(realpath "$MADKIT_BUILD")
		MADKIT_PROGRAMS=$MADKIT_BUILD/.libs:$MADKIT_BUILD/src/.libs:$MADKIT_BUILD/src:$MADKIT_BUILD
		export MADKIT_BUILD
		export LD_LIBRARY_PATH=$MADKIT_BUILD/lib/.libs:$MADKIT_BUILD/.libs${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
	fi
	if [[ -n ${MADKIT_PROGRAMS:-} ]]; then
		export MADKIT_PROGRAMS PATH=$MADKIT_PROGRAMS:$PATH
	fi
fi

# The commands, as Makefile.am lists them.
# shellcheck disable=SC2034  # for the tests
read -ra all_commands < <(sed -n 's/^bin_PROGRAMS = //p' "${BASH_SOURCE[0]%/*}/../Makefile.am")

# Checks if the programs contain AddressSanitizer, as clang links it, or use its library.
sanitized() { grep -q __asan_init "$(command -v madsend)"; }

# inside TOPOLOGY ... -- COMMAND: a program built with a sanitizer needs its library preloaded
# first (runtests), and other programs have leaks themselves.
inside() { inside_words && "${inside[@]}" "$@"; }

# Sets the array inside to the words that inside() runs: a function in the background is a subshell, and its end is not
# that of the program.
inside_words() {
	inside=(timeout --foreground 300 madsim)
	[[ -z ${MADKIT_PRELOAD:-} ]] ||
		inside=(env LD_PRELOAD="$MADKIT_PRELOAD" ASAN_OPTIONS="${ASAN_OPTIONS:-}:detect_leaks=0" "${inside[@]}")
}

# in_time MS COMMAND...: COMMAND, which limits something to $ms milliseconds, from MS on with twice as many until it succeeds. A
# deadline begins with the process, and on a busy machine it may pass before the process has done anything.
in_time() {
	local ms=$1
	shift
	until "$@"; do
		ms=$((2 * ms))
		((ms < 100000)) || return 1
	done
}
