/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <madkit/num.h>
#include "expr/value.h"
#include "json/value.h"
#include "util/array_size.h"
#include "util/hex.h"
#include "util/word.h"
#include "wire/unit.h"
#include "wire/wire_int.h"

/* Limit for the text of a value: joined names of bits, or the digits of a number. */
#define TEXT_MAX 1024

/* Gets an integer from 0 on. Returns 2^64 - 1 if it is beyond 64 bits, which is possible only for a number of
 * bytes. */
static bool json_integer(const struct json_token *value, uint64_t *number)
{
	const bool minus = *value->raw == '-';

	if (value->kind != SCAN_INTEGER)
		return false;
	if (madkit_parse_number(value->raw + minus, value->raw_len - minus, UINT64_MAX, "", number, NULL))
		*number = UINT64_MAX;
	return !minus || !*number;
}

int json_get_number(const struct json_token *value, uint64_t max, uint64_t *number, const char *scope,
		    const char *key, struct madkit_error *error)
{
	struct madkit_error reason = { .text = "" };

	if (json_is_text(value)) {
		if (!madkit_parse_number(value->text, value->len, max, key, number, &reason))
			return 0;
		return json_error(error, scope, key, "%s", reason.text);
	}
	if (!json_integer(value, number))
		return json_error(error, scope, key, "%.*s is not a number from 0 on", JSON_SHOWN(value));
	if (*number > max)
		return json_error(error, scope, key, "%" PRIu64 " is more than %" PRIu64, *number, max);
	return 0;
}

int json_get_bytes(const struct json_token *value, uint8_t *bytes, size_t room, const char *scope,
		   const char *key, struct madkit_error *error)
{
	size_t bad = 0;
	int n;

	if (!json_is(value, SCAN_STRING))
		return json_error(error, scope, key, "%.*s is not a string of hex digits", JSON_SHOWN(value));
	n = hex_decode(value->text, value->len, bytes, room, &bad);
	if (n == -ERANGE)
		return json_error(error, scope, key, "%zu bytes: at most %zu", json_length(value) / 2, room);
	if (n < 0)
		return json_error(error, scope, key, "expected pairs of hex digits at %zu", bad);
	return n;
}

/* ---- one value ------------------------------------------------------------------ */

/* Returns the layout that all names of the target are in. NULL: it depends on the data. */
static const struct madkit_layout *json_target_layout(const struct json_target *t)
{
	if (!t->attribute)
		return t->layout;
	return t->attribute->neditions ? NULL : t->attribute->layout;
}

static int json_target_find(const struct json_target *t, const char *name, struct madkit_place *place,
			    struct madkit_error *error)
{
	return t->attribute ? madkit_attribute_place(t->attribute, t->base, t->len, name, strlen(name), place,
						     error) :
			      madkit_place_find(t->layout, name, strlen(name), place, error);
}

void json_try_fields(struct nearest *nearest, const struct madkit_layout *layout)
{
	for (size_t i = 0; layout && i < layout->nfields; i++)
		if (layout->fields[i].kind != MADKIT_KIND_RESERVED)
			nearest_try(nearest, layout->fields[i].name);
}

/* Rejects a name for which json_target_find() returned ret, and suggests the nearest one if it is unknown.
 * Returns -EINVAL. */
static int json_target_refuse(const struct json_target *t, const char *name, int ret,
			      const struct madkit_error *reason, struct madkit_error *error)
{
	struct nearest nearest = nearest_begin(name);
	struct madkit_place place;
	const char *best;

	/* another edition of the attribute may have it */
	if (ret == -ENOENT &&
	    (!t->attribute ||
	     madkit_attribute_place(t->attribute, NULL, 0, name, strlen(name), &place, NULL) == -ENOENT))
		json_try_fields(&nearest, t->attribute ? t->attribute->layout : t->layout);
	best = nearest_word(&nearest);
	return json_error(error, t->scope, name, "%s%s%s%s", reason->text, best ? "; did you mean '" : "",
			  best ? best : "", best ? "'?" : "");
}

/* Rejects a second value of a field, whatever its names. */
static int check_given(const struct json_target *t, const struct madkit_place *place, const char *name,
		       struct madkit_error *error)
{
	return madkit_place_given(place, t->given, GIVEN_BYTES) ?
		       json_error(error, t->scope, name, "is given twice") :
		       0;
}

