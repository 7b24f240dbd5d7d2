/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Limits of management agents: an agent processes one MAD at a time, the VL15 buffer of a port holds a
 * limited number of SMPs, and an agent may be mute or slow. A fabric without any of these limits has no
 * struct agents.
 *
 * The agent of a switch processes every SMP with a directed route, including those that only pass through.
 * Other SMPs that are not for the switch itself are forwarded in hardware. A CA or router passes responses,
 * traps and requests to a subnet manager to its QP0, without a limit. SMPs that a node sends to itself are
 * not limited either.
 */
#ifndef SIM_FABRIC_AGENTS_H
#define SIM_FABRIC_AGENTS_H

#include "sim/fabric/internal.h"

/* Returns NULL if out of memory. */
struct agents *agents_new(const struct fabric *f);
void agents_free(struct agents *agents);

/*
 * Admits a packet that has arrived at the port in. Returns true if the caller must process the packet now.
 * Otherwise the packet has been dropped, or it waits for its agent: it is due at this port at the end of its
 * service, with p->served set.
 */
bool agents_admit(struct fabric *f, struct packet *p, struct port *in);
/* Frees the buffer of a packet with p->served, which is due. */
void agents_leave(struct fabric *f, const struct packet *p);
bool agents_is_mute(const struct fabric *f, uint32_t node, enum fabric_agent agent);

#endif
