/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Sweeps of a scripted fabric, which may contradict itself, lie, or change meanwhile. */
#ifndef TESTS_UNIT_SWEEP_TOY_H
#define TESTS_UNIT_SWEEP_TOY_H

#include <errno.h>
#include "tests/unit/fake_transport.h"
#include "tests/unit/sweep.h"
#include "wire/access.h"

enum { TOY_NODES = 70, TOY_PORTS = 8, TOY_LIDS = 128, TOY_TREES = 64 };

struct toy_end {
	int node; /* -1: no cable */
	uint8_t port;
};

struct toy_node {
	uint64_t guid, key;
	uint8_t type, nports, local; /* local: instead of the true LocalPort */
	bool mute;
	bool refuses; /* to show forwarding tables */
	bool adaptive;
	uint32_t vendor;
	uint16_t lid, top;
	uint8_t lmc;
	uint8_t state;             /* of its links; 0: Active */
	uint64_t port_guid;        /* of each of its ports; 0: the number of the port is added to the GUID */
	uint8_t linear[TOY_LIDS];  /* LinearForwardingTable */
	uint16_t trees[TOY_TREES]; /* masks of ports, of the first multicast LIDs */
	struct toy_end ends[TOY_PORTS + 1];
};

struct toy {
	struct fake *fake;
	struct toy_node nodes[TOY_NODES];
	int count;
	unsigned int sent;
	/* before each SMP is routed */
	void (*change)(struct toy *toy);
	unsigned int when;
	/* every route leads to a switch; equal: with the same GUID */
	bool maze, equal;
	/* true if a request gets no response */
	bool (*loses)(struct toy *toy, int node, const uint8_t *mad);
	/* milliseconds until a response arrives; -1: it is lost */
	int (*late)(struct toy *toy, const struct madkit_addr *to);
	/* changes a response */
	void (*forge)(uint8_t *mad, uint16_t attribute);
	uint32_t silent; /* requests without a response */
};

static inline int toy_add(struct toy *toy, uint64_t guid, uint8_t type, uint8_t nports)
{
	struct toy_node *n = &toy->nodes[toy->count];

	*n = (struct toy_node){ .guid = guid, .type = type, .nports = nports };
	for (int i = 0; i <= TOY_PORTS; i++)
		n->ends[i].node = -1;
	return toy->count++;
}

static inline void toy_link(struct toy *toy, int a, uint8_t port_a, int b, uint8_t port_b)
{
	toy->nodes[a].ends[port_a] = (struct toy_end){ b, port_b };
	toy->nodes[b].ends[port_b] = (struct toy_end){ a, port_a };
}

static inline void toy_cut(struct toy *toy, int a, uint8_t port_a)
{
	struct toy_end end = toy->nodes[a].ends[port_a];

	if (end.node < 0)
		return;
	toy->nodes[end.node].ends[end.port].node = -1;
	toy->nodes[a].ends[port_a].node = -1;
}

/* Where a route leads. */
static inline struct toy_end toy_follow(const struct toy *toy, const struct madkit_addr *to)
{
	struct toy_end at = { 0, toy->nodes[0].type == 2 ? 0 : 1 };

	for (unsigned int hop = 1; hop <= to->hops; hop++) {
		const struct toy_node *n = &toy->nodes[at.node];

		if ((hop > 1 && n->type != 2) || to->path[hop] > TOY_PORTS)
			return (struct toy_end){ -1, 0 };
		at = n->ends[to->path[hop]];
		if (at.node < 0 || toy->nodes[at.node].mute)
			return (struct toy_end){ -1, 0 };
	}
	return at;
}

static inline void toy_node_info(uint8_t *data, const struct toy_node *n, unsigned int port)
{
	field_put(MADKIT_NODE_INFO_NODE_TYPE, data, n->type);
	field_put(MADKIT_NODE_INFO_NUM_PORTS, data, n->nports);
	field_put(MADKIT_NODE_INFO_GUID, data, n->guid);
	field_put(MADKIT_NODE_INFO_VENDOR_ID, data, n->vendor);
	field_put(MADKIT_NODE_INFO_PORT_GUID, data, n->port_guid ? n->port_guid : n->guid + port);
	field_put(MADKIT_NODE_INFO_LOCAL_PORT, data, n->local ? n->local : port);
}

static inline void toy_port_info(uint8_t *data, const struct toy_node *n, unsigned int local,
				 unsigned int port)
{
	bool up = port <= TOY_PORTS && n->ends[port].node >= 0;

	field_put(MADKIT_PORT_INFO_LOCAL_PORT, data, local);
	field_put(MADKIT_PORT_INFO_LINK_STATE, data, !up ? 1 : n->state ? n->state : 4);
	field_put(MADKIT_PORT_INFO_LINK_SPEED_ACTIVE, data, 1);
	if (n->type != 2 || !port) {
		field_put(MADKIT_PORT_INFO_LID, data, n->lid);
		field_put(MADKIT_PORT_INFO_LMC, data, n->lmc);
	}
}

