/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * No list of log formats: dmesg, syslog, journalctl and opensm end their prefix with "] ", ": " or "-> ",
 * and whatever a program adds before its own dump ends alike or precedes an offset.
 */
#include "hex_line.h"

size_t hex_line_hex(const struct hex_line *l, size_t i, bool offset, size_t *text)
{
	bool any = offset;

	while (!hex_line_ends(l, i)) {
		size_t n = hex_line_digits(l, i), gap = hex_line_blanks(l, i);

		if (hex_line_prefixed(l, i) && hex_line_digits(l, i + 2))
			n = 2 + hex_line_digits(l, i + 2);
		if (offset && gap >= 2 && i && cli_hex_digit(hex_line_at(l, i - 1)) >= 0)
			return i;
		if (!n && !gap && !hex_line_separator(hex_line_at(l, i))) {
			*text = i;
			return 0;
		}
		any |= n > 0;
		i += n ? n : gap ? gap : 1;
	}
	if (any || hex_line_at(l, i) == '\n')
		return i;
	*text = i;
	return 0;
}

bool hex_line_pairs(const struct hex_line *l, size_t i)
{
	size_t n = 0;

	for (i += hex_line_blanks(l, i); hex_line_digits(l, i) == 2; i += 3, n++)
		if (!hex_line_blank(hex_line_at(l, i + 2)) && !hex_line_ends(l, i + 2))
			return false;
	return n && (hex_line_ends(l, i) || hex_line_blank(hex_line_at(l, i)));
}

/* Whether the '>' at i begins a column of characters, as "0x01 ->" does not. */
static bool hex_line_closed(const struct hex_line *l, size_t i)
{
	size_t end = l->len;

	while (end > i && hex_line_blank(l->p[end - 1]))
		end--;
	return end > i + 1 && l->p[end - 1] == '<';
}

/* Returns where the bytes begin if there is an offset without a colon at i, pairs of digits and a column behind it. */
static size_t hex_line_after_bare_offset(const struct hex_line *l, size_t i)
{
	size_t n = hex_line_digits(l, i);

	return n >= 4 && hex_line_blank(hex_line_at(l, i + n)) && hex_line_pairs(l, i + n) ?
		       i + n + hex_line_blanks(l, i + n) :
		       0;
}

static size_t hex_line_decimals(const struct hex_line *l, size_t i)
{
	size_t n = 0;

	while (hex_line_at(l, i + n) >= '0' && hex_line_at(l, i + n) <= '9')
		n++;
	return n;
}

/* Returns where the bytes begin if there is an offset with a colon at i, else 0. */
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

/* The length of "10:11", "10:11:12" or "10:11:12.345" at i, or 0. */
static size_t hex_line_clock(const struct hex_line *l, size_t i)
{
	size_t n = hex_line_decimals(l, i), groups = 1;

	if (n != 1 && n != 2)
		return 0;
	for (; groups < 3 && hex_line_at(l, i + n) == ':' && hex_line_decimals(l, i + n + 1) == 2; groups++)
		n += 3;
	if (groups == 1)
		return 0;
	if (groups == 3 && (hex_line_at(l, i + n) == '.' || hex_line_at(l, i + n) == ','))
		n += 1 + hex_line_decimals(l, i + n + 1);
	return n;
}

/* The length of "2026-11-20T" or "2026-11-20 " at i if a clock's time follows, or 0. */
static size_t hex_line_date(const struct hex_line *l, size_t i)
{
	bool date = hex_line_decimals(l, i) == 4 && hex_line_at(l, i + 4) == '-' &&
		    hex_line_decimals(l, i + 5) == 2 && hex_line_at(l, i + 7) == '-' &&
		    hex_line_decimals(l, i + 8) == 2 &&
		    (hex_line_at(l, i + 10) == 'T' || hex_line_at(l, i + 10) == ' ');

	return date && hex_line_clock(l, i + 11) ? 11 : 0;
}

