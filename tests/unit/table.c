/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The hash table against a plain array. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "util/table.h"
#include "tests/tap.h"
#include "tests/unit/fail_alloc.h"

enum { N = 700, HASHES = 900, STEPS = 60000 };

static struct table t;
static struct member {
	uint64_t hash;
	bool in;
	unsigned int seen;
} m[N];

/* Returns true if each member with the hash is found once, and no other. */
static bool table_agrees(uint64_t hash)
{
	static unsigned int mark;
	struct member *one;
	size_t step = 0, want = 0, got = 0;

	mark++;
	for (size_t i = 0; i < N; i++)
		want += m[i].in && m[i].hash == hash;
	for (; (one = table_next(&t, hash, &step)); got++) {
		if (!one->in || one->hash != hash || one->seen == mark)
			return false;
		one->seen = mark;
	}
	return got == want;
}

/* Few hashes for many members, and home slots that lie together, also around the end of the table. */
static uint64_t any_hash(void)
{
	return random() % 2 ? (uint64_t)random() % HASHES : 2048 - (uint64_t)random() % 40;
}

static unsigned int table_randomised(void)
{
	unsigned int bad = 0;

	for (unsigned int step = 0; step < STEPS; step++) {
		struct member *one = &m[random() % N];

		if (one->in)
			table_del(&t, one->hash, one);
		one->in = random() % 3;
		if (one->in) {
			one->hash = any_hash();
			bad += table_add(&t, one->hash, one) != 0;
		}
		bad += !table_agrees(one->hash) + !table_agrees(any_hash());
	}
	for (uint64_t hash = 0; hash <= 2048; hash++)
		bad += !table_agrees(hash);
	return bad;
}

static size_t held; /* bytes of the caller's memory */

static void *resize(void *context, void *old, size_t old_size, size_t size)
{
	*(size_t *)context += size - old_size;
	if (!old)
		return malloc(size);
	free(old);
	return NULL;
}

static void table_memory(void)
{
	unsigned int bad = 0;
	size_t n = 0, step = 0;
	int ret;

	left = 0;
	is_int(table_add(&t, 1, &m[0]), -ENOMEM, "no memory for the first member: -ENOMEM");
	ok(reached() && !t.count && !table_next(&t, 1, &step), "... and the table is empty");
	memset(m, 0, sizeof(m));
	is_int(table_add(&t, 0, &m[0]), 0, "memory for some");
	m[0].in = true;
	for (n = 1; n < N; n++) {
		left = 0;
		ret = table_add(&t, n % 7, &m[n]);
		left = -1;
		if (ret)
			break;
		m[n].in = true;
		m[n].hash = n % 7;
	}
	ok(ret == -ENOMEM && n == t.nslots / 4 * 3,
	   "without more memory the table is filled as far as it may be");
	for (uint64_t hash = 0; hash < 8; hash++)
		bad += !table_agrees(hash);
	is_int(table_reserve(&t, N), 0, "room for all");
	left = 0;
	for (; n < N; n++) {
		table_put(&t, n, &m[n]);
		m[n].in = true;
		m[n].hash = n;
	}
	ok(!reached(), "... which allocates nothing later");
	for (uint64_t hash = 0; hash < N; hash++)
		bad += !table_agrees(hash);
	is_u64(bad, 0, "each member is found before and after the table has grown");
	is_int(table_reserve(&t, SIZE_MAX), -ENOMEM, "more members than memory can hold: -ENOMEM");
	table_free(&t);
	memset(m, 0, sizeof(m));
}

static void table_numbers(void)
{
	struct table few = { 0 };
	size_t step = 0;
	uint32_t n = 7;

	ok(!table_next_number(&few, 5, &step, &n) && n == 7, "numbers: none");
	is_int(table_add_number(&few, 5, 0) | table_add_number(&few, 5, UINT32_MAX - 1), 0,
	       "0 and the highest");
	step = 0;
	ok(table_next_number(&few, 5, &step, &n) && n == 0 && table_next_number(&few, 5, &step, &n) &&
		   n == UINT32_MAX - 1 && !table_next_number(&few, 5, &step, &n),
	   "... are found in their order");
	table_free(&few);
}

int main(void)
{
	srandom(7);
	table_memory();
	is_u64(table_randomised(), 0, "each hash finds all its members and no others");
	table_free(&t);
	table_free(&t);
	ok(!t.members && !t.nslots && !t.count, "freeing twice is harmless");
	memset(m, 0, sizeof(m));
	t.resize = resize;
	t.context = &held;
	is_u64(table_randomised(), 0, "the same with the caller's memory");
	is_u64(held, t.nslots * (sizeof(*t.members) + sizeof(*t.hashes)), "... which is that of the slots");
	table_free(&t);
	is_u64(held, 0, "... and is freed");
	table_numbers();
	return tap_done();
}
