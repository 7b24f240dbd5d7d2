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
	f->heap_cap = INITIAL;
	f->buckets = calloc(f->nbuckets, sizeof(struct inflight_link *));
	f->heap = malloc(f->heap_cap * sizeof(struct inflight_link *));
	if (f->buckets && f->heap)
		return 0;
	inflight_free(f);
	return -ENOMEM;
}

void inflight_free(struct inflight *f)
{
	free(f->buckets);
	free(f->heap);
	memset(f, 0, sizeof(*f));
}

void inflight_link_init(struct inflight_link *link)
{
	memset(link, 0, sizeof(*link));
	link->heap = INFLIGHT_NOT_IN_HEAP;
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
	if (n > f->heap_cap) {
		size_t cap = f->heap_cap * 2 > n ? f->heap_cap * 2 : n;
		struct inflight_link **heap;

		if (cap > SIZE_MAX / sizeof(*heap))
			return -ENOMEM;
		heap = realloc(f->heap, cap * sizeof(*heap));
		if (!heap)
			return -ENOMEM;
		f->heap = heap;
		f->heap_cap = cap;
	}
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

/* ---- the heap ---------------------------------------------------------------- */

static void inflight_place(struct inflight *f, size_t i, struct inflight_link *link)
{
	f->heap[i] = link;
	link->heap = i;
}

static void inflight_sift_up(struct inflight *f, size_t i, struct inflight_link *link)
{
	while (i) {
		size_t parent = (i - 1) / 2;

		if (f->heap[parent]->deadline <= link->deadline)
			break;
		inflight_place(f, i, f->heap[parent]);
		i = parent;
	}
	inflight_place(f, i, link);
}

static void sift_down(struct inflight *f, size_t i, struct inflight_link *link)
{
	for (;;) {
		size_t child = 2 * i + 1;

		if (child >= f->nheap)
			break;
		if (child + 1 < f->nheap &&
		    f->heap[child + 1]->deadline < f->heap[child]->deadline)
			child++;
		if (f->heap[child]->deadline >= link->deadline)
			break;
		inflight_place(f, i, f->heap[child]);
		i = child;
	}
	inflight_place(f, i, link);
}

void inflight_set_deadline(struct inflight *f, struct inflight_link *link,
			   uint64_t deadline)
{
	uint64_t before = link->deadline;

	link->deadline = deadline;
	if (link->heap == INFLIGHT_NOT_IN_HEAP)
		inflight_sift_up(f, f->nheap++, link);
	else if (deadline < before)
		inflight_sift_up(f, link->heap, link);
	else
		sift_down(f, link->heap, link);
}

void inflight_clear_deadline(struct inflight *f, struct inflight_link *link)
{
	size_t i = link->heap;
	struct inflight_link *last;

	if (i == INFLIGHT_NOT_IN_HEAP)
		return;
	link->heap = INFLIGHT_NOT_IN_HEAP;
	last = f->heap[--f->nheap];
	if (last == link)
		return;
	if (i && f->heap[(i - 1) / 2]->deadline > last->deadline)
		inflight_sift_up(f, i, last);
	else
		sift_down(f, i, last);
}

struct inflight_link *inflight_first(const struct inflight *f)
{
	return f->nheap ? f->heap[0] : NULL;
}
