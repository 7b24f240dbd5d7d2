/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Lines of JSON by plan: MADs of the same class, method and attribute differ in values
 * alone. What has a plan is a whole message without an error, all of which is shown.
 */
#include <errno.h>
#include <stdlib.h>
#include <madkit/mad.h>
#include <madkit/rmpp.h>
#include "expr/value.h"
#include "format/json_int.h"
#include "format/plan.h"
#include "format/plans.h"
#include "format/rest.h"
#include "util/bits.h"
#include "util/put.h"

enum { MAD, DATA, BASES };

#define CONST(plan, text) plan_literal(plan, text, sizeof(text) - 1)

/* All lines of a shape have one plan. */
struct shape {
	struct shape *next;
	uint32_t begin;			/* base version, class, its version, method */
	uint16_t attribute_id;
	bool rmpp, show_keys;
	const struct madkit_attribute *attribute;
	const struct madkit_layout *layout; /* NULL: bytes */
	struct plan plan[BASES];	/* up to the data, and the data */
	struct madkit_buf tail;		/* what stands behind rest */
	size_t header;			/* so much has to be there */
	size_t reach;			/* so much is read from the data on */
	bool usable;
	uint8_t named[MADKIT_MAD_BYTES]; /* bits that the headers' fields have */
	uint8_t named_data[];
};

/* ---- making a plan ------------------------------------------------------------------ */

static void plan_name(struct plan *plan, const struct madkit_field *field, const char *suffix)
{
	CONST(plan, "\"");
	plan_literal(plan, field->name, strlen(field->name));
	plan_literal(plan, suffix, strlen(suffix));
	CONST(plan, "\":");
}

static void plan_element(struct shape *s, unsigned int base,
			 const struct madkit_field *field, unsigned int i, uint32_t bit)
{
	struct plan *plan = &s->plan[base];

	if (!s->show_keys && madkit_field_is_secret(field)) {
		CONST(plan, "null");
		return;
	}
	if (field->kind == MADKIT_KIND_STRING) {
		plan_value(plan, PLAN_CALL, field, i, bit, 6 * (field->width / 8) + 2);
		return;
	}
	if (field->kind == MADKIT_KIND_COUNTER ||
	    (field->width <= 32 && field->kind != MADKIT_KIND_BYTES)) {
		plan_value(plan, PLAN_DECIMAL, field, i, bit, 0);
		return;
	}
	CONST(plan, "\"");
	if (field->kind == MADKIT_KIND_GID) {
		plan_value(plan, PLAN_GID, field, i, bit, 0);
	} else if (field->kind == MADKIT_KIND_BYTES) {
		plan_value(plan, PLAN_BYTES, field, i, bit, 0);
	} else {
		CONST(plan, "0x");
		plan_value(plan, field->width > 64 ? PLAN_BYTES : PLAN_HEX, field, i,
			   bit, 0);
	}
	CONST(plan, "\"");
}

/* The names of all values of a small field, as they will be written. */
static void plan_names(struct shape *s, unsigned int base, const struct madkit_field *field)
{
	struct madkit_buf text;

	madkit_buf_init(&text, 0);
	for (unsigned int value = 0; value < 1u << field->width; value++) {
		madkit_buf_reset(&text);
		json_companion(&text, field, value);
		if (text.error)
			s->plan[base].error = text.error;
		else
			plan_entry(&s->plan[base], text.data, text.len - 1);
	}
	madkit_buf_free(&text);
}

/* The names of the bits of a wide one, each with a comma. */
static void plan_bits(struct shape *s, unsigned int base, const struct madkit_field *field)
{
	struct madkit_buf text;

	madkit_buf_init(&text, 0);
	for (const struct madkit_value *v = field->values; v && v->name; v++) {
		madkit_buf_reset(&text);
		madkit_json_string(&text, v->name, strlen(v->name));
		LIT(&text, ",");
		if (text.error)
			s->plan[base].error = text.error;
		else
			plan_entry(&s->plan[base], text.data, text.len);
	}
	madkit_buf_free(&text);
}

