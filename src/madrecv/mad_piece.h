/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A MAD of a file, or a part of one, and the checks that recognise its first bytes. */
#ifndef SRC_MAD_PIECE_H
#define SRC_MAD_PIECE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <time.h>
#include <madkit/addr.h>
#include <madkit/mad.h>
#include <madkit/registry.h>

/* Why a segment of an RMPP message is shown by itself. */
enum mad_stray {
	MAD_STRAY_NO,    /* it is not shown by itself */
	MAD_STRAY_NEXT,  /* the segment before it was also shown by itself */
	MAD_STRAY_GAP,   /* the segment before it was not read */
	MAD_STRAY_OTHER, /* another segment with the same number was read before */
	MAD_STRAY_UNFIT, /* its RMPP header is inconsistent */
};

/* A MAD of a file, whole or cut, or a position in the file that cannot be read. */
struct mad_piece {
	const uint8_t *mad; /* NULL: no bytes; trouble says why */
	size_t len;
	size_t want;     /* the expected length; if it is more than len, the MAD is cut */
	uint64_t offset; /* position in the file (in hex text: among the bytes that the text represents) */
	bool lost;       /* there is no base version, so the end is unknown */
	bool partial;    /* later segments are missing */
	enum mad_stray stray;
	const char *trouble;                            /* error of the file, and its position */
	struct timespec time;                           /* tv_nsec -1: unknown */
	const struct madkit_addr *source, *destination; /* NULL: unknown */
};

/* Returns true if the first byte is not a base version. */
static inline bool mad_lost(const uint8_t *p)
{
	return p[0] != MADKIT_BASE_VERSION_IB && p[0] != MADKIT_BASE_VERSION_OPA;
}

/* Returns true if the class version, the third byte, is valid for the class. */
static inline bool mad_version_fits(const uint8_t *p)
{
	return p[2] == madkit_class_version(p[1]) || (p[0] == MADKIT_BASE_VERSION_OPA && p[2] == p[0]);
}

/* Returns true if four bytes may begin a MAD: base version, class, class version and method are known. Data may look
 * the same. */
static inline bool mad_begins(const uint8_t *p)
{
	return !mad_lost(p) && madkit_class_get(p[1]) && mad_version_fits(p) &&
	       madkit_method_name(p[1], p[3]);
}

/* Returns true if the second header is that of another segment of the same message. */
static inline bool mad_same_message(const uint8_t *p, const uint8_t *next)
{
	return !memcmp(p, next, MADKIT_MAD_STATUS) &&
	       !memcmp(p + MADKIT_MAD_TID, next + MADKIT_MAD_TID, MADKIT_HEADER_BYTES - MADKIT_MAD_TID);
}

#endif
