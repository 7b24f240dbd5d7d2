/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Writes JSON lines with plans: lines of the same class, method and attribute differ only in values. A plan
 * is used for a message that is complete, has no error, and is shown in full.
 */
#include <stdlib.h>
#include <madkit/mad.h>
#include <madkit/rmpp.h>
#include "expr/value.h"
#include "format/json_int.h"
#include "format/plans.h"
#include "format/records.h"
#include "format/rest.h"
#include "util/bits.h"
#include "util/put.h"
#include "wire/wire_int.h"

/* The common parts of all lines with the same class, method and attribute. */
struct json_shape {
	struct json_shape *next;
	uint64_t nulls; /* of the envelope; bit ENVELOPE_N: the port */
	enum madkit_message_kind kind;
	uint32_t begin; /* base version, class, class version, method */
	uint16_t attribute_id;
	bool rmpp, show_keys;
	const struct madkit_attribute *attribute;
	const struct madkit_layout *layout; /* NULL: bytes */
	struct plan head, data;
	struct madkit_buf end; /* an empty "rest", and the text after it */
	size_t rest;           /* length of "rest" in end */
	size_t header;         /* length of the shortest message */
	bool usable;
	uint8_t named[MADKIT_MAD_BYTES]; /* bits covered by fields of headers */
	uint8_t named_data[];
};

/* ---- recording ---------------------------------------------------------------------- */

static int name_bits(void *context, const struct madkit_item *item)
{
	uint8_t *named = context;

	if (item->event == MADKIT_WALK_FIELD && item->field->kind != MADKIT_KIND_RESERVED)
		for (uint32_t bit = item->bit; bit < item->bit + item->field->width; bit++)
			bits_put(named, bit, 1, 1);
	return 0;
}

static void name_layout(const struct madkit_layout *layout, uint8_t *named)
{
	static const uint8_t zeros[MADKIT_FRAME_BYTES];

	if (layout)
		madkit_walk(layout, zeros, sizeof(zeros), name_bits, named);
}

static int json_record(const struct json *line, struct plan *plan, void (*put)(struct json *))
{
	struct json j = *line;

	plan_init(plan);
	j.buf = &plan->text;
	j.plan = plan;
	put(&j);
	return plan_end(plan);
}

static void json_shape_free(struct json_shape *s)
{
	plan_free(&s->head);
	plan_free(&s->data);
	madkit_buf_free(&s->end);
	free(s);
}

/* Returns the shape of the record's line, or NULL if out of memory. begin: the first four bytes of the
 * MAD. */
static struct json_shape *json_shape_new(const struct json *line, uint64_t nulls, uint32_t begin, bool rmpp)
{
	const struct madkit_record *r = line->record;
	const struct madkit_message *m = r->message;
	const struct madkit_layout *header = layout_of_class_header(m->mad, m->len);
	struct json_shape *s = calloc(1, sizeof(*s) + (r->layout ? r->layout->bytes : 0));
	struct json end = *line;

	if (!s)
		return NULL;
	s->nulls = nulls;
	s->kind = m->kind;
	s->begin = begin;
	s->attribute_id = get_be16(m->mad + MADKIT_MAD_ATTRIBUTE);
	s->rmpp = rmpp;
	s->show_keys = line->format->show_keys;
	s->attribute = r->attribute;
	s->layout = r->layout;
	s->header = header && header->bytes > 64 ? header->bytes : 64;
	name_layout(layout_of_header(m->mad[MADKIT_MAD_CLASS]), s->named);
	name_layout(header, s->named);
	if (rmpp)
		name_layout(&madkit_layout_rmpp, s->named);
	name_layout(r->layout, s->named_data);
	madkit_buf_init(&s->end, 0);
	end.buf = &s->end;
	end.secrets = true;
	json_put_rest(&end, false);
	s->rest = s->end.len;
	json_put_end(&end);
	s->usable = !json_record(line, &s->head, json_put_head) &&
		    !json_record(line, &s->data, json_put_data) && !s->end.error;
	return s;
}

/* ---- writing ------------------------------------------------------------------------ */

static struct json_shape *json_plan_shape(struct json *j)
{
	const struct madkit_record *r = j->record;
	const struct madkit_message *m = r->message;
	struct madkit_plans *plans = j->format->plans;
	bool rmpp = madkit_mad_has_rmpp(m->mad, m->len);
	uint32_t begin = get_be32(m->mad);
	uint16_t id = get_be16(m->mad + MADKIT_MAD_ATTRIBUTE);
	unsigned int hash = (begin ^ begin >> 8 ^ begin >> 16 ^ id * 31u ^ id >> 8) % PLANS_HASH;
	struct json_shape *s;
	uint64_t nulls;

	if (!plans->head.end)
		plans->head.nulls = envelope_nulls(m) | (uint64_t)!m->port << ENVELOPE_N;
	nulls = plans->head.nulls;
	for (s = plans->json[hash]; s; s = s->next)
		if (s->begin == begin && s->attribute_id == id && s->layout == r->layout &&
		    s->attribute == r->attribute && s->rmpp == rmpp && s->show_keys == j->format->show_keys &&
		    s->nulls == nulls && s->kind == m->kind)
			return s->usable ? s : NULL;
	if (plans->n >= PLANS_MAX)
		return NULL;
	s = json_shape_new(j, nulls, begin, rmpp);
	if (!s)
		return NULL;
	s->next = plans->json[hash];
	plans->json[hash] = s;
	plans->n++;
	return s->usable ? s : NULL;
}

