#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# The examples of the library's manual pages that need no fabric, and the pages once installed.

load common
load ../examples

setup_file() { examples_build cli; }

setup() { cd "$EXAMPLES" || return; }

@test "a session that goes otherwise is told" {
	run -1 session_step 'echo 1' '2'
	[[ $output == *$'but got:\n1' ]]
	session_step 'echo 1; echo 2; false' $'1\n2'
}

@test "every example does what its manual page shows" { sessions cli 15; }

# lines_to_print NAME: lines of the function that prints the response, from its beginning on.
lines_to_print() {
	awk '/^static int query_/ { inside = 1; next }
		inside && /^\{/ { count = 0; next }
		inside && NF { count++ }
		inside && /printf\(/ { print count; exit }' "$examples_source/$1.c"
}

@test "from opening a port to the response: Get in at most 10 lines of C, GetTable in at most 20 (C12)" {
	local get table
	get=$(lines_to_print query)
	table=$(lines_to_print query-table)
	((get > 0 && get <= 10))
	((table > get && table <= 20))
}

@test "every function has a manual page when installed, and none is left behind" {
	local root=$BATS_TEST_TMPDIR/root name page pages=0
	examples_install "$root" install-man install-data-local
	root=$root$(makefile_value man3dir)
	while read -r name; do
		page=$root/$name.3
		[[ -s $page ]] || { echo "$name has no page"; return 1; }
		[[ $(<"$page") == ".so man3/madkit_"+([a-z_])".3" ]]
		[[ -s $root/../$(sed 's/^\.so //' "$page") ]]
		pages=$((pages + 1))
	done < <(sed -n '/^};/q; s/^	\(madkit_[a-z0-9_]*\);$/\1/p' "$BATS_TEST_DIRNAME/../../lib/libmadkit.sym")
	((pages > 100))
	[[ -s $root/../man7/madkit.7 ]]
	examples_install "$BATS_TEST_TMPDIR/root" uninstall-man uninstall-local
	run -0 find "$BATS_TEST_TMPDIR/root" ! -type d
	[[ -z $output ]]
}
