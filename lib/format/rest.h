/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* "rest": what the named fields of a JSON line do not hold. */
#ifndef FORMAT_REST_H
#define FORMAT_REST_H

#include <stdbool.h>
#include <madkit/message.h>

/* A timeout's or an error's line shows the request's header, no more. */
static inline bool rest_shown(const struct madkit_message *message)
{
	return message->mad && message->kind != MADKIT_MESSAGE_TIMEOUT &&
	       message->kind != MADKIT_MESSAGE_ERROR;
}

struct madkit_buf;

/* Appends the members of "rest" of a record's line, each with its comma. Without
 * show_keys, what lies where a cut record has a secret is left out. */
void rest_put(struct madkit_buf *buf, const struct madkit_record *record, bool show_keys);

/* Whether bytes that fields do not tile hold anything: a quick look, so that
 * rest_put() is not run for every MAD (which nearly halves the speed). It may err
 * towards yes alone; fuzz/decode.c compares. */
bool rest_likely(const struct madkit_record *record);

#endif
