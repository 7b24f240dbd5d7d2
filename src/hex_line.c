/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * No list of log formats: dmesg, syslog, journalctl and opensm end their prefix with "] ", ": " or "-> ",
 * and whatever a program adds before its own dump ends alike or precedes an offset.
 */
#include <ctype.h>
#include "hex_line.h"

size_t hex_line_hex(const struct hex_line *l, size_t i, bool offset)
{
	bool any = offset;

	while (!hex_line_ends(l, i)) {
		size_t n = hex_line_digits(l, i), gap = hex_line_blanks(l, i);

		if (hex_line_prefixed(l, i) && hex_line_digits(l, i + 2))
			n = 2 + hex_line_digits(l, i + 2);
		if (offset && gap >= 2 && i && cli_hex_digit(hex_line_at(l, i - 1)) >= 0)
			return i;
		if (!n && !gap && !hex_line_separator(hex_line_at(l, i)))
			return 0;
		any |= n > 0;
		i += n ? n : gap ? gap : 1;
	}
	return any || hex_line_at(l, i) == '\n' ? i : 0;
}

/* Where the bytes begin if an offset with a colon stands at i, else 0. */
static size_t hex_line_after_offset(const struct hex_line *l, size_t i)
{
	size_t begin = i + (hex_line_prefixed(l, i) ? 2 : 0);
	size_t end = begin + hex_line_digits(l, begin);
	char after = hex_line_at(l, end + 1);

	return end - begin > 2 && hex_line_at(l, end) == ':' && (after == '\n' || hex_line_blank(after)) ?
		       end + 1 :
		       0;
}

/* Whether so many digits stand from i to end that they are no number in other text. */
static bool hex_line_is_dump(const struct hex_line *l, size_t i, size_t end, size_t most)
{
	size_t n = 0;

	for (; i < end; i++)
		n += cli_hex_digit(l->p[i]) >= 0;
	return n > most;
}

size_t hex_line_after_prefix(const struct hex_line *l, uint64_t latest)
{
	char before = ' ';

	for (size_t i = 1; i < l->len; i++) {
		struct hex_line rest = { l->p + i, l->len - i };
		size_t bytes, end;

		if (!hex_line_blank(l->p[i - 1]))
			before = l->p[i - 1];
		if (hex_line_blank(l->p[i]) || !hex_line_blank(l->p[i - 1]))
			continue;
		bytes = hex_line_after_offset(l, i);
		end = bytes ? hex_line_hex(l, bytes, true) : 0;
		if (end && (hex_line_is_dump(l, bytes, end, 15) || hex_line_prefix_hash(l, i) == latest))
			return i;
		if ((before != ']' && before != ':' && before != '>') ||
		    (cli_hex_digit(l->p[i]) < 0 && l->p[i] != '\\' && l->p[i] != '*'))
			continue;
		/* '>' ends "0x01 ->" in opensm's prefix */
		end = hex_line_repeats(&rest) ? i : hex_line_hex(l, i, false);
		if (end && hex_line_at(l, end) != '>' &&
		    (hex_line_is_dump(l, i, end, 16) || hex_line_prefix_hash(l, i) == latest))
			return i;
	}
	return 0;
}

/* The length of "[...]" at i if only letters and digits stand in it: a process or a thread. */
static size_t hex_line_process(const struct hex_line *l, size_t i)
{
	size_t n = 1;

	if (hex_line_at(l, i) != '[')
		return 0;
	while (isalnum((unsigned char)hex_line_at(l, i + n)))
		n++;
	return hex_line_at(l, i + n) == ']' ? n + 1 : 0;
}

uint64_t hex_line_prefix_hash(const struct hex_line *l, size_t n)
{
	uint64_t hash = UINT64_C(0xcbf29ce484222325);
	size_t exact = 0;
	bool count = false;

	for (size_t i = 0; i < n; i++) {
		char c = l->p[i];
		bool was = count;

		if (!exact)
			exact = hex_line_process(l, i);
		count = !exact && (hex_line_blank(c) || isdigit((unsigned char)c));
		exact -= exact > 0;
		if (!count || !was)
			hash = (hash ^ (uint8_t)(count ? '0' : c)) * UINT64_C(0x100000001b3);
	}
	return hash;
}
