/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Directed routes to nodes, and to what is behind their ports. False: there is none. */
#ifndef SWEEP_ROUTE_H
#define SWEEP_ROUTE_H

#include "sweep/state.h"

/* Adds a hop. */
bool route_append(struct madkit_addr *to, unsigned int port);
/* To a node; a CA or router responds for the port by which the route enters. */
bool route_to_node(const struct madkit_sweep *s, uint32_t node, unsigned int port, struct madkit_addr *to);
/* Through a port of a node. */
bool route_through_port(const struct madkit_sweep *s, uint32_t node, unsigned int port,
			struct madkit_addr *to);
/* The same by another route, which avoids the link to the node's parent, or that of the node before it. */
bool route_detour_to(const struct madkit_sweep *s, uint32_t node, unsigned int port, struct madkit_addr *to);
bool route_detour_through(const struct madkit_sweep *s, uint32_t node, unsigned int port,
			  struct madkit_addr *to);
/* Gives a node another parent because the link to its parent is gone. */
bool route_adopt(struct madkit_sweep *s, uint32_t node);

#endif