void json_plans_free(struct madkit_plans *plans)
{
	for (unsigned int i = 0; i < PLANS_HASH; i++) {
		for (struct json_shape *s = plans->json[i], *next; s; s = next) {
			next = s->next;
			json_shape_free(s);
		}
	}
}

/* Checks if any bits are set outside of mask (NULL: any bits at all). */
static bool beyond(const uint8_t *bytes, const uint8_t *mask, size_t n)
{
	uint64_t any = 0, v, m = 0;

	for (; n >= 8; n -= 8, bytes += 8) {
		memcpy(&v, bytes, 8);
		if (mask) {
			memcpy(&m, mask, 8);
			mask += 8;
		}
		any |= v & ~m;
	}
	for (; n; n--)
		any |= *bytes++ & ~(mask ? *mask++ : 0u) & 0xffu;
	return any;
}

/* Checks if there is anything for "rest". */
static bool has_rest(const struct json *j, const struct json_shape *s)
{
	const struct madkit_record *r = j->record;
	const struct madkit_message *m = r->message;
	size_t end = r->offset + r->len, frame = m->len < MADKIT_MAD_BYTES ? m->len : MADKIT_MAD_BYTES;

	if (j->rest)
		return true;
	if (!r->record && beyond(m->mad, s->named, r->offset))
		return true;
	if (r->layout && (beyond(r->data, s->named_data, r->layout->bytes) ||
			  beyond(r->data + r->layout->bytes, NULL, r->len - r->layout->bytes)))
		return true;
	if (r->record + 1 < r->records)
		return false;
	if (end < frame && beyond(m->mad + end, s->named + end, frame - end))
		return true;
	end = end > frame ? end : frame;
	return beyond(m->mad + end, NULL, m->len - end);
}

/* Checks if a plan can be used: a whole MAD without an error, all of its data present and shown. */
static bool json_plan_is_plain(const struct json *j)
{
	const struct madkit_record *r = j->record;
	const struct madkit_message *m = r->message;

	return j->format->plans && !j->format->fields && !j->format->pretty && m->mad && r->data &&
	       !m->data && !m->hop && !m->unresolved && !m->tid_partial && !m->send_status &&
	       !m->rmpp_status && !m->rmpp_illegal && m->len >= 64 &&
	       m->mad[MADKIT_MAD_BASE_VERSION] == MADKIT_BASE_VERSION_IB &&
	       !(get_be16(m->mad + MADKIT_MAD_STATUS) &
		 (m->mad[MADKIT_MAD_CLASS] == MADKIT_CLASS_SUBN_DR ? 0x7fff : 0xffff)) &&
	       r->len >= (r->layout ? r->layout->bytes : 1) &&
	       (r->layout || j->format->show_keys || !data_is_secret(r));
}

/* Repeats the head of the previous line, which is of the same message and differs in one number. */
static bool put_again(struct json *j)
{
	struct plans_head *head = &j->format->plans->head;
	size_t begin = j->buf->len;
	char *p = madkit_buf_room(j->buf, head->end - head->begin + EMIT_U64_MAX), *line;
	const char *before = j->buf->data;

	if (!p)
		return false;
	line = p;
	p = (char *)memcpy(p, before + head->begin, head->number - head->begin) + head->number - head->begin;
	p = emit_u64(p, j->record->record);
	p = (char *)memcpy(p, before + head->behind, head->end - head->behind) + head->end - head->behind;
	head->behind = begin + (size_t)(p - line) - (head->end - head->behind);
	head->number += begin - head->begin;
	head->begin = begin;
	head->end = j->buf->len = (size_t)(p - before);
	return true;
}

/* Writes everything before the data. */
static bool json_plan_put_head(struct json *j, const struct json_shape *s)
{
	struct plans_head *head = &j->format->plans->head;

	if (head->end)
		return put_again(j);
	head->begin = j->buf->len;
	if (!plan_write(&s->head, j->record->message->mad, j->buf, j))
		return false;
	head->end = j->buf->len;
	return true;
}

/* Writes the line from the plan of its shape. Returns false, and writes nothing, if the line has no plan. */
static bool json_planned(struct json *j)
{
	struct json_shape *s;
	size_t skip = 0;

	if (!json_plan_is_plain(j))
		return false;
	s = json_plan_shape(j);
	if (!s || j->record->message->len < s->header)
		return false;
	/* if memory runs out, the buffer has the error */
	if (json_plan_put_head(j, s) && plan_write_data(&s->data, j->record, j->buf, j)) {
		if (has_rest(j, s)) {
			json_put_rest(j, true);
			skip = s->rest;
		}
		madkit_buf_add(j->buf, s->end.data + skip, s->end.len - skip);
	}
	return true;
}

static void json_format_record(struct madkit_buf *buf, const struct madkit_format *format,
			       const struct madkit_record *record)
{
	struct json j = { .buf = buf, .format = format, .record = record };
	size_t line = buf->len;

	if (json_planned(&j))
		return;
	json_put_line(&j);
	if (format->pretty && !buf->error)
		json_indent(buf, line);
}

int madkit_format_json(struct madkit_buf *buf, const struct madkit_message *message,
		       const struct madkit_format *format)
{
	if (format->plans)
		format->plans->head.end = 0;
	return put_records(buf, message, format, json_format_record);
}