/* Records that a field has been set. */
static void json_was_set(struct json_target *t, const struct madkit_place *place, const char *text)
{
	const struct madkit_field *f = place->field;
	size_t bits = madkit_field_offset(f, place->whole ? madkit_field_count(f) - 1u : place->index);
	size_t end;

	/* there may be fewer hex digits than there is room for */
	bits += f->kind == MADKIT_KIND_BYTES && strlen(text) * 4 < f->width ? strlen(text) * 4 : f->width;
	end = place->base / 8 + (bits + 7) / 8;

	madkit_place_mark(place, t->given, GIVEN_BYTES);
	t->mask |= madkit_place_mask(place);
	if (end > t->end)
		t->end = end;
	if (*f->name == 'P')
		t->port |= !strcmp(f->name, "PortSelect");
	else if (*f->name == 'C')
		t->select |= !strcmp(f->name, "CounterSelect") || !strcmp(f->name, "CounterSelect2");
}

/* Sets the field at a place from text. */
static int json_target_put_text(struct json_target *t, struct madkit_place *place, const char *name,
				const char *text, struct madkit_error *error)
{
	const struct madkit_layout *layout = json_target_layout(t);
	struct madkit_error reason = { .text = "" };
	int ret;

	if (!layout)
		ret = madkit_attribute_set(t->attribute, t->base, t->len, name, text, place, &reason);
	else if (place_is_field(place))
		ret = place_set(layout, place, t->base, t->len, text, &reason);
	else
		ret = madkit_set(layout, t->base, t->len, name, text, place, &reason);
	if (ret)
		return json_error(error, t->scope, name, "%s", reason.text);
	ret = check_given(t, place, name, error);
	if (!ret)
		json_was_set(t, place, text);
	return ret;
}

/* Sets the number at a place. Returns false, and does nothing, if there is any reason against it. */
static bool json_put_integer(struct json_target *t, const struct madkit_place *place,
			     const struct json_token *value)
{
	const struct madkit_field *f = place->field;
	const size_t at = place->base / 8;
	uint64_t number;

	if (value->kind != SCAN_INTEGER || place->whole || !place_is_field(place) ||
	    f->kind == MADKIT_KIND_STRING || f->kind == MADKIT_KIND_BYTES || unit_is_decimal(f) ||
	    at > t->len || !json_integer(value, &number) ||
	    madkit_place_given(place, t->given, GIVEN_BYTES) ||
	    madkit_field_put(f, place->index, t->base + at, t->len - at, number))
		return false;
	json_was_set(t, place, "");
	return true;
}

/* Checks if rest has any bit that is set in the bits from begin up to end of the message. */
static bool rest_has(const struct json_token *rest, size_t begin, size_t end)
{
	if (!json_is(rest, SCAN_OBJECT))
		return false;
	json_each(key, rest) {
		const size_t n = json_length(key + 1) / 2;
		uint64_t at;
		uint8_t byte;

		if (madkit_parse_number(key->text, key->len, SIZE_MAX / 16, key->text, &at, NULL) ||
		    at >= (end + 7) / 8 || at + n <= begin / 8)
			continue;
		for (size_t i = at < begin / 8 ? begin / 8 - at : 0; i < n && (at + i) * 8 < end; i++) {
			if (hex_decode((key + 1)->text + 2 * i, 2, &byte, 1, NULL) != 1)
				break;
			for (size_t bit = (at + i) * 8; byte; bit++, byte = (uint8_t)(byte << 1))
				if (byte & 0x80 && bit >= begin && bit < end)
					return true;
		}
	}
	return false;
}

/* Checks if rest has bits of a field: its value does not have all of them, and is ignored. */
static bool rest_has_field(const struct json_target *t, const struct madkit_place *place)
{
	const size_t begin = t->offset * 8 + place->base + madkit_field_offset(place->field, place->index);

	return rest_has(t->rest, begin, begin + place->field->width);
}

/* Sets a number with a unit, or a bit error rate; null if it has no value. */
static int put_decimal(struct json_target *t, const struct madkit_place *place, const char *name,
		       const struct json_token *value, struct madkit_error *error)
{
	const struct madkit_field *f = place->field;
	const size_t at = place->base / 8;
	struct madkit_error reason = { .text = "" };
	uint64_t bits;

	if (check_given(t, place, name, error))
		return -EINVAL;
	if (rest_has_field(t, place)) {
		madkit_place_mark(place, t->given, GIVEN_BYTES);
		return 0;
	}
	if (at > t->len)
		return json_error(error, t->scope, name, "lies beyond the end of the data");
	if (unit_parse(f, t->base + at, t->len - at, value->raw, value->raw_len, &bits, &reason))
		return json_error(error, t->scope, name, "%s", reason.text);
	if (madkit_field_put(f, place->index, t->base + at, t->len - at, bits))
		return json_error(error, t->scope, name, "lies beyond the end of the data");
	json_was_set(t, place, "");
	return 0;
}

