#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Everyday tasks (tasks.table): each takes one command line, and its output has the information that a user looks for.
# With TASKS=FILE, FILE gets a line for each: title, status, characters and milliseconds of ours and of theirs.

setup() {
	load common
	cd "$dir" || return
}

teardown() { clean_up; }

@test "each everyday task is one command line" {
	sed -n 's/^== //p' "$BATS_TEST_DIRNAME/tasks.table" >titles
	(($(wc -l <titles) >= 20))
	inside "$topologies/small.net" --sm node1 --socket "$socket" -- \
		bash "$BATS_TEST_DIRNAME/tasks.bash" "$BATS_TEST_DIRNAME/tasks.table" >results 2>&1 3>&- || { cat results; return 1; }
	[[ $(grep -c '^task	' results) == $(wc -l <titles) ]] || { cat results; return 1; }
	[[ -z ${TASKS:-} ]] || grep '^task	' results >"$TASKS"
}
