/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "sweep/nodes.h"
#include "util/array.h"
#include "wire/access.h"

static size_t nodes_bytes(size_t nports)
{
	return sizeof(struct sweep_entry) +
	       (nports + 1) * (sizeof(struct madkit_sweep_port) + sizeof(struct sweep_todo));
}

static struct sweep_entry *nodes_entry(unsigned int nports_max)
{
	size_t nports = nports_max + 1;
	struct sweep_entry *e = calloc(1, nodes_bytes(nports_max));

	if (!e)
		return NULL;
	e->node.ports = (struct madkit_sweep_port *)(e + 1);
	e->todo = (struct sweep_todo *)(e->node.ports + nports);
	for (size_t i = 0; i < nports; i++)
		e->node.ports[i].peer = MADKIT_SWEEP_NONE;
	for (int phase = 0; phase < SWEEP_PHASES; phase++)
		for (int way = 0; way < SWEEP_WAYS; way++)
			list_init(&e->lanes[phase][way].list);
	list_init(&e->blocks);
	return e;
}

int nodes_add(struct madkit_sweep *s, const uint8_t *info, uint32_t parent, uint8_t parent_port,
	      uint32_t *added)
{
	unsigned int nports = (unsigned int)field_get(MADKIT_NODE_INFO_NUM_PORTS, info);
	struct sweep_entry *e;
	struct madkit_sweep_node *node;

	if (s->nnodes >= s->attr.nodes_max || nports + 1 > MADKIT_SWEEP_PORTS_MAX - s->nports)
		return -E2BIG;
	if (array_room(&s->nodes, &s->nodes_cap, s->nnodes, 1, sizeof(struct sweep_entry *)) ||
	    table_reserve(&s->guids, s->guids.count + 1))
		return -ENOMEM;
	e = nodes_entry(nports);
	if (!e)
		return -ENOMEM;
	node = &e->node;
	node->guid = field_get(MADKIT_NODE_INFO_GUID, info);
	node->system_guid = field_get(MADKIT_NODE_INFO_SYSTEM_GUID, info);
	node->vendor = (uint32_t)field_get(MADKIT_NODE_INFO_VENDOR_ID, info);
	node->revision = (uint32_t)field_get(MADKIT_NODE_INFO_REVISION, info);
	node->device = (uint16_t)field_get(MADKIT_NODE_INFO_DEV_ID, info);
	node->partitions = (uint16_t)field_get(MADKIT_NODE_INFO_PART_CAP, info);
	node->type = (uint8_t)field_get(MADKIT_NODE_INFO_NODE_TYPE, info);
	node->number = (uint8_t)field_get(MADKIT_NODE_INFO_LOCAL_PORT, info);
	node->nports = (uint8_t)nports;
	node->state = MADKIT_SWEEP_ANSWERED;
	node->parent = parent;
	node->parent_port = parent_port;
	if (parent != MADKIT_SWEEP_NONE)
		node->hops = nodes_behind(&s->nodes[parent]->node);
	e->number = s->nnodes;
	table_add_number(&s->guids, table_mix(0, node->guid), e->number);
	s->nports += nports + 1;
	s->bytes += nodes_bytes(nports);
	*added = e->number;
	s->nodes[s->nnodes++] = e;
	return 0;
}

bool nodes_next(const struct madkit_sweep *s, uint64_t guid, size_t *step, uint32_t *number)
{
	while (table_next_number(&s->guids, table_mix(0, guid), step, number))
		if (s->nodes[*number]->node.guid == guid)
			return true;
	return false;
}

static void nodes_set_peer(struct madkit_sweep *s, struct sweep_place at, struct sweep_place peer,
			   enum madkit_sweep_state far)
{
	struct madkit_sweep_port *port = nodes_port(s, at);

	port->peer = peer.node;
	port->peer_port = peer.port;
	port->far = (uint8_t)far;
	nodes_todo(s, at)->own = false;
	nodes_todo(s, at)->proven = false;
	nodes_todo(s, at)->stale = false;
	nodes_todo(s, at)->lossy = false;
}

void nodes_join(struct madkit_sweep *s, struct sweep_place a, struct sweep_place b)
{
	nodes_set_peer(s, a, b, MADKIT_SWEEP_ANSWERED);
	nodes_set_peer(s, b, a, MADKIT_SWEEP_ANSWERED);
}

struct sweep_place nodes_part(struct madkit_sweep *s, struct sweep_place a)
{
	struct sweep_place b = nodes_peer(s, a), none = { MADKIT_SWEEP_NONE, 0 };

	nodes_set_peer(s, a, none, MADKIT_SWEEP_UNKNOWN);
	nodes_set_peer(s, b, none, MADKIT_SWEEP_UNKNOWN);
	return b;
}

