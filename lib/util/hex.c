/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <errno.h>
#include <limits.h>
#include "util/hex.h"

int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return -1;
}

int hex_decode(const char *text, size_t len, uint8_t *out, size_t size, size_t *bad)
{
	size_t i;

	for (i = 0; i < len && hex_digit(text[i]) >= 0; i++)
		;
	if (i < len || len % 2) {
		if (bad)
			*bad = i;
		return -EINVAL;
	}
	if (len / 2 > size || len / 2 > INT_MAX)
		return -ERANGE;
	for (i = 0; i < len / 2; i++)
		out[i] = (uint8_t)(hex_digit(text[2 * i]) << 4 | hex_digit(text[2 * i + 1]));
	return (int)(len / 2);
}
