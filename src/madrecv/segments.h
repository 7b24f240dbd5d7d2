/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Puts RMPP messages together from the segments that a file holds. */
#ifndef SRC_SEGMENTS_H
#define SRC_SEGMENTS_H

#include <madkit/rmpp_transfer.h>
#include "mad_piece.h"

enum {
	/* How many segments wait for an earlier one at most, and for how many MADs. */
	SEGMENTS_EARLY_MAX = 1024,
	/* How many of the latest segments are remembered to recognise copies of them. */
	SEGMENTS_SEEN_MAX = 4096,
};

/* What all segments of one message have in common. */
struct segments_key {
	struct madkit_addr from, to;
	uint8_t header[MADKIT_HEADER_BYTES]; /* status 0 */
	uint64_t hash;
};

/* A segment that is kept because one before it has not been read yet. */
struct segments_early {
	struct segments_early *next; /* in the list of those to be shown by themselves */
	struct segments_key key;
	uint32_t number; /* of the segment */
	uint64_t since;  /* struct segments.now */
	uint64_t offset;
	struct timespec time;
	enum mad_stray stray; /* when it is to be shown by itself */
	size_t len;
	uint8_t mad[];
};

/* The latest segments that became part of a message or were shown by themselves: a ring, and
 * chains of those with the same hash. */
struct segments_seen {
	uint32_t heads[SEGMENTS_SEEN_MAX]; /* newest first; index + 1, 0: end */
	struct {
		uint64_t id;      /* of the message and the number */
		uint64_t content; /* of all bytes */
		uint32_t next;
		bool alone; /* shown by itself */
	} entries[SEGMENTS_SEEN_MAX];
	uint64_t count; /* of all that were ever added */
};

/* Initialised with zeros. */
struct segments {
	struct madkit_rmpp_receiver *receiver;            /* NULL: no segment has come yet */
	bool addresses;                                   /* the file has them */
	uint64_t now;                                     /* its clock: MADs that came */
	struct madkit_rmpp_message shown;                 /* the latest that was handed out */
	struct segments_early *early[SEGMENTS_EARLY_MAX]; /* oldest first */
	size_t nearly;
	struct segments_early *alone;       /* to be shown by themselves, oldest first */
	struct segments_early *shown_alone; /* the latest that was handed out */
	struct segments_key latest;         /* of the segment that was stored last */
	uint32_t latest_number;             /* 0: none */
	struct segments_seen *seen;         /* NULL: no segment has come yet */
};

void segments_free(struct segments *s);

/* Adds a MAD of the file. 1: it is kept, or is a copy of a segment that was read before; 0: the
 * caller shows it by itself, and mad->stray is set if it is a segment; -ENOMEM. */
int segments_add(struct segments *s, struct mad_piece *mad);

/* The next message that is whole, or never will be (partial), or segment that belongs to no
 * message: 1 with *piece, valid until the next call, or 0. Call it until it returns 0 before
 * segments_add(). */
int segments_next(struct segments *s, struct mad_piece *piece);

/* At the end of the file: also those of which segments are missing. */
int segments_end(struct segments *s, struct mad_piece *piece);

#endif
