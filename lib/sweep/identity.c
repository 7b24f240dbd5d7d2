/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <errno.h>
#include <stdlib.h>
#include "sweep/identity.h"
#include "wire/access.h"

bool identity_lids(const struct madkit_sweep_port *port, struct madkit_sweep_lids *lids)
{
	uint64_t base, bits;

	*lids = (struct madkit_sweep_lids){ .base = 0 };
	if (port->state != MADKIT_SWEEP_ANSWERED)
		return false;
	base = field_get(MADKIT_PORT_INFO_LID, port->info);
	if (!base || base > NODES_LID_MAX)
		return false;
	/* IBA 4.1.3: the port ignores the LMC lowest bits of a DLID */
	bits = (UINT64_C(1) << field_get(MADKIT_PORT_INFO_LMC, port->info)) - 1;
	lids->base = (uint16_t)base;
	lids->first = (uint16_t)(base & ~bits ? base & ~bits : 1);
	lids->last = (uint16_t)((base | bits) < NODES_LID_MAX ? base | bits : NODES_LID_MAX);
	return true;
}

bool identity_is_plane(const struct madkit_sweep *s, struct sweep_place a, struct sweep_place b)
{
	return a.node == b.node && nodes_port(s, a)->guid && nodes_port(s, a)->guid == nodes_port(s, b)->guid;
}

enum madkit_sweep_lid madkit_sweep_lids(const struct madkit_sweep *s, uint32_t number, unsigned int port,
					struct madkit_sweep_lids *lids)
{
	const struct sweep_entry *e = s->nodes[number];
	const struct madkit_sweep_port *p;

	*lids = (struct madkit_sweep_lids){ .base = 0 };
	if (port > e->node.nports)
		return MADKIT_SWEEP_LID_NONE;
	p = &e->node.ports[identity_end(e, port)];
	if (!identity_lids(p, lids))
		return p->state == MADKIT_SWEEP_ANSWERED ? MADKIT_SWEEP_LID_NONE : MADKIT_SWEEP_LID_UNREAD;
	return p->shared & (MADKIT_SWEEP_SHARED_LID | MADKIT_SWEEP_STALE_LID) ? MADKIT_SWEEP_LID_SHARED :
										MADKIT_SWEEP_LID_OWN;
}

bool madkit_sweep_lid_address(const struct madkit_sweep *s, uint32_t number, unsigned int port,
			      struct madkit_addr *to)
{
	struct madkit_sweep_lids lids;

	if (madkit_sweep_lids(s, number, port, &lids) != MADKIT_SWEEP_LID_OWN)
		return false;
	*to = (struct madkit_addr){ .lid = lids.base };
	return true;
}

/* ---- end ports ----------------------------------------------------------------------- */

/* Calls fn for each end port. */
static void identity_each(struct madkit_sweep *s,
			  void (*fn)(struct madkit_sweep *s, struct sweep_place at, void *context),
			  void *context)
{
	for (uint32_t i = 0; i < s->nnodes; i++) {
		const struct sweep_entry *e = s->nodes[i];
		const unsigned int first = !sweep_is_switch(e), last = first ? e->node.nports : 0;

		for (unsigned int port = first; port <= last; port++)
			fn(s, (struct sweep_place){ i, (uint8_t)port }, context);
	}
}

/* Checks if packets to its LIDs reach a port (IBA 7.2.7). Port 0 of a switch has no link, and packets from
 * the port of the sweep to its own LIDs need not pass its link. */
static bool identity_is_used(const struct madkit_sweep *s, struct sweep_place at)
{
	const uint64_t guid = nodes_port(s, at)->guid;

	return !at.port || (guid && guid == madkit_port_get_info(s->port)->port_guid) ||
	       field_get(MADKIT_PORT_INFO_LINK_STATE, nodes_port(s, at)->info) >= MADKIT_PORT_STATE_ARMED;
}

/* ---- LIDs ------------------------------------------------------------------------------ */

struct identity_lid {
	struct sweep_place owner; /* node is its number plus 1; 0: none */
	bool contested;
};

static void identity_claim_lids(struct madkit_sweep *s, struct sweep_place at, void *context)
{
	struct identity_lid *table = context;
	struct madkit_sweep_lids lids;

	if (!identity_lids(nodes_port(s, at), &lids) || !identity_is_used(s, at))
		return;
	for (unsigned int lid = lids.first; lid <= lids.last; lid++) {
		const struct sweep_place owner = table[lid].owner;

		if (!owner.node)
			table[lid].owner = (struct sweep_place){ at.node + 1, at.port };
		else if (!identity_is_plane(s, at, (struct sweep_place){ owner.node - 1, owner.port }))
			table[lid].contested = true;
	}
}

static void identity_judge_lids(struct madkit_sweep *s, struct sweep_place at, void *context)
{
	const struct identity_lid *table = context;
	struct madkit_sweep_port *port = nodes_port(s, at);
	struct madkit_sweep_lids lids;

	port->shared = nodes_todo(s, at)->contested ? MADKIT_SWEEP_SHARED_LID : 0;
	if (!identity_lids(port, &lids))
		return;
	for (unsigned int lid = lids.first; lid <= lids.last; lid++) {
		if (!table[lid].owner.node)
			continue;
		if (!identity_is_used(s, at))
			port->shared |= MADKIT_SWEEP_STALE_LID;
		else if (table[lid].contested)
			port->shared |= MADKIT_SWEEP_SHARED_LID;
	}
}

