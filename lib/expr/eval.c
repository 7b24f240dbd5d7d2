/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What an expression says of a record, and whether it can say anything. */
#include <errno.h>
#include <string.h>
#include <strings.h>
#include <madkit/mad.h>
#include <madkit/rmpp.h>
#include "expr/expr_int.h"
#include "expr/value.h"
#include "expr/words.h"
#include "util/bits.h"
#include "util/put.h"
#include "util/hex.h"
#include "util/names.h"

#define UNKNOWN (-1) /* besides 0 and 1 */

static bool holds(enum test_op op, int order)
{
	switch (op) {
	case TEST_EQ:
		return !order;
	case TEST_NE:
		return order;
	case TEST_LT:
		return order < 0;
	case TEST_LE:
		return order <= 0;
	case TEST_GT:
		return order > 0;
	default:
		return order >= 0;
	}
}

/* Compares a counter of 4-octet units with a number of bytes; the counter in bytes may have 66 bits. */
static int numbers_in_bytes(enum test_op op, uint64_t units, uint64_t bytes)
{
	if (op == TEST_ANY)
		return (units << 2 & bytes) != 0;
	if (units == bytes / 4)
		return holds(op, bytes % 4 ? -1 : 0);
	return holds(op, units < bytes / 4 ? -1 : 1);
}

static bool is_ordered(enum test_op op)
{
	return op == TEST_LT || op == TEST_LE || op == TEST_GT || op == TEST_GE;
}

static int numbers(enum test_op op, uint64_t a, uint64_t b)
{
	if (op == TEST_ANY)
		return (a & b) != 0;
	return holds(op, a < b ? -1 : a > b);
}

/* Order of two texts; the shorter comes first where it begins the other. */
static int texts(const void *a, size_t a_len, const char *b, size_t b_len, bool fold)
{
	size_t n = a_len < b_len ? a_len : b_len;
	int order = fold ? strncasecmp(a, b, n) : memcmp(a, b, n);

	if (!order)
		order = a_len < b_len ? -1 : a_len > b_len;
	return order;
}

static int eval_matches(const struct test *t, const char *text)
{
	bool found = !regexec(t->regex, text, 0, NULL, 0);

	return found == (t->op == TEST_MATCH);
}

/* ---- envelope --------------------------------------------------------------- */

/* A name compared with a number: the number stands beside it. */
static enum envelope_id number_beside(enum envelope_id id)
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

static int test_envelope(const struct test *t, enum envelope_id id, const struct madkit_record *record)
{
	struct envelope_value v;
	uint8_t a[16], b[16];
	char text[256];

	if (t->is_number && t->op < TEST_MATCH)
		id = number_beside(id);
	envelope_get(record, id, &v);
	if (v.type == ENVELOPE_JSON && v.len >= 2 && v.text[0] == '"') {
		v.text++;
		v.len -= 2;
	}
	/* null equals and matches nothing, and has no place in an order */
	if (v.type == ENVELOPE_NONE)
		return is_ordered(t->op) || t->op == TEST_ANY ? UNKNOWN :
								t->op == TEST_NE || t->op == TEST_NOMATCH;
	if (v.type == ENVELOPE_NUMBER || v.type == ENVELOPE_HEX64) {
		if (t->op == TEST_NONE)
			return v.number != 0;
		if (!t->regex)
			return t->is_number ? numbers(t->op, v.number, t->number) : UNKNOWN;
		*(v.type == ENVELOPE_NUMBER ? emit_u64(text, v.number) : emit_hex(text, v.number, 16)) = 0;
		return eval_matches(t, text);
	}
	if (t->op == TEST_NONE)
		return v.len != 0;
	if (t->op == TEST_ANY)
		return UNKNOWN;
	if (t->regex) {
		size_t n = v.len < sizeof(text) - 1 ? v.len : sizeof(text) - 1;

		memcpy(text, v.text, n);
		text[n] = 0;
		return eval_matches(t, text);
	}
	if (id == ENVELOPE_REMOTE_GID && t->value_len < sizeof(text)) {
		memcpy(text, t->value, t->value_len);
		text[t->value_len] = 0;
		if (madkit_parse_gid(text, b, NULL) || madkit_parse_gid(v.text, a, NULL))
			return UNKNOWN;
		return holds(t->op, memcmp(a, b, 16));
	}
	return holds(t->op, texts(v.text, v.len, t->value, t->value_len, v.type == ENVELOPE_PLAIN));
}

