/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <madkit/num.h>
#include "expr/value.h"
#include "json/value.h"
#include "util/hex.h"
#include "util/names.h"

/* Text of a value: bits by name joined, a number's digits. */
#define TEXT_MAX 1024

int json_error(struct madkit_error *error, const char *scope, const char *key,
	       const char *format, ...)
{
	char reason[200];
	va_list args;

	va_start(args, format);
	vsnprintf(reason, sizeof(reason), format, args);
	va_end(args);
	return madkit_error_set(error, -EINVAL, -1, "%s%s%.80s: %s", scope,
				*scope && *key ? "." : "", key, reason);
}

/* "1.5", "null", for messages. */
static const char *shown(struct json_object *value)
{
	return value ? json_object_to_json_string_ext(value, JSON_C_TO_STRING_PLAIN) :
		       "null";
}

int json_get_number(struct json_object *value, uint64_t max, uint64_t *number,
		    const char *scope, const char *key, struct madkit_error *error)
{
	struct madkit_error reason = { .text = "" };
	bool text = json_object_is_type(value, json_type_string);

	if (text && strlen(json_object_get_string(value)) ==
		    (size_t)json_object_get_string_len(value)) {
		const char *s = json_object_get_string(value);

		if (!madkit_parse_number(s, strlen(s), max, key, number, &reason))
			return 0;
		return json_error(error, scope, key, "%s", reason.text);
	}
	if (!json_object_is_type(value, json_type_int) ||
	    (json_object_get_int64(value) < 0))
		return json_error(error, scope, key, "%.60s is not a number from 0 on",
				  shown(value));
	*number = json_object_get_uint64(value);
	if (*number > max)
		return json_error(error, scope, key, "%" PRIu64 " is more than %" PRIu64,
				  *number, max);
	return 0;
}

int json_get_bytes(struct json_object *value, uint8_t *bytes, size_t room,
		   const char *scope, const char *key, struct madkit_error *error)
{
	const char *text = json_object_get_string(value);
	size_t len = (size_t)json_object_get_string_len(value), bad = 0;
	int n;

	if (!json_object_is_type(value, json_type_string))
		return json_error(error, scope, key, "%.60s is not a string of hex digits",
				  shown(value));
	n = hex_decode(text, len, bytes, room, &bad);
	if (n == -ERANGE)
		return json_error(error, scope, key, "%zu bytes: at most %zu", len / 2, room);
	if (n < 0)
		return json_error(error, scope, key, "no hex digits in pairs at %zu", bad);
	return n;
}

/* ---- one value ------------------------------------------------------------------ */

static int find(const struct json_target *t, const char *name,
		struct madkit_place *place, struct madkit_error *error)
{
	return t->attribute ?
		madkit_attribute_place(t->attribute, t->base, t->len, name, strlen(name),
				       place, error) :
		madkit_place_find(t->layout, name, strlen(name), place, error);
}

/* A field has one value, whatever it is called. */
static int check_given(const struct json_target *t, const struct madkit_place *place,
		       const char *name, struct madkit_error *error)
{
	return madkit_place_given(place, t->given, GIVEN_BYTES) ?
		json_error(error, t->scope, name, "is given twice") : 0;
}

/* Notes that it has the value now. */
static void was_set(struct json_target *t, const struct madkit_place *place,
		    const char *text)
{
	const struct madkit_field *f = place->field;
	size_t bits = madkit_field_offset(f, place->whole ? madkit_field_count(f) - 1u :
					  place->index);
	size_t end;

	/* hex digits may be fewer than there is room for */
	bits += f->kind == MADKIT_KIND_BYTES && strlen(text) * 4 < f->width ?
		strlen(text) * 4 : f->width;
	end = place->base / 8 + (bits + 7) / 8;

	madkit_place_mark(place, t->given, GIVEN_BYTES);
	t->mask |= madkit_place_mask(place);
	if (end > t->end)
		t->end = end;
}

static int put_text(struct json_target *t, const char *name, const char *text,
		    struct madkit_error *error)
{
	struct madkit_error reason = { .text = "" };
	struct madkit_place place;
	int ret = t->attribute ?
		madkit_attribute_set(t->attribute, t->base, t->len, name, text, &place,
				     &reason) :
		madkit_set(t->layout, t->base, t->len, name, text, &place, &reason);

