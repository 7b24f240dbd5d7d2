/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Evaluates an expression for a record. */
#include <errno.h>
#include <string.h>
#include <strings.h>
#include <madkit/escape.h>
#include <madkit/mad.h>
#include <madkit/rmpp.h>
#include "expr/pair.h"
#include "util/bits.h"
#include "util/put.h"
#include "wire/unit.h"
#include "wire/wire_int.h"

/* The place of a name in a record: an entry of the envelope, or elements of a field. */
struct source {
	enum envelope_id id; /* ENVELOPE_N: a field */
	const struct madkit_record *record;
	const struct bound *bound;
	const uint8_t *data;
	size_t len;
	const uint8_t *known;
	struct bound own;
};

/* Evaluates a test for one operand. Returns 0, 1 or UNKNOWN. */
typedef int (*source_fn)(const void *context, const struct operand *operand);

/* Returns how many of n elements exist, from that of the place on. */
static unsigned int source_elements(const struct source *s, unsigned int n)
{
	const struct madkit_place *place = &s->bound->place;
	const unsigned int exist = field_elements(place->counted, s->data, s->len);

	if (place->counted_index >= exist)
		return 0;
	return n < exist - place->counted_index ? n : exist - place->counted_index;
}

/*
 * Returns true if the test is true for any element. Otherwise UNKNOWN if an element is null, because the test
 * might be true for it, or if no element is present.
 */
static int source_each(const struct source *s, source_fn fn, const void *context)
{
	const struct madkit_place *place = &s->bound->place;
	const struct madkit_field *field = place->field;
	unsigned int repeat = place->repeat ? place->repeat : 1;
	bool null = false;
	int result = UNKNOWN;

	if (place->counted)
		repeat = source_elements(s, repeat);
	for (unsigned int r = 0; r < repeat; r++) {
		size_t skip = (place->base + (size_t)r * place->repeat_stride) / 8;
		unsigned int i = place->whole ? 0 : place->index;
		unsigned int end = 0;

		if (skip > s->len)
			break;
		end = place->whole ? field_elements(field, s->data + skip, s->len - skip) : i + 1u;
		for (; i < end; i++) {
			struct madkit_item item = {
				.event = MADKIT_WALK_FIELD,
				.field = field,
				.index = i,
				.base = s->data + skip,
				.len = s->len - skip,
			};
			const struct operand operand = {
				.id = ENVELOPE_N,
				.item = &item,
				.bytes = s->bound->bytes,
			};
			uint32_t bit = madkit_field_offset(field, i);
			int one;

			if (((size_t)bit + field->width + 7) / 8 > item.len)
				break;
			if (s->known && !bits_test(s->known + skip, bit)) {
				null = true;
				continue;
			}
			if (field->width && field->width <= 64)
				item.value = bits_get(item.base, bit, field->width);
			if (value_is_none(&item)) {
				null = true;
				continue;
			}
			one = fn(context, &operand);
			if (one == 1)
				return 1;
			if (one == 0)
				result = 0;
		}
	}
	return null ? UNKNOWN : result;
}

static int source_eval(const struct source *s, source_fn fn, const void *context)
{
	const struct operand entry = { .id = s->id, .record = s->record };

	return s->id == ENVELOPE_N ? source_each(s, fn, context) : fn(context, &entry);
}

static bool source_find_in(struct source *s, const struct madkit_expr *e, size_t name,
			   const struct madkit_layout *layout, const uint8_t *data, size_t len)
{
	s->data = data;
	s->len = len;
	s->bound = bindings_find(e->bindings, layout, bindings_get(e->bindings, layout), name, &s->own);
	return s->bound;
}

static bool source_find_header(struct source *s, const struct madkit_expr *e, size_t name,
			       const struct madkit_message *m)
{
	const struct madkit_layout *layout;

	if (!m->mad || m->len < MADKIT_HEADER_BYTES)
		return false;
	if (source_find_in(s, e, name, layout_of_header(m->mad[MADKIT_MAD_CLASS]), m->mad, m->len))
		return true;
	layout = layout_of_class_header(m->mad, m->len);
	return layout && source_find_in(s, e, name, layout, m->mad, m->len);
}

