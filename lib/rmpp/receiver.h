/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A receiver, its peers and their transfers. */
#ifndef RMPP_RECEIVER_H
#define RMPP_RECEIVER_H

#include <madkit/rmpp_transfer.h>
#include "rmpp/packet.h"
#include "util/list.h"
#include "util/table.h"

/* ---- the nouns ------------------------------------------------------------------- */

/* The source of transfers; for a watcher, also their destination. */
struct peer {
	uint64_t hash;
	struct madkit_addr from, to;
	struct list held; /* its held transfers */
	size_t transfers;
	size_t bytes; /* memory of its transfers */
};

struct transfer {
	uint64_t hash;
	struct list age;     /* in active or held of the receiver */
	struct list kept;    /* in held of the peer */
	struct list turning; /* in turning of the receiver: waiting for the turnaround ACK */
	struct list out;     /* in out of the receiver: owes a packet */
	struct list ready;   /* in ready of the receiver: its message can be pulled */
	struct peer *peer;
	struct madkit_rmpp_outcome outcome;
	bool hashed;
	uint8_t owed;         /* the packet: ACK, STOP or ABORT */
	uint64_t next;        /* ES: lowest missing segment */
	uint64_t window_last; /* WL */
	uint64_t acked;       /* segment of the latest ACK */
	uint64_t gap;         /* ES of the latest gap that was reported */
	uint32_t highest;     /* highest segment stored */
	uint32_t last;        /* segment with LAST; 0: not seen */
	uint32_t total;       /* length declared by the first segment; 0: unknown */
	uint32_t turnaround;  /* NewWindowLast of a turnaround ACK; 0: none */
	uint32_t turns_left;
	uint16_t offset, room; /* place and size of the data in a MAD */
	uint8_t *bytes;
	size_t len;      /* of the message, if its last segment was seen */
	size_t size;     /* allocated */
	uint64_t *early; /* bits of segments that arrived early, for a window; NULL: none */
	uint64_t first_hash;
	uint64_t started, ended, turned;
	uint64_t tag[2];
	struct madkit_addr from; /* of its first segment: packets are sent there */
	uint8_t head[PACKET_HEAD_MAX];
};

/* A response to a packet without a transfer. */
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
	struct transfer *latest;  /* found last: most often also the next one */
	struct list active, held; /* each in the order of deadlines */
	struct list turning;
	struct list out, ready;
	struct reply replies[REPLIES];
	unsigned int nreplies;
	uint64_t now;
	size_t early_bytes;
	struct madkit_rmpp_receiver_counters counters;
};

/* ---- memory.c: what there is, and how much of it --------------------------------- */

/* Same as resize() of the heap, for a peer and within the limits. */
void *memory_resize(struct madkit_rmpp_receiver *r, struct peer *peer, void *old, size_t old_size,
		    size_t size);
struct transfer *transfer_find(const struct madkit_rmpp_receiver *r, const struct madkit_addr *from,
			       const struct madkit_addr *to, const uint8_t *mad);
/* Creates a transfer for a first segment. Returns NULL if a limit is reached or memory is short. */
struct transfer *transfer_new(struct madkit_rmpp_receiver *r, const struct madkit_rmpp_arrival *arrival);
/* Moves a transfer from active to held. */
void transfer_hold(struct madkit_rmpp_receiver *r, struct transfer *t);
void transfer_free(struct madkit_rmpp_receiver *r, struct transfer *t);
/* Forgets a transfer, but keeps a message that has not been pulled. */
void transfer_forget(struct madkit_rmpp_receiver *r, struct transfer *t);

/* ---- transfer.c: the segments of one message ------------------------------------- */

enum stored {
	STORED,        /* in its place */
	STORED_BEFORE, /* a duplicate */
	STORED_BEYOND, /* dropped: beyond the window */
	STORED_FAULT,  /* the transfer cannot continue: *status is the reason */
};

enum stored transfer_store(struct madkit_rmpp_receiver *r, struct transfer *t, const uint8_t *mad,
			   uint8_t *status);
/* Checks if all segments have arrived. */
static inline bool transfer_is_whole(const struct transfer *t)
{
	return t->last && t->next > t->last;
}
/* Checks if a segment has the same header as the first one. */
bool transfer_same_header(const struct transfer *t, const uint8_t *mad);
/* Returns the number of bytes before the first gap. */
size_t transfer_len(const struct transfer *t);

#endif
