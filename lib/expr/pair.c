/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <madkit/addr.h>
#include <madkit/mad.h>
#include "expr/pair.h"
#include "util/word.h"
#include "wire/unit.h"

/* The kind of value of an entry or a field. */
enum pair_kind {
	PAIR_NUMBER,
	PAIR_ENUM,
	PAIR_BITS,
	PAIR_TEXT,
	PAIR_GID,
	PAIR_BYTES,
	PAIR_DECIMAL, /* with a unit, or a bit error rate */
	PAIR_SECRET,
};

/* How two values are compared. */
enum pair_relation {
	PAIR_NONE,    /* not at all */
	PAIR_NUMBERS, /* every operator */
	PAIR_CODES,   /* equal or different, as numbers */
	PAIR_RANKS,   /* enumerations of the same values: == by code, < by magnitude */
	PAIR_MEMBER,  /* an enumeration and a set of its values */
	PAIR_SETS,    /* equal, different, or a bit in common */
	PAIR_TEXTS,
	PAIR_OCTETS,   /* GIDs or bytes: equal or different */
	PAIR_DECIMALS, /* every operator but & */
};

static enum pair_kind pair_kind(enum envelope_id id, const struct madkit_field *field)
{
	if (!field)
		return envelope_entries[id].number ? PAIR_NUMBER :
		       id == ENVELOPE_REMOTE_GID   ? PAIR_GID :
						     PAIR_TEXT;
	if (madkit_field_is_secret(field))
		return PAIR_SECRET;
	switch (field->kind) {
	case MADKIT_KIND_STRING:
		return PAIR_TEXT;
	case MADKIT_KIND_GID:
		return PAIR_GID;
	case MADKIT_KIND_BYTES:
		return PAIR_BYTES;
	case MADKIT_KIND_ENUM:
		return PAIR_ENUM;
	case MADKIT_KIND_BITS:
		return PAIR_BITS;
	case MADKIT_KIND_SCALED:
	case MADKIT_KIND_BER:
		return PAIR_DECIMAL;
	default:
		return field->width > 64 ? PAIR_BYTES : PAIR_NUMBER;
	}
}

bool pair_is_text(enum envelope_id id, const struct madkit_field *field)
{
	return pair_kind(id, field) == PAIR_TEXT;
}

/* Checks if the lists have single bits in common, and all of these have the same names. */
static bool lists_agree(const struct madkit_value *a, const struct madkit_value *b)
{
	bool any = false;

	for (; a && a->name; a++) {
		const char *name = madkit_value_name(b, a->value);

		if (!name || !a->value || a->value & (a->value - 1))
			continue;
		if (strcmp(name, a->name))
			return false;
		any = true;
	}
	return any;
}

/* Checks if b has all values of a: OperVLs has one more than VLCap, "No change". */
static bool list_contains(const struct madkit_value *b, const struct madkit_value *a)
{
	for (; a && a->name; a++) {
		const char *name = madkit_value_name(b, a->value);
		uint64_t magnitude;

		if (!name || strcmp(name, a->name) ||
		    (!madkit_value_magnitude(b, a->value, &magnitude) && magnitude != a->magnitude))
			return false;
	}
	return a && b;
}

/* Checks if two fields have values of the same unit, or may have it. */
static bool units_agree(const struct madkit_field *a, const struct madkit_field *b)
{
	for (const struct madkit_unit *u = a->unit; u; u = u->other)
		for (const struct madkit_unit *v = b->unit; v; v = v->other)
			if (!strcmp(u->symbol, v->symbol))
				return true;
	return !a->unit && !b->unit;
}

static enum pair_relation pair_relation(enum envelope_id a_id, const struct madkit_field *a,
					enum envelope_id b_id, const struct madkit_field *b)
{
	enum pair_kind ka = pair_kind(a_id, a), kb = pair_kind(b_id, b);

