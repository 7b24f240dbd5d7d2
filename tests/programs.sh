# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# To be sourced: puts the programs under test first in PATH.
#
#   MADKIT_BINDIR   a directory of installed ones, or
#   MADKIT_BUILD    a build tree; there the programs may be libtool's wrapper scripts, which are
#                   no good under LD_PRELOAD, so that the real ones in .libs come first
#
# With neither, it is the build directory of ./runtests. MADKIT_PROGRAMS is set to what was added.

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
