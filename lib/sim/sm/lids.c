/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Who has which LID. */
#include <errno.h>
#include <stdlib.h>
#include "sim/sm/internal.h"

/* The nodes from the manager's on, port by port: that LIDs do not depend on which answer
 * came first. How many there are. */
static uint32_t in_order(const struct subnet *s, uint32_t *order, bool *seen)
{
	uint32_t count = 0;

	order[count++] = s->ports[s->sm_port].node;
	seen[order[0]] = true;
	for (uint32_t i = 0; i < count; i++) {
		const struct subnet_node *node = &s->nodes[order[i]];

		for (unsigned int p = 1; p <= node->nports; p++) {
			uint32_t peer = s->ports[node->first + p].peer;

			if (peer == SUBNET_NONE || seen[s->ports[peer].node])
				continue;
			seen[s->ports[peer].node] = true;
			order[count++] = s->ports[peer].node;
		}
	}
	return count;
}

static void sm_lids_assign(struct sm_map *m, uint32_t port, uint32_t lid)
{
	m->ways[port].lid = (uint16_t)lid;
	m->s.lids[lid] = port;
	if (lid >= m->s.nlids)
		m->s.nlids = lid + 1;
}

static void sm_lids_keep(struct sm_map *m, uint32_t port)
{
	uint64_t lid = field_get(MADKIT_PORT_INFO_LID, m->s.ports[port].info);

	m->ways[port].lid = 0;
	if (m->s.ports[port].end && lid_is_unicast(lid) && m->s.lids[lid] == SUBNET_NONE)
		sm_lids_assign(m, port, (uint32_t)lid);
}

/* The lowest that is free, from *next on. */
static void sm_lids_fill(struct sm_map *m, uint32_t port, uint32_t *next)
{
	if (!m->s.ports[port].end || m->ways[port].lid)
		return;
	while (*next < FABRIC_LID_MULTICAST && m->s.lids[*next] != SUBNET_NONE)
		++*next;
	if (*next < FABRIC_LID_MULTICAST)
		sm_lids_assign(m, port, *next);
}

int sm_lids(struct sm_map *m)
{
	struct subnet *s = &m->s;
	uint32_t *order = malloc(s->nnodes * sizeof(*order));
	bool *seen = calloc(s->nnodes, sizeof(*seen));
	uint32_t count, next = 1;
	int ret = -ENOMEM;

	free(s->lids);
	s->lids = malloc(FABRIC_LID_MULTICAST * sizeof(*s->lids));
	s->nlids = 0;
	if (!order || !seen || !s->lids)
		goto out;
	ret = 0;
	for (uint32_t i = 0; i < FABRIC_LID_MULTICAST; i++)
		s->lids[i] = SUBNET_NONE;
	count = in_order(s, order, seen);
	for (uint32_t i = 0; i < count; i++)
		for (unsigned int p = 0; p <= s->nodes[order[i]].nports; p++)
			sm_lids_keep(m, s->nodes[order[i]].first + p);
	sm_lids_fill(m, s->sm_port, &next);
	for (uint32_t i = 0; i < count; i++)
		for (unsigned int p = 0; p <= s->nodes[order[i]].nports; p++)
			sm_lids_fill(m, s->nodes[order[i]].first + p, &next);
out:
	free(order);
	free(seen);
	return ret;
}