/* Forwarding tables, and what says how long they are. */
static inline void toy_table(uint8_t *mad, const struct toy_node *n)
{
	const uint32_t block = get_be32(mad + MADKIT_MAD_MODIFIER);
	uint8_t *data = mad + MADKIT_SMP_DATA;

	switch (get_be16(mad + MADKIT_MAD_ATTRIBUTE)) {
	case MADKIT_ATTR_SWITCH_INFO:
		field_put(MADKIT_SWITCH_INFO_LINEAR_FDB_TOP, data, n->top);
		field_put(MADKIT_SWITCH_INFO_MCAST_FDB_CAP, data, TOY_TREES);
		break;
	case MADKIT_ATTR_LINEAR_FORWARDING_TABLE:
		for (unsigned int i = 0; i < 64 && block * 64 + i < TOY_LIDS; i++)
			data[i] = n->linear[block * 64 + i];
		mad[5] = n->refuses ? 0x0c : 0;
		break;
	case MADKIT_ATTR_MULTICAST_FORWARDING_TABLE:
		for (unsigned int i = 0; i < 32 && block * 32 + i < TOY_TREES; i++)
			put_be16(data + 2 * i, n->trees[block * 32 + i]);
		mad[5] = n->refuses ? 0x0c : 0;
		break;
	case 0xff20:
		data[3] = n->adaptive;
	}
}

static inline void toy_peer(struct fake *fake, const struct fake_sent *sent)
{
	struct toy *toy = fake->peer_context;
	struct madkit_addr to = { .hops = 0 };
	struct toy_node strange = { .type = 2, .nports = 4 };
	const struct toy_node *n = &strange;
	struct toy_end at;
	struct fake_arrival *a;
	uint8_t *data;
	int late = 0;

	toy->sent++;
	if (toy->change)
		toy->change(toy);
	madkit_smp_get_route(sent->mad, sent->len, &to);
	at = toy_follow(toy, &to);
	if (toy->maze && to.hops > 1) {
		for (int i = 0; i <= TOY_PORTS; i++)
			strange.ends[i].node = 0;
		strange.guid = 0x77;
		for (unsigned int hop = 0; !toy->equal && hop <= to.hops; hop++)
			strange.guid = strange.guid * 31 + to.path[hop];
		at = (struct toy_end){ 0, (uint8_t)(1 + to.hops % 4) };
	} else if (at.node >= 0) {
		n = &toy->nodes[at.node];
	}
	if (toy->late)
		late = toy->late(toy, &to);
	if (at.node < 0 || late < 0 || n->mute || (toy->loses && toy->loses(toy, at.node, sent->mad)) ||
	    (n->key && field_get(MADKIT_HEADER_SMP_M_KEY, sent->mad) != n->key)) {
		toy->silent++;
		fake_return(fake, sent->timeout_ms, sent, ETIMEDOUT);
		return;
	}
	a = fake_answer(fake, (uint64_t)late, sent);
	data = a->mad + MADKIT_SMP_DATA;
	if (sent->mad[17] == MADKIT_ATTR_NODE_INFO)
		toy_node_info(data, n, at.port);
	else if (sent->mad[17] == MADKIT_ATTR_PORT_INFO)
		toy_port_info(data, n, at.port, sent->mad[23]);
	else if (sent->mad[17] == MADKIT_ATTR_NODE_DESCRIPTION)
		snprintf((char *)data, 64, "node %u", (unsigned int)n->guid);
	else
		toy_table(a->mad, n);
	if (toy->forge)
		toy->forge(a->mad, sent->mad[17]);
}

/* A host, node 0, at port 1 of a switch with 8 ports, node 1. */
static inline struct toy toy_new(void)
{
	struct toy toy = { .count = 0 };

	toy_add(&toy, 0x100, 1, 1);
	toy_add(&toy, 0x200, 2, TOY_PORTS);
	toy_link(&toy, 0, 1, 1, 1);
	return toy;
}

static inline void toy_begin(struct toy *toy, struct swept *w, const struct madkit_sweep_attr *attr)
{
	toy->fake = fake_new();
	toy->fake->peer = toy_peer;
	toy->fake->peer_context = toy;
	w->port = fake_port(toy->fake);
	if (madkit_sweep_new(w->port, attr, &w->s))
		abort();
}

/* Both ends of each link name each other. */
static inline bool toy_is_consistent(const struct swept *w)
{
	for (uint32_t i = 0; i < w->counts.nodes; i++) {
		const struct madkit_sweep_node *n = madkit_sweep_node(w->s, i);

		for (unsigned int p = 0; p <= n->nports; p++) {
			const struct madkit_sweep_port *far;

			if (n->ports[p].peer == MADKIT_SWEEP_NONE)
				continue;
			far = &madkit_sweep_node(w->s, n->ports[p].peer)->ports[n->ports[p].peer_port];
			if (far->peer != i || far->peer_port != p || n->ports[p].far != MADKIT_SWEEP_ANSWERED)
				return false;
		}
	}
	return true;
}

static inline int toy_sweep(struct toy *toy, struct swept *w, const struct madkit_sweep_attr *attr)
{
	int ret;

	toy_begin(toy, w, attr);
	ret = madkit_sweep_step(w->s, UINT64_MAX);
	swept_count(w);
	return ret;
}

static inline void toy_run(struct toy *toy, struct swept *w, const struct madkit_sweep_attr *attr,
			   const char *what)
{
	is_int(toy_sweep(toy, w, attr), 1, "%s", what);
	swept_print(w);
	ok(toy_is_consistent(w), "... with links that agree at both ends");
}

#endif
