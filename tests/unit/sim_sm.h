/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A small subnet manager: it finds what there is and brings it up, by SMPs alone, so that
 * tests can send by LID. */
#ifndef TESTS_UNIT_SIM_SM_H
#define TESTS_UNIT_SIM_SM_H

#include "tests/unit/sim_net.h"

struct found {
	uint64_t guid;
	char route[128];
	unsigned int type, nports, hops;
	unsigned int lid;
};

/* Finds every node by directed routes alone. */
static unsigned int discover(struct net *n, const char *from, struct found *found, unsigned int max)
{
	unsigned int count = 1;

	strcpy(found[0].route, "0");
	for (unsigned int i = 0; i < count; i++) {
		struct found *at = &found[i];

		if (net_get(n, from, at->route, 0x11, 0))
			return 0;
		at->guid = got(n, IB_NODE_GUID_F);
		at->type = (unsigned int)got(n, IB_NODE_TYPE_F);
		at->nports = (unsigned int)got(n, IB_NODE_NPORTS_F);
		at->lid = i + 1;
		for (unsigned int p = 1; p <= at->nports; p++) {
			char route[140];
			unsigned int j = 0;

			if (at->type != IB_NODE_SWITCH && i)
				continue;
			snprintf(route, sizeof(route), "%s,%u", at->route, p);
			if (net_get(n, from, route, 0x11, 0))
				continue;
			while (j < count && found[j].guid != got(n, IB_NODE_GUID_F))
				j++;
			if (j < count)
				continue;
			if (count == max)
				return 0;
			found[count] = (struct found){ .guid = got(n, IB_NODE_GUID_F), .hops = at->hops + 1 };
			strcpy(found[count++].route, route);
		}
	}
	return count;
}

/* The port of a switch towards a node: the topology's shortest way, by its neighbours. */
static unsigned int towards(const struct net *n, uint32_t from, uint32_t to)
{
	uint32_t *queue = calloc(n->t->nnodes, sizeof(*queue));
	unsigned int *port = calloc(n->t->nnodes, sizeof(*port)), result;
	unsigned int count = 0;

	if (!queue || !port)
		exit(1);
	/* from the end, the first port that leads to whatever is nearer */
	queue[count++] = to;
	port[to] = 1;
	for (unsigned int i = 0; i < count && !port[from]; i++)
		for (unsigned int p = 1; p <= n->t->nodes[queue[i]].nports; p++) {
			const struct topology_port *at = topology_port(n->t, queue[i], p);

			if (at->peer == TOPOLOGY_NONE || port[at->peer] ||
			    (i && n->t->nodes[queue[i]].type != TOPOLOGY_SWITCH))
				continue;
			port[at->peer] = at->peer_port;
			queue[count++] = at->peer;
		}
	result = port[from];
	free(queue);
	free(port);
	return result;
}

static uint32_t by_guid(const struct net *n, uint64_t guid)
{
	for (uint32_t i = 0; i < n->t->nnodes; i++)
		if (n->t->nodes[i].guid == guid)
			return i;
	return 0;
}

/* LIDs, tables, then ports armed and active. */
static bool bring_up(struct net *n, const char *from, struct found *found, unsigned int count)
{
	bool good = true;

	for (unsigned int i = 0; i < count; i++) {
		uint8_t data[64] = { 0 };

		good &= !port_set(n, from, found[i].route, 0, IB_PORT_LID_F, found[i].lid);
		if (found[i].type != IB_NODE_SWITCH)
			continue;
		mad_set_field(data, 0, IB_SW_LINEAR_FDB_TOP_F, count);
		good &= !net_set(n, from, found[i].route, 0x12, 0, data);
		for (unsigned int block = 0; block <= count / 64; block++) {
			memset(data, 0xff, 64);
			for (unsigned int j = 0; j < count; j++)
				if (found[j].lid / 64 == block)
					data[found[j].lid % 64] =
						j == i ? 0 :
							 (uint8_t)towards(n, by_guid(n, found[i].guid),
									  by_guid(n, found[j].guid));
			good &= !net_set(n, from, found[i].route, 0x19, block, data);
		}
	}
	for (unsigned int state = 3; state <= 4; state++)
		for (unsigned int i = 0; i < count; i++)
			for (unsigned int p = 1; p <= found[i].nports; p++) {
				bool host = found[i].type != IB_NODE_SWITCH;

				if (net_get(n, from, found[i].route, 0x15, host ? 0 : p) ||
				    got(n, IB_PORT_STATE_F) != state - 1)
					continue;
				good &= !port_set(n, from, found[i].route, host ? 0 : p, IB_PORT_STATE_F,
						  state);
			}
	return good;
}

static unsigned int lid_of(const struct net *n, const struct found *found, const char *name)
{
	uint64_t guid = n->t->nodes[net_node(n, name)].guid;

	for (unsigned int i = 0;; i++)
		if (found[i].guid == guid)
			return found[i].lid;
}

__attribute__((unused)) static void gmp(uint8_t mad[256])
{
	smp(mad, 1, 1, 0);
	mad[1] = 0x32;
}

#define GMP_TO(lid) \
	&(struct fabric_head) \
	{ \
		.dlid = (uint16_t)(lid), .source_qp = 1, .qp = 1, .qkey = 0x80010000, .pkey = 0xffff \
	}

#endif
