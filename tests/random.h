/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Numbers that look random and are the same in every run (xorshift64). RANDOM_SEED,
 * which is not 0, is defined before. */
#ifndef TESTS_RANDOM_H
#define TESTS_RANDOM_H

#include <stddef.h>
#include <stdint.h>
#include "tests/random_share.h"

static uint64_t random_state = RANDOM_SEED;

static inline uint64_t random64(void)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return random_state;
}

static inline void random_bytes(uint8_t *buf, size_t n)
{
	for (size_t i = 0; i < n; i++)
		buf[i] = (uint8_t)(random64() >> 24);
}

#endif
