/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Converts numbers to characters without printf(). Each function writes at p, which must have the stated
 * room, and returns the end. */
#ifndef UTIL_EMIT_H
#define UTIL_EMIT_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define EMIT_U64_MAX 20
#define EMIT_HEX_MAX 18

/* "00" to "99", and "00" to "ff" */
extern const char emit_decimal_pairs[201];
extern const char emit_hex_pairs[513];

/* Writes decimal digits: at most EMIT_U64_MAX characters. */
static inline char *emit_u64(char *p, uint64_t v)
{
	char *end = p + 1 + (v >= 10) + (v >= 100) + (v >= 1000);

	for (uint64_t left = v / 10000; left; left /= 10000)
		end += 1 + (left >= 10) + (left >= 100) + (left >= 1000);
	for (p = end; v >= 100; v /= 100)
		memcpy(p -= 2, emit_decimal_pairs + v % 100 * 2, 2);
	if (v >= 10)
		memcpy(p - 2, emit_decimal_pairs + v * 2, 2);
	else
		p[-1] = (char)('0' + v);
	return end;
}

/* Writes four times v, which may have 66 bits, in decimal. */
#define EMIT_TIMES4_MAX (2 * EMIT_U64_MAX)
static inline char *emit_times4(char *p, uint64_t v)
{
	const uint64_t ten18 = UINT64_C(1000000000000000000);
	uint64_t low;

	if (v <= UINT64_MAX / 4)
		return emit_u64(p, v * 4);
	/* the upper and the lower 18 digits */
	low = v % ten18 * 4;
	p = emit_u64(p, v / ten18 * 4 + low / ten18);
	for (uint64_t d = ten18 / 10; d; d /= 10)
		*p++ = (char)('0' + low / d % 10);
	return p;
}

/* Writes n bytes as 2 * n hex digits. */
static inline char *emit_bytes(char *p, const uint8_t *data, size_t n)
{
	for (size_t i = 0; i < n; i++, p += 2)
		memcpy(p, emit_hex_pairs + data[i] * 2u, 2);
	return p;
}

/* Writes 0x and an even number of digits, at most 16. */
static inline char *emit_hex(char *p, uint64_t v, unsigned int digits)
{
	*p++ = '0';
	*p++ = 'x';
	for (unsigned int i = digits; i; i -= 2) {
		memcpy(p + i - 2, emit_hex_pairs + (v & 0xff) * 2, 2);
		v >>= 8;
	}
	return p + digits;
}

/* Returns the number of hex digits of a field: two for each byte begun. */
static inline unsigned int emit_hex_digits(unsigned int width)
{
	return (width + 7) / 8 * 2;
}

#endif
