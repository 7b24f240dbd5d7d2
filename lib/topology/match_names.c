/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Finds the nodes of two cablings that have the same name. */
#include <string.h>
#include <errno.h>
#include <strings.h>
#include "topology/compare.h"
#include "topology/find.h"
#include "util/word.h"

void match_set(struct compare *s, uint32_t before, uint32_t after)
{
	s->other[BEFORE][before] = after;
	s->other[AFTER][after] = before;
}

/* The forms of the names of the nodes of a cabling. */
struct match_names {
	const struct madkit_cabling *c;
	struct table table;
};

/* Returns form i of the name of a node: the whole name, the short one, the first word, the label; NULL: there are no
 * more. */
static const char *match_form(const struct madkit_cabling_node *n, unsigned int i, size_t *len)
{
	*len = strlen(n->name);
	switch (i) {
	case 0:
		return n->name;
	case 1:
		return *len ? word_of_name(n->name, *len, len) : n->name;
	case 2:
		*len = strcspn(n->name, " ");
		return n->name;
	case 3:
		*len = strlen(n->label);
		return n->label;
	default:
		return NULL;
	}
}

/* Upper and lower case are the same. */
static uint64_t match_hash(const char *text, size_t len)
{
	uint64_t hash = len;

	for (size_t i = 0; i < len; i++)
		hash = table_mix(hash, (unsigned char)(text[i] >= 'A' && text[i] <= 'Z' ? text[i] | 0x20 :
											  text[i]));
	return hash;
}

/* Finds the nodes with a name in any form. Returns their number: 2 means several. */
static unsigned int match_find(const struct match_names *names, const char *text, size_t len, uint32_t *node)
{
	const uint64_t hash = match_hash(text, len);
	unsigned int found = 0;
	size_t step = 0;
	uint32_t i;

	while (found < 2 && table_next_number(&names->table, hash, &step, &i)) {
		const char *form;
		size_t form_len;
		bool fits = false;

		for (unsigned int k = 0; (form = match_form(cabling_node(names->c, i), k, &form_len)); k++)
			fits |= form_len == len && !strncasecmp(form, text, len);
		if (!fits || (found && i == *node))
			continue;
		*node = i;
		found++;
	}
	return found;
}

/* Adds each form of the names, of those that several nodes have two. */
static int match_add_names(struct match_names *names)
{
	int ret = 0;

	for (uint32_t i = 0; i < names->c->nnodes && !ret; i++) {
		const struct madkit_cabling_node *n = cabling_node(names->c, i);
		const char *form;
		size_t len;
		uint32_t node = i;

		for (unsigned int k = 0; !ret && (form = match_form(n, k, &len)); k++) {
			const unsigned int found = len ? match_find(names, form, len, &node) : 2;

			if (found < 2 && (!found || node != i))
				ret = table_add_number(&names->table, match_hash(form, len), i);
		}
	}
	return ret;
}

/* Finds the node that a node is known by: the whole name is better than a part. */
static int match_name(struct compare *s, const struct match_names *names, int side, uint32_t node)
{
	const char *name = cabling_node(s->c[side], node)->name;
	const size_t len = strlen(name);
	uint32_t found = MADKIT_CABLING_NONE, i;
	unsigned int n = len ? match_find(names, name, len, &found) : 0, whole = 0;
	size_t step = 0;

	if (n > 1) {
		const uint64_t hash = match_hash(name, len);

		while (whole < 2 && table_next_number(&names->table, hash, &step, &i))
			if (!strcasecmp(cabling_node(names->c, i)->name, name)) {
				whole++;
				found = i;
			}
		if (whole != 1)
			return madkit_error_set(
				s->error, -EEXIST, -1,
				"several nodes have the name '%.*s': use the whole name or the GUID",
				clip(len), name);
	}
	if (n && s->other[!side][found] == MADKIT_CABLING_NONE)
		match_set(s, side == BEFORE ? node : found, side == BEFORE ? found : node);
	else if (n)
		return madkit_error_set(s->error, -EEXIST, -1, "'%.*s' and another name are the same node",
					clip(len), name);
	return 0;
}

