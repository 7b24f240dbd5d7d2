/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Checks if an expression can apply to the records of an attribute. */
#include <errno.h>
#include <string.h>
#include <madkit/mad.h>
#include <madkit/registry.h>
#include "expr/pair.h"
#include "expr/words.h"
#include "util/bits.h"
#include "util/word.h"
#include "wire/unit.h"
#include "wire/wire_int.h"

/* Returns the value that a number without its unit may mean: "4X" for 4, "100 Gbps" for 100. */
static const char *name_of_size(const struct test *t, const struct madkit_field *field)
{
	size_t n = t->value_len;

	for (const struct madkit_value *v = field->values; v->name; v++)
		if (v->magnitude && !strncmp(v->name, t->value, n) && v->name[n] != '.' &&
		    !(v->name[n] >= '0' && v->name[n] <= '9'))
			return v->name;
	return NULL;
}

static const char *check_first_ordered(const struct madkit_field *field)
{
	const struct madkit_value *v = field->values;

	while (v[1].name && !v->magnitude)
		v++;
	return v->name;
}

/* Rejects a number in an ordered comparison, and offers the names that it may stand for. */
static int check_unclear_order(const struct test *t, const struct madkit_field *field,
			       struct madkit_error *error)
{
	const char *size = name_of_size(t, field);
	const char *code = madkit_value_name(field->values, t->number);
	uint64_t ignored;

	if (code && madkit_value_magnitude(field->values, t->number, &ignored))
		code = NULL;
	if (!size && !code)
		return madkit_error_set(error, -EINVAL, t->value_position,
					"%s: '%.*s' is not one of its values: write a name, such as '%s'",
					field->name, clip(t->value_len), t->value,
					check_first_ordered(field));
	return madkit_error_set(error, -EINVAL, t->value_position,
				"%s: a number is ambiguous with < and >: write %s%s%s%s%s%s%s%.*s",
				field->name, size ? "'" : "", size ? size : "", size ? "'" : "",
				size && code ? ", or " : "", code ? "'" : "", code ? code : "",
				code ? "' for code " : "", code ? clip(t->value_len) : 0, t->value);
}

/* Checks if < and > have a meaning for the field and the value. */
static int check_order(const struct test *t, const struct madkit_field *field, const struct name *name,
		       uint64_t number, struct madkit_error *error)
{
	uint64_t magnitude;

	if (!test_is_ordered(t->op))
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
	if (!test_order_is_clear(t, field))
		return check_unclear_order(t, field, error);
	if (madkit_value_magnitude(field->values, number, &magnitude))
		return madkit_error_set(error, -EINVAL, t->value_position,
					"%s: '%.*s' cannot be compared by magnitude", field->name,
					clip(t->value_len), t->value);
	return 0;
}

/* Rejects == and != with a number above every code, because the result would not depend on the field. Rejects
 * every number if codes of the field have no meaning. */
static int check_code(const struct test *t, const struct madkit_field *field, struct madkit_error *error)
{
	bool named = field->flags & MADKIT_FIELD_NAMED;
	const char *size;

	if (field->kind != MADKIT_KIND_ENUM || test_is_ordered(t->op) || !t->is_number ||
	    (!named && (t->op == MADKIT_EXPR_ANY || !(t->number & ~bits_mask(field->width)))) ||
	    !madkit_value_find(field->values, t->value, t->value_len, &(uint64_t){ 0 }))
		return 0;
	size = name_of_size(t, field);
	return madkit_error_set(error, -EINVAL, t->value_position, "%s: no code is %.*s: write %s%s%s",
				field->name, clip(t->value_len), t->value, size ? "'" : "",
				size ? size : "a name of its values", size ? "'" : "");
}

/* Returns the first field of a layout that has a name. */
static const char *field_first_name(const struct madkit_layout *layout)
{
	unsigned int i = 0;

	while (i + 1 < layout->nfields && layout->fields[i].kind == MADKIT_KIND_RESERVED)
		i++;
	return layout->fields[i].name;
}

