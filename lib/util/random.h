/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Pseudo-random numbers, which are the same for the same seed (SplitMix64, Steele, Lea, Flood 2014). */
#ifndef UTIL_RANDOM_H
#define UTIL_RANDOM_H

#include <stdint.h>

struct random_state {
	uint64_t state; /* initially the seed */
};

static inline uint64_t random_next(struct random_state *r)
{
	uint64_t v = r->state += UINT64_C(0x9e3779b97f4a7c15);

	v = (v ^ v >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	v = (v ^ v >> 27) * UINT64_C(0x94d049bb133111eb);
	return v ^ v >> 31;
}

/* Returns 0 to n - 1; n is at least 1. All values are equally likely only if n is far below 2^64. */
static inline uint64_t random_below(struct random_state *r, uint64_t n)
{
	return random_next(r) % n;
}

#endif
