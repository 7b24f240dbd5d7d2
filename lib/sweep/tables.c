/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "agent/agent.h"
#include "sweep/distance.h"
#include "sweep/identity.h"
#include "sweep/tables.h"
#include "util/array_size.h"
#include "wire/access.h"

static const struct sweep_place tables_nowhere = { MADKIT_SWEEP_NONE, 0 };

int tables_init(struct tables *t)
{
	t->owners = malloc((NODES_LID_MAX + 1) * sizeof(*t->owners));
	if (!t->owners)
		return -ENOMEM;
	for (unsigned int lid = 0; lid <= NODES_LID_MAX; lid++)
		t->owners[lid] = tables_nowhere;
	return 0;
}

void tables_free(struct tables *t)
{
	free(t->owners);
}

/* Returns the end port that has a LID, or tables_nowhere. */
static struct sweep_place tables_owner(const struct tables *t, uint64_t lid)
{
	return lid <= NODES_LID_MAX ? t->owners[lid] : tables_nowhere;
}

/* Finds the port of a record by the LID of its end port, which planes share, and its port number. Returns false if there
 * is none. */
static bool tables_port(const struct madkit_sweep *s, const struct tables *t, uint64_t lid, uint64_t number,
			struct sweep_place *at)
{
	*at = tables_owner(t, lid);
	if (at->node == MADKIT_SWEEP_NONE)
		return false;
	if (number > s->nodes[at->node]->node.nports)
		return false;
	at->port = (uint8_t)number;
	return sweep_is_switch(s->nodes[at->node]) || number == t->owners[lid].port ||
	       identity_is_plane(s, *at, t->owners[lid]);
}

/* Copies an attribute. Returns false if an earlier record had a different one. */
static bool tables_copy(uint8_t *state, uint8_t *to, const uint8_t *from, size_t len)
{
	if (*state == MADKIT_SWEEP_ANSWERED)
		return !memcmp(to, from, len);
	memcpy(to, from, len);
	*state = MADKIT_SWEEP_ANSWERED;
	return true;
}

/* ---- nodes ----------------------------------------------------------------------------- */

static bool tables_is_valid(const uint8_t *info)
{
	unsigned int nports = (unsigned int)field_get(MADKIT_NODE_INFO_NUM_PORTS, info);
	unsigned int port = (unsigned int)field_get(MADKIT_NODE_INFO_LOCAL_PORT, info);

	return nports && nports < 255 && port <= nports &&
	       (port || field_get(MADKIT_NODE_INFO_NODE_TYPE, info) == MADKIT_NODE_TYPE_SWITCH);
}

/* Adds a node. duplicate: another node has its GUID. Returns 0; -E2BIG; or -ENOMEM. */
static int tables_add(struct madkit_sweep *s, const uint8_t *record, bool duplicate, uint32_t *added)
{
	const uint8_t *info = record + field_at(MADKIT_NODE_RECORD_NODE_INFO);
	int ret = nodes_add(s, info, MADKIT_SWEEP_NONE, 0, added);
	struct madkit_sweep_node *n;

	if (ret)
		return ret;
	n = &s->nodes[*added]->node;
	n->hops = MADKIT_SWEEP_UNREACHED;
	n->described = MADKIT_SWEEP_ANSWERED;
	memcpy(n->description, record + field_at(MADKIT_NODE_RECORD_NODE_DESCRIPTION),
	       MADKIT_SWEEP_INFO_BYTES);
	if (duplicate)
		nodes_mark(s, n->guid);
	return 0;
}

/* Finds the node with this GUID whose port has not had a record yet. *again: the port already had one,
 * perhaps with another of its LIDs. Returns the number of nodes with the GUID. */
static unsigned int tables_find(const struct madkit_sweep *s, const struct tables *t, const uint8_t *record,
				struct sweep_place *at, struct sweep_place *again)
{
	const uint8_t *info = record + field_at(MADKIT_NODE_RECORD_NODE_INFO);
	const uint64_t lid = field_get(MADKIT_NODE_RECORD_LID, record);
	const uint64_t guid = field_get(MADKIT_NODE_INFO_GUID, info);
	const struct sweep_place owner = tables_owner(t, lid);
	const uint8_t port = at->port;
	unsigned int count = 0;
	size_t step = 0;
	uint32_t node;

