/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <madkit/escape.h>
#include "util/emit.h"
#include "util/utf8.h"

/* Bytes at the start of s that both JSON and a terminal take as they are. */
static size_t plain_length(const uint8_t *s, size_t len)
{
	size_t n = 0;

	while (n < len && s[n] >= 0x20 && s[n] < 0x7f && s[n] != '"' &&
	       s[n] != '\\')
		n++;
	return n;
}

/* C1 control characters: U+0080 to U+009F. */
static bool is_c1(const uint8_t *s, size_t n)
{
	return n == 2 && s[0] == 0xc2 && s[1] < 0xa0;
}

bool madkit_json_string(struct madkit_buf *buf, const char *text, size_t len)
{
	static const char escapes[32] = {
		['\b'] = 'b', ['\t'] = 't', ['\n'] = 'n', ['\f'] = 'f',
		['\r'] = 'r',
	};
	const uint8_t *s = (const uint8_t *)text;
	char *p = madkit_buf_room(buf, len * 6 + 2);
	bool odd = false;

	if (!p)
		return false;
	*p++ = '"';
	for (size_t i = 0; i < len;) {
		size_t n = plain_length(s + i, len - i);

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
		} else if (n <= 1 || is_c1(s + i, n)) {
			/* controls, and bytes that are no UTF-8; the second
			 * byte of a C1 control is its code point */
			odd |= !n;
			i += n == 2;
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

void madkit_text_escape(struct madkit_buf *buf, const char *text, size_t len)
{
	const uint8_t *s = (const uint8_t *)text;
	char *p = madkit_buf_room(buf, len * 4);

	if (!p)
		return;
	for (size_t i = 0; i < len;) {
		size_t n = utf8_length(s + i, len - i);

		if (n > 1 && !is_c1(s + i, n)) {
			memcpy(p, s + i, n);
			p += n;
			i += n;
		} else if (n == 1 && s[i] >= 0x20 && s[i] != 0x7f) {
			*p++ = (char)s[i++];
		} else {
			/* each byte, so that what it was can be told */
			for (n = n ? n : 1; n; n--) {
				*p++ = '\\';
				*p++ = 'x';
				p = emit_bytes(p, s + i++, 1);
			}
		}
	}
	buf->len = (size_t)(p - buf->data);
}
