/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "format/records.h"

int put_records(struct madkit_buf *buf, const struct madkit_message *message,
		const struct madkit_format *format, put_record_fn put)
{
	struct madkit_record record;
	size_t begin = buf->len;
	int lines = 0;

	/* an empty table is also shown */
	madkit_record_get(message, 0, &record);
	do {
		if (format->filter && madkit_expr_eval(format->filter, &record) != 1)
			continue;
		put(buf, format, &record);
		lines++;
	} while (!buf->error && madkit_record_next(&record));
	if (buf->error) {
		buf->len = begin;
		return buf->error;
	}
	return lines;
}