	*again = tables_nowhere;
	while (nodes_next(s, guid, &step, &node)) {
		const struct madkit_sweep_node *n = &s->nodes[node]->node;
		const struct sweep_place place = { node, port };

		count++;
		if (n->type != field_get(MADKIT_NODE_INFO_NODE_TYPE, info) ||
		    n->nports != field_get(MADKIT_NODE_INFO_NUM_PORTS, info))
			continue;
		if (!nodes_todo(s, place)->answered)
			*at = node < at->node ? place : *at;
		else if ((guid || !lid || nodes_same(owner, place)) &&
			 nodes_port(s, place)->guid == field_get(MADKIT_NODE_INFO_PORT_GUID, info))
			*again = place;
	}
	return count;
}

/* Makes an end port the owner of a LID; 0: it has none yet. Returns 0, or -EBADMSG if the LID is not unicast
 * or has another owner. */
static int tables_own(struct madkit_sweep *s, struct tables *t, uint64_t lid, struct sweep_place at)
{
	if (!lid)
		return 0;
	if (lid > NODES_LID_MAX)
		return -EBADMSG;
	if (t->owners[lid].node != MADKIT_SWEEP_NONE && identity_is_plane(s, t->owners[lid], at))
		return 0;
	if (t->owners[lid].node != MADKIT_SWEEP_NONE && !nodes_same(t->owners[lid], at)) {
		nodes_todo(s, at)->contested = true;
		nodes_todo(s, t->owners[lid])->contested = true;
		return -EBADMSG;
	}
	t->owners[lid] = at;
	return 0;
}

static int tables_node(struct madkit_sweep *s, struct tables *t, const uint8_t *record)
{
	const uint8_t *info = record + field_at(MADKIT_NODE_RECORD_NODE_INFO);
	const uint64_t lid = field_get(MADKIT_NODE_RECORD_LID, record);
	const bool is_switch = field_get(MADKIT_NODE_INFO_NODE_TYPE, info) == MADKIT_NODE_TYPE_SWITCH;
	struct sweep_place at = tables_nowhere, again;
	unsigned int count;

	if (!tables_is_valid(info))
		return -EBADMSG;
	at.port = is_switch ? 0 : (uint8_t)field_get(MADKIT_NODE_INFO_LOCAL_PORT, info);
	count = tables_find(s, t, record, &at, &again);
	if (again.node != MADKIT_SWEEP_NONE)
		return tables_own(s, t, lid, again);
	if (at.node == MADKIT_SWEEP_NONE) {
		int ret = count < MADKIT_SWEEP_DUPLICATES_MAX ? tables_add(s, record, count, &at.node) :
								-E2BIG;

		if (ret)
			return ret;
	}
	nodes_todo(s, at)->answered = true;
	nodes_port(s, at)->guid = field_get(MADKIT_NODE_INFO_PORT_GUID, info);
	return tables_own(s, t, lid, at);
}

/* ---- ports ----------------------------------------------------------------------------- */

/* Assigns the other LIDs of a port, which has 2^LMC. */
static void tables_range(struct tables *t, struct sweep_place end, const struct madkit_sweep_port *port,
			 uint64_t lid)
{
	struct madkit_sweep_lids lids;

	if (!identity_lids(port, &lids) || lid < lids.first || lid > lids.last)
		return;
	for (lid = lids.first; lid <= lids.last; lid++)
		if (t->owners[lid].node == MADKIT_SWEEP_NONE)
			t->owners[lid] = end;
}

static int tables_port_info(struct madkit_sweep *s, struct tables *t, const uint8_t *record)
{
	const uint8_t *info = record + field_at(MADKIT_PORT_INFO_RECORD_PORT_INFO);
	const uint64_t lid = field_get(MADKIT_PORT_INFO_RECORD_ENDPORT_LID, record);
	struct madkit_sweep_port *port;
	struct sweep_place at;

	if (!tables_port(s, t, lid, field_get(MADKIT_PORT_INFO_RECORD_PORT_NUM, record), &at))
		return -EBADMSG;
	port = nodes_port(s, at);
	if (!tables_copy(&port->state, port->info, info, MADKIT_SWEEP_INFO_BYTES))
		return -EBADMSG;
	port->wide = port->extended = MADKIT_SWEEP_REFUSED;
	if (at.port == tables_owner(t, lid).port)
		tables_range(t, at, port, lid);
	return 0;
}

