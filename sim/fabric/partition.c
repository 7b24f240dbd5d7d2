/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <madkit/addr.h>
#include "sim/fabric/partition.h"
#include "sim/fabric/pma.h"
#include "sim/fabric/sma.h"
#include "sim/fabric/trap.h"

enum { FULL = 0x8000 };

/*
 * Returns true if the port allows the P_Key in this direction.
 *
 * Subnet managers give a switch's port the table of the end port behind it, including limited memberships. A
 * limited member must reach full members: a packet from it passes with a limited P_Key, but not with a full
 * one, which the member does not have. A packet to it passes if its own port would accept it: one of the two
 * is a full member (IBA volume 1, section 10.9.3).
 *
 * Linux has the same rules for an end port: egress_pkey_matches_entry() and ingress_pkey_matches_entry() of
 * hfi1. opensm relies on the first rule: if an end port has both forms of a P_Key, the port of the switch has
 * only the full one (pkey_mgr_update_peer_port()). It is an assumption that switches have the rules of the
 * end port.
 */
static bool partition_allows(const struct port *port, uint16_t pkey, bool inbound)
{
	if (!port->pkeys)
		return partition_is(MADKIT_PKEY_DEFAULT, pkey);
	for (unsigned int i = 0; i < FABRIC_ENFORCED_PKEYS; i++) {
		uint64_t own = element_get(MADKIT_P_KEY_TABLE_P_KEY, i, port->pkeys);

		if (partition_is(own, pkey) &&
		    (inbound ? (own & FULL) || !(pkey & FULL) : (own | pkey) & FULL))
			return true;
	}
	return false;
}

bool partition_drop(struct fabric *f, struct packet *p, struct port *port, unsigned int direction)
{
	bool inbound = direction == ENFORCE_INBOUND;

	if (partition_allows(port, p->head.pkey, inbound))
		return false;
	pma_count(port, inbound ? PMA_RCV_CONSTRAINT : PMA_XMIT_CONSTRAINT, 1);
	sma_count_violation(port, MADKIT_PORT_INFO_PKEY_VIOLATIONS);
	trap_switch_p_key(f, port, &p->head);
	packet_drop(f, p, port, DROP_P_KEY);
	return true;
}
