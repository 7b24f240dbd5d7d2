/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <stdint.h>
#include <string.h>
#include "json/scan.h"
#include "util/bits.h"
#include "util/hex.h"
#include "util/utf8.h"

void scan_begin(struct scan *s, char *text, size_t len)
{
	while (len && memchr(" \t\n\r", text[len - 1], 4))
		len--;
	text[len] = 0;
	*s = (struct scan){ .text = text, .len = len, .depth_max = SCAN_DEPTH_MAX };
	s->open = s->levels;
}

static inline char scan_blanks(struct scan *s)
{
	const char *p = s->text + s->at;

	while ((uint8_t)*p <= ' ' && (*p == ' ' || *p == '\t' || *p == '\n' || *p == '\r'))
		p++;
	s->at = (size_t)(p - s->text);
	return *p;
}

char scan_peek(struct scan *s)
{
	return scan_blanks(s);
}

static enum scan_kind scan_wrong(struct scan *s, const char *expected)
{
	s->expected = expected;
	return SCAN_WRONG;
}

/* ---- numbers and words ------------------------------------------------------------------ */

/* Returns the number of digits; 0: error. */
static size_t scan_digits(struct scan *s)
{
	size_t n = 0;

	while (s->text[s->at] >= '0' && s->text[s->at] <= '9') {
		s->at++;
		n++;
	}
	return n ? n : scan_wrong(s, "a digit");
}

static enum scan_kind scan_number(struct scan *s)
{
	static const char most[] = "18446744073709551615";
	const char *text = s->text;
	enum scan_kind kind = SCAN_INTEGER;
	size_t digits, n = 1;

	s->at += text[s->at] == '-';
	digits = s->at;
	if (text[s->at] == '0')
		s->at++;
	else
		n = scan_digits(s);
	if (n && text[s->at] == '.') {
		kind = SCAN_FRACTION;
		s->at++;
		n = scan_digits(s);
	}
	if (n && (text[s->at] == 'e' || text[s->at] == 'E')) {
		kind = SCAN_FRACTION;
		s->at++;
		s->at += text[s->at] == '+' || text[s->at] == '-';
		n = scan_digits(s);
	}
	if (kind == SCAN_INTEGER && n + 1 >= sizeof(most) &&
	    (n >= sizeof(most) || memcmp(text + digits, most, n) > 0))
		s->fault = SCAN_TOO_LARGE;
	return n ? kind : SCAN_WRONG;
}

static enum scan_kind scan_word(struct scan *s)
{
	static const char *const words[] = { "true", "false", "null" };

	for (unsigned int i = 0; i < 3; i++)
		if (s->text[s->at] == *words[i] && !strncmp(s->text + s->at, words[i], strlen(words[i]))) {
			s->at += strlen(words[i]);
			return SCAN_TRUE + i;
		}
	return scan_wrong(s, "a value");
}

/* ---- strings ---------------------------------------------------------------------------- */

/* Returns the code unit of "\uXXXX" in NUL-terminated text, or -1. */
static int scan_code_unit(const char *p)
{
	uint8_t unit[2];

	return p[0] == '\\' && p[1] == 'u' && hex_decode(p + 2, 4, unit, 2, NULL) == 2 ?
		       unit[0] << 8 | unit[1] :
		       -1;
}

/* Writes a character as UTF-8. Returns its length. */
static size_t scan_put(char *out, uint32_t c)
{
	static const uint8_t first[] = { 0, 0, 0xc0, 0xe0, 0xf0 };
	size_t n = c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;

	for (size_t i = n - 1; i; i--, c >>= 6)
		out[i] = (char)(0x80 | (c & 0x3f));
	out[0] = (char)(first[n] | c);
	return n;
}

/* Decodes the escape at s->at. Returns the number of bytes written to out; 0 if it is not valid. */
static size_t scan_escape(struct scan *s, char *out)
{
	static const char names[] = "\"\\/bfnrt", values[] = "\"\\/\b\f\n\r\t";
	const char *p = s->text + s->at, *name;
	int unit = scan_code_unit(p), low;

	if (p[1] != 'u') {
		name = p[1] ? strchr(names, p[1]) : NULL;
		s->at += name ? 2 : 1;
		if (!name)
			return scan_wrong(s, "one of \"\\/bfnrtu");
		*out = values[name - names];
		return 1;
	}
	if (unit < 0) {
		s->at += 2 + strspn(p + 2, "0123456789abcdefABCDEF");
		return scan_wrong(s, "a hex digit");
	}
	s->at += 6;
	if (!unit && !s->fault)
		s->fault = SCAN_ZERO;
	if (unit < 0xd800 || unit > 0xdfff)
		return scan_put(out, (uint32_t)unit);
	low = scan_code_unit(p + 6);
	if (unit > 0xdbff || low < 0xdc00 || low > 0xdfff) {
		s->fault = SCAN_NOT_UTF8;
		return scan_put(out, 0xfffd);
	}
	s->at += 6;
	return scan_put(out, 0x10000u + (((uint32_t)unit & 0x3ff) << 10 | ((uint32_t)low & 0x3ff)));
}

