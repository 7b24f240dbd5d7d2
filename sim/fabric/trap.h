/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Traps that an end port sends to its master subnet manager, and repeats until it receives TrapRepress, at
 * most 10 times (IBA volume 1, sections 13.4.9 and 14.2.5.1). Only one trap of each kind is outstanding. A
 * port without a LID or without the LID of a manager sends none.
 */
#ifndef SIM_FABRIC_TRAP_H
#define SIM_FABRIC_TRAP_H

#include "sim/fabric/internal.h"

/* Trap 128: a port of the switch changed its state; end is port 0 of the switch. */
void trap_link_state(struct fabric *f, struct port *end);
/* Trap 144: the capability mask changed. */
void trap_capabilities(struct fabric *f, struct port *end);
/* Trap 144: the description of the node changed. */
void trap_description(struct fabric *f, struct port *end);
/* Trap 256: an SMP did not have the required M_Key. */
void trap_m_key(struct fabric *f, struct port *end, const uint8_t *mad, uint16_t slid);
/* Traps 257 and 258: a packet had a P_Key that the port does not have, or a wrong Q_Key. */
void trap_bad_key(struct fabric *f, struct port *end, enum fabric_trap kind, uint32_t key,
		  const struct fabric_head *head);

/* Trap 259: a packet at the external port of a switch has a P_Key that the port does not allow. */
void trap_switch_p_key(struct fabric *f, struct port *port, const struct fabric_head *head);

/* Ends the trap that has the transaction ID of this TrapRepress. */
void trap_repress(struct port *end, const uint8_t *mad);
/* Handles a trap that is due. Returns the packet that leaves the port now, or NULL. */
struct packet *trap_due(struct fabric *f, struct packet *p, struct port *end);

#endif