/* Sets text with any characters, including U+0000. */
static int put_string(struct json_target *t, const struct madkit_place *place, const char *name,
		      const struct json_token *value, struct madkit_error *error)
{
	size_t n = value->len;
	size_t width = place->field->width / 8;
	size_t at = place->base / 8 + madkit_field_offset(place->field, place->index) / 8;

	if (check_given(t, place, name, error))
		return -EINVAL;
	/* not UTF-8, or padded in another way: its bytes are in rest */
	if (rest_has_field(t, place)) {
		madkit_place_mark(place, t->given, GIVEN_BYTES);
		return 0;
	}
	if (n > width)
		return json_error(error, t->scope, name, "the text has %zu bytes: at most %zu", n, width);
	if (at + width > t->len)
		return json_error(error, t->scope, name, "lies beyond the end of the data");
	memset(t->base + at, n && place->field->flags & MADKIT_FIELD_BLANKS ? ' ' : 0, width);
	memcpy(t->base + at, value->text, n);
	json_was_set(t, place, "");
	return 0;
}

static int fields_put(struct json_target *t, const struct madkit_place *outer, const char *prefix,
		      const struct json_token *object, struct madkit_error *error);
static int json_put_value(struct json_target *t, struct madkit_place *place, const char *name,
			  const struct json_token *value, struct madkit_error *error);

/* Sets the elements of an array. */
static int put_array(struct json_target *t, const struct madkit_place *place, const char *name,
		     const struct json_token *value, struct madkit_error *error)
{
	struct madkit_place element = *place;
	char text[MADKIT_PATH_MAX];
	int ret;

	if (!place->whole || place->repeat)
		return json_error(error, t->scope, name, "is not an array");
	if (value->len > place->field->count)
		return json_error(error, t->scope, name, "%u elements: at most %u", value->len,
				  place->field->count);
	element.whole = 0;
	json_each(one, value) {
		if (!json_put_integer(t, &element, one)) {
			if (snprintf(text, sizeof(text), "%s[%u]", name, element.index) >= (int)sizeof(text))
				return json_error(error, t->scope, name, "the name is too long");
			ret = json_put_value(t, &element, text, one, error);
			if (ret)
				return ret;
		}
		element.index++;
	}
	return 0;
}

/* Sets the field at a place. */
static int json_put_value(struct json_target *t, struct madkit_place *place, const char *name,
			  const struct json_token *value, struct madkit_error *error)
{
	const struct madkit_field *f = place->field;
	char text[24];
	uint64_t number;

	if (unit_is_decimal(f) && !place->whole &&
	    (value->kind == SCAN_INTEGER || value->kind == SCAN_FRACTION || value->kind == SCAN_NULL))
		return put_decimal(t, place, name, value, error);
	switch (value->kind) {
	case SCAN_OBJECT:
		if (f->kind != MADKIT_KIND_STRUCT || place->whole)
			return json_error(error, t->scope, name, "is not an object");
		return fields_put(t, place, name, value, error);
	case SCAN_ARRAY:
		return put_array(t, place, name, value, error);
	case SCAN_STRING:
		if (f->kind == MADKIT_KIND_STRING && !place->whole)
			return put_string(t, place, name, value, error);
		if (!json_is_text(value))
			return json_error(error, t->scope, name, "contains U+0000");
		return json_target_put_text(t, place, name, value->text, error);
	case SCAN_INTEGER:
		if (f->width > 64 || f->kind == MADKIT_KIND_STRING || f->kind == MADKIT_KIND_BYTES)
			return json_error(error, t->scope, name, "%.*s must be a string", JSON_SHOWN(value));
		if (!json_integer(value, &number))
			return json_error(error, t->scope, name, "%.*s is below 0", JSON_SHOWN(value));
		snprintf(text, sizeof(text), "%" PRIu64, number);
		return json_target_put_text(t, place, name, text, error);
	case SCAN_NULL:
		return json_error(error, t->scope, name, "is null: leave it out, or give it a value");
	default:
		return json_error(error, t->scope, name, "%.*s must be an integer or text",
				  JSON_SHOWN(value));
	}
}