	/* the order of the two does not matter */
	if (ka > kb)
		return pair_relation(b_id, b, a_id, a);
	if (ka == PAIR_SECRET || kb == PAIR_SECRET)
		return PAIR_NONE;
	if (ka == PAIR_NUMBER && kb == PAIR_TEXT && !b && test_number_beside(b_id) != b_id)
		return PAIR_NUMBERS;
	if (ka == PAIR_NUMBER && kb == PAIR_ENUM)
		return madkit_value_magnitude(b->values, 0, NULL) ? PAIR_CODES : PAIR_NONE;
	if (ka == PAIR_NUMBER && kb == PAIR_BITS) /* a mask */
		return a && a->kind == MADKIT_KIND_HEX ? PAIR_SETS : PAIR_NONE;
	if (ka == PAIR_ENUM && kb == PAIR_BITS)
		return lists_agree(b->values, a->values) ? PAIR_MEMBER : PAIR_NONE;
	if (ka != kb)
		return PAIR_NONE;
	switch (ka) {
	case PAIR_NUMBER:
		return PAIR_NUMBERS;
	case PAIR_ENUM:
		return list_contains(a->values, b->values) || list_contains(b->values, a->values) ?
			       PAIR_RANKS :
			       PAIR_NONE;
	case PAIR_BITS:
		return !a->values || !b->values || lists_agree(a->values, b->values) ? PAIR_SETS : PAIR_NONE;
	case PAIR_TEXT:
		return PAIR_TEXTS;
	case PAIR_DECIMAL:
		return units_agree(a, b) ? PAIR_DECIMALS : PAIR_NONE;
	default:
		return PAIR_OCTETS;
	}
}

/* ---- checking ---------------------------------------------------------------- */

/* Returns the first value of a that has another name in b, or NULL. */
static const struct madkit_value *pair_difference(const struct madkit_field *a, const struct madkit_field *b)
{
	if (!a || !b)
		return NULL;
	for (const struct madkit_value *v = a->values; v && v->name; v++) {
		const char *name = v->value ? madkit_value_name(b->values, v->value) : NULL;

		if (name && strcmp(name, v->name))
			return v;
	}
	return NULL;
}

static const char *pair_kind_text(const struct pair_side *side)
{
	static const char *const texts[] = {
		[PAIR_NUMBER] = "a number",
		[PAIR_ENUM] = "an enumeration",
		[PAIR_BITS] = "a set of bits",
		[PAIR_TEXT] = "text",
		[PAIR_GID] = "a GID",
		[PAIR_BYTES] = "bytes",
		[PAIR_DECIMAL] = "a number with a unit",
		[PAIR_SECRET] = "a secret",
	};

	return texts[pair_kind(side->id, side->field)];
}

static const char *op_text(enum madkit_expr_op op)
{
	return op == MADKIT_EXPR_ANY ? "&" : "< and >";
}

/* Rejects an operator that the relation does not have. */
static int pair_refuse(enum madkit_expr_op op, const struct pair_side *a, const struct pair_side *b,
		       const char *use, struct madkit_error *error)
{
	return madkit_error_set(error, -EINVAL, a->name->position,
				"%.*s and %.*s: %s cannot compare them: use %s", clip(a->name->len),
				a->name->text, clip(b->name->len), b->name->text, op_text(op), use);
}

int pair_check(enum madkit_expr_op op, const struct pair_side *a, const struct pair_side *b,
	       struct madkit_error *error)
{
	const struct name *na = a->name, *nb = b->name;
	const struct madkit_value *differs;
	bool ordered = test_is_ordered(op);

