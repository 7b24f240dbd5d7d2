/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include "json/strict.h"
#include "json/value.h"
#include "util/hex.h"
#include "util/utf8.h"

/* A string of a line that is known to be JSON. */
struct string {
	size_t len;		/* quotes and all */
	bool zero;		/* it has a U+0000 */
	bool odd;		/* something in it is no character */
};

/* The code unit of "\uXXXX" in the text, or -1. */
static int code_unit(const char *text, size_t len)
{
	uint8_t unit[2];

	if (len < 6 || text[0] != '\\' || text[1] != 'u')
		return -1;
	return hex_decode(text + 2, 4, unit, sizeof(unit), NULL) < 0 ? -1 :
		unit[0] << 8 | unit[1];
}

/* The bytes of what is next in a string. */
static size_t character(const char *text, size_t len, struct string *s)
{
	int unit = code_unit(text, len), next;
	size_t n;

	if (text[0] != '\\') {
		n = utf8_length((const uint8_t *)text, len);
		s->odd |= !n;
		return n ? n : 1;
	}
	s->zero |= !unit;
	if (unit < 0xd800 || unit > 0xdfff)
		return unit < 0 ? 2 : 6;
	next = code_unit(text + 6, len - 6);
	if (unit < 0xdc00 && next >= 0xdc00 && next <= 0xdfff)
		return 12;
	s->odd = true;
	return 6;
}

static struct string string_at(const char *text, size_t len)
{
	struct string s = { .len = 1 };

	while (s.len < len && text[s.len] != '"')
		s.len += character(text + s.len, len - s.len, &s);
	s.len = s.len < len ? s.len + 1 : len;
	return s;
}

/* Whether what is before this is a key. */
static bool is_key(const char *text, size_t len)
{
	size_t n = 0;

	while (n < len && isspace((unsigned char)text[n]))
		n++;
	return n < len && text[n] == ':';
}

static bool ends_with(const char *text, size_t len, const char *end)
{
	size_t n = strlen(end);

	return len >= n && !memcmp(text + len - n, end, n);
}

/* ---- names that are there twice --------------------------------------------------------- */

/* How many members an object has, and all that is within it. */
static size_t count_members(struct json_object *value)
{
	size_t n = 0;

	if (json_object_is_type(value, json_type_array)) {
		for (size_t i = 0; i < json_object_array_length(value); i++)
			n += count_members(json_object_array_get_idx(value, i));
	} else if (json_object_is_type(value, json_type_object)) {
		json_object_object_foreach(value, key, member)
			n += count_members(member) + (key != NULL);
	}
	return n;
}

/* The objects and arrays that are open: the keys that each has had, and the last. */
struct levels {
	struct json_tokener *tokener;
	struct json_object *keys[GRAMMAR_DEPTH_MAX];
	struct json_object *last[GRAMMAR_DEPTH_MAX];
	unsigned int n;
};

static void leave(struct levels *l)
{
	l->n--;
	json_object_put(l->keys[l->n]);
	json_object_put(l->last[l->n]);
}

static int enter(struct levels *l)
{
	if (l->n == GRAMMAR_DEPTH_MAX)
		return -EINVAL;
	l->last[l->n] = NULL;
	l->keys[l->n] = json_object_new_object();
	return l->keys[l->n++] ? 0 : -ENOMEM;
}

/* The key that these bytes are. 0, -EEXIST or -ENOMEM. */
static int add_key(struct levels *l, const char *text, size_t len)
{
	struct json_object **last = &l->last[l->n - 1], *keys = l->keys[l->n - 1];
	const char *key;

	json_object_put(*last);
	json_tokener_reset(l->tokener);
	*last = json_tokener_parse_ex(l->tokener, text, (int)len);
	key = json_object_get_string(*last);
	if (!key)
		return -ENOMEM;
	if (json_object_object_get_ex(keys, key, NULL))
		return -EEXIST;
	return json_object_object_add(keys, key, NULL) ? -ENOMEM : 0;
}

/* "data.Block": what the open ones are called. */
static int tell_twice(const struct levels *l, struct madkit_error *error)
{
	char scope[80] = "";
	size_t used = 0;

	for (unsigned int i = 0; i + 1 < l->n && used < sizeof(scope); i++)
		if (l->last[i])
			used += (size_t)snprintf(scope + used, sizeof(scope) - used, "%s%s",
						 used ? "." : "",
						 json_object_get_string(l->last[i]));
	return json_error(error, scope, json_object_get_string(l->last[l->n - 1]),
			  "is there twice");
}

static int find_twice(const char *line, size_t len, const struct grammar_tag *tag,
		      struct madkit_error *error)
{
	struct levels l = { .tokener = json_tokener_new() };
	int ret = l.tokener ? 0 : -ENOMEM;

	for (size_t i = 0, n; i < len && !ret; i += n) {
		n = 1;
		if (tag->len && i == tag->at) {
			n = tag->len;
		} else if (line[i] == '{' || line[i] == '[') {
			ret = enter(&l);
		} else if ((line[i] == '}' || line[i] == ']') && l.n) {
			leave(&l);
		} else if (line[i] == '"') {
			n = string_at(line + i, len - i).len;
			if (l.n && is_key(line + i + n, len - i - n))
				ret = add_key(&l, line + i, n);
		}
	}
	if (ret == -EEXIST)
		ret = tell_twice(&l, error);
	while (l.n)
		leave(&l);
	if (l.tokener)
		json_tokener_free(l.tokener);
	return ret;
}

/* ---- the line --------------------------------------------------------------------------- */

/* Whether the text begins with so many digits of a value of more than 64 bits. */
static bool is_too_large(const char *text, size_t digits, size_t len)
{
	static const char most[] = "18446744073709551615";
	const size_t n = sizeof(most) - 1;

	/* a fraction or an exponent is refused as such */
	return (digits > n || (digits == n && memcmp(text, most, n) > 0)) &&
	       (digits == len || !strchr(".eE", text[digits]));
}

int strict_check(const char *line, size_t len, const struct grammar_tag *tag,
		 struct json_object *object, struct madkit_error *error)
{
	size_t members = 0;
	bool bytes = false;

	for (size_t i = 0, n; i < len; i += n ? n : 1) {
		n = 0;
		if (tag->len && i == tag->at) {
			n = tag->len;
			continue;
		}
		if (line[i] == '"') {
			const struct string s = string_at(line + i, len - i);

			n = s.len;
			if (s.odd)
				return madkit_error_set(error, -EINVAL, (int)i,
					"the text at column %zu is not UTF-8, or has half a surrogate pair",
					i + 1);
			if (!is_key(line + i + n, len - i - n))
				continue;
			/* json-c ends it there */
			if (s.zero)
				return json_error(error, "", "a key", "%.*s has a U+0000 in it",
						  n < 80 ? (int)n : 80, line + i);
			members++;
			/* may have 66 bits, and stands beside the value that counts */
			bytes = ends_with(line + i, n, "_bytes\"");
			continue;
		}
		while (i + n < len && isdigit((unsigned char)line[i + n]))
			n++;
		if (!bytes && is_too_large(line + i, n, len - i))
			/* without its digits: it may be a mistyped key */
			return madkit_error_set(error, -EINVAL, (int)i,
						"the number at column %zu is more than 2^64 - 1",
						i + 1);
	}
	return members == count_members(object) ? 0 : find_twice(line, len, tag, error);
}
