/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef FORMAT_REDACT_H
#define FORMAT_REDACT_H

#include <stdbool.h>
#include <madkit/message.h>

/* Zeroes the secrets of the layout that lie, wholly or partly, in the len bytes
 * of copy, where the layout begins. */
void redact_layout(const struct madkit_layout *layout, uint8_t *copy, size_t len);

/* What lies behind the last record may be others: one that was cut, after those
 * of a table, or those of a reply that by its header has none. Returns how far
 * apart they would lie, or 0 where there is nothing of the kind. */
size_t redact_tail(const struct madkit_record *record);

/* Zeroes the secrets of the message in copy, which holds its len bytes: in its
 * headers, in its records, and in what is left of a record that was cut; all data
 * where nobody knows where they lie. */
void redact(const struct madkit_message *message, uint8_t *copy);

#endif