/* Checks if a number with a unit, or a bit error rate, can be compared with the value. */
static int check_decimal(const struct test *t, const struct madkit_field *field, const struct name *name,
			 struct madkit_error *error)
{
	if (t->op == MADKIT_EXPR_ANY)
		return madkit_error_set(error, -EINVAL, name->position,
					"%s is not a set of bits: & cannot test it", field->name);
	if (t->is_decimal)
		return 0;
	if (decimal_read(t->value, t->value_len, &(struct decimal){ .digits = 0 }) == -ERANGE)
		return madkit_error_set(error, -EINVAL, t->value_position, "%s: %.*s is out of range",
					field->name, clip(t->value_len), t->value);
	return madkit_error_set(error, -EINVAL, t->value_position,
				"%s: '%.*s' is not a number (write it without a unit, such as %s)",
				field->name, clip(t->value_len), t->value,
				field->kind == MADKIT_KIND_BER ? "1.5e-8" : "48.5");
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
	const struct operand operand = { .id = ENVELOPE_N, .item = &item };
	struct madkit_field plain = *field;
	uint64_t number;
	int ret;

	if (field->kind == MADKIT_KIND_STRUCT)
		return madkit_error_set(error, -EINVAL, name->position,
					"'%.*s' is a group: name one of its fields, such as '%.*s.%s'",
					clip(name->len), name->text, clip(name->len), name->text,
					field_first_name(field->sub));
	if (t->op == MADKIT_EXPR_NONE || t->regex)
		return 0;
	if (unit_is_decimal(field))
		return check_decimal(t, field, name, error);
	plain.offset = 0;
	plain.count = 0;
	item.field = &plain;
	if (field->width <= 64 && field->kind != MADKIT_KIND_STRING && field->kind != MADKIT_KIND_BYTES) {
		if (test_value_number(t, field, &number)) {
			ret = check_code(t, field, error);
			return ret ? ret : check_order(t, field, name, number, error);
		}
		ret = field_parse(field, t->value, t->value_len, &number, error);
		if (error)
			error->position = t->value_position;
		return ret;
	}
	if (plain.width / 8 <= sizeof(zeros) && test_operand(t, &operand) == UNKNOWN)
		return madkit_error_set(error, -EINVAL, t->value_position,
					"%s cannot be compared with '%.*s' in this way", field->name,
					clip(t->value_len), t->value);
	return 0;
}

static int check_envelope(const struct test *t, const struct name *name, struct madkit_error *error)
{
	bool number = envelope_entries[name->id].number;
	uint64_t us;

	if (t->op == MADKIT_EXPR_NONE || t->regex)
		return 0;
	if (name->id == ENVELOPE_EPOCH ? !test_epoch(t->value, t->value_len, &us) : number && !t->is_number)
		return madkit_error_set(error, -EINVAL, t->value_position,
					"'%.*s' is not a number, as %.*s is", clip(t->value_len), t->value,
					clip(name->len), name->text);
	if (!number && t->op == MADKIT_EXPR_ANY)
		return madkit_error_set(error, -EINVAL, name->position, "%.*s is text: & is for numbers",
					clip(name->len), name->text);
	if ((t->op == MADKIT_EXPR_EQ || t->op == MADKIT_EXPR_NE) &&
	    (!t->is_number || name->id == ENVELOPE_KIND))
		return words_check(name->id, t->value, t->value_len, t->value_position, error);
	return 0;
}

/* Checks a test against one field that its name may mean. */
static int check_any(const void *test, const struct name *name, const struct madkit_field *field,
		     struct madkit_error *error)
{
	return check_field(test, field, name, error);
}