/* ---- fields ------------------------------------------------------------------ */

/* The test's value as a number of this field: a name of it, or digits. */
static bool value_number(const struct test *t, const struct madkit_field *field, uint64_t *number)
{
	if (!madkit_field_parse(field, t->value, t->value_len, number, NULL))
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

	if (t->op == TEST_NONE) {
		while (n && !bytes[n - 1])
			n--;
		return n != 0;
	}
	if (t->op != TEST_EQ && t->op != TEST_NE)
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
		return t->op == TEST_NE;
	memset(want + got, 0, sizeof(want) - (size_t)got);
	if (n > sizeof(want))
		return UNKNOWN;
	return holds(t->op, memcmp(bytes, want, n));
}

/*
 * Codes of rates, widths and the like are not in the order of what they mean. A
 * code without a magnitude (reserved, "NoChange") has no answer, and a set
 * of bits has no order.
 */
static int magnitudes(enum test_op op, const struct madkit_field *field, uint64_t a, uint64_t b)
{
	if (field->kind == MADKIT_KIND_BITS)
		return UNKNOWN;
	if (field->kind == MADKIT_KIND_ENUM &&
	    (madkit_value_magnitude(field->values, a, &a) || madkit_value_magnitude(field->values, b, &b)))
		return UNKNOWN;
	return numbers(op, a, b);
}

/*
 * Whether an ordered comparison with a number means one thing: "LinkWidthActive < 4" could mean 4X or code
 * 4, which is 8X. The number of a port state is both its code and its magnitude, and 2048 is the name
 * of an MTU.
 */
static bool order_is_clear(const struct test *t, const struct madkit_field *field)
{
	uint64_t code, magnitude;

	if (field->kind != MADKIT_KIND_ENUM || !t->is_number ||
	    !madkit_value_find(field->values, t->value, t->value_len, &code))
		return true;
	return !madkit_value_magnitude(field->values, t->number, &magnitude) && magnitude == t->number;
}

/* bytes: the name has _bytes, and the value is 4 times the item's. */
static int test_element(const struct test *t, const struct madkit_item *item, bool bytes)
{
	const struct madkit_field *field = item->field;
	uint64_t number;

	if (t->regex) {
		struct madkit_buf buf;
		int ret = UNKNOWN;

		madkit_buf_init(&buf, 0);
		if (bytes)
			put_times4(&buf, item->value);
		else
			value_text(&buf, NULL, item, false);
		madkit_buf_char(&buf, 0);
		if (!buf.error)
			ret = eval_matches(t, buf.data);
		madkit_buf_free(&buf);
		return ret;
	}
	switch (field->kind) {
	case MADKIT_KIND_STRING:
		if (t->op == TEST_NONE)
			return string_length(item) != 0;
		if (t->op == TEST_ANY)
			return UNKNOWN;
		return holds(t->op, texts(madkit_item_bytes(item), string_length(item), t->value,
					  t->value_len, false));
	case MADKIT_KIND_GID:
	case MADKIT_KIND_BYTES:
		return test_bytes(t, madkit_item_bytes(item), field->width / 8, field->kind);
	case MADKIT_KIND_STRUCT:
		return UNKNOWN;
	default:
		break;
	}
	if (field->width > 64) /* ServiceKey */
		return test_bytes(t, madkit_item_bytes(item), field->width / 8, MADKIT_KIND_BYTES);
	if (t->op == TEST_NONE)
		return item->value != 0;
	if (!value_number(t, field, &number))
		return UNKNOWN;
	if (bytes)
		return numbers_in_bytes(t->op, item->value, number);
	/* == with names of bits asks for these bits, whatever others are set */
	if (field->kind == MADKIT_KIND_BITS && !t->is_number && (t->op == TEST_EQ || t->op == TEST_NE))
		return ((item->value & number) == number) == (t->op == TEST_EQ);
	if (!is_ordered(t->op))
		return numbers(t->op, item->value, number);
	return order_is_clear(t, field) ? magnitudes(t->op, field, item->value, number) : UNKNOWN;
}

