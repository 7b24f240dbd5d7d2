/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The state of a comparison. In this order: match.c, by match_names.c, finds out which nodes are the same, relink.c which links, trunk.c
 * counts links whose ports are not given; each passes its differences to comparison.c.
 */
#ifndef TOPOLOGY_COMPARE_H
#define TOPOLOGY_COMPARE_H

#include "topology/cabling.h"

/* The two cablings. */
enum { BEFORE, AFTER };

/* Properties of a node. */
enum {
	COMPARE_HIDDEN = 1 << 0,   /* not in the other cabling, perhaps because a node does not respond */
	COMPARE_REPLACED = 1 << 1, /* the node of the other cabling is another device */
	COMPARE_SPLIT = 1 << 2,    /* it has another number of ports: their numbers are not the same */
	COMPARE_STRANGE =
		1 << 3, /* of the first cabling: neither its GUID nor its name is in the other one */
};

/* Properties of a port. */
enum {
	COMPARE_USED = 1 << 0,    /* its link is the same, is in a difference, or is not compared */
	COMPARE_SAME = 1 << 1,    /* its link is the same */
	COMPARE_LEFT = 1 << 2,    /* its link is not compared */
	COMPARE_UNKNOWN = 1 << 3, /* its link may be behind a node without a response */
};

struct comparison_entry;

struct madkit_comparison {
	struct comparison_entry **entries; /* the differences */
	uint32_t n, cap;
	struct madkit_comparison_counts counts;
};

struct compare {
	struct madkit_cabling *c[2];
	const struct madkit_compare_options *options;
	uint32_t *other[2]; /* of each node: the same node in the other cabling, or MADKIT_CABLING_NONE */
	uint8_t *nodes[2], *ports[2]; /* their properties */
	struct madkit_comparison *list;
	struct madkit_buf before, after, text, place, key; /* of the next difference */
	struct madkit_error *error;
};

/* A node or port of one of the cablings. */
struct compare_place {
	int side;
	struct madkit_cabling_end at; /* node MADKIT_CABLING_NONE: none */
};

/* A difference. Its other texts are in struct compare. */
struct compare_draft {
	uint8_t kind, severity;
	struct compare_place place[2], key[2];
};

static inline const struct cabling_port *compare_at(const struct compare *s, int side, uint32_t port)
{
	return &s->c[side]->ports[port];
}

static inline bool compare_is_used(const struct compare *s, int side, uint32_t port)
{
	return s->ports[side][port] & COMPARE_USED;
}

/* Marks both ends of the link of a port. */
static inline void compare_use(struct compare *s, int side, uint32_t port, uint8_t flags)
{
	const uint32_t peer = compare_at(s, side, port)->peer;

	s->ports[side][port] |= flags;
	if (peer != MADKIT_CABLING_NONE)
		s->ports[side][peer] |= flags;
}

/* Checks if a port has a link that is not used yet. */
static inline bool compare_is_open(const struct compare *s, int side, uint32_t port)
{
	return compare_at(s, side, port)->peer != MADKIT_CABLING_NONE && !compare_is_used(s, side, port);
}

static inline struct compare_place compare_place(const struct compare *s, int side, uint32_t port)
{
	return (struct compare_place){
		side, { compare_at(s, side, port)->node, (int)cabling_number(s->c[side], port) }
	};
}

static inline struct compare_place compare_node(int side, uint32_t node)
{
	return (struct compare_place){ side, { node, -1 } };
}

/* ---- comparison.c -------------------------------------------------------------------------- */

/* Begins a difference about a node or port. The caller appends to before, after and text. */
struct compare_draft compare_draft(struct compare *s, uint8_t kind, struct compare_place place);
/* Begins a difference about the link of a port, with a switch as its first end. */
struct compare_draft compare_draft_link(struct compare *s, uint8_t kind, int side, uint32_t port);
/* Checks if differences of a place are listed. */
bool compare_in_scope(const struct compare *s, struct compare_place place);
/* Adds it to the list, unless it is out of scope. Returns 0 or -ENOMEM. */
int compare_add(struct compare *s, const struct compare_draft *d);

/* Appends a place by the name that the node has now. */
void compare_put(struct compare *s, struct madkit_buf *buf, struct compare_place place);
/* Appends the other end of the link of a port. */
void compare_put_peer(struct compare *s, struct madkit_buf *buf, int side, uint32_t port);
/* Appends where a node is: "leaf2/7", or "leaf2/7 and 3 others". */
void compare_put_position(struct compare *s, struct madkit_buf *buf, int side, uint32_t node);

/* Sorts the list. */
void comparison_sort(struct madkit_comparison *list);

/* ---- match_names.c ------------------------------------------------------------------------- */

/* Notes that two nodes are the same. */
void match_set(struct compare *s, uint32_t before, uint32_t after);

/* Matches the nodes of a cabling that have only names. Returns 0, -EEXIST or -ENOMEM. */
int match_by_name(struct compare *s, int side);

/* Checks if the first words of two names are the same, such as those of devices of one host. */
bool match_same_first_word(const struct madkit_cabling_node *a, const struct madkit_cabling_node *b);

/* Matches nodes of the first cabling by the first words of names, if these are unique; marks those that are strange. Returns
 * 0 or -ENOMEM. */
int match_first_words(struct compare *s);

/* ---- match.c ------------------------------------------------------------------------------- */

/* Finds the nodes that are the same, those that replace others, and those that are hidden. Returns 0, -EEXIST, -ENOENT
 * or -ENOMEM. */
int match_nodes(struct compare *s);

/* Returns the same port in the other cabling, or MADKIT_CABLING_NONE. */
uint32_t match_port(const struct compare *s, int side, uint32_t port);

/* Returns the state that a port has in the other cabling: enum madkit_cabling_state. */
uint8_t match_state(const struct compare *s, int side, uint32_t port);

/* ---- trunk.c ------------------------------------------------------------------------------- */

/* Compares trunks, and the links of switches that were split. Returns 0 or -ENOMEM. */
int trunk_compare(struct compare *s);

/* ---- relink.c ------------------------------------------------------------------------------ */

/* Marks the links that are the same. */
void relink_mark_same(struct compare *s);

/* Find the links and nodes that are elsewhere, gone or new. Return 0 or -ENOMEM. */
int relink_moved(struct compare *s);
int relink_swapped(struct compare *s);
int relink_recabled(struct compare *s);
int relink_nodes(struct compare *s, int side);
int relink_links(struct compare *s, int side);

#endif
