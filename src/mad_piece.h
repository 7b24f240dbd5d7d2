/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef SRC_MAD_PIECE_H
#define SRC_MAD_PIECE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>
#include <madkit/addr.h>

/* One MAD of a file, or what there is of it; or only what cannot be read. */
struct mad_piece {
	const uint8_t *mad;	/* NULL: none, trouble says why */
	size_t len;
	size_t want;		/* how long it should be: more than len: cut */
	uint64_t offset;	/* in the file (hex: in what the text says) */
	bool lost;		/* no base version: where it ends is not known */
	bool partial;		/* later segments of it are missing */
	const char *trouble;	/* what is wrong with the file here, and where */
	struct timespec time;	/* tv_nsec -1: not known */
	const struct madkit_addr *source, *destination;	/* NULL: not known */
};

#endif
