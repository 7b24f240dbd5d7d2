/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What is under way, found by transaction ID (a hash table over its low 32
 * bits, the ones that come back) and by deadline (a binary heap). Both grow;
 * neither allocates anything while a member is added.
 */
#ifndef UTIL_INFLIGHT_H
#define UTIL_INFLIGHT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "util/private.h"

#define INFLIGHT_NOT_IN_HEAP SIZE_MAX

struct inflight_link {
	struct inflight_link *next;	/* of the same bucket */
	uint32_t tid;
	bool hashed;
	size_t heap;			/* place in the heap */
	uint64_t deadline;
};

struct inflight {
	struct inflight_link **buckets;
	size_t nbuckets;		/* a power of 2 */
	size_t nhashed;
	struct inflight_link **heap;
	size_t nheap;
	size_t heap_cap;
};

int inflight_init(struct inflight *f) MADKIT_PRIVATE(inflight_init);
void inflight_free(struct inflight *f) MADKIT_PRIVATE(inflight_free);
void inflight_link_init(struct inflight_link *link) MADKIT_PRIVATE(inflight_link_init);

/* Makes sure that n members have room. 0 or -ENOMEM. */
int inflight_reserve(struct inflight *f, size_t n) MADKIT_PRIVATE(inflight_reserve);

/* Under a TID; several members may have the same. */
void inflight_hash(struct inflight *f, struct inflight_link *link, uint32_t tid)
	MADKIT_PRIVATE(inflight_hash);
void inflight_unhash(struct inflight *f, struct inflight_link *link)
	MADKIT_PRIVATE(inflight_unhash);
/* The first member of that TID, and the next after one. */
struct inflight_link *inflight_find(const struct inflight *f, uint32_t tid)
	MADKIT_PRIVATE(inflight_find);
struct inflight_link *inflight_find_next(const struct inflight_link *link)
	MADKIT_PRIVATE(inflight_find_next);

/* Sets or changes a deadline. */
void inflight_set_deadline(struct inflight *f, struct inflight_link *link,
			   uint64_t deadline) MADKIT_PRIVATE(inflight_set_deadline);
void inflight_clear_deadline(struct inflight *f, struct inflight_link *link)
	MADKIT_PRIVATE(inflight_clear_deadline);
/* The member with the earliest deadline, or NULL. */
struct inflight_link *inflight_first(const struct inflight *f) MADKIT_PRIVATE(inflight_first);

#endif
