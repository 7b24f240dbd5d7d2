/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Finds the node that a word means, among the nodes that a program enumerates. */
#include <errno.h>
#include <string.h>
#include <strings.h>
#include <madkit/num.h>
#include <madkit/names.h>
#include "util/bits.h"
#include "util/word.h"

/* Text that may have no NUL at its end. */
struct search_text {
	const char *text;
	size_t len;
};

/* The nodes that a word means in one way. */
struct search_tally {
	uint32_t count;
	struct madkit_node nodes[MADKIT_NODE_LISTED_MAX];
	uint64_t last; /* id of the last one */
};

struct search {
	const char *word;
	size_t len;
	bool is_number, is_guid, is_gid;
	uint64_t number; /* LID or GUID; of a GID, the port GUID */
	struct search_tally ways[MADKIT_NODE_WAYS];
	struct madkit_node_match *match;
};

static struct search_text search_description(const struct madkit_node_port *p)
{
	return (struct search_text){ p->description,
				     p->description ? strnlen(p->description, MADKIT_NODE_NAME_MAX) : 0 };
}

/* Returns the name that is shown for a node. */
static struct search_text search_name(const struct madkit_node_port *p)
{
	return p->name ? (struct search_text){ p->name, strlen(p->name) } : search_description(p);
}

static void search_describe(const struct madkit_node_port *p, struct madkit_node *node)
{
	struct search_text name = search_name(p);

	*node = (struct madkit_node){
		.id = p->id, .guid = p->guid, .port_guid = p->port_guid, .lid = p->lid
	};
	if (name.len)
		memcpy(node->name, name.text,
		       name.len < MADKIT_NODE_NAME_MAX ? name.len : MADKIT_NODE_NAME_MAX);
}

/* ---- the ways ------------------------------------------------------------------------ */

/* Reads the word as a number or a GID. */
static void search_read(struct search *s, const char *word)
{
	uint8_t gid[16];

	*s = (struct search){ .word = word, .len = strlen(word) };
	s->is_number = !madkit_parse_number(word, s->len, UINT64_MAX, "node", &s->number, NULL);
	/* GUIDs are printed with all their digits, and may be small numbers in a simulated subnet */
	s->is_guid = s->is_number && s->len == strlen("0x") + 16 && !strncasecmp(word, "0x", 2);
	s->is_gid = !s->is_number && strchr(word, ':') && !madkit_parse_gid(word, gid, NULL);
	if (s->is_gid)
		s->number = get_be64(gid + 8);
}

/* Descriptions are case-sensitive, as in the subnet administrator; names of a map (mapped) are not. */
static bool search_is_text(const struct search *s, struct search_text text, bool mapped)
{
	return text.len && text.len == s->len && word_begins(text.text, text.len, s->word, s->len, mapped);
}

static bool search_is_first_word(const struct search *s, struct search_text text, bool mapped)
{
	size_t n;
	const char *word = text.len ? word_of_name(text.text, text.len, &n) : NULL;

	return word_is_first(text.text, text.len, s->word, s->len, mapped) ||
	       (word && word != text.text && n == s->len && word_begins(word, n, s->word, s->len, mapped));
}

static bool search_is_meant(const struct search *s, enum madkit_node_way way,
			    const struct madkit_node_port *p)
{
	const bool mapped = p->name;

	switch (way) {
	case MADKIT_NODE_BY_LID:
		return s->is_number && !s->is_guid && p->lid_first && s->number >= p->lid_first &&
		       s->number <= p->lid_last;
	case MADKIT_NODE_BY_GUID:
		return (s->is_gid || (s->is_number && s->number)) &&
		       (s->number == p->port_guid || (s->is_number && s->number == p->guid));
	case MADKIT_NODE_BY_NAME:
		return search_is_text(s, search_name(p), mapped);
	case MADKIT_NODE_BY_DESCRIPTION:
		return search_is_text(s, search_description(p), false);
	default:
		return search_is_first_word(s, search_name(p), mapped) ||
		       search_is_first_word(s, search_description(p), false);
	}
}

/* ---- the results --------------------------------------------------------------------- */

/* Counts a node, once for all its ports. */
static void search_count(struct search_tally *t, const struct madkit_node_port *p)
{
	if (t->count && t->last == p->id)
		return;
	for (uint32_t i = 0; i < t->count && i < MADKIT_NODE_LISTED_MAX; i++)
		if (t->nodes[i].id == p->id)
			return;
	if (t->count < MADKIT_NODE_LISTED_MAX)
		search_describe(p, &t->nodes[t->count]);
	t->last = p->id;
	t->count++;
}

/* Lists a node with a name or description that begins with the word, each name once. */
static void search_note_similar(struct search *s, const struct madkit_node_port *p)
{
	struct madkit_node_match *m = s->match;
	const struct search_text name = search_name(p), description = search_description(p);
	struct madkit_node *node = &m->similar[m->nsimilar];

	if (m->nsimilar == MADKIT_NODE_SIMILAR_MAX ||
	    (!word_begins(name.text, name.len, s->word, s->len, true) &&
	     !word_begins(description.text, description.len, s->word, s->len, true)))
		return;
	search_describe(p, node);
	for (uint32_t i = 0; i < m->nsimilar; i++)
		if (m->similar[i].id == node->id || !strcmp(m->similar[i].name, node->name))
			return;
	m->nsimilar++;
}

bool madkit_name_is_default(const char *text, size_t len)
{
	static const char vendor[] = "Mellanox Technologies";
	size_t digits = 0;

	while (len > 2 + digits && !memcmp(text, "MT", 2) && text[2 + digits] >= '0' &&
	       text[2 + digits] <= '9')
		digits++;
	if (digits && (len == 2 + digits || text[2 + digits] == ' '))
		return true;
	for (size_t i = 0; i + sizeof(vendor) - 1 <= len; i++)
		if (!memcmp(text + i, vendor, sizeof(vendor) - 1))
			return true;
	return false;
}

int madkit_name_compare(const char *a, size_t a_len, const char *b, size_t b_len)
{
	return word_compare(a, a_len, b, b_len);
}

int madkit_node_find(const char *word, madkit_node_next next, void *context, struct madkit_node_match *match)
{
	struct madkit_node_port port = { .id = 0 };
	enum madkit_node_way way = 0;
	struct search s;

	if (!word || !next || !match)
		return -EINVAL;
	*match = (struct madkit_node_match){ .count = 0 };
	search_read(&s, word);
	s.match = match;
	while (next(context, &port)) {
		for (way = 0; way < MADKIT_NODE_WAYS; way++)
			if (search_is_meant(&s, way, &port))
				search_count(&s.ways[way], &port);
		search_note_similar(&s, &port);
		port = (struct madkit_node_port){ .id = 0 };
	}
	for (way = 0; way < MADKIT_NODE_BY_WORD && !s.ways[way].count; way++)
		;
	match->way = way;
	match->count = s.ways[way].count;
	memcpy(match->nodes, s.ways[way].nodes, sizeof(match->nodes));
	return !match->count ? -ENOENT : match->count > 1 ? -EEXIST : 0;
}
