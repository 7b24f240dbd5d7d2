/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <string.h>
#include "rmpp/table.h"

enum { INITIAL = 64 };

uint64_t table_mix(uint64_t hash, uint64_t value)
{
	hash = (hash ^ value) * UINT64_C(0x9e3779b97f4a7c15);
	return hash ^ hash >> 29;
}

static struct table_link **table_bucket(const struct table *t, uint64_t hash)
{
	return &t->buckets[hash & (t->nbuckets - 1)];
}

/* Longer chains, where there is no memory, are slower, not wrong. */
static void table_grow(struct table *t, const struct madkit_rmpp_heap *heap)
{
	struct table old = *t;
	size_t n = t->nbuckets ? t->nbuckets * 2 : INITIAL;
	struct table_link **buckets = heap->resize(heap->context, NULL, 0,
						   n * sizeof(struct table_link *));

	if (!buckets)
		return;
	memset(buckets, 0, n * sizeof(struct table_link *));
	t->buckets = buckets;
	t->nbuckets = n;
	for (size_t i = 0; i < old.nbuckets; i++) {
		struct table_link *link = old.buckets[i], *next;

		for (; link; link = next) {
			struct table_link **b = table_bucket(t, link->hash);

			next = link->next;
			link->next = *b;
			*b = link;
		}
	}
	table_free(&old, heap);
}

bool table_add(struct table *t, const struct madkit_rmpp_heap *heap,
	       struct table_link *link, uint64_t hash)
{
	struct table_link **b;

	if (t->count >= t->nbuckets)
		table_grow(t, heap);
	if (!t->nbuckets)
		return false;
	b = table_bucket(t, hash);
	link->hash = hash;
	link->next = *b;
	*b = link;
	t->count++;
	return true;
}

void table_del(struct table *t, struct table_link *link)
{
	struct table_link **p = table_bucket(t, link->hash);

	while (*p != link)
		p = &(*p)->next;
	*p = link->next;
	t->count--;
}

struct table_link *table_find(const struct table *t, uint64_t hash)
{
	struct table_link *link = t->nbuckets ? *table_bucket(t, hash) : NULL;

	while (link && link->hash != hash)
		link = link->next;
	return link;
}

struct table_link *table_next(const struct table_link *link)
{
	struct table_link *next = link->next;

	while (next && next->hash != link->hash)
		next = next->next;
	return next;
}

void table_free(struct table *t, const struct madkit_rmpp_heap *heap)
{
	if (t->buckets)
		heap->resize(heap->context, t->buckets,
			     t->nbuckets * sizeof(struct table_link *), 0);
	memset(t, 0, sizeof(*t));
}
