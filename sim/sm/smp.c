/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * SMPs of the subnet manager, which use directed routes; the number outstanding is limited.
 *
 * An agent processes one SMP at a time, including those that pass through its switch: if it is slow, each
 * further SMP delays the responses to the others, and resends add to the load. Timeouts therefore grow
 * with each try. After a slow response, one SMP at a time is outstanding, and its timeout is a multiple of
 * the time of that response. A missing response has no such effect, because a mute agent does not delay
 * the others. All tries have the same transaction ID, so that a response to any of them counts.
 */
#include <errno.h>
#include <string.h>
#include "sim/sm/internal.h"

enum { PATIENCE_MAX_MS = 10000 };

/* Longest silence while SMPs are outstanding: a host that is out of memory loses even the reports of
 * timeouts. */
#define STALL (2 * PATIENCE_MAX_MS * NS_PER_MS)

enum {
	SM_SLOW_MS = 25, /* a response that takes longer is slow */
	SM_PATIENCE = 4, /* timeout of the SMPs after a slow response, as a multiple of its time */
	SM_TRIES = 4,
	SM_TRIES_MAX = 8, /* if an agent was found to be slow only after tries that were too fast for it */
};

/*
 * A response is taken for one to the last try. A response to an earlier try seems fast if it arrives soon
 * after a resend. The tries, at 0, 100, 360 and 910 ms, therefore avoid times at which responses are
 * likely.
 */
static const uint16_t timeouts_ms[SM_TRIES] = { 100, 260, 550, 1100 };

static const struct {
	uint16_t attribute;
	uint8_t method;
} kinds[SMP_KINDS] = {
	[SMP_NODE_INFO] = { MADKIT_ATTR_NODE_INFO, MADKIT_METHOD_GET },
	[SMP_NODE_DESCRIPTION] = { MADKIT_ATTR_NODE_DESCRIPTION, MADKIT_METHOD_GET },
	[SMP_SWITCH_INFO] = { MADKIT_ATTR_SWITCH_INFO, MADKIT_METHOD_GET },
	[SMP_LIGHT] = { MADKIT_ATTR_SWITCH_INFO, MADKIT_METHOD_GET },
	[SMP_CLEAR_CHANGE] = { MADKIT_ATTR_SWITCH_INFO, MADKIT_METHOD_SET },
	[SMP_PORT_INFO] = { MADKIT_ATTR_PORT_INFO, MADKIT_METHOD_GET },
	[SMP_GUID_INFO] = { MADKIT_ATTR_GUID_INFO, MADKIT_METHOD_GET },
	[SMP_PKEYS] = { MADKIT_ATTR_P_KEY_TABLE, MADKIT_METHOD_GET },
	[SMP_SM_INFO] = { MADKIT_ATTR_SM_INFO, MADKIT_METHOD_GET },
	[SMP_SL2VL] = { MADKIT_ATTR_SL_TO_VL_MAPPING_TABLE, MADKIT_METHOD_GET },
	[SMP_ARBITRATION] = { MADKIT_ATTR_VL_ARBITRATION_TABLE, MADKIT_METHOD_GET },
	[SMP_SET_PORT] = { MADKIT_ATTR_PORT_INFO, MADKIT_METHOD_SET },
	[SMP_SET_SWITCH] = { MADKIT_ATTR_SWITCH_INFO, MADKIT_METHOD_SET },
	[SMP_SET_LINEAR] = { MADKIT_ATTR_LINEAR_FORWARDING_TABLE, MADKIT_METHOD_SET },
	[SMP_SET_MULTICAST] = { MADKIT_ATTR_MULTICAST_FORWARDING_TABLE, MADKIT_METHOD_SET },
	[SMP_SET_PKEYS] = { MADKIT_ATTR_P_KEY_TABLE, MADKIT_METHOD_SET },
	[SMP_POLL] = { MADKIT_ATTR_SM_INFO, MADKIT_METHOD_GET },
	[SMP_WATCH] = { MADKIT_ATTR_SM_INFO, MADKIT_METHOD_GET },
	[SMP_HANDOVER] = { MADKIT_ATTR_SM_INFO, MADKIT_METHOD_SET },
	[SMP_ACKNOWLEDGE] = { MADKIT_ATTR_SM_INFO, MADKIT_METHOD_SET },
};

/* Finds the directed route to the port that responds, backwards from its end. */
static void find_way(const struct sm_map *m, const struct sm_smp *smp, struct madkit_addr *to)
{
	uint32_t end = smp->port;
	unsigned int hops = 0;

	*to = (struct madkit_addr){
		.lid = MADKIT_LID_PERMISSIVE,
		.direct = true,
		.dr_slid = MADKIT_LID_PERMISSIVE,
		.dr_dlid = MADKIT_LID_PERMISSIVE,
	};
	if (end == SUBNET_NONE)
		return;
	end = subnet_end_of(&m->s, smp->port);
	hops = m->ways[end].hops;
	if (smp->kind == SMP_NODE_INFO)
		to->path[++hops] = m->s.ports[smp->port].number;
	to->hops = (uint8_t)hops;
	for (hops = m->ways[end].hops; hops; hops--) {
		uint32_t from = m->ways[end].from;

		to->path[hops] = m->s.ports[from].number;
		end = subnet_end_of(&m->s, from);
	}
}

