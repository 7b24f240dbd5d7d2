/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Linear forwarding tables: from each switch the shortest way to each LID. Of equal ones
 * that is taken which has the fewest LIDs so far, but a LID stays where it was while that is
 * nearly so: little is to change when a cable is pulled, and a new one is to be used.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "sim/sm/internal.h"
#include "util/array.h"

enum { NO_PORT = 255, SLACK = 1 };

void sm_map_free(struct sm_map *m)
{
	for (uint32_t i = 0; i < m->nswitches; i++)
		free(m->switches[i].multicast_dirty);
	free(m->switches);
	free(m->switch_of);
	free(m->links);
	free(m->ways);
	subnet_free(&m->s);
	memset(m, 0, sizeof(*m));
}

/* ---- switches and the cables between them ------------------------------------------------ */

/* The switch at the other end of a port; SUBNET_NONE. */
static uint32_t neighbour(const struct sm_map *m, uint32_t port)
{
	uint32_t peer = m->s.ports[port].peer;

	return peer == SUBNET_NONE ? SUBNET_NONE : m->switch_of[m->s.ports[peer].node];
}

static void inherit(struct sm_map *m, struct sm_switch *sw, struct sm_map *old)
{
	struct subnet_node *node = &m->s.nodes[sw->node], *was;
	uint32_t number = subnet_find_node(&old->s, node->guid), index;

	if (number == SUBNET_NONE || !old->switch_of || old->s.nodes[number].nports != node->nports)
		return;
	index = old->switch_of[number];
	if (index == SUBNET_NONE)
		return;
	was = &old->s.nodes[number];
	node->linear = was->linear;
	node->nlinear = was->nlinear;
	node->multicast = was->multicast;
	was->linear = was->multicast = NULL;
	was->nlinear = 0;
	memcpy(sw->linear_dirty, old->switches[index].linear_dirty, sizeof(sw->linear_dirty));
	sw->multicast_dirty = old->switches[index].multicast_dirty;
	old->switches[index].multicast_dirty = NULL;
}

static void find_links(struct sm_map *m)
{
	for (uint32_t i = 0; i < m->nswitches; i++) {
		struct sm_switch *sw = &m->switches[i];
		const struct subnet_node *node = &m->s.nodes[sw->node];

		sw->first_link = m->nlinks;
		for (unsigned int p = 1; p <= node->nports; p++) {
			uint32_t to = neighbour(m, node->first + p);

			/* a loop-back leads nowhere */
			if (to == SUBNET_NONE || to == i)
				continue;
			m->links[m->nlinks++] = (struct sm_link){
				.from = i,
				.to = to,
				.port = (uint8_t)p,
				.to_port = m->s.ports[m->s.ports[node->first + p].peer].number,
			};
		}
		sw->nlinks = m->nlinks - sw->first_link;
	}
}

int sm_switches(struct sm_map *m, struct sm_map *old)
{
	uint32_t nlinks = 0;

	m->switch_of = malloc(m->s.nnodes * sizeof(*m->switch_of));
	if (!m->switch_of)
		return -ENOMEM;
	m->nswitches = 0;
	for (uint32_t i = 0; i < m->s.nnodes; i++)
		m->switch_of[i] = subnet_is_switch(&m->s.nodes[i]) ? m->nswitches++ : SUBNET_NONE;
	m->switches = calloc(m->nswitches ? m->nswitches : 1, sizeof(*m->switches));
	for (uint32_t i = 0; m->switches && i < m->s.nports; i++)
		nlinks += m->switch_of[m->s.ports[i].node] != SUBNET_NONE && neighbour(m, i) != SUBNET_NONE;
	m->links = malloc((nlinks ? nlinks : 1) * sizeof(*m->links));
	if (!m->switches || !m->links) {
		m->nswitches = 0;
		return -ENOMEM;
	}
	for (uint32_t i = 0; i < m->s.nnodes; i++)
		if (m->switch_of[i] != SUBNET_NONE)
			m->switches[m->switch_of[i]].node = i;
	find_links(m);
	for (uint32_t i = 0; old && i < m->nswitches; i++)
		inherit(m, &m->switches[i], old);
	return 0;
}

