/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <madkit/addr.h>
#include <madkit/escape.h>
#include <madkit/mad.h>
#include <madkit/rmpp.h>
#include "expr/value.h"
#include "util/bits.h"
#include "util/put.h"

const char *field_companion_suffix(const struct madkit_field *field)
{
	switch (field->kind) {
	case MADKIT_KIND_ENUM:
		return "_name";
	case MADKIT_KIND_BITS:
		return "_names";
	case MADKIT_KIND_COUNTER:
		return field->flags & MADKIT_FIELD_OCTETS4 ? "_bytes" : NULL;
	default:
		return NULL;
	}
}

/* 0x and as few digits as it takes. */
static void put_short_hex(struct madkit_buf *buf, uint64_t v)
{
	char *p = madkit_buf_room(buf, EMIT_HEX_MAX);
	char digits[EMIT_HEX_MAX];
	size_t skip = 2;

	if (!p)
		return;
	emit_hex(digits, v, 16);
	while (skip < 17 && digits[skip] == '0')
		skip++;
	memcpy(p, "0x", 2);
	memcpy(p + 2, digits + skip, 18 - skip);
	buf->len += 20 - skip;
}

static void put_enum(struct madkit_buf *buf, const struct madkit_item *item)
{
	const char *name = madkit_value_name(item->field->values, item->value);

	if (name) {
		madkit_buf_str(buf, name);
		return;
	}
	LIT(buf, "?(");
	put_number(buf, item->value);
	LIT(buf, ")");
}

/* "1X or 4X" */
static void put_alternatives(struct madkit_buf *buf, const struct madkit_item *item)
{
	const struct madkit_value *v = item->field->values;
	const char *whole = madkit_value_name(v, item->value);
	uint64_t left = item->value;
	bool any = false;

	if (whole) {
		madkit_buf_str(buf, whole);
		return;
	}
	for (; v && v->name; v++) {
		if ((v->value & (v->value - 1)) || !(left & v->value))
			continue;
		if (any)
			LIT(buf, " or ");
		madkit_buf_str(buf, v->name);
		left &= ~v->value;
		any = true;
	}
	if (left || !any) {
		if (any)
			LIT(buf, " or ");
		LIT(buf, "undefined (");
		put_number(buf, item->value);
		LIT(buf, ")");
	}
}

static void value_put_bits(struct madkit_buf *buf, const struct madkit_item *item)
{
	const struct madkit_value *v = item->field->values;

	put_short_hex(buf, item->value);
	for (; v && v->name; v++) {
		if ((v->value & (v->value - 1)) || !(item->value & v->value))
			continue;
		LIT(buf, "\n\t\t\t\t");
		madkit_buf_str(buf, v->name);
	}
}

static bool has_secrets(const struct madkit_attribute *attribute)
{
	if (!attribute || !attribute->layout)
		return false;
	for (size_t i = 0; i < attribute->neditions; i++)
		if (madkit_layout_has_secrets(attribute->editions[i].layout))
			return true;
	return madkit_layout_has_secrets(attribute->layout);
}

/* Whether no layout is known for the attribute in this base version, and the IBA's attribute has secrets. */
static bool unknown_is_secret(const struct madkit_record *record)
{
	const struct madkit_message *m = record->message;

	return !record->attribute && m->len >= MADKIT_HEADER_BYTES &&
	       m->mad[MADKIT_MAD_BASE_VERSION] != MADKIT_BASE_VERSION_IB &&
	       has_secrets(madkit_attribute_get(MADKIT_BASE_VERSION_IB, m->mad[MADKIT_MAD_CLASS],
						get_be16(m->mad + MADKIT_MAD_ATTRIBUTE)));
}

bool data_is_secret(const struct madkit_record *record)
{
	const struct madkit_message *m = record->message;

	if (m->mad && unknown_is_secret(record))
		return true;
	return m->mad && madkit_mad_has_rmpp(m->mad, m->len) &&
	       madkit_rmpp_get_type(m->mad) == MADKIT_RMPP_DATA && madkit_rmpp_get_segment(m->mad) > 1 &&
	       has_secrets(record->attribute);
}

void value_text(struct madkit_buf *buf, const struct madkit_item *item, bool show_keys)
{
	const struct madkit_field *field = item->field;
	char gid[MADKIT_GID_TEXT_MAX];

	if (!show_keys && item_is_secret(item)) {
		LIT(buf, NOT_DISPLAYED);
		return;
	}
	switch (field->kind) {
	case MADKIT_KIND_KEY:
	case MADKIT_KIND_HEX:
	case MADKIT_KIND_GUID:
		if (field->width > 64) { /* ServiceKey */
			LIT(buf, "0x");
			put_bytes(buf, madkit_item_bytes(item), field->width / 8);
			return;
		}
		put_hex(buf, item->value, emit_hex_digits(field->width));
		return;
	case MADKIT_KIND_ENUM:
		put_enum(buf, item);
		return;
	case MADKIT_KIND_BITS:
		if (field->flags & MADKIT_FIELD_PLAIN)
			put_hex(buf, item->value, emit_hex_digits(field->width));
		else if (field->flags & MADKIT_FIELD_ALTERNATIVES)
			put_alternatives(buf, item);
		else
			value_put_bits(buf, item);
		return;
	case MADKIT_KIND_GID:
		madkit_buf_str(buf, madkit_gid_text(madkit_item_bytes(item), gid));
		return;
	case MADKIT_KIND_STRING:
		madkit_text_escape(buf, (const char *)madkit_item_bytes(item), string_length(item));
		return;
	case MADKIT_KIND_BYTES:
		put_bytes(buf, madkit_item_bytes(item), field->width / 8);
		return;
	default:
		put_number(buf, item->value);
		return;
	}
}
