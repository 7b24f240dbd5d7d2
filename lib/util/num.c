/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Parses strict integers: the whole word must be a number. */
#include <errno.h>
#include <inttypes.h>
#include <madkit/num.h>
#include "util/hex.h"

int madkit_parse_number(const char *text, size_t len, uint64_t max, const char *what, uint64_t *value,
			struct madkit_error *error)
{
	unsigned int base = 10;
	size_t i = 0;
	uint64_t v = 0, most;

	if (len > 2 && text[0] == '0' && (text[1] == 'x' || text[1] == 'X')) {
		base = 16;
		i = 2;
	}
	if (!len)
		return madkit_error_set(error, -EINVAL, 0, "%s is empty: expected a number", what);
	most = UINT64_MAX / base;
	for (; i < len; i++) {
		int digit = hex_digit(text[i]);

		if (digit < 0 || digit >= (int)base)
			return madkit_error_set(error, -EINVAL, (int)i, "%s '%.*s' is not a number", what,
						(int)(len < 64 ? len : 64), text);
		if (v > most || v * base > UINT64_MAX - (unsigned int)digit)
			goto range;
		v = v * base + (unsigned int)digit;
	}
	if (v > max)
		goto range;
	*value = v;
	return 0;
range:
	return madkit_error_set(error, -ERANGE, 0,
				"%s '%.*s' is too large: at most %" PRIu64 " (0x%" PRIx64 ")", what,
				(int)(len < 64 ? len : 64), text, max, max);
}