static void plan_companion(struct shape *s, unsigned int base,
			   const struct madkit_field *field, unsigned int i, uint32_t bit)
{
	size_t longest = 8;

	if (field->kind == MADKIT_KIND_COUNTER) {
		plan_value(&s->plan[base], PLAN_TIMES4, field, i, bit, 0);
	} else if (field->width <= 8) {
		plan_value(&s->plan[base], PLAN_TABLE, field, i, bit, 0);
		plan_names(s, base, field);
	} else if (field->kind == MADKIT_KIND_BITS) {
		CONST(&s->plan[base], "[");
		plan_value(&s->plan[base], PLAN_BITS, field, i, bit, 0);
		plan_bits(s, base, field);
		CONST(&s->plan[base], "]");
	} else {
		for (const struct madkit_value *v = field->values; v && v->name; v++)
			longest += 6 * strlen(v->name) + 3;
		plan_value(&s->plan[base], PLAN_CALL, field, i, bit, longest);
	}
}

static void plan_layout(struct shape *s, unsigned int base,
			const struct madkit_layout *layout, uint32_t bit, bool first);

/* Elements of an array, or the one value. */
static void plan_elements(struct shape *s, unsigned int base,
			  const struct madkit_field *field, uint32_t bit, bool companions)
{
	unsigned int n = madkit_field_count(field);

	if (field->count)
		CONST(&s->plan[base], "[");
	for (unsigned int i = 0; i < n; i++) {
		uint32_t at = bit + madkit_field_offset(field, i);

		if (i)
			CONST(&s->plan[base], ",");
		if (field->kind == MADKIT_KIND_STRUCT) {
			CONST(&s->plan[base], "{");
			plan_layout(s, base, field->sub, at, true);
			CONST(&s->plan[base], "}");
		} else if (companions) {
			plan_companion(s, base, field, i, at);
		} else {
			plan_element(s, base, field, i, at);
		}
		/* a number in the word that begins at its first byte */
		if (field->width <= 64 && at % 8 + field->width > 64)
			s->plan[base].error = -EINVAL;
		if (base == DATA && at / 8 + 8 > s->reach)
			s->reach = at / 8 + 8;
	}
	if (field->count)
		CONST(&s->plan[base], "]");
}

static void plan_field(struct shape *s, unsigned int base,
		       const struct madkit_field *field, uint32_t bit, bool first)
{
	const char *suffix = json_companion_suffix(field);

	if (field->flags & MADKIT_FIELD_VARIABLE)
		s->plan[base].error = -EINVAL;
	if (!first)
		CONST(&s->plan[base], ",");
	plan_name(&s->plan[base], field, "");
	plan_elements(s, base, field, bit, false);
	if (!suffix)
		return;
	CONST(&s->plan[base], ",");
	plan_name(&s->plan[base], field, suffix);
	plan_elements(s, base, field, bit, true);
}

static void plan_layout(struct shape *s, unsigned int base,
			const struct madkit_layout *layout, uint32_t bit, bool first)
{
	for (unsigned int i = 0; i < layout->nfields; i++) {
		const struct madkit_field *field = &layout->fields[i];

		if (field->kind == MADKIT_KIND_RESERVED)
			continue;
		plan_field(s, base, field, bit, first);
		first = false;
	}
}

/* An entry of the envelope that is a field of the common header. */
static void plan_entry_value(struct shape *s, const struct madkit_layout *common,
			     const char *key, unsigned int byte)
{
	for (unsigned int i = 0; i < common->nfields; i++) {
		if (common->fields[i].offset != byte * 8)
			continue;
		plan_literal(&s->plan[MAD], key, strlen(key));
		plan_element(s, MAD, &common->fields[i], 0, byte * 8);
		CONST(&s->plan[MAD], ",");
	}
}

