/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Requests of a batch that were read while their window was full. */
#ifndef SRC_BATCH_AHEAD_H
#define SRC_BATCH_AHEAD_H

#include "request/dispatch.h"

/* The request of a line. */
struct batch_job {
	struct task task;
	struct request request;
	struct batch_job *next, **link; /* link points to the pointer to this job */
	struct batch_job *later;        /* the next in struct ahead */
	size_t bytes;                   /* memory that the job and its message occupy */
	uint64_t line;
	bool is_ahead, have_deadline;
	bool queue; /* index in ahead.queues */
	uint32_t deadline_ms;
	const char *tag; /* in text; NULL: none */
	char text[];     /* the tag, followed by the name of the destination */
};

/* Jobs in the order of their lines. */
struct ahead_queue {
	struct batch_job *first, **end;
};

struct ahead {
	struct ahead_queue queues[2]; /* [1]: SMPs, unless all requests share one window */
	size_t n, bytes;
};

/* Appends a job to the queue of SMPs or of other requests. */
void ahead_add(struct ahead *ahead, struct batch_job *job, bool smp);
void ahead_remove(struct ahead *ahead, struct batch_job *job);

/* Takes the oldest request of the queues that have room. Returns NULL if there is none. */
struct batch_job *ahead_take(struct ahead *ahead, const bool room[2]);

#endif
