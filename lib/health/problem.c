/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <madkit/escape.h>
#include "health/problem.h"
#include "util/array.h"
#include "util/bits.h"
#include "util/emit.h"
#include "util/word.h"
#include "wire/object.h"
#include "wire/tables/tables.h"

/* A problem and its texts, in one allocation. */
struct health_problem {
	struct madkit_problem pub;
	size_t place_len;
	char texts[]; /* key, place, types, value, limit, text: each ends with NUL */
};

/* ---- drafts ------------------------------------------------------------------------------ */

struct problem_draft problem_draft(struct madkit_health *h, enum rule_number rule, uint8_t severity)
{
	madkit_buf_reset(&h->text);
	return (struct problem_draft){
		.rule = rule,
		.severity = severity,
		.ends = { { MADKIT_SWEEP_NONE, -1 }, { MADKIT_SWEEP_NONE, -1 } },
	};
}

struct problem_draft problem_of_port(struct madkit_health *h, enum rule_number rule, uint8_t severity,
				     uint32_t node, int port)
{
	struct problem_draft d = problem_draft(h, rule, severity);

	d.ends[0] = (struct madkit_health_place){ node, port };
	return d;
}

struct problem_draft problem_of_link(struct madkit_health *h, enum rule_number rule, uint8_t severity,
				     const struct health_link *link)
{
	struct problem_draft d = problem_of_port(h, rule, severity, link->a.node, link->a.port);

	d.ends[1] = (struct madkit_health_place){ link->b.node, link->b.port };
	d.link = true;
	return d;
}

/* ---- texts ------------------------------------------------------------------------------- */

void problem_put_rate(char text[PROBLEM_VALUE_BYTES], unsigned int width, unsigned int speed)
{
	char *p = stpcpy(text, width ? topology_width_name(width) : "?");

	*p++ = ' ';
	stpcpy(p, speed ? topology_speed_name(speed) : "?");
}

void problem_put_number(char text[PROBLEM_VALUE_BYTES], uint64_t number)
{
	*emit_u64(text, number) = 0;
}

static void problem_put_type(struct madkit_buf *buf, const struct madkit_sweep_node *n)
{
	const char *type = madkit_value_name(madkit_values_port_node_type, n->type);

	if (n->vendor == MADKIT_OUI_MELLANOX)
		madkit_buf_printf(buf, "MT%u", n->device);
	else if (n->vendor || n->device)
		madkit_buf_printf(buf, "0x%06" PRIx32 ":%u", n->vendor, n->device);
	else
		madkit_buf_str(buf, type ? type : "unknown");
}

/* Appends "0x0002c90300000001/7"; the whole node has no port. */
static void problem_put_id(struct madkit_buf *buf, const struct madkit_health *h,
			   struct madkit_health_place at)
{
	madkit_buf_printf(buf, ":0x%016" PRIx64, health_node(h, at.node)->guid);
	if (at.port >= 0)
		madkit_buf_printf(buf, "/%d", at.port);
}

/* Checks if both ends are in the order of keys. */
static bool problem_is_ordered(const struct madkit_health *h, const struct problem_draft *d)
{
	const uint64_t a = health_node(h, d->ends[0].node)->guid, b = health_node(h, d->ends[1].node)->guid;

	return a != b ? a < b : d->ends[0].port <= d->ends[1].port;
}

static void problem_put_key(struct madkit_buf *buf, const struct madkit_health *h,
			    const struct problem_draft *d)
{
	size_t count;

	madkit_buf_str(buf, madkit_health_rules(&count)[d->rule].name);
	if (d->about) {
		madkit_buf_char(buf, ':');
		madkit_text_escape(buf, d->about, strlen(d->about));
	} else if (d->ends[1].node != MADKIT_SWEEP_NONE) {
		const bool ordered = problem_is_ordered(h, d);

		problem_put_id(buf, h, d->ends[!ordered]);
		problem_put_id(buf, h, d->ends[ordered]);
	} else if (d->ends[0].node != MADKIT_SWEEP_NONE) {
		problem_put_id(buf, h, d->ends[0]);
	}
}

