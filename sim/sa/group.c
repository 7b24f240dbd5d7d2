/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Multicast groups and their members. Members are identified by GUID; their ports are looked up again when
 * the subnet changes.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "sim/sa/internal.h"
#include "util/array.h"

static const uint8_t *group_mgid(const struct sa_mgroup *g)
{
	return g->record + field_at(MADKIT_MC_MEMBER_RECORD_MGID);
}

/* ---- groups ---------------------------------------------------------------------- */

void sa_group_free(struct sa *sa, struct sa_mgroup *g)
{
	unsigned int at =
		(unsigned int)field_get(MADKIT_MC_MEMBER_RECORD_MLID, g->record) - FABRIC_LID_MULTICAST;

	sa->groups[at] = NULL;
	table_free(&g->by_guid);
	free(g->members);
	free(g->ports);
	free(g);
}

struct sa_mgroup *sa_group_new(struct sa *sa, const uint8_t *record)
{
	struct sa_mgroup *g;
	unsigned int i = 0;

	while (i < SA_GROUPS_MAX && sa->groups[i])
		i++;
	g = i < SA_GROUPS_MAX ? calloc(1, sizeof(*g)) : NULL;
	if (!g)
		return NULL;
	memcpy(g->record, record, sizeof(g->record));
	field_put(MADKIT_MC_MEMBER_RECORD_MLID, g->record, FABRIC_LID_MULTICAST + i);
	sa->groups[i] = g;
	return g;
}

static void group_view(const struct sa_mgroup *g, struct sa_group *group)
{
	group->mlid = (uint16_t)field_get(MADKIT_MC_MEMBER_RECORD_MLID, g->record);
	group->nmembers = g->nmembers;
	group->members = g->ports;
}

void sa_group_tell(const struct sa *sa, const struct sa_mgroup *g)
{
	struct sa_group group;

	group_view(g, &group);
	if (sa->options.group)
		sa->options.group(sa->options.context, &group);
}

bool sa_next_group(const struct sa *sa, uint32_t *place, struct sa_group *group)
{
	while (*place < SA_GROUPS_MAX) {
		const struct sa_mgroup *g = sa->groups[(*place)++];

		if (g && g->nmembers) {
			group_view(g, group);
			return true;
		}
	}
	return false;
}

/* ---- members --------------------------------------------------------------------- */

/* Rebuilds the index of members. If there is no memory for it, members are searched one by one. */
static void member_index(struct sa_mgroup *g)
{
	g->lost = false;
	table_free(&g->by_guid);
	for (uint32_t i = 0; i < g->nmembers && !g->lost; i++)
		g->lost = table_add_number(&g->by_guid, table_mix(0, g->members[i].guid), i);
}

/* Indexes a member at its new place. The old entry stays in the index, until too many are stale. */
static void member_moved(struct sa_mgroup *g, uint32_t to)
{
	if (g->by_guid.count > 2 * (size_t)g->nmembers + 64)
		member_index(g);
	else
		g->lost |= !!table_add_number(&g->by_guid, table_mix(0, g->members[to].guid), to);
}

struct sa_member *sa_member_find(const struct sa_mgroup *g, uint64_t guid)
{
	size_t step = 0;
	uint32_t i;

	while (table_next_number(&g->by_guid, table_mix(0, guid), &step, &i))
		if (i < g->nmembers && g->members[i].guid == guid)
			return &g->members[i];
	for (i = 0; g->lost && i < g->nmembers; i++)
		if (g->members[i].guid == guid)
			return &g->members[i];
	return NULL;
}

struct sa_member *sa_member_add(struct sa_mgroup *g, uint64_t guid, uint32_t port)
{
	if (array_room(&g->ports, &g->ports_cap, g->nmembers, 1, sizeof(*g->ports)) ||
	    array_room(&g->members, &g->members_cap, g->nmembers, 1, sizeof(*g->members)))
		return NULL;
	g->members[g->nmembers] = (struct sa_member){ .guid = guid };
	g->ports[g->nmembers++] = port;
	member_moved(g, g->nmembers - 1);
	return &g->members[g->nmembers - 1];
}

