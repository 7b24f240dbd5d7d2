/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <string.h>
#include <strings.h>
#include "expr/test.h"
#include "expr/words.h"
#include "util/bits.h"
#include "util/hex.h"
#include "util/put.h"
#include "wire/unit.h"
#include "wire/wire_int.h"
#include <madkit/addr.h>
#include <madkit/mad.h>

bool test_holds(enum madkit_expr_op op, int order)
{
	switch (op) {
	case MADKIT_EXPR_EQ:
		return !order;
	case MADKIT_EXPR_NE:
		return order;
	case MADKIT_EXPR_LT:
		return order < 0;
	case MADKIT_EXPR_LE:
		return order <= 0;
	case MADKIT_EXPR_GT:
		return order > 0;
	default:
		return order >= 0;
	}
}

int test_in_bytes(enum madkit_expr_op op, uint64_t units, uint64_t bytes)
{
	if (op == MADKIT_EXPR_ANY)
		return (units << 2 & bytes) != 0;
	if (units == bytes / 4)
		return test_holds(op, bytes % 4 ? -1 : 0);
	return test_holds(op, units < bytes / 4 ? -1 : 1);
}

bool test_is_ordered(enum madkit_expr_op op)
{
	return op == MADKIT_EXPR_LT || op == MADKIT_EXPR_LE || op == MADKIT_EXPR_GT || op == MADKIT_EXPR_GE;
}

int test_numbers(enum madkit_expr_op op, uint64_t a, uint64_t b)
{
	if (op == MADKIT_EXPR_ANY)
		return (a & b) != 0;
	return test_holds(op, a < b ? -1 : a > b);
}

int test_text_order(const void *a, size_t a_len, const void *b, size_t b_len, bool fold)
{
	size_t n = a_len < b_len ? a_len : b_len;
	int order = fold ? strncasecmp(a, b, n) : memcmp(a, b, n);

	if (!order)
		order = a_len < b_len ? -1 : a_len > b_len;
	return order;
}

static int eval_matches(const struct test *t, const char *text)
{
	int ret = regexec(t->regex, text, 0, NULL, 0);

	/* otherwise out of memory */
	return !ret || ret == REG_NOMATCH ? !ret == (t->op == MADKIT_EXPR_MATCH) : UNKNOWN;
}

/* ---- envelope --------------------------------------------------------------- */

enum envelope_id test_number_beside(enum envelope_id id)
{
	switch (id) {
	case ENVELOPE_CLASS:
		return ENVELOPE_CLASS_ID;
	case ENVELOPE_METHOD:
		return ENVELOPE_METHOD_ID;
	case ENVELOPE_ATTRIBUTE:
		return ENVELOPE_ATTRIBUTE_ID;
	default:
		return id;
	}
}

void test_envelope_get(const struct madkit_record *record, enum envelope_id id, struct envelope_value *value)
{
	envelope_get(record, id, value);
	if (value->type == ENVELOPE_JSON && value->len >= 2 && value->text[0] == '"') {
		value->text++;
		value->len -= 2;
	}
}

bool test_epoch(const char *text, size_t len, uint64_t *us)
{
	const char *dot = memchr(text, '.', len);
	const size_t whole = dot ? (size_t)(dot - text) : len;
	unsigned int digits = 0;

	*us = 0;
	for (size_t i = 0; i < len; i++) {
		if (i == whole)
			continue;
		if (text[i] < '0' || text[i] > '9')
			return false;
		*us = *us * 10 + (uint64_t)(text[i] - '0');
		digits += i > whole;
	}
	/* 253402300799 is the last second that is shown */
	if (!whole || whole > 12 || digits > 6 || (dot && !digits))
		return false;
	for (; digits < 6; digits++)
		*us *= 10;
	return true;
}

