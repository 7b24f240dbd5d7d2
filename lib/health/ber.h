/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Bit error rates and forward error correction of links: the rules ber and fec. */
#ifndef HEALTH_BER_H
#define HEALTH_BER_H

#include "health/gauges.h"
#include "health/problem.h"

/* An end of a link, for the judgement. */
struct ber_end {
	struct gauge_errors errors;
	unsigned int speed; /* TOPOLOGY_... */
	int fec;            /* FECActive; -1: not known */
};

/* Which rates of an end are above their limits. Limits are powers of ten, without the sign. */
struct ber_verdict {
	bool known;            /* the rate after correction is known */
	bool after, raw;       /* too high: the rate after correction; the raw one */
	bool is_symbol;        /* the rate after correction is SymbolBER, else EffectivePhysicalBER */
	struct gauge_ber rate; /* after correction */
	unsigned int limit, raw_limit;
};

bool ber_is_known(struct gauge_ber ber);

/* Checks if a rate is above 10 to the power of minus limit. If time_ms is not 0 and less than whole_ms, its errors are all
 * those of the whole time. */
bool ber_exceeds(struct gauge_ber ber, unsigned int limit, uint64_t time_ms, uint64_t whole_ms);

/* Writes "1.5e-12"; "none seen" if there were no errors, "?" if it is not known. */
void ber_put(char text[PROBLEM_VALUE_BYTES], struct gauge_ber ber);

/* Judges an end by the limits of the rule. */
struct ber_verdict ber_judge_end(const uint64_t limits[], const struct ber_end *end);

/* Judges all links by both rules. Returns 0 or -ENOMEM. */
int bers_judge(struct madkit_health *h);

#endif