	if (ret)
		return json_error(error, t->scope, name, "%s", reason.text);
	ret = check_given(t, &place, name, error);
	if (!ret)
		was_set(t, &place, text);
	return ret;
}

/* Whether rest has any byte from offset begin up to end. */
static bool rest_has(struct json_object *rest, size_t begin, size_t end)
{
	if (!json_object_is_type(rest, json_type_object))
		return false;
	json_object_object_foreach(rest, key, value) {
		size_t n = (size_t)json_object_get_string_len(value) / 2;
		uint64_t at;

		if (!madkit_parse_number(key, strlen(key), SIZE_MAX / 2, key, &at, NULL) &&
		    at < end && at + n > begin)
			return true;
	}
	return false;
}

/* Text with any characters, U+0000 too. */
static int put_string(struct json_target *t, const struct madkit_place *place,
		      const char *name, struct json_object *value,
		      struct madkit_error *error)
{
	size_t n = (size_t)json_object_get_string_len(value);
	size_t width = place->field->width / 8;
	size_t at = place->base / 8 + madkit_field_offset(place->field, place->index) / 8;

	if (check_given(t, place, name, error))
		return -EINVAL;
	/* no UTF-8: rest has the bytes */
	if (rest_has(t->rest, t->offset + at, t->offset + at + width)) {
		madkit_place_mark(place, t->given, GIVEN_BYTES);
		return 0;
	}
	if (n > width)
		return json_error(error, t->scope, name, "the text has %zu bytes: at most %zu",
				  n, width);
	if (at + width > t->len)
		return json_error(error, t->scope, name, "lies beyond the end of the data");
	memset(t->base + at, 0, width);
	memcpy(t->base + at, json_object_get_string(value), n);
	was_set(t, place, "");
	return 0;
}

static int put_member(struct json_target *t, const char *name,
		      struct json_object *value, struct madkit_error *error);

static int put_object(struct json_target *t, const char *prefix,
		      struct json_object *object, bool (*skip)(const char *key),
		      struct madkit_error *error);

/* The elements of an array, by index. */
static int put_array(struct json_target *t, const char *name,
		     struct json_object *value, struct madkit_error *error)
{
	size_t n = json_object_array_length(value);
	char element[MADKIT_PATH_MAX];
	struct madkit_place place;
	int ret = 0;

	if (find(t, name, &place, NULL) || !place.whole || place.repeat)
		return json_error(error, t->scope, name, "is not an array");
	if (n > place.field->count)
		return json_error(error, t->scope, name, "%zu elements: at most %u", n,
				  place.field->count);
	for (size_t i = 0; i < n && !ret; i++) {
		if (snprintf(element, sizeof(element), "%s[%zu]", name, i) >=
		    (int)sizeof(element))
			return json_error(error, t->scope, name, "the name is too long");
		ret = put_member(t, element, json_object_array_get_idx(value, i), error);
	}
	return ret;
}

static int put_member(struct json_target *t, const char *name,
		      struct json_object *value, struct madkit_error *error)
{
	struct madkit_error reason = { .text = "" };
	struct madkit_place place;
	char number[24];

	if (find(t, name, &place, &reason))
		return json_error(error, t->scope, name, "%s", reason.text);
	switch (json_object_get_type(value)) {
	case json_type_object:
		if (place.field->kind != MADKIT_KIND_STRUCT || place.whole)
			return json_error(error, t->scope, name, "is no object");
		return put_object(t, name, value, NULL, error);
	case json_type_array:
		return put_array(t, name, value, error);
	case json_type_string:
		if (place.field->kind == MADKIT_KIND_STRING && !place.whole)
			return put_string(t, &place, name, value, error);
		if (strlen(json_object_get_string(value)) !=
		    (size_t)json_object_get_string_len(value))
			return json_error(error, t->scope, name, "has a U+0000 in it");
		return put_text(t, name, json_object_get_string(value), error);
	case json_type_int:
		if (place.field->width > 64 || place.field->kind == MADKIT_KIND_STRING ||
		    place.field->kind == MADKIT_KIND_BYTES)
			return json_error(error, t->scope, name, "%s is to be a string",
					  shown(value));
		if (json_object_get_int64(value) < 0)
			return json_error(error, t->scope, name, "%s is below 0",
					  shown(value));
		snprintf(number, sizeof(number), "%" PRIu64,
			 json_object_get_uint64(value));
		return put_text(t, name, number, error);
	case json_type_null:
		return json_error(error, t->scope, name,
				  "is null: leave it out, or give it a value");
	default:
		return json_error(error, t->scope, name, "%.60s is neither a number nor text",
				  shown(value));
	}
}

