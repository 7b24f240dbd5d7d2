/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The heap against a plain array. */
#include <errno.h>
#include <stdlib.h>
#include "util/heap.h"
#include "util/list.h"
#include "tests/tap.h"
#include "tests/unit/fail_alloc.h"

enum { N = 700, STEPS = 60000 };

static struct heap h;
static struct member {
	struct heap_link link;
	bool set;
	uint64_t due;
	unsigned int step; /* when it was set */
} m[N];

/* The member that is due first, looked up one by one; NULL: none is set. */
static struct member *naive_first(void)
{
	struct member *first = NULL;

	for (size_t i = 0; i < N; i++)
		if (m[i].set &&
		    (!first || m[i].due < first->due || (m[i].due == first->due && m[i].step < first->step)))
			first = &m[i];
	return first;
}

static bool heap_agrees(void)
{
	struct member *first = naive_first();
	size_t n = 0;

	for (size_t i = 0; i < N; i++)
		n += m[i].set;
	for (uint32_t i = 0; i < h.count; i++)
		if (h.links[i]->place != i + 1)
			return false;
	return n == h.count && heap_first(&h) == (first ? &first->link : NULL) &&
	       heap_due(&h) == (first ? first->due : UINT64_MAX);
}

int main(void)
{
	unsigned int bad = 0, most = 0, step;

	srandom(7);
	ok(!heap_first(&h) && heap_due(&h) == UINT64_MAX, "all zeros is an empty heap");
	left = 0;
	is_int(heap_reserve(&h, N), -ENOMEM, "no memory: -ENOMEM");
	ok(reached() && !h.cap, "... and the heap is as it was");
	is_int(heap_reserve(&h, N), 0, "room for all");
	left = 0;
	for (step = 0; step < STEPS; step++) {
		struct member *one = &m[random() % N];

		one->set = random() % 5 < 3;
		if (one->set) {
			one->due = random() % 40 ? (uint64_t)random() % 500 : UINT64_MAX;
			one->step = step;
			heap_set(&h, &one->link, one->due);
		} else {
			heap_remove(&h, &one->link);
		}
		most = h.count > most ? h.count : most;
		if (step % 37 == 0)
			bad += !heap_agrees();
	}
	ok(!reached(), "what has room allocates nothing");
	ok(most > N / 2, "up to %u members were in the heap", most);
	is_u64(bad, 0, "the first is due earliest, or was set first; each knows its place");
	for (; h.count; bad += !heap_agrees()) {
		struct member *first = list_entry(heap_first(&h), struct member, link);

		heap_remove(&h, &first->link);
		first->set = false;
	}
	is_u64(bad, 0, "... until the heap is empty");
	heap_free(&h);
	heap_free(&h);
	ok(!h.links && !h.cap, "freeing twice is harmless");
	return tap_done();
}