/* ---- port GUIDs ---------------------------------------------------------------------------- */

struct identity_guid {
	uint64_t guid;
	uint32_t node; /* the first one with this GUID */
	bool contested;
};

struct identity_guids {
	struct identity_guid *list; /* NULL: GUIDs are only counted */
	uint32_t n;
	struct table table; /* indices of list */
};

static struct identity_guid *identity_find_guid(const struct identity_guids *guids, uint64_t guid)
{
	uint32_t number;
	size_t step = 0;

	while (table_next_number(&guids->table, table_mix(0, guid), &step, &number))
		if (guids->list[number].guid == guid)
			return &guids->list[number];
	return NULL;
}

static void identity_count_guid(struct madkit_sweep *s, struct sweep_place at, void *context)
{
	struct identity_guids *guids = context;

	guids->n += nodes_port(s, at)->guid != 0;
}

static void identity_claim_guid(struct madkit_sweep *s, struct sweep_place at, void *context)
{
	struct identity_guids *guids = context;
	const uint64_t guid = nodes_port(s, at)->guid;
	struct identity_guid *known = identity_find_guid(guids, guid);

	if (!guid)
		return;
	if (known) {
		known->contested |= known->node != at.node;
		return;
	}
	guids->list[guids->n] = (struct identity_guid){ .guid = guid, .node = at.node };
	/* cannot fail: room is reserved */
	table_put(&guids->table, table_mix(0, guid), (void *)(uintptr_t)++guids->n);
}

static void identity_judge_guid(struct madkit_sweep *s, struct sweep_place at, void *context)
{
	const struct identity_guid *known = identity_find_guid(context, nodes_port(s, at)->guid);

	if (known && known->contested)
		nodes_port(s, at)->shared |= MADKIT_SWEEP_SHARED_GUID;
}

static int identity_judge_guids(struct madkit_sweep *s)
{
	struct identity_guids guids = { .list = NULL };
	int ret;

	identity_each(s, identity_count_guid, &guids);
	guids.list = calloc(guids.n + 1u, sizeof(*guids.list));
	ret = guids.list ? table_reserve(&guids.table, guids.n) : -ENOMEM;
	guids.n = 0;
	if (!ret) {
		identity_each(s, identity_claim_guid, &guids);
		identity_each(s, identity_judge_guid, &guids);
	}
	table_free(&guids.table);
	free(guids.list);
	return ret;
}

int identity_judge(struct madkit_sweep *s)
{
	struct identity_lid *lids = calloc(NODES_LID_MAX + 1, sizeof(*lids));

	if (!lids)
		return -ENOMEM;
	identity_each(s, identity_claim_lids, lids);
	identity_each(s, identity_judge_lids, lids);
	free(lids);
	return identity_judge_guids(s);
}

/* ---- which node does a word mean? ----------------------------------------------------- */

/* The next end port of a sweep. */
struct identity_cursor {
	const struct madkit_sweep *sweep;
	uint32_t node;
	unsigned int port;
	uint32_t lid; /* base LID of the first end port of the node that has one */
};

/* Returns the base LID of the first end port of a node that has one; else 0. */
static uint32_t identity_lid_of(const struct sweep_entry *e)
{
	const unsigned int first = !sweep_is_switch(e), last = first ? e->node.nports : 0;
	struct madkit_sweep_lids lids = { .base = 0 };

	for (unsigned int port = first; port <= last && !lids.base; port++)
		identity_lids(&e->node.ports[port], &lids);
	return lids.base;
}

static bool identity_next(void *context, struct madkit_node_port *port)
{
	struct identity_cursor *c = context;
	const struct sweep_entry *e;
	const struct madkit_sweep_port *p;
	struct madkit_sweep_lids lids;

	if (c->node == c->sweep->nnodes)
		return false;
	e = c->sweep->nodes[c->node];
	if (!c->port) {
		c->lid = identity_lid_of(e);
		c->port = !sweep_is_switch(e);
	}
	p = &e->node.ports[c->port];
	identity_lids(p, &lids);
	*port = (struct madkit_node_port){
		.id = c->node,
		.guid = e->node.guid,
		.port_guid = p->guid,
		.lid = c->lid,
		.lid_first = lids.first,
		.lid_last = lids.last,
		.name = madkit_sweep_name(c->sweep, &e->node),
		.description =
			e->node.described == MADKIT_SWEEP_ANSWERED ? (const char *)e->node.description : NULL,
	};
	if (c->port && c->port < e->node.nports) {
		c->port++;
	} else {
		c->port = 0;
		c->node++;
	}
	return true;
}

int madkit_sweep_find(const struct madkit_sweep *s, const char *word, struct madkit_node_match *match)
{
	struct identity_cursor cursor = { .sweep = s };

	return s ? madkit_node_find(word, identity_next, &cursor, match) : -EINVAL;
}
