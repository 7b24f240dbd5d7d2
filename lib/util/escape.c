/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <string.h>
#include <madkit/escape.h>
#include "util/array_size.h"
#include "util/emit.h"
#include "util/escape.h"
#include "util/utf8.h"

/* Returns the number of bytes at the start of s that need no escape in JSON or on a terminal. */
static size_t escape_plain_length(const uint8_t *s, size_t len)
{
	const uint64_t ones = UINT64_MAX / 0xff, highs = ones << 7;
	uint64_t word, quote, backslash;
	size_t n = 0;

	/* eight at a time, as long as none of them may need an escape */
	for (; len - n >= sizeof(word); n += sizeof(word)) {
		memcpy(&word, s + n, sizeof(word));
		quote = word ^ ones * '"';
		backslash = word ^ ones * '\\';
		if (((word | (word + ones) | (word - ones * 0x20) | (quote - ones) | (backslash - ones)) &
		     highs))
			break;
	}
	while (n < len && s[n] >= 0x20 && s[n] < 0x7f && s[n] != '"' && s[n] != '\\')
		n++;
	return n;
}

/* Returns the code point of a sequence of 2 to 4 bytes that is valid UTF-8, otherwise 0. */
static unsigned int escape_code_point(const uint8_t *s, size_t n)
{
	if (n == 2)
		return (s[0] & 0x1fu) << 6 | (s[1] & 0x3fu);
	if (n == 3)
		return (s[0] & 0xfu) << 12 | (s[1] & 0x3fu) << 6 | (s[2] & 0x3fu);
	if (n == 4)
		return (s[0] & 7u) << 18 | (s[1] & 0x3fu) << 12 | (s[2] & 0x3fu) << 6 | (s[3] & 0x3fu);
	return 0;
}

/* Checks for C1 controls, the bidirectional controls of Unicode (UAX 9), and its separators of lines and
 * paragraphs: a terminal or an editor would interpret them. */
static bool escape_is_control(const uint8_t *s, size_t n)
{
	unsigned int c = escape_code_point(s, n);

	return (c >= 0x80 && c <= 0x9f) || c == 0x61c || c == 0x200e || c == 0x200f ||
	       (c >= 0x2028 && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069);
}

/* Returns where the first control in JSON text begins, at most len. n: its length. */
static size_t find_control(const uint8_t *s, size_t len, size_t *n)
{
	size_t at = 0;

	for (; at < len; at += *n) {
		*n = utf8_length(s + at, len - at);
		*n = *n ? *n : 1;
		if (s[at] < 0x20 || s[at] == 0x7f || escape_is_control(s + at, *n))
			break;
	}
	return at;
}

void escape_json(struct madkit_buf *buf, const char *text, size_t len)
{
	const uint8_t *s = (const uint8_t *)text;

	while (len && !buf->error) {
		size_t n = 0, plain = find_control(s, len, &n);

		madkit_buf_add(buf, s, plain);
		s += plain;
		len -= plain;
		if (!len)
			break;
		/* C0 controls are blanks between tokens; strings cannot contain them */
		if (*s < 0x20)
			madkit_buf_char(buf, *s == '\t' ? '\t' : ' ');
		else
			madkit_buf_printf(buf, "\\u%04x", n > 1 ? escape_code_point(s, n) : *s);
		s += n;
		len -= n;
	}
}

bool madkit_json_string(struct madkit_buf *buf, const char *text, size_t len)
{
	static const char escapes[32] = {
		['\b'] = 'b', ['\t'] = 't', ['\n'] = 'n', ['\f'] = 'f', ['\r'] = 'r',
	};
	const uint8_t *s = (const uint8_t *)text;
	char *p = madkit_buf_room(buf, len * 6 + 2);
	bool odd = false;

	if (!p)
		return false;
	*p++ = '"';
	for (size_t i = 0; i < len;) {
		size_t n = escape_plain_length(s + i, len - i);

		memcpy(p, s + i, n);
		p += n;
		i += n;
		if (i == len)
			break;
		n = utf8_length(s + i, len - i);
		if (s[i] == '"' || s[i] == '\\') {
			*p++ = '\\';
			*p++ = (char)s[i++];
		} else if (s[i] < 0x20 && escapes[s[i]]) {
			*p++ = '\\';
			*p++ = escapes[s[i++]];
		} else if (n > 1 && escape_is_control(s + i, n)) {
			unsigned int c = escape_code_point(s + i, n);
			const uint8_t unit[2] = { (uint8_t)(c >> 8), (uint8_t)c };

			memcpy(p, "\\u", 2);
			p = emit_bytes(p + 2, unit, 2);
			i += n;
		} else if (n <= 1) {
			/* controls, and bytes that are not UTF-8 */
			odd |= !n;
			memcpy(p, "\\u00", 4);
			p = emit_bytes(p + 4, s + i++, 1);
		} else {
			memcpy(p, s + i, n);
			p += n;
			i += n;
		}
	}
	*p++ = '"';
	buf->len = (size_t)(p - buf->data);
	return odd;
}