void sa_member_remove(struct sa_mgroup *g, struct sa_member *member)
{
	uint32_t i = (uint32_t)(member - g->members);

	g->nfull -= !!(member->state & SA_STATE_KEEPS);
	/* the last member takes its place */
	g->members[i] = g->members[--g->nmembers];
	g->ports[i] = g->ports[g->nmembers];
	if (i < g->nmembers)
		member_moved(g, i);
}

void sa_group_changed(struct sa *sa, struct sa_mgroup *g)
{
	if (!g->nfull && !g->permanent) {
		sa_notice_gid(sa, MADKIT_TRAP_GROUP_DELETED, group_mgid(g));
		g->nmembers = 0;
		sa_group_tell(sa, g);
		sa_group_free(sa, g);
	} else {
		sa_group_tell(sa, g);
	}
}

void sa_members_gone(struct sa *sa)
{
	for (unsigned int i = 0; i < SA_GROUPS_MAX; i++) {
		struct sa_mgroup *g = sa->groups[i];
		uint32_t before = g ? g->nmembers : 0;

		for (uint32_t n = before; n--;) {
			g->ports[n] = subnet_find_port(sa->options.subnet, g->members[n].guid);
			if (g->ports[n] == SUBNET_NONE)
				sa_member_remove(g, &g->members[n]);
		}
		if (g && g->nmembers != before)
			sa_group_changed(sa, g);
	}
}

/* ---- initialisation -------------------------------------------------------------- */

/* Creates IPoIB's broadcast group of the default partition, which exists from the start (RFC 4391). */
static int group_broadcast(struct sa *sa)
{
	static const uint8_t mgid[16] = {
		0xff, 0x12, 0x40, 0x1b, 0xff, 0xff, [12] = 0xff, 0xff, 0xff, 0xff,
	};
	uint8_t record[SA_RECORD_MAX] = { 0 };
	struct sa_mgroup *g;

	memcpy(record + field_at(MADKIT_MC_MEMBER_RECORD_MGID), mgid, 16);
	field_put(MADKIT_MC_MEMBER_RECORD_Q_KEY, record, 0x0b1b);
	field_put(MADKIT_MC_MEMBER_RECORD_P_KEY, record, MADKIT_PKEY_DEFAULT);
	field_put(MADKIT_MC_MEMBER_RECORD_MTU_SELECTOR, record, SA_EXACTLY);
	field_put(MADKIT_MC_MEMBER_RECORD_MTU, record, 4); /* 2048 */
	field_put(MADKIT_MC_MEMBER_RECORD_RATE_SELECTOR, record, SA_EXACTLY);
	field_put(MADKIT_MC_MEMBER_RECORD_RATE, record, 3); /* 10 Gbit/s */
	field_put(MADKIT_MC_MEMBER_RECORD_PACKET_LIFE_TIME_SELECTOR, record, SA_EXACTLY);
	field_put(MADKIT_MC_MEMBER_RECORD_PACKET_LIFE_TIME, record, SA_LIFE_TIME);
	field_put(MADKIT_MC_MEMBER_RECORD_SCOPE, record, 2);
	g = sa_group_new(sa, record);
	if (!g)
		return -ENOMEM;
	g->permanent = true;
	return 0;
}

int sa_members_init(struct sa *sa)
{
	sa->groups = calloc(SA_GROUPS_MAX, sizeof(struct sa_mgroup *));
	return sa->groups ? group_broadcast(sa) : -ENOMEM;
}

void sa_members_fini(struct sa *sa)
{
	for (unsigned int i = 0; sa->groups && i < SA_GROUPS_MAX; i++)
		if (sa->groups[i])
			sa_group_free(sa, sa->groups[i]);
	free(sa->groups);
}
