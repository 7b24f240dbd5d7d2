/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Exact decimal numbers: digits and a power of ten. There are no roundings but that of decimal_round(). */
#ifndef UTIL_DECIMAL_H
#define UTIL_DECIMAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct decimal {
	uint64_t digits;
	int exponent; /* of ten */
	bool negative;
};

/* The largest exponent that is read, up or down. */
#define DECIMAL_EXPONENT_MAX 999

/*
 * Reads a number such as 12, -1.25 or 1.5e-15; it needs no NUL. Digits are kept as written, except for zeros at the
 * end of a fraction. Returns 0; -EINVAL if the text is not a number; -ERANGE if its digits have more than 64 bits, or
 * its exponent is too large.
 */
int decimal_read(const char *text, size_t len, struct decimal *d);

/* Returns a number below, equal to or above 0. */
int decimal_order(const struct decimal *a, const struct decimal *b);

/* Returns a number that has the order of the value, of which it has 15 digits. */
uint64_t decimal_key(const struct decimal *d);

/* Rounds to n digits, halves away from zero, but never digits before the point. */
void decimal_round(struct decimal *d, unsigned int n);

/* Writes the number without an exponent, and returns the end. The exponent must be from -DECIMAL_PLACES to
 * DECIMAL_PLACES. */
#define DECIMAL_PLACES   20
#define DECIMAL_TEXT_MAX (20 + DECIMAL_PLACES + 4)
char *decimal_emit(char *p, const struct decimal *d);

/* Writes the digits as they are, and the exponent unless it is 0: 15e-16. */
char *decimal_emit_exponent(char *p, const struct decimal *d);

#endif
