/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The list of the differences, and their texts. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "topology/compare.h"
#include "util/array.h"
#include "util/word.h"

/* A difference and its texts, in one allocation. */
struct comparison_entry {
	struct madkit_difference pub;
	char texts[]; /* key, place, before, after, text: each ends with NUL */
};

/* ---- texts --------------------------------------------------------------------------------- */

/* Returns a place as the later cabling has it, if the node is the same device. */
static struct compare_place comparison_later(const struct compare *s, struct compare_place place)
{
	uint32_t other;

	if (place.side == AFTER || s->nodes[BEFORE][place.at.node] & COMPARE_REPLACED)
		return place;
	other = s->other[BEFORE][place.at.node];
	return other == MADKIT_CABLING_NONE ? place :
					      (struct compare_place){ AFTER, { other, place.at.port } };
}

void compare_put(struct compare *s, struct madkit_buf *buf, struct compare_place place)
{
	place = comparison_later(s, place);
	cabling_put_place(s->c[place.side], buf, place.at);
}

void compare_put_peer(struct compare *s, struct madkit_buf *buf, int side, uint32_t port)
{
	compare_put(s, buf, compare_place(s, side, compare_at(s, side, port)->peer));
}

void compare_put_position(struct compare *s, struct madkit_buf *buf, int side, uint32_t node)
{
	const struct cabling_node *n = &s->c[side]->nodes[node];
	unsigned int links = 0;

	for (uint32_t i = n->first; i <= n->first + n->pub.nports; i++) {
		if (compare_at(s, side, i)->peer == MADKIT_CABLING_NONE)
			continue;
		if (!links++)
			compare_put_peer(s, buf, side, i);
	}
	if (links > 1)
		madkit_buf_printf(buf, " and %u other%s", links - 1, links > 2 ? "s" : "");
}

/* Returns the place that identifies a node in keys: a plan may have only names. */
static struct compare_place comparison_identity(const struct compare *s, struct compare_place place)
{
	return cabling_node(s->c[place.side], place.at.node)->guid ? place : comparison_later(s, place);
}

/* ---- drafts -------------------------------------------------------------------------------- */

struct compare_draft compare_draft(struct compare *s, uint8_t kind, struct compare_place place)
{
	const struct compare_place none = compare_node(AFTER, MADKIT_CABLING_NONE);
	size_t count;

	madkit_buf_reset(&s->before);
	madkit_buf_reset(&s->after);
	madkit_buf_reset(&s->text);
	return (struct compare_draft){
		.kind = kind,
		.severity = madkit_difference_kinds(&count)[kind - 1].severity,
		.place = { place, none },
		.key = { place, none },
	};
}

/* Checks if an end of a link is shown before the other one: switches first, then by name and port. */
static bool comparison_is_first(const struct compare *s, int side, uint32_t port, uint32_t other)
{
	const struct madkit_cabling *c = s->c[side];
	const struct madkit_cabling_node *a = cabling_node(c, c->ports[port].node),
					 *b = cabling_node(c, c->ports[other].node);
	int order;

	if ((a->type == MADKIT_NODE_TYPE_SWITCH) != (b->type == MADKIT_NODE_TYPE_SWITCH))
		return a->type == MADKIT_NODE_TYPE_SWITCH;
	order = word_compare(a->label, strlen(a->label), b->label, strlen(b->label));
	return order ? order < 0 : port < other;
}

struct compare_draft compare_draft_link(struct compare *s, uint8_t kind, int side, uint32_t port)
{
	const uint32_t peer = compare_at(s, side, port)->peer;
	const bool first = comparison_is_first(s, side, port, peer);
	struct compare_draft d = compare_draft(s, kind, compare_place(s, side, first ? port : peer));

	d.place[1] = d.key[1] = compare_place(s, side, first ? peer : port);
	return d;
}

bool compare_in_scope(const struct compare *s, struct compare_place place)
{
	const struct madkit_compare_options *o = s->options;
	const struct compare_place later = place.at.node != MADKIT_CABLING_NONE ? comparison_later(s, place) :
										  place;

	return !o || !o->scope || later.at.node == MADKIT_CABLING_NONE ||
	       o->scope(o->context, cabling_node(s->c[later.side], later.at.node));
}

/* Checks if an end is before the other one in keys, whichever was found first. */
static bool comparison_is_lower(const struct compare *s, const struct compare_place *a,
				const struct compare_place *b)
{
	const struct madkit_cabling_node *p = cabling_node(s->c[a->side], a->at.node),
					 *q = cabling_node(s->c[b->side], b->at.node);
	int order;

	if (p->guid != q->guid)
		return p->guid < q->guid;
	order = strcmp(p->name, q->name);
	return order ? order < 0 : a->at.port <= b->at.port;
}

static void comparison_put_id(struct compare *s, const struct compare_place *place)
{
	madkit_buf_char(&s->key, ':');
	cabling_put_id(s->c[place->side], &s->key, place->at);
}

