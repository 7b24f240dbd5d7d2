/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Words of a topology file, and the errors about them. */
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include "topology/text.h"
#include "util/hex.h"

/* ---- the error ------------------------------------------------------------- */

int read_fail(struct reader *r, int code, uint32_t at, const char *format, ...)
{
	unsigned int line = 1;
	uint32_t begin = 0;
	char text[200];
	va_list args;

	for (uint32_t i = 0; i < at; i++)
		if (r->text[i] == '\n') {
			line++;
			begin = i + 1;
		}
	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	return madkit_error_set(r->error, code, (int)at, "line %u, column %u: %s", line, at - begin + 1,
				text);
}

bool read_is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

/* Returns where the word at a position ends: at a blank or at the end of the line. */
static uint32_t word_end(const struct reader *r, uint32_t at)
{
	while (at < r->end && !read_is_blank(r->text[at]))
		at++;
	return at;
}

int read_expected(struct reader *r, const char *what)
{
	uint32_t n = word_end(r, r->at) - r->at;

	if (!n)
		return read_fail(r, -EINVAL, r->at, "expected %s, found %s", what,
				 r->at == r->end ? "the end of the line" : "a blank");
	return read_fail(r, -EINVAL, r->at, "expected %s, found '%.*s'", what, (int)(n < 40 ? n : 40),
			 r->text + r->at);
}

/* ---- words ---------------------------------------------------------------------- */

void read_blanks(struct reader *r)
{
	while (r->at < r->end && read_is_blank(r->text[r->at]))
		r->at++;
}

bool read_at_end(struct reader *r)
{
	read_blanks(r);
	return r->at == r->end;
}

bool read_take(struct reader *r, const char *word)
{
	size_t n = strlen(word);

	if (r->end - r->at < n || memcmp(r->text + r->at, word, n))
		return false;
	r->at += (uint32_t)n;
	return true;
}

bool read_take_word(struct reader *r, const char *word)
{
	uint32_t at = r->at;

	if (!read_take(r, word))
		return false;
	if (r->at < r->end && (r->text[r->at] | 0x20) >= 'a' && (r->text[r->at] | 0x20) <= 'z') {
		r->at = at;
		return false;
	}
	return true;
}

/* Skips a word if it is here and ends here. */
static bool words_take_all(struct reader *r, const char *word)
{
	return word_end(r, r->at) - r->at == strlen(word) && read_take(r, word);
}

int read_number(struct reader *r, unsigned int base, uint64_t min, uint64_t max, const char *what,
		uint64_t *value)
{
	uint32_t at = r->at;
	uint64_t v = 0;

	if (base == 10 && r->end - at > 2 && r->text[at] == '0' && (r->text[at + 1] | 0x20) == 'x')
		base = 16, at += 2;
	if (at == r->end || hex_digit(r->text[at]) < 0 || hex_digit(r->text[at]) >= (int)base)
		return read_expected(r, what);
	for (; at < r->end; at++) {
		int digit = hex_digit(r->text[at]);

		if (digit < 0 || digit >= (int)base)
			break;
		if (v > (UINT64_MAX - (unsigned int)digit) / base)
			goto range;
		v = v * base + (unsigned int)digit;
	}
	if (v >= min && v <= max) {
		r->at = at;
		*value = v;
		return 0;
	}
range:
	return read_fail(r, -ERANGE, r->at, "expected %s from %" PRIu64 " to %" PRIu64 ", found '%.*s'", what,
			 min, max, (int)(word_end(r, r->at) - r->at < 40 ? word_end(r, r->at) - r->at : 40),
			 r->text + r->at);
}

int read_close_bracket(struct reader *r, char c)
{
	char what[] = "'?'";

	what[1] = c;
	if (r->at == r->end || r->text[r->at] != c)
		return read_expected(r, what);
	r->at++;
	return 0;
}

int read_paren_guid(struct reader *r, uint64_t *guid, uint32_t *where)
{
	uint32_t at = r->at;
	int ret;

	read_blanks(r);
	if (!read_take(r, "(")) {
		r->at = at;
		return 0;
	}
	*where = r->at;
	read_take(r, "0x");
	ret = read_number(r, 16, 1, UINT64_MAX, "a port GUID", guid);
	return ret ? ret : read_close_bracket(r, ')');
}

int read_quoted(struct reader *r, const char *what, uint32_t *at, uint32_t *len)
{
	const char *end;

	if (!read_take(r, "\""))
		return read_expected(r, what);
	end = memchr(r->text + r->at, '"', r->end - r->at);
	if (!end)
		return read_fail(r, -EINVAL, r->at - 1, "the closing '\"' is missing");
	*at = r->at;
	*len = (uint32_t)(end - r->text) - r->at;
	if (!*len)
		return read_fail(r, -EINVAL, r->at - 1, "expected %s, found '\"\"'", what);
	if (*len > TOPOLOGY_NAME_MAX)
		return read_fail(r, -E2BIG, r->at, "the name has %u bytes: at most %u", *len,
				 TOPOLOGY_NAME_MAX);
	if (memchr(r->text + *at, 0, *len))
		return read_fail(r, -EINVAL, r->at, "the name contains a zero byte");
	r->at += *len + 1;
	return 0;
}

int read_description(struct reader *r, uint32_t *at, uint32_t *len)
{
	uint32_t end = r->end;

	*at = ++r->at;
	while (end > *at && r->text[end - 1] != '"')
		end--;
	if (end == *at)
		return read_fail(r, -EINVAL, *at - 1, "the closing '\"' is missing");
	*len = end - 1 - *at;
	r->at = end;
	return 0;
}

int read_lid(struct reader *r, uint16_t *lid)
{
	uint64_t v;
	int ret;

	read_blanks(r);
	ret = read_number(r, 10, 0, 0xffff, "a LID", &v);
	if (!ret)
		*lid = (uint16_t)v;
	return ret;
}

int read_lid_and_lmc(struct reader *r, struct topology_port *port)
{
	uint64_t v;
	int ret;

	if (read_take_word(r, "lid")) {
		ret = read_lid(r, &port->lid);
		if (ret)
			return ret;
	}
	read_blanks(r);
	if (read_take_word(r, "lmc")) {
		read_blanks(r);
		ret = read_number(r, 10, 0, 7, "an LMC", &v);
		if (ret)
			return ret;
		port->lmc = (uint8_t)v;
	}
	read_blanks(r);
	return 0;
}

int read_rate(struct reader *r, struct said *said)
{
	unsigned int width = 0, speed = 0;
	uint32_t at = r->at;

	if (!read_take(r, "??")) {
		for (width = TOPOLOGY_2X; width; width >>= 1)
			if (read_take(r, topology_width_name(width)))
				break;
		if (!width)
			return read_expected(r, "a link width (1x, 2x, 4x, 8x, 12x)");
	}
	if (!words_take_all(r, "???")) {
		for (speed = TOPOLOGY_XDR; speed; speed >>= 1)
			if (words_take_all(r, topology_speed_name(speed)))
				break;
		if (!speed)
			return read_expected(r, "a link speed (SDR, DDR, QDR, FDR10, FDR, "
						"EDR, HDR, NDR, XDR)");
	}
	said->rate_at = at;
	said->width = (uint8_t)width;
	said->speed = (uint16_t)speed;
	return 0;
}
