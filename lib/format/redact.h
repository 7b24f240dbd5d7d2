/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef FORMAT_REDACT_H
#define FORMAT_REDACT_H

#include <madkit/message.h>

/* Zeroes the secrets of the message in copy, which holds its len bytes. */
void redact(const struct madkit_message *message, uint8_t *copy);

#endif
