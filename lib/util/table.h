/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Members found by a hash. The caller must check if a member with the hash is the one that it looks up. */
#ifndef UTIL_TABLE_H
#define UTIL_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "util/private.h"

/* All zeros: an empty table. */
struct table {
	void **members; /* NULL: a free slot */
	uint32_t *hashes;
	size_t nslots; /* a power of 2, or 0 */
	size_t count;
	/* as in struct madkit_rmpp_heap; NULL: memory is allocated with calloc() */
	void *(*resize)(void *context, void *old, size_t old_size, size_t size);
	void *context;
};

static inline uint64_t table_mix(uint64_t hash, uint64_t value)
{
	hash = (hash ^ value) * UINT64_C(0x9e3779b97f4a7c15);
	return hash ^ hash >> 29;
}

/* Reserves room for n members in total. Returns 0 or -ENOMEM. */
int table_reserve(struct table *table, size_t n) MADKIT_PRIVATE(table_reserve);
/* Adds a member, for which there must be room. */
void table_put(struct table *table, uint64_t hash, void *member) MADKIT_PRIVATE(table_put);

static inline int table_add(struct table *table, uint64_t hash, void *member)
{
	int ret = table_reserve(table, table->count + 1);

	if (!ret)
		table_put(table, hash, member);
	return ret;
}

/* Deletes a member, which must be in the table with this hash. */
void table_del(struct table *table, uint64_t hash, const void *member) MADKIT_PRIVATE(table_del);
/* Returns the next member with this hash, or NULL. *step begins with 0. */
void *table_next(const struct table *table, uint64_t hash, size_t *step) MADKIT_PRIVATE(table_next);
void table_free(struct table *table) MADKIT_PRIVATE(table_free);

/* The same for numbers in place of pointers. UINT32_MAX cannot be added. */
static inline int table_add_number(struct table *table, uint64_t hash, uint32_t number)
{
	return table_add(table, hash, (void *)(uintptr_t)(number + 1));
}

static inline bool table_next_number(const struct table *table, uint64_t hash, size_t *step, uint32_t *number)
{
	void *member = table_next(table, hash, step);

	if (member)
		*number = (uint32_t)(uintptr_t)member - 1;
	return member;
}

#endif
