/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "sim/index.h"

enum { INITIAL = 64 };

uint32_t index_hash_number(uint64_t v)
{
	v ^= v >> 32;
	v *= UINT64_C(0x9e3779b97f4a7c15);
	return (uint32_t)(v >> 32);
}

uint32_t index_hash_string(const char *s, size_t len)
{
	uint64_t hash = UINT64_C(0xcbf29ce484222325);

	for (size_t i = 0; i < len; i++)
		hash = (hash ^ (uint8_t)s[i]) * UINT64_C(0x100000001b3);
	return index_hash_number(hash);
}

static void index_put(struct index_slot *slots, size_t nslots, struct index_slot slot)
{
	size_t at = slot.hash & (nslots - 1);

	while (slots[at].id)
		at = (at + 1) & (nslots - 1);
	slots[at] = slot;
}

int index_add(struct index *index, uint32_t hash, uint32_t id)
{
	/* at most half full, so that every search meets a free place */
	if (index->count >= index->nslots / 2) {
		size_t n = index->nslots ? index->nslots * 2 : INITIAL;
		struct index_slot *slots = calloc(n, sizeof(*slots));

		if (!slots)
			return -ENOMEM;
		for (size_t i = 0; i < index->nslots; i++)
			if (index->slots[i].id)
				index_put(slots, n, index->slots[i]);
		free(index->slots);
		index->slots = slots;
		index->nslots = n;
	}
	index_put(index->slots, index->nslots,
		  (struct index_slot) { .hash = hash, .id = id + 1 });
	index->count++;
	return 0;
}

bool index_next(const struct index *index, uint32_t hash,
		struct index_place *place, uint32_t *id)
{
	while (index->nslots) {
		const struct index_slot *slot = &index->slots[
			(hash + place->steps++) & (index->nslots - 1)];

		if (!slot->id)
			break;
		if (slot->hash == hash) {
			*id = slot->id - 1;
			return true;
		}
	}
	return false;
}

void index_free(struct index *index)
{
	free(index->slots);
	memset(index, 0, sizeof(*index));
}
