/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* SL-to-VL and VL arbitration tables, which are read for the SA and not set. A switch has an SL-to-VL
 * table for each pair of ports: in a large subnet they are not read. */
#include "sim/sm/internal.h"

enum { SMPS_MAX = 8192, SL2VL_BYTES = 8 };

/* Returns the number of pairs of ports for which a node has an SL-to-VL table. */
static uint32_t pairs_of(const struct subnet_node *node)
{
	uint32_t ports = node->nports + 1u;

	return subnet_is_switch(node) ? ports * ports : ports;
}

static bool lanes_are_few(const struct subnet *s)
{
	uint64_t count = 0;

	for (uint32_t i = 0; i < s->nnodes && count <= SMPS_MAX; i++)
		count += pairs_of(&s->nodes[i]);
	return count <= SMPS_MAX;
}

/* Blocks 1 and 2 are the low-priority table, 3 and 4 the high-priority one, with 32 entries each. */
static void lanes_want_arbitration(struct sm *sm, uint32_t number)
{
	static const uint64_t caps[2] = { MADKIT_PORT_INFO_VL_ARB_LOW_CAP, MADKIT_PORT_INFO_VL_ARB_HIGH_CAP };
	const struct subnet_port *port = &sm->map.s.ports[number];
	uint32_t of = subnet_is_switch(subnet_node_of(&sm->map.s, number)) ? port->number : 0;

	for (unsigned int table = 0; table < 2; table++) {
		uint64_t cap = field_get(caps[table], port->info);

		for (unsigned int block = 0; block < 2 && block * 32 < cap; block++)
			sm_want(sm, SMP_ARBITRATION, number, (2 * table + block + 1) << 16 | of);
	}
}

void sm_lanes(struct sm *sm)
{
	const struct subnet *s = &sm->map.s;

	if (!lanes_are_few(s))
		return;
	for (uint32_t i = 0; i < s->nnodes; i++) {
		const struct subnet_node *node = &s->nodes[i];

		for (unsigned int in = 0; !node->sl2vl && in <= node->nports; in++) {
			uint32_t port = node->first + in;

			if (subnet_is_switch(node) || s->ports[port].end)
				lanes_want_arbitration(sm, port);
			/* an adapter returns the table of the port that gets the request */
			if (!subnet_is_switch(node) && s->ports[port].end)
				sm_want(sm, SMP_SL2VL, port, 0);
			for (uint32_t out = 0; subnet_is_switch(node) && out <= node->nports; out++)
				sm_want(sm, SMP_SL2VL, port, in << 8 | out);
		}
	}
}

void sm_got_sl2vl(struct sm *sm, const struct sm_smp *smp, const uint8_t *data)
{
	const struct subnet_port *port = &sm->map.s.ports[smp->port];
	struct subnet_node *node = &sm->map.s.nodes[port->node];
	size_t at = subnet_is_switch(node) ?
			    (smp->modifier >> 8) * (node->nports + 1u) + (smp->modifier & 0xff) :
			    port->number;

	if (sm_is_missing(sm, data))
		return;
	if (sm_store(sm, &node->sl2vl, pairs_of(node) * SL2VL_BYTES, at * SL2VL_BYTES, data, SL2VL_BYTES))
		sm->map.s.generation++;
}

void sm_got_arbitration(struct sm *sm, const struct sm_smp *smp, const uint8_t *data)
{
	struct subnet_port *port = &sm->map.s.ports[smp->port];
	size_t block = (smp->modifier >> 16) - 1;

	if (sm_is_missing(sm, data))
		return;
	if (sm_store(sm, &port->arbitration, SUBNET_ARBITRATION_BYTES, block * FABRIC_INFO_BYTES, data,
		     FABRIC_INFO_BYTES))
		sm->map.s.generation++;
}