static void plan_header(struct shape *s, const struct json *j)
{
	const struct madkit_message *m = j->record->message;
	const struct madkit_layout *common = madkit_header_layout(m->mad[MADKIT_MAD_CLASS]);
	const struct madkit_layout *own = madkit_class_header(m->mad, m->len);
	struct madkit_format all = { .show_keys = s->show_keys };
	struct madkit_buf text;
	struct json names = { .buf = &text, .format = &all, .record = j->record };

	CONST(&s->plan[MAD], "\"header\":{");
	madkit_buf_init(&text, 0);
	json_entries(&names, ENVELOPE_CLASS, ENVELOPE_ATTRIBUTE_ID);
	if (text.error)
		s->plan[MAD].error = text.error;
	else
		plan_literal(&s->plan[MAD], text.data, text.len);
	madkit_buf_free(&text);
	plan_entry_value(s, common, "\"modifier\":", MADKIT_MAD_MODIFIER);
	plan_entry_value(s, common, "\"tid\":", MADKIT_MAD_TID);
	CONST(&s->plan[MAD], "\"status\":0");
	for (unsigned int i = 0; i < common->nfields; i++)
		if (!envelope_has_field(&common->fields[i]))
			plan_field(s, MAD, &common->fields[i], 0, false);
	if (own)
		plan_layout(s, MAD, own, 0, false);
	CONST(&s->plan[MAD], "}");
	s->header = own && own->bytes > 64 ? own->bytes : 64;
}

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

static void shape_free(struct shape *s)
{
	plan_free(&s->plan[MAD]);
	plan_free(&s->plan[DATA]);
	madkit_buf_free(&s->tail);
	free(s);
}

/* NULL: no memory. */
static struct shape *shape_new(struct json *j, uint32_t begin, bool rmpp)
{
	const struct madkit_record *r = j->record;
	const struct madkit_message *m = r->message;
	size_t bytes = r->layout ? r->layout->bytes : 0;
	struct shape *s = calloc(1, sizeof(*s) + bytes);
	struct json tail = *j;

	if (!s)
		return NULL;
	s->begin = begin;
	s->attribute_id = get_be16(m->mad + MADKIT_MAD_ATTRIBUTE);
	s->rmpp = rmpp;
	s->show_keys = j->format->show_keys;
	s->attribute = r->attribute;
	s->layout = r->layout;
	plan_init(&s->plan[MAD]);
	plan_init(&s->plan[DATA]);
	madkit_buf_init(&s->tail, 0);
	plan_header(s, j);
	CONST(&s->plan[MAD], ",\"rmpp\":");
	if (rmpp) {
		CONST(&s->plan[MAD], "{");
		plan_layout(s, MAD, &madkit_layout_rmpp, 0, true);
		CONST(&s->plan[MAD], "}");
	} else {
		CONST(&s->plan[MAD], "null");
	}
	CONST(&s->plan[MAD], ",\"data\":{");
	if (r->layout)
		plan_layout(s, DATA, r->layout, 0, true);
	else
		CONST(&s->plan[DATA], "\"" DATA_BYTES "\":\"");
	s->usable = !plan_end(&s->plan[MAD]) && !plan_end(&s->plan[DATA]);
	name_layout(madkit_header_layout(m->mad[MADKIT_MAD_CLASS]), s->named);
	name_layout(madkit_class_header(m->mad, m->len), s->named);
	if (rmpp)
		name_layout(&madkit_layout_rmpp, s->named);
	name_layout(r->layout, s->named_data);
	LIT(&s->tail, "},\"redacted\":[");
	tail.buf = &s->tail;
	tail.secrets = true;
	json_redacted(&tail);
	if (s->tail.len && s->tail.data[s->tail.len - 1] == ',')
		s->tail.len--;
	LIT(&s->tail, "]}\n");
	if (s->tail.error)
		s->usable = false;
	return s;
}

/* ---- following it ------------------------------------------------------------------ */

static struct shape *shape_of(struct json *j)
{
	const struct madkit_record *r = j->record;
	const struct madkit_message *m = r->message;
	struct madkit_plans *plans = j->format->plans;
	bool rmpp = madkit_mad_has_rmpp(m->mad, m->len);
	uint32_t begin = get_be32(m->mad);
	uint16_t id = get_be16(m->mad + MADKIT_MAD_ATTRIBUTE);
	unsigned int hash = (begin ^ begin >> 8 ^ begin >> 16 ^ id * 31u ^ id >> 8) %
			    PLANS_HASH;
	struct shape *s;

