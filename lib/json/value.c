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
static void was_set(struct json_target *t, const struct madkit_place *place, const char *text)
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
}

static int json_target_put_text(struct json_target *t, const char *name, const char *text,
				struct madkit_error *error)
{
	struct madkit_error reason = { .text = "" };
	struct madkit_place place;
	int ret = t->attribute ?
			  madkit_attribute_set(t->attribute, t->base, t->len, name, text, &place, &reason) :
			  madkit_set(t->layout, t->base, t->len, name, text, &place, &reason);

	if (ret)
		return json_error(error, t->scope, name, "%s", reason.text);
	ret = check_given(t, &place, name, error);
	if (!ret)
		was_set(t, &place, text);
	return ret;
}

/* Checks if rest has any byte from offset begin up to end. */
static bool rest_has(const struct json_token *rest, size_t begin, size_t end)
{
	if (!json_is(rest, SCAN_OBJECT))
		return false;
	json_each(key, rest) {
		size_t n = json_length(key + 1) / 2;
		uint64_t at;

		if (!madkit_parse_number(key->text, key->len, SIZE_MAX / 2, key->text, &at, NULL) &&
		    at < end && at + n > begin)
			return true;
	}
	return false;
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
	/* not UTF-8: its bytes are in rest */
	if (rest_has(t->rest, t->offset + at, t->offset + at + width)) {
		madkit_place_mark(place, t->given, GIVEN_BYTES);
		return 0;
	}
	if (n > width)
		return json_error(error, t->scope, name, "the text has %zu bytes: at most %zu", n, width);
	if (at + width > t->len)
		return json_error(error, t->scope, name, "lies beyond the end of the data");
	memset(t->base + at, 0, width);
	memcpy(t->base + at, value->text, n);
	was_set(t, place, "");
	return 0;
}

/* Sets the elements of an array, by index. */
static int put_array(struct json_target *t, const char *name, const struct json_token *value,
		     struct madkit_error *error)
{
	size_t n = value->len, i = 0;
	char element[MADKIT_PATH_MAX];
	struct madkit_place place;
	int ret;

	if (json_target_find(t, name, &place, NULL) || !place.whole || place.repeat)
		return json_error(error, t->scope, name, "is not an array");
	if (n > place.field->count)
		return json_error(error, t->scope, name, "%zu elements: at most %u", n, place.field->count);
	json_each(one, value) {
		if (snprintf(element, sizeof(element), "%s[%zu]", name, i++) >= (int)sizeof(element))
			return json_error(error, t->scope, name, "the name is too long");
		ret = json_put_member(t, element, one, error);
		if (ret)
			return ret;
	}
	return 0;
}

int json_put_member(struct json_target *t, const char *name, const struct json_token *value,
		    struct madkit_error *error)
{
	struct madkit_error reason = { .text = "" };
	struct madkit_place place;
	char text[24];
	uint64_t number;
	int ret;

	ret = json_target_find(t, name, &place, &reason);
	if (ret)
		return json_target_refuse(t, name, ret, &reason, error);
	switch (value->kind) {
	case SCAN_OBJECT:
		if (place.field->kind != MADKIT_KIND_STRUCT || place.whole)
			return json_error(error, t->scope, name, "is not an object");
		return json_put_object(t, name, value, error);
	case SCAN_ARRAY:
		return put_array(t, name, value, error);
	case SCAN_STRING:
		if (place.field->kind == MADKIT_KIND_STRING && !place.whole)
			return put_string(t, &place, name, value, error);
		if (!json_is_text(value))
			return json_error(error, t->scope, name, "contains U+0000");
		return json_target_put_text(t, name, value->text, error);
	case SCAN_INTEGER:
		if (place.field->width > 64 || place.field->kind == MADKIT_KIND_STRING ||
		    place.field->kind == MADKIT_KIND_BYTES)
			return json_error(error, t->scope, name, "%.*s must be a string", JSON_SHOWN(value));
		if (!json_integer(value, &number))
			return json_error(error, t->scope, name, "%.*s is below 0", JSON_SHOWN(value));
		snprintf(text, sizeof(text), "%" PRIu64, number);
		return json_target_put_text(t, name, text, error);
	case SCAN_NULL:
		return json_error(error, t->scope, name, "is null: leave it out, or give it a value");
	default:
		return json_error(error, t->scope, name, "%.*s must be an integer or text",
				  JSON_SHOWN(value));
	}
}

/* ---- names beside values --------------------------------------------------------- */

/* Returns the length of the key without _name, _names or _bytes, if the remainder is a field that has this
 * companion; otherwise 0. */
