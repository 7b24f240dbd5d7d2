/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Programs the nodes: LIDs, tables, values that both ends of a link support, and then port states. Each
 * step looks for the next deviation and corrects it.
 */
#include <string.h>
#include "sim/sm/internal.h"
#include "util/array_size.h"

/* ---- ports ---------------------------------------------------------------------------------- */

/* Sets the values of a port to the best that both ends of its cable support. */
static void link_values(const struct sm *sm, uint32_t number, uint8_t *info)
{
	static const struct {
		uint64_t set, can;
	} values[] = { { MADKIT_PORT_INFO_NEIGHBOR_MTU, MADKIT_PORT_INFO_MTU_CAP },
		       { MADKIT_PORT_INFO_OPER_VLS, MADKIT_PORT_INFO_VL_CAP } };
	const struct subnet_port *port = &sm->map.s.ports[number];

	if (port->peer == SUBNET_NONE)
		return;
	for (size_t i = 0; i < ARRAY_SIZE(values); i++) {
		uint64_t own = field_get(values[i].can, port->info);
		uint64_t peer = field_get(values[i].can, sm->map.s.ports[port->peer].info);

		field_put(values[i].set, info, peer && peer < own ? peer : own);
	}
}

static void ask_port(struct sm *sm, uint32_t number, const uint8_t *wanted, unsigned int state)
{
	uint8_t info[FABRIC_INFO_BYTES];

	memcpy(info, wanted, sizeof(info));
	/* writing back the current state would be a request to change it */
	field_put(MADKIT_PORT_INFO_LINK_STATE, info, state);
	field_put(MADKIT_PORT_INFO_PHYS_LINK_STATE, info, 0);
	sm_ask(sm, SMP_SET_PORT, number, sm->map.s.ports[number].number, info);
}

/* Checks if an end port has its LID and SM LID; if not, everything that was set is in doubt. */
static bool program_has_lids(const struct sm *sm, uint32_t port, const uint8_t *info)
{
	const struct sm_map *m = &sm->map;

	return !m->s.ports[port].end ||
	       (field_get(MADKIT_PORT_INFO_LID, info) == m->ways[port].lid &&
		field_get(MADKIT_PORT_INFO_SM_LID, info) == m->ways[m->s.sm_port].lid);
}

/* Checks if a port has the state that this step requests. */
static bool program_has_state(const struct sm *sm, const uint8_t *info)
{
	unsigned int wanted = sm->step == STEP_ARM ? PORT_ARMED : sm->step == STEP_ACTIVATE ? PORT_ACTIVE : 0;

	return field_get(MADKIT_PORT_INFO_LINK_STATE, info) >= wanted;
}

void sm_set_port(struct sm *sm, const struct sm_smp *smp, const uint8_t *data)
{
	if (sm_is_refused(sm, data && program_has_lids(sm, smp->port, data) && program_has_state(sm, data)))
		return;
	memcpy(sm->map.s.ports[smp->port].info, data, FABRIC_INFO_BYTES);
	/* it is done, and not to be repeated with the next Set */
	field_put(MADKIT_PORT_INFO_CLIENT_REREGISTER, sm->map.s.ports[smp->port].info, 0);
	sm->map.s.generation++;
}

/* As in opensm, a new master makes all ports reregister; later, only those whose link is new. */
static bool program_is_to_reregister(const struct sm *sm, const uint8_t *info)
{
	return (sm->first || field_get(MADKIT_PORT_INFO_LINK_STATE, info) == PORT_INIT) &&
	       (field_get(MADKIT_PORT_INFO_CAP_MASK, info) &
		MADKIT_CAP_MASK_IS_CLIENT_REGISTRATION_SUPPORTED);
}

