/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Times in the formats of dmesg, syslog, journalctl and opensm. */
#define _GNU_SOURCE /* strptime(), timegm() */
#include <string.h>
#include "text_line.h"

static size_t text_line_decimals(const struct text_line *l, size_t i)
{
	size_t n = 0;

	while (text_line_at(l, i + n) >= '0' && text_line_at(l, i + n) <= '9')
		n++;
	return n;
}

/* Returns the length of "10:11", "10:11:12" or "10:11:12.345" at i, or 0. */
static size_t text_line_clock(const struct text_line *l, size_t i)
{
	size_t n = text_line_decimals(l, i), groups = 1;

	if (n != 1 && n != 2)
		return 0;
	for (; groups < 3 && text_line_at(l, i + n) == ':' && text_line_decimals(l, i + n + 1) == 2; groups++)
		n += 3;
	if (groups == 1)
		return 0;
	if (groups == 3 && (text_line_at(l, i + n) == '.' || text_line_at(l, i + n) == ','))
		n += 1 + text_line_decimals(l, i + n + 1);
	return n;
}

/* Returns the length of "2026-11-20T" or "2026-11-20 " at i if a time of day follows, or 0. */
static size_t text_line_date(const struct text_line *l, size_t i)
{
	bool date = text_line_decimals(l, i) == 4 && text_line_at(l, i + 4) == '-' &&
		    text_line_decimals(l, i + 5) == 2 && text_line_at(l, i + 7) == '-' &&
		    text_line_decimals(l, i + 8) == 2 &&
		    (text_line_at(l, i + 10) == 'T' || text_line_at(l, i + 10) == ' ');

	return date && text_line_clock(l, i + 11) ? 11 : 0;
}

/* Returns the length of a time zone at i (Z, +01:00 or +0100), or 0. */
static size_t text_line_zone(const struct text_line *l, size_t i)
{
	char sign = text_line_at(l, i);
	size_t n = sign == '+' || sign == '-' ? text_line_decimals(l, i + 1) : 0;

	if (sign == 'Z')
		return 1;
	if (n == 2 && text_line_at(l, i + 3) == ':')
		return 4 + text_line_decimals(l, i + 4);
	return n ? 1 + n : 0;
}

/* Returns the length of a time at i that is followed by a blank or a bracket, or 0. */
static size_t text_line_time_length(const struct text_line *l, size_t i)
{
	size_t n = text_line_date(l, i), clock = text_line_clock(l, i + n);
	char end;

	if (clock) {
		n += clock;
		n += text_line_zone(l, i + n);
	} else {
		/* dmesg's seconds */
		n = text_line_decimals(l, i);
		if (!n || text_line_at(l, i + n) != '.' || text_line_decimals(l, i + n + 1) < 3)
			return 0;
		n += 1 + text_line_decimals(l, i + n + 1);
	}
	end = text_line_at(l, i + n);
	if (end == ':' && text_line_blank(l, i + n + 1))
		return n;
	return text_line_blank(l, i + n) || end == '\n' || end == ']' || end == ')' ? n : 0;
}

size_t text_line_after_time(const struct text_line *l)
{
	size_t begin = text_line_blanks(l, 0), n = text_line_time_length(l, begin), i = begin + n;

	i += text_line_at(l, i) == ':';
	i += text_line_blanks(l, i);
	return n && text_line_at(l, i) != '\n' ? i : 0;
}

uint64_t text_line_prefix(const struct text_line *l, size_t n)
{
	uint64_t hash = UINT64_C(0xcbf29ce484222325);
	bool clock = false, begins = true;

	for (size_t i = 0; i < n;) {
		size_t blanks = text_line_blanks(l, i), time = begins ? text_line_time_length(l, i) : 0;
		char c = l->p[i];

		/* opensm's microseconds */
		if (clock && !time && text_line_decimals(l, i) == 6 && text_line_blank(l, i + 6))
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

/* Parses the time of n characters at i. Returns false unless it has a date and a time zone. */
static bool text_line_read_time(const struct text_line *l, size_t i, size_t n, struct timespec *time)
{
	char text[64] = "", *end;
	long unit = 100000000;
	struct tm tm = { .tm_sec = 0 }, date;

	if (!n || n >= sizeof(text))
		return false;
	memcpy(text, l->p + i, n);
	end = strptime(text, text[10] == 'T' ? "%Y-%m-%dT%H:%M:%S" : "%Y-%m-%d %H:%M:%S", &tm);
	if (!end)
		return false;
	date = tm;
	time->tv_sec = timegm(&date);
	time->tv_nsec = 0;
	if (date.tm_mday != tm.tm_mday || tm.tm_year < 70)
		return false;
	if (*end == '.' || *end == ',')
		for (end++; *end >= '0' && *end <= '9'; end++, unit /= 10)
			time->tv_nsec += unit * (*end - '0');
	end = *end ? strptime(end, "%z", &tm) : NULL;
	time->tv_sec -= tm.tm_gmtoff;
	return end && !*end;
}

struct timespec text_line_time(const struct text_line *l, size_t n)
{
	struct timespec time;

	for (size_t i = 0; i < n; i++) {
		bool begins = !i || text_line_blank(l, i - 1) || strchr("[(<>", l->p[i - 1]);

		if (begins && text_line_date(l, i) &&
		    text_line_read_time(l, i, text_line_time_length(l, i), &time))
			return time;
	}
	return (struct timespec){ .tv_nsec = -1 };
}
