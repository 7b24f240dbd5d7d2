/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A count that grows at a rate. The count is a function of time: it needs no events. */
#ifndef SIM_FABRIC_TALLY_H
#define SIM_FABRIC_TALLY_H

#include <stdint.h>
#include "util/time.h"

struct tally {
	uint64_t total;
	/* At time now, the count is total + floor((now - since) * num / den) * weight. Times are in ns. */
	uint64_t num, den, weight, since;
};

/* den for a rate in millionths per second. */
#define TALLY_MILLIONTHS (UINT64_C(1000000) * NS_PER_S)

/* Returns the count modulo 2^64. */
uint64_t tally_total(const struct tally *tally, uint64_t now);
/* Changes the rate from now on; num 0 stops the count. den is between 1 and 2^62. */
void tally_set_rate(struct tally *tally, uint64_t now, uint64_t num, uint64_t den, uint64_t weight);

#endif
