/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Two ends and a link between them that loses, repeats, delays, reorders and damages,
 * in virtual time. All of it follows from one seed. */
#ifndef TESTS_UNIT_RMPP_LINK_H
#define TESTS_UNIT_RMPP_LINK_H

#include "tests/unit/rmpp_ends.h"

/* How bad a link is: chances of 1 in 1000, delays in nanoseconds. */
struct weather {
	uint32_t loss[2]; /* by the direction: from end 0, from end 1 */
	uint32_t repeat, damage;
	uint32_t slow; /* packets are not taken all at once */
	uint32_t late; /* so many come late_ns later */
	uint64_t delay, jitter, late_ns;
	uint32_t drop[2]; /* the n-th packets of all, from 1: lost */
};

struct end {
	struct madkit_addr addr;
	struct madkit_rmpp_sender sender;
	bool sending;
	struct madkit_rmpp_receiver *receiver;
	uint8_t *message; /* the message that it sends, and the message that it expects */
	size_t len;
	const uint8_t *wanted;
	size_t wanted_len;
	/* seen so far */
	uint64_t granted;           /* the highest NewWindowLast */
	uint64_t acked;             /* the highest SegmentNumber that it has received */
	uint32_t acks_sent;         /* the highest SegmentNumber that it has sent */
	unsigned int whole, broken; /* messages received */
	uint64_t longest;           /* time that one took */
};

struct flight {
	uint64_t time, order;
	uint8_t to;
	uint8_t mad[256];
};

enum { FLIGHTS = 1 << 14 };

struct link {
	struct end ends[2];
	struct counted memory;
	struct madkit_rmpp_heap heap;
	struct weather weather;
	uint64_t random, now, order;
	bool damaged;    /* a packet arrived that was */
	bool stalled;    /* more could be sent now */
	bool respond;    /* the request has a response */
	uint32_t window; /* the response's, that the turnaround says */
	unsigned int packets, events;
	char why[200];          /* the first that went wrong */
	struct flight *flights; /* a heap by time */
	size_t nflights;
};

static inline uint64_t link_random(struct link *l)
{
	l->random ^= l->random << 13;
	l->random ^= l->random >> 7;
	l->random ^= l->random << 17;
	return l->random * UINT64_C(0x2545f4914f6cdd1d) >> 16;
}

static inline bool chance(struct link *l, uint32_t of_1000)
{
	return of_1000 && link_random(l) % 1000 < of_1000;
}

/* A link of good weather, without messages. */
void link_init(struct link *l, uint64_t seed);
/* End 0 is to send n bytes of data to end 1; with l->respond end 1 answers with m. */
void link_begin(struct link *l, uint8_t class, size_t n, size_t m,
		const struct madkit_rmpp_sender_options *sending,
		const struct madkit_rmpp_receiver_options *receiving);
/* Until nothing is left to do. True: nothing went wrong; l->why says what did. */
bool link_run(struct link *l);
/* Both receivers and messages away; memory that is left is an error. */
bool link_end(struct link *l);

#endif
