/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <stdlib.h>
#include <string.h>
#include "sweep/block.h"
#include "sweep/work.h"

static uint64_t block_hash(struct sweep_place at, uint16_t attribute, uint32_t modifier)
{
	return table_mix(table_mix(0, (uint64_t)at.node << 16 | attribute),
			 (uint64_t)at.port << 32 | modifier);
}

/* Continues a sweep that has ended. The time since then does not count. */
static void block_reopen(struct madkit_sweep *s)
{
	if (!s->ended)
		return;
	s->ended = false;
	s->begun_ns += madkit_port_now(s->port) - s->ended_ns;
}

/* Makes SWEEP_BLOCK pending, in one phase at most. Each time the bit is taken, one block is requested. */
static void block_pend(struct madkit_sweep *s, uint32_t node)
{
	const struct sweep_entry *e = s->nodes[node];
	const unsigned int bits = e->todo[0].bits[SWEEP_FIRST] | e->todo[0].bits[SWEEP_LAST];

	if (!list_empty(&e->blocks) && !(bits & SWEEP_BIT(SWEEP_BLOCK)))
		work_add(s, node, 0, SWEEP_BLOCK);
}

const struct sweep_block *block_get(struct madkit_sweep *s, struct sweep_place at, uint16_t attribute,
				    uint32_t modifier)
{
	const uint64_t hash = block_hash(at, attribute, modifier);
	struct sweep_block *b;
	size_t step = 0;

	while ((b = table_next(&s->blocks, hash, &step)))
		if (b->node == at.node && b->port == at.port && b->attribute == attribute &&
		    b->modifier == modifier)
			return b;
	if (table_reserve(&s->blocks, s->blocks.count + 1))
		return NULL;
	b = calloc(1, sizeof(*b));
	if (!b)
		return NULL;
	b->node = at.node;
	b->port = at.port;
	b->attribute = attribute;
	b->modifier = modifier;
	list_init(&b->list);
	table_put(&s->blocks, hash, b);
	b->next = s->first_block;
	s->first_block = b;
	s->bytes += sizeof(*b);
	if (s->nodes[at.node]->node.state == MADKIT_SWEEP_SILENT || s->missing & MADKIT_SWEEP_SA_SILENT) {
		b->state = MADKIT_SWEEP_SILENT;
		return b;
	}
	if (s->admin) {
		list_add(&s->wanted, &b->list);
	} else {
		list_add(&s->nodes[at.node]->blocks, &b->list);
		block_pend(s, at.node);
	}
	block_reopen(s);
	return b;
}

bool block_adaptive(struct madkit_sweep *s, uint32_t node)
{
	const struct sweep_entry *e = s->nodes[node];

	if (s->admin || e->node.adaptive != MADKIT_SWEEP_UNKNOWN || e->node.vendor != MADKIT_OUI_MELLANOX ||
	    e->node.state == MADKIT_SWEEP_SILENT)
		return true;
	work_add(s, node, 0, SWEEP_ADAPTIVE);
	block_reopen(s);
	return false;
}

void block_repeat(struct madkit_sweep *s, uint32_t node)
{
	for (struct sweep_block *b = s->first_block; b; b = b->next) {
		if (b->node != node || b->state != MADKIT_SWEEP_SILENT)
			continue;
		b->state = MADKIT_SWEEP_UNKNOWN;
		list_add(&s->nodes[node]->blocks, &b->list);
	}
	block_pend(s, node);
}

void block_free(struct madkit_sweep *s)
{
	while (s->first_block) {
		struct sweep_block *b = s->first_block;

		s->first_block = b->next;
		free(b);
	}
	table_free(&s->blocks);
}

struct sweep_block *block_take(struct madkit_sweep *s, enum sweep_phase phase, uint32_t node)
{
	struct sweep_entry *e = s->nodes[node];
	struct sweep_block *b = list_entry(e->blocks.next, struct sweep_block, list);

	list_del(&b->list);
	if (!list_empty(&e->blocks))
		work_add_phase(s, phase, node, 0, SWEEP_BLOCK);
	return b;
}

void block_return(struct madkit_sweep *s, struct sweep_block *b)
{
	/* to the front of the list */
	list_add(s->nodes[b->node]->blocks.next, &b->list);
}

void block_end(struct madkit_sweep *s, uint32_t node, enum madkit_sweep_state state, const uint8_t *data)
{
	struct sweep_block *b = list_entry(s->nodes[node]->blocks.next, struct sweep_block, list);

	list_del(&b->list);
	b->state = (uint8_t)state;
	if (data)
		memcpy(b->data, data, MADKIT_SWEEP_INFO_BYTES);
	block_pend(s, node);
}
