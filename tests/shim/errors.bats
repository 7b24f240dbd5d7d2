#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# opensm on 504 nodes, as it is configured on real fabrics: its log has no errors.

load common

TREE=fat-tree:18,26,18
SM="h2-3 HCA-1"

teardown() { serve_end; }

# configured NAME LINE...: opensm with these options is master.
configured() {
	serve "$TREE" --no-sm
	printf '%s\n' "${@:2}" >"$SERVED_DIR/$1.conf"
	opensm_start "$1" "$SM" -F "$SERVED_DIR/$1.conf"
	until_true 60 opensm_says "$1" 'SUBNET UP'
}

# no_errors NAME [WORDS]: nor any but those.
no_errors() {
	run grep -h ' ERR ' "$SERVED_DIR/$1/log"
	[[ -z ${2:-} ]] || output=$(grep -v "$2" <<<"$output") || :
	[[ -z $output ]] || { echo "$1: $output" | head -n 20; return 1; }
}

again() { (($(grep -c 'SUBNET UP' "$SERVED_DIR/$1/log") > $2)); }

@test "bring-up, and a second sweep" {
	configured plain
	madsim --control "$SERVED_SOCKET" link "h9-9 HCA-1" 1 down
	until_true 60 again plain 1
	madsim --control "$SERVED_SOCKET" link "h9-9 HCA-1" 1 up
	until_true 60 again plain 2
	until_true 60 port_is_active "h9-9 HCA-1"
	no_errors plain
}

@test "LMC 2" {
	configured lmc 'lmc 2'
	[[ $(port_file "h18-26 HCA-1" lid_mask_count) == 2 ]]
	run -0 on "$SM" madsend -L $(($(port_file "h18-26 HCA-1" lid) + 3)) Get NodeDescription
	no_errors lmc
}

@test "partitions" {
	serve "$TREE" --no-sm
	printf '%s\n' 'Default=0x7fff,ipoib:ALL=limited,SELF=full;' 'p1=0x8001,ipoib:ALL=full;' >"$SERVED_DIR/partitions.conf"
	opensm_start partitions "$SM" -P "$SERVED_DIR/partitions.conf"
	until_true 60 opensm_says partitions 'SUBNET UP'
	run -0 on "$SM" smpquery pkeys "$(printf '%d' "$(port_file "h18-26 HCA-1" lid)")" 1
	[[ $output == *'0x7fff'*'0x8001'* ]]
	# a limited member is queried by a full one
	run -0 on "$SM" perfquery -x "$(printf '%d' "$(port_file "h18-26 HCA-1" lid)")" 1
	no_errors partitions
}

@test "M_Keys, with protection levels 0 to 2" {
	local level
	for level in 0 1 2; do
		configured "level$level" 'm_key 0x1234' "m_key_protection_level $level" 'm_key_lease_period 60'
		madsim --control "$SERVED_SOCKET" link "h9-9 HCA-1" 1 down
		until_true 60 again "level$level" 1
		run -0 on "$SM" smpquery --m_key 0x1234 portinfo "$(printf '%d' "$(port_file "h18-26 HCA-1" lid)")" 1
		[[ $(dotted ProtectBits <<<"$output") == "$level" ]]
		no_errors "level$level"
		serve_end
	done
}

# The requests that leaf 18 has sent to a host: SMPs do not count.
requests() { (($(on "$SM" perfquery -x -G "$(on "$SM" saquery -G leaf18 | tail -n 1)" 26 | dotted PortXmitPkts) >= $1)); }

@test "the performance manager" {
	configured perfmgr 'perfmgr TRUE' 'perfmgr_sweep_time_s 1'
	until_true 60 requests 2
	no_errors perfmgr
	# it reports those that ports count
	madsim --control "$SERVED_SOCKET" errors leaf18 3 SymbolErrorCounter=1000
	until_true 60 opensm_says perfmgr 'SymbolErrorCounter : [0-9]* : node "leaf18.* port 3'
	no_errors perfmgr 'ERR 5431: SymbolErrorCounter .* port 3'
}

# higher NAME: an opensm of higher priority takes over. Until it is in standby, its traps are lost: a master that learns of it
# during its first sweep hands over before it is in standby, and then both of them are, each until it has polled the other in vain.
higher() {
	untold
	opensm_start "$1" "h9-3 HCA-1" -F "$SERVED_DIR/high.conf"
	until_true 60 opensm_says "$1" 'Entering STANDBY'
	madsim --control "$SERVED_SOCKET" fault clear >/dev/null
	until_true 60 opensm_says "$1" 'SUBNET UP'
}

untold() { madsim --control "$SERVED_SOCKET" fault drop node="h9-3 HCA-1" class=SubnMgt method=Trap >/dev/null; }

@test "T1: handover to a second opensm, and back when that ends" {
	local sweeps
	configured low 'sm_priority 3' 'sminfo_polling_timeout 200' 'polling_retry_number 3'
	printf '%s\n' 'sm_priority 10' >"$SERVED_DIR/high.conf"
	higher high
	until_true 60 opensm_says low 'Entering STANDBY'
	no_errors low
	sweeps=$(grep -c 'SUBNET UP' "$SERVED_DIR/low/log")
	untold
	end "$SERVED_JOB"
	until_true 60 again low "$sweeps"
	# a Linux host without a subnet manager answers Get(SMInfo) by this status
	no_errors low 'ERR 3111: Received MAD with error status = 0xC'
	higher back
	no_errors back
	no_errors low 'ERR 3111: Received MAD with error status = 0xC'
}

@test "takeover from the built-in subnet manager" {
	serve "$TREE"
	until_true 60 port_is_active "$SM"
	opensm_start taken "$SM"
	until_true 60 opensm_says taken 'Entering MASTER'
	until_true 60 opensm_says taken 'SUBNET UP'
	no_errors taken
}