/*
 * True if it holds for any element. Otherwise unknown if an element is null or none is present: the test
 * might hold for the null one.
 */
static int test_place(const struct test *t, const struct bound *bound, const uint8_t *data, size_t len,
		      const uint8_t *known)
{
	const struct madkit_place *place = &bound->place;
	const struct madkit_field *field = place->field;
	unsigned int repeat = place->repeat ? place->repeat : 1;
	bool null = false;
	int result = UNKNOWN;

	for (unsigned int r = 0; r < repeat; r++) {
		size_t skip = (place->base + (size_t)r * place->repeat_stride) / 8;
		unsigned int i = place->whole ? 0 : place->index;
		unsigned int end = place->whole ? madkit_field_count(field) : i + 1u;

		if (skip > len)
			break;
		for (; i < end; i++) {
			struct madkit_item item = {
				.event = MADKIT_WALK_FIELD,
				.field = field,
				.index = i,
				.base = data + skip,
				.len = len - skip,
			};
			uint32_t bit = madkit_field_offset(field, i);
			int one;

			if (((size_t)bit + field->width + 7) / 8 > item.len)
				break;
			if (known && !bits_test(known + skip, bit)) {
				null = true;
				continue;
			}
			if (field->width && field->width <= 64)
				item.value = bits_get(item.base, bit, field->width);
			one = test_element(t, &item, bound->bytes);
			if (one == 1)
				return 1;
			if (one == 0)
				result = 0;
		}
	}
	return null ? UNKNOWN : result;
}

static int test_in(const struct madkit_expr *e, size_t n, const struct madkit_layout *layout,
		   const uint8_t *data, size_t len, const uint8_t *known)
{
	struct bound own;
	const struct bound *bound =
		bindings_find(e->bindings, layout, bindings_get(e->bindings, layout), n, &own);

	return bound ? test_place(&e->tests[n], bound, data, len, known) : UNKNOWN;
}

static int test_header(const struct madkit_expr *e, size_t n, const struct madkit_message *m)
{
	const struct madkit_layout *layout;
	int ret;

	if (!m->mad || m->len < MADKIT_HEADER_BYTES)
		return UNKNOWN;
	ret = test_in(e, n, madkit_header_layout(m->mad[MADKIT_MAD_CLASS]), m->mad, m->len, NULL);
	layout = madkit_class_header(m->mad, m->len);
	if (ret == UNKNOWN && layout)
		ret = test_in(e, n, layout, m->mad, m->len, NULL);
	return ret;
}

/* Data without a layout is one field of bytes. */
static int test_unknown(const struct test *t, const struct name *name, const struct madkit_record *record)
{
	const struct madkit_field bytes = {
		.name = DATA_BYTES,
		.width = (uint32_t)record->len * 8,
		.kind = data_is_secret(record) ? MADKIT_KIND_KEY : MADKIT_KIND_BYTES,
	};
	const struct madkit_item item = {
		.event = MADKIT_WALK_FIELD,
		.field = &bytes,
		.base = record->data,
		.len = record->len,
	};

	if (name->field_len != strlen(DATA_BYTES) || strncasecmp(name->field, DATA_BYTES, name->field_len) ||
	    record->len > MADKIT_FRAME_BYTES)
		return UNKNOWN;
	return test_element(t, &item, false);
}

static int test_eval(const struct madkit_expr *e, size_t n, const struct madkit_record *record)
{
	const struct madkit_message *m = record->message;

	switch (e->names[n].scope) {
	case NAME_ENVELOPE:
		return test_envelope(&e->tests[n], e->names[n].id, record);
	case NAME_HEADER:
		return test_header(e, n, m);
	case NAME_RMPP:
		if (!m->mad || !madkit_mad_has_rmpp(m->mad, m->len))
			return UNKNOWN;
		return test_in(e, n, &madkit_layout_rmpp, m->mad, m->len, NULL);
	default:
		if (!record->data)
			return UNKNOWN;
		if (!record->layout)
			return test_unknown(&e->tests[n], &e->names[n], record);
		return test_in(e, n, record->layout, record->data, record->len, record->known);
	}
}

