#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Checks with readelf that every program and library that is installed was hardened.
src=${top_srcdir:?}
build=${top_builddir:?}
: "${libdir:?}"
# shellcheck source-path=SCRIPTDIR source=tap.sh
. "$src/tests/tap.sh"

# makefile VARIABLE: its value in the makefile, unexpanded and without $(EXEEXT).
makefile() {
	awk -v name="$1" '
		$1 == name && $2 == "=" { found = 1; sub(/^[^=]*=/, "") }
		found { more = sub(/\\$/, ""); gsub(/\$\(EXEEXT\)/, ""); printf "%s ", $0; if (!more) exit }
	' "$build/Makefile"
}

if [ -n "$(makefile SAN_CFLAGS | tr -d ' ')" ]; then
	echo '1..0 # SKIP the sanitizers replace what is checked here'
	exit
fi
command -v readelf >/dev/null || { echo '1..0 # SKIP readelf is missing'; exit; }

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
files='' missing=''
# read_elf NAME FILE: stores readelf's view of FILE as NAME.
read_elf() {
	if [ -f "$2" ] && LC_ALL=C readelf -hdlWs "$2" >"$work/$1" 2>/dev/null; then
		files="$files $1"
	else
		missing="$missing $2"
	fi
}
programs=$(makefile bin_PROGRAMS)
for program in $programs; do
	# libtool leaves a wrapper script in the place of a program that links a library of the tree.
	file=$build/.libs/$program
	[ -f "$file" ] || file=$build/$program
	read_elf "$program" "$file"
done
for library in $(makefile lib_LTLIBRARIES) $(makefile pkglib_LTLIBRARIES); do
	name=$(basename "$library" .la)
	read_elf "$name.so" "$build/$(dirname "$library")/.libs/$name.so"
done
none "B17: every installed program and library is checked" "$missing$(
	[ "$(echo "$files" | wc -w)" -ge 7 ] || echo " found only:$files")"

# without PATTERN [FILE...]: files in which no line matches; with PATTERN [FILE...]: files in which one does.
without() {
	pattern=$1; shift
	for name in "${@:-$files}"; do for one in $name; do grep -qE "$pattern" "$work/$one" || echo "$one"; done; done
}
with() {
	for name in $files; do grep -HE "$1" "$work/$name" | sed "s|^$work/||"; done
}
none "B17: programs are position-independent executables" "$(
	without '^ +Type: +DYN ' "$programs"; without 'FLAGS_1\).* PIE' "$programs")"
none "B17: relocated data is read-only (GNU_RELRO)" "$(without '^ +GNU_RELRO ')"
none "B17: symbols are bound at start (BIND_NOW)" "$(without 'BIND_NOW|FLAGS_1\).* NOW')"
none "B17: the stack is not executable (GNU_STACK)" "$(without '^ +GNU_STACK .* RW +0x'; with '^ +GNU_STACK .* RWE')"
none "B17: code is not relocated (no TEXTREL)" "$(with '\(TEXTREL\)|FLAGS\).* TEXTREL')"
# madsim finds libmadkit-sim.so in libdir/madkit. For a prefix that the loader does not search, libtool adds
# libdir. Until libmadkit-sim.so is installed, it has the directory where libmadkit was built ("make installcheck" checks
# that it no longer has it then).
none "B17: no path to libraries is built in (RPATH, RUNPATH) but the installed libraries'" "$(
	with '\((RPATH|RUNPATH)\)' | awk -v libdir="$libdir" -v build="libmadkit-sim.so: $build/lib/.libs" '{
		n = split(substr($NF, 2, length($NF) - 2), paths, ":")
		for (i = 1; i <= n; i++)
			if (paths[i] != libdir && paths[i] != libdir "/madkit" && $1 " " paths[i] != build) print
	}')"
none "B17: the stack is protected (__stack_chk_fail)" "$(without ' UND __stack_chk_fail(@| |$)')"

fortified='B17: the C library checks the sizes of buffers (_FORTIFY_SOURCE)'
case " $(makefile HARDEN_CPPFLAGS) $(makefile CFLAGS) $(makefile CPPFLAGS) " in
*FORTIFY_SOURCE=[1-9]*) none "$fortified" "$(without ' UND __[a-z]+_chk(@| |$)')" ;;
*\ -O[123s]*) none "$fortified" "the build is optimized, and configure found no _FORTIFY_SOURCE" ;;
*) skip "$fortified" "a build without optimization" ;;
esac

tap_done
