/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Lists the blocks of a table of a node: the attribute modifiers of the requests for all of them. */
#include <errno.h>
#include <string.h>
#include <madkit/registry.h>
#include "util/array_size.h"

static int blocks_add(struct madkit_blocks_list *list, uint32_t modifier)
{
	if (list->modifiers && list->n == list->max)
		return -E2BIG;
	if (list->modifiers)
		list->modifiers[list->n] = modifier;
	list->n++;
	return 0;
}

int madkit_blocks_ports(const struct madkit_instances *i, const struct madkit_blocks_node *node,
			unsigned int *first, unsigned int *last)
{
	uint64_t enhanced;
	int ret;

	*first = 1;
	*last = node->nports;
	if (!i->ports || (!node->is_switch && !(i->ports & MADKIT_INSTANCES_CA_PORTS)))
		*first = *last = 0;
	if (!node->is_switch || !(i->ports & (MADKIT_INSTANCES_PORT0 | MADKIT_INSTANCES_ENHANCED_PORT0)))
		return 0;
	if (i->ports & MADKIT_INSTANCES_PORT0) {
		*first = 0;
		return 0;
	}
	ret = node->value(node->context, "SwitchInfo", "EnhancedPort0", 0, &enhanced);
	if (!ret && enhanced)
		*first = 0;
	return ret;
}

uint32_t madkit_blocks_base(const struct madkit_instances *i, bool is_switch, unsigned int port)
{
	const bool has = is_switch ? i->ports : i->ports & MADKIT_INSTANCES_CA_PORTS;

	return has ? (uint32_t)port << i->port_shift : 0;
}

unsigned int madkit_blocks_shift(const struct madkit_instances *i)
{
	return i->ports & MADKIT_INSTANCES_INPUT_PORTS ? i->input_shift : i->block_shift;
}

/* Gets the number of blocks of a run. Returns 0, 1 if the number is not known, or -errno. */
static int blocks_of_run(const struct madkit_blocks *run, const struct madkit_blocks_node *node,
			 unsigned int port, uint64_t *blocks)
{
	const bool external = node->is_switch && port && run->external.attribute;
	const struct madkit_extent *e = external ? &run->external : &run->own;
	uint64_t value, entries;
	int ret;

	*blocks = 0;
	if (!run->entries)
		return 0;
	ret = node->value(node->context, e->attribute, e->field, port, &value);
	if (ret)
		return ret;
	entries = (int64_t)value + e->add < 0 ? 0 : value + (uint64_t)(int64_t)e->add;
	if (!value && e->instead)
		ret = node->value(node->context, e->attribute, e->instead, port, &entries);
	if (ret)
		return ret;
	*blocks = (entries + run->entries - 1) / run->entries;
	return 0;
}

/* Adds the blocks of a run. If their number is not known, adds the first one, and stores the modifier of the
 * next one in *beyond unless another run did so. */
static int blocks_add_run(const struct madkit_instances *i, const struct madkit_blocks *run,
			  const struct madkit_blocks_node *node, unsigned int port, uint32_t base,
			  uint32_t *beyond, struct madkit_blocks_list *list)
{
	uint64_t blocks;
	int ret = blocks_of_run(run, node, port, &blocks);

	if (ret < 0)
		return ret;
	if (ret) {
		blocks = 1;
		if (!list->unknown)
			*beyond = base | (run->first + 1u) << i->block_shift;
		list->unknown = true;
		ret = 0;
	}
	for (uint64_t block = 0; block < blocks && !ret; block++)
		ret = blocks_add(list, base | (uint32_t)(run->first + block) << i->block_shift);
	return ret;
}

int madkit_blocks_all(const struct madkit_instances *i, const struct madkit_blocks_node *node,
		      unsigned int port, uint32_t base, struct madkit_blocks_list *list)
{
	const unsigned int inputs = node->is_switch ? node->nports : 0;
	const unsigned int positions = i->position ? node->nports / i->position + 1u : 1;
	uint32_t beyond = 0;
	int ret = 0;

	list->unknown = false;
	if (i->ports & MADKIT_INSTANCES_INPUT_PORTS) {
		for (unsigned int input = 0; input <= inputs && !ret; input++)
			ret = blocks_add(list, base | input << i->input_shift);
		return ret;
	}
	if (!i->blocks[0].entries)
		return blocks_add(list, base);
	if (!node->is_switch && !strcmp(i->blocks[0].own.attribute, "SwitchInfo"))
		return -ENOENT;
	for (uint32_t at = 0; at < positions; at++)
		for (size_t run = 0; run < ARRAY_SIZE(i->blocks) && !ret; run++)
			ret = blocks_add_run(i, &i->blocks[run], node, port, base | at << i->position_shift,
					     &beyond, list);
	return !ret && list->unknown ? blocks_add(list, beyond) : ret;
}