/* ---- names beside values --------------------------------------------------------- */

/* The length of the key without _name, _names or _bytes, if the rest names a field that has
 * this companion; else 0. */
static size_t companion_of(const struct json_target *t, const char *prefix,
			   const char *key)
{
	const char *suffix = strrchr(key, '_'), *own;
	size_t n = suffix ? (size_t)(suffix - key) : 0;
	char name[MADKIT_PATH_MAX];
	struct madkit_place place;

	if (!n || snprintf(name, sizeof(name), "%s%.*s", prefix, (int)n, key) >= (int)sizeof(name) ||
	    find(t, name, &place, NULL))
		return 0;
	own = field_companion_suffix(place.field);
	return own && !strcmp(suffix, own) ? n : 0;
}

/* Whether one name, list of names or number of bytes says what the value does. */
static bool agrees(const struct madkit_field *f, uint64_t value,
		   struct json_object *said)
{
	const char *name;
	uint64_t sum = 0;

	switch (f->kind) {
	case MADKIT_KIND_ENUM:
		name = madkit_value_name(f->values, value);
		return said ? name && !strcmp(name, json_object_get_string(said)) : !name;
	case MADKIT_KIND_BITS:
		if (!json_object_is_type(said, json_type_array))
			return false;
		for (size_t i = 0; i < json_object_array_length(said); i++) {
			uint64_t bit;

			name = json_object_get_string(json_object_array_get_idx(said, i));
			if (!name || madkit_value_find(f->values, name, strlen(name), &bit))
				return false;
			sum |= bit;
		}
		for (const struct madkit_value *v = f->values; v && v->name; v++)
			if (!(v->value & (v->value - 1)) && (value & v->value) &&
			    !(sum & v->value))
				return false;
		return !(sum & ~value);
	default:
		/* beyond 64 bits a reader may have rounded it */
		return value > UINT64_MAX / 4 ||
		       (json_object_is_type(said, json_type_int) &&
			json_object_get_uint64(said) == value * 4);
	}
}

static int check_companion(struct json_target *t, const char *name, const char *key,
			   struct json_object *said, struct madkit_error *error)
{
	struct madkit_place place;
	unsigned int n;
	uint64_t value;

	if (find(t, name, &place, NULL))
		return 0;
	n = place.whole ? place.field->count : 1;
	if (place.whole && !json_object_is_type(said, json_type_array))
		return json_error(error, t->scope, key, "is to be an array, as %s is", name);
	if (place.whole && json_object_array_length(said) < n)
		n = (unsigned int)json_object_array_length(said);
	for (unsigned int i = 0; i < n; i++) {
		struct json_object *one = place.whole ?
			json_object_array_get_idx(said, i) : said;

		if (place.base / 8 > t->len ||
		    madkit_field_get(place.field, place.whole ? i : place.index,
				     t->base + place.base / 8, t->len - place.base / 8,
				     &value))
			break;
		if (!agrees(place.field, value, one))
			return json_error(error, t->scope, key, "%.60s is not what %s says",
					  shown(one), name);
	}
	return 0;
}

/* Sets the field that a companion without its field names. A number of bytes does not set a counter. */
static int put_companion(struct json_target *t, const char *name, const char *key,
			 struct json_object *said, struct madkit_error *error)
{
	char text[TEXT_MAX] = "";
	struct madkit_place place;
	size_t used = 0;