void nodes_mark(struct madkit_sweep *s, uint64_t guid)
{
	size_t step = 0;
	uint32_t node;

	while (nodes_next(s, guid, &step, &node))
		s->nodes[node]->node.duplicate = true;
}

/* Updates the numbers of other nodes in a node. numbers: new numbers by old ones. */
static void nodes_renumber(struct sweep_entry *e, const uint32_t *numbers)
{
	struct madkit_sweep_node *n = &e->node;

	if (n->parent != MADKIT_SWEEP_NONE)
		n->parent = numbers[n->parent];
	for (unsigned int i = 0; i <= n->nports; i++) {
		struct madkit_sweep_port *port = &n->ports[i];

		if (port->peer == MADKIT_SWEEP_NONE)
			continue;
		port->peer = numbers[port->peer];
		if (port->peer == MADKIT_SWEEP_NONE) {
			port->peer_port = 0;
			port->far = MADKIT_SWEEP_UNKNOWN;
		}
	}
}

int nodes_keep(struct madkit_sweep *s, const uint32_t *order, uint32_t count)
{
	struct sweep_entry **kept = malloc((count + 1) * sizeof(struct sweep_entry *));
	uint32_t *numbers = malloc((s->nnodes + 1) * sizeof(*numbers));

	if (!kept || !numbers) {
		free(kept);
		free(numbers);
		return -ENOMEM;
	}
	for (uint32_t i = 0; i < s->nnodes; i++)
		numbers[i] = MADKIT_SWEEP_NONE;
	for (uint32_t i = 0; i < count; i++) {
		kept[i] = s->nodes[order[i]];
		numbers[order[i]] = i;
	}
	for (uint32_t i = 0; i < s->nnodes; i++) {
		struct sweep_entry *e = s->nodes[i];

		table_del(&s->guids, table_mix(0, e->node.guid), (void *)(uintptr_t)(i + 1));
		if (numbers[i] != MADKIT_SWEEP_NONE)
			continue;
		s->nports -= e->node.nports + 1u;
		s->bytes -= nodes_bytes(e->node.nports);
		free(e);
	}
	for (uint32_t i = 0; i < count; i++) {
		kept[i]->number = i;
		nodes_renumber(kept[i], numbers);
		/* cannot fail: the table had at least as many entries before */
		table_add_number(&s->guids, table_mix(0, kept[i]->node.guid), i);
	}
	free(numbers);
	free(s->nodes);
	s->nodes = kept;
	s->nodes_cap = count + 1;
	s->nnodes = count;
	return 0;
}

void nodes_free(struct madkit_sweep *s)
{
	for (uint32_t i = 0; i < s->nnodes; i++)
		free(s->nodes[i]);
	free(s->nodes);
	table_free(&s->guids);
}

/* ---- states ---------------------------------------------------------------------------- */

/* Returns 0 if the port was not read. */
static unsigned int nodes_port_state(const struct madkit_sweep_port *port)
{
	return port->state == MADKIT_SWEEP_ANSWERED ?
		       (unsigned int)field_get(MADKIT_PORT_INFO_LINK_STATE, port->info) :
		       0;
}

bool nodes_port_is_down(const struct madkit_sweep_port *port)
{
	return port->state == MADKIT_SWEEP_ANSWERED && nodes_port_state(port) < MADKIT_PORT_STATE_INITIALIZE;
}

bool nodes_link_forwards(const struct madkit_sweep *s, struct sweep_place egress)
{
	const unsigned int near = nodes_port_state(nodes_port(s, egress));
	const unsigned int far = nodes_port_state(nodes_port(s, nodes_peer(s, egress)));

	/* an armed port receives packets, which makes it active */
	return (!near || near >= MADKIT_PORT_STATE_ACTIVE) && (!far || far >= MADKIT_PORT_STATE_ARMED);
}

const char *madkit_sweep_name(const struct madkit_sweep *s, const struct madkit_sweep_node *node)
{
	return s->attr.name ? s->attr.name(s->attr.context, node) : NULL;
}

bool madkit_sweep_has_port(const struct madkit_sweep *s, uint32_t number, unsigned int port)
{
	const struct madkit_sweep_node *n = &s->nodes[number]->node;

	if (n->type == MADKIT_NODE_TYPE_SWITCH)
		return port || (n->switched == MADKIT_SWEEP_ANSWERED &&
				field_get(MADKIT_SWITCH_INFO_ENHANCED_PORT0, n->switch_info));
	return port && (n->ports[port].state != MADKIT_SWEEP_UNKNOWN ||
			n->ports[port].peer != MADKIT_SWEEP_NONE || port == n->number);
}
