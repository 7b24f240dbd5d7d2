/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Lines of JSON by plan: MADs of the same class, method and attribute differ in values
 * alone. What has a plan is a whole message without an error, all of which is shown.
 */
#include <stdlib.h>
#include <madkit/mad.h>
#include <madkit/rmpp.h>
#include "expr/value.h"
#include "format/json_int.h"
#include "format/json_shape.h"
#include "format/plans.h"
#include "format/rest.h"
#include "util/bits.h"
#include "util/put.h"

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

	for (s = plans->json[hash]; s; s = s->next)
		if (s->begin == begin && s->attribute_id == id && s->layout == r->layout &&
		    s->attribute == r->attribute && s->rmpp == rmpp && s->show_keys == j->format->show_keys)
			return s->usable ? s : NULL;
	if (plans->n >= PLANS_MAX)
		return NULL;
	s = json_shape_new(j, begin, rmpp);
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
	madkit_buf_free(&plans->begin);
}

struct following {
	struct json *json;
	size_t longest;
};

static char *json_plan_call(void *context, const struct plan_op *op, const uint8_t *bytes, uint64_t value,
			    char *p)
{
	const struct following *f = context;
	struct json *j = f->json;
	size_t n;

	j->buf->len = (size_t)(p - j->buf->data);
	if (op->field->kind == MADKIT_KIND_STRING) {
		for (n = op->field->width / 8; n && !bytes[n - 1]; n--)
			;
		if (madkit_json_string(j->buf, (const char *)bytes, n))
			j->rest = true;
	} else {
		json_companion(j->buf, op->field, value);
		j->buf->len--;
	}
	/* it may have moved the buffer, and used up the room for what follows */
	return madkit_buf_room(j->buf, f->longest);
}

/* Whether bytes hold anything beyond the bits that mask has (NULL: none). */
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

/* Whether anything stands in rest. */
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

/* A whole SHAPE_MAD that is no error's, all of whose data is there and is shown. */
static bool json_plan_is_plain(const struct json *j)
{
	const struct madkit_record *r = j->record;
	const struct madkit_message *m = r->message;

	return j->format->plans && !j->format->fields && !j->format->pretty && m->mad && r->data &&
	       !m->data_json && !m->unresolved && !m->tid_partial && !m->send_status && m->len >= 64 &&
	       m->mad[MADKIT_MAD_BASE_VERSION] == MADKIT_BASE_VERSION_IB &&
	       !(get_be16(m->mad + MADKIT_MAD_STATUS) &
		 (m->mad[MADKIT_MAD_CLASS] == MADKIT_CLASS_SUBN_DR ? 0x7fff : 0xffff)) &&
	       r->len >= (r->layout ? r->layout->bytes : 1) &&
	       (r->layout || j->format->show_keys || !data_is_secret(r));
}

/* The line of the record before, of the same message, differs in one number. */
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

/* Everything up to the data. */
static bool json_plan_put_head(struct json *j, const struct json_shape *s)
{
	struct plans_head *head = &j->format->plans->head;
	struct following following = { .json = j };
	char *p;

	if (head->end)
		return put_again(j);
	head->begin = j->buf->len;
	json_envelope(j);
	following.longest = s->plan[SHAPE_MAD].longest + PLAN_STEP;
	p = madkit_buf_room(j->buf, following.longest);
	if (p)
		p = plan_write(&s->plan[SHAPE_MAD], j->record->message->mad, p, json_plan_call, &following);
	if (!p)
		return false;
	head->end = j->buf->len = (size_t)(p - j->buf->data);
	return true;
}

bool json_planned(struct json *j)
{
	const struct madkit_record *r = j->record;
	uint8_t padded[MADKIT_FRAME_BYTES + 8];
	const uint8_t *data = r->data;
	struct following following = { .json = j };
	struct madkit_buf *buf = j->buf;
	struct json_shape *s;
	char *p = NULL;

	if (!json_plan_is_plain(j))
		return false;
	s = json_plan_shape(j);
	if (!s || r->message->len < s->header)
		return false;
	/* values are read eight bytes at once */
	if (r->layout && r->offset + s->reach > r->message->len) {
		memcpy(padded, r->data, r->layout->bytes);
		memset(padded + r->layout->bytes, 0, 8);
		data = padded;
	}
	following.longest = s->plan[SHAPE_DATA].longest + PLAN_STEP;
	if (json_plan_put_head(j, s))
		p = madkit_buf_room(buf, following.longest);
	if (p)
		p = plan_write(&s->plan[SHAPE_DATA], data, p, json_plan_call, &following);
	if (!p)
		return true; /* what went wrong the buffer tells */
	buf->len = (size_t)(p - buf->data);
	if (r->layout) {
		LIT(buf, "},\"rest\":{");
	} else {
		put_bytes(buf, r->data, r->len);
		LIT(buf, "\"},\"rest\":{");
	}
	if (has_rest(j, s)) {
		rest_put(buf, r, s->show_keys);
		if (!buf->error && buf->data[buf->len - 1] == ',')
			buf->len--;
	}
	madkit_buf_add(buf, s->tail.data, s->tail.len);
	return true;
}