int match_by_name(struct compare *s, int side)
{
	const struct madkit_cabling *c = s->c[side];
	struct match_names names = { .c = s->c[!side] };
	bool any = false;
	int ret = 0;

	for (uint32_t i = 0; i < c->nnodes; i++)
		any |= !c->nodes[i].pub.guid;
	if (any)
		ret = match_add_names(&names);
	for (uint32_t i = 0; i < c->nnodes && any && !ret; i++)
		if (!c->nodes[i].pub.guid && !c->nodes[i].ignored && s->other[side][i] == MADKIT_CABLING_NONE)
			ret = match_name(s, &names, side, i);
	table_free(&names.table);
	return ret;
}

/* ---- first words --------------------------------------------------------------------------- */

static size_t match_first_word(const struct madkit_cabling_node *n)
{
	return strcspn(n->name, " ");
}

bool match_same_first_word(const struct madkit_cabling_node *a, const struct madkit_cabling_node *b)
{
	const size_t len = match_first_word(a);

	return match_first_word(b) == len && !strncasecmp(a->name, b->name, len);
}

/* Checks if both names go on with a device: then they are two devices of one host. */
static bool match_are_devices(const struct madkit_cabling_node *a, const struct madkit_cabling_node *b)
{
	const size_t len = match_first_word(a);

	return a->name[len] && b->name[len] && find_is_device(a->name + len + 1) &&
	       find_is_device(b->name + len + 1);
}

/* Finds the only node with the first word of a name of the plan, of which that is the only one with this word. */
static void match_first(struct compare *s, const struct match_names names[2], uint32_t node)
{
	const struct madkit_cabling_node *n = cabling_node(s->c[BEFORE], node), *found;
	const size_t len = match_first_word(n);
	uint32_t own, after;

	if (!len || match_find(&names[BEFORE], n->name, len, &own) != 1 ||
	    match_find(&names[AFTER], n->name, len, &after) != 1 ||
	    s->other[AFTER][after] != MADKIT_CABLING_NONE || s->c[AFTER]->nodes[after].ignored)
		return;
	found = cabling_node(s->c[AFTER], after);
	if (match_same_first_word(n, found) && !match_are_devices(n, found))
		match_set(s, node, after);
}

/* Checks if a node of the plan has no node, and no name of one. */
static bool match_is_strange(const struct compare *s, const struct match_names *after, uint32_t node)
{
	const struct madkit_cabling_node *n = cabling_node(s->c[BEFORE], node);
	uint32_t found;

	return s->other[BEFORE][node] == MADKIT_CABLING_NONE && !s->c[BEFORE]->nodes[node].ignored &&
	       !(n->guid && *n->name && match_find(after, n->name, strlen(n->name), &found));
}

int match_first_words(struct compare *s)
{
	struct match_names names[2] = { { .c = s->c[BEFORE] }, { .c = s->c[AFTER] } };
	const struct madkit_cabling *b = s->c[BEFORE];
	bool any = false;
	int ret = 0;

	for (uint32_t i = 0; i < b->nnodes; i++)
		any |= s->other[BEFORE][i] == MADKIT_CABLING_NONE;
	for (int side = 0; side < 2 && any && !ret; side++)
		ret = match_add_names(&names[side]);
	for (uint32_t i = 0; i < b->nnodes && any && !ret; i++) {
		if (!b->nodes[i].pub.guid && !b->nodes[i].ignored &&
		    s->other[BEFORE][i] == MADKIT_CABLING_NONE)
			match_first(s, names, i);
		if (match_is_strange(s, &names[AFTER], i))
			s->nodes[BEFORE][i] |= COMPARE_STRANGE;
	}
	table_free(&names[BEFORE].table);
	table_free(&names[AFTER].table);
	return ret;
}
