/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Reassembles RMPP messages from the segments in a file. */
#ifndef SRC_SEGMENTS_H
#define SRC_SEGMENTS_H

#include <madkit/rmpp_transfer.h>
#include "mad_piece.h"

enum {
	/* The maximum number of segments that wait for an earlier one, and the maximum wait in MADs. */
	SEGMENTS_EARLY_MAX = 1024,
	/* The number of recent segments that are remembered to recognise copies. */
	SEGMENTS_SEEN_MAX = 4096,
};

/* The fields that all segments of a message share. */
struct segments_key {
	struct madkit_addr from, to;
	uint8_t header[MADKIT_HEADER_BYTES]; /* status 0 */
	uint64_t hash;
};

/* A segment that is kept because a segment before it has not been read yet. */
struct segments_early {
	struct segments_early *next; /* in the list of segments to be shown by themselves */
	struct segments_key key;
	uint32_t number; /* hash of the segment */
	uint64_t since;  /* struct segments.now */
	uint64_t offset;
	struct timespec time;
	enum mad_stray stray; /* the time, in MADs, at which it is shown by itself */
	size_t len;
	uint8_t mad[];
};

/* The latest segments that became part of a message or were shown by themselves: a ring buffer with hash chains. */
struct segments_seen {
	uint32_t heads[SEGMENTS_SEEN_MAX]; /* newest first; index + 1, 0: end */
	struct {
		uint64_t id;      /* hash of the message and the number */
		uint64_t content; /* hash of all bytes */
		uint32_t next;
		bool alone; /* shown by itself */
	} entries[SEGMENTS_SEEN_MAX];
	uint64_t count; /* number of segments that were ever added */
};

/* Initialised with zeros. */
struct segments {
	struct madkit_rmpp_receiver *receiver;            /* NULL until the first segment */
	bool addresses;                                   /* the file has addresses */
	uint64_t now;                                     /* clock: MADs read so far */
	struct madkit_rmpp_message shown;                 /* the latest piece that was returned */
	struct segments_early *early[SEGMENTS_EARLY_MAX]; /* oldest first */
	size_t nearly;
	struct segments_early *alone;       /* segments to be shown by themselves, oldest first */
	struct segments_early *shown_alone; /* the latest segment that was returned */
	struct segments_key latest;         /* hash of the segment that was stored last */
	uint32_t latest_number;             /* 0: none */
	struct segments_seen *seen;         /* NULL until the first segment */
};

void segments_free(struct segments *s);

/* Adds a MAD of the file. Returns 1 if it is kept or is a copy of a segment that was read before; 0 if the caller
 * shows it by itself, with mad->stray set if it is a segment; -ENOMEM. */
int segments_add(struct segments *s, struct mad_piece *mad);

/* Returns 1 with the next piece, valid until the next call, or 0. A piece is a complete message, a message that can
 * no longer be completed (partial), or a segment of no message. Call it until it returns 0 before segments_add(). */
int segments_next(struct segments *s, struct mad_piece *piece);

/* Ends the file: messages with missing segments are also returned. */
int segments_end(struct segments *s, struct mad_piece *piece);

#endif
