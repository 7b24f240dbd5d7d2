/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The table of TIDs against a plain array. */
#include <stdlib.h>
#include "util/inflight.h"
#include "tests/tap.h"

enum { N = 700, STEPS = 60000 };

static struct inflight f;
static struct {
	struct inflight_link link;
	bool hashed;
	uint32_t tid;
} m[N];

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
	unsigned int bad_find = 0;

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

		switch (random() % 2) {
		case 0:
			inflight_unhash(&f, &m[i].link);
			m[i].tid = (uint32_t)random() % 900;
			m[i].hashed = true;
			inflight_hash(&f, &m[i].link, m[i].tid);
			break;
		case 1:
			m[i].hashed = false;
			inflight_unhash(&f, &m[i].link);
			break;
		}
		bad_find += !find_agrees((uint32_t)random() % 900);
	}
	is_u64(bad_find, 0, "each TID finds all its members and no others");

	ok(f.nbuckets >= N, "the table has grown: %zu buckets", f.nbuckets);
	inflight_free(&f);
	inflight_free(&f);
	ok(true, "freeing twice is harmless");
	return tap_done();
}
