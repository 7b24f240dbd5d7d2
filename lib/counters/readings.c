/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Readings of many ports, found by the node, the port and the attribute. */
#include <errno.h>
#include <stdlib.h>
#include <madkit/counters.h>
#include "util/array.h"
#include "util/table.h"

struct readings_entry {
	struct madkit_reading_key key;
	struct madkit_reading reading;
};

struct madkit_readings {
	struct readings_entry *entries;
	uint32_t n, cap;
	struct table numbers; /* of entries */
};

struct madkit_readings *madkit_readings_new(void)
{
	return calloc(1, sizeof(struct madkit_readings));
}

void madkit_readings_free(struct madkit_readings *r)
{
	if (!r)
		return;
	table_free(&r->numbers);
	free(r->entries);
	free(r);
}

static uint64_t readings_hash(const struct madkit_reading_key *key)
{
	return table_mix(table_mix(0, key->node_guid), (uint64_t)key->attribute << 8 | key->port);
}

static struct readings_entry *readings_find(const struct madkit_readings *r,
					    const struct madkit_reading_key *key)
{
	const uint64_t hash = readings_hash(key);
	uint32_t number;

	for (size_t step = 0; table_next_number(&r->numbers, hash, &step, &number);) {
		struct readings_entry *e = &r->entries[number];

		if (e->key.node_guid == key->node_guid && e->key.port == key->port &&
		    e->key.attribute == key->attribute)
			return e;
	}
	return NULL;
}

int madkit_readings_put(struct madkit_readings *r, const struct madkit_reading_key *key,
			const struct madkit_reading *reading)
{
	struct readings_entry *e = readings_find(r, key);

	if (!e) {
		if (r->n == UINT32_MAX - 1 || array_room(&r->entries, &r->cap, r->n, 1, sizeof(*e)) ||
		    table_add_number(&r->numbers, readings_hash(key), r->n))
			return -ENOMEM;
		e = &r->entries[r->n++];
		e->key = *key;
	}
	e->reading = *reading;
	return 0;
}

const struct madkit_reading *madkit_readings_get(const struct madkit_readings *r,
						 const struct madkit_reading_key *key)
{
	const struct readings_entry *e = readings_find(r, key);

	return e ? &e->reading : NULL;
}

size_t madkit_readings_count(const struct madkit_readings *r)
{
	return r->n;
}

const struct madkit_reading_key *madkit_readings_key(const struct madkit_readings *r, size_t i)
{
	return i < r->n ? &r->entries[i].key : NULL;
}
