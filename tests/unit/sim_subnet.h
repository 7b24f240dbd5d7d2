/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A subnet as its manager knows it, made of a fabric in memory without any manager: LIDs
 * in the order of the ports, and the shortest way to each. */
#ifndef TESTS_UNIT_SIM_SUBNET_H
#define TESTS_UNIT_SIM_SUBNET_H

#include "sim/sa/subnet.h"
#include "tests/unit/sim_net.h"

static void *copy_of(const void *bytes, size_t n)
{
	void *copy = malloc(n);

	if (!copy)
		exit(1);
	return memcpy(copy, bytes, n);
}

/* From all switches to one end port. */
static void subnet_route(struct subnet *s, uint32_t to, unsigned int lid)
{
	uint32_t *queue = calloc(s->nports + 1, sizeof(*queue));
	unsigned int n = 0;

	if (!queue)
		exit(1);
	queue[n++] = to;
	if (subnet_node_of(s, to)->type == TOPOLOGY_SWITCH)
		s->nodes[s->ports[to].node].linear[lid] = 0;
	for (unsigned int i = 0; i < n; i++) {
		const struct subnet_node *node = subnet_node_of(s, queue[i]);
		bool all = node->type == TOPOLOGY_SWITCH;

		for (uint32_t p = all ? node->first + 1 : queue[i];
		     p <= (all ? node->first + node->nports : queue[i]); p++) {
			uint32_t peer = s->ports[p].peer;
			struct subnet_node *next;

			if (peer == SUBNET_NONE)
				continue;
			next = &s->nodes[s->ports[peer].node];
			if (next->type != TOPOLOGY_SWITCH || next->linear[lid] != 0xff)
				continue;
			next->linear[lid] = s->ports[peer].number;
			queue[n++] = peer;
		}
	}
	free(queue);
}

/* lmc: the port (in ports) that gets two LIDs; SUBNET_NONE. */
static void subnet_make(struct subnet *s, const struct fabric *f, uint32_t lmc, bool routes)
{
	uint32_t lid = 1;

	memset(s, 0, sizeof(*s));
	for (uint32_t i = 0; i < f->nnodes; i++) {
		const struct node *from = &f->nodes[i];
		struct subnet_node *node;
		uint32_t n;

		if (subnet_add(s, get_be64(from->info + 12), from->type, from->nports, &n))
			exit(1);
		node = &s->nodes[n];
		memcpy(node->info, from->info, 64);
		memcpy(node->description, from->description, 64);
		memcpy(node->switch_info, from->switch_info, 64);
		for (unsigned int p = 0; p <= from->nports; p++) {
			const struct port *port = &f->ports[from->first + p];
			struct subnet_port *to = &s->ports[node->first + p];

			memcpy(to->info, port->info, 64);
			to->peer = port->peer == TOPOLOGY_NONE ? SUBNET_NONE : port->peer;
			if (!port->end)
				continue;
			if (subnet_add_end(s, node->first + p, port->guid))
				exit(1);
			to->pkeys = copy_of(port->end->pkeys, sizeof(port->end->pkeys));
			to->guids = copy_of(port->end->guids, sizeof(port->end->guids));
			if (node->first + p == lmc) {
				lid = (lid + 1) & ~1u;
				mad_set_field(to->info, 0, IB_PORT_LMC_F, 1);
			}
			mad_set_field(to->info, 0, IB_PORT_LID_F, lid);
			lid += node->first + p == lmc ? 2 : 1;
		}
	}
	s->nlids = lid;
	s->lids = malloc(lid * sizeof(*s->lids));
	if (!s->lids)
		exit(1);
	memset(s->lids, 0xff, lid * sizeof(*s->lids));
	for (uint32_t i = 0; i < s->nports; i++)
		for (unsigned int l = 0; s->ports[i].end && l < (i == lmc ? 2 : 1); l++)
			s->lids[mad_get_field(s->ports[i].info, 0, IB_PORT_LID_F) + l] = i;
	for (uint32_t i = 0; routes && i < s->nnodes; i++) {
		struct subnet_node *node = &s->nodes[i];

		if (node->type != TOPOLOGY_SWITCH)
			continue;
		node->nlinear = (lid + 63) / 64 * 64;
		node->linear = malloc(node->nlinear);
		if (!node->linear)
			exit(1);
		memset(node->linear, 0xff, node->nlinear);
		mad_set_field(node->switch_info, 0, IB_SW_LINEAR_FDB_TOP_F, lid - 1);
	}
	for (unsigned int l = 0; routes && l < lid; l++)
		if (s->lids[l] != SUBNET_NONE)
			subnet_route(s, s->lids[l], l);
	s->generation = 1;
}

#endif