int json_put_member(struct json_target *t, const char *name, const struct json_token *value,
		    struct madkit_error *error)
{
	struct madkit_error reason = { .text = "" };
	struct madkit_place place;
	int ret = json_target_find(t, name, &place, &reason);

	return ret ? json_target_refuse(t, name, ret, &reason, error) :
		     json_put_value(t, &place, name, value, error);
}

/* ---- names beside values --------------------------------------------------------- */

/* Returns the length of the key without _name, _names or _bytes, if the remainder is a field that has this
 * companion; otherwise 0. */
static size_t json_companion(const struct json_target *t, const char *prefix, const char *key)
{
	const char *suffix = strrchr(key, '_'), *own;
	size_t n = suffix ? (size_t)(suffix - key) : 0;
	char name[MADKIT_PATH_MAX];
	struct madkit_place place;

	if (!n || snprintf(name, sizeof(name), "%s%.*s", prefix, (int)n, key) >= (int)sizeof(name) ||
	    json_target_find(t, name, &place, NULL))
		return 0;
	own = field_companion_suffix(place.field);
	return own && !strcmp(suffix, own) ? n : 0;
}

/* Checks if a number that may need 66 bits is four times a counter, digit by digit. */
static bool json_is_octets(const struct json_token *said, uint64_t value)
{
	char digits[24], *p = digits + sizeof(digits);
	unsigned int carry = 0;

	for (; value || carry; value /= 10) {
		carry += (unsigned int)(value % 10) * 4;
		*--p = (char)('0' + carry % 10);
		carry /= 10;
	}
	return said->raw_len == (size_t)(digits + sizeof(digits) - p) && !memcmp(said->raw, p, said->raw_len);
}

/* Checks if a name, list of names or number of bytes agrees with the value. */
static bool json_agrees(const struct madkit_field *f, uint64_t value, const struct json_token *said)
{
	const struct madkit_value *v;
	uint64_t sum = 0, bytes, bit;
	const char *name;

	switch (f->kind) {
	case MADKIT_KIND_ENUM:
		name = madkit_value_name(f->values, value);
		return said->kind == SCAN_NULL ?
			       !name :
			       name && said->len == strlen(name) && !memcmp(said->text, name, said->len);
	case MADKIT_KIND_BITS:
		if (!json_is(said, SCAN_ARRAY))
			return false;
		v = f->values;
		json_each(one, said) {
			/* printed names have the order of the table */
			while (v && v->name && strcmp(v->name, one->text))
				v++;
			if (v && v->name)
				bit = v++->value;
			else if (madkit_value_find(f->values, one->text, one->len, &bit))
				return false;
			sum |= bit;
		}
		for (v = f->values; v && v->name; v++)
			if (!(v->value & (v->value - 1)) && (value & v->value) && !(sum & v->value))
				return false;
		return !(sum & ~value);
	default:
		if (value > UINT64_MAX / 4)
			return json_is_octets(said, value);
		return json_integer(said, &bytes) && bytes == value * 4;
	}
}

/* Returns the first value of a companion that does not agree with the field, or NULL. *is_array: it should be
 * an array, like the field, and is not. */
static const struct json_token *json_companion_wrong(const struct json_target *t,
						     const struct madkit_place *place,
						     const struct json_token *said, bool *is_array)
{
	const size_t at = place->base / 8;
	unsigned int n = 1;
	uint64_t value;

	*is_array = place->whole && !json_is(said, SCAN_ARRAY);
	if (*is_array)
		return said;
	if (place->whole) {
		n = said->len < place->field->count ? said->len : place->field->count;
		said++;
	}
	for (unsigned int i = 0; i < n; i++, said += said->next) {
		if (at > t->len || madkit_field_get(place->field, place->whole ? i : place->index,
						    t->base + at, t->len - at, &value))
			break;
		if (!json_agrees(place->field, value, said))
			return said;
	}
	return NULL;
}

static int check_companion(struct json_target *t, const char *name, const char *key,
			   const struct json_token *said, struct madkit_error *error)
{
	const struct json_token *wrong;
	struct madkit_place place;
	bool is_array;

	if (json_target_find(t, name, &place, NULL))
		return 0;
	wrong = json_companion_wrong(t, &place, said, &is_array);
	if (!wrong)
		return 0;
	return is_array ?
		       json_error(error, t->scope, key, "must be an array, as %s is", name) :
		       json_error(error, t->scope, key, "%.*s is not what %s says", JSON_SHOWN(wrong), name);
}

