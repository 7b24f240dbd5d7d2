/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "util/table.h"

enum { INITIAL = 16 };

/* The low bits of a product do not depend on the high bits of its factors. */
static uint32_t table_fold(uint64_t hash)
{
	return (uint32_t)(hash ^ hash >> 32);
}

/* The hashes follow the members in one allocation. */
static size_t table_bytes(size_t nslots)
{
	return nslots * (sizeof(void *) + sizeof(uint32_t));
}

static void **table_members_new(const struct table *t, size_t n)
{
	void **members;

	if (n > SIZE_MAX / table_bytes(1))
		return NULL;
	if (!t->resize)
		return calloc(n, table_bytes(1));
	members = t->resize(t->context, NULL, 0, table_bytes(n));
	if (members)
		memset(members, 0, table_bytes(n));
	return members;
}

static void table_members_free(const struct table *t)
{
	if (!t->resize)
		free(t->members);
	else if (t->members)
		t->resize(t->context, t->members, table_bytes(t->nslots), 0);
}

static void table_place(struct table *t, uint32_t hash, void *member)
{
	size_t at = hash & (t->nslots - 1);

	while (t->members[at])
		at = (at + 1) & (t->nslots - 1);
	t->members[at] = member;
	t->hashes[at] = hash;
}

int table_reserve(struct table *t, size_t n)
{
	struct table old = *t;
	size_t want = old.nslots ? old.nslots : INITIAL;

	/* at most three quarters full, so that each search soon finds a free slot */
	if (n <= old.nslots / 4 * 3)
		return 0;
	while (want / 4 * 3 < n && want <= SIZE_MAX / 2)
		want *= 2;
	t->members = table_members_new(t, want);
	if (!t->members) {
		t->members = old.members;
		return -ENOMEM;
	}
	t->hashes = (uint32_t *)(void *)(t->members + want);
	t->nslots = want;
	for (size_t i = 0; i < old.nslots; i++)
		if (old.members[i])
			table_place(t, old.hashes[i], old.members[i]);
	table_members_free(&old);
	return 0;
}

void table_put(struct table *t, uint64_t hash, void *member)
{
	table_place(t, table_fold(hash), member);
	t->count++;
}

void table_del(struct table *t, uint64_t hash, const void *member)
{
	size_t mask = t->nslots - 1, at = table_fold(hash) & mask, next;

	while (t->members[at] != member)
		at = (at + 1) & mask;
	/* later members move up, but not above the slot of their hash */
	for (next = (at + 1) & mask; t->members[next]; next = (next + 1) & mask) {
		if (((next - t->hashes[next]) & mask) < ((next - at) & mask))
			continue;
		t->members[at] = t->members[next];
		t->hashes[at] = t->hashes[next];
		at = next;
	}
	t->members[at] = NULL;
	t->count--;
}

void *table_next(const struct table *t, uint64_t hash, size_t *step)
{
	size_t at = table_fold(hash) + *step, mask = t->nslots - 1;
	uint32_t fold = table_fold(hash);

	if (!t->nslots)
		return NULL;
	while (t->members[at & mask] && t->hashes[at & mask] != fold)
		at++;
	*step = at + 1 - fold;
	return t->members[at & mask];
}

void table_free(struct table *t)
{
	table_members_free(t);
	t->members = NULL;
	t->nslots = t->count = 0;
}
