/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Failures of many requests: the first of each kind are reported, the others are counted. */
#ifndef SRC_FAILURES_H
#define SRC_FAILURES_H

#include "exchange.h"

enum {
	FAILURES_TOLD = 10, /* reported of each kind */
	FAILURES_KINDS = 16,
	FAILURES_LINE = EXIT_USAGE, /* the kind of a line that is not sent */
};

struct failures {
	struct {
		int status;       /* exit status */
		int code;         /* the MAD's status; negative: -errno */
		const char *what; /* of a timeout: how the requests ended */
		uint64_t count;
	} kinds[FAILURES_KINDS];
	size_t n;
	bool all; /* -v: every failure is reported */
};

/* Counts a failure of this kind; compares the pointer what, and does not copy the text. Returns true if the failure
 * is to be reported. */
bool failures_count(struct failures *failures, int status, int code, const char *what);

/* Counts a line that is not sent. Returns true if it is to be reported. */
bool failures_count_line(struct failures *failures);

/* Calls exchange_tell(), unless enough failures of the kind have been reported. */
void failures_tell(struct failures *failures, struct exchange *x, const struct request *request,
		   const struct answer *answer);

/* Prints how many failures were not reported. */
void failures_finish(const struct failures *failures);

#endif