/* Checks a test against its value. */
static int check_value(const struct madkit_expr *expr, const struct test *t,
		       const struct madkit_attribute *attribute, struct madkit_error *error)
{
	const struct name *name = &expr->names[t->left];
	const struct madkit_field *field;
	int ret;

	if (name->scope == NAME_ENVELOPE)
		return check_envelope(t, name, error);
	if (name->scope == NAME_DATA && !attribute)
		return name_check_any(name, check_any, t, error);
	ret = name_check(name, attribute, &field, error);
	return !ret && field ? check_field(t, field, name, error) : ret;
}

/* ---- field against field --------------------------------------------------------- */

/* Finds the meaning of a name. layout: of the data, or NULL. Returns 0, -ENOENT or -EEXIST. */
static int side_find(struct pair_side *side, const struct name *name, const struct madkit_layout *layout,
		     struct madkit_error *error)
{
	struct bound bound;
	int ret;

	*side = (struct pair_side){ .name = name, .id = name->id };
	if (name->scope == NAME_ENVELOPE)
		return 0;
	side->id = ENVELOPE_N;
	if (name->scope != NAME_DATA) {
		ret = name_check(name, NULL, &side->field, error);
	} else {
		ret = layout ? name_find(name, layout, &bound, error) : -ENOENT;
		side->field = ret ? NULL : bound.place.field;
		side->many = !ret && (bound.place.whole || bound.place.repeat);
	}
	return ret || side->field->kind != MADKIT_KIND_STRUCT ? ret : -ENOENT;
}

/*
 * Checks the test as a comparison of two fields of a layout (NULL: none of the data). Returns 1 if the word
 * after the operator is not a field there; 2 if the layout does not have the first field; 0; or -errno.
 */
static int check_pair_in(const struct madkit_expr *expr, const struct test *t,
			 const struct madkit_layout *layout, struct madkit_error *error)
{
	struct pair_side left, right;
	int ret;

	if (side_find(&left, &expr->names[t->left], layout, NULL))
		return 2;
	if (left.field && test_value_fits(t, left.id, left.field))
		return 1;
	ret = side_find(&right, &expr->names[t->right], layout, error);
	if (ret)
		return ret == -ENOENT ? 1 : ret;
	return pair_check(t->op, &left, &right, error);
}

/* The same for an attribute, in the first edition that has both fields. */
static int check_pair_of(const struct madkit_expr *expr, const struct test *t,
			 const struct madkit_attribute *attribute, struct madkit_error *error)
{
	const struct madkit_layout *edition;
	int ret = 2;

	for (size_t i = 0; ret > 0 && (edition = layout_of_edition(attribute, i)); i++)
		ret = check_pair_in(expr, t, edition, error);
	return ret > 0 ? check_pair_in(expr, t, attribute->layout, error) : ret;
}

/* The same for any attribute. Returns the first error if none can compare the two. */
static int check_pair_any(const struct madkit_expr *expr, const struct test *t, struct madkit_error *error)
{
	const struct madkit_class *classes;
	struct madkit_error first = { .text = "" };
	int ret = check_pair_in(expr, t, NULL, &first);
	size_t n;

	classes = madkit_classes(&n);
	for (size_t i = 0; i < n && ret; i++) {
		for (size_t j = 0; j < classes[i].nattributes && ret; j++) {
			struct madkit_error why = { .text = "" };
			int one = check_pair_of(expr, t, &classes[i].attributes[j], &why);

			if (!one || (one < 0 && ret > 0)) {
				ret = one;
				first = why;
			}
		}
	}
	if (ret < 0 && error)
		*error = first;
	return ret;
}

/* Adds the nearest field to the reason why the word after the operator is not a value. */
static void check_suggest(const struct name *word, const struct madkit_layout *layout,
			  struct madkit_error *error)
{
	const struct madkit_error why = *error;
	struct name_search search;
	const char *best;

	if (error->position != word->position)
		return;
	name_search_begin(&search, word);
	name_search_in(&search, layout);
	best = nearest_word(&search.nearest);
	if (best)
		madkit_error_set(error, why.code, why.position, "%s; did you mean the field '%s'?", why.text,
				 best);
}