	if (a->many && b->many)
		return madkit_error_set(error, -EINVAL, nb->position,
					"%.*s and %.*s are arrays: write an index behind one of them",
					clip(na->len), na->text, clip(nb->len), nb->text);
	switch (pair_relation(a->id, a->field, b->id, b->field)) {
	case PAIR_NUMBERS:
		return 0;
	case PAIR_CODES:
	case PAIR_OCTETS:
		return ordered || op == MADKIT_EXPR_ANY ? pair_refuse(op, a, b, "== or !=", error) : 0;
	case PAIR_RANKS:
		if (op == MADKIT_EXPR_ANY || (ordered && madkit_value_magnitude(a->field->values, 0, NULL)))
			return pair_refuse(op, a, b, "== or !=", error);
		return 0;
	case PAIR_MEMBER: {
		const struct pair_side *e = a->field->kind == MADKIT_KIND_ENUM ? a : b;

		return ordered && madkit_value_magnitude(e->field->values, 0, NULL) ?
			       pair_refuse(op, a, b, "==, != or &", error) :
			       0;
	}
	case PAIR_SETS:
		return ordered ? pair_refuse(op, a, b, "==, != or &", error) : 0;
	case PAIR_TEXTS:
	case PAIR_DECIMALS:
		return op == MADKIT_EXPR_ANY ? pair_refuse(op, a, b, "== or !=", error) : 0;
	default:
		break;
	}
	if (pair_kind(a->id, a->field) == PAIR_SECRET || pair_kind(b->id, b->field) == PAIR_SECRET)
		return madkit_error_set(error, -EINVAL, nb->position,
					"%.*s and %.*s: a secret is compared only with a value",
					clip(na->len), na->text, clip(nb->len), nb->text);
	differs = pair_difference(a->field, b->field);
	if (differs)
		return madkit_error_set(error, -EINVAL, nb->position,
					"%.*s and %.*s cannot be compared: %" PRIu64
					" is '%s' in the one and '%s' in the other",
					clip(na->len), na->text, clip(nb->len), nb->text, differs->value,
					differs->name, madkit_value_name(b->field->values, differs->value));
	if (pair_kind(a->id, a->field) == PAIR_DECIMAL && pair_kind(b->id, b->field) == PAIR_DECIMAL)
		return madkit_error_set(error, -EINVAL, nb->position,
					"%.*s and %.*s cannot be compared: their units differ", clip(na->len),
					na->text, clip(nb->len), nb->text);
	if (pair_kind(a->id, a->field) == pair_kind(b->id, b->field))
		return madkit_error_set(error, -EINVAL, nb->position,
					"%.*s and %.*s cannot be compared: their values have different names",
					clip(na->len), na->text, clip(nb->len), nb->text);
	return madkit_error_set(error, -EINVAL, nb->position, "%.*s (%s) and %.*s (%s) cannot be compared%s",
				clip(na->len), na->text, pair_kind_text(a), clip(nb->len), nb->text,
				pair_kind_text(b),
				pair_is_text(a->id, a->field) ? "; write quotes around text" : "");
}

/* ---- evaluating -------------------------------------------------------------- */

/* The value of an operand, in one of the forms that are compared. */
struct pair_value {
	bool null;
	bool fold; /* compare text ignoring case */
	uint64_t number;
	const void *text; /* also of GIDs and bytes */
	size_t len;
	uint8_t gid[16];
	struct decimal decimal;
	const char *symbol; /* of its unit; "" for a bit error rate */
	struct envelope_value entry;
};

static void pair_get_entry(const struct operand *o, enum pair_relation relation, struct pair_value *v)
{
	enum envelope_id id = relation == PAIR_NUMBERS ? test_number_beside(o->id) : o->id;

	test_envelope_get(o->record, id, &v->entry);
	v->null = v->entry.type == ENVELOPE_NONE;
	v->fold = v->entry.type == ENVELOPE_PLAIN;
	v->number = v->entry.number;
	v->text = v->entry.text;
	v->len = v->entry.len;
	if (relation == PAIR_OCTETS && !v->null) {
		v->null = madkit_parse_gid(v->entry.text, v->gid, NULL) != 0;
		v->text = v->gid;
		v->len = sizeof(v->gid);
	}
}

static void pair_get(const struct operand *o, enum pair_relation relation, struct pair_value *v)
{
	v->null = v->fold = false;
	v->number = 0;
	if (o->id != ENVELOPE_N) {
		pair_get_entry(o, relation, v);
		return;
	}
	if (relation == PAIR_TEXTS || relation == PAIR_OCTETS) {
		v->text = madkit_item_bytes(o->item);
		v->len = o->item->field->kind == MADKIT_KIND_STRING ? string_length(o->item) :
								      o->item->field->width / 8;
	} else if (relation == PAIR_DECIMALS) {
		const struct madkit_item *item = o->item;

		v->null = !unit_value(item->field, item->base, item->len, item->value, &v->decimal);
		unit_clear(item->field, &v->decimal);
		v->symbol = item->field->unit ? unit_get(item->field, item->base, item->len)->symbol : "";
	} else {
		v->number = o->item->value;
	}
}

static enum madkit_expr_op pair_mirrored(enum madkit_expr_op op)
{
	switch (op) {
	case MADKIT_EXPR_LT:
		return MADKIT_EXPR_GT;
	case MADKIT_EXPR_LE:
		return MADKIT_EXPR_GE;
	case MADKIT_EXPR_GT:
		return MADKIT_EXPR_LT;
	case MADKIT_EXPR_GE:
		return MADKIT_EXPR_LE;
	default:
		return op;
	}
}

static int pair_numbers(enum madkit_expr_op op, uint64_t a, bool a_bytes, uint64_t b, bool b_bytes)
{
	if (a_bytes == b_bytes)
		return test_numbers(op, a, b);
	return a_bytes ? test_in_bytes(op, a, b) : test_in_bytes(pair_mirrored(op), b, a);
}

