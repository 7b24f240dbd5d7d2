/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Nodes, ports and links in memory. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "topology/topology.h"
#include "util/array.h"
#include "util/array_size.h"

struct topology *topology_new(void)
{
	return calloc(1, sizeof(struct topology));
}

void topology_free(struct topology *t)
{
	if (!t)
		return;
	free(t->nodes);
	free(t->ports);
	table_free(&t->names);
	table_free(&t->guids);
	table_free(&t->port_guids);
	free(t);
}

static uint64_t topology_name_hash(const char *name, size_t len)
{
	uint64_t hash = 0;

	for (size_t i = 0; i < len; i++)
		hash = table_mix(hash, (uint8_t)name[i]);
	return hash;
}

uint32_t topology_find(const struct topology *t, const char *name, size_t len)
{
	size_t step = 0;
	uint32_t id;

	while (table_next_number(&t->names, topology_name_hash(name, len), &step, &id))
		if (strlen(t->nodes[id].name) == len && !memcmp(t->nodes[id].name, name, len))
			return id;
	return TOPOLOGY_NONE;
}

int topology_add(struct topology *t, const struct topology_node *node, uint32_t *added)
{
	size_t len = strlen(node->name);
	uint32_t ports = node->nports + 1u;
	int ret;

	if (topology_find(t, node->name, len) != TOPOLOGY_NONE)
		return -EEXIST;
	if (t->nnodes >= TOPOLOGY_NODES_MAX || t->nports + ports > TOPOLOGY_PORTS_MAX)
		return -E2BIG;
	ret = array_room(&t->nodes, &t->nodes_cap, t->nnodes, 1, sizeof(*t->nodes));
	if (!ret)
		ret = array_room(&t->ports, &t->ports_cap, t->nports, ports, sizeof(*t->ports));
	if (!ret)
		ret = table_add_number(&t->names, topology_name_hash(node->name, len), t->nnodes);
	if (ret)
		return ret;
	t->nodes[t->nnodes] = *node;
	t->nodes[t->nnodes].first = t->nports;
	for (uint32_t i = 0; i < ports; i++)
		t->ports[t->nports + i] = (struct topology_port){
			.peer = TOPOLOGY_NONE,
		};
	t->nports += ports;
	*added = t->nnodes++;
	return 0;
}

void topology_link(struct topology *t, uint32_t a, unsigned int port_a, uint32_t b, unsigned int port_b)
{
	struct topology_port *pa = topology_port(t, a, port_a);
	struct topology_port *pb = topology_port(t, b, port_b);

	pa->peer = b;
	pa->peer_port = (uint8_t)port_b;
	pb->peer = a;
	pb->peer_port = (uint8_t)port_a;
}

int topology_guid(struct topology *t, uint32_t node, uint32_t *owner)
{
	uint64_t guid = t->nodes[node].guid;
	uint64_t hash = table_mix(0, guid);
	size_t step = 0;

	while (table_next_number(&t->guids, hash, &step, owner))
		if (t->nodes[*owner].guid == guid)
			return -EEXIST;
	return table_add_number(&t->guids, hash, node);
}

/* Returns the index in ports of the first end port with this GUID, or TOPOLOGY_NONE. */
static uint32_t topology_find_port(const struct topology *t, uint64_t guid)
{
	size_t step = 0;
	uint32_t owner;

	while (table_next_number(&t->port_guids, table_mix(0, guid), &step, &owner))
		if (t->ports[owner].guid == guid)
			return owner;
	return TOPOLOGY_NONE;
}

bool topology_has_port_guid(const struct topology *t, uint64_t guid)
{
	return topology_find_port(t, guid) != TOPOLOGY_NONE;
}

int topology_port_guid(struct topology *t, uint32_t node, unsigned int port)
{
	const struct topology_node *n = &t->nodes[node];
	const uint64_t guid = topology_port(t, node, port)->guid;
	const uint32_t owner = topology_find_port(t, guid);

	if (owner == TOPOLOGY_NONE)
		return table_add_number(&t->port_guids, table_mix(0, guid), n->first + port);
	return n->type == TOPOLOGY_CA && owner > n->first && owner <= n->first + n->nports ? 0 : -EEXIST;
}

