/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A binary heap of members, ordered by the time at which they are due, and for equal times by the order in
 * which they were set. The links are part of the members: setting one allocates nothing, only heap_reserve()
 * does.
 */
#ifndef UTIL_HEAP_H
#define UTIL_HEAP_H

#include <stddef.h>
#include <stdint.h>
#include "util/array.h"
#include "util/private.h"

/* All zeros: a link that is not in any heap. */
struct heap_link {
	uint64_t due;
	uint64_t order;
	size_t place; /* index + 1; 0: not in any heap */
};

/* All zeros: an empty heap. */
struct heap {
	struct heap_link **links;
	uint32_t count, cap;
	uint64_t order; /* how many times a link was set */
};

/* Reserves room for n links in total. Returns 0 or -ENOMEM. */
static inline int heap_reserve(struct heap *heap, size_t n)
{
	return array_room(&heap->links, &heap->cap, 0, n, sizeof(struct heap_link *));
}

/* Adds a link, for which there must be room, or changes the time at which it is due. */
void heap_set(struct heap *heap, struct heap_link *link, uint64_t due) MADKIT_PRIVATE(heap_set);

/* Removes a link. Harmless if the link is not in any heap. */
void heap_remove(struct heap *heap, struct heap_link *link) MADKIT_PRIVATE(heap_remove);

/* Returns the link that is due first, or NULL. */
static inline struct heap_link *heap_first(const struct heap *heap)
{
	return heap->count ? heap->links[0] : NULL;
}

/* Returns when the first link is due; UINT64_MAX: the heap is empty. */
static inline uint64_t heap_due(const struct heap *heap)
{
	return heap->count ? heap->links[0]->due : UINT64_MAX;
}

void heap_free(struct heap *heap) MADKIT_PRIVATE(heap_free);

#endif
