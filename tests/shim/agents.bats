#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Reactions of real management agents to too many requests and to requests without a key, as other programs see them.

load common

teardown() { serve_end; }

control() { madsim --control "$SERVED_SOCKET" "$@"; }
# dropped [LID]: VL15Dropped of the port by which node1's leaf receives its SMPs
dropped() { on node1 perfquery "${1:-$(lid_of 0,1 0)}" 1 | dotted VL15Dropped; }
export FROM=node1

# An agent that is slower than usual makes the result independent of the machine.
@test "4 VL15 buffers are enough for libibnetdisc, unless it has 64 SMPs outstanding" {
	local few many
	serve "$TOPOLOGIES/small.net" --vl15 4,2000
	until_true 60 port_is_active node4
	few=$(on node1 ibnetdiscover | topology_of)
	(($(grep -c . <<<"$few") == 6))
	(($(dropped) == 0))
	many=$(on node1 ibnetdiscover -o 64 | topology_of)
	[[ $many == "$few" ]]
	(($(dropped) > 0))
	run -0 control stats
	(($(jq '.drops.VL15_buffer' <<<"$output") == $(dropped)))
}

@test "... and for opensm, unless it has 64 SMPs outstanding" {
	local lid
	serve "$TOPOLOGIES/small.net" --no-sm --vl15 4,2000
	opensm_start few node1
	until_true 60 opensm_says few 'SUBNET UP'
	(($(dropped) == 0))
	# an SMP that asks for it later may be dropped itself
	lid=$(lid_of 0,1 0)
	end "$SERVED_JOB"
	opensm_start many node1 --maxsmps 64
	until_true 60 opensm_says many 'SUBNET UP'
	(($(dropped "$lid") > 0))
}

@test "a mute switch hides what is behind it from directed routes, and routes by LID" {
	local lid
	serve "$TOPOLOGIES/small.net"
	until_true 60 port_is_active node4
	lid=$(lid_of 0,1,7 0)
	control agent leaf2 mute smi
	run ! on node1 smpquery -t 100 nodeinfo -D 0,1,7
	run ! on node1 smpquery -t 100 nodeinfo -D 0,1,7,1
	run ! on node1 smpquery -t 100 nodeinfo "$lid"
	run -0 on node1 smpquery nodeinfo "$(($(port_file node2 lid)))"
	run -0 on node1 perfquery "$lid" 1
	control agent leaf2 mute gsi
	run ! on node1 perfquery -t 100 "$lid" 1
	control agent leaf2 normal
	run -0 on node1 perfquery "$lid" 1
	run -0 on node1 smpquery nodeinfo -D 0,1,7,1
}

@test "a slow agent answers after the timeout of a program, or before a longer one" {
	serve "$TOPOLOGIES/small.net"
	until_true 60 port_is_active node4
	control agent node2 slow=1000 gsi
	run ! on node1 perfquery -t 100 "$(($(port_file node2 lid)))" 1
	run -0 on node1 smpquery -t 100 nodeinfo "$(($(port_file node2 lid)))"
	run -0 on node1 perfquery -t 20000 "$(($(port_file node2 lid)))" 1
}

@test "a link is in training for a while" {
	serve "$TOPOLOGIES/small.net" --training 3600000
	until_true 60 port_is_active node4
	control link node2 1 down
	run -0 on node1 smpquery portinfo -D 0,1,7 1
	[[ $(dotted PhysLinkState <<<"$output") == Polling ]]
	control link node2 1 up
	run -0 on node1 smpquery portinfo -D 0,1,7 1
	[[ $(dotted PhysLinkState <<<"$output") == PortConfigurationTraining && $(dotted LinkState <<<"$output") == Down ]]
	run -0 port_file node2 phys_state
	[[ $output == '4: PortConfigurationTraining' ]]
	serve_end
	serve "$TOPOLOGIES/small.net" --training 100
	until_true 60 port_is_active node4
	control link node2 1 down
	control link node2 1 up
	until_true 60 port_is_active node2
}

# ---- M_Keys, by opensm, at protection level 2 ---------------------------------------------------

# A subnet with M_Key 0x1234, which node1, the subnet manager's, does not need for itself
keys() {
	serve "$TOPOLOGIES/small.net" --no-sm
	printf '%s\n' 'm_key 0x1234' 'm_key_protection_level 2' >"$SERVED_DIR/keys.conf"
	opensm_start keys node1 -F "$SERVED_DIR/keys.conf"
	until_true 60 opensm_says keys 'SUBNET UP'
	lid=$(($(port_file node2 lid)))
}

# A field of PortInfo of node2, read with the key.
with_key() { on node3 smpquery -y 0x1234 portinfo "$lid" 1 | dotted "$1"; }

opened() { on node3 smpquery -t 100 nodeinfo "$lid" >/dev/null 2>&1; }

@test "an M_Key: who has it gets responses, others get silence, which is counted and reported" {
	local lid
	keys
	(($(with_key ProtectBits) == 2))
	(($(with_key MkeyViolations) == 0))
	run ! on node3 smpquery -t 100 nodeinfo "$lid"
	(($(with_key MkeyViolations) > 0))
	run ! on node3 smpquery -t 100 -y 0x4321 portinfo "$lid" 1
	(($(with_key MkeyViolations) > 1))
	run -0 on node3 ibnetdiscover -y 0x1234
	(($(topology_of <<<"$output" | grep -c .) == 6))
	run ! on node3 ibnetdiscover -t 100
	# who passes by needs no key
	run -0 on node3 perfquery "$lid" 1
	until_true 20 opensm_says keys "num:256 (Bad M_Key) Producer:1 (Channel Adapter) from LID:$lid"
}

@test "an M_Key's lease: a violation starts it, the key ends it, and when it is over the protection is gone" {
	local lid
	keys
	# opensm makes it longer than the time between its sweeps, 11 s at least
	on node1 madsend -L "$lid" -m 1 -y 0x1234 --merge Set PortInfo MkeyLeasePeriod=2 >/dev/null
	(($(with_key MkeyLeasePeriod) == 2))
	# its TrapRepress has the key, and ends what a violation starts: without opensm, it is not
	end "$SERVED_JOB"
	run ! on node3 smpquery -t 100 nodeinfo "$lid"
	until_true 20 opened
	run -0 on node3 smpquery portinfo "$lid" 1
	(($(dotted ProtectBits <<<"$output") == 0))
	# the key itself is still there, and shown without protection
	[[ $(on node3 madsend -L "$lid" -m 1 -K Get PortInfo -f text --fields Mkey) == *0x*1234 ]]
}
