/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* "rest": what the named fields of a JSON line do not hold. */
#ifndef FORMAT_REST_H
#define FORMAT_REST_H

#include <madkit/message.h>

/* The key of data whose layout nobody knows. */
#define DATA_BYTES "Data"

struct madkit_buf;

/* Appends the members of "rest" of a record's line, each with its comma. */
void rest_put(struct madkit_buf *buf, const struct madkit_record *record);

#endif
