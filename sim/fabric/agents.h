/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What management agents cost: an agent processes one MAD at a time, the VL15 buffer of a port holds a limited
 * number of SMPs, and an agent may be mute or slow. A fabric without any of this has no struct agents.
 *
 * A switch processes each SMP with a directed route in its agent, also on the way through; other SMPs that are
 * not for itself it forwards in hardware. An adapter passes responses, traps and what is for a subnet manager to its
 * queue pair 0, which is not limited. So are SMPs that a node sends to itself.
 */
#ifndef SIM_FABRIC_AGENTS_H
#define SIM_FABRIC_AGENTS_H

#include "sim/fabric/internal.h"

/* NULL: no memory. */
struct agents *agents_new(const struct fabric *f);
void agents_free(struct agents *agents);

/*
 * A MAD has come to the node of the port in, and is for an agent there if the agent has anything to do with it.
 * Returns true if the caller is to process it now. Otherwise it has been dropped, or is due again, with p->served,
 * at this port at the end of its service.
 */
bool agents_admit(struct fabric *f, struct packet *p, struct port *in);
/* A packet with p->served is due: its buffer is free. */
void agents_leave(struct fabric *f, const struct packet *p);
bool agents_is_mute(const struct fabric *f, uint32_t node, enum fabric_agent agent);

#endif
