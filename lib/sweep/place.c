/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Names of nodes and ports as short as they are unique: "leaf2/7". */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <madkit/escape.h>
#include <madkit/names.h>
#include <madkit/num.h>
#include "sweep/state.h"
#include "util/word.h"

/* Text that may have no NUL at its end; len 0: there is none. */
struct place_text {
	const char *text;
	size_t len;
};

/* Returns the name that is shown for a node: from attr.name, or the description. */
static struct place_text place_name(const struct madkit_sweep *s, uint32_t node)
{
	const struct madkit_sweep_node *n = &s->nodes[node]->node;
	const char *name = madkit_sweep_name(s, n);

	if (name)
		return (struct place_text){ name, strlen(name) };
	return (struct place_text){
		.text = (const char *)n->description,
		.len = n->described == MADKIT_SWEEP_ANSWERED ?
			       strnlen((const char *)n->description, sizeof(n->description)) :
			       0,
	};
}

/* Returns the short form of the name. */
static struct place_text place_word(const struct madkit_sweep *s, uint32_t node)
{
	const struct place_text name = place_name(s, node);
	struct place_text word = { .len = 0 };

	if (name.len)
		word.text = word_of_name(name.text, name.len, &word.len);
	return word;
}

static uint64_t place_hash(struct place_text text)
{
	uint64_t hash = text.len;

	for (size_t i = 0; i < text.len; i++)
		hash = table_mix(hash, (unsigned char)text.text[i]);
	return hash;
}

/* Checks if madkit_node_find() could read a name as a LID, GUID or GID of another node. */
static bool place_is_number(struct place_text name)
{
	char text[MADKIT_NODE_NAME_MAX + 1];
	uint64_t number;
	uint8_t gid[16];

	if (name.len >= sizeof(text))
		return false;
	memcpy(text, name.text, name.len);
	text[name.len] = 0;
	return !madkit_parse_number(text, name.len, UINT64_MAX, "node", &number, NULL) ||
	       !madkit_parse_gid(text, gid, NULL);
}

/* Checks if get() returns this text for another node. */
static bool place_is_taken(const struct madkit_sweep *s, const struct table *table, struct place_text text,
			   uint32_t node,
			   struct place_text (*get)(const struct madkit_sweep *s, uint32_t node))
{
	size_t step = 0;
	uint32_t other;

	while (table_next_number(table, place_hash(text), &step, &other)) {
		const struct place_text found = get(s, other);

		if (other != node && found.len == text.len && !memcmp(found.text, text.text, text.len))
			return true;
	}
	return false;
}

/* Chooses the name of a node: the short form if no other node has it in any form, else the whole name, else the
 * GUID. A name that is a number is a LID to who reads it. */
static enum sweep_label place_choose(const struct madkit_sweep *s, const struct table *names,
				     const struct table *words, uint32_t node)
{
	const struct place_text name = place_name(s, node), word = place_word(s, node);

	if (!name.len || place_is_number(name) || place_is_taken(s, names, name, node, place_name))
		return SWEEP_LABEL_GUID;
	/* other nodes of the subnet may have the first word, too, but not what "MF0;NAME:MODEL/U1" contains */
	if (s->attr.link && word.text == name.text)
		return SWEEP_LABEL_NAME;
	if (place_is_number(word) || place_is_taken(s, words, word, node, place_word) ||
	    place_is_taken(s, names, word, node, place_name))
		return SWEEP_LABEL_NAME;
	return SWEEP_LABEL_WORD;
}

/* Takes the names that another sweep has chosen for the same nodes. */
static void place_copy(struct madkit_sweep *s, const struct madkit_sweep *whole)
{
	for (uint32_t i = 0; i < s->nnodes; i++)
		for (uint32_t j = 0; j < whole->nnodes; j++)
			if (whole->nodes[j]->node.guid == s->nodes[i]->node.guid)
				s->nodes[i]->label = whole->nodes[j]->label;
}

int madkit_sweep_label(struct madkit_sweep *s, const struct madkit_sweep *whole)
{
	struct table names = { .count = 0 }, words = { .count = 0 };
	int ret = table_reserve(&names, s->nnodes);

	if (!ret)
		ret = table_reserve(&words, s->nnodes);
	for (uint32_t i = 0; i < s->nnodes && !ret; i++) {
		ret = table_add_number(&names, place_hash(place_name(s, i)), i);
		if (!ret)
			ret = table_add_number(&words, place_hash(place_word(s, i)), i);
	}
	for (uint32_t i = 0; i < s->nnodes && !ret; i++)
		s->nodes[i]->label = (uint8_t)place_choose(s, &names, &words, i);
	table_free(&names);
	table_free(&words);
	if (whole && !ret)
		place_copy(s, whole);
	return ret;
}

void madkit_sweep_put_place(const struct madkit_sweep *s, struct madkit_buf *buf, uint32_t node, int port)
{
	const enum sweep_label label = (enum sweep_label)s->nodes[node]->label;
	const struct place_text text = label == SWEEP_LABEL_WORD ? place_word(s, node) : place_name(s, node);

	if (label == SWEEP_LABEL_GUID || !text.len)
		madkit_buf_printf(buf, "0x%016" PRIx64, s->nodes[node]->node.guid);
	else
		madkit_text_escape(buf, text.text, text.len);
	if (port >= 0)
		madkit_buf_printf(buf, "/%d", port);
}
