/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Members found by a hash. */
#ifndef RMPP_TABLE_H
#define RMPP_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <madkit/rmpp_transfer.h>
#include "util/private.h"

struct table_link {
	struct table_link *next;	/* of the same bucket */
	uint64_t hash;
};

struct table {
	struct table_link **buckets;
	size_t nbuckets;	/* a power of 2, or 0 */
	size_t count;
};

/* Adds a member; false: there is no memory for the first bucket. */
bool table_add(struct table *table, const struct madkit_rmpp_heap *heap,
	       struct table_link *link, uint64_t hash) MADKIT_PRIVATE(table_add);
void table_del(struct table *table, struct table_link *link) MADKIT_PRIVATE(table_del);
/* The first member with this hash, and the next after one. */
struct table_link *table_find(const struct table *table, uint64_t hash) MADKIT_PRIVATE(table_find);
struct table_link *table_next(const struct table_link *link) MADKIT_PRIVATE(table_next);
void table_free(struct table *table, const struct madkit_rmpp_heap *heap)
	MADKIT_PRIVATE(table_free);
uint64_t table_mix(uint64_t hash, uint64_t value) MADKIT_PRIVATE(table_mix);

#endif
