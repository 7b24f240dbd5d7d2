/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Requests of a batch that were read while their window was full, and those that wait for their node: a device gets one
 * request for its registers at a time, by LID. */
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
	bool occupies; /* its LID is marked in ahead.occupied */
	uint8_t queue; /* enum ahead_queues */
	uint32_t deadline_ms;
	const char *tag; /* in text; NULL: none */
	char text[];     /* the tag, followed by the name of the destination */
};

/* Jobs in the order of their lines. */
struct ahead_queue {
	struct batch_job *first, **end;
};

enum ahead_queues {
	AHEAD_GMPS,
	AHEAD_SMPS, /* unless all requests share one window */
	AHEAD_HELD, /* for registers of a node that is occupied; with their address resolved */
	AHEAD_QUEUES,
};

struct ahead {
	struct ahead_queue queues[AHEAD_QUEUES];
	size_t n, bytes;
	uint8_t occupied[0x10000 / 8]; /* bits of LIDs */
	bool freed;                    /* a LID, since no request that is held could be sent */
};

/* Appends a job to a queue. */
void ahead_add(struct ahead *ahead, struct batch_job *job, enum ahead_queues queue);
void ahead_remove(struct ahead *ahead, struct batch_job *job);

/* Takes the oldest request of the queues that have room. Returns NULL if there is none. */
struct batch_job *ahead_take(struct ahead *ahead, const bool room[AHEAD_QUEUES]);

/* Occupies the node of a job that is to be sent, if it asks for registers. Returns false if the node is occupied: the job is
 * held, and ahead_take_held() returns it later. */
bool ahead_occupy(struct ahead *ahead, struct batch_job *job);
/* The job has ended. */
void ahead_leave(struct ahead *ahead, const struct batch_job *job);
/* Takes the oldest job that is held and now occupies its node. Returns NULL if there is none. */
struct batch_job *ahead_take_held(struct ahead *ahead);

#endif
