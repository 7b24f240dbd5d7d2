/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Appends literals, the output of util/emit.h, and the marks of JSON to a buffer. */
#ifndef UTIL_PUT_H
#define UTIL_PUT_H

#include <string.h>
#include <madkit/buf.h>
#include "util/emit.h"

#define LIT(buf, text) madkit_buf_add(buf, text, sizeof(text) - 1)

/* Appends a decimal number. */
static inline void put_number(struct madkit_buf *buf, uint64_t v)
{
	char *p = madkit_buf_room(buf, EMIT_U64_MAX);

	if (p)
		buf->len = (size_t)(emit_u64(p, v) - buf->data);
}

/* Appends four times v in decimal. */
static inline void put_times4(struct madkit_buf *buf, uint64_t v)
{
	char *p = madkit_buf_room(buf, EMIT_TIMES4_MAX);

	if (p)
		buf->len = (size_t)(emit_times4(p, v) - buf->data);
}

/* Appends 0x and an even number of digits, at most 16. */
static inline void put_hex(struct madkit_buf *buf, uint64_t v, unsigned int digits)
{
	char *p = madkit_buf_room(buf, EMIT_HEX_MAX);

	if (p)
		buf->len = (size_t)(emit_hex(p, v, digits) - buf->data);
}

/* Appends two hex digits for each byte. */
static inline void put_bytes(struct madkit_buf *buf, const uint8_t *data, size_t n)
{
	char *p = madkit_buf_room(buf, 2 * n);

	if (p)
		buf->len = (size_t)(emit_bytes(p, data, n) - buf->data);
}

/* Appends a key of n bytes with a suffix, which need no escapes. */
static inline void put_key(struct madkit_buf *buf, const char *name, size_t n, const char *suffix)
{
	const size_t suffix_len = strlen(suffix);
	char *p = madkit_buf_room(buf, n + suffix_len + 3);

	if (!p)
		return;
	*p = '"';
	memcpy(p + 1, name, n);
	memcpy(p + 1 + n, suffix, suffix_len);
	memcpy(p + 1 + n + suffix_len, "\":", 2);
	buf->len += n + suffix_len + 3;
}

/* Appends a value of put_hex() in quotes. */
static inline void put_quoted_hex(struct madkit_buf *buf, uint64_t v, unsigned int digits)
{
	LIT(buf, "\"");
	put_hex(buf, v, digits);
	LIT(buf, "\"");
}

/* Removes the comma behind the last value, if there is one. */
static inline void put_uncomma(struct madkit_buf *buf)
{
	if (buf->len && buf->data[buf->len - 1] == ',')
		buf->len--;
}

/* Ends an object or array, as a value with a comma behind it. */
static inline void put_close(struct madkit_buf *buf, char end)
{
	put_uncomma(buf);
	madkit_buf_char(buf, end);
	madkit_buf_char(buf, ',');
}

#endif
