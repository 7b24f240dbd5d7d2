/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Assigns LIDs to end ports. */
#include <errno.h>
#include <stdlib.h>
#include "sim/sm/internal.h"

/* Lists the nodes breadth first from the manager's on, port by port, so that LIDs do not depend on the
 * order of responses. Returns their number. */
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

/* Returns the number of LIDs of an end port. The manager does not change its LMC. */
static uint32_t sm_lids_count(const struct sm_map *m, uint32_t port)
{
	return UINT32_C(1) << field_get(MADKIT_PORT_INFO_LMC, m->s.ports[port].info);
}

static bool sm_lids_are_free(const struct sm_map *m, uint32_t lid, uint32_t count)
{
	bool are_free = lid + count <= FABRIC_LID_MULTICAST;

	for (uint32_t i = 0; are_free && i < count; i++)
		are_free = m->s.lids[lid + i] == SUBNET_NONE;
	return are_free;
}

static void sm_lids_assign(struct sm_map *m, uint32_t port, uint32_t lid, uint32_t count)
{
	m->ways[port].lid = (uint16_t)lid;
	for (uint32_t i = 0; i < count; i++)
		m->s.lids[lid + i] = port;
	if (lid + count > m->s.nlids)
		m->s.nlids = lid + count;
}

/* Returns the LID of another plane of a port: planes are ports of a channel adapter that have one GUID, and one LID. */
static uint16_t sm_lids_of_plane(const struct sm_map *m, uint32_t port)
{
	const struct subnet_node *node = subnet_node_of(&m->s, port);

	for (uint32_t other = node->first + 1;
	     node->type == TOPOLOGY_CA && other <= node->first + node->nports; other++)
		if (other != port && m->s.ports[other].end &&
		    m->s.ports[other].guid == m->s.ports[port].guid && m->ways[other].lid)
			return m->ways[other].lid;
	return 0;
}

static void sm_lids_keep(struct sm_map *m, uint32_t port)
{
	uint64_t lid = field_get(MADKIT_PORT_INFO_LID, m->s.ports[port].info);
	uint32_t count = sm_lids_count(m, port);

	m->ways[port].lid = m->s.ports[port].end ? sm_lids_of_plane(m, port) : 0;
	if (m->s.ports[port].end && !m->ways[port].lid && lid_is_unicast(lid) && lid % count == 0 &&
	    sm_lids_are_free(m, (uint32_t)lid, count))
		sm_lids_assign(m, port, (uint32_t)lid, count);
}

/* Assigns the lowest free LIDs from *next on, and moves *next to the lowest free LID. */
static void sm_lids_fill(struct sm_map *m, uint32_t port, uint32_t *next)
{
	uint32_t count, lid;

	if (m->s.ports[port].end && !m->ways[port].lid)
		m->ways[port].lid = sm_lids_of_plane(m, port);
	if (!m->s.ports[port].end || m->ways[port].lid)
		return;
	while (*next < FABRIC_LID_MULTICAST && m->s.lids[*next] != SUBNET_NONE)
		++*next;
	count = sm_lids_count(m, port);
	lid = (*next + count - 1) / count * count;
	while (lid < FABRIC_LID_MULTICAST && !sm_lids_are_free(m, lid, count))
		lid += count;
	if (lid < FABRIC_LID_MULTICAST)
		sm_lids_assign(m, port, lid, count);
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
