/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A MAD of a file, or a part of one, and how its first bytes are recognised. */
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
	MAD_STRAY_NO,    /* it is not */
	MAD_STRAY_NEXT,  /* as the segment before it, which was shown by itself, too */
	MAD_STRAY_GAP,   /* the segment before it was not read */
	MAD_STRAY_OTHER, /* another segment with its number was read before */
	MAD_STRAY_UNFIT, /* its RMPP header does not fit */
};

/* A MAD of a file, whole or cut, or a place in the file that cannot be read. */
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

/* Whether the first byte is not a base version. */
static inline bool mad_lost(const uint8_t *p)
{
	return p[0] != MADKIT_BASE_VERSION_IB && p[0] != MADKIT_BASE_VERSION_OPA;
}

/* Whether the class version, the third byte, is that of the class. */
static inline bool mad_version_fits(const uint8_t *p)
{
	return p[2] == madkit_class_version(p[1]) || (p[0] == MADKIT_BASE_VERSION_OPA && p[2] == p[0]);
}

/* Whether four bytes may begin a MAD: base version, class, class version and method are known. Data may be alike. */
static inline bool mad_begins(const uint8_t *p)
{
	return !mad_lost(p) && madkit_class_get(p[1]) && mad_version_fits(p) &&
	       madkit_method_name(p[1], p[3]);
}

/* Whether the second header is that of another segment of the message of the first. */
static inline bool mad_same_message(const uint8_t *p, const uint8_t *next)
{
	return !memcmp(p, next, MADKIT_MAD_STATUS) &&
	       !memcmp(p + MADKIT_MAD_TID, next + MADKIT_MAD_TID, MADKIT_HEADER_BYTES - MADKIT_MAD_TID);
}

#endif
