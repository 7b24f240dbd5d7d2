/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A source for -n, -i and lists of -m: rounds of the same requests. */
#ifndef SRC_REPEAT_H
#define SRC_REPEAT_H

#include "dispatch.h"

enum {
	REPEAT_WAITS_MS = 200,
	REPEAT_EXTRA = 2,
	REPEAT_AHEAD = 64,
};

struct repeat {
	struct task *tasks; /* tasks of one round; the sink frees each answer when it receives it */
	size_t n;
	uint64_t rounds; /* 0: no limit */
	/* Requests of a round are sent as far as the window of the dispatcher allows, at most REPEAT_AHEAD
	 * ahead of the results. The sink receives the results in the order of the requests. */
	bool overlap;
	/* Called at least every REPEAT_WAITS_MS while nothing can be sent. NULL: not needed. */
	void (*waits)(void *context, struct exchange *x);
	void *context;
	/* Additional rounds, as nanoseconds before the deadline; 0: none. May change between rounds. */
	uint64_t extra_ns[REPEAT_EXTRA];
	/* set by repeat_run(): */
	struct source source;
	uint64_t round, begins_ns; /* number and start (port clock) of the current round */
	uint64_t due_ns;           /* start of the current or the next round of -i; port clock */
	size_t at;                 /* the next task of the current round */
	const struct sink *sink;
	size_t taken; /* number of results of the current round that the sink has received */
	bool *ended;  /* overlapping tasks that have ended; NULL: tasks do not overlap */
};

/*
 * Returns as dispatch(), or -ENOMEM. A round begins -i after the previous one; additional rounds do not
 * change the times of the others. Overdue rounds are skipped, because catching up would send a burst. The
 * first round always begins, the others only before the deadline. Unless all rounds have been sent, this
 * function returns at the deadline.
 */
int repeat_run(struct repeat *repeat, struct exchange *x, const struct sink *sink)
	__attribute__((warn_unused_result));

#endif
