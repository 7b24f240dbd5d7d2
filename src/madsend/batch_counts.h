/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Results of the requests of a batch. */
#ifndef SRC_BATCH_COUNTS_H
#define SRC_BATCH_COUNTS_H

#include "request/exchange.h"

struct batch_counts {
	uint64_t sent, answered, refused, timeouts, errors, cancelled, one_way, outstanding, bad_lines;
	uint64_t unsent; /* not sent: --dry-run, deadline, lost device, no address in time, signal */
};

/* --summary: adds a line with the counts. lines: the number of lines that were read. */
void batch_summarize(struct exchange *x, const struct batch_counts *counts, uint64_t lines);

#endif
