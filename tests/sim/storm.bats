#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# madwatch when much changes at once, or goes on changing: few lines with right numbers, few MADs, and no more memory.

setup() {
	load common
	load watching
	cd "$dir" || return
}

teardown() { clean_up; }

@test "a spine with 64 links is powered off and on: a line each, and at most 500 MADs in any second" {
	local most sent
	serve fat-tree:64,2,2 --sm h1-2
	watch -w pcap
	control node spine2 gone
	until_line 'node-down'
	control node spine2 back
	until_line 'node-up'
	shown 'node-down spine2 64 links' 'node-up spine2 64 links'
	kill "$watch_pid"
	wait "$watch_pid" || :
	read -r most sent < <(most pcap report)
	((most <= 500 && sent > 500)) || { echo "$most of $sent"; return 1; }
}
