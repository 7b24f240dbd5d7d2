/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Transaction IDs: which ones are outstanding on a port, and of which send each is. */
#ifndef AGENT_TID_H
#define AGENT_TID_H

#include "util/table.h"

struct send;

/* A transaction ID under which a request was sent, once or several times. */
struct tid {
	uint32_t low; /* the bits that a response has as they were sent */
	bool hashed;  /* in the table while a response may arrive */
	struct send *send;
	struct tid *next;           /* an older one of the same send */
	uint64_t start_ns, sent_ns; /* of the latest try with this TID, as in struct send_time */
	uint32_t tries;             /* with this TID, not counting the kernel's resends */
	bool is_free;               /* the device reported the end of each of these tries */
};

/* The outstanding TIDs of a port. */
struct tids {
	struct table table; /* struct tid, by its low 32 bits */
	size_t sends;       /* posted: the table has room for the latest TID of each */
	size_t older;       /* TIDs of earlier tries in it */
	uint32_t next;      /* where the search for a new one begins */
};

/* Room for the TID of one more send. 0 or -ENOMEM. */
int tid_reserve(struct tids *tids);
/* Adds a TID of s, for which there is room. */
void tid_add(struct tids *tids, struct tid *t, struct send *s, uint32_t low);
/* The next TID with these low 32 bits to which a response is accepted, or NULL. *step begins with 0. */
struct tid *tid_next(const struct tids *tids, uint64_t tid, size_t *step);
/* A number that none of them has; never 0. */
uint32_t tid_new(struct tids *tids);
/* Moves the latest TID of a send to its older ones. Without memory for that it is forgotten, and a
 * response with it is not accepted. */
void tid_retire(struct tids *tids, struct tid *latest);
/* No response to the send is accepted any more. */
void tid_forget(struct tids *tids, struct tid *latest);

#endif