	if (!find(t, name, &place, NULL) && place.field->kind == MADKIT_KIND_COUNTER)
		return json_error(error, t->scope, key, "specify %s instead, in units of 4 octets", name);
	if (json_object_is_type(said, json_type_string))
		return put_member(t, name, said, error);
	if (!json_object_is_type(said, json_type_array))
		return json_error(error, t->scope, key, "%.60s stands for no value of %s",
				  shown(said), name);
	for (size_t i = 0; i < json_object_array_length(said); i++) {
		struct json_object *one = json_object_array_get_idx(said, i);

		if (!json_object_is_type(one, json_type_string))
			return json_error(error, t->scope, key, "%.60s is no name",
					  shown(one));
		used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%s",
					 used ? "|" : "", json_object_get_string(one));
		if (used >= sizeof(text))
			return json_error(error, t->scope, key, "is too long");
	}
	return put_text(t, name, used ? text : "0", error);
}

/* ---- objects ----------------------------------------------------------------------- */

enum pass { PASS_COMMON, PASS_CHOSEN, PASS_NAMES };

/* Which of the passes a member is for: what an edition alone has comes after what
 * chooses it, and names after values. */
static enum pass pass_of(const struct json_target *t, const char *prefix,
			 const char *name, const char *key)
{
	struct madkit_place place;

	if (companion_of(t, prefix, key))
		return PASS_NAMES;
	if (t->attribute && madkit_place_find(t->attribute->layout, name, strlen(name),
					      &place, NULL) == -ENOENT)
		return PASS_CHOSEN;
	return PASS_COMMON;
}

static int put_object(struct json_target *t, const char *prefix,
		      struct json_object *object, bool (*skip)(const char *key),
		      struct madkit_error *error)
{
	char start[MADKIT_PATH_MAX];

	if (snprintf(start, sizeof(start), "%s%s", prefix, *prefix ? "." : "") >=
	    (int)sizeof(start))
		return json_error(error, t->scope, prefix, "the name is too long");
	for (enum pass pass = PASS_COMMON; pass <= PASS_NAMES; pass++) {
		json_object_object_foreach(object, key, value) {
			char name[MADKIT_PATH_MAX];
			struct json_object *beside;
			size_t n;
			int ret;

			if (skip && skip(key))
				continue;
			if (snprintf(name, sizeof(name), "%s%s", start, key) >=
			    (int)sizeof(name))
				return json_error(error, t->scope, key,
						  "the name is too long");
			if (pass_of(t, start, name, key) != pass)
				continue;
			n = pass == PASS_NAMES ? companion_of(t, start, key) : 0;
			if (n) {
				char own[MADKIT_PATH_MAX];

				snprintf(own, sizeof(own), "%.*s", (int)n, key);
				name[strlen(start) + n] = 0;
				ret = json_object_object_get_ex(object, own, &beside) ?
					check_companion(t, name, key, value, error) :
					put_companion(t, name, key, value, error);
			} else {
				ret = put_member(t, name, value, error);
			}
			if (ret)
				return ret;
		}
	}
	return 0;
}

/* Whether the object names every field of the layout: a nested one with all it has. */
static bool is_whole(const struct madkit_layout *layout, struct json_object *object)
{
	for (unsigned int i = 0; i < layout->nfields; i++) {
		const struct madkit_field *f = &layout->fields[i];
		struct json_object *value = NULL;
		size_t n = 1;

		if (f->kind == MADKIT_KIND_RESERVED)
			continue;
		json_object_object_foreach(object, key, member)
			if (names_have(f->name, key, strlen(key)) ||
			    names_have(f->alias, key, strlen(key)))
				value = member;
		if (!value)
			return false;
		if (f->count) {
			if (!json_object_is_type(value, json_type_array))
				return false;
			n = json_object_array_length(value);
			if (n < f->count && !(f->flags & MADKIT_FIELD_VARIABLE))
				return false;
		}
		for (size_t k = 0; f->sub && k < n; k++) {
			struct json_object *one = f->count ?
				json_object_array_get_idx(value, k) : value;

			if (!json_object_is_type(one, json_type_object) ||
			    !is_whole(f->sub, one))
				return false;
		}
	}
	return true;
}

int json_put_object(struct json_target *target, struct json_object *object,
		    bool (*skip)(const char *key), struct madkit_error *error)
{
	int ret = put_object(target, "", object, skip, error);

	if (!ret && target->attribute)
		target->whole = is_whole(madkit_attribute_layout(target->attribute,
								 target->base, target->len),
					 object);
	return ret;
}
