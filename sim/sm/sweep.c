/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Discovery: from node to node, over each cable once. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "sim/sm/internal.h"
#include "util/array.h"

/* ---- the work queue ------------------------------------------------------------------- */

void sm_want(struct sm *sm, enum sm_kind kind, uint32_t port, uint32_t modifier)
{
	if (sm->nwork == sm->work_cap) {
		/* reuse the space of SMPs that were sent */
		if (sm->work_at > sm->nwork / 2) {
			memmove(sm->work, sm->work + sm->work_at,
				(sm->nwork - sm->work_at) * sizeof(*sm->work));
			sm->nwork -= sm->work_at;
			sm->work_at = 0;
		} else if (array_room(&sm->work, &sm->work_cap, sm->nwork, 1, sizeof(*sm->work))) {
			sm->error = -ENOMEM;
			return;
		}
	}
	sm->work[sm->nwork++] = (struct sm_smp){
		.kind = (uint8_t)kind,
		.port = port,
		.modifier = modifier,
	};
}

bool sm_next_work(struct sm *sm)
{
	const struct subnet *s = &sm->on->s;
	const struct sm_smp *smp;

	if (sm->work_at == sm->nwork)
		return false;
	smp = &sm->work[sm->work_at];
	if (smp->kind == SMP_NODE_INFO && sm->probes >= SM_PROBES)
		return false;
	sm->work_at++;
	/* writing back the SwitchInfo that was read clears the change */
	sm_ask(sm, smp->kind, smp->port, smp->modifier,
	       smp->kind == SMP_CLEAR_CHANGE ? subnet_node_of(s, smp->port)->switch_info : NULL);
	return true;
}

void sm_discover(struct sm *sm)
{
	sm_map_free(&sm->found);
	sm->found.s.sm_port = SUBNET_NONE;
	sm->on = &sm->found;
	sm->nremotes = 0;
	sm_want(sm, SMP_NODE_INFO, SUBNET_NONE, 0);
}

void sm_abandon(struct sm *sm)
{
	sm_forget(sm);
	sm->sweeping = false;
	sm->on = &sm->map;
	sm_map_free(&sm->found);
}

/* ---- responses -------------------------------------------------------------------------- */

/* Adds a new node. Returns its number, or SUBNET_NONE on errors, which are in sm->error. */
static uint32_t sm_sweep_add_node(struct sm *sm, uint64_t guid, const uint8_t *data)
{
	struct sm_map *m = &sm->found;
	uint32_t node;
	int ret = subnet_add(&m->s, guid, (uint8_t)field_get(MADKIT_NODE_INFO_NODE_TYPE, data),
			     (uint8_t)field_get(MADKIT_NODE_INFO_NUM_PORTS, data), &node);

	if (ret) {
		sm->error = ret;
		return SUBNET_NONE;
	}
	memcpy(m->s.nodes[node].info, data, FABRIC_INFO_BYTES);
	if (array_extend(&m->ways, &m->nways, m->s.ports_cap, sizeof(*m->ways), 0)) {
		sm->error = -ENOMEM;
		return SUBNET_NONE;
	}
	return node;
}

/* Records the route to an end port that is reached for the first time, and queues the next request to it. */
static void sm_sweep_reach(struct sm *sm, uint32_t end, uint32_t from)
{
	struct sm_map *m = &sm->found;
	struct sm_way *way = &m->ways[end];

	if (way->known)
		return;
	way->known = true;
	way->from = from;
	way->hops = from == SUBNET_NONE ? 0 : (uint8_t)(m->ways[subnet_end_of(&m->s, from)].hops + 1);
	if (subnet_is_switch(subnet_node_of(&m->s, end)))
		sm_want(sm, SMP_SWITCH_INFO, end, 0);
	else
		sm_want(sm, SMP_PORT_INFO, end, m->s.ports[end].number);
}

