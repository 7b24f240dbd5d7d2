/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Formats a message as lines of hex: offset, 16 bytes. The offset begins at 0000 for each message, by which
 * readers separate messages. */
#include <madkit/format.h>
#include "format/redact.h"
#include "util/emit.h"

/* Checks if any record of the message passes the filter. */
static bool hex_passes(const struct madkit_message *message, const struct madkit_expr *filter)
{
	struct madkit_record record;

	madkit_record_get(message, 0, &record);
	do {
		if (madkit_expr_eval(filter, &record) == 1)
			return true;
	} while (madkit_record_next(&record));
	return false;
}

static int put_lines(struct madkit_buf *buf, const struct madkit_message *message, const uint8_t *mad)
{
	size_t begin = buf->len;

	for (size_t at = 0; at < message->len; at += 16) {
		size_t n = message->len - at;
		char *p = madkit_buf_room(buf, 72);

		if (!p) {
			buf->len = begin;
			return buf->error;
		}
		/* four digits, or more if the message is longer */
		for (unsigned int shift = 32; shift; shift -= 8) {
			uint8_t byte = (uint8_t)(at >> (shift - 8));

			if (shift <= 16 || at >> (shift - 8))
				p = emit_bytes(p, &byte, 1);
		}
		*p++ = ':';
		for (size_t i = 0; i < n && i < 16; i++) {
			*p++ = ' ';
			p = emit_bytes(p, mad + at + i, 1);
		}
		*p++ = '\n';
		buf->len = (size_t)(p - buf->data);
	}
	return 1;
}

int madkit_format_hex(struct madkit_buf *buf, const struct madkit_message *message,
		      const struct madkit_format *format)
{
	struct madkit_buf copy;
	int ret;

	if (buf->error)
		return buf->error;
	if (!message->mad || (format->filter && !hex_passes(message, format->filter)))
		return 0;
	if (format->show_keys)
		return put_lines(buf, message, message->mad);
	madkit_buf_init(&copy, 0);
	madkit_buf_add(&copy, message->mad, message->len);
	if (!copy.error)
		redact(message, (uint8_t *)copy.data);
	ret = copy.error ? copy.error : put_lines(buf, message, (const uint8_t *)copy.data);
	madkit_buf_free(&copy);
	return ret;
}