/* Rejects names of MADs for a port of a sweep. word: the name may also be a value. */
static int check_port_name(const struct name *name, bool word, struct madkit_error *error)
{
	const enum envelope_id id = name->id;
	bool of_mad = name->scope == NAME_HEADER || name->scope == NAME_RMPP;

	if (name->scope == NAME_ENVELOPE)
		of_mad = envelope_entries[id].group == ENVELOPE_HEADER ||
			 envelope_entries[id].group == ENVELOPE_REMOTE ||
			 (!word && (id == ENVELOPE_RTT_US || id == ENVELOPE_ATTEMPTS));
	return !of_mad ? 0 :
			 madkit_error_set(error, -EINVAL, name->position, "a port has no '%.*s'",
					  clip(name->len), name->text);
}

static int check_port_names(const struct madkit_expr *expr, const struct test *t, struct madkit_error *error)
{
	int ret = check_port_name(&expr->names[t->left], false, error);

	return ret || t->right == TEST_NO_NAME ? ret : check_port_name(&expr->names[t->right], true, error);
}

static int check_test(const struct madkit_expr *expr, const struct test *t,
		      const struct madkit_attribute *attribute, struct madkit_error *error)
{
	struct madkit_error why = { .text = "" };
	const struct madkit_field *field;
	const struct name *name, *other;
	int ret, pair;

	ret = attribute && attribute->layout == &madkit_layout_port_object ?
		      check_port_names(expr, t, error) :
		      0;
	if (ret)
		return ret;
	if (t->right == TEST_NO_NAME)
		return check_value(expr, t, attribute, error);
	if (attribute) {
		pair = check_pair_of(expr, t, attribute, &why);
		ret = pair > 0 ? check_value(expr, t, attribute, error) : pair;
	} else {
		ret = check_value(expr, t, NULL, error);
		pair = ret ? check_pair_any(expr, t, &why) : 1;
		ret = pair > 0 ? ret : pair;
	}
	if (pair < 0 && error)
		*error = why;
	name = &expr->names[t->left];
	other = &expr->names[t->right];
	if (ret != -EINVAL || pair <= 0 || other->scope != NAME_DATA || !attribute || !attribute->layout)
		return ret;
	/* the word is a field, but of another attribute */
	if (!name_check(other, NULL, &field, NULL)) {
		madkit_error_set(error, -ENOENT, other->position,
				 "%s has no field '%.*s', which is not a value of %.*s either",
				 attribute->layout->name, clip(other->field_len), other->field,
				 clip(name->len), name->text);
		if (error) {
			memset(error->word, 0, sizeof(error->word));
			memcpy(error->word, other->field, (size_t)clip(other->field_len));
		}
		return -ENOENT;
	}
	if (error)
		check_suggest(other, attribute->layout, error);
	return ret;
}

int madkit_expr_check(const struct madkit_expr *expr, const struct madkit_attribute *attribute,
		      struct madkit_error *error)
{
	int ret = 0;

	for (size_t i = 0; i < expr->ntests && !ret; i++) {
		ret = check_test(expr, &expr->tests[i], attribute, error);
		if (ret == -ENOENT && expr->tests[i].of_any_error && attribute && attribute->layout)
			madkit_error_set(error, ret, expr->names[expr->tests[i].left].position,
					 "any_error: %s has no counters of errors", attribute->layout->name);
	}
	return ret;
}

int madkit_expr_explain(const struct madkit_expr *expr, const struct madkit_attribute *attribute,
			struct madkit_error *error)
{
	int ret = 0;

	for (size_t i = 0; i < expr->ntests && attribute && !ret; i++) {
		ret = check_test(expr, &expr->tests[i], attribute, error);
		ret = ret == -ENOENT ? 0 : ret;
	}
	return ret;
}
