/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "sim/fabric/tally.h"

/* Returns a * b / c, rounded down; c is less than 2^62. */
static uint64_t tally_scale(uint64_t a, uint64_t b, uint64_t c)
{
	uint64_t whole = b / c, part = b % c, quotient = 0, rest = 0;

	for (int i = 63; i >= 0; i--) {
		uint64_t bit = a >> i & 1;

		quotient = quotient * 2 + bit * whole;
		for (rest = rest * 2 + bit * part; rest >= c; rest -= c)
			quotient++;
	}
	return quotient;
}

uint64_t tally_total(const struct tally *tally, uint64_t now)
{
	return tally->total +
	       (tally->num ? tally_scale(tally->num, now - tally->since, tally->den) * tally->weight : 0);
}

void tally_set_rate(struct tally *tally, uint64_t now, uint64_t num, uint64_t den, uint64_t weight)
{
	tally->total = tally_total(tally, now);
	tally->since = now;
	tally->num = num;
	tally->den = den;
	tally->weight = weight;
}