/* Returns the M_Key of a port. One that another manager left there can be read unless it is protected. */
static uint64_t sm_smp_key(const struct sm *sm, const struct sm_smp *smp)
{
	const struct subnet *s = &sm->on->s;

	if (smp->kind == SMP_NODE_INFO)
		return 0;
	return field_get(MADKIT_PORT_INFO_MKEY, s->ports[subnet_end_of(s, smp->port)].info);
}

/* Returns a free place; the caller guarantees that one exists. */
static uint32_t sm_find_place(struct sm *sm)
{
	while (sm->places[sm->next_place % SM_WINDOW].used)
		sm->next_place++;
	return sm->next_place++ % SM_WINDOW;
}

static int sm_smp_send(struct sm *sm, struct sm_place *p)
{
	p->timeout_ms = timeouts_ms[p->tries < SM_TRIES ? p->tries : SM_TRIES - 1];
	if (p->timeout_ms < sm->patience_ms)
		p->timeout_ms = sm->patience_ms;
	p->tries++;
	p->last = sm->now;
	sm->stalled = sm->now + STALL;
	return host_send(sm->file,
			 &(struct host_out){ sm->directed, &p->to, p->mad, sizeof(p->mad), p->timeout_ms, 0 },
			 sm->now);
}

void sm_ask(struct sm *sm, enum sm_kind kind, uint32_t port, uint32_t modifier, const uint8_t *data)
{
	uint32_t place = sm_find_place(sm);
	struct sm_place *p = &sm->places[place];
	int ret;

	p->smp = (struct sm_smp){ .kind = (uint8_t)kind, .port = port, .modifier = modifier };
	p->tries = 0;
	p->first = sm->now;
	mad_begin(p->mad, MADKIT_CLASS_SUBN_DR, 1, kinds[kind].method, kinds[kind].attribute, modifier,
		  (uint32_t)++p->turn << 16 | place);
	find_way(sm->on, &p->smp, &p->to);
	madkit_smp_put_route(p->mad, &p->to, 0);
	put_be64(p->mad + MADKIT_SMP_MKEY, sm_smp_key(sm, &p->smp));
	if (data)
		memcpy(p->mad + MADKIT_SMP_DATA, data, FABRIC_INFO_BYTES);
	ret = sm_smp_send(sm, p);
	if (ret) {
		sm->error = ret;
		return;
	}
	p->used = true;
	sm->outstanding++;
	sm->probes += kind == SMP_NODE_INFO;
	sm->activity++;
}

/* Checks if there were enough tries, and if the last timeout was long enough for agents that were found to
 * be slow meanwhile. */
static bool sm_smp_is_dead(const struct sm *sm, const struct sm_place *p)
{
	return p->tries >= SM_TRIES && (p->timeout_ms >= sm->patience_ms || p->tries >= SM_TRIES_MAX);
}

/* Adapts the pace to the time of a response. It is not slow if a try was lost and the next one was
 * answered at once. */
static void sm_smp_time(struct sm *sm, const struct sm_place *p)
{
	uint64_t ms;

	if (sm->now - p->last <= SM_SLOW_MS * NS_PER_MS)
		return;
	ms = (sm->now - p->first) / NS_PER_MS * SM_PATIENCE;
	sm->patience_ms = ms < PATIENCE_MAX_MS ? (uint32_t)ms : PATIENCE_MAX_MS;
	sm->slow = true;
	sm->room = 1;
}

void sm_pace(struct sm *sm, uint32_t room, uint32_t patience_ms)
{
	if (!sm->slow)
		sm->patience_ms = patience_ms;
	sm->slow = false;
	sm->room = room;
}

bool sm_answered(struct sm *sm, const struct host_message *message, struct sm_smp *smp, const uint8_t **data)
{
	uint32_t tid = get_be32(message->mad + MADKIT_MAD_TID + 4), place = tid & 0xffff;
	struct sm_place *p = &sm->places[place % SM_WINDOW];

	if (place >= SM_WINDOW || !p->used || p->turn != tid >> 16)
		return false;
	if (!message->status)
		sm_smp_time(sm, p);
	else if (message->status == ETIMEDOUT && !sm_smp_is_dead(sm, p) && !sm_smp_send(sm, p))
		return false;
	p->used = false;
	sm->outstanding--;
	sm->probes -= p->smp.kind == SMP_NODE_INFO;
	*smp = p->smp;
	*data = NULL;
	/* accept only a response to this SMP; the first bit of the status is the direction */
	if (!message->status && message->len == MADKIT_MAD_BYTES &&
	    !(get_be16(message->mad + MADKIT_MAD_STATUS) & 0x7fff) &&
	    get_be16(message->mad + MADKIT_MAD_ATTRIBUTE) == kinds[smp->kind].attribute &&
	    get_be32(message->mad + MADKIT_MAD_MODIFIER) == smp->modifier)
		*data = message->mad + MADKIT_SMP_DATA;
	return true;
}

void sm_forget(struct sm *sm)
{
	for (uint32_t i = 0; i < SM_WINDOW; i++)
		sm->places[i].used = false;
	sm->outstanding = sm->probes = 0;
}

void sm_write_info(const struct sm *sm, uint8_t state, uint8_t *data)
{
	memset(data, 0, FABRIC_INFO_BYTES);
	field_put(MADKIT_SM_INFO_GUID, data, sm->guid);
	field_put(MADKIT_SM_INFO_SM_KEY, data, SM_KEY);
	field_put(MADKIT_SM_INFO_ACT_COUNT, data, sm->activity);
	field_put(MADKIT_SM_INFO_PRIORITY, data, SM_PRIORITY);
	field_put(MADKIT_SM_INFO_SM_STATE, data, state);
}