static int tables_switch_info(struct madkit_sweep *s, struct tables *t, const uint8_t *record)
{
	const struct sweep_place at = tables_owner(t, field_get(MADKIT_SWITCH_INFO_RECORD_LID, record));
	struct madkit_sweep_node *n;

	if (at.node == MADKIT_SWEEP_NONE || !sweep_is_switch(s->nodes[at.node]))
		return -EBADMSG;
	n = &s->nodes[at.node]->node;
	return tables_copy(&n->switched, n->switch_info,
			   record + field_at(MADKIT_SWITCH_INFO_RECORD_SWITCH_INFO),
			   at_width(MADKIT_SWITCH_INFO_RECORD_SWITCH_INFO) / 8) ?
		       0 :
		       -EBADMSG;
}

/* ---- links ----------------------------------------------------------------------------- */

/* Checks if a port may be linked: it is not down, and not linked yet. */
static bool tables_is_free(const struct madkit_sweep *s, struct sweep_place at)
{
	const struct madkit_sweep_port *port = nodes_port(s, at);

	return at.port && port->peer == MADKIT_SWEEP_NONE &&
	       (port->state != MADKIT_SWEEP_ANSWERED ||
		field_get(MADKIT_PORT_INFO_LINK_STATE, port->info) >= 2);
}

static int tables_link(struct madkit_sweep *s, struct tables *t, const uint8_t *record)
{
	struct sweep_place from, to;

	if (!tables_port(s, t, field_get(MADKIT_LINK_RECORD_FROM_LID, record),
			 field_get(MADKIT_LINK_RECORD_FROM_PORT, record), &from) ||
	    !tables_port(s, t, field_get(MADKIT_LINK_RECORD_TO_LID, record),
			 field_get(MADKIT_LINK_RECORD_TO_PORT, record), &to))
		return -EBADMSG;
	/* each link has two records */
	if (nodes_same(nodes_peer(s, from), to))
		return 0;
	if (!tables_is_free(s, from) || !tables_is_free(s, to))
		return -EBADMSG;
	nodes_join(s, from, to);
	return 0;
}

/* ---- a table --------------------------------------------------------------------------- */

static const struct {
	uint16_t attribute;
	size_t bytes;
	/* Returns 0; -EBADMSG to ignore the record; -E2BIG if there is no room for more nodes or ports; or
	 * -ENOMEM. */
	int (*take)(struct madkit_sweep *s, struct tables *t, const uint8_t *record);
} tables_kinds[] = {
	{ MADKIT_ATTR_NODE_RECORD, 108, tables_node },
	{ MADKIT_ATTR_PORT_INFO_RECORD, 68, tables_port_info },
	{ MADKIT_ATTR_SWITCH_INFO_RECORD, 24, tables_switch_info },
	{ MADKIT_ATTR_LINK_RECORD, 6, tables_link },
};

static int tables_record(struct madkit_sweep *s, struct tables *t, unsigned int kind,
			 const struct madkit_record *record)
{
	int ret = record->len < tables_kinds[kind].bytes ? -EBADMSG :
							   tables_kinds[kind].take(s, t, record->data);

	if (ret == -EBADMSG) {
		s->missing |= MADKIT_SWEEP_SA_FALSE;
		s->sa_false++;
	} else if (ret == -E2BIG) {
		s->missing |= MADKIT_SWEEP_FULL;
	}
	return ret == -ENOMEM ? ret : 0;
}

/* Checks if a NodeRecord is that of the port of the sweep. It must have its GUID, and also its LID if exact
 * is set or the GUID is unknown. */
static bool tables_is_own(const struct madkit_sweep *s, const struct madkit_record *record, bool exact)
{
	const struct madkit_port_info *own = &s->port->info;
	const bool has_guid = !(own->unread & MADKIT_PORT_GID);

	return record->len >= tables_kinds[0].bytes &&
	       ((has_guid && !exact) || field_get(MADKIT_NODE_RECORD_LID, record->data) == own->lid) &&
	       (!has_guid ||
		field_get(MADKIT_NODE_RECORD_NODE_INFO_PORT_GUID, record->data) == own->port_guid);
}

