/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * madkit_num - read numbers written by people
 *
 * The commands use madkit_parse_number() for every number on their command lines. It does not block,
 * and any number of threads may call it at once.
 */
#ifndef MADKIT_NUM_H
#define MADKIT_NUM_H

#include <madkit/decls.h>
#include <stddef.h>
#include <stdint.h>
#include <madkit/error.h>

MADKIT_BEGIN_DECLS

/*
 * madkit_parse_number - read an unsigned number
 * @text:  decimal number, or 0x and hexadecimal digits; it needs no NUL
 * @len:   bytes of @text, all of which must belong to the number
 * @max:   largest number to accept
 * @what:  name of the number for the error message, for example "LID"
 * @value: receives the number
 * @error: receives the reason of a failure, or NULL
 *
 * Return: 0; -EINVAL if @text is not a number; -ERANGE if the number is larger than @max.
 */
int madkit_parse_number(const char *text, size_t len, uint64_t max, const char *what, uint64_t *value,
			struct madkit_error *error);

MADKIT_END_DECLS
#endif
