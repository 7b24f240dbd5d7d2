/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Numbers as people write them. */
#ifndef MADKIT_NUM_H
#define MADKIT_NUM_H

#include <madkit/decls.h>
#include <stddef.h>
#include <stdint.h>
#include <madkit/error.h>

MADKIT_BEGIN_DECLS

/* Strict: the whole text (len bytes) must be one number, decimal or 0x hex,
 * at most max. 0; -EINVAL, -ERANGE. error names the word with what (for
 * example "LID"). */
int madkit_parse_number(const char *text, size_t len, uint64_t max, const char *what, uint64_t *value,
			struct madkit_error *error);

MADKIT_END_DECLS
#endif
