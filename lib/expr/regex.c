/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Limits of a regular expression, checked before regcomp(): the one of glibc recurses for each parenthesis
 * and copies what a repetition repeats, without a limit.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "expr/expr_int.h"

enum {
	REGEX_BYTES = 1024,
	REGEX_DEPTH = 32,     /* nested parentheses */
	REGEX_STATES = 10000, /* characters, with all repetitions written out */
};

/* The contents of a pair of parentheses so far. */
struct regex_group {
	uint32_t states, last; /* last: of the latest atom, which a repetition repeats */
};

/* Returns the length of a bracket expression that begins here; 1 if it has no end. */
static size_t regex_bracket_length(const char *text, size_t len)
{
	size_t n = 1;

	n += n < len && text[n] == '^';
	n += n < len && text[n] == ']';
	while (n < len && text[n] != ']') {
		/* [:alpha:], [.x.], [=x=] */
		if (text[n] == '[' && n + 1 < len && strchr(":.=", text[n + 1])) {
			char end = text[n + 1];

			for (n += 2; n + 1 < len && (text[n] != end || text[n + 1] != ']'); n++)
				;
			n++;
		}
		n++;
	}
	return n < len ? n + 1 : 1;
}

/* Returns the largest number in "{M,N}" that begins here, with its length in *length; 0 if it is not a
 * repetition. */
static uint32_t regex_repetition(const char *text, size_t len, size_t *length)
{
	uint32_t most = 0, number = 0;
	size_t n = 1;

	for (; n < len && strchr("0123456789,", text[n]); n++) {
		number = text[n] == ',' ? 0 : number * 10 + (uint32_t)(text[n] - '0');
		if (number > REGEX_STATES)
			number = REGEX_STATES;
		most = number > most ? number : most;
	}
	*length = n < len && text[n] == '}' ? n + 1 : 1;
	return *length > 1 ? most : 0;
}

int regex_check(const char *text, size_t len, const char **why)
{
	struct regex_group groups[REGEX_DEPTH + 1] = { { 0, 0 } };
	unsigned int depth = 0;

	*why = "it has more than 1024 bytes";
	if (len > REGEX_BYTES)
		return -EINVAL;
	for (size_t i = 0, n; i < len; i += n) {
		struct regex_group *g = &groups[depth];
		uint32_t times;

		n = 1;
		switch (text[i]) {
		case '(':
			*why = "more than 32 parentheses within each other";
			if (depth == REGEX_DEPTH)
				return -EINVAL;
			groups[++depth] = (struct regex_group){ 0, 0 };
			continue;
		case ')':
			if (!depth)
				continue;
			groups[--depth].last = g->states + 1;
			g = &groups[depth];
			break;
		case '{':
			times = regex_repetition(text + i, len - i, &n);
			if (times < 2)
				continue;
			g->states -= g->last;
			/* no overflow: both are at most REGEX_STATES */
			g->last *= times;
			break;
		case '\\':
			*why = "back-references are not supported";
			if (i + 1 < len && text[i + 1] >= '1' && text[i + 1] <= '9')
				return -EINVAL;
			n = i + 1 < len ? 2 : 1;
			g->last = 1;
			break;
		case '*':
		case '+':
		case '?':
			continue;
		case '[':
			n = regex_bracket_length(text + i, len - i);
			g->last = 1;
			break;
		default:
			g->last = 1;
			break;
		}
		g->states += g->last;
		*why = "its repetitions are too large";
		if (g->states > REGEX_STATES)
			return -EINVAL;
	}
	return 0;
}
