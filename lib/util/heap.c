/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include "util/heap.h"

static bool heap_before(const struct heap_link *a, const struct heap_link *b)
{
	return a->due != b->due ? a->due < b->due : a->order < b->order;
}

static void heap_place(struct heap *heap, size_t i, struct heap_link *link)
{
	heap->links[i] = link;
	link->place = i + 1;
}

/* Puts the link at i, or further up where it belongs. */
static void heap_up(struct heap *heap, size_t i, struct heap_link *link)
{
	for (; i && heap_before(link, heap->links[(i - 1) / 2]); i = (i - 1) / 2)
		heap_place(heap, i, heap->links[(i - 1) / 2]);
	heap_place(heap, i, link);
}

/* Moves the link down from i, first to the end and then up again. That takes one comparison per level, and a
 * link from the end of the heap most often belongs there. */
static void heap_down(struct heap *heap, size_t i, struct heap_link *link)
{
	struct heap_link **links = heap->links, *up;
	size_t count = heap->count;

	for (size_t child; (child = 2 * i + 1) < count; i = child) {
		up = links[child];
		if (child + 1 < count && heap_before(links[child + 1], up))
			up = links[++child];
		links[i] = up;
		up->place = i + 1;
	}
	heap_up(heap, i, link);
}

void heap_set(struct heap *heap, struct heap_link *link, uint64_t due)
{
	link->due = due;
	link->order = heap->order++;
	if (link->place)
		heap_down(heap, link->place - 1, link);
	else
		heap_up(heap, heap->count++, link);
}

void heap_remove(struct heap *heap, struct heap_link *link)
{
	struct heap_link *last;

	if (!link->place)
		return;
	last = heap->links[--heap->count];
	if (last != link)
		heap_down(heap, link->place - 1, last);
	link->place = 0;
}

void heap_free(struct heap *heap)
{
	free(heap->links);
	memset(heap, 0, sizeof(*heap));
}