/* Returns how many characters of the text are plain: neither a quote, a backslash, a control character nor beyond
 * ASCII. Looks at eight at once, the first in the lowest byte, while there are as many: a borrow from a byte that is
 * not plain changes only those after it. */
static size_t scan_plain(const char *text, size_t len)
{
	const uint64_t ones = UINT64_C(0x0101010101010101);
	size_t at = 0;

	for (; len - at >= 8; at += 8) {
		const uint64_t word = __builtin_bswap64(get_be64((const uint8_t *)text + at));
		uint64_t quote, backslash, other;

		quote = word ^ ones * '"';
		backslash = word ^ ones * '\\';
		other = (word | (word - ones * ' ') | (quote - ones) | (backslash - ones)) & ones * 0x80;
		if (other)
			return at + (unsigned int)__builtin_ctzll(other) / 8;
	}
	return at;
}

/* Reads a string from its first quote on. */
static enum scan_kind scan_string(struct scan *s, enum scan_kind kind)
{
	char *out;

	s->at++;
	s->at += scan_plain(s->text + s->at, s->len - s->at);
	out = s->text + s->at;
	while (s->text[s->at] != '"') {
		const char *p = s->text + s->at;
		const uint8_t c = (uint8_t)*p;
		size_t n = 1;

		if (c == '\\') {
			n = scan_escape(s, out);
			if (!n)
				return SCAN_WRONG;
			out += n;
			continue;
		}
		if (c < 0x20)
			return scan_wrong(s, s->at == s->len ? "a closing quote" :
							       "a character, or the escape of one");
		if (c >= 0x80) {
			n = utf8_length((const uint8_t *)p, s->len - s->at);
			if (!n)
				s->fault = SCAN_NOT_UTF8;
			n += !n;
		}
		for (size_t i = 0; i < n; i++)
			*out++ = p[i];
		s->at += n;
	}
	*out = 0;
	s->length = (size_t)(out - s->text) - s->begin - 1;
	s->at++;
	return kind;
}

/* ---- tokens ----------------------------------------------------------------------------- */

static enum scan_kind scan_value(struct scan *s, char c)
{
	s->state = SCAN_AFTER_VALUE;
	if (c == '"')
		return scan_string(s, SCAN_STRING);
	if (c == '-' || (c >= '0' && c <= '9'))
		return scan_number(s);
	if (c != '{' && c != '[')
		return scan_word(s);
	if (s->depth == s->depth_max)
		return scan_wrong(s, "no deeper nesting");
	s->open[s->depth++] = c == '{' ? '}' : ']';
	s->state = SCAN_OPENED;
	s->at++;
	return c == '{' ? SCAN_OBJECT : SCAN_ARRAY;
}

enum scan_kind scan_next(struct scan *s)
{
	const char end = s->depth ? s->open[s->depth - 1] : 0;
	const int state = s->state;
	enum scan_kind kind;
	char c;

	if (state == SCAN_AFTER_VALUE && !end)
		return SCAN_END;
	c = scan_blanks(s);
	s->begin = s->at;
	s->fault = SCAN_FAULTLESS;
	if (state != SCAN_VALUE_NEXT && c == end) {
		s->state = SCAN_AFTER_VALUE;
		s->depth--;
		s->end = ++s->at;
		return SCAN_CLOSE;
	}
	if (state == SCAN_AFTER_VALUE) {
		if (c != ',')
			return scan_wrong(s, end == '}' ? "',' or '}'" : "',' or ']'");
		s->at++;
		c = scan_blanks(s);
		s->begin = s->at;
	}
	if (end == '}' && state != SCAN_VALUE_NEXT) {
		if (c != '"')
			return scan_wrong(s, "a name in double quotes");
		if (!scan_string(s, SCAN_KEY))
			return SCAN_WRONG;
		s->end = s->at;
		if (scan_blanks(s) != ':')
			return scan_wrong(s, "':'");
		s->at++;
		s->state = SCAN_VALUE_NEXT;
		return SCAN_KEY;
	}
	kind = scan_value(s, c);
	s->end = s->at;
	return kind;
}

bool scan_skip(struct scan *s)
{
	const char c = scan_blanks(s);
	const size_t begin = s->at;
	struct scan inner;
	enum scan_kind kind;

	if (c != '{' && c != '[') {
		s->begin = begin;
		kind = scan_value(s, c);
		s->end = s->at;
		return kind != SCAN_WRONG;
	}
	inner = *s;
	inner.open = inner.text + begin;
	inner.depth = 0;
	inner.depth_max = inner.len;
	do
		kind = scan_next(&inner);
	while (kind != SCAN_WRONG && kind != SCAN_END);
	s->at = s->end = inner.at;
	s->begin = begin;
	s->expected = inner.expected;
	s->state = SCAN_AFTER_VALUE;
	return kind == SCAN_END;
}
