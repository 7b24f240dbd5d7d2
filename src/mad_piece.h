/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef SRC_MAD_PIECE_H
#define SRC_MAD_PIECE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>
#include <madkit/addr.h>

/* Why a segment of an RMPP message is shown by itself. */
enum mad_stray {
	MAD_STRAY_NO,    /* it is not */
	MAD_STRAY_NEXT,  /* as the segment before it, which was shown by itself, too */
	MAD_STRAY_GAP,   /* the segment before it was not read */
	MAD_STRAY_OTHER, /* another segment with its number was read before */
	MAD_STRAY_UNFIT, /* its RMPP header does not fit */
};

/* One MAD of a file, or what there is of it; or only what cannot be read. */
struct mad_piece {
	const uint8_t *mad; /* NULL: none, trouble says why */
	size_t len;
	size_t want;     /* how long it should be: more than len: cut */
	uint64_t offset; /* in the file (hex: in what the text says) */
	bool lost;       /* no base version: where it ends is not known */
	bool partial;    /* later segments of it are missing */
	enum mad_stray stray;
	const char *trouble;                            /* what is wrong with the file here, and where */
	struct timespec time;                           /* tv_nsec -1: not known */
	const struct madkit_addr *source, *destination; /* NULL: not known */
};

#endif
