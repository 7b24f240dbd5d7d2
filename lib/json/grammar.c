/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include "json/grammar.h"
#include "json/strict.h"

struct text {
	const char *p;
	size_t len, at;
	unsigned int depth;
	const char *expected;	/* what is not there */
};

/* Behind the last character U+0000 stands, which is part of nothing. */
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

static bool value(struct text *t);

static bool member(struct text *t)
{
	next_token(t);
	if (!string(t, "a name in double quotes"))
		return false;
	next_token(t);
	return take(t, ":", "':'") && value(t);
}

/* An object or an array. */
static bool members(struct text *t, char end, bool (*one)(struct text *t), const char *what)
{
	const char ends[] = { ',', end, 0 };

	if (t->depth == STRICT_DEPTH_MAX)
		return expected(t, "no deeper nesting");
	t->depth++;
	t->at++;
	if (next_token(t) == end) {
		t->at++;
	} else {
		do {
			if (!one(t))
				return false;
			next_token(t);
			if (!take(t, ends, what))
				return false;
		} while (t->p[t->at - 1] == ',');
	}
	t->depth--;
	return true;
}

static bool value(struct text *t)
{
	switch (next_token(t)) {
	case '{':
		return members(t, '}', member, "',' or '}'");
	case '[':
		return members(t, ']', value, "',' or ']'");
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

int grammar_check(const char *text, size_t len, struct madkit_error *error)
{
	struct text t = { .p = text, .len = len };
	bool whole;
	char first;

	while (t.len && is_blank(text[t.len - 1]))
		t.len--;
	first = next_token(&t);
	whole = value(&t);

	if (whole && first == '{') {
		next_token(&t);
		if (t.at == t.len)
			return 0;
		whole = expected(&t, "the line's end");
	}
	if (whole)
		return madkit_error_set(error, -EINVAL, 0, "no JSON object, but %s",
			first == '[' ? "an array" : first == '"' ? "text" :
			first == 'n' ? "null" : first == 't' || first == 'f' ?
			"true or false" : "a number");
	return madkit_error_set(error, -EINVAL, (int)t.at,
		"no JSON object: %s column %zu: %s is expected", t.at == t.len ?
		"it ends too early at" : "unexpected character at", t.at + 1, t.expected);
}
