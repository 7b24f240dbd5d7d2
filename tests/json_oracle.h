/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Reads a line with lib/json and with json-c, and compares what they accept and the values. lib/json refuses what
 * json-c reads without a word: each such refusal has to be one of those below, and true of the line.
 */
#ifndef TESTS_JSON_ORACLE_H
#define TESTS_JSON_ORACLE_H

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <json-c/json.h>
#include "json/tokens.h"

#define ORACLE_DEPTH 4000 /* of json-c, which is recursive when it frees */

/* The line as json-c reads it, or NULL: one value and blanks. */
static inline struct json_object *oracle_parse(const char *line, size_t len)
{
	struct json_tokener *tokener = json_tokener_new_ex(ORACLE_DEPTH);
	struct json_object *object;
	size_t end;

	if (!tokener)
		abort();
	json_tokener_set_flags(tokener, JSON_TOKENER_STRICT);
	while (len && memchr(" \t\n\r", line[len - 1], 4))
		len--;
	object = json_tokener_parse_ex(tokener, line, (int)len);
	end = json_tokener_get_parse_end(tokener);
	if (json_tokener_get_error(tokener) == json_tokener_continue) {
		/* a number ends where a NUL is */
		object = json_tokener_parse_ex(tokener, "", 1);
		end = len;
	}
	if (json_tokener_get_error(tokener) != json_tokener_success || end != len) {
		json_object_put(object);
		object = NULL;
	}
	json_tokener_free(tokener);
	return object;
}

static inline bool oracle_number(const struct json_token *t, struct json_object *value)
{
	char text[400];

	if (t->raw_len >= sizeof(text))
		return true;
	memcpy(text, t->raw, t->raw_len);
	text[t->raw_len] = 0;
	if (t->kind == SCAN_FRACTION)
		return json_object_is_type(value, json_type_double) &&
		       !(json_object_get_double(value) < strtod(text, NULL)) &&
		       !(json_object_get_double(value) > strtod(text, NULL));
	return json_object_is_type(value, json_type_int) &&
	       (*text == '-' ? json_object_get_int64(value) == strtoll(text, NULL, 10) :
			       json_object_get_uint64(value) == strtoull(text, NULL, 10));
}

/* The key with a value that the reader copies instead of decoding it: a null among the tokens. */
static inline const char *oracle_tag_key(const struct json_tokens *t)
{
	return t->cancel ? "cancel" : "tag";
}

/* Returns true if json-c has the same value, down to SCAN_DEPTH_MAX. tag: the key of a null, or NULL. */
static inline bool oracle_same(const struct json_token *t, struct json_object *value, const char *tag)
{
	size_t n = 0;

	switch (t->kind) {
	case SCAN_OBJECT:
		if (!json_object_is_type(value, json_type_object) ||
		    (size_t)json_object_object_length(value) != t->len)
			return false;
		json_each(key, t) {
			struct json_object *member;

			n++;
			if (key->kind != SCAN_KEY || key->text[key->len] || strlen(key->text) != key->len ||
			    !json_object_object_get_ex(value, key->text, &member) ||
			    json_member(t, key->text) != key + 1)
				return false;
			if (!(tag && !strcmp(key->text, tag)) && !oracle_same(key + 1, member, NULL))
				return false;
		}
		return n == t->len;
	case SCAN_ARRAY:
		if (!json_object_is_type(value, json_type_array) || json_object_array_length(value) != t->len)
			return false;
		json_each(one, t)
			if (!oracle_same(one, json_object_array_get_idx(value, n++), NULL))
				return false;
		return n == t->len;
	case SCAN_STRING:
		return json_object_is_type(value, json_type_string) && !t->text[t->len] &&
		       (size_t)json_object_get_string_len(value) == t->len &&
		       !memcmp(json_object_get_string(value), t->text, t->len);
	case SCAN_INTEGER:
	case SCAN_FRACTION:
		return oracle_number(t, value);
	case SCAN_TRUE:
	case SCAN_FALSE:
		return json_object_is_type(value, json_type_boolean) &&
		       json_object_get_boolean(value) == (t->kind == SCAN_TRUE);
	default:
		return t->kind == SCAN_NULL && !value;
	}
}

