/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The loop shared by text and JSON: formats the records of a message that pass the filter, all or none. */
#ifndef FORMAT_RECORDS_H
#define FORMAT_RECORDS_H

#include <madkit/format.h>

/* Appends one record to buf. If that fails, buf->error is set. */
typedef void (*put_record_fn)(struct madkit_buf *buf, const struct madkit_format *format,
			      const struct madkit_record *record);

/* Returns the number of records or, if buf could not grow, -errno with buf unchanged. */
int put_records(struct madkit_buf *buf, const struct madkit_message *message,
		const struct madkit_format *format, put_record_fn put);

#endif
