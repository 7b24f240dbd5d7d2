/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Numbers found by a hash of what they stand for. Whether one of those that have the
 * hash is the one meant is for the caller to look. */
#ifndef SIM_INDEX_H
#define SIM_INDEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct index_slot {
	uint32_t hash;
	uint32_t id;	/* + 1; 0: free */
};

/* All zeros is an empty one. */
struct index {
	struct index_slot *slots;
	size_t nslots;	/* a power of 2, or 0 */
	size_t count;
};

uint32_t index_hash_string(const char *s, size_t len);
uint32_t index_hash_number(uint64_t v);

/* 0 or -ENOMEM. */
int index_add(struct index *index, uint32_t hash, uint32_t id);

/* Where the search is; begins with all zeros. */
struct index_place {
	size_t steps;
};
/* The next number with this hash; false: there is no other. */
bool index_next(const struct index *index, uint32_t hash,
		struct index_place *place, uint32_t *id);

void index_free(struct index *index);

#endif