/* ---- entries ------------------------------------------------------------------------------- */

static void set_entry(struct sm_map *m, struct sm_switch *sw, uint32_t lid, uint8_t port)
{
	struct subnet_node *node = &m->s.nodes[sw->node];

	if (node->linear[lid] == port)
		return;
	node->linear[lid] = port;
	sm_set_bit(sw->linear_dirty, lid / SM_LINEAR_BLOCK);
}

/* Room for all LIDs in every table, and no way to those that nobody has. */
static int sm_route_make_room(struct sm_map *m)
{
	uint32_t want = (m->s.nlids + SM_LINEAR_BLOCK - 1) / SM_LINEAR_BLOCK * SM_LINEAR_BLOCK;

	for (uint32_t i = 0; i < m->nswitches; i++) {
		struct sm_switch *sw = &m->switches[i];
		struct subnet_node *node = &m->s.nodes[sw->node];
		uint32_t had = node->nlinear;

		if (array_extend(&node->linear, &node->nlinear, want, 1, NO_PORT))
			return -ENOMEM;
		/* what the switch has there nobody knows */
		for (uint32_t lid = had; lid < want; lid += SM_LINEAR_BLOCK)
			sm_set_bit(sw->linear_dirty, lid / SM_LINEAR_BLOCK);
		for (uint32_t lid = 0; lid < node->nlinear; lid++)
			if (subnet_find_lid(&m->s, lid) == SUBNET_NONE)
				set_entry(m, sw, lid, NO_PORT);
	}
	return 0;
}

/* ---- ways ------------------------------------------------------------------------------------ */

/* A LID at the switch that its packets leave by this port. */
struct target {
	uint16_t lid;
	uint8_t port;
};

struct routing {
	struct sm_map *m;
	struct target *targets;
	uint32_t *first;    /* in targets, by switch; and one more */
	uint16_t *distance; /* by switch, to the one that is looked at */
	uint32_t *queue;
};

uint32_t sm_switch_at(const struct sm_map *m, uint32_t end, uint8_t *port)
{
	uint32_t peer = m->s.ports[end].peer, own = m->switch_of[m->s.ports[end].node];

	*port = 0;
	if (own != SUBNET_NONE || peer == SUBNET_NONE)
		return own;
	*port = m->s.ports[peer].number;
	return m->switch_of[m->s.ports[peer].node];
}

/* The switch where a LID is, with the port there; SUBNET_NONE. */
static uint32_t sm_route_locate(const struct sm_map *m, uint32_t lid, uint8_t *port)
{
	uint32_t end = subnet_find_lid(&m->s, lid);

	return end == SUBNET_NONE ? SUBNET_NONE : sm_switch_at(m, end, port);
}

/* LIDs by switch, in their order. */
static void find_targets(struct routing *r)
{
	const struct sm_map *m = r->m;
	uint8_t port = 0;

	memset(r->first, 0, (m->nswitches + 2) * sizeof(*r->first));
	for (uint32_t lid = 1; lid < m->s.nlids; lid++) {
		uint32_t at = sm_route_locate(m, lid, &port);

		if (at != SUBNET_NONE)
			r->first[at + 2]++;
	}
	for (uint32_t i = 2; i < m->nswitches + 2; i++)
		r->first[i] += r->first[i - 1];
	/* counts up what is one further, until first[at] is where the next switch begins */
	for (uint32_t lid = 1; lid < m->s.nlids; lid++) {
		uint32_t at = sm_route_locate(m, lid, &port);

		if (at != SUBNET_NONE)
			r->targets[r->first[at + 1]++] = (struct target){
				.lid = (uint16_t)lid,
				.port = port,
			};
	}
}

