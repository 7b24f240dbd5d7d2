/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A layout is text: 'd' for each digit, 'x' or '\' for a prefix, ' ' for blanks between words, and the separators.
 * Blanks around separators do not count, nor do blanks and separators at both ends, as in an array in C.
 */
#include "hex_shape.h"

struct hex_shape_reader {
	const struct hex_line *l;
	size_t i;
	bool any, padded; /* something was read; a digit that was left out follows */
};

/* The next character of the layout; '\0' at the end. */
static char hex_shape_next(struct hex_shape_reader *r)
{
	bool blanks = false;
	char separator = '\0', c;

	if (r->padded) {
		r->padded = false;
		return 'd';
	}
	/* of several separators, the last one */
	while (hex_line_blank(c = hex_line_at(r->l, r->i)) || hex_line_separator(c)) {
		if (!hex_line_blank(c))
			separator = c;
		blanks = true;
		r->i++;
	}
	if (hex_line_ends(r->l, r->i))
		return '\0';
	if (r->any && blanks)
		return separator ? separator : ' ';
	r->any = true;
	if (hex_line_prefixed(r->l, r->i)) {
		r->i += 2;
		/* 0x1 is 0x01 */
		r->padded = hex_line_digits(r->l, r->i) == 1;
		return c == '0' ? 'x' : c;
	}
	r->i++;
	return cli_hex_digit(c) >= 0 ? 'd' : c;
}

void hex_shape_note(struct hex_shape *shape, const struct hex_line *l, size_t i)
{
	struct hex_shape_reader r = { .l = l, .i = i };
	char c;

	for (shape->len = 0; shape->len < HEX_SHAPE_MAX && (c = hex_shape_next(&r)); shape->len++)
		shape->text[shape->len] = c;
	shape->plain_len = l->len - i <= HEX_SHAPE_MAX ? l->len - i : 0;
	for (size_t n = 0; n < shape->plain_len; n++)
		shape->plain[n] = cli_hex_digit(l->p[i + n]) >= 0 ? 'd' : l->p[i + n];
}

/* Whether the line begins as the noted one, character by character: most lines do, and this is fast. */
static bool hex_shape_same(const struct hex_shape *shape, const struct hex_line *l, size_t i)
{
	const char *p = l->p + i;

	if (!shape->plain_len || l->len - i < shape->plain_len)
		return false;
	for (size_t n = 0; n < shape->plain_len; n++)
		if (p[n] != shape->plain[n] && (shape->plain[n] != 'd' || cli_hex_digit(p[n]) < 0))
			return false;
	return true;
}

bool hex_shape_agrees(const struct hex_shape *shape, const struct hex_line *l, size_t i)
{
	struct hex_shape_reader r = { .l = l, .i = i };

	if (hex_shape_same(shape, l, i))
		return true;
	for (size_t n = 0; n < shape->len; n++) {
		char c = hex_shape_next(&r);

		if (!c)
			break;
		if (c != shape->text[n])
			return false;
	}
	return true;
}
