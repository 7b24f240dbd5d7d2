/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Puts RMPP messages together from the segments that a file holds. */
#ifndef SRC_SEGMENTS_H
#define SRC_SEGMENTS_H

#include <madkit/rmpp_transfer.h>
#include "mad_piece.h"

/* Zeros at first. */
struct segments {
	struct madkit_rmpp_receiver *receiver;	/* NULL: no segment has come yet */
	bool addresses;				/* the file has them */
	uint64_t now;				/* its clock: MADs that came */
	struct madkit_rmpp_message shown;	/* the latest that was handed out */
};

void segments_free(struct segments *s);

/* A MAD of the file. 1: it is kept, or was there before; 0: it stands for itself;
 * -ENOMEM. */
int segments_add(struct segments *s, const struct mad_piece *mad);

/* The next message that is whole, or never will be (partial): 1 with *piece, valid
 * until the next call, or 0. */
int segments_next(struct segments *s, struct mad_piece *piece);

/* At the end of the file: also those of which segments are missing. */
int segments_end(struct segments *s, struct mad_piece *piece);

#endif
