/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <errno.h>
#include <stdlib.h>
#include "sweep/distance.h"
#include "sweep/nodes.h"

struct sweep_place distance_first(const struct madkit_sweep *s)
{
	return (struct sweep_place){ 0, s->nodes[0]->node.number };
}

/* Checks if a walk may leave a node through this port. */
static bool distance_passes(const struct madkit_sweep *s, struct sweep_place start, struct sweep_place at,
			    bool routes)
{
	const struct sweep_entry *e = s->nodes[at.node];

	if (routes && (nodes_todo(s, at)->lossy || e->node.state == MADKIT_SWEEP_SILENT))
		return false;
	return sweep_is_switch(e) ? at.port > 0 : nodes_same(at, start);
}

static void distance_leave(const struct madkit_sweep *s, struct sweep_place start, struct sweep_place at,
			   bool routes, struct distance *d)
{
	const struct sweep_place peer = nodes_peer(s, at);
	const uint8_t hops = d->steps[at.node].hops;
	struct distance_step *step;

	if (peer.node == MADKIT_SWEEP_NONE || !distance_passes(s, start, at, routes))
		return;
	step = &d->steps[peer.node];
	if (step->hops != MADKIT_SWEEP_UNREACHED)
		return;
	*step = (struct distance_step){
		.parent = at.node,
		.parent_port = at.port,
		.port = peer.port,
		.hops = hops + 1 < MADKIT_SWEEP_UNREACHED ? (uint8_t)(hops + 1) : hops,
	};
	d->order[d->count++] = peer.node;
}

int distance_walk(const struct madkit_sweep *s, struct sweep_place start, bool routes, struct distance *d)
{
	const size_t room = (size_t)s->nnodes + 1;

	*d = (struct distance){ .steps = malloc(room * sizeof(*d->steps)),
				.order = malloc(room * sizeof(*d->order)) };
	if (!d->steps || !d->order) {
		distance_free(d);
		return -ENOMEM;
	}
	for (uint32_t i = 0; i < s->nnodes; i++)
		d->steps[i] =
			(struct distance_step){ .parent = MADKIT_SWEEP_NONE, .hops = MADKIT_SWEEP_UNREACHED };
	d->steps[start.node].hops = 0;
	d->steps[start.node].port = start.port;
	d->order[d->count++] = start.node;
	for (uint32_t i = 0; i < d->count; i++) {
		const uint32_t node = d->order[i];

		for (unsigned int port = 1; port <= s->nodes[node]->node.nports; port++)
			distance_leave(s, start, (struct sweep_place){ node, (uint8_t)port }, routes, d);
	}
	return 0;
}

void distance_free(struct distance *d)
{
	free(d->steps);
	free(d->order);
	*d = (struct distance){ .count = 0 };
}

int madkit_sweep_distances(const struct madkit_sweep *s, uint32_t number, unsigned int port, uint8_t *hops)
{
	struct distance d;

	if (number >= s->nnodes || port > s->nodes[number]->node.nports)
		return -EINVAL;
	if (distance_walk(s, (struct sweep_place){ number, (uint8_t)port }, false, &d))
		return -ENOMEM;
	for (uint32_t i = 0; i < s->nnodes; i++)
		hops[i] = d.steps[i].hops;
	distance_free(&d);
	return 0;
}
