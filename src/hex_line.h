/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A line of text that may hold hex digits: its characters, and where the digits begin behind the
 * prefix that a log puts before each line.
 */
#ifndef SRC_HEX_LINE_H
#define SRC_HEX_LINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include "cli.h"

struct hex_line {
	const char *p; /* without its newline */
	size_t len;
};

/* A newline follows the last character. */
static inline char hex_line_at(const struct hex_line *l, size_t i)
{
	return i < l->len ? l->p[i] : '\n';
}

static inline bool hex_line_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

static inline bool hex_line_separator(char c)
{
	return c && strchr(",;:-{}", c);
}

static inline size_t hex_line_blanks(const struct hex_line *l, size_t i)
{
	size_t n = 0;

	while (hex_line_blank(hex_line_at(l, i + n)))
		n++;
	return n;
}

/* The text begins after the marks of a quotation ("> ", "> > ") and blanks. */
static inline size_t hex_line_start(const struct hex_line *l)
{
	size_t i = hex_line_blanks(l, 0);

	while (hex_line_at(l, i) == '>')
		i += 1 + hex_line_blanks(l, i + 1);
	return i;
}

static inline size_t hex_line_digits(const struct hex_line *l, size_t i)
{
	size_t n = 0;

	while (cli_hex_digit(hex_line_at(l, i + n)) >= 0)
		n++;
	return n;
}

static inline bool hex_line_prefixed(const struct hex_line *l, size_t i)
{
	return (hex_line_at(l, i) == '0' || hex_line_at(l, i) == '\\') &&
	       (hex_line_at(l, i + 1) | 0x20) == 'x';
}

/* "|...|" in hexdump -C, ">...<" in od -t x1z: the same bytes as characters. */
static inline bool hex_line_column(const struct hex_line *l, size_t i)
{
	return hex_line_at(l, i) == '|' || hex_line_at(l, i) == '>';
}

static inline bool hex_line_ends(const struct hex_line *l, size_t i)
{
	return hex_line_at(l, i) == '\n' || hex_line_at(l, i) == '#' || hex_line_column(l, i);
}

/* Whether the line is '*', which repeats the line before it. */
static inline bool hex_line_repeats(const struct hex_line *l)
{
	size_t i = hex_line_start(l);

	return hex_line_at(l, i) == '*' && hex_line_ends(l, i + 1 + hex_line_blanks(l, i + 1));
}

/*
 * Where the bytes end that begin at i, if only digits and what separates them stand there: at the end of the
 * line, a comment or the column of characters. 0: other text, the first of which is at *text. offset: an offset
 * ends at i; no bytes need follow it, and two blanks may begin the column of characters.
 */
size_t hex_line_hex(const struct hex_line *l, size_t i, bool offset, size_t *text);

/* Whether pairs of digits alone follow, one blank between them, up to the end or a gap. */
bool hex_line_pairs(const struct hex_line *l, size_t i);

/* The length of a time at i that ends with a word or before a bracket, or 0. */
size_t hex_line_time(const struct hex_line *l, size_t i);

/* Where the text after the time begins that begins the line, or 0. A time alone may be bytes. */
size_t hex_line_after_time(const struct hex_line *l);

/*
 * Where digits begin after the prefix of a log: behind "] ", ": " or "-> ", behind a time that begins the line, or
 * at an offset with a colon. More digits must follow than a 64-bit number has, unless the prefix has the hash of
 * that of the latest line. 0: nowhere within HEX_LINE_PREFIX_MAX characters.
 */
#define HEX_LINE_PREFIX_MAX 512
size_t hex_line_after_prefix(const struct hex_line *l, uint64_t latest);

/* A hash of a prefix of n characters. Lines of the same dump have the same: only times may differ, and blanks. */
uint64_t hex_line_prefix_hash(const struct hex_line *l, size_t n);

#endif