/* Returns the length of the sequence at the start of s. plain: a terminal can show it unchanged. */
static size_t text_sequence(const uint8_t *s, size_t len, bool *plain)
{
	size_t n = utf8_length(s, len);

	*plain = n > 1 ? !escape_is_control(s, n) : n == 1 && s[0] >= 0x20 && s[0] != 0x7f;
	return n ? n : 1;
}

/* Writes the n bytes of a sequence; unless plain, each in hex, which preserves the byte. Returns the end. */
static char *text_put(char *p, const uint8_t *s, size_t n, bool plain)
{
	for (size_t i = 0; i < n; i++) {
		if (plain) {
			*p++ = (char)s[i];
			continue;
		}
		memcpy(p, "\\x", 2);
		p = emit_bytes(p + 2, s + i, 1);
	}
	return p;
}

void escape_text_into(char *out, size_t room, const char *text)
{
	const uint8_t *s = (const uint8_t *)text;
	const char *end = out + room;
	size_t len = strlen(text), n;
	bool plain;

	for (; len; s += n, len -= n) {
		n = text_sequence(s, len, &plain);
		if ((plain ? n : 4 * n) >= (size_t)(end - out))
			break;
		out = text_put(out, s, n, plain);
	}
	*out = 0;
}

void madkit_text_escape(struct madkit_buf *buf, const char *text, size_t len)
{
	const uint8_t *s = (const uint8_t *)text;
	char *p = madkit_buf_room(buf, len * 4);
	bool plain;

	if (!p)
		return;
	for (size_t i = 0, n; i < len; i += n) {
		n = text_sequence(s + i, len - i, &plain);
		p = text_put(p, s + i, n, plain);
	}
	buf->len = (size_t)(p - buf->data);
}

void madkit_text_ascii(struct madkit_buf *buf, size_t from)
{
	size_t more = 0, old = buf->len;
	char *to;

	for (size_t i = from; i < old; i++)
		more += (unsigned char)buf->data[i] & 0x80 ? 3 : 0;
	if (!more || !madkit_buf_room(buf, more))
		return;
	buf->len = old + more;
	to = buf->data + buf->len;
	/* from the end, so that no byte is overwritten before it is read */
	while (old-- > from) {
		const uint8_t byte = (uint8_t)buf->data[old];

		to -= byte & 0x80 ? 4 : 1;
		text_put(to, &byte, 1, !(byte & 0x80));
	}
}

/* ---- columns -------------------------------------------------------------------------- */

/* Code points that do not have one column (Unicode Standard Annex 11; combining marks), in order. */
static const struct text_columns {
	uint32_t first, last;
	uint8_t columns;
} text_columns[] = {
	{ 0x300, 0x36f, 0 },     { 0x483, 0x489, 0 },     { 0x591, 0x5bd, 0 },     { 0x610, 0x61a, 0 },
	{ 0x64b, 0x65f, 0 },     { 0x1100, 0x115f, 2 },   { 0x1ab0, 0x1aff, 0 },   { 0x1dc0, 0x1dff, 0 },
	{ 0x200b, 0x200d, 0 },   { 0x20d0, 0x20ff, 0 },   { 0x2e80, 0x303e, 2 },   { 0x3041, 0x4dbf, 2 },
	{ 0x4e00, 0xa4cf, 2 },   { 0xa960, 0xa97c, 2 },   { 0xac00, 0xd7a3, 2 },   { 0xf900, 0xfaff, 2 },
	{ 0xfe00, 0xfe0f, 0 },   { 0xfe10, 0xfe19, 2 },   { 0xfe20, 0xfe2f, 0 },   { 0xfe30, 0xfe6b, 2 },
	{ 0xfeff, 0xfeff, 0 },   { 0xff01, 0xff60, 2 },   { 0xffe0, 0xffe6, 2 },   { 0x1f300, 0x1f320, 2 },
	{ 0x1f330, 0x1f335, 2 }, { 0x1f337, 0x1f37c, 2 }, { 0x1f600, 0x1f64f, 2 }, { 0x1f900, 0x1f9ff, 2 },
	{ 0x20000, 0x3fffd, 2 },
};

size_t madkit_text_next(const char *text, size_t len, size_t *columns)
{
	const uint8_t *s = (const uint8_t *)text;
	size_t n = utf8_length(s, len);
	const unsigned int c = escape_code_point(s, n);

	*columns = 1;
	if (len > 1 && s[0] == '\033' && s[1] == '[') {
		*columns = 0;
		for (n = 2; n < len && s[n] != 'm'; n++)
			;
		return n < len ? n + 1 : n;
	}
	for (size_t i = 0; i < ARRAY_SIZE(text_columns) && c >= text_columns[i].first; i++)
		if (c <= text_columns[i].last)
			*columns = text_columns[i].columns;
	return n ? n : len > 0;
}

size_t madkit_text_columns(const char *text, size_t len)
{
	size_t all = 0, columns;

	for (size_t i = 0; i < len; all += columns)
		i += madkit_text_next(text + i, len - i, &columns);
	return all;
}