static int test_envelope(const struct test *t, enum envelope_id id, const struct madkit_record *record)
{
	struct envelope_value v;
	uint8_t a[16], b[16];
	char text[256];

	if (t->is_number && t->op < MADKIT_EXPR_MATCH)
		id = test_number_beside(id);
	test_envelope_get(record, id, &v);
	/* null equals and matches nothing, and has no place in an order */
	if (v.type == ENVELOPE_NONE)
		return test_is_ordered(t->op) || t->op == MADKIT_EXPR_ANY ?
			       UNKNOWN :
			       t->op == MADKIT_EXPR_NE || t->op == MADKIT_EXPR_NOMATCH;
	if (v.type == ENVELOPE_NUMBER || v.type == ENVELOPE_HEX64) {
		if (t->op == MADKIT_EXPR_NONE)
			return v.number != 0;
		if (!t->regex)
			return t->is_number ? test_numbers(t->op, v.number, t->number) : UNKNOWN;
		*(v.type == ENVELOPE_NUMBER ? emit_u64(text, v.number) : emit_hex(text, v.number, 16)) = 0;
		return eval_matches(t, text);
	}
	if (t->op == MADKIT_EXPR_NONE)
		return v.len != 0;
	if (t->op == MADKIT_EXPR_ANY)
		return UNKNOWN;
	if (t->regex) {
		size_t n = v.len < sizeof(text) - 1 ? v.len : sizeof(text) - 1;

		memcpy(text, v.text, n);
		text[n] = 0;
		return eval_matches(t, text);
	}
	if (id == ENVELOPE_EPOCH) {
		uint64_t us, than;

		return test_epoch(v.text, v.len, &us) && test_epoch(t->value, t->value_len, &than) ?
			       test_numbers(t->op, us, than) :
			       UNKNOWN;
	}
	if (id == ENVELOPE_REMOTE_GID && t->value_len < sizeof(text)) {
		memcpy(text, t->value, t->value_len);
		text[t->value_len] = 0;
		if (madkit_parse_gid(text, b, NULL) || madkit_parse_gid(v.text, a, NULL))
			return UNKNOWN;
		return test_holds(t->op, memcmp(a, b, 16));
	}
	return test_holds(t->op,
			  test_text_order(v.text, v.len, t->value, t->value_len, v.type == ENVELOPE_PLAIN));
}

/* ---- fields ------------------------------------------------------------------ */

bool test_value_number(const struct test *t, const struct madkit_field *field, uint64_t *number)
{
	if (!field_parse(field, t->value, t->value_len, number, NULL))
		return true;
	*number = t->number;
	return t->is_number;
}

static int test_bytes(const struct test *t, const uint8_t *bytes, size_t n, enum madkit_kind kind)
{
	uint8_t want[MADKIT_FRAME_BYTES];
	const char *value = t->value;
	size_t len = t->value_len;
	char text[64];
	int got;

	if (t->op == MADKIT_EXPR_NONE) {
		while (n && !bytes[n - 1])
			n--;
		return n != 0;
	}
	if (t->op != MADKIT_EXPR_EQ && t->op != MADKIT_EXPR_NE)
		return UNKNOWN;
	if (kind == MADKIT_KIND_GID) {
		if (len >= sizeof(text))
			return UNKNOWN;
		memcpy(text, value, len);
		text[len] = 0;
		if (madkit_parse_gid(text, want, NULL))
			return UNKNOWN;
		got = 16;
	} else {
		if (len > 2 && value[0] == '0' && (value[1] | 0x20) == 'x') {
			value += 2;
			len -= 2;
		}
		got = hex_decode(value, len, want, sizeof(want), NULL);
		if (got < 0)
			return UNKNOWN;
	}
	if ((size_t)got > n)
		return t->op == MADKIT_EXPR_NE;
	memset(want + got, 0, sizeof(want) - (size_t)got);
	if (n > sizeof(want))
		return UNKNOWN;
	return test_holds(t->op, memcmp(bytes, want, n));
}

/*
 * The codes of rates, widths and the like are not in the order of their meaning. The result is UNKNOWN for a
 * code without a magnitude (reserved, "NoChange"), and for a set of bits, which has no order.
 */
static int test_magnitudes(enum madkit_expr_op op, const struct madkit_field *field, uint64_t a, uint64_t b)
{
	if (field->kind == MADKIT_KIND_BITS)
		return UNKNOWN;
	if (field->kind == MADKIT_KIND_ENUM &&
	    (madkit_value_magnitude(field->values, a, &a) || madkit_value_magnitude(field->values, b, &b)))
		return UNKNOWN;
	return test_numbers(op, a, b);
}

/*
 * Checks if an ordered comparison with a number has one meaning: "LinkWidthActive < 4" could mean 4X, or code
 * 4, which is 8X. The number of a port state is both its code and its magnitude, and 2048 is the name of an
 * MTU.
 */
bool test_order_is_clear(const struct test *t, const struct madkit_field *field)
{
	uint64_t code, magnitude;

	if (field->kind != MADKIT_KIND_ENUM || !t->is_number ||
	    !madkit_value_find(field->values, t->value, t->value_len, &code))
		return true;
	return !madkit_value_magnitude(field->values, t->number, &magnitude) && magnitude == t->number;
}

static void test_put_text(struct madkit_buf *buf, const struct madkit_item *item, bool bytes)
{
	if (bytes)
		put_times4(buf, item->value);
	else
		value_text(buf, NULL, item, false);
	madkit_buf_char(buf, 0);
}

