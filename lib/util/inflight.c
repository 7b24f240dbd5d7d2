/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "util/inflight.h"

enum { INITIAL = 64 };

int inflight_init(struct inflight *f)
{
	memset(f, 0, sizeof(*f));
	f->nbuckets = INITIAL;
	f->buckets = calloc(f->nbuckets, sizeof(struct inflight_link *));
	return f->buckets ? 0 : -ENOMEM;
}

void inflight_free(struct inflight *f)
{
	free(f->buckets);
	memset(f, 0, sizeof(*f));
}

void inflight_link_init(struct inflight_link *link)
{
	memset(link, 0, sizeof(*link));
}

/* TIDs are counted up from a random start: spread enough as they are, but a
 * caller may also bring its own. */
static size_t inflight_bucket(const struct inflight *f, uint32_t tid)
{
	return (size_t)(tid * UINT32_C(2654435769) >> 7) & (f->nbuckets - 1);
}

static void rehash(struct inflight *f, struct inflight_link **buckets, size_t n)
{
	struct inflight_link **old = f->buckets;
	size_t nold = f->nbuckets;

	f->buckets = buckets;
	f->nbuckets = n;
	for (size_t i = 0; i < nold; i++) {
		struct inflight_link *link = old[i], *next;

		for (; link; link = next) {
			size_t b = inflight_bucket(f, link->tid);

			next = link->next;
			link->next = f->buckets[b];
			f->buckets[b] = link;
		}
	}
	free(old);
}

int inflight_reserve(struct inflight *f, size_t n)
{
	if (n > f->nbuckets) {
		struct inflight_link **buckets;
		size_t cap = f->nbuckets;

		while (cap < n)
			cap *= 2;
		buckets = calloc(cap, sizeof(*buckets));
		/* longer chains are slower, not wrong */
		if (buckets)
			rehash(f, buckets, cap);
	}
	return 0;
}

void inflight_hash(struct inflight *f, struct inflight_link *link, uint32_t tid)
{
	size_t b = inflight_bucket(f, tid);

	link->tid = tid;
	link->hashed = true;
	link->next = f->buckets[b];
	f->buckets[b] = link;
	f->nhashed++;
}

void inflight_unhash(struct inflight *f, struct inflight_link *link)
{
	struct inflight_link **p;

	if (!link->hashed)
		return;
	for (p = &f->buckets[inflight_bucket(f, link->tid)]; *p != link; p = &(*p)->next)
		;
	*p = link->next;
	link->next = NULL;
	link->hashed = false;
	f->nhashed--;
}

struct inflight_link *inflight_find(const struct inflight *f, uint32_t tid)
{
	struct inflight_link *link = f->buckets[inflight_bucket(f, tid)];

	while (link && link->tid != tid)
		link = link->next;
	return link;
}

struct inflight_link *inflight_find_next(const struct inflight_link *link)
{
	uint32_t tid = link->tid;
	struct inflight_link *next = link->next;

	while (next && next->tid != tid)
		next = next->next;
	return next;
}
