/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Growing arrays, each member against the number that it was given. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "util/array.h"
#include "tests/tap.h"
#include "tests/unit/fail_alloc.h"

enum { STEPS = 300 };

static bool counts(const uint64_t *members, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		if (members[i] != i)
			return false;
	return true;
}

static void room(void)
{
	unsigned int bad = 0, moved = 0;
	uint64_t *members = NULL;
	uint32_t cap = 0, n = 0;

	for (unsigned int step = 0; step < STEPS; step++) {
		uint32_t more = (uint32_t)random() % 40, was = cap;

		bad += array_room(&members, &cap, n, more, sizeof(*members)) != 0 || cap - n < more;
		moved += cap != was;
		for (uint32_t i = 0; i < more; i++, n++)
			members[n] = n;
		bad += !counts(members, n);
	}
	is_u64(bad, 0, "room: every member is kept");
	ok(moved < 12, "... and %u members took %u allocations", n, moved);
	left = 0;
	is_int(array_room(&members, &cap, n, cap, sizeof(*members)), -ENOMEM, "no memory: -ENOMEM");
	ok(reached() && cap >= n && counts(members, n), "... with everything as it was");
	is_int(array_room(&members, &cap, n, UINT32_MAX, sizeof(*members)), -ENOMEM,
	       "more than 32 bits count: -ENOMEM");
	is_int(array_room(&members, &cap, n, SIZE_MAX, sizeof(*members)), -ENOMEM,
	       "... than a size holds, too");
	is_int(array_room(&members, &cap, n, 1u << 30, SIZE_MAX / 4), -ENOMEM, "... in bytes, too");
	free(members);
}

static void extend(void)
{
	unsigned int bad = 0;
	uint16_t *members = NULL;
	uint32_t cap = 0;

	for (unsigned int step = 0; step < STEPS; step++) {
		uint32_t want = (uint32_t)random() % (2 * step + 1), had = cap;

		bad += array_extend(&members, &cap, want, sizeof(*members), 0xab) != 0 ||
		       cap != (want > had ? want : had);
		for (uint32_t i = 0; i < cap; i++) {
			bad += members[i] != (i < had ? i : 0xabab);
			members[i] = (uint16_t)i;
		}
	}
	is_u64(bad, 0, "extend: as many as wanted, and only new members are filled");
	left = 0;
	is_int(array_extend(&members, &cap, cap + 1, sizeof(*members), 0), -ENOMEM, "no memory: -ENOMEM");
	ok(reached() && cap && members[cap - 1] == cap - 1, "... with everything as it was");
	free(members);
}

int main(void)
{
	srandom(7);
	room();
	extend();
	return tap_done();
}