void sm_got_node(struct sm *sm, const struct sm_smp *smp, const uint8_t *data)
{
	struct subnet *s = &sm->found.s;
	uint64_t guid, number, type;
	uint32_t node, port, end;

	if (sm_is_missing(sm, data))
		return;
	guid = field_get(MADKIT_NODE_INFO_GUID, data);
	number = field_get(MADKIT_NODE_INFO_LOCAL_PORT, data);
	type = field_get(MADKIT_NODE_INFO_NODE_TYPE, data);
	node = subnet_find_node(s, guid);
	if (type < TOPOLOGY_CA || type > TOPOLOGY_ROUTER ||
	    number > field_get(MADKIT_NODE_INFO_NUM_PORTS, data) || (!number && smp->port != SUBNET_NONE) ||
	    (node != SUBNET_NONE && (s->nodes[node].nports != field_get(MADKIT_NODE_INFO_NUM_PORTS, data) ||
				     s->nodes[node].type != type))) {
		/* not a valid node, or two nodes with one GUID */
		sm->unanswered++;
		return;
	}
	if (node == SUBNET_NONE) {
		node = sm_sweep_add_node(sm, guid, data);
		if (node == SUBNET_NONE)
			return;
		sm_want(sm, SMP_NODE_DESCRIPTION, s->nodes[node].first + (uint32_t)number, 0);
	}
	port = s->nodes[node].first + (uint32_t)number;
	end = subnet_end_of(s, port);
	if (smp->port == SUBNET_NONE) {
		s->sm_port = end;
		sm->guid = field_get(MADKIT_NODE_INFO_PORT_GUID, data);
	} else if (s->ports[smp->port].peer != SUBNET_NONE || s->ports[port].peer != SUBNET_NONE) {
		/* already found from the other side; if not, two nodes have one GUID, or a cable was moved */
		sm->unanswered += s->ports[smp->port].peer != port;
		return;
	} else {
		s->ports[smp->port].peer = port;
		s->ports[port].peer = smp->port;
	}
	if (s->ports[end].guid)
		return;
	s->ports[end].guid = field_get(MADKIT_NODE_INFO_PORT_GUID, data);
	sm_sweep_reach(sm, end, smp->port);
}

void sm_got_description(struct sm *sm, const struct sm_smp *smp, const uint8_t *data)
{
	struct subnet *s = &sm->found.s;

	if (!sm_is_missing(sm, data))
		memcpy(s->nodes[s->ports[smp->port].node].description, data, FABRIC_INFO_BYTES);
}

/* Queues requests for the ports of a switch. Its change was cleared before: later changes are flagged
 * again. */
static void sm_sweep_read_ports(struct sm *sm, uint32_t port)
{
	const struct subnet_node *node = subnet_node_of(&sm->found.s, port);
	uint32_t first = node->first;
	unsigned int nports = node->nports;

	for (unsigned int p = 0; p <= nports; p++)
		sm_want(sm, SMP_PORT_INFO, first + p, p);
}

void sm_got_switch(struct sm *sm, const struct sm_smp *smp, const uint8_t *data)
{
	struct subnet_node *node;

	if (sm_is_missing(sm, data))
		return;
	node = &sm->found.s.nodes[sm->found.s.ports[smp->port].node];
	memcpy(node->switch_info, data, FABRIC_INFO_BYTES);
	if (field_get(MADKIT_SWITCH_INFO_STATE_CHANGE, data) && sm->state == SM_MASTER)
		sm_want(sm, SMP_CLEAR_CHANGE, smp->port, 0);
	else
		sm_sweep_read_ports(sm, smp->port);
}

/* A light sweep checks if a port of a switch has changed although no trap arrived. */
bool sm_next_light(struct sm *sm)
{
	const struct sm_map *m = &sm->map;

	if (sm->cursor == m->nswitches)
		return false;
	sm_ask(sm, SMP_LIGHT, m->s.nodes[m->switches[sm->cursor++].node].first, 0, NULL);
	return true;
}

void sm_got_light(struct sm *sm, const struct sm_smp *smp, const uint8_t *data)
{
	(void)smp;
	/* a full sweep follows */
	if (sm_is_missing(sm, data))
		sm->cursor = sm->map.nswitches;
	else if (field_get(MADKIT_SWITCH_INFO_STATE_CHANGE, data))
		sm_sweep_soon(sm, 0);
}

void sm_got_clear(struct sm *sm, const struct sm_smp *smp, const uint8_t *data)
{
	struct subnet_node *node = &sm->found.s.nodes[sm->found.s.ports[smp->port].node];

	if (!sm_is_missing(sm, data))
		memcpy(node->switch_info, data, FABRIC_INFO_BYTES);
	sm_sweep_read_ports(sm, smp->port);
}

/* Queues requests for attributes that only end ports have. */
static void read_end(struct sm *sm, uint32_t port)
{
	const struct subnet *s = &sm->found.s;
	uint64_t keys = field_get(MADKIT_NODE_INFO_PART_CAP, subnet_node_of(s, port)->info);
	bool is_sm = field_get(MADKIT_PORT_INFO_CAP_MASK, s->ports[port].info) & MADKIT_CAP_MASK_IS_SM;

	if (field_get(MADKIT_PORT_INFO_GUID_CAP, s->ports[port].info))
		sm_want(sm, SMP_GUID_INFO, port, 0);
	for (unsigned int block = 0; block < FABRIC_PKEYS / 32 && block * 32 < keys; block++)
		sm_want(sm, SMP_PKEYS, port, block);
	if (is_sm && port != s->sm_port)
		sm_want(sm, SMP_SM_INFO, port, 0);
}