bool sm_next_lid(struct sm *sm)
{
	const struct sm_map *m = &sm->map;
	const struct {
		uint64_t field;
		uint64_t value;
	} values[] = {
		{ MADKIT_PORT_INFO_MKEY, 0 },
		{ MADKIT_PORT_INFO_MKEY_LEASE_PERIOD, 0 },
		{ MADKIT_PORT_INFO_PROTECT_BITS, 0 },
		{ MADKIT_PORT_INFO_GID_PREFIX, FABRIC_GID_PREFIX },
		{ MADKIT_PORT_INFO_SM_LID, m->ways[m->s.sm_port].lid },
		{ MADKIT_PORT_INFO_SMSL, 0 },
	};

	while (sm->cursor < m->s.nports) {
		uint32_t number = sm->cursor++;
		const struct subnet_port *port = &m->s.ports[number];
		uint8_t wanted[FABRIC_INFO_BYTES];

		if (!port->end || !m->ways[number].lid)
			continue;
		memcpy(wanted, port->info, sizeof(wanted));
		for (size_t i = 0; i < ARRAY_SIZE(values); i++)
			field_put(values[i].field, wanted, values[i].value);
		field_put(MADKIT_PORT_INFO_LID, wanted, m->ways[number].lid);
		field_put(MADKIT_PORT_INFO_CLIENT_REREGISTER, wanted,
			  program_is_to_reregister(sm, port->info));
		if (port->number)
			link_values(sm, number, wanted);
		if (memcmp(wanted, port->info, sizeof(wanted))) {
			ask_port(sm, number, wanted, PORT_NO_CHANGE);
			return true;
		}
	}
	return false;
}

bool sm_next_link(struct sm *sm)
{
	const struct subnet *s = &sm->map.s;

	while (sm->cursor < s->nports) {
		uint32_t number = sm->cursor++;
		const struct subnet_port *port = &s->ports[number];
		uint8_t wanted[FABRIC_INFO_BYTES];

		if (port->end || !subnet_is_switch(subnet_node_of(s, number)) ||
		    field_get(MADKIT_PORT_INFO_LINK_STATE, port->info) < PORT_INIT)
			continue;
		memcpy(wanted, port->info, sizeof(wanted));
		link_values(sm, number, wanted);
		/* a previous manager may have set these for its partitions */
		field_put(MADKIT_PORT_INFO_PART_ENFORCE_INB, wanted, 0);
		field_put(MADKIT_PORT_INFO_PART_ENFORCE_OUTB, wanted, 0);
		if (memcmp(wanted, port->info, sizeof(wanted))) {
			ask_port(sm, number, wanted, PORT_NO_CHANGE);
			return true;
		}
	}
	return false;
}

/* Checks if an end port got no LID. It stays as it is, and so does the other end of its cable. */
static bool program_has_no_lid(const struct sm_map *m, uint32_t number)
{
	return m->s.ports[number].end && !m->ways[number].lid;
}

/* Moves all ports that are in one state to the next. */
bool sm_next_state(struct sm *sm)
{
	const struct subnet *s = &sm->map.s;
	unsigned int from = sm->step == STEP_ARM ? PORT_INIT : PORT_ARMED;

	while (sm->cursor < s->nports) {
		uint32_t number = sm->cursor++;
		const struct subnet_port *port = &s->ports[number];

		/* skip ports without a cable to a node that was found, and cables whose end port has no
		 * LID */
		if (port->peer == SUBNET_NONE || field_get(MADKIT_PORT_INFO_LINK_STATE, port->info) != from ||
		    program_has_no_lid(&sm->map, number) || program_has_no_lid(&sm->map, port->peer))
			continue;
		ask_port(sm, number, port->info, from + 1);
		return true;
	}
	return false;
}

/* ---- partitions: the default one ------------------------------------------------------------- */

/* Returns the index of the first of n P_Keys that equals wanted under mask, or n if there is none. */
static unsigned int find_pkey_at(const uint8_t *keys, unsigned int n, uint16_t wanted, uint16_t mask)
{
	unsigned int i = 0;

	while (i < n && (get_be16(keys + 2 * i) & mask) != wanted)
		i++;
	return i;
}

bool sm_next_pkey(struct sm *sm)
{
	const struct subnet *s = &sm->map.s;

	while (sm->cursor < s->nports) {
		uint32_t number = sm->cursor++;
		const uint8_t *keys = s->ports[number].pkeys;
		uint8_t wanted[FABRIC_INFO_BYTES];
		unsigned int free_one;

		if (!keys || find_pkey_at(keys, FABRIC_PKEYS, MADKIT_PKEY_DEFAULT, 0xffff) < FABRIC_PKEYS)
			continue;
		free_one = find_pkey_at(keys, FABRIC_PKEYS, 0, 0x7fff);
		if (free_one == FABRIC_PKEYS)
			continue;
		memcpy(wanted, keys + free_one / 32 * FABRIC_INFO_BYTES, sizeof(wanted));
		element_put(MADKIT_P_KEY_TABLE_P_KEY, free_one % 32, wanted, MADKIT_PKEY_DEFAULT);
		sm_ask(sm, SMP_SET_PKEYS, number, free_one / 32, wanted);
		return true;
	}
	return false;
}