/* Checks if the text of the item matches. */
static int test_text(const struct test *t, const struct madkit_item *item, bool bytes)
{
	/* If out of memory, the test is UNKNOWN, and a filter silently drops the record. Texts up to this
	 * length, which include those of all known fields, need no memory. */
	char room[2048];
	struct madkit_buf buf = { .data = room, .cap = sizeof(room), .max = sizeof(room) };
	int ret;

	test_put_text(&buf, item, bytes);
	if (!buf.error)
		return eval_matches(t, room);
	madkit_buf_init(&buf, 0);
	test_put_text(&buf, item, bytes);
	ret = buf.error ? UNKNOWN : eval_matches(t, buf.data);
	madkit_buf_free(&buf);
	return ret;
}

/* Compares a number with a unit, or a bit error rate. */
static int test_decimal(const struct test *t, const struct madkit_item *item)
{
	struct decimal value, other = t->decimal;

	if (!unit_value(item->field, item->base, item->len, item->value, &value) || t->op == MADKIT_EXPR_ANY)
		return UNKNOWN;
	unit_clear(item->field, &value);
	unit_clear(item->field, &other);
	if (t->op == MADKIT_EXPR_NONE)
		return value.digits != 0;
	return t->is_decimal ? test_holds(t->op, decimal_order(&value, &other)) : UNKNOWN;
}

/* bytes: the name has _bytes, and the value is 4 times the item's. */
static int test_element(const struct test *t, const struct madkit_item *item, bool bytes)
{
	const struct madkit_field *field = item->field;
	uint64_t number;

	if (t->regex)
		return test_text(t, item, bytes);
	switch (field->kind) {
	case MADKIT_KIND_STRING:
		if (t->op == MADKIT_EXPR_NONE)
			return string_length(item) != 0;
		if (t->op == MADKIT_EXPR_ANY)
			return UNKNOWN;
		return test_holds(t->op, test_text_order(madkit_item_bytes(item), string_length(item),
							 t->value, t->value_len, false));
	case MADKIT_KIND_GID:
	case MADKIT_KIND_BYTES:
		return test_bytes(t, madkit_item_bytes(item), field->width / 8, field->kind);
	case MADKIT_KIND_SCALED:
	case MADKIT_KIND_BER:
		return test_decimal(t, item);
	case MADKIT_KIND_STRUCT:
		return UNKNOWN;
	default:
		break;
	}
	if (field->width > 64) /* ServiceKey */
		return test_bytes(t, madkit_item_bytes(item), field->width / 8, MADKIT_KIND_BYTES);
	if (t->op == MADKIT_EXPR_NONE)
		return item->value != 0;
	if (!test_value_number(t, field, &number))
		return UNKNOWN;
	if (bytes)
		return test_in_bytes(t->op, item->value, number);
	/* == with names of bits checks these bits, whatever others are set */
	if (field->kind == MADKIT_KIND_BITS && !t->is_number &&
	    (t->op == MADKIT_EXPR_EQ || t->op == MADKIT_EXPR_NE))
		return ((item->value & number) == number) == (t->op == MADKIT_EXPR_EQ);
	if (!test_is_ordered(t->op))
		return test_numbers(t->op, item->value, number);
	return test_order_is_clear(t, field) ? test_magnitudes(t->op, field, item->value, number) : UNKNOWN;
}

int test_operand(const struct test *t, const struct operand *o)
{
	return o->id == ENVELOPE_N ? test_element(t, o->item, o->bytes) : test_envelope(t, o->id, o->record);
}

static bool test_is_gid(const struct test *t)
{
	char text[64];
	uint8_t gid[16];

	if (t->value_len >= sizeof(text))
		return false;
	memcpy(text, t->value, t->value_len);
	text[t->value_len] = 0;
	return !madkit_parse_gid(text, gid, NULL);
}

bool test_value_fits(const struct test *t, enum envelope_id id, const struct madkit_field *field)
{
	uint8_t bytes[MADKIT_FRAME_BYTES];
	uint64_t number;

	if (field && unit_is_decimal(field))
		return t->is_decimal;
	if (field && (field->kind == MADKIT_KIND_BYTES || field->width > 64) &&
	    field->kind != MADKIT_KIND_STRING && field->kind != MADKIT_KIND_GID)
		return hex_decode(t->value, t->value_len, bytes, sizeof(bytes), NULL) >= 0;
	if (field ? field->kind == MADKIT_KIND_GID : id == ENVELOPE_REMOTE_GID)
		return test_is_gid(t);
	if (field)
		return field->kind != MADKIT_KIND_STRING && test_value_number(t, field, &number);
	if (id == ENVELOPE_EPOCH)
		return test_epoch(t->value, t->value_len, &number);
	return envelope_entries[id].number ? t->is_number : words_have(id, t->value, t->value_len);
}
