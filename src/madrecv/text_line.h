/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A line of a log: its characters, its times, and a hash to compare its prefix with that of another line. */
#ifndef SRC_TEXT_LINE_H
#define SRC_TEXT_LINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>
#include "cli/cli.h"

struct text_line {
	const char *p; /* without its newline */
	size_t len;
};

/* A newline follows the last character. */
static inline char text_line_at(const struct text_line *l, size_t i)
{
	return i < l->len ? l->p[i] : '\n';
}

static inline bool text_line_blank(const struct text_line *l, size_t i)
{
	char c = text_line_at(l, i);

	return c == ' ' || c == '\t' || c == '\r';
}

static inline size_t text_line_blanks(const struct text_line *l, size_t i)
{
	size_t n = 0;

	while (text_line_blank(l, i + n))
		n++;
	return n;
}

/* Returns the number of hex digits from i on. */
static inline size_t text_line_digits(const struct text_line *l, size_t i)
{
	size_t n = 0;

	while (cli_hex_digit(text_line_at(l, i + n)) >= 0)
		n++;
	return n;
}

/* Returns the position of the text after a time at the beginning of the line, or 0. A bare time may be bytes with
 * colons. */
size_t text_line_after_time(const struct text_line *l);

/* Hashes the prefix of n characters. All lines of a dump have the same hash: only times and blanks may differ. */
uint64_t text_line_prefix(const struct text_line *l, size_t n);

/*
 * Returns the first time in the prefix of n characters that has a date and a time zone
 * (2026-11-20T22:10:11.123456+01:00, the format of journalctl -o short-iso). tv_nsec is -1 if there is none: other
 * times are ambiguous.
 */
struct timespec text_line_time(const struct text_line *l, size_t n);

#endif