/* Sets a field from its companion, if the line does not have the field. A number of bytes does not set a
 * counter. */
static int put_companion(struct json_target *t, const char *name, const char *key,
			 const struct json_token *said, struct madkit_error *error)
{
	struct madkit_error reason = { .text = "" };
	char text[TEXT_MAX] = "";
	struct madkit_place place;
	size_t used = 0;
	int ret = json_target_find(t, name, &place, &reason);

	if (!ret && place.field->kind == MADKIT_KIND_COUNTER)
		return json_error(error, t->scope, key, "specify %s instead, in units of 4 octets", name);
	if (json_is(said, SCAN_STRING))
		return json_put_member(t, name, said, error);
	if (!json_is(said, SCAN_ARRAY))
		return json_error(error, t->scope, key, "%.*s is not a value of %s", JSON_SHOWN(said), name);
	json_each(one, said) {
		if (!json_is(one, SCAN_STRING))
			return json_error(error, t->scope, key, "%.*s is not a name", JSON_SHOWN(one));
		if (!json_is_text(one))
			return json_error(error, t->scope, key, "%.*s contains U+0000", JSON_SHOWN(one));
		used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%s", used ? "|" : "",
					 one->text);
		if (used >= sizeof(text))
			return json_error(error, t->scope, key, "is too long");
	}
	return ret ? json_error(error, t->scope, name, "%s", reason.text) :
		     json_target_put_text(t, &place, name, used ? text : "0", error);
}

/* ---- objects ----------------------------------------------------------------------- */

enum pass { PASS_COMMON, PASS_CHOSEN, PASS_UNITS, PASS_NAMES };

/* Returns the pass for a member: fields that only one edition has come after those that choose the edition,
 * fields with a unit that depends on another field after that, and names after values. */
static enum pass pass_of(const struct json_target *t, const char *prefix, const char *name, const char *key,
			 size_t *companion)
{
	struct madkit_place place;

	*companion = json_companion(t, prefix, key);
	if (*companion)
		return PASS_NAMES;
	if (t->attribute) {
		int ret = madkit_place_find(t->attribute->layout, name, strlen(name), &place, NULL);

		if (!ret && unit_depends(place.field))
			return PASS_UNITS;
		if (ret == -ENOENT)
			return PASS_CHOSEN;
	}
	return PASS_COMMON;
}

/* Where the members of an object go: the layout of a structure, in which each member begins to look for its
 * field after that of the one before. */
struct json_fields {
	const struct madkit_layout
		*layout;                  /* NULL: it depends on the data, or there are several structures */
	const struct madkit_place *outer; /* of the structure, or NULL */
	unsigned int next;
	const struct json_token *key; /* the latest that is the name of a field, and its place */
	struct madkit_place place;
	enum pass pass;
	char prefix[MADKIT_PATH_MAX]; /* of the names of members: "", or that of the structure and a dot */
	char name[MADKIT_PATH_MAX];   /* of the present member */
};

static void fields_found(struct json_fields *fields, unsigned int i, const struct json_token *key)
{
	const struct madkit_field *f = &fields->layout->fields[i];
	const struct madkit_place *outer = fields->outer;
	struct madkit_place *place = &fields->place;

	place->base = outer ? outer->base + madkit_field_offset(outer->field, outer->index) : 0;
	place->component = f->component;
	if (outer)
		place->component =
			outer->component && f->component ? (uint16_t)(outer->component + f->component) : 0;
	place->field = f;
	place->whole = f->count > 0;
	place->elements = 0;
	fields->next = i + 1;
	fields->key = key;
}

/* Finds the field that has exactly the key as its name. Begins with the field after the latest one, because
 * printed lines have the order of the table. */
static bool fields_find(struct json_fields *fields, const struct json_token *key)
{
	const unsigned int n = fields->layout ? fields->layout->nfields : 0;

	for (unsigned int k = 0, i = fields->next; k < n; k++, i++) {
		const struct madkit_field *f;

		i = i < n ? i : 0;
		f = &fields->layout->fields[i];
		if (f->kind == MADKIT_KIND_RESERVED || *f->name != *key->text || strcmp(f->name, key->text))
			continue;
		fields_found(fields, i, key);
		return true;
	}
	return false;
}

