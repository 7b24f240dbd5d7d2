/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <string.h>
#include "sweep/nodes.h"
#include "sweep/route.h"

bool route_append(struct madkit_addr *to, unsigned int port)
{
	if (to->hops >= MADKIT_HOPS_MAX)
		return false;
	to->path[++to->hops] = (uint8_t)port;
	return true;
}

/* Follows the parents, whose links must still exist. A route through the node avoid is not accepted. */
static bool route_walk(const struct madkit_sweep *s, uint32_t node, uint32_t avoid, struct madkit_addr *to)
{
	uint8_t back[MADKIT_HOPS_MAX];
	unsigned int hops = 0;

	for (; node; node = s->nodes[node]->node.parent) {
		const struct madkit_sweep_node *n = &s->nodes[node]->node;

		if (node == avoid || hops + s->from.hops >= MADKIT_HOPS_MAX ||
		    s->nodes[n->parent]->node.ports[n->parent_port].peer != node)
			return false;
		back[hops++] = n->parent_port;
	}
	*to = s->from;
	while (hops)
		to->path[++to->hops] = back[--hops];
	return avoid != 0;
}

static bool route_walk_through(const struct madkit_sweep *s, struct sweep_place at, uint32_t avoid,
			       struct madkit_addr *to)
{
	return sweep_passes(s, s->nodes[at.node], at.port) && route_walk(s, at.node, avoid, to) &&
	       route_append(to, at.port);
}

/* Returns the last egress port of a route to a port. A switch is entered from its parent, whichever port is
 * meant. */
static struct sweep_place route_entry(const struct madkit_sweep *s, uint32_t node, unsigned int port)
{
	const struct sweep_entry *e = s->nodes[node];

	if (sweep_is_switch(e) || !port)
		port = e->node.number;
	return nodes_peer(s, (struct sweep_place){ node, (uint8_t)port });
}

static bool route_is_start(const struct madkit_sweep *s, uint32_t node, unsigned int port)
{
	return !node && (sweep_is_switch(s->nodes[0]) || !port || port == s->nodes[0]->node.number);
}

bool route_to_node(const struct madkit_sweep *s, uint32_t node, unsigned int port, struct madkit_addr *to)
{
	struct sweep_place entry;

	if (route_is_start(s, node, port) || sweep_is_switch(s->nodes[node]))
		return route_walk(s, node, MADKIT_SWEEP_NONE, to);
	entry = route_entry(s, node, port);
	return entry.node != MADKIT_SWEEP_NONE && route_walk_through(s, entry, MADKIT_SWEEP_NONE, to);
}

bool route_through_port(const struct madkit_sweep *s, uint32_t node, unsigned int port,
			struct madkit_addr *to)
{
	return route_walk_through(s, (struct sweep_place){ node, (uint8_t)port }, MADKIT_SWEEP_NONE, to);
}

/* Finds another link to a switch than the one to its parent: one with a far end that can be reached without
 * passing the switch, by the shortest such route. */
static bool route_second(const struct madkit_sweep *s, uint32_t node, struct sweep_place *entry,
			 struct madkit_addr *to)
{
	const struct sweep_entry *e = s->nodes[node];
	const struct sweep_place parent = { e->node.parent, e->node.parent_port };
	bool found = false;

	if (!node || e->rerouted || !sweep_is_switch(e))
		return false;
	for (unsigned int n = 1; n <= e->node.nports; n++) {
		const struct sweep_place other = nodes_peer(s, (struct sweep_place){ node, (uint8_t)n });
		struct madkit_addr route;

		if (other.node == MADKIT_SWEEP_NONE || nodes_same(other, parent) ||
		    !route_walk_through(s, other, node, &route) || (found && route.hops >= to->hops))
			continue;
		*entry = other;
		*to = route;
		found = true;
	}
	return found;
}

bool route_detour_through(const struct madkit_sweep *s, uint32_t node, unsigned int port,
			  struct madkit_addr *to)
{
	struct sweep_place entry;

	return sweep_passes(s, s->nodes[node], port) && route_second(s, node, &entry, to) &&
	       route_append(to, port);
}

bool route_detour_to(const struct madkit_sweep *s, uint32_t node, unsigned int port, struct madkit_addr *to)
{
	struct sweep_place entry;

	if (route_is_start(s, node, port))
		return false;
	if (route_second(s, node, &entry, to))
		return true;
	entry = route_entry(s, node, port);
	return entry.node != MADKIT_SWEEP_NONE && route_detour_through(s, entry.node, entry.port, to);
}

bool route_adopt(struct madkit_sweep *s, uint32_t node)
{
	struct sweep_place entry;
	struct madkit_addr to;

	if (!route_second(s, node, &entry, &to))
		return false;
	s->nodes[node]->node.parent = entry.node;
	s->nodes[node]->node.parent_port = entry.port;
	s->nodes[node]->node.number = nodes_port(s, entry)->peer_port;
	return true;
}

bool madkit_sweep_route(const struct madkit_sweep *s, uint32_t number, struct madkit_addr *to)
{
	return !s->admin && route_to_node(s, number, 0, to);
}

bool madkit_sweep_port_route(const struct madkit_sweep *s, uint32_t number, unsigned int port,
			     struct madkit_addr *to)
{
	return !s->admin && route_to_node(s, number, port, to);
}