	for (s = plans->json[hash]; s; s = s->next)
		if (s->begin == begin && s->attribute_id == id && s->layout == r->layout &&
		    s->attribute == r->attribute && s->rmpp == rmpp &&
		    s->show_keys == j->format->show_keys)
			return s->usable ? s : NULL;
	if (plans->n >= PLANS_MAX)
		return NULL;
	s = shape_new(j, begin, rmpp);
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
		for (struct shape *s = plans->json[i], *next; s; s = next) {
			next = s->next;
			shape_free(s);
		}
	}
	madkit_buf_free(&plans->begin);
}

struct following {
	struct json *json;
	size_t longest;
};

static char *call(void *context, const struct plan_op *op, const uint8_t *bytes,
		  uint64_t value, char *p)
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
static bool has_rest(const struct json *j, const struct shape *s)
{
	const struct madkit_record *r = j->record;
	const struct madkit_message *m = r->message;
	size_t end = r->offset + r->len, frame = m->len < MADKIT_MAD_BYTES ? m->len :
									      MADKIT_MAD_BYTES;

	if (j->rest)
		return true;
	if (!r->record && beyond(m->mad, s->named, r->offset))
		return true;
	if (r->layout && (beyond(r->data, s->named_data, r->layout->bytes) ||
			  beyond(r->data + r->layout->bytes, NULL,
				 r->len - r->layout->bytes)))
		return true;
	if (r->record + 1 < r->records)
		return false;
	if (end < frame && beyond(m->mad + end, s->named + end, frame - end))
		return true;
	end = end > frame ? end : frame;
	return beyond(m->mad + end, NULL, m->len - end);
}

/* A whole MAD that is no error's, all of whose data is there and is shown. */
static bool is_plain(const struct json *j)
{
	const struct madkit_record *r = j->record;
	const struct madkit_message *m = r->message;

	return j->format->plans && !j->format->fields && !j->format->pretty && m->mad &&
	       r->data && !m->data_json && !m->send_status && m->len >= 64 &&
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
	p = (char *)memcpy(p, before + head->begin, head->number - head->begin) +
	    head->number - head->begin;
	p = emit_u64(p, j->record->record);
	p = (char *)memcpy(p, before + head->behind, head->end - head->behind) +
	    head->end - head->behind;
	head->behind = begin + (size_t)(p - line) - (head->end - head->behind);
	head->number += begin - head->begin;
	head->begin = begin;
	head->end = j->buf->len = (size_t)(p - before);
	return true;
}

/* Everything up to the data. */
static bool put_head(struct json *j, const struct shape *s)
{
	struct plans_head *head = &j->format->plans->head;
	struct following following = { .json = j };
	char *p;

	if (head->end)
		return put_again(j);
	head->begin = j->buf->len;
	json_envelope(j);
	following.longest = s->plan[MAD].longest + PLAN_STEP;
	p = madkit_buf_room(j->buf, following.longest);
	if (p)
		p = plan_write(&s->plan[MAD], j->record->message->mad, p, call, &following);
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
	struct shape *s;
	char *p = NULL;

	if (!is_plain(j))
		return false;
	s = shape_of(j);
	if (!s || r->message->len < s->header)
		return false;
	/* values are read eight bytes at once */
	if (r->layout && r->offset + s->reach > r->message->len) {
		memcpy(padded, r->data, r->layout->bytes);
		memset(padded + r->layout->bytes, 0, 8);
		data = padded;
	}
	following.longest = s->plan[DATA].longest + PLAN_STEP;
	if (put_head(j, s))
		p = madkit_buf_room(buf, following.longest);
	if (p)
		p = plan_write(&s->plan[DATA], data, p, call, &following);
	if (!p)
		return true;	/* what went wrong the buffer tells */
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
