/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What became of the requests of a batch. */
#ifndef SRC_BATCH_COUNTS_H
#define SRC_BATCH_COUNTS_H

#include "request/exchange.h"

struct batch_counts {
	uint64_t sent, answered, refused, timeouts, errors, cancelled, one_way, outstanding, bad_lines;
	uint64_t
		unsent; /* requests that were not sent: --dry-run, a deadline, a lost device, no address in time, a signal */
};

/* --summary: a line of so many lines. */
void batch_summarize(struct exchange *x, const struct batch_counts *counts, uint64_t lines);

#endif
