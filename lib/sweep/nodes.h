/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Nodes that a sweep has found, and links between their ports. */
#ifndef SWEEP_NODES_H
#define SWEEP_NODES_H

#include "sweep/state.h"

enum { NODES_LID_MAX = 0xbfff }; /* highest unicast LID */

/* Adds the node of a valid NodeInfo. Returns 0; -E2BIG if there is no room for more nodes or ports; or
 * -ENOMEM. */
int nodes_add(struct madkit_sweep *s, const uint8_t *info, uint32_t parent, uint8_t parent_port,
	      uint32_t *added);
/* Finds the next node with this GUID. *step begins with 0. Returns false if there are no more. */
bool nodes_next(const struct madkit_sweep *s, uint64_t guid, size_t *step, uint32_t *number);
/* Links two ports, which must not be linked. A loopback plug links a port to itself. */
void nodes_join(struct madkit_sweep *s, struct sweep_place a, struct sweep_place b);
/* Unlinks a port. Returns the port at the other end. */
struct sweep_place nodes_part(struct madkit_sweep *s, struct sweep_place a);
/* Marks the nodes with this GUID as duplicates. */
void nodes_mark(struct madkit_sweep *s, uint64_t guid);
/* Keeps only these nodes, in this order. Returns 0 or -ENOMEM. */
int nodes_keep(struct madkit_sweep *s, const uint32_t *order, uint32_t count);
void nodes_free(struct madkit_sweep *s);
/* Checks if a port was read and its link is down. */
bool nodes_port_is_down(const struct madkit_sweep_port *port);
/* Checks if a link carries packets other than SMPs from a port to its peer (IBA 7.2.7). A state that was not
 * read counts as active. */
bool nodes_link_forwards(const struct madkit_sweep *s, struct sweep_place egress);

/* Returns the distance of the nodes behind a node. */
static inline uint8_t nodes_behind(const struct madkit_sweep_node *n)
{
	return n->hops == MADKIT_SWEEP_UNREACHED ? n->hops : (uint8_t)(n->hops + 1);
}

static inline struct madkit_sweep_port *nodes_port(const struct madkit_sweep *s, struct sweep_place at)
{
	return &s->nodes[at.node]->node.ports[at.port];
}

static inline struct sweep_todo *nodes_todo(const struct madkit_sweep *s, struct sweep_place at)
{
	return &s->nodes[at.node]->todo[at.port];
}

static inline struct sweep_place nodes_peer(const struct madkit_sweep *s, struct sweep_place at)
{
	const struct madkit_sweep_port *port = nodes_port(s, at);

	return (struct sweep_place){ port->peer, port->peer_port };
}

static inline bool nodes_same(struct sweep_place a, struct sweep_place b)
{
	return a.node == b.node && a.port == b.port;
}

#endif
