/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What the subnet manager asks and sets, so many at a time, by directed routes. */
#include <string.h>
#include "sim/sm/internal.h"

/* How long nothing may come while something is awaited: a host that is out of memory loses
 * even the news that nobody answered. */
#define STALL ((SM_RETRIES + 2) * SM_TIMEOUT_MS * NS_PER_MS)

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

/* The way to what answers: found backwards, from the end. */
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

/* A key that somebody left there can be read as long as it is not protected. */
static uint64_t sm_smp_key(const struct sm *sm, const struct sm_smp *smp)
{
	const struct subnet *s = &sm->on->s;

	if (smp->kind == SMP_NODE_INFO)
		return 0;
	return field_get(MADKIT_PORT_INFO_MKEY, s->ports[subnet_end_of(s, smp->port)].info);
}

/* One that is free: there is one. */
static uint32_t find_place(struct sm *sm)
{
	while (sm->smps[sm->next_smp % SM_WINDOW].used)
		sm->next_smp++;
	return sm->next_smp++ % SM_WINDOW;
}

void sm_ask(struct sm *sm, enum sm_kind kind, uint32_t port, uint32_t modifier, const uint8_t *data)
{
	uint32_t place = find_place(sm);
	struct sm_smp *smp = &sm->smps[place];
	uint8_t mad[MADKIT_MAD_BYTES];
	struct madkit_addr to;
	int ret;

	smp->kind = (uint8_t)kind;
	smp->port = port;
	smp->modifier = modifier;
	mad_begin(mad, MADKIT_CLASS_SUBN_DR, 1, kinds[kind].method, kinds[kind].attribute, modifier,
		  (uint32_t)++smp->turn << 16 | place);
	find_way(sm->on, smp, &to);
	madkit_smp_put_route(mad, &to, 0);
	put_be64(mad + MADKIT_SMP_MKEY, sm_smp_key(sm, smp));
	if (data)
		memcpy(mad + MADKIT_SMP_DATA, data, FABRIC_INFO_BYTES);
	ret = host_send(sm->file, sm->directed, &to, mad, sizeof(mad), SM_TIMEOUT_MS, SM_RETRIES, sm->now);
	if (ret) {
		sm->error = ret;
		return;
	}
	smp->used = true;
	sm->outstanding++;
	sm->activity++;
	sm->stalled = sm->now + STALL;
}

bool sm_answered(struct sm *sm, const struct host_message *message, struct sm_smp *smp, const uint8_t **data)
{
	uint32_t tid = get_be32(message->mad + MADKIT_MAD_TID + 4), place = tid & 0xffff;

	if (place >= SM_WINDOW || !sm->smps[place].used || sm->smps[place].turn != tid >> 16)
		return false;
	sm->smps[place].used = false;
	sm->outstanding--;
	sm->stalled = sm->now + STALL;
	*smp = sm->smps[place];
	*data = NULL;
	/* of what was asked; the first bit of the status is the direction's */
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
		sm->smps[i].used = false;
	sm->outstanding = 0;
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