void sm_got_port(struct sm *sm, const struct sm_smp *smp, const uint8_t *data)
{
	struct sm_map *m = &sm->found;
	struct subnet_port *port = &m->s.ports[smp->port];
	bool leads = subnet_is_switch(subnet_node_of(&m->s, smp->port)) ? port->number :
									  smp->port == m->s.sm_port;
	int ret;

	if (sm_is_missing(sm, data))
		return;
	memcpy(port->info, data, FABRIC_INFO_BYTES);
	if (smp->port == subnet_end_of(&m->s, smp->port)) {
		ret = subnet_add_end(&m->s, smp->port, port->guid);
		if (ret)
			sm->error = ret;
		read_end(sm, smp->port);
	}
	if (leads && port->peer == SUBNET_NONE && field_get(MADKIT_PORT_INFO_LINK_STATE, data) >= PORT_INIT &&
	    m->ways[subnet_end_of(&m->s, smp->port)].hops < SM_HOPS_MAX)
		sm_want(sm, SMP_NODE_INFO, smp->port, 0);
}

bool sm_store(struct sm *sm, uint8_t **table, size_t size, size_t at, const uint8_t *data, size_t n)
{
	if (!*table)
		*table = calloc(1, size);
	if (*table)
		memcpy(*table + at, data, n);
	else
		sm->error = -ENOMEM;
	return *table;
}

void sm_got_guids(struct sm *sm, const struct sm_smp *smp, const uint8_t *data)
{
	if (!sm_is_missing(sm, data))
		sm_store(sm, &sm->found.s.ports[smp->port].guids, FABRIC_GUIDS * 8, 0, data,
			 FABRIC_INFO_BYTES);
}

void sm_got_pkeys(struct sm *sm, const struct sm_smp *smp, const uint8_t *data)
{
	if (!sm_is_missing(sm, data))
		sm_store(sm, &sm->found.s.ports[smp->port].pkeys, FABRIC_PKEYS * 2,
			 (size_t)smp->modifier * FABRIC_INFO_BYTES, data, FABRIC_INFO_BYTES);
}

void sm_got_sm(struct sm *sm, const struct sm_smp *smp, const uint8_t *data)
{
	sm_add_remote(sm, smp->port, data);
}

/* ---- the end of discovery ----------------------------------------------------------------- */

/* Lists the GUIDs of end ports that are in a and not in b. Returns 0 or -ENOMEM. */
static int sweep_count_differences(const struct subnet *a, const struct subnet *b, struct sm_guids *found)
{
	found->n = 0;
	for (uint32_t i = 0; i < a->nports; i++) {
		if (!a->ports[i].end || subnet_find_port(b, a->ports[i].guid) != SUBNET_NONE)
			continue;
		if (array_room(&found->guids, &found->cap, found->n, 1, sizeof(*found->guids)))
			return -ENOMEM;
		found->guids[found->n++] = a->ports[i].guid;
	}
	return 0;
}

/* Keeps the SL-to-VL and VL arbitration tables that have been read: only a manager changes them. */
static void sweep_inherit_lanes(struct subnet *s, struct subnet *old)
{
	for (uint32_t i = 0; i < s->nnodes; i++) {
		uint32_t was = subnet_find_node(old, s->nodes[i].guid);

		if (was == SUBNET_NONE || old->nodes[was].nports != s->nodes[i].nports)
			continue;
		s->nodes[i].sl2vl = old->nodes[was].sl2vl;
		old->nodes[was].sl2vl = NULL;
		for (unsigned int p = 0; p <= s->nodes[i].nports; p++) {
			struct subnet_port *from = &old->ports[old->nodes[was].first + p];

			s->ports[s->nodes[i].first + p].arbitration = from->arbitration;
			from->arbitration = NULL;
		}
	}
}

int sm_adopt(struct sm *sm)
{
	struct sm_map *m = &sm->found;
	uint64_t generation = sm->map.s.generation + 1;
	int ret = sm_lids(m);

	if (!ret)
		ret = sweep_count_differences(&m->s, &sm->map.s, &sm->come);
	if (!ret)
		ret = sweep_count_differences(&sm->map.s, &m->s, &sm->gone);
	if (!ret)
		ret = sm_switches(m, sm->fresh ? NULL : &sm->map);
	if (!ret)
		ret = sm_route(m);
	if (ret)
		return ret;
	if (!sm->fresh)
		sweep_inherit_lanes(&m->s, &sm->map.s);
	sm_map_free(&sm->map);
	sm->map = *m;
	memset(m, 0, sizeof(*m));
	sm->map.s.generation = generation;
	sm->on = &sm->map;
	sm->fresh = false;
	return 0;
}
