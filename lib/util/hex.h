/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Hexadecimal digits. */
#ifndef UTIL_HEX_H
#define UTIL_HEX_H

#include <stddef.h>
#include <stdint.h>

/* Returns 0 to 15, or -1 for another character. */
int hex_digit(char c);

/* Decodes len characters (an even number of digits, no separators) into out, which has size bytes. Returns
 * the number of bytes; -EINVAL, with *bad (bad may be NULL) set to the offset of the wrong character; or
 * -ERANGE if they do not fit. */
int hex_decode(const char *text, size_t len, uint8_t *out, size_t size, size_t *bad);

#endif
