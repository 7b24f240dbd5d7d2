/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Programs the SA's multicast groups into the switches. */
#include <errno.h>
#include <string.h>
#include "sim/sm/internal.h"

/* Makes the tree of all members of the groups with this MLID, and writes it into the tables. */
static int groups_make_tree(struct sm *sm, struct sm_tree *tree, uint32_t entry)
{
	uint16_t mlid = (uint16_t)(FABRIC_LID_MULTICAST + entry);
	struct sa_group group;
	uint32_t place = 0;

	sm_tree_begin(&sm->map, tree);
	while (sm->sa && sa_next_group(sm->sa, &place, &group))
		for (uint32_t i = 0; group.mlid == mlid && i < group.nmembers; i++)
			if (group.members[i] < sm->map.s.nports)
				sm_tree_add(&sm->map, tree, group.members[i]);
	return sm_tree_apply(&sm->map, tree, mlid);
}

void sm_groups(struct sm *sm)
{
	struct sm_tree tree;
	int ret = sm_tree_new(&sm->map, &tree);

	for (uint32_t at = 0; !ret; at++) {
		at = sm_take_bit(sm->groups_changed, at, FABRIC_MULTICAST_CAP);
		if (at == FABRIC_MULTICAST_CAP)
			break;
		ret = groups_make_tree(sm, &tree, at);
		if (ret)
			sm_set_bit(sm->groups_changed, at);
	}
	sm_tree_free(&tree);
	sm->any_group_changed = ret;
	sm->map.s.generation++;
	if (ret)
		sm->error = ret;
}

void sm_all_groups(struct sm *sm)
{
	struct sa_group group;
	uint32_t place = 0;

	while (sm->sa && sa_next_group(sm->sa, &place, &group))
		sm_group_changed(sm, &group);
}

void sm_group_changed(void *context, const struct sa_group *group)
{
	struct sm *sm = context;
	uint32_t at = (uint32_t)group->mlid - FABRIC_LID_MULTICAST;

	if (at >= FABRIC_MULTICAST_CAP)
		return;
	sm_set_bit(sm->groups_changed, at);
	sm->any_group_changed = true;
}

int sm_join(struct sm *sm, uint64_t guid, const uint8_t mgid[16], bool joins)
{
	return sm->sa ? sa_member_set(sm->sa, guid, mgid, joins, sm->now) : -ENOTCONN;
}

bool sm_next_multicast(struct sm *sm)
{
	for (; sm->cursor < sm->map.nswitches; sm->cursor++, sm->block = 0) {
		struct sm_switch *sw = &sm->map.switches[sm->cursor];
		const struct subnet_node *node = &sm->map.s.nodes[sw->node];
		uint32_t positions = sm_positions(node), at;
		uint32_t blocks = FABRIC_MULTICAST_CAP / SM_MULTICAST_BLOCK * positions;

		if (!sw->multicast_dirty)
			continue;
		at = sm->block = sm_take_bit(sw->multicast_dirty, sm->block, blocks);
		if (at == blocks)
			continue;
		sm_ask(sm, SMP_SET_MULTICAST, node->first, at / positions | at % positions << 28,
		       node->multicast + (size_t)at * FABRIC_INFO_BYTES);
		return true;
	}
	return false;
}

void sm_set_multicast(struct sm *sm, const struct sm_smp *smp, const uint8_t *data)
{
	const struct subnet_node *node = subnet_node_of(&sm->map.s, smp->port);
	uint32_t positions = sm_positions(node);
	uint32_t block = (smp->modifier & 0x1ff) * positions + (smp->modifier >> 28);
	const uint8_t *wanted = node->multicast + (size_t)block * FABRIC_INFO_BYTES;

	if (sm_is_refused(sm, data && !memcmp(data, wanted, FABRIC_INFO_BYTES)))
		sm_set_bit(sm_switch_of(sm, smp->port)->multicast_dirty, block);
}
