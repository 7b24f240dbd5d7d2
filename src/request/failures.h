/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Failures of many requests: the first of a kind are told, the others counted. */
#ifndef SRC_FAILURES_H
#define SRC_FAILURES_H

#include "exchange.h"

enum {
	FAILURES_TOLD = 10, /* of each kind */
	FAILURES_KINDS = 16,
	FAILURES_LINE = EXIT_USAGE, /* a kind: a line that is not sent */
};

struct failures {
	struct {
		int status;       /* exit status */
		int code;         /* the MAD's status; negative: an errno */
		const char *what; /* of a timeout: what became of the requests */
		uint64_t count;
	} kinds[FAILURES_KINDS];
	size_t n;
	bool all; /* -v: each is told */
};

/* Counts a failure of this kind; what is a constant and not copied. Returns whether to report it. */
bool failures_count(struct failures *failures, int status, int code, const char *what);

/* Counts a line that is not sent. Returns whether to report it. */
bool failures_count_line(struct failures *failures);

/* exchange_tell(), unless enough of its kind were told. */
void failures_tell(struct failures *failures, struct exchange *x, const struct request *request,
		   const struct answer *answer);

/* Says how many were not told. */
void failures_finish(const struct failures *failures);

#endif