size_t hex_line_time(const struct hex_line *l, size_t i)
{
	size_t n = hex_line_date(l, i), clock = hex_line_clock(l, i + n), zone;
	char end;

	if (clock) {
		n += clock;
		/* Z, +01:00 or +0100 */
		end = hex_line_at(l, i + n);
		zone = end == '+' || end == '-' ? hex_line_decimals(l, i + n + 1) : 0;
		if (end == 'Z')
			n++;
		else if (zone == 2 && hex_line_at(l, i + n + 3) == ':')
			n += 4 + hex_line_decimals(l, i + n + 4);
		else if (zone)
			n += 1 + zone;
	} else {
		/* dmesg's seconds */
		n = hex_line_decimals(l, i);
		if (!n || hex_line_at(l, i + n) != '.' || hex_line_decimals(l, i + n + 1) < 3)
			return 0;
		n += 1 + hex_line_decimals(l, i + n + 1);
	}
	end = hex_line_at(l, i + n);
	if (end == ':' && hex_line_blank(hex_line_at(l, i + n + 1)))
		return n;
	return hex_line_blank(end) || end == '\n' || end == ']' || end == ')' ? n : 0;
}

size_t hex_line_after_time(const struct hex_line *l)
{
	size_t begin = hex_line_start(l), n = hex_line_time(l, begin), i = begin + n;

	i += hex_line_at(l, i) == ':';
	i += hex_line_blanks(l, i);
	return n && !hex_line_ends(l, i) ? i : 0;
}

size_t hex_line_after_prefix(const struct hex_line *l, uint64_t latest)
{
	size_t timed = hex_line_after_time(l), text = 0, offset_text = 0;
	char before = ' ';

	for (size_t i = 1; i < l->len && i <= HEX_LINE_PREFIX_MAX; i++) {
		struct hex_line rest = { l->p + i, l->len - i };
		size_t bytes, end;

		if (!hex_line_blank(l->p[i - 1]))
			before = l->p[i - 1];
		if (hex_line_blank(l->p[i]) || !hex_line_blank(l->p[i - 1]))
			continue;
		bytes = hex_line_after_offset(l, i);
		/* what ends the bytes behind one word ends those behind the next */
		end = bytes && i >= offset_text ? hex_line_hex(l, bytes, true, &offset_text) : 0;
		if (end && (hex_line_is_dump(l, bytes, end, 15) || hex_line_prefix_hash(l, i) == latest))
			return i;
		if ((before != ']' && before != ':' && before != '>' && i != timed) ||
		    (cli_hex_digit(l->p[i]) < 0 && l->p[i] != '\\' && l->p[i] != '*'))
			continue;
		/* '>' ends "0x01 ->" in opensm's prefix */
		bytes = hex_line_after_bare_offset(l, i);
		end = hex_line_repeats(&rest) ? i :
		      bytes                   ? hex_line_hex(l, bytes, true, &offset_text) :
		      i >= text               ? hex_line_hex(l, i, false, &text) :
						0;
		if (end && (hex_line_at(l, end) != '>' || hex_line_closed(l, end)) &&
		    (hex_line_is_dump(l, bytes ? bytes : i, end, bytes ? 15 : 16) ||
		     hex_line_prefix_hash(l, i) == latest))
			return i;
	}
	return 0;
}

uint64_t hex_line_prefix_hash(const struct hex_line *l, size_t n)
{
	uint64_t hash = UINT64_C(0xcbf29ce484222325);
	bool clock = false, begins = true;

	for (size_t i = 0; i < n;) {
		size_t blanks = hex_line_blanks(l, i), time = begins ? hex_line_time(l, i) : 0;
		char c = l->p[i];

		/* opensm's microseconds */
		if (clock && !time && hex_line_decimals(l, i) == 6 && hex_line_blank(hex_line_at(l, i + 6)))
			time = 6;
		clock = (time && time != 6) || (clock && blanks);
		/* "[    9.000001]" and "[12345.000001]" */
		if (!blanks || !i || l->p[i - 1] != '[')
			hash = (hash ^ (uint8_t)(time ? '0' : blanks ? ' ' : c)) * UINT64_C(0x100000001b3);
		begins = blanks || c == '[' || c == '>' || c == '(';
		i += blanks ? blanks : time ? time : 1;
	}
	return hash;
}
