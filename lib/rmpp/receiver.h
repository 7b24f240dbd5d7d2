/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A receiver, its peers and their transfers. */
#ifndef RMPP_RECEIVER_H
#define RMPP_RECEIVER_H

#include <madkit/rmpp_transfer.h>
#include "rmpp/packet.h"
#include "util/list.h"
#include "util/table.h"

/* ---- the nouns ------------------------------------------------------------------- */

/* Where transfers come from; a watcher's: and where they go to. */
struct peer {
	uint64_t hash;
	struct madkit_addr from, to;
	struct list held; /* its transfers among those */
	size_t transfers;
	size_t bytes; /* memory of its transfers */
};

struct transfer {
	uint64_t hash;
	struct list age;     /* the receiver's active or held ones */
	struct list kept;    /* the peer's held ones */
	struct list turning; /* those whose turnaround ACK is awaited */
	struct list out;     /* those that owe a packet */
	struct list ready;   /* those whose message is to be pulled */
	struct peer *peer;
	struct madkit_rmpp_outcome outcome;
	bool hashed;
	uint8_t owed;         /* ACK, STOP or ABORT */
	uint64_t next;        /* ES: the lowest that is missing */
	uint64_t window_last; /* WL */
	uint64_t acked;       /* what the latest ACK said */
	uint64_t gap;         /* ES of the latest gap that was told */
	uint32_t highest;     /* stored */
	uint32_t last;        /* the segment with LAST, 0: not seen */
	uint32_t total;       /* declared by the first, 0: unknown */
	uint32_t turnaround;  /* NewWindowLast of a turnaround ACK, 0: none */
	uint32_t turns_left;
	uint16_t offset, room; /* of the data in a MAD */
	uint8_t *bytes;
	size_t len;      /* of a message whose last segment was seen */
	size_t size;     /* allocated */
	uint64_t *early; /* a bit for each segment of the window that came
				 * before its time; NULL: none did */
	uint64_t first_hash;
	uint64_t started, ended, turned;
	uint64_t tag[2];
	struct madkit_addr from; /* of its first segment: packets go there */
	uint8_t head[PACKET_HEAD_MAX];
};

/* An answer to what belongs to no transfer. */
struct reply {
	struct madkit_addr to;
	uint8_t status;
	uint8_t head[PACKET_HEAD_MAX];
};

enum { REPLIES = 8 };

struct madkit_rmpp_receiver {
	struct madkit_rmpp_heap heap;
	struct madkit_rmpp_receiver_options options;
	struct table peers, transfers;
	struct transfer *latest;  /* found: it is most often the next, too */
	struct list active, held; /* each in the order of its deadlines */
	struct list turning;
	struct list out, ready;
	struct reply replies[REPLIES];
	unsigned int nreplies;
	uint64_t now;
	size_t early_bytes;
	struct madkit_rmpp_receiver_counters counters;
};

/* ---- memory.c: what there is, and how much of it --------------------------------- */

/* As the heap's, for a peer and within the limits. */
void *memory_resize(struct madkit_rmpp_receiver *r, struct peer *peer, void *old, size_t old_size,
		    size_t size);
struct transfer *transfer_find(const struct madkit_rmpp_receiver *r, const struct madkit_addr *from,
			       const struct madkit_addr *to, const uint8_t *mad);
/* For a first segment; NULL: a limit, or no memory. */
struct transfer *transfer_new(struct madkit_rmpp_receiver *r, const struct madkit_rmpp_arrival *arrival);
/* From active to held. */
void transfer_hold(struct madkit_rmpp_receiver *r, struct transfer *t);
void transfer_free(struct madkit_rmpp_receiver *r, struct transfer *t);
/* Forgets it, but for a message that is to be pulled. */
void transfer_forget(struct madkit_rmpp_receiver *r, struct transfer *t);

/* ---- transfer.c: the segments of one message ------------------------------------- */

enum stored {
	STORED,        /* where it belongs */
	STORED_BEFORE, /* a duplicate */
	STORED_BEYOND, /* dropped: behind the window */
	STORED_FAULT,  /* *status says why the transfer cannot be */
};

enum stored transfer_store(struct madkit_rmpp_receiver *r, struct transfer *t, const uint8_t *mad,
			   uint8_t *status);
/* Whether all of it is there. */
static inline bool transfer_is_whole(const struct transfer *t)
{
	return t->last && t->next > t->last;
}
/* Whether a segment has the header that the first one had. */
bool transfer_same_header(const struct transfer *t, const uint8_t *mad);
/* How much of its bytes is without a gap. */
size_t transfer_len(const struct transfer *t);

#endif
