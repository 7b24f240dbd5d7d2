/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The loop that text and JSON share: the records of a message that pass the
 * filter, all of them or nothing. */
#ifndef FORMAT_RECORDS_H
#define FORMAT_RECORDS_H

#include <madkit/format.h>

/* Appends one record to buf, whose error tells where that failed. */
typedef void (*put_record_fn)(struct madkit_buf *buf, const struct madkit_format *format,
			      const struct madkit_record *record);

/* How many records were put; -errno, with buf as it was, where buf could not
 * grow. */
int put_records(struct madkit_buf *buf, const struct madkit_message *message,
		const struct madkit_format *format, put_record_fn put);

#endif
