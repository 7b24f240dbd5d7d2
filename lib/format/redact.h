/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef FORMAT_REDACT_H
#define FORMAT_REDACT_H

#include <stdbool.h>
#include <madkit/message.h>

/* Whether the item of a walk is a secret, where that walk is over zeros in the
 * place of the len bytes at data: so that every field is visited, whatever the
 * message's length. */
bool redact_is_secret(const struct madkit_item *item, const uint8_t *data,
		      size_t len);

/* Zeroes the secrets of the layout that lie, wholly or partly, in the len bytes
 * at data, where the layout begins; not there, but in copy, which may be the
 * same place. */
void redact_layout(const struct madkit_layout *layout, const uint8_t *data,
		   uint8_t *copy, size_t len);

/* What lies behind the last record may be others: one that was cut, after those
 * of a table, or those of a reply that by its header has none. Returns how far
 * apart they would lie, or 0 where there is nothing of the kind. */
size_t redact_tail(const struct madkit_record *record);

/* Zeroes the secrets of the message in copy, which holds its len bytes: in its
 * headers, in its records, and in what is left of a record that was cut; all data
 * where nobody knows where they lie. */
void redact(const struct madkit_message *message, uint8_t *copy);

#endif