static void measure(struct routing *r, uint32_t from)
{
	const struct sm_map *m = r->m;
	uint32_t count = 0;

	memset(r->distance, 0xff, m->nswitches * sizeof(*r->distance));
	r->distance[from] = 0;
	r->queue[count++] = from;
	for (uint32_t i = 0; i < count; i++) {
		const struct sm_switch *sw = &m->switches[r->queue[i]];
		const struct sm_link *link = &m->links[sw->first_link];

		for (uint32_t l = 0; l < sw->nlinks; l++)
			if (r->distance[link[l].to] == UINT16_MAX) {
				r->distance[link[l].to] = (uint16_t)(r->distance[r->queue[i]] + 1);
				r->queue[count++] = link[l].to;
			}
	}
}

static uint32_t least_load(struct sm_link *const *ways, unsigned int n)
{
	uint32_t least = UINT32_MAX;

	for (unsigned int i = 0; i < n; i++)
		if (ways[i]->load < least)
			least = ways[i]->load;
	return least;
}

/* Each of the targets to one of these ways. */
static void spread(struct sm_map *m, struct sm_switch *sw, const struct target *targets, uint32_t ntargets,
		   struct sm_link *const *ways, unsigned int nways)
{
	const struct subnet_node *node = &m->s.nodes[sw->node];
	uint8_t by_port[256];
	uint32_t least = least_load(ways, nways);
	unsigned int at = 0;

	memset(by_port, NO_PORT, sizeof(by_port));
	for (unsigned int i = 0; i < nways; i++)
		by_port[ways[i]->port] = (uint8_t)i;
	for (uint32_t t = 0; t < ntargets; t++) {
		unsigned int pick = by_port[node->linear[targets[t].lid]], tried = 0;

		/* the least is as it was when it was last looked for */
		if (pick != NO_PORT && ways[pick]->load > least + SLACK)
			least = least_load(ways, nways);
		if (pick == NO_PORT || ways[pick]->load > least + SLACK) {
			while (ways[at]->load != least) {
				at = (at + 1) % nways;
				if (++tried == nways)
					least = least_load(ways, nways);
			}
			pick = at;
		}
		ways[pick]->load++;
		set_entry(m, sw, targets[t].lid, ways[pick]->port);
	}
}

/* All ways to the LIDs at one switch. */
static void route_to(struct routing *r, uint32_t to)
{
	struct sm_map *m = r->m;
	const struct target *targets = &r->targets[r->first[to]];
	uint32_t ntargets = r->first[to + 1] - r->first[to];

	measure(r, to);
	for (uint32_t i = 0; i < m->nswitches; i++) {
		struct sm_switch *sw = &m->switches[i];
		struct sm_link *ways[256];
		unsigned int nways = 0;

		for (uint32_t l = 0; r->distance[i] != UINT16_MAX && l < sw->nlinks; l++) {
			struct sm_link *link = &m->links[sw->first_link + l];

			if (r->distance[link->to] + 1 == r->distance[i])
				ways[nways++] = link;
		}
		if (nways) {
			spread(m, sw, targets, ntargets, ways, nways);
			continue;
		}
		/* here, or not to be reached */
		for (uint32_t t = 0; t < ntargets; t++)
			set_entry(m, sw, targets[t].lid, i == to ? targets[t].port : NO_PORT);
	}
}

int sm_route(struct sm_map *m)
{
	struct routing r = { .m = m };
	int ret = sm_route_make_room(m);

	r.targets = malloc((m->s.nlids ? m->s.nlids : 1) * sizeof(*r.targets));
	r.first = malloc((m->nswitches + 2) * sizeof(*r.first));
	r.distance = malloc((m->nswitches + 1) * sizeof(*r.distance));
	r.queue = malloc((m->nswitches + 1) * sizeof(*r.queue));
	if (!r.targets || !r.first || !r.distance || !r.queue)
		ret = -ENOMEM;
	if (!ret) {
		for (uint32_t i = 0; i < m->nlinks; i++)
			m->links[i].load = 0;
		find_targets(&r);
		for (uint32_t i = 0; i < m->nswitches; i++)
			route_to(&r, i);
	}
	free(r.targets);
	free(r.first);
	free(r.distance);
	free(r.queue);
	return ret;
}