int madkit_expr_eval(const struct madkit_expr *expr, const struct madkit_record *record)
{
	int8_t stack[EXPR_STACK_MAX];
	size_t n = 0;

	for (size_t i = 0; i < expr->ncode; i++) {
		int code = expr->code[i];
		int a, b;

		if (code >= 0) {
			stack[n++] = (int8_t)test_eval(expr, (size_t)code, record);
			continue;
		}
		a = stack[n - 1];
		if (code == CODE_NOT) {
			stack[n - 1] = (int8_t)(a == UNKNOWN ? a : !a);
			continue;
		}
		/* Kleene's three-valued logic */
		b = stack[--n - 1];
		if (code == CODE_AND)
			stack[n - 1] = (int8_t)(!a || !b ? 0 : a == 1 && b == 1 ? 1 : UNKNOWN);
		else
			stack[n - 1] = (int8_t)(a == 1 || b == 1 ? 1 : !a && !b ? 0 : UNKNOWN);
	}
	return stack[0] == UNKNOWN ? -ENODATA : stack[0];
}

/* ---- checking ---------------------------------------------------------------- */

/* The value that a number without its unit may mean: "4X" for 4, "100 Gbps" for 100. */
static const char *name_of_size(const struct test *t, const struct madkit_field *field)
{
	size_t n = t->value_len;

	for (const struct madkit_value *v = field->values; v->name; v++)
		if (v->magnitude && !strncmp(v->name, t->value, n) && v->name[n] != '.' &&
		    !(v->name[n] >= '0' && v->name[n] <= '9'))
			return v->name;
	return NULL;
}

static const char *first_ordered(const struct madkit_field *field)
{
	const struct madkit_value *v = field->values;

	while (v[1].name && !v->magnitude)
		v++;
	return v->name;
}

/* Refuses a number in an ordered comparison, and offers the names that it may stand for. */
static int unclear_order(const struct test *t, const struct madkit_field *field, struct madkit_error *error)
{
	const char *size = name_of_size(t, field);
	const char *code = madkit_value_name(field->values, t->number);
	uint64_t ignored;

	if (code && madkit_value_magnitude(field->values, t->number, &ignored))
		code = NULL;
	if (!size && !code)
		return madkit_error_set(error, -EINVAL, t->value_position,
					"%s: '%.*s' is not one of its values: write a name, such as '%s'",
					field->name, clip(t->value_len), t->value, first_ordered(field));
	return madkit_error_set(error, -EINVAL, t->value_position,
				"%s: a number is ambiguous with < and >: write %s%s%s%s%s%s%s%.*s",
				field->name, size ? "'" : "", size ? size : "", size ? "'" : "",
				size && code ? ", or " : "", code ? "'" : "", code ? code : "",
				code ? "' for code " : "", code ? clip(t->value_len) : 0, t->value);
}

/* Whether < and > mean anything for the field and the value. */
static int check_order(const struct test *t, const struct madkit_field *field, const struct name *name,
		       uint64_t number, struct madkit_error *error)
{
	uint64_t magnitude;

	if (!is_ordered(t->op))
		return 0;
	if (field->kind == MADKIT_KIND_BITS)
		return madkit_error_set(error, -EINVAL, name->position,
					"%s is a set of bits, which has no order: use ==, != or &",
					field->name);
	if (field->kind != MADKIT_KIND_ENUM)
		return 0;
	if (madkit_value_magnitude(field->values, 0, NULL))
		return madkit_error_set(error, -EINVAL, name->position,
					"the values of %s have no order: use == or !=", field->name);
	if (!order_is_clear(t, field))
		return unclear_order(t, field, error);
	if (madkit_value_magnitude(field->values, number, &magnitude))
		return madkit_error_set(error, -EINVAL, t->value_position,
					"%s: '%.*s' cannot be compared by magnitude", field->name,
					clip(t->value_len), t->value);
	return 0;
}

