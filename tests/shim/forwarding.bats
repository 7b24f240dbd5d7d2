#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Forwarding tables by madsend, and routes by madsweep, compared with ibroute.

load common
load forwarding

teardown() { serve_end; }

@test "the built-in subnet manager: a dump" {
	serve "$TOPOLOGIES/real.dump"
	until_true 60 port_is_active 'old4 HCA-1'
	forwarding_agrees 'old4 HCA-1' 4 smp sa
}

@test "opensm, updn and LMC 1: a fat tree" {
	serve fat-tree:4,5,3 --no-sm
	opensm_start manager '' -R updn -l 1
	until_true 60 opensm_says manager 'SUBNET UP'
	until_true 60 port_is_active ''
	forwarding_agrees '' 5 smp sa
}