/* Finds the name in the record, and fills in s. Returns false if the record does not have it. */
static bool source_find(struct source *s, const struct madkit_expr *e, size_t name,
			const struct madkit_record *record)
{
	const struct madkit_message *m = record->message;

	s->id = ENVELOPE_N;
	s->record = record;
	s->known = NULL;
	switch (e->names[name].scope) {
	case NAME_ENVELOPE:
		s->id = e->names[name].id;
		return true;
	case NAME_HEADER:
		return source_find_header(s, e, name, m);
	case NAME_RMPP:
		return m->mad && madkit_mad_has_rmpp(m->mad, m->len) &&
		       source_find_in(s, e, name, &madkit_layout_rmpp, m->mad, m->len);
	case NAME_PORT:
		s->known = m->port ? m->port->known : NULL;
		return m->port && source_find_in(s, e, name, m->port->layout, m->port->data, m->port->len);
	default:
		s->known = record->known;
		return record->data && record->layout &&
		       source_find_in(s, e, name, record->layout, record->data, record->len);
	}
}

static const struct madkit_field *source_field(const struct source *s)
{
	return s->id == ENVELOPE_N ? s->bound->place.field : NULL;
}

static bool source_is_array(const struct source *s)
{
	return s->id == ENVELOPE_N && (s->bound->place.whole || s->bound->place.repeat);
}

/* ---- field against value ------------------------------------------------------- */

static int eval_operand(const void *context, const struct operand *operand)
{
	return test_operand(context, operand);
}

/* Data without a layout is one field of bytes. */
static int eval_unknown(const struct test *t, const struct name *name, const struct madkit_record *record)
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
	const struct operand operand = { .id = ENVELOPE_N, .item = &item };

	if (name->field_len != strlen(DATA_BYTES) || strncasecmp(name->field, DATA_BYTES, name->field_len) ||
	    record->len > MADKIT_FRAME_BYTES)
		return UNKNOWN;
	return test_operand(t, &operand);
}

/* ---- field against field --------------------------------------------------------- */

struct eval_pair {
	enum madkit_expr_op op;
	const struct source *right;
	const struct operand *left;
};

static int eval_right(const void *context, const struct operand *right)
{
	const struct eval_pair *pair = context;

	return pair_eval(pair->op, pair->left, right);
}

static int eval_left(const void *context, const struct operand *left)
{
	const struct eval_pair *both = context;
	const struct eval_pair pair = { .op = both->op, .left = left };

	return source_eval(both->right, eval_right, &pair);
}

/* Checks if the word after the operator means a field of this record. It does not if it is a value of the
 * field before the operator; for an entry of the envelope, madkit_expr_new() has decided that. */
static bool eval_is_pair(const struct test *t, const struct source *left, const struct source *right)
{
	const struct madkit_field *a = source_field(left), *b = source_field(right);

	return !(a && a->kind == MADKIT_KIND_STRUCT) && !(b && b->kind == MADKIT_KIND_STRUCT) &&
	       !(a && test_value_fits(t, left->id, a));
}