/* Adds the node of the port first. */
static int tables_take_own(struct madkit_sweep *s, struct tables *t, const struct madkit_record *first)
{
	for (int exact = 1; exact >= 0; exact--) {
		struct madkit_record record = *first;

		do {
			if (tables_is_own(s, &record, exact)) {
				int ret = tables_record(s, t, 0, &record);

				t->own = s->nnodes;
				return ret;
			}
		} while (madkit_record_next(&record));
	}
	return 0;
}

int tables_take(struct madkit_sweep *s, struct tables *t, const struct madkit_message *m)
{
	struct madkit_record record;
	unsigned int kind = 0;
	int ret = 0;

	madkit_record_get(m, 0, &record);
	if (!record.data)
		return 0;
	while (tables_kinds[kind].attribute != get_be16(m->mad + MADKIT_MAD_ATTRIBUTE))
		kind++;
	if (!kind)
		ret = tables_take_own(s, t, &record);
	while (!ret) {
		ret = tables_record(s, t, kind, &record);
		if (!madkit_record_next(&record))
			break;
	}
	return ret;
}

/* ---- hops ------------------------------------------------------------------------------ */

/* Finds the end port to which the route of the sweep leads. Returns false if it is unknown. */
static bool tables_first(const struct madkit_sweep *s, const struct tables *t, struct sweep_place *first)
{
	struct sweep_place at = { 0, 0 };

	if (!t->own)
		return false;
	at.port = sweep_is_switch(s->nodes[0]) ? 0 : s->nodes[0]->node.number;
	for (unsigned int hop = 1; hop <= s->from.hops; hop++) {
		const struct sweep_entry *e = s->nodes[at.node];
		const struct sweep_place out = { at.node, s->from.path[hop] };

		/* routes do not pass CAs and routers, except out of the port of this host */
		if (!out.port || out.port > e->node.nports ||
		    (!sweep_is_switch(e) && (hop > 1 || out.port != at.port)))
			return false;
		at = nodes_peer(s, out);
		if (at.node == MADKIT_SWEEP_NONE)
			return false;
	}
	*first = at;
	return true;
}

/* Sets distances and parents. order receives the nodes within reach, nearest first. Returns their number, or
 * -ENOMEM. */
static int tables_walk(struct madkit_sweep *s, struct sweep_place first, uint32_t *order)
{
	const unsigned int reach = s->attr.hops ? s->attr.hops : MADKIT_SWEEP_UNREACHED;
	uint32_t count = 0;
	struct distance d;

	if (distance_walk(s, first, false, &d))
		return -ENOMEM;
	for (; count < d.count && d.steps[d.order[count]].hops <= reach; count++) {
		const struct distance_step *step = &d.steps[d.order[count]];
		struct madkit_sweep_node *n = &s->nodes[d.order[count]]->node;

		n->hops = step->hops;
		n->parent = step->parent;
		n->parent_port = step->parent_port;
		n->number = step->port;
		order[count] = d.order[count];
	}
	distance_free(&d);
	return (int)count;
}

int tables_finish(struct madkit_sweep *s, const struct tables *t)
{
	const bool part = s->from.hops || s->attr.hops;
	uint32_t *order = malloc((s->nnodes + 1) * sizeof(*order)), count = 0;
	struct sweep_place first;
	int ret = 0;

	if (!order)
		return -ENOMEM;
	if (tables_first(s, t, &first))
		ret = tables_walk(s, first, order);
	else if (s->nnodes || s->sa_attribute != MADKIT_ATTR_NODE_RECORD)
		s->missing |= MADKIT_SWEEP_NO_START;
	count = ret > 0 ? (uint32_t)ret : 0;
	for (uint32_t i = 0; i < s->nnodes && count && !s->attr.hops; i++)
		if (s->nodes[i]->node.hops == MADKIT_SWEEP_UNREACHED)
			order[count++] = i;
	if (ret >= 0)
		ret = part ? nodes_keep(s, order, count) : 0;
	free(order);
	return ret;
}
