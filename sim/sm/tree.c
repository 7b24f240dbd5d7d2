/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Multicast forwarding tables: the tree of a group consists of the shortest routes from all members to the
 * switch of the first one, and nothing beyond. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "sim/sm/internal.h"

enum { NOT_SEEN, SEEN, IN_TREE };

int sm_tree_new(const struct sm_map *m, struct sm_tree *tree)
{
	size_t n = m->nswitches ? m->nswitches : 1;

	tree->way = malloc(n * sizeof(*tree->way));
	tree->queue = malloc(n * sizeof(*tree->queue));
	tree->state = malloc(n * sizeof(*tree->state));
	tree->masks = malloc(n * SM_POSITIONS_MAX * sizeof(*tree->masks));
	if (tree->way && tree->queue && tree->state && tree->masks)
		return 0;
	sm_tree_free(tree);
	return -ENOMEM;
}

void sm_tree_free(struct sm_tree *tree)
{
	free(tree->way);
	free(tree->queue);
	free(tree->state);
	free(tree->masks);
	memset(tree, 0, sizeof(*tree));
}

void sm_tree_begin(const struct sm_map *m, struct sm_tree *tree)
{
	memset(tree->state, NOT_SEEN, m->nswitches * sizeof(*tree->state));
	memset(tree->masks, 0, m->nswitches * SM_POSITIONS_MAX * sizeof(*tree->masks));
	/* the switch of the first member will be the root */
	tree->queue[0] = SUBNET_NONE;
}

static void set_bit(struct sm_tree *tree, uint32_t sw, unsigned int port)
{
	tree->masks[sw * SM_POSITIONS_MAX + port / 16] |= (uint16_t)(1u << port % 16);
}

/* Finds the shortest routes from all switches to the root. */
static void sm_tree_grow(const struct sm_map *m, struct sm_tree *tree, uint32_t root)
{
	uint32_t count = 0;

	tree->queue[count++] = root;
	tree->way[root] = SUBNET_NONE;
	tree->state[root] = IN_TREE;
	for (uint32_t i = 0; i < count; i++) {
		const struct sm_switch *sw = &m->switches[tree->queue[i]];

		for (uint32_t l = sw->first_link; l < sw->first_link + sw->nlinks; l++) {
			uint32_t to = m->links[l].to;

			if (tree->state[to] != NOT_SEEN)
				continue;
			tree->state[to] = SEEN;
			tree->way[to] = l;
			tree->queue[count++] = to;
		}
	}
}

void sm_tree_add(const struct sm_map *m, struct sm_tree *tree, uint32_t port)
{
	uint8_t number;
	uint32_t at = sm_switch_at(m, port, &number);

	if (at == SUBNET_NONE)
		return;
	if (tree->queue[0] == SUBNET_NONE)
		sm_tree_grow(m, tree, at);
	if (tree->state[at] == NOT_SEEN)
		return;
	set_bit(tree, at, number);
	/* links lead away from the root */
	while (tree->state[at] == SEEN) {
		const struct sm_link *link = &m->links[tree->way[at]];

		tree->state[at] = IN_TREE;
		set_bit(tree, at, link->to_port);
		set_bit(tree, link->from, link->port);
		at = link->from;
	}
}

static int tree_make_tables(struct subnet_node *node, struct sm_switch *sw)
{
	size_t blocks = FABRIC_MULTICAST_CAP / SM_MULTICAST_BLOCK * (size_t)sm_positions(node);
	uint8_t *tables = calloc(blocks, FABRIC_INFO_BYTES);
	uint64_t *dirty = calloc((blocks + 63) / 64, sizeof(*dirty));

	if (!tables || !dirty) {
		free(tables);
		free(dirty);
		return -ENOMEM;
	}
	node->multicast = tables;
	free(sw->multicast_dirty);
	sw->multicast_dirty = dirty;
	return 0;
}

/* Writes the entry of one switch. Returns 0 or -ENOMEM. */
static int tree_apply(struct sm_map *m, struct sm_switch *sw, const uint16_t *masks, unsigned int entry)
{
	struct subnet_node *node = &m->s.nodes[sw->node];
	unsigned int positions = sm_positions(node);
	size_t first = entry / SM_MULTICAST_BLOCK * (size_t)positions;
	bool all;

	if (!node->multicast && bytes_are_zero((const uint8_t *)masks, SM_POSITIONS_MAX * sizeof(*masks)))
		return 0;
	if (!node->multicast && tree_make_tables(node, sw))
		return -ENOMEM;
	/* entries that were never written are unknown on the switch: write all positions */
	all = bytes_are_zero(node->multicast + first * FABRIC_INFO_BYTES,
			     (size_t)positions * FABRIC_INFO_BYTES) &&
	      !bytes_are_zero((const uint8_t *)masks, positions * sizeof(*masks));
	for (unsigned int i = 0; i < positions; i++) {
		uint8_t *data = node->multicast + (first + i) * FABRIC_INFO_BYTES;

		if (!all && element_get(MADKIT_MULTICAST_FORWARDING_TABLE_PORT_MASK,
					entry % SM_MULTICAST_BLOCK, data) == masks[i])
			continue;
		element_put(MADKIT_MULTICAST_FORWARDING_TABLE_PORT_MASK, entry % SM_MULTICAST_BLOCK, data,
			    masks[i]);
		sm_set_bit(sw->multicast_dirty, (uint32_t)(first + i));
	}
	return 0;
}

int sm_tree_apply(struct sm_map *m, const struct sm_tree *tree, uint16_t mlid)
{
	unsigned int entry = mlid - FABRIC_LID_MULTICAST;
	int ret = 0;

	if (mlid < FABRIC_LID_MULTICAST || entry >= FABRIC_MULTICAST_CAP)
		return 0;
	for (uint32_t i = 0; !ret && i < m->nswitches; i++)
		ret = tree_apply(m, &m->switches[i], &tree->masks[i * SM_POSITIONS_MAX], entry);
	return ret;
}
