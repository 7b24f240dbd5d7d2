/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef FORMAT_REDACT_H
#define FORMAT_REDACT_H

#include <stdbool.h>
#include <madkit/message.h>

/* Zeroes the secrets of the layout that are, wholly or partly, in the len bytes of copy, where the layout
 * begins. */
void redact_layout(const struct madkit_layout *layout, uint8_t *copy, size_t len);

/* Returns the distance between further records that may follow the last one, or 0 if there cannot be any: a
 * cut record after those of a table, or records of a response that has none according to its header. */
size_t redact_tail(const struct madkit_record *record);

/* Zeroes the secrets of the message in copy, which has its len bytes: in its headers, in its records, and in
 * the rest of a record that was cut. If the places of secrets are unknown, zeroes all data. */
void redact(const struct madkit_message *message, uint8_t *copy);

#endif
