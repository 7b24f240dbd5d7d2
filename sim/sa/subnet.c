/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <stdlib.h>
#include <string.h>
#include "sim/sa/subnet.h"
#include "util/array.h"

void subnet_free(struct subnet *s)
{
	for (uint32_t i = 0; i < s->nports; i++) {
		free(s->ports[i].pkeys);
		free(s->ports[i].guids);
		free(s->ports[i].arbitration);
	}
	for (uint32_t i = 0; i < s->nnodes; i++) {
		free(s->nodes[i].linear);
		free(s->nodes[i].multicast);
		free(s->nodes[i].sl2vl);
	}
	free(s->nodes);
	free(s->ports);
	free(s->lids);
	table_free(&s->guids);
	table_free(&s->node_guids);
	memset(s, 0, sizeof(*s));
}

int subnet_add(struct subnet *s, uint64_t guid, uint8_t type, uint8_t nports, uint32_t *added)
{
	uint32_t places = nports + 1u;
	int ret = array_room(&s->nodes, &s->nodes_cap, s->nnodes, 1, sizeof(*s->nodes));

	if (!ret)
		ret = array_room(&s->ports, &s->ports_cap, s->nports, places, sizeof(*s->ports));
	if (!ret)
		ret = table_add_number(&s->node_guids, table_mix(0, guid), s->nnodes);
	if (ret)
		return ret;
	s->nodes[s->nnodes] = (struct subnet_node){
		.first = s->nports,
		.nports = nports,
		.type = type,
		.guid = guid,
	};
	for (uint32_t i = 0; i < places; i++)
		s->ports[s->nports + i] = (struct subnet_port){
			.peer = SUBNET_NONE,
			.node = s->nnodes,
			.number = (uint8_t)i,
		};
	s->nports += places;
	*added = s->nnodes++;
	return 0;
}

int subnet_add_end(struct subnet *s, uint32_t port, uint64_t guid)
{
	int ret = table_add_number(&s->guids, table_mix(0, guid), port);

	if (ret)
		return ret;
	s->ports[port].end = true;
	s->ports[port].guid = guid;
	return 0;
}

uint32_t subnet_find_node(const struct subnet *s, uint64_t guid)
{
	size_t step = 0;
	uint32_t id;

	while (table_next_number(&s->node_guids, table_mix(0, guid), &step, &id))
		if (s->nodes[id].guid == guid)
			return id;
	return SUBNET_NONE;
}

uint32_t subnet_find_port(const struct subnet *s, uint64_t guid)
{
	size_t step = 0;
	uint32_t id;

	while (table_next_number(&s->guids, table_mix(0, guid), &step, &id))
		if (s->ports[id].guid == guid)
			return id;
	return SUBNET_NONE;
}
