/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Directed routes to nodes, and through their ports. The functions return false if there is none. */
#ifndef SWEEP_ROUTE_H
#define SWEEP_ROUTE_H

#include "sweep/state.h"

/* Adds a hop, unless there are MADKIT_HOPS_MAX. */
bool route_append(struct madkit_addr *to, unsigned int port);
/* Sets the route to a node. A CA or router responds for the port by which the route enters; port 0: any
 * port. */
bool route_to_node(const struct madkit_sweep *s, uint32_t node, unsigned int port, struct madkit_addr *to);
/* Sets the route through a port of a node. */
bool route_through_port(const struct madkit_sweep *s, uint32_t node, unsigned int port,
			struct madkit_addr *to);
/* The same by a detour. It avoids the link from the parent of the node, or of the node before it. */
bool route_detour_to(const struct madkit_sweep *s, uint32_t node, unsigned int port, struct madkit_addr *to);
bool route_detour_through(const struct madkit_sweep *s, uint32_t node, unsigned int port,
			  struct madkit_addr *to);
/* Replaces the parent of a node, because the link to it is gone or loses SMPs. */
bool route_adopt(struct madkit_sweep *s, uint32_t node);

#endif