static size_t companion_of(const struct json_target *t, const char *prefix, const char *key)
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
static bool agrees(const struct madkit_field *f, uint64_t value, const struct json_token *said)
{
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
		json_each(one, said) {
			if (madkit_value_find(f->values, one->text, one->len, &bit))
				return false;
			sum |= bit;
		}
		for (const struct madkit_value *v = f->values; v && v->name; v++)
			if (!(v->value & (v->value - 1)) && (value & v->value) && !(sum & v->value))
				return false;
		return !(sum & ~value);
	default:
		if (value > UINT64_MAX / 4)
			return json_is_octets(said, value);
		return json_integer(said, &bytes) && bytes == value * 4;
	}
}

static int check_companion(struct json_target *t, const char *name, const char *key,
			   const struct json_token *said, struct madkit_error *error)
{
	const struct json_token *one = said;
	struct madkit_place place;
	unsigned int n = 1;
	uint64_t value;

	if (json_target_find(t, name, &place, NULL))
		return 0;
	if (place.whole) {
		if (!json_is(said, SCAN_ARRAY))
			return json_error(error, t->scope, key, "must be an array, as %s is", name);
		n = said->len < place.field->count ? said->len : place.field->count;
		one++;
	}
	for (unsigned int i = 0; i < n; i++, one += one->next) {
		if (place.base / 8 > t->len ||
		    madkit_field_get(place.field, place.whole ? i : place.index, t->base + place.base / 8,
				     t->len - place.base / 8, &value))
			break;
		if (!agrees(place.field, value, one))
			return json_error(error, t->scope, key, "%.*s is not what %s says", JSON_SHOWN(one),
					  name);
	}
	return 0;
}

/* Sets a field from its companion, if the line does not have the field. A number of bytes does not set a
 * counter. */
static int put_companion(struct json_target *t, const char *name, const char *key,
			 const struct json_token *said, struct madkit_error *error)
{
	char text[TEXT_MAX] = "";
	struct madkit_place place;
	size_t used = 0;

	if (!json_target_find(t, name, &place, NULL) && place.field->kind == MADKIT_KIND_COUNTER)
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
	return json_target_put_text(t, name, used ? text : "0", error);
}

/* ---- objects ----------------------------------------------------------------------- */

enum pass { PASS_COMMON, PASS_CHOSEN, PASS_NAMES };

/* Returns the pass for a member: fields that only one edition has come after those that choose the edition,
 * and names after values. */
static enum pass pass_of(const struct json_target *t, const char *prefix, const char *name, const char *key,
			 size_t *companion)
{
	struct madkit_place place;

	*companion = companion_of(t, prefix, key);
	if (*companion)
		return PASS_NAMES;
	if (t->attribute &&
	    madkit_place_find(t->attribute->layout, name, strlen(name), &place, NULL) == -ENOENT)
		return PASS_CHOSEN;
	return PASS_COMMON;
}

int json_put_object(struct json_target *t, const char *prefix, const struct json_token *object,
		    struct madkit_error *error)
{
	char start[MADKIT_PATH_MAX];

	if (snprintf(start, sizeof(start), "%s%s", prefix, *prefix ? "." : "") >= (int)sizeof(start))
		return json_error(error, t->scope, prefix, "the name is too long");
	for (enum pass pass = PASS_COMMON; pass <= PASS_NAMES; pass++) {
		json_each(member, object) {
			const char *key = member->text;
			char name[MADKIT_PATH_MAX];
			size_t n;
			int ret;

			if (snprintf(name, sizeof(name), "%s%s", start, key) >= (int)sizeof(name))
				return json_error(error, t->scope, key, "the name is too long");
			if (pass_of(t, start, name, key, &n) != pass)
				continue;
			if (n) {
				name[strlen(start) + n] = 0;
				ret = json_member(object, name + strlen(start)) ?
					      check_companion(t, name, key, member + 1, error) :
					      put_companion(t, name, key, member + 1, error);
			} else {
				ret = json_put_member(t, name, member + 1, error);
			}
			if (ret)
				return ret;
		}
	}
	return 0;
}

bool json_is_whole(const struct madkit_layout *layout, const struct json_token *object)
{
	const struct json_token *key = object + 1, *value;

	array_each(const struct madkit_field, f, layout->fields, layout->nfields) {
		size_t n = 1, others = 0;

		if (f->kind == MADKIT_KIND_RESERVED)
			continue;
		/* printed lines have the order of the table: search from the previous field on */
		while (others < object->len && !names_have(f->name, key->text, key->len) &&
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