/* Checks if the member is the companion of the latest field, and agrees with it. */
static bool fields_agree(const struct json_fields *fields, const struct json_target *t,
			 const struct json_token *key)
{
	const struct json_token *latest = fields->key;
	const char *suffix;
	bool is_array;

	if (!latest || key->len <= latest->len || memcmp(key->text, latest->text, latest->len))
		return false;
	suffix = field_companion_suffix(fields->place.field);
	return suffix && !strcmp(key->text + latest->len, suffix) &&
	       !json_companion_wrong(t, &fields->place, key + 1, &is_array);
}

/* Sets a member whose key is an alias, a dotted name, a companion ... *done: false if it belongs to another pass. */
static int fields_put_other(const struct json_fields *fields, struct json_target *t,
			    const struct json_token *object, const struct json_token *member, bool *done,
			    struct madkit_error *error)
{
	const size_t n = strlen(fields->prefix);
	char field[MADKIT_PATH_MAX];
	size_t companion;

	*done = pass_of(t, fields->prefix, fields->name, member->text, &companion) == fields->pass;
	if (!*done)
		return 0;
	if (!companion)
		return json_put_member(t, fields->name, member + 1, error);
	memcpy(field, fields->name, n + companion);
	field[n + companion] = 0;
	return json_member(object, field + n) ? check_companion(t, field, member->text, member + 1, error) :
						put_companion(t, field, member->text, member + 1, error);
}

/* Sets the members of an object in a structure (outer, with its name), or in the target (NULL and ""). */
static int fields_put(struct json_target *t, const struct madkit_place *outer, const char *structure,
		      const struct json_token *object, struct madkit_error *error)
{
	struct json_fields fields; /* its names are not cleared: they cost more than the rest */
	bool all = false, done;
	int n, ret = 0;

	fields.outer = outer;
	fields.layout = json_target_layout(t);
	fields.next = 0;
	fields.key = NULL;
	memset(&fields.place, 0, sizeof(fields.place));
	if (fields.layout && outer)
		fields.layout = outer->repeat ? NULL : outer->field->sub;
	n = snprintf(fields.prefix, sizeof(fields.prefix), "%s%s", structure, *structure ? "." : "");
	if (n >= (int)sizeof(fields.prefix))
		return json_error(error, t->scope, structure, "the name is too long");
	memcpy(fields.name, fields.prefix, (size_t)n);
	/* most lines need one pass: each companion follows its field, and agrees with it */
	for (fields.pass = PASS_COMMON; fields.pass <= PASS_NAMES && !all; fields.pass++) {
		all = true;
		json_each(member, object) {
			if (fields_agree(&fields, t, member))
				continue;
			if ((size_t)n + member->len >= sizeof(fields.name))
				return json_error(error, t->scope, member->text, "the name is too long");
			memcpy(fields.name + n, member->text, member->len + 1u);
			if (!fields_find(&fields, member)) {
				ret = fields_put_other(&fields, t, object, member, &done, error);
				all &= done;
			} else if (fields.pass < PASS_UNITS && unit_depends(fields.place.field)) {
				all = false;
			} else if (fields.pass ==
					   (unit_depends(fields.place.field) ? PASS_UNITS : PASS_COMMON) &&
				   !json_put_integer(t, &fields.place, member + 1)) {
				ret = json_put_value(t, &fields.place, fields.name, member + 1, error);
			}
			if (ret)
				return ret;
		}
	}
	return 0;
}

int json_put_object(struct json_target *t, const struct json_token *object, struct madkit_error *error)
{
	return fields_put(t, NULL, "", object, error);
}

bool json_is_whole(const struct madkit_layout *layout, const struct json_token *object)
{
	const struct json_token *key = object + 1, *value;

	array_each(const struct madkit_field, f, layout->fields, layout->nfields) {
		size_t n = 1, others = 0;

		if (f->kind == MADKIT_KIND_RESERVED)
			continue;
		/* printed lines have the order of the table: search from the previous field on */
		while (others < object->len && strcmp(f->name, key->text) &&
		       !names_is(f->name, key->text, key->len) &&
		       !names_have(f->alias, key->text, key->len)) {
			others++;
			key += key->next;
			if (key == object + object->next)
				key = object + 1;
		}
		if (others == object->len)
			return false;
		value = key + 1;
		if (f->count) {
			if (value->kind != SCAN_ARRAY ||
			    (value->len < f->count && !(f->flags & MADKIT_FIELD_VARIABLE)))
				return false;
			n = value++->len;
		}
		for (size_t k = 0; f->sub && k < n; k++, value += value->next)
			if (value->kind != SCAN_OBJECT || !json_is_whole(f->sub, value))
				return false;
	}
	return true;
}
