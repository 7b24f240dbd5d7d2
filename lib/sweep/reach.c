/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "sweep/distance.h"
#include "sweep/nodes.h"
#include "sweep/reach.h"
#include "sweep/work.h"
#include "wire/access.h"

/* Checks if the ports of a node are within reach. A node that no known link reaches had a route when it was
 * found. */
static bool reach_has(const struct madkit_sweep *s, const struct sweep_entry *e)
{
	return e->node.hops < s->reach || e->node.hops == MADKIT_SWEEP_UNREACHED;
}

/* Checks if a request to the node behind a port would only count a violation of its M_Key: the ports of a subnet
 * are protected alike, and the M_Key is not known. ProtectBits of a switch are those of its port 0, which is read
 * before; they are reserved at its other ports. */
static bool reach_is_guarded(const struct madkit_sweep *s, const struct sweep_entry *e, unsigned int port)
{
	enum { REACH_READ_PROTECTED = 2 };
	const struct madkit_sweep_port *base = &e->node.ports[sweep_is_switch(e) ? 0 : port];

	return (base->state != MADKIT_SWEEP_ANSWERED ||
		field_get(MADKIT_PORT_INFO_PROTECT_BITS, base->info) >= REACH_READ_PROTECTED) &&
	       !(s->attr.m_key && s->attr.m_key(s->attr.context, &e->node, port, true));
}

void reach_probe(struct madkit_sweep *s, struct sweep_place at)
{
	struct sweep_entry *e = s->nodes[at.node];
	struct sweep_todo *todo = &e->todo[at.port];

	if (todo->probed || !sweep_passes(s, e, at.port) || !sweep_has_link(s, e, at.port) ||
	    (s->attr.link && reach_is_guarded(s, e, at.port)))
		return;
	todo->beyond = !reach_has(s, e);
	if (todo->beyond)
		return;
	todo->probed = true;
	work_add(s, at.node, at.port, SWEEP_PROBE);
}

/* Checks if the route to a node is one of the shortest. */
static bool reach_is_shortest(const struct madkit_sweep *s, const struct distance *d, uint32_t node)
{
	const struct madkit_sweep_node *n = &s->nodes[node]->node;
	const struct sweep_place parent = { n->parent, n->parent_port };

	return parent.node != MADKIT_SWEEP_NONE && nodes_peer(s, parent).node == node &&
	       d->steps[parent.node].hops + 1 == d->steps[node].hops && !nodes_todo(s, parent)->lossy &&
	       s->nodes[parent.node]->node.state != MADKIT_SWEEP_SILENT;
}

/* Makes the routes the shortest. A node that is not reached keeps its route. */
static void reach_route(struct madkit_sweep *s, const struct distance *d)
{
	for (uint32_t i = 1; i < d->count; i++) {
		const uint32_t node = d->order[i];
		struct madkit_sweep_node *n = &s->nodes[node]->node;

		if (reach_is_shortest(s, d, node))
			continue;
		n->parent = d->steps[node].parent;
		n->parent_port = d->steps[node].parent_port;
		n->number = d->steps[node].port;
	}
}

static int reach_measure(struct madkit_sweep *s)
{
	struct distance d;
	int ret = distance_walk(s, distance_first(s), false, &d);

	if (ret)
		return ret;
	for (uint32_t i = 0; i < s->nnodes; i++)
		s->nodes[i]->node.hops = d.steps[i].hops;
	distance_free(&d);
	ret = distance_walk(s, distance_first(s), true, &d);
	if (ret)
		return ret;
	reach_route(s, &d);
	distance_free(&d);
	return 0;
}

/* Probes the ports of a node that were too far away. Returns true if there are any within reach. */
static bool reach_extend_node(struct madkit_sweep *s, uint32_t node)
{
	const struct sweep_entry *e = s->nodes[node];
	bool more = false;

	for (unsigned int port = 1; port <= e->node.nports; port++) {
		const struct sweep_place at = { node, (uint8_t)port };

		if (!nodes_todo(s, at)->beyond)
			continue;
		reach_probe(s, at);
		more |= !nodes_todo(s, at)->beyond;
		if (nodes_todo(s, at)->beyond && nodes_peer(s, at).node == MADKIT_SWEEP_NONE &&
		    (!s->attr.hops || s->attr.hops > s->reach))
			s->missing |= MADKIT_SWEEP_FAR;
	}
	return more;
}

int reach_extend(struct madkit_sweep *s)
{
	bool more = false;
	int ret;

	if (s->measured)
		return 0;
	ret = reach_measure(s);
	if (ret)
		return ret;
	s->measured = true;
	s->missing &= ~(uint32_t)MADKIT_SWEEP_FAR;
	for (uint32_t i = 0; i < s->nnodes; i++)
		if (s->nodes[i]->node.state != MADKIT_SWEEP_SILENT)
			more |= reach_extend_node(s, i);
	return more;
}