static void problem_put_place(struct madkit_buf *buf, const struct madkit_health *h,
			      const struct problem_draft *d)
{
	if (d->ends[0].node == MADKIT_SWEEP_NONE)
		return;
	madkit_sweep_put_place(h->sweep, buf, d->ends[0].node, d->ends[0].port);
	if (d->ends[1].node == MADKIT_SWEEP_NONE)
		return;
	madkit_buf_str(buf, d->link ? " <-> " : ", ");
	madkit_sweep_put_place(h->sweep, buf, d->ends[1].node, d->ends[1].port);
}

static void problem_put_types(struct madkit_buf *buf, const struct madkit_health *h,
			      const struct problem_draft *d)
{
	if (d->ends[0].node == MADKIT_SWEEP_NONE || (d->ends[1].node != MADKIT_SWEEP_NONE && !d->link))
		return;
	problem_put_type(buf, health_node(h, d->ends[0].node));
	if (!d->link)
		return;
	madkit_buf_str(buf, " <-> ");
	problem_put_type(buf, health_node(h, d->ends[1].node));
}

/* ---- the list ---------------------------------------------------------------------------- */

static uint64_t problem_hash(const struct madkit_problem *p)
{
	uint64_t hash = table_mix((uintptr_t)p->rule, p->severity);

	for (const char *c = p->types; *c; c++)
		hash = table_mix(hash, (unsigned char)*c);
	for (const char *c = p->text; *c; c++)
		hash = table_mix(hash, (unsigned char)*c);
	return hash;
}

/* Assigns the number of kin. There is room in the table. */
static void problem_join_kin(struct madkit_health *h, struct health_problem *p)
{
	const uint64_t hash = problem_hash(&p->pub);
	const struct health_problem *other;
	size_t step = 0;

	while ((other = table_next(&h->kin, hash, &step)))
		if (other->pub.rule == p->pub.rule && other->pub.severity == p->pub.severity &&
		    !strcmp(other->pub.types, p->pub.types) && !strcmp(other->pub.text, p->pub.text)) {
			p->pub.kin = other->pub.kin;
			return;
		}
	p->pub.kin = h->kins++;
	table_put(&h->kin, hash, p);
}

/* Returns the text behind this one. */
static const char *problem_next_text(const char *text)
{
	return text + strlen(text) + 1;
}

int problem_add(struct madkit_health *h, const struct problem_draft *d)
{
	struct madkit_buf *b = &h->scratch;
	struct health_problem *p;
	size_t count;

	madkit_buf_reset(b);
	problem_put_key(b, h, d);
	madkit_buf_char(b, '\0');
	problem_put_place(b, h, d);
	madkit_buf_char(b, '\0');
	problem_put_types(b, h, d);
	madkit_buf_char(b, '\0');
	madkit_buf_add(b, d->value, strlen(d->value) + 1);
	madkit_buf_add(b, d->limit, strlen(d->limit) + 1);
	madkit_buf_add(b, h->text.data, h->text.len);
	madkit_buf_char(b, '\0');
	if (b->error || h->text.error || table_reserve(&h->kin, h->nproblems + 1u) ||
	    array_room(&h->problems, &h->problems_cap, h->nproblems, 1, sizeof(struct health_problem *)))
		return -ENOMEM;
	p = malloc(sizeof(*p) + b->len);
	if (!p)
		return -ENOMEM;
	memcpy(p->texts, b->data, b->len);
	p->pub = (struct madkit_problem){
		.rule = &madkit_health_rules(&count)[d->rule],
		.severity = d->severity,
		.ends = { d->ends[0], d->ends[1] },
		.key = p->texts,
	};
	p->pub.place = problem_next_text(p->pub.key);
	p->pub.types = problem_next_text(p->pub.place);
	p->pub.value = problem_next_text(p->pub.types);
	p->pub.limit = problem_next_text(p->pub.value);
	p->pub.text = problem_next_text(p->pub.limit);
	p->place_len = strlen(p->pub.place);
	problem_join_kin(h, p);
	h->problems[h->nproblems++] = p;
	return 0;
}

