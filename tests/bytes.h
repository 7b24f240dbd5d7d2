/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Bytes of MADs, for programs that do not look inside the library. */
#ifndef TESTS_BYTES_H
#define TESTS_BYTES_H

#include <stddef.h>
#include <stdint.h>

/* A number of that many octets, in network byte order. */
static inline uint64_t be_at(const uint8_t *p, unsigned int octets)
{
	uint64_t value = 0;

	while (octets--)
		value = value << 8 | *p++;
	return value;
}

static inline void put_be(uint8_t *p, unsigned int octets, uint64_t value)
{
	while (octets--) {
		p[octets] = (uint8_t)value;
		value >>= 8;
	}
}

/* Bytes without a pattern that a mistake could keep. */
static inline void fill_random(uint8_t *p, size_t len, uint32_t seed)
{
	for (size_t i = 0; i < len; i++) {
		seed = seed * 1664525 + 1013904223;
		p[i] = (uint8_t)(seed >> 24);
	}
}

#endif
