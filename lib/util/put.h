/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Appends literals, and the output of util/emit.h, to a buffer. */
#ifndef UTIL_PUT_H
#define UTIL_PUT_H

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

#endif
