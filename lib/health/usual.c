/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <stdlib.h>
#include "health/usual.h"
#include "util/array.h"

/* Returns a number for the type of a device. */
static uint64_t usual_type(const struct madkit_sweep_node *n)
{
	return (uint64_t)n->vendor << 24 | (uint64_t)n->device << 8 | n->type;
}

static void usual_types(const struct madkit_health *h, const struct health_link *link, uint64_t types[2])
{
	const uint64_t a = usual_type(health_node(h, link->a.node)),
		       b = usual_type(health_node(h, link->b.node));

	types[0] = a < b ? a : b;
	types[1] = a < b ? b : a;
}

static struct usual_value *usual_find(const struct usual *u, const uint64_t types[2], uint64_t value)
{
	const uint64_t hash = table_mix(table_mix(types[0], types[1]), value);
	size_t step = 0;
	uint32_t i;

	while (table_next_number(&u->table, hash, &step, &i))
		if (u->values[i].types[0] == types[0] && u->values[i].types[1] == types[1] &&
		    u->values[i].value == value)
			return &u->values[i];
	return NULL;
}

int usual_count(struct usual *u, const struct madkit_health *h, const struct health_link *link,
		uint64_t value)
{
	struct usual_value *v, new = { .value = value };
	int ret;

	usual_types(h, link, new.types);
	v = usual_find(u, new.types, value);
	if (v) {
		v->links++;
		return 0;
	}
	ret = array_room(&u->values, &u->cap, u->n, 1, sizeof(*u->values));
	if (!ret)
		ret = table_add_number(&u->table, table_mix(table_mix(new.types[0], new.types[1]), value),
				       u->n);
	if (ret)
		return ret;
	new.links = 1;
	u->values[u->n++] = new;
	return 0;
}

/* Each pair of types has few values: their number does not depend on the number of links. */
void usual_end(struct usual *u)
{
	for (uint32_t i = 0; i < u->n; i++)
		for (uint32_t j = 0; j < u->n; j++)
			if (u->values[i].types[0] == u->values[j].types[0] &&
			    u->values[i].types[1] == u->values[j].types[1])
				u->values[i].all += u->values[j].links;
}

static bool usual_holds(const struct usual_value *v, const struct madkit_health *h, enum rule_number rule)
{
	const uint64_t *limits = h->settings.limits[rule];

	return v->links * UINT64_C(100) > v->all * limits[RULE_USUAL_SHARE] &&
	       v->links >= limits[RULE_USUAL_LINKS];
}

bool usual_is(const struct usual *u, const struct madkit_health *h, enum rule_number rule,
	      const struct health_link *link, uint64_t value)
{
	const struct usual_value *v;
	uint64_t types[2];

	usual_types(h, link, types);
	v = usual_find(u, types, value);
	return v && usual_holds(v, h, rule);
}

uint64_t usual_most(const struct usual *u, const struct madkit_health *h, enum rule_number rule,
		    const struct health_link *link)
{
	const struct usual_value *most = NULL;
	uint64_t types[2];

	usual_types(h, link, types);
	for (uint32_t i = 0; i < u->n; i++) {
		const struct usual_value *v = &u->values[i];

		if (v->types[0] == types[0] && v->types[1] == types[1] && usual_holds(v, h, rule) &&
		    (!most || v->links > most->links))
			most = v;
	}
	return most ? most->value : 0;
}

void usual_free(struct usual *u)
{
	free(u->values);
	table_free(&u->table);
}
