# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# The programs of man/examples, as somebody else would build them, and what they are to print.
# To be sourced; needs MADKIT_BUILD. A LANE is where programs can run:
#   kernel   those that are handed its devices, rxe0 and rxe1
#   fabric   others that open a port, on the small topology, unless they are handed a simulated fabric
#   cli      all the others, anywhere

examples_source=$(realpath "${BASH_SOURCE[0]%/*}/../man/examples")

# examples_of LANE
examples_of() {
	local file lane
	for file in "$examples_source"/*.c; do
		lane=cli
		[[ $(<"$file") != *madkit_port_open* ]] || lane=fabric
		[[ $(<"${file%.c}.out") != *' sim:'* ]] || lane=cli
		[[ $(<"${file%.c}.out") != *rxe* ]] || lane=kernel
		file=${file##*/}
		[[ $lane != "$1" ]] || echo "${file%.c}"
	done
}

# The value of a variable of the makefile.
makefile_value() {
	# shellcheck disable=SC2016  # for make to expand
	make -s -C "$MADKIT_BUILD" --no-print-directory --eval='print-value:;@echo $('"$1"')' print-value
}

# examples_install DIRECTORY TARGET...: what make installs goes there.
examples_install() {
	local root=$1
	shift
	make -C "$MADKIT_BUILD" "$@" DESTDIR="$root" >"$root.log" 2>&1 || { cat "$root.log"; return 1; }
}

# examples_compile LANE ROOT DIRECTORY: against the library that is installed below ROOT, by pkg-config.
examples_compile() {
	local name compiler flags
	read -ra compiler <<<"$(makefile_value CC) -std=c11 -Wall -Wextra -Werror $(makefile_value SAN_CFLAGS) $(makefile_value SAN_LDFLAGS)"
	read -ra flags <<<"$(PKG_CONFIG_PATH="$2$(makefile_value pkgconfigdir)" PKG_CONFIG_SYSROOT_DIR="$2" \
		pkg-config --cflags --libs libmadkit)"
	mkdir -p "$3"
	for name in $(examples_of "$1"); do
		"${compiler[@]}" "$examples_source/$name.c" -o "$3/$name" "${flags[@]}" || return
	done
}

# examples_build LANE: for a file of bats; the programs are in EXAMPLES.
examples_build() {
	local root=$BATS_FILE_TMPDIR/root
	export EXAMPLES=$BATS_FILE_TMPDIR/examples
	mkdir -p "$root"
	examples_install "$root" install-libLTLIBRARIES install-pkgincludeHEADERS install-nodist_pkgincludeHEADERS install-pkgconfigDATA
	examples_compile "$1" "$root" "$EXAMPLES"
	LD_LIBRARY_PATH=$root$(makefile_value libdir)${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
	# the package's own compiler settings, for callers that preload a sanitizer
	MADKIT_PROGRAMS=${MADKIT_PROGRAMS:-}:$EXAMPLES
	export LD_LIBRARY_PATH MADKIT_PROGRAMS
}

# session_step COMMAND EXPECTED: example_prefix is what ./PROGRAM is run by, if not from here.
session_step() {
	local actual
	[[ -n $1 ]] || return 0
	actual=$(eval "${1//.\//${example_prefix:-./}}") || true
	[[ $actual == "$2" ]] && return
	printf '$ %s\nexpected:\n%s\nbut got:\n%s\n' "$1" "$2" "$actual"
	return 1
}

# session NAME: runs the commands after "$ " in NAME.out; the lines below each are its expected output.
session() {
	local line command='' expected='' steps=0
	while IFS= read -r line; do
		if [[ $line == '$ '* ]]; then
			session_step "$command" "$expected" || return
			command=${line#'$ '} expected=''
			steps=$((steps + 1))
		else
			expected+=${expected:+$'\n'}$line
		fi
	done <"$examples_source/$1.out"
	session_step "$command" "$expected" || return
	((steps))
}

# sessions LANE N: all of them, of which there are N at least.
sessions() {
	local name ran=0 failed=0
	for name in $(examples_of "$1"); do
		session "$name" || failed=1
		ran=$((ran + 1))
	done
	((ran >= $2 && !failed))
}
