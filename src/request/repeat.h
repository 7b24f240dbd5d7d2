/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The source for -n, -i and lists of -m: rounds of the same requests. */
#ifndef SRC_REPEAT_H
#define SRC_REPEAT_H

#include "dispatch.h"

enum {
	REPEAT_WAITS_MS = 200,
	REPEAT_EXTRA = 2,
	REPEAT_AHEAD = 64,
};

struct repeat {
	struct task *tasks; /* of one round; the sink frees each answer when it receives it */
	size_t n;
	uint64_t rounds; /* 0: no limit */
	/* Requests of a round are sent as the window of the dispatcher allows, at most REPEAT_AHEAD before the result of
	 * the first is known. The sink receives the results in the order of the requests. */
	bool overlap;
	/* Called at the latest every REPEAT_WAITS_MS while nothing can be sent. NULL: not needed. */
	void (*waits)(void *context, struct exchange *x);
	void *context;
	/* Additional rounds, as nanoseconds before the deadline; 0: none. May change between rounds. */
	uint64_t extra_ns[REPEAT_EXTRA];
	/* set by repeat_run(): */
	struct source source;
	uint64_t round, begins_ns; /* the current one; port clock */
	uint64_t due_ns;           /* the current or the next round of -i; port clock */
	size_t at;                 /* the next task of the current round */
	const struct sink *sink;
	size_t taken; /* by the sink, of the current round */
	bool *ended;  /* of overlapping tasks; NULL: they do not overlap */
};

/*
 * As dispatch(), or -ENOMEM. A round begins -i after the previous one; additional rounds do not change the times of the others. Rounds
 * that are overdue are skipped, because catching up would send a burst. The first round always begins, the others only
 * before the deadline. Unless all rounds have been sent, this function returns at the deadline.
 */
int repeat_run(struct repeat *repeat, struct exchange *x, const struct sink *sink)
	__attribute__((warn_unused_result));

#endif