static void comparison_put_key(struct compare *s, const struct compare_draft *d)
{
	struct compare_place a, b;
	size_t count;
	bool lower;

	madkit_buf_str(&s->key, madkit_difference_kinds(&count)[d->kind - 1].name);
	if (d->key[0].at.node == MADKIT_CABLING_NONE)
		return;
	a = comparison_identity(s, d->key[0]);
	if (d->key[1].at.node == MADKIT_CABLING_NONE) {
		comparison_put_id(s, &a);
		return;
	}
	b = comparison_identity(s, d->key[1]);
	lower = comparison_is_lower(s, &a, &b);
	comparison_put_id(s, lower ? &a : &b);
	comparison_put_id(s, lower ? &b : &a);
}

static void comparison_put_place(struct compare *s, const struct compare_draft *d)
{
	for (size_t i = 0; i < 2 && d->place[i].at.node != MADKIT_CABLING_NONE; i++) {
		if (i)
			madkit_buf_str(&s->place, " <-> ");
		compare_put(s, &s->place, d->place[i]);
	}
}

/* Ends the text of a buffer. Returns its length with the NUL. */
static size_t comparison_close(struct madkit_buf *buf)
{
	madkit_buf_char(buf, 0);
	return buf->error ? 0 : buf->len;
}

static struct comparison_entry *comparison_make(struct compare *s)
{
	struct madkit_buf *const bufs[] = { &s->key, &s->place, &s->before, &s->after, &s->text };
	struct comparison_entry *e;
	const char *texts[5];
	size_t size = 0;
	char *p;

	for (size_t i = 0; i < 5; i++) {
		const size_t len = comparison_close(bufs[i]);

		if (!len)
			return NULL;
		size += len;
	}
	e = malloc(sizeof(*e) + size);
	if (!e)
		return NULL;
	p = e->texts;
	for (size_t i = 0; i < 5; i++) {
		memcpy(p, bufs[i]->data, bufs[i]->len);
		texts[i] = p;
		p += bufs[i]->len;
	}
	e->pub = (struct madkit_difference){
		.key = texts[0],
		.place = texts[1],
		.before = texts[2],
		.after = texts[3],
		.text = texts[4],
	};
	return e;
}

/* Returns an end in the later cabling; without the port, if the node no longer has it. */
static struct madkit_cabling_end comparison_end(const struct compare *s, struct compare_place place)
{
	struct madkit_cabling_end end = { MADKIT_CABLING_NONE, -1 };

	if (place.at.node != MADKIT_CABLING_NONE)
		place = comparison_later(s, place);
	if (place.at.node != MADKIT_CABLING_NONE && place.side == AFTER)
		end = place.at;
	if (end.node != MADKIT_CABLING_NONE && (end.port > cabling_node(s->c[AFTER], end.node)->nports ||
						s->nodes[AFTER][end.node] & COMPARE_SPLIT))
		end.port = -1;
	return end;
}

int compare_add(struct compare *s, const struct compare_draft *d)
{
	struct madkit_comparison *list = s->list;
	struct comparison_entry *e;

	for (size_t i = 0; i < 2; i++)
		if (!compare_in_scope(s, d->place[i]) || !compare_in_scope(s, d->key[i]))
			return 0;
	madkit_buf_reset(&s->key);
	madkit_buf_reset(&s->place);
	comparison_put_key(s, d);
	comparison_put_place(s, d);
	e = comparison_make(s);
	if (!e || array_room(&list->entries, &list->cap, list->n, 1, sizeof(*list->entries))) {
		free(e);
		return -ENOMEM;
	}
	list->entries[list->n++] = e;
	e->pub.kind = d->kind;
	e->pub.severity = d->severity;
	for (size_t i = 0; i < 2; i++)
		e->pub.ends[i] = comparison_end(s, d->place[i]);
	return 0;
}

/* ---- the list ------------------------------------------------------------------------------ */

static int comparison_order(const void *a, const void *b)
{
	const struct madkit_difference *p = &(*(struct comparison_entry *const *)a)->pub,
				       *q = &(*(struct comparison_entry *const *)b)->pub;
	int order;

	if (p->severity != q->severity)
		return p->severity > q->severity ? -1 : 1;
	order = word_compare(p->place, strlen(p->place), q->place, strlen(q->place));
	if (order)
		return order;
	if (p->kind != q->kind)
		return p->kind < q->kind ? -1 : 1;
	return strcmp(p->key, q->key);
}

void comparison_sort(struct madkit_comparison *list)
{
	if (list->n)
		qsort(list->entries, list->n, sizeof(*list->entries), comparison_order);
}

const struct madkit_difference *madkit_comparison_difference(const struct madkit_comparison *list, size_t i)
{
	return i < list->n ? &list->entries[i]->pub : NULL;
}

void madkit_comparison_count(const struct madkit_comparison *list, struct madkit_comparison_counts *counts)
{
	*counts = list->counts;
}

void madkit_comparison_free(struct madkit_comparison *list)
{
	if (!list)
		return;
	for (uint32_t i = 0; i < list->n; i++)
		free(list->entries[i]);
	free(list->entries);
	free(list);
}
