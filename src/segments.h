/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Puts RMPP messages together from the segments that a file holds. */
#ifndef SRC_SEGMENTS_H
#define SRC_SEGMENTS_H

#include <madkit/buf.h>
#include "mad_piece.h"

struct segments_message;

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

/* A MAD of the file: what becomes of it. With SEGMENTS_WHOLE *piece becomes the
 * message, valid until the next call. -ENOMEM. */
int segments_add(struct segments *s, struct mad_piece *piece);

/* The oldest of those that are not whole, where they are too many, or all is
 * true: 1 with *piece, valid until the next call, or 0. */
int segments_drop(struct segments *s, bool all, struct mad_piece *piece);

#endif
