/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <madkit/addr.h>
#include <madkit/escape.h>
#include <madkit/mad.h>
#include <madkit/rmpp.h>
#include "expr/value.h"
#include "util/bits.h"
#include "util/put.h"
#include "wire/unit.h"
#include "wire/wire_int.h"

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

/* Writes 0x and as few digits as possible. */
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

static void value_put_enum(void *context, struct madkit_buf *buf, const struct madkit_item *item)
{
	const char *name = madkit_value_name(item->field->values, item->value);

	(void)context;
	if (name) {
		madkit_buf_str(buf, name);
		return;
	}
	LIT(buf, "?(");
	put_number(buf, item->value);
	LIT(buf, ")");
}

/* Writes "1X or 4X". */
static void value_put_alternatives(void *context, struct madkit_buf *buf, const struct madkit_item *item)
{
	const struct madkit_value *v = item->field->values;
	const char *whole = madkit_value_name(v, item->value);
	uint64_t left = item->value;
	bool any = false;

	(void)context;
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

static void value_put_bits(void *context, struct madkit_buf *buf, const struct madkit_item *item)
{
	const struct madkit_value *v = item->field->values;

	(void)context;
	put_short_hex(buf, item->value);
	for (; v && v->name; v++) {
		if ((v->value & (v->value - 1)) || !(item->value & v->value))
			continue;
		LIT(buf, "\n\t\t\t\t");
		madkit_buf_str(buf, v->name);
	}
}

static bool value_has_secrets(const struct madkit_attribute *attribute)
{
	if (!attribute || !attribute->layout)
		return false;
	for (size_t i = 0; i < attribute->neditions; i++)
		if (layout_has_secrets(attribute->editions[i].layout))
			return true;
	return layout_has_secrets(attribute->layout);
}

/* Checks if the attribute has no known layout in this base version, but has secrets in the IBA. */
static bool unknown_is_secret(const struct madkit_record *record)
{
	const struct madkit_message *m = record->message;

	return !record->attribute && m->len >= MADKIT_HEADER_BYTES &&
	       m->mad[MADKIT_MAD_BASE_VERSION] != MADKIT_BASE_VERSION_IB &&
	       value_has_secrets(madkit_attribute_get(MADKIT_BASE_VERSION_IB, m->mad[MADKIT_MAD_CLASS],
						      get_be16(m->mad + MADKIT_MAD_ATTRIBUTE)));
}

bool data_is_secret(const struct madkit_record *record)
{
	const struct madkit_message *m = record->message;

	if (m->mad && unknown_is_secret(record))
		return true;
	return m->mad && madkit_mad_has_rmpp(m->mad, m->len) &&
	       madkit_rmpp_get_type(m->mad) == MADKIT_RMPP_DATA && madkit_rmpp_get_segment(m->mad) > 1 &&
	       value_has_secrets(record->attribute);
}

static void value_put_string(void *context, struct madkit_buf *buf, const struct madkit_item *item)
{
	(void)context;
	madkit_text_escape(buf, (const char *)madkit_item_bytes(item), string_length(item));
}

bool value_is_none(const struct madkit_item *item)
{
	struct decimal value;

	return unit_is_decimal(item->field) &&
	       !unit_value(item->field, item->base, item->len, item->value, &value);
}

void value_number(struct madkit_buf *buf, const struct madkit_item *item, const char *none)
{
	struct decimal value;
	char *p;

	if (!unit_value(item->field, item->base, item->len, item->value, &value))
		madkit_buf_str(buf, none);
	else if ((p = madkit_buf_room(buf, DECIMAL_TEXT_MAX)))
		buf->len = (size_t)(unit_emit(p, item->field, &value) - buf->data);
}

/* Writes a rate of 15 and -16 as 1.5e-15. */
static char *value_emit_ber(char *p, struct decimal value)
{
	char exponent[DECIMAL_TEXT_MAX];
	size_t n;

	if (value.digits < 10)
		return decimal_emit_exponent(p, &value);
	*p++ = '1';
	if (value.digits % 10) {
		*p++ = '.';
		*p++ = (char)('0' + value.digits % 10);
	}
	if (value.exponent == -1)
		return p;
	value = (struct decimal){ .digits = 1, .exponent = value.exponent + 1 };
	/* without the digit, which is 1 */
	n = (size_t)(decimal_emit_exponent(exponent, &value) - exponent) - 1;

	memcpy(p, exponent + 1, n);
	return p + n;
}

/* Writes "48.5 C", "1.5e-15", "none seen" or "-". */
static void value_put_decimal(void *context, struct madkit_buf *buf, const struct madkit_item *item)
{
	const struct madkit_field *field = item->field;
	struct decimal value;
	char *p;

	(void)context;
	if (!unit_value(field, item->base, item->len, item->value, &value)) {
		LIT(buf, "-");
		return;
	}
	if (unit_is_clean(field, &value)) {
		LIT(buf, "none seen");
		return;
	}
	p = madkit_buf_room(buf, DECIMAL_TEXT_MAX);
	if (!p)
		return;
	if (field->kind == MADKIT_KIND_BER) {
		buf->len = (size_t)(value_emit_ber(p, value) - buf->data);
		return;
	}
	decimal_round(&value, 3);
	buf->len = (size_t)(decimal_emit(p, &value) - buf->data);
	LIT(buf, " ");
	madkit_buf_str(buf, unit_get(field, item->base, item->len)->symbol);
}

static void value_hex(struct madkit_buf *buf, struct plan *plan, const struct madkit_item *item)
{
	LIT(buf, "0x");
	/* ServiceKey has more than 64 bits */
	line_value(buf, plan, item->field->width > 64 ? PLAN_BYTES : PLAN_HEX, item);
}

void value_text(struct madkit_buf *buf, struct plan *plan, const struct madkit_item *item, bool show_keys)
{
	const struct madkit_field *field = item->field;

	if (!show_keys && item_is_secret(item)) {
		LIT(buf, NOT_DISPLAYED);
		return;
	}
	switch (field->kind) {
	case MADKIT_KIND_KEY:
	case MADKIT_KIND_HEX:
	case MADKIT_KIND_GUID:
		value_hex(buf, plan, item);
		break;
	case MADKIT_KIND_ENUM:
		line_call(buf, plan, PLAN_CALL, item, value_put_enum, NULL);
		break;
	case MADKIT_KIND_BITS:
		if (field->flags & MADKIT_FIELD_PLAIN)
			value_hex(buf, plan, item);
		else if (field->flags & MADKIT_FIELD_ALTERNATIVES)
			line_call(buf, plan, PLAN_CALL, item, value_put_alternatives, NULL);
		else
			line_call(buf, plan, PLAN_CALL, item, value_put_bits, NULL);
		break;
	case MADKIT_KIND_GID:
		line_value(buf, plan, PLAN_GID, item);
		break;
	case MADKIT_KIND_STRING:
		line_call(buf, plan, PLAN_CALL, item, value_put_string, NULL);
		break;
	case MADKIT_KIND_BYTES:
		line_value(buf, plan, PLAN_BYTES, item);
		break;
	case MADKIT_KIND_SCALED:
	case MADKIT_KIND_BER:
		line_call(buf, plan, PLAN_CALL, item, value_put_decimal, NULL);
		break;
	default:
		line_value(buf, plan, PLAN_DECIMAL, item);
		break;
	}
}

/* Writes "IsSM|IsTrapSupported|0x10": bits without a name become a number. */
static void value_put_names(struct madkit_buf *buf, const struct madkit_item *item)
{
	const struct madkit_value *v = item->field->values;
	uint64_t left = item->value;

	for (; v && v->name; v++) {
		if ((v->value & (v->value - 1)) || !(left & v->value))
			continue;
		if (left != item->value)
			LIT(buf, "|");
		madkit_buf_str(buf, v->name);
		left &= ~v->value;
	}
	if (left && left != item->value)
		LIT(buf, "|");
	if (left || !item->value)
		put_short_hex(buf, left);
}

void value_cell(struct madkit_buf *buf, const struct madkit_item *item, bool show_keys)
{
	const struct madkit_field *field = item->field;

	if (field->kind == MADKIT_KIND_BITS && field->values &&
	    !(field->flags & (MADKIT_FIELD_PLAIN | MADKIT_FIELD_ALTERNATIVES)))
		value_put_names(buf, item);
	else
		value_text(buf, NULL, item, show_keys);
}
