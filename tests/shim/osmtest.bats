#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# osmtest, opensm's own test of subnet administration, with the built-in subnet manager and, as the control,
# with opensm.

load common

# osmtest has no timeout that fits a busy machine, and a flow waits for 10 s on a quiet one
# shellcheck disable=SC2034  # serve.sh's
SERVED_TIMEOUT=600

FLOWS=('c Create Inventory' 'a All Validations' 'v Validate Inventory' 's Services Registration'
	'e Event Forwarding' 'f Stress SA' 'm Multicast' 'q QoS: VLArb and SLtoVL')

teardown() { serve_end; }

# flows NODE: each flow passes there. Flow c writes the inventory that others read; q writes qos.txt.
flows() {
	local flow
	cd "$SERVED_DIR" || return
	for flow in "${FLOWS[@]}"; do
		run -0 on "$1" osmtest -t 300 -f "${flow%% *}" -i inventory -l log
		[[ $output == *"OSMTEST: TEST \"${flow#* }\" PASS"* ]] || {
			printf '%s\n' "$flow:" "${lines[@]: -20}"
			return 1
		}
	done
}

built_in() {
	serve "$TOPOLOGIES/small.net"
	until_true 60 port_is_active node1
	flows node1
	serve_end
}

with_opensm() {
	serve "$TOPOLOGIES/small.net" --no-sm
	opensm_start daemon node4
	until_true 60 opensm_says daemon 'SUBNET UP'
	flows node1
}

# Both at once, because osmtest mostly waits, for 10 s in each of two flows.
@test "E5: osmtest's flows with the built-in subnet manager, and with opensm" {
	built_in 3>&- &
	local pid=$!
	with_opensm
	wait "$pid"
}
