/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <madkit/buf.h>
#include "json/grammar.h"
#include "util/hex.h"
#include "util/utf8.h"

struct text {
	const char *p;
	size_t len, at;
	struct madkit_buf ends;	/* '}' or ']' for each object and array that is open */
	struct grammar_tag *tag;
	size_t tag_at;		/* of the tag's value while it is read, else 0 */
	bool tag_twice;
	const char *expected;	/* at the position of an error */
};

/* U+0000 at the end of the text: no token has it. */
static char next(const struct text *t)
{
	return t->at < t->len ? t->p[t->at] : 0;
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static char next_token(struct text *t)
{
	while (is_blank(next(t)))
		t->at++;
	return next(t);
}

static bool expected(struct text *t, const char *what)
{
	t->expected = what;
	return false;
}

static bool take(struct text *t, const char *characters, const char *what)
{
	if (!next(t) || !strchr(characters, next(t)))
		return expected(t, what);
	t->at++;
	return true;
}

static bool digits(struct text *t)
{
	if (!isdigit((unsigned char)next(t)))
		return expected(t, "a digit");
	while (isdigit((unsigned char)next(t)))
		t->at++;
	return true;
}

static bool number(struct text *t)
{
	if (next(t) == '-')
		t->at++;
	if (next(t) == '0')
		t->at++;
	else if (!digits(t))
		return false;
	if (next(t) == '.') {
		t->at++;
		if (!digits(t))
			return false;
	}
	if (next(t) && strchr("eE", next(t))) {
		t->at++;
		if (next(t) && strchr("+-", next(t)))
			t->at++;
		return digits(t);
	}
	return true;
}

static bool escape(struct text *t)
{
	t->at++;
	if (next(t) != 'u')
		return take(t, "\"\\/bfnrt", "one of \"\\/bfnrtu");
	t->at++;
	for (int i = 0; i < 4; i++, t->at++)
		if (!isxdigit((unsigned char)next(t)))
			return expected(t, "a hex digit");
	return true;
}

static bool string(struct text *t, const char *what)
{
	if (!take(t, "\"", what))
		return false;
	while (next(t) != '"') {
		if (t->at == t->len) {
			return expected(t, "a closing quote");
		} else if (next(t) == '\\') {
			if (!escape(t))
				return false;
		} else if ((unsigned char)next(t) < 0x20) {
			return expected(t, "a character, or the escape of one");
		} else {
			t->at++;
		}
	}
	t->at++;
	return true;
}

static bool word(struct text *t, const char *name)
{
	size_t n = strlen(name);

	if (t->len - t->at < n || memcmp(t->p + t->at, name, n))
		return expected(t, "a value");
	t->at += n;
	return true;
}

/* Whether the characters of a key, escaped or not, are the name. */
static bool grammar_key_is(const char *key, size_t len, const char *name)
{
	for (; *name && len; name++) {
		uint8_t unit[2] = { 0, (uint8_t)*key };
		size_t n = *key == '\\' ? 6 : 1;

		if (n == 6 && (len < 6 || key[1] != 'u' ||
			       hex_decode(key + 2, 4, unit, 2, NULL) < 0))
			return false;
		if (unit[0] || unit[1] != (uint8_t)*name)
			return false;
		key += n;
		len -= n;
	}
	return !*name && !len;
}

static bool grammar_key(struct text *t)
{
	size_t at;

	next_token(t);
	at = t->at + 1;
	if (!string(t, "a name in double quotes"))
		return false;
	if (t->ends.len == 1 && grammar_key_is(t->p + at, t->at - 1 - at, "tag")) {
		next_token(t);
		if (!take(t, ":", "':'"))
			return false;
		next_token(t);
		t->tag_at = t->at;
		return true;
	}
	next_token(t);
	return take(t, ":", "':'");
}

static bool grammar_scalar(struct text *t)
{
	switch (next(t)) {
	case '"':
		return string(t, "text");
	case 't':
		return word(t, "true");
	case 'f':
		return word(t, "false");
	case 'n':
		return word(t, "null");
	default:
		return next(t) == '-' || isdigit((unsigned char)next(t)) ? number(t) :
			expected(t, "a value");
	}
}

static void grammar_tag_ended(struct text *t, size_t end)
{
	if (!t->tag_at)
		return;
	t->tag_twice |= t->tag->len > 0;
	*t->tag = (struct grammar_tag){ .at = t->tag_at, .len = end - t->tag_at };
	t->tag_at = 0;
}

/* Reads what follows a value: ends of objects and arrays, and a comma. */
static bool grammar_after_value(struct text *t)
{
	while (t->ends.len) {
		char end = t->ends.data[t->ends.len - 1];
		const char ends[] = { ',', end, 0 };
		size_t at = t->at;

		next_token(t);
		if (!take(t, ends, end == '}' ? "',' or '}'" : "',' or ']'"))
			return false;
		if (t->ends.len == 1)
			grammar_tag_ended(t, at);
		if (t->p[t->at - 1] == ',')
			return end == ']' || grammar_key(t);
		t->ends.len--;
	}
	return true;
}

/* Without recursion: a tag may nest as deep as a line is long. */
static bool grammar_document(struct text *t)
{
	do {
		char end, first = next_token(t);

		if (first != '{' && first != '[') {
			if (!grammar_scalar(t) || !grammar_after_value(t))
				return false;
			continue;
		}
		if (t->ends.len == GRAMMAR_DEPTH_MAX && !t->tag_at)
			return expected(t, "no deeper nesting");
		end = first == '{' ? '}' : ']';
		madkit_buf_char(&t->ends, end);
		if (t->ends.error)
			return false;
		t->at++;
		if (next_token(t) == end) {
			t->at++;
			t->ends.len--;
			if (!grammar_after_value(t))
				return false;
		} else if (first == '{' && !grammar_key(t)) {
			return false;
		}
	} while (t->ends.len);
	return true;
}

static int grammar_whole(struct text *t, struct madkit_error *error)
{
	char first = next_token(t);
	bool whole = grammar_document(t);

	if (t->ends.error)
		return t->ends.error;
	if (whole && first == '{') {
		next_token(t);
		if (t->at == t->len)
			return 0;
		whole = expected(t, "the line's end");
	}
	if (whole)
		return madkit_error_set(error, -EINVAL, 0, "no JSON object, but %s",
			first == '[' ? "an array" : first == '"' ? "text" :
			first == 'n' ? "null" : first == 't' || first == 'f' ?
			"true or false" : "a number");
	return madkit_error_set(error, -EINVAL, (int)t->at,
		"no JSON object: %s column %zu: %s is expected", t->at == t->len ?
		"it ends too early at" : "unexpected character at", t->at + 1, t->expected);
}

/* A tag is copied to the output, which is UTF-8. */
static int grammar_check_tag(const struct text *t, struct madkit_error *error)
{
	struct grammar_tag *tag = t->tag;
	size_t n;

	if (t->tag_twice) {
		tag->len = 0;
		return madkit_error_set(error, -EINVAL, -1, "tag: is there twice");
	}
	for (size_t i = tag->at; i < tag->at + tag->len; i += n) {
		n = utf8_length((const uint8_t *)t->p + i, tag->at + tag->len - i);
		if (n)
			continue;
		tag->len = 0;
		return madkit_error_set(error, -EINVAL, (int)i,
					"tag: the text at column %zu is not UTF-8", i + 1);
	}
	return 0;
}

int grammar_check(const char *text, size_t len, struct grammar_tag *tag,
		  struct madkit_error *error)
{
	struct text t = { .p = text, .len = len, .tag = tag };
	int ret, of_tag;

	*tag = (struct grammar_tag){ .len = 0 };
	madkit_buf_init(&t.ends, 0);
	while (t.len && is_blank(text[t.len - 1]))
		t.len--;
	ret = grammar_whole(&t, error);
	madkit_buf_free(&t.ends);
	of_tag = grammar_check_tag(&t, ret ? NULL : error);
	return ret ? ret : of_tag;
}