/* Refuses == and != with a number that is above every code: their answers would not depend on the field. */
static int check_code(const struct test *t, const struct madkit_field *field, struct madkit_error *error)
{
	const char *size;

	if (field->kind != MADKIT_KIND_ENUM || is_ordered(t->op) || t->op == TEST_ANY || !t->is_number ||
	    !(t->number & ~bits_mask(field->width)) ||
	    !madkit_value_find(field->values, t->value, t->value_len, &(uint64_t){ 0 }))
		return 0;
	size = name_of_size(t, field);
	return madkit_error_set(error, -EINVAL, t->value_position, "%s: no code is %.*s: write %s%s%s",
				field->name, clip(t->value_len), t->value, size ? "'" : "",
				size ? size : "a name of its values", size ? "'" : "");
}

static int check_field(const struct test *t, const struct madkit_field *field, const struct name *name,
		       struct madkit_error *error)
{
	static const uint8_t zeros[MADKIT_FRAME_BYTES];
	struct madkit_item item = {
		.event = MADKIT_WALK_FIELD,
		.field = field,
		.base = zeros,
		.len = sizeof(zeros),
	};
	struct madkit_field plain = *field;
	uint64_t number;
	int ret;

	if (field->kind == MADKIT_KIND_STRUCT)
		return madkit_error_set(error, -EINVAL, name->position,
					"'%.*s' is a group: name one of its fields", clip(name->len),
					name->text);
	if (t->op == TEST_NONE || t->regex)
		return 0;
	plain.offset = 0;
	plain.count = 0;
	item.field = &plain;
	if (field->width <= 64 && field->kind != MADKIT_KIND_STRING && field->kind != MADKIT_KIND_BYTES) {
		if (value_number(t, field, &number)) {
			ret = check_code(t, field, error);
			return ret ? ret : check_order(t, field, name, number, error);
		}
		ret = madkit_field_parse(field, t->value, t->value_len, &number, error);
		if (error)
			error->position = t->value_position;
		return ret;
	}
	if (plain.width / 8 <= sizeof(zeros) && test_element(t, &item, false) == UNKNOWN)
		return madkit_error_set(error, -EINVAL, t->value_position,
					"%s cannot be compared with '%.*s' in this way", field->name,
					clip(t->value_len), t->value);
	return 0;
}

static int check_envelope(const struct test *t, const struct name *name, struct madkit_error *error)
{
	bool number = envelope_entries[name->id].number;

	if (t->op == TEST_NONE || t->regex)
		return 0;
	if (number && !t->is_number)
		return madkit_error_set(error, -EINVAL, t->value_position,
					"'%.*s' is not a number, as %.*s is", clip(t->value_len), t->value,
					clip(name->len), name->text);
	if (!number && t->op == TEST_ANY)
		return madkit_error_set(error, -EINVAL, name->position, "%.*s is text: & is for numbers",
					clip(name->len), name->text);
	if ((t->op == TEST_EQ || t->op == TEST_NE) && (!t->is_number || name->id == ENVELOPE_KIND))
		return words_check(name->id, t->value, t->value_len, t->value_position, error);
	return 0;
}

/* A field of some attribute that a test's name may mean. */
static int check_any(const void *test, const struct name *name, const struct madkit_field *field,
		     struct madkit_error *error)
{
	return check_field(test, field, name, error);
}

static int check_test(const struct madkit_expr *expr, size_t n, const struct madkit_attribute *attribute,
		      struct madkit_error *error)
{
	const struct name *name = &expr->names[n];
	const struct test *t = &expr->tests[n];
	const struct madkit_field *field;
	int ret;

	if (name->scope == NAME_ENVELOPE)
		return check_envelope(t, name, error);
	if (name->scope == NAME_DATA && !attribute)
		return name_check_any(name, check_any, t, error);
	ret = name_check(name, attribute, &field, error);
	return !ret && field ? check_field(t, field, name, error) : ret;
}

int madkit_expr_check(const struct madkit_expr *expr, const struct madkit_attribute *attribute,
		      struct madkit_error *error)
{
	int ret = 0;

	for (size_t i = 0; i < expr->ntests && !ret; i++)
		ret = check_test(expr, i, attribute, error);
	return ret;
}

int madkit_expr_explain(const struct madkit_expr *expr, const struct madkit_attribute *attribute,
			struct madkit_error *error)
{
	int ret = 0;

	for (size_t i = 0; i < expr->ntests && attribute && !ret; i++) {
		ret = check_test(expr, i, attribute, error);
		ret = ret == -ENOENT ? 0 : ret;
	}
	return ret;
}