void sm_set_pkeys(struct sm *sm, const struct sm_smp *smp, const uint8_t *data)
{
	if (sm_is_refused(sm, data && find_pkey_at(data, 32, MADKIT_PKEY_DEFAULT, 0xffff) < 32))
		return;
	memcpy(sm->map.s.ports[smp->port].pkeys + (size_t)smp->modifier * FABRIC_INFO_BYTES, data,
	       FABRIC_INFO_BYTES);
	sm->map.s.generation++;
}

/* ---- switches ----------------------------------------------------------------------------------- */

/* Returns LinearFDBTop: the highest LID, as far as the switch supports it. */
static uint64_t program_top(const struct sm *sm, const struct subnet_node *node)
{
	uint64_t cap = field_get(MADKIT_SWITCH_INFO_LINEAR_FDB_CAP, node->switch_info);
	uint64_t top = sm->map.s.nlids ? sm->map.s.nlids - 1 : 0;

	if (top < cap)
		return top;
	return cap ? cap - 1 : 0;
}

bool sm_next_switch(struct sm *sm)
{
	const struct subnet *s = &sm->map.s;

	while (sm->cursor < sm->map.nswitches) {
		const struct subnet_node *node = &s->nodes[sm->map.switches[sm->cursor++].node];
		uint64_t top = program_top(sm, node);
		uint8_t wanted[FABRIC_INFO_BYTES];

		/* discovery clears no changes unless this manager is master, so they are cleared here;
		 * traps report changes in between */
		if (field_get(MADKIT_SWITCH_INFO_LINEAR_FDB_TOP, node->switch_info) == top &&
		    !field_get(MADKIT_SWITCH_INFO_STATE_CHANGE, node->switch_info))
			continue;
		memcpy(wanted, node->switch_info, sizeof(wanted));
		field_put(MADKIT_SWITCH_INFO_LINEAR_FDB_TOP, wanted, top);
		sm_ask(sm, SMP_SET_SWITCH, node->first, 0, wanted);
		return true;
	}
	return false;
}

void sm_set_switch(struct sm *sm, const struct sm_smp *smp, const uint8_t *data)
{
	struct subnet *s = &sm->map.s;
	struct subnet_node *node = &s->nodes[s->ports[smp->port].node];

	if (sm_is_refused(sm, data && field_get(MADKIT_SWITCH_INFO_LINEAR_FDB_TOP, data) ==
					      program_top(sm, node)))
		return;
	memcpy(node->switch_info, data, FABRIC_INFO_BYTES);
	sm->map.s.generation++;
}

uint32_t sm_take_bit(uint64_t *bits, uint32_t at, uint32_t n)
{
	while (at < n && !(bits[at / 64] >> at % 64))
		at = (at / 64 + 1) * 64;
	while (at < n && !(bits[at / 64] >> at % 64 & 1))
		at++;
	if (at >= n)
		return n;
	bits[at / 64] &= ~(UINT64_C(1) << at % 64);
	return at;
}

bool sm_next_linear(struct sm *sm)
{
	for (; sm->cursor < sm->map.nswitches; sm->cursor++, sm->block = 0) {
		struct sm_switch *sw = &sm->map.switches[sm->cursor];
		const struct subnet_node *node = &sm->map.s.nodes[sw->node];
		uint32_t blocks = node->nlinear / SM_LINEAR_BLOCK;

		sm->block = sm_take_bit(sw->linear_dirty, sm->block, blocks);
		if (sm->block == blocks)
			continue;
		/* an entry is a byte in both tables */
		sm_ask(sm, SMP_SET_LINEAR, node->first, sm->block,
		       node->linear + (size_t)sm->block * SM_LINEAR_BLOCK);
		return true;
	}
	return false;
}

/* The response has the current contents: if they differ, the Set counts as refused. */
void sm_set_linear(struct sm *sm, const struct sm_smp *smp, const uint8_t *data)
{
	const uint8_t *wanted =
		subnet_node_of(&sm->map.s, smp->port)->linear + (size_t)smp->modifier * SM_LINEAR_BLOCK;

	if (sm_is_refused(sm, data && !memcmp(data, wanted, SM_LINEAR_BLOCK)))
		sm_set_bit(sm_switch_of(sm, smp->port)->linear_dirty, smp->modifier);
}