/* json-c's value of the line's tag and of the bytes that the reader takes for it. */
static inline bool oracle_same_tag(const struct json_tokens *t, struct json_object *line)
{
	struct json_object *member = NULL, *tag;
	bool same;

	if (!t->tag_len)
		return !json_object_object_get_ex(line, oracle_tag_key(t), &member);
	tag = oracle_parse(t->tag, t->tag_len);
	same = json_object_object_get_ex(line, oracle_tag_key(t), &member) &&
	       (member ? json_object_equal(member, tag) : !tag);
	json_object_put(tag);
	return same;
}

static inline bool oracle_begins(const char *text, const char *with)
{
	return !strncmp(text, with, strlen(with));
}

/* Returns true if the refusal is correct and of a kind that json-c does not have. */
static inline bool oracle_refusal(const char *line, size_t len, struct json_object *object,
				  const struct madkit_error *error)
{
	const char *text = error->text, *at = line + (error->position < 0 ? 0 : error->position);
	size_t left = (size_t)(line + len - at), n = 0;

	if (error->position > (int)len)
		return false;
	/* with a second "cancel", of which json-c keeps the last, or a "tag" */
	if (oracle_begins(text, "cancel: a line with it has no other key"))
		return memchr(line, ',', len) && json_object_object_get_ex(object, "cancel", NULL);
	/* a message with a name in it; a long one is cut */
	if (error->position < 0) {
		while (n + 6 <= left && memcmp(at + n, "\\u0000", 6))
			n++;
		/* json-c keeps the last of several members, and cuts names */
		return strstr(text, "is given twice") || strlen(text) > 180 ||
		       (oracle_begins(text, "a key: \"") && n + 6 <= left);
	}
	if (oracle_begins(text, "not a JSON object, but"))
		return !json_object_is_type(object, json_type_object);
	if (oracle_begins(text, "the text at column"))
		return *at == '"';
	if (oracle_begins(text, "tag: the text at column"))
		return (unsigned char)*at >= 0x80;
	if (oracle_begins(text, "the number at column")) {
		while (n < left && isdigit((unsigned char)at[n]))
			n++;
		return n >= 20;
	}
	/* json-c takes what strtod() does: "1.e5", "1.", "00", "-01" */
	if (strstr(text, "a digit is expected"))
		return error->position > 0 && memchr(".eE+-", at[-1], 5);
	if (!oracle_begins(text, "not a JSON object: unexpected character") || !left)
		return false;
	if (strstr(text, "',' or "))
		return error->position > 0 && isdigit((unsigned char)*at) && at[-1] == '0';
	if (strstr(text, "no deeper nesting"))
		return *at == '[' || *at == '{';
	if (strstr(text, "a name in double quotes") || strstr(text, "a value"))
		return memchr("'NnI", *at, 4);
	/* controls in strings */
	return strstr(text, "a character, or the escape of one") && (unsigned char)*at < 0x20;
}

/* Returns NULL, or the difference between the two. error: the error in the line, or "". */
static inline const char *oracle_differ(struct json_tokens *t, const char *line, size_t len,
					struct madkit_error *error)
{
	struct json_object *object = oracle_parse(line, len);
	const struct json_token *root;
	const char *what = NULL;

	error->text[0] = 0;
	if (tokens_read(t, line, len, &root, error)) {
		if (!error->text[0])
			what = "refused without a word";
		else if (object && !oracle_refusal(line, len, object, error))
			what = "json-c reads what is refused";
	} else if (!object) {
		what = "json-c does not read it";
	} else if (!oracle_same(root, object, oracle_tag_key(t))) {
		what = "json-c reads another value";
	} else if (!oracle_same_tag(t, object)) {
		what = "json-c reads another tag";
	}
	json_object_put(object);
	return what;
}

#endif