/* ---- rates -------------------------------------------------------------------- */

static const struct {
	uint8_t bit, lanes;
	const char *name;
} widths[] = {
	/* preferred one first */
	{ TOPOLOGY_12X, 12, "12x" }, { TOPOLOGY_8X, 8, "8x" }, { TOPOLOGY_4X, 4, "4x" },
	{ TOPOLOGY_2X, 2, "2x" },    { TOPOLOGY_1X, 1, "1x" },
};

/* By bit number. */
static const struct {
	const char *name;
	uint16_t lane_rate;
} speeds[] = {
	{ "SDR", 25 },  { "DDR", 50 },  { "QDR", 100 },  { "FDR10", 100 }, { "FDR", 140 },
	{ "EDR", 250 }, { "HDR", 500 }, { "NDR", 1000 }, { "XDR", 2000 },
};

static const struct topology_port *topology_other_end(const struct topology *t,
						      const struct topology_port *port)
{
	return topology_port(t, port->peer, port->peer_port);
}

unsigned int topology_best_width(unsigned int common)
{
	for (size_t i = 0; i < ARRAY_SIZE(widths); i++)
		if (common & widths[i].bit)
			return widths[i].bit;
	return 0;
}

unsigned int topology_best_speed(unsigned int common)
{
	for (unsigned int bit = TOPOLOGY_XDR; bit; bit >>= 1)
		if (common & bit)
			return bit;
	return 0;
}

unsigned int topology_limit_widths(unsigned int mask, unsigned int limit)
{
	unsigned int lanes = topology_lanes(limit);

	for (size_t i = 0; lanes && i < ARRAY_SIZE(widths); i++)
		if (widths[i].lanes > lanes)
			mask &= ~(unsigned int)widths[i].bit;
	return mask;
}

unsigned int topology_limit_speeds(unsigned int mask, unsigned int limit)
{
	return limit ? mask & topology_speeds_up_to(limit) : mask;
}

/* 4 lanes can also run as 1, and 8 and 12 lanes also as 4 (IBA volume 1, PortInfo.LinkWidthSupported). 2x was
 * introduced with HDR. */
unsigned int topology_widths_up_to(unsigned int width, unsigned int speed)
{
	return width | TOPOLOGY_1X | (width == TOPOLOGY_8X || width == TOPOLOGY_12X ? TOPOLOGY_4X : 0) |
	       (width != TOPOLOGY_1X && speed >= TOPOLOGY_HDR ? TOPOLOGY_2X : 0);
}

unsigned int topology_speeds_up_to(unsigned int speed)
{
	return speed ? speed * 2 - 1 : 0;
}

unsigned int topology_width(const struct topology *t, const struct topology_port *port)
{
	if (port->peer == TOPOLOGY_NONE)
		return 0;
	return topology_best_width(topology_limit_widths(
		topology_limit_widths(port->widths & topology_other_end(t, port)->widths, port->width),
		topology_other_end(t, port)->width));
}

unsigned int topology_speed(const struct topology *t, const struct topology_port *port)
{
	if (port->peer == TOPOLOGY_NONE)
		return 0;
	return topology_best_speed(topology_limit_speeds(
		topology_limit_speeds(port->speeds & topology_other_end(t, port)->speeds, port->speed),
		topology_other_end(t, port)->speed));
}

const char *topology_width_name(unsigned int width)
{
	for (size_t i = 0; i < ARRAY_SIZE(widths); i++)
		if (widths[i].bit == width)
			return widths[i].name;
	return "??";
}

const char *topology_speed_name(unsigned int speed)
{
	for (size_t i = 0; i < ARRAY_SIZE(speeds); i++)
		if (speed == 1u << i)
			return speeds[i].name;
	return "???";
}

unsigned int topology_lanes(unsigned int width)
{
	for (size_t i = 0; i < ARRAY_SIZE(widths); i++)
		if (widths[i].bit == width)
			return widths[i].lanes;
	return 0;
}

unsigned int topology_lane_rate(unsigned int speed)
{
	for (size_t i = 0; i < ARRAY_SIZE(speeds); i++)
		if (speed == 1u << i)
			return speeds[i].lane_rate;
	return 0;
}
