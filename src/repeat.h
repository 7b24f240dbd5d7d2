/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The source for -n and -i: rounds of the same requests, sent one after the other. */
#ifndef SRC_REPEAT_H
#define SRC_REPEAT_H

#include "dispatch.h"

enum { REPEAT_WAITS_MS = 200 };

struct repeat {
	struct task *tasks; /* of one round; the sink frees each answer when it receives it */
	size_t n;
	uint64_t rounds; /* 0: no limit */
	/* Called at the latest every REPEAT_WAITS_MS while nothing can be sent. NULL: not needed. */
	void (*waits)(void *context, struct exchange *x);
	void *context;
	/* If not 0, the last round begins so long before the deadline, and none later, whatever -i: it shows how things are
	 * at the deadline. */
	uint64_t last_ns;
	/* set by repeat_run(): */
	struct source source;
	uint64_t round, begins_ns; /* the current one; port clock */
	size_t at;                 /* its next task */
	bool is_last;              /* the current one */
};

/*
 * As dispatch(). A round begins -i after the previous one. Rounds that are overdue are skipped, because catching up would
 * send a burst. The first round always begins, the others only before the deadline; see last_ns.
 */
int repeat_run(struct repeat *repeat, struct exchange *x, const struct sink *sink);

#endif
