/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* "rest": what the named fields of a JSON line do not contain. */
#ifndef FORMAT_REST_H
#define FORMAT_REST_H

#include <stdbool.h>
#include <madkit/message.h>

/* The line of a timeout or an error shows only the header of the request. */
static inline bool rest_shown(const struct madkit_message *message)
{
	return message->mad && message->kind != MADKIT_MESSAGE_TIMEOUT &&
	       message->kind != MADKIT_MESSAGE_ERROR;
}

struct madkit_buf;

/* Appends the members of "rest" for a record's line, each with a comma. Unless show_keys is set, omits the
 * secrets of a cut record. */
void rest_put(struct madkit_buf *buf, const struct madkit_record *record, bool show_keys);

/* Checks if bytes that fields do not cover may be set. A quick check, so that rest_put() is not called for
 * every MAD (which nearly halves the speed). It may return true if there are none, but never false if there
 * are any; fuzz/decode.c compares. */
bool rest_likely(const struct madkit_record *record);

#endif
