/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The table of TIDs and the heap of deadlines against a plain array. */
#include <stdlib.h>
#include "util/inflight.h"
#include "tests/tap.h"

enum { N = 700, STEPS = 60000 };

static struct inflight f;
static struct {
	struct inflight_link link;
	bool hashed, timed;
	uint32_t tid;
	uint64_t deadline;
} m[N];

static bool heap_holds(void)
{
	for (size_t i = 1; i < f.nheap; i++)
		if (f.heap[(i - 1) / 2]->deadline > f.heap[i]->deadline)
			return false;
	for (size_t i = 0; i < f.nheap; i++)
		if (f.heap[i]->heap != i)
			return false;
	return true;
}

static bool first_agrees(void)
{
	uint64_t least = UINT64_MAX;
	size_t n = 0;
	struct inflight_link *first = inflight_first(&f);

	for (size_t i = 0; i < N; i++)
		if (m[i].timed) {
			n++;
			least = m[i].deadline < least ? m[i].deadline : least;
		}
	return n == f.nheap && (n ? first && first->deadline == least : !first);
}

static bool find_agrees(uint32_t tid)
{
	size_t want = 0, got = 0;

	for (size_t i = 0; i < N; i++)
		want += m[i].hashed && m[i].tid == tid;
	for (struct inflight_link *l = inflight_find(&f, tid); l;
	     l = inflight_find_next(l)) {
		if (l->tid != tid)
			return false;
		got++;
	}
	return got == want;
}

int main(void)
{
	unsigned int bad_heap = 0, bad_first = 0, bad_find = 0, max = 0;

	srandom(7);
	is_int(inflight_init(&f), 0, "a table");
	for (size_t i = 0; i < N; i++)
		inflight_link_init(&m[i].link);
	for (size_t i = 0; i < 50; i++) {
		m[i].tid = (uint32_t)random() % 900;
		m[i].hashed = true;
		inflight_hash(&f, &m[i].link, m[i].tid);
	}
	is_int(inflight_reserve(&f, N), 0, "room for all");
	for (size_t i = 0; i < 50; i++)
		bad_find += !find_agrees(m[i].tid);
	is_u64(bad_find, 0, "what was in the table is still found after it has grown");
	for (unsigned int step = 0; step < STEPS; step++) {
		size_t i = (size_t)random() % N;

		switch (random() % 5) {
		case 0:
		case 1:
			m[i].deadline = (uint64_t)random() % 5000;
			m[i].timed = true;
			inflight_set_deadline(&f, &m[i].link, m[i].deadline);
			break;
		case 2:
			m[i].timed = false;
			inflight_clear_deadline(&f, &m[i].link);
			break;
		case 3:
			inflight_unhash(&f, &m[i].link);
			m[i].tid = (uint32_t)random() % 900;
			m[i].hashed = true;
			inflight_hash(&f, &m[i].link, m[i].tid);
			break;
		case 4:
			m[i].hashed = false;
			inflight_unhash(&f, &m[i].link);
			break;
		}
		max = f.nheap > max ? (unsigned int)f.nheap : max;
		if (step % 37 == 0) {
			bad_heap += !heap_holds();
			bad_first += !first_agrees();
		}
		bad_find += !find_agrees((uint32_t)random() % 900);
	}
	ok(max > N / 3, "the heap was filled: up to %u", max);
	is_u64(bad_heap, 0, "no parent is later than its child, each knows its place");
	is_u64(bad_first, 0, "the first is the earliest, and the number is right");
	is_u64(bad_find, 0, "each TID finds all its members and no others");

	uint64_t last = 0;
	unsigned int order = 0;

	while (inflight_first(&f)) {
		struct inflight_link *l = inflight_first(&f);

		order += l->deadline < last;
		last = l->deadline;
		inflight_clear_deadline(&f, l);
	}
	is_u64(order, 0, "what is left comes out in order");
	ok(f.nbuckets >= N, "the table has grown: %zu buckets", f.nbuckets);
	inflight_free(&f);
	inflight_free(&f);
	ok(true, "freeing twice is harmless");
	return tap_done();
}
