/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Puts RMPP messages together from the segments that a capture holds. */
#ifndef SRC_SEGMENTS_H
#define SRC_SEGMENTS_H

#include <time.h>
#include <madkit/addr.h>
#include <madkit/buf.h>
#include <madkit/capture.h>

/* A message of which segments are there. */
struct segments_message {
	struct madkit_buf bytes;	/* the first one's headers, then all data */
	struct madkit_addr source, destination;
	struct timespec time;		/* of the first */
	uint64_t offset;
	uint32_t next;			/* the segment that is awaited */
};

struct segments {
	struct segments_message **open;	/* in the order of their first segments */
	size_t count, room;
	size_t held;			/* bytes in all */
	struct segments_message *shown;	/* the latest that was handed out */
};

enum segments_result {
	SEGMENTS_SINGLE,	/* the MAD stands for itself */
	SEGMENTS_TAKEN,		/* kept, or seen before */
	SEGMENTS_WHOLE,		/* with it a message is whole */
};

void segments_free(struct segments *s);

/* A MAD in a packet: what becomes of it. *message, valid until the next call,
 * with SEGMENTS_WHOLE alone. -ENOMEM. */
int segments_add(struct segments *s, const struct madkit_packet_mad *mad,
		 const struct madkit_packet *packet,
		 const struct segments_message **message);

/* The oldest of those that are not whole, where they are too many, or all is
 * true; NULL: none. Valid until the next call. */
const struct segments_message *segments_drop(struct segments *s, bool all);

#endif
