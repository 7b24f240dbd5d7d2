/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What is under way, found by transaction ID (a hash table over its low 32
 * bits, the ones that come back). Nothing is allocated while a member is added.
 */
#ifndef UTIL_INFLIGHT_H
#define UTIL_INFLIGHT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "util/private.h"

struct inflight_link {
	struct inflight_link *next;	/* of the same bucket */
	uint32_t tid;
	bool hashed;
};

struct inflight {
	struct inflight_link **buckets;
	size_t nbuckets;		/* a power of 2 */
	size_t nhashed;
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

#endif
