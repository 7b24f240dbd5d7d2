/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "format/records.h"

int put_records(struct madkit_buf *buf, const struct madkit_message *message,
		const struct madkit_format *format, put_record_fn put)
{
	unsigned int records = 0;
	size_t begin = buf->len;
	int lines = 0;

	/* an empty table, too, has something to show */
	for (unsigned int n = 0; !buf->error && (!n || n < records); n++) {
		struct madkit_record record;

		madkit_record_get(message, n, &record);
		records = record.records;
		if (format->filter &&
		    madkit_expr_eval(format->filter, &record) != 1)
			continue;
		put(buf, format, &record);
		lines++;
	}
	if (buf->error) {
		buf->len = begin;
		return buf->error;
	}
	return lines;
}