static int problem_compare(const void *a, const void *b)
{
	const struct health_problem *p = *(struct health_problem *const *)a;
	const struct health_problem *q = *(struct health_problem *const *)b;
	int order;

	if (p->pub.severity != q->pub.severity)
		return p->pub.severity > q->pub.severity ? -1 : 1;
	order = word_compare(p->pub.place, p->place_len, q->pub.place, q->place_len);
	if (order)
		return order;
	if (p->pub.rule != q->pub.rule)
		return p->pub.rule < q->pub.rule ? -1 : 1;
	return strcmp(p->pub.key, q->pub.key);
}

void problems_sort(struct madkit_health *h)
{
	if (h->nproblems)
		qsort(h->problems, h->nproblems, sizeof(struct health_problem *), problem_compare);
}

const struct madkit_problem *madkit_health_problem(const struct madkit_health *h, size_t i)
{
	return i < h->nproblems ? &h->problems[i]->pub : NULL;
}

void problems_free(struct madkit_health *h)
{
	for (uint32_t i = 0; i < h->nproblems; i++)
		free(h->problems[i]);
	free(h->problems);
	table_free(&h->kin);
}

/* ---- a problem as a record --------------------------------------------------------------- */

void madkit_health_record(const struct madkit_problem *p, uint8_t event, const char *since,
			  struct madkit_health_record *r)
{
	_Static_assert(sizeof(r->data) == 1364, "length of the layout of the object problem");
	struct wire_object object = { r->data, r->known };

	memset(r, 0, sizeof(*r));
	object_begin(&r->message, MADKIT_MESSAGE_PROBLEM, &r->record, &madkit_attribute_problem_object,
		     &object);
	r->message.problem = &r->record;
	object_put_text(&object, MADKIT_PROBLEM_OBJECT_RULE, p->rule->name);
	object_put_number(&object, MADKIT_PROBLEM_OBJECT_SEVERITY, p->severity);
	object_put_number(&object, MADKIT_PROBLEM_OBJECT_EVENT, event);
	object_put_text(&object, MADKIT_PROBLEM_OBJECT_KEY, p->key);
	object_put_text(&object, MADKIT_PROBLEM_OBJECT_SINCE, since);
	object_put_text(&object, MADKIT_PROBLEM_OBJECT_PLACE, p->place);
	object_put_text(&object, MADKIT_PROBLEM_OBJECT_VALUE, p->value);
	object_put_text(&object, MADKIT_PROBLEM_OBJECT_LIMIT, p->limit);
	object_put_text(&object, MADKIT_PROBLEM_OBJECT_TEXT, p->text);
	if (p->by)
		object_put_number(&object, MADKIT_PROBLEM_OBJECT_BY, p->by);
	if (p->downed_known)
		object_put_number(&object, MADKIT_PROBLEM_OBJECT_LINK_DOWNED, p->downed);
}

/* ---- not judged ------------------------------------------------------------------------- */

void problem_note_unjudged(struct madkit_health *h, enum rule_number rule, uint32_t node, int port,
			   const char *why)
{
	size_t count;

	if (array_room(&h->unjudged, &h->unjudged_cap, h->nunjudged, 1, sizeof(*h->unjudged))) {
		h->error = -ENOMEM;
		return;
	}
	h->unjudged[h->nunjudged++] = (struct madkit_unjudged){
		.rule = &madkit_health_rules(&count)[rule],
		.at = { node, port },
		.elsewhere = rule == RULE_SM || rule == RULE_ROUTE || rule == RULE_NAME ||
			     rule == RULE_FIRMWARE,
		.why = why,
	};
}

void problem_note_lacking(struct madkit_health *h, enum rule_number rule, uint32_t node, int port,
			  const char *why)
{
	problem_note_unjudged(h, rule, node, port, why);
	if (!h->error)
		h->unjudged[h->nunjudged - 1].lacks = true;
}

void problem_leave(struct madkit_health *h, enum rule_number rule, uint32_t node, int port, const char *why)
{
	problem_note_unjudged(h, rule, node, port, why);
	h->counts.unjudged++;
}

const struct madkit_unjudged *madkit_health_unjudged(const struct madkit_health *h, size_t i)
{
	return i < h->nunjudged ? &h->unjudged[i] : NULL;
}
