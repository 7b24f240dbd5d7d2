/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <errno.h>
#include <stdlib.h>
#include <madkit/mad.h>
#include <madkit/rmpp.h>
#include "expr/value.h"
#include "format/json_shape.h"
#include "util/bits.h"
#include "util/put.h"

#define CONST(plan, text) plan_literal(plan, text, sizeof(text) - 1)

static void plan_name(struct plan *plan, const struct madkit_field *field, const char *suffix)
{
	CONST(plan, "\"");
	plan_literal(plan, field->name, strlen(field->name));
	plan_literal(plan, suffix, strlen(suffix));
	CONST(plan, "\":");
}

static void plan_element(struct json_shape *s, unsigned int base, const struct madkit_field *field,
			 unsigned int i, uint32_t bit)
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
	if (field->kind == MADKIT_KIND_COUNTER || (field->width <= 32 && field->kind != MADKIT_KIND_BYTES)) {
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
		plan_value(plan, field->width > 64 ? PLAN_BYTES : PLAN_HEX, field, i, bit, 0);
	}
	CONST(plan, "\"");
}

/* The names of all values of a small field, as they will be written. */
static void plan_names(struct json_shape *s, unsigned int base, const struct madkit_field *field)
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
static void plan_bits(struct json_shape *s, unsigned int base, const struct madkit_field *field)
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

static void plan_companion(struct json_shape *s, unsigned int base, const struct madkit_field *field,
			   unsigned int i, uint32_t bit)
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

static void plan_layout(struct json_shape *s, unsigned int base, const struct madkit_layout *layout,
			uint32_t bit, bool first);

/* Elements of an array, or the one value. */
static void plan_elements(struct json_shape *s, unsigned int base, const struct madkit_field *field,
			  uint32_t bit, bool companions)
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
		if (base == SHAPE_DATA && at / 8 + 8 > s->reach)
			s->reach = at / 8 + 8;
	}
	if (field->count)
		CONST(&s->plan[base], "]");
}

static void plan_field(struct json_shape *s, unsigned int base, const struct madkit_field *field,
		       uint32_t bit, bool first)
{
	const char *suffix = field_companion_suffix(field);

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

static void plan_layout(struct json_shape *s, unsigned int base, const struct madkit_layout *layout,
			uint32_t bit, bool first)
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
static void plan_entry_value(struct json_shape *s, const struct madkit_layout *common, const char *key,
			     unsigned int byte)
{
	for (unsigned int i = 0; i < common->nfields; i++) {
		if (common->fields[i].offset != byte * 8)
			continue;
		plan_literal(&s->plan[SHAPE_MAD], key, strlen(key));
		plan_element(s, SHAPE_MAD, &common->fields[i], 0, byte * 8);
		CONST(&s->plan[SHAPE_MAD], ",");
	}
}

static void plan_header(struct json_shape *s, const struct json *j)
{
	const struct madkit_message *m = j->record->message;
	const struct madkit_layout *common = madkit_header_layout(m->mad[MADKIT_MAD_CLASS]);
	const struct madkit_layout *own = madkit_class_header(m->mad, m->len);
	struct madkit_format all = { .show_keys = s->show_keys };
	struct madkit_buf text;
	struct json names = { .buf = &text, .format = &all, .record = j->record };

	CONST(&s->plan[SHAPE_MAD], "\"header\":{");
	madkit_buf_init(&text, 0);
	json_entries(&names, ENVELOPE_CLASS, ENVELOPE_ATTRIBUTE_ID);
	if (text.error)
		s->plan[SHAPE_MAD].error = text.error;
	else
		plan_literal(&s->plan[SHAPE_MAD], text.data, text.len);
	madkit_buf_free(&text);
	plan_entry_value(s, common, "\"modifier\":", MADKIT_MAD_MODIFIER);
	plan_entry_value(s, common, "\"tid\":", MADKIT_MAD_TID);
	CONST(&s->plan[SHAPE_MAD], "\"status\":0");
	for (unsigned int i = 0; i < common->nfields; i++)
		if (!envelope_has_field(&common->fields[i]))
			plan_field(s, SHAPE_MAD, &common->fields[i], 0, false);
	if (own)
		plan_layout(s, SHAPE_MAD, own, 0, false);
	CONST(&s->plan[SHAPE_MAD], "}");
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

void json_shape_free(struct json_shape *s)
{
	plan_free(&s->plan[SHAPE_MAD]);
	plan_free(&s->plan[SHAPE_DATA]);
	madkit_buf_free(&s->tail);
	free(s);
}

struct json_shape *json_shape_new(struct json *j, uint32_t begin, bool rmpp)
{
	const struct madkit_record *r = j->record;
	const struct madkit_message *m = r->message;
	size_t bytes = r->layout ? r->layout->bytes : 0;
	struct json_shape *s = calloc(1, sizeof(*s) + bytes);
	struct json tail = *j;

	if (!s)
		return NULL;
	s->begin = begin;
	s->attribute_id = get_be16(m->mad + MADKIT_MAD_ATTRIBUTE);
	s->rmpp = rmpp;
	s->show_keys = j->format->show_keys;
	s->attribute = r->attribute;
	s->layout = r->layout;
	plan_init(&s->plan[SHAPE_MAD]);
	plan_init(&s->plan[SHAPE_DATA]);
	madkit_buf_init(&s->tail, 0);
	plan_header(s, j);
	CONST(&s->plan[SHAPE_MAD], ",\"rmpp\":");
	if (rmpp) {
		CONST(&s->plan[SHAPE_MAD], "{");
		plan_layout(s, SHAPE_MAD, &madkit_layout_rmpp, 0, true);
		CONST(&s->plan[SHAPE_MAD], "}");
	} else {
		CONST(&s->plan[SHAPE_MAD], "null");
	}
	CONST(&s->plan[SHAPE_MAD], ",\"data\":{");
	if (r->layout)
		plan_layout(s, SHAPE_DATA, r->layout, 0, true);
	else
		CONST(&s->plan[SHAPE_DATA], "\"" DATA_BYTES "\":\"");
	s->usable = !plan_end(&s->plan[SHAPE_MAD]) && !plan_end(&s->plan[SHAPE_DATA]);
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