/* Compares bytes, padding the shorter value with zeros. Returns 0 if they are equal. */
static int pair_octets_differ(const struct pair_value *a, const struct pair_value *b)
{
	const struct pair_value *longer = a->len > b->len ? a : b;
	size_t n = a->len < b->len ? a->len : b->len;
	const uint8_t *rest = longer->text;

	if (memcmp(a->text, b->text, n))
		return 1;
	while (n < longer->len && !rest[n])
		n++;
	return n < longer->len;
}

/* Gets the magnitude of the highest bit that is set; without any bit, that of code 0. Returns -ENOENT if a
 * bit has none. */
static int pair_highest(const struct madkit_value *values, uint64_t bits, uint64_t *magnitude)
{
	uint64_t one;

	if (!bits)
		return madkit_value_magnitude(values, 0, magnitude);
	*magnitude = 0;
	for (; bits; bits &= bits - 1) {
		if (madkit_value_magnitude(values, bits & -bits, &one))
			return -ENOENT;
		if (one > *magnitude)
			*magnitude = one;
	}
	return 0;
}

/* Compares an enumeration with a set of its values. If the values have an order, the set means its highest
 * value. Otherwise == checks if the set contains the value. */
static int pair_member(enum madkit_expr_op op, const struct madkit_value *values, uint64_t code,
		       uint64_t bits)
{
	uint64_t a, b;

	if (op == MADKIT_EXPR_ANY)
		return (code & bits) != 0;
	if (!madkit_value_magnitude(values, 0, NULL)) {
		if (madkit_value_magnitude(values, code, &a) || pair_highest(values, bits, &b))
			return UNKNOWN;
		return test_numbers(op, a, b);
	}
	return test_is_ordered(op) ? UNKNOWN : (code && (code & bits) == code) == (op == MADKIT_EXPR_EQ);
}

static int pair_ranks(enum madkit_expr_op op, const struct madkit_value *a_values, uint64_t a,
		      const struct madkit_value *b_values, uint64_t b)
{
	if (test_is_ordered(op) &&
	    (madkit_value_magnitude(a_values, a, &a) || madkit_value_magnitude(b_values, b, &b)))
		return UNKNOWN;
	return test_numbers(op, a, b);
}

int pair_eval(enum madkit_expr_op op, const struct operand *left, const struct operand *right)
{
	const struct madkit_field *fa = left->id == ENVELOPE_N ? left->item->field : NULL;
	const struct madkit_field *fb = right->id == ENVELOPE_N ? right->item->field : NULL;
	enum pair_relation relation = pair_relation(left->id, fa, right->id, fb);
	bool equality = op == MADKIT_EXPR_EQ || op == MADKIT_EXPR_NE;
	struct pair_value a, b;

	if (relation == PAIR_NONE)
		return UNKNOWN;
	pair_get(left, relation, &a);
	pair_get(right, relation, &b);
	/* null differs from every value, and has no place in an order */
	if (a.null || b.null)
		return equality ? op == MADKIT_EXPR_NE : UNKNOWN;
	switch (relation) {
	case PAIR_NUMBERS:
		return pair_numbers(op, a.number, left->bytes, b.number, right->bytes);
	case PAIR_CODES:
	case PAIR_SETS:
		return equality || (op == MADKIT_EXPR_ANY && relation == PAIR_SETS) ?
			       pair_numbers(op, a.number, left->bytes, b.number, right->bytes) :
			       UNKNOWN;
	case PAIR_RANKS:
		return op == MADKIT_EXPR_ANY ? UNKNOWN :
					       pair_ranks(op, fa->values, a.number, fb->values, b.number);
	case PAIR_MEMBER:
		return fa->kind == MADKIT_KIND_ENUM ?
			       pair_member(op, fa->values, a.number, b.number) :
			       pair_member(pair_mirrored(op), fb->values, b.number, a.number);
	case PAIR_DECIMALS:
		return op == MADKIT_EXPR_ANY || strcmp(a.symbol, b.symbol) ?
			       UNKNOWN :
			       test_holds(op, decimal_order(&a.decimal, &b.decimal));
	case PAIR_TEXTS:
		return op == MADKIT_EXPR_ANY ? UNKNOWN :
					       test_holds(op, test_text_order(a.text, a.len, b.text, b.len,
									      a.fold || b.fold));
	default:
		return equality ? test_holds(op, pair_octets_differ(&a, &b)) : UNKNOWN;
	}
}
