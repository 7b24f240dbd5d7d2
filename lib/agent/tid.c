/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <stdlib.h>
#include "agent/tid.h"

/* TIDs of earlier tries that a response may still have */
enum { OLDER_MAX = 16 };

int tid_reserve(struct tids *tids)
{
	return table_reserve(&tids->table, tids->sends + tids->older + 1);
}

void tid_add(struct tids *tids, struct tid *t, struct send *s, uint32_t low)
{
	t->send = s;
	t->low = low;
	t->hashed = true;
	table_put(&tids->table, table_mix(0, low), t);
}

static void tid_remove(struct tids *tids, struct tid *t)
{
	if (t->hashed)
		table_del(&tids->table, table_mix(0, t->low), t);
	t->hashed = false;
}

struct tid *tid_next(const struct tids *tids, uint64_t tid, size_t *step)
{
	uint32_t low = (uint32_t)tid;
	struct tid *t;

	do
		t = table_next(&tids->table, table_mix(0, low), step);
	while (t && t->low != low);
	return t;
}

uint32_t tid_new(struct tids *tids)
{
	uint32_t low;
	size_t step;

	do {
		low = tids->next++;
		step = 0;
	} while (!low || tid_next(tids, low, &step));
	return low;
}

/* Forgets the older TIDs, except for the latest ones of them. */
static void tid_forget_older(struct tids *tids, struct tid *latest, unsigned int keep)
{
	struct tid **last = &latest->next;

	while (*last && keep--)
		last = &(*last)->next;
	while (*last) {
		struct tid *t = *last;

		*last = t->next;
		tid_remove(tids, t);
		tids->older--;
		free(t);
	}
}

void tid_retire(struct tids *tids, struct tid *latest)
{
	struct tid *t;

	if (!latest->hashed)
		return;
	tid_remove(tids, latest);
	/* the latest TID of each send has its room */
	t = tid_reserve(tids) ? NULL : malloc(sizeof(*t));
	if (!t)
		return;
	tids->older++;
	*t = *latest;
	latest->next = t;
	tid_add(tids, t, t->send, t->low);
	tid_forget_older(tids, latest, OLDER_MAX);
}

void tid_forget(struct tids *tids, struct tid *latest)
{
	tid_remove(tids, latest);
	tid_forget_older(tids, latest, 0);
}
