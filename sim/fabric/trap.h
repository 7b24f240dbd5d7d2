/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Traps: what an end port tells its master subnet manager unasked, and repeats until that
 * represses it (IBA volume 1, sections 13.4.9 and 14.2.5.1). One at a time of each
 * kind; a port that no manager has told its LID says nothing.
 */
#ifndef SIM_FABRIC_TRAP_H
#define SIM_FABRIC_TRAP_H

#include "sim/fabric/internal.h"

/* 128: a port of the switch whose port 0 this is changed its state. */
void trap_link_state(struct fabric *f, struct port *end);
/* 144: the capability mask changed. */
void trap_capabilities(struct fabric *f, struct port *end);
/* ... the node's description. */
void trap_description(struct fabric *f, struct port *end);
/* 256: an SMP came without the M_Key that it needs. */
void trap_m_key(struct fabric *f, struct port *end, const uint8_t *mad, uint16_t slid);
/* 257, 258: a packet came with a P_Key that the port does not have, a wrong Q_Key. */
void trap_bad_key(struct fabric *f, struct port *end, enum fabric_trap kind, uint32_t key,
		  const struct fabric_head *head);

/* 259: a packet at the switch's external port has a P_Key that the port does not allow. */
void trap_switch_p_key(struct fabric *f, struct port *port, const struct fabric_head *head);

/* TrapRepress has come: the trap with its transaction ID ends. */
void trap_repress(struct port *end, const uint8_t *mad);
/* The time of one has come. Returns the packet that leaves the port now; NULL: none. */
struct packet *trap_due(struct fabric *f, struct packet *p, struct port *end);

#endif