static int test_eval(const struct madkit_expr *e, size_t n, const struct madkit_record *record)
{
	const struct test *t = &e->tests[n];
	const struct name *name = &e->names[t->left];
	struct source left, right;

	if (name->scope == NAME_DATA && record->data && !record->layout)
		return eval_unknown(t, name, record);
	if (!source_find(&left, e, t->left, record))
		return UNKNOWN;
	if (t->right != TEST_NO_NAME && source_find(&right, e, t->right, record) &&
	    eval_is_pair(t, &left, &right)) {
		const struct eval_pair pair = { .op = t->op, .right = &right };

		return source_is_array(&left) && source_is_array(&right) ?
			       UNKNOWN :
			       source_eval(&left, eval_left, &pair);
	}
	return source_eval(&left, eval_operand, t);
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

/* ---- the value of a name as text ------------------------------------------------- */

struct eval_text {
	struct madkit_buf *buf;
	bool show_keys;
	int *n; /* elements so far */
};

static void eval_put_entry(struct madkit_buf *buf, const struct envelope_value *value)
{
	if (value->type == ENVELOPE_NUMBER)
		put_number(buf, value->number);
	else if (value->type == ENVELOPE_HEX64)
		put_hex(buf, value->number, 16);
	else
		madkit_text_escape(buf, value->text, value->len);
}

/* Appends the text of an operand. Returns 0, so that the next element follows. */
static int eval_put_operand(const void *context, const struct operand *operand)
{
	const struct eval_text *text = context;
	struct envelope_value value;

	if (operand->id != ENVELOPE_N) {
		envelope_get(operand->record, operand->id, &value);
		if (value.type == ENVELOPE_NONE)
			return 0;
		eval_put_entry(text->buf, &value);
	} else {
		if (*text->n)
			LIT(text->buf, ",");
		if (operand->bytes)
			put_times4(text->buf, operand->item->value);
		else
			value_cell(text->buf, operand->item, text->show_keys);
	}
	++*text->n;
	return 0;
}

static int eval_put_unknown(const struct eval_text *text, const struct name *name,
			    const struct madkit_record *record)
{
	if (name->field_len != strlen(DATA_BYTES) || strncasecmp(name->field, DATA_BYTES, name->field_len))
		return -ENOENT;
	if (!text->show_keys && data_is_secret(record))
		LIT(text->buf, NOT_DISPLAYED);
	else
		put_bytes(text->buf, record->data, record->len);
	return 1;
}

int madkit_expr_put_value(const struct madkit_expr *expr, size_t n, bool other,
			  const struct madkit_record *record, bool show_keys, struct madkit_buf *buf)
{
	const struct test *t = n < expr->ntests ? &expr->tests[n] : NULL;
	const size_t index = t ? other ? t->right : t->left : TEST_NO_NAME;
	int count = 0;
	const struct eval_text text = { .buf = buf, .show_keys = show_keys, .n = &count };
	struct source s;

	if (index == TEST_NO_NAME)
		return -ENOENT;
	if (expr->names[index].scope == NAME_DATA && record->data && !record->layout)
		return eval_put_unknown(&text, &expr->names[index], record);
	if (!source_find(&s, expr, index, record))
		return -ENOENT;
	if (source_field(&s) && source_field(&s)->kind == MADKIT_KIND_STRUCT)
		return -EINVAL;
	source_eval(&s, eval_put_operand, &text);
	if (buf->error || count)
		return buf->error ? buf->error : count;
	return s.id != ENVELOPE_N || s.known || source_field(&s)->unit ? -ENODATA : -ENOENT;
}

/* ---- the value of a name as a key --------------------------------------------------- */

struct eval_key {
	uint64_t *number;
	struct madkit_buf *text;
	int *kind; /* what has been found: as the result of madkit_expr_get_key() */
};

static void eval_key_number(const struct eval_key *key, uint64_t number)
{
	if (*key->kind == 0 && number <= *key->number)
		return;
	*key->number = number;
	*key->kind = 0;
}

static void eval_key_field(const struct eval_key *key, const struct madkit_item *item)
{
	const struct madkit_field *field = item->field;
	uint64_t magnitude = item->value;
	struct decimal value;

	if (field->kind == MADKIT_KIND_KEY || *key->kind == 1)
		return;
	if (unit_is_decimal(field)) {
		if (!unit_value(field, item->base, item->len, item->value, &value))
			return;
		unit_clear(field, &value);
		eval_key_number(key, decimal_key(&value));
		return;
	}
	if (field->kind == MADKIT_KIND_STRING || field->width > 64) {
		value_cell(key->text, item, false);
		*key->kind = 1;
		return;
	}
	/* codes of an enumeration without magnitudes have no order but their own */
	if (field->kind == MADKIT_KIND_ENUM && !madkit_value_magnitude(field->values, 0, NULL) &&
	    madkit_value_magnitude(field->values, item->value, &magnitude))
		return;
	eval_key_number(key, magnitude);
}

static int eval_key_operand(const void *context, const struct operand *operand)
{
	const struct eval_key *key = context;
	struct envelope_value value;

	if (operand->id == ENVELOPE_N) {
		eval_key_field(key, operand->item);
		return 0;
	}
	test_envelope_get(operand->record, operand->id, &value);
	if (value.type == ENVELOPE_NUMBER || value.type == ENVELOPE_HEX64)
		eval_key_number(key, value.number);
	else if (value.type != ENVELOPE_NONE) {
		madkit_text_escape(key->text, value.text, value.len);
		*key->kind = 1;
	}
	return 0;
}

int madkit_expr_get_key(const struct madkit_expr *expr, size_t n, const struct madkit_record *record,
			uint64_t *number, struct madkit_buf *text)
{
	int kind = -ENODATA;
	const struct eval_key key = { number, text, &kind };
	struct source s;

	if (n >= expr->ntests || !source_find(&s, expr, expr->tests[n].left, record) ||
	    (source_field(&s) && source_field(&s)->kind == MADKIT_KIND_STRUCT))
		return -ENODATA;
	source_eval(&s, eval_key_operand, &key);
	return text->error ? text->error : kind;
}
