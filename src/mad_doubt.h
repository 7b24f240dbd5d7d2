/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Whether bytes of a file are a MAD: what its header and the lines of its dump show. */
#ifndef SRC_MAD_DOUBT_H
#define SRC_MAD_DOUBT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <madkit/mad.h>
#include "hex_text.h"

/* Whether the first byte is not a base version. */
static inline bool mad_doubt_lost(const uint8_t *mad)
{
	return mad[0] != MADKIT_BASE_VERSION_IB && mad[0] != MADKIT_BASE_VERSION_OPA;
}

/* Whether the class version, the third byte, is that of the class. */
bool mad_doubt_version_fits(const uint8_t *p);

/* Whether four bytes may begin a MAD: base version, class, class version and method are known. Data may be alike. */
bool mad_doubt_begins(const uint8_t *p);

/* Whether a dump begins with a MAD. doubtful: it may be the rest of another dump. */
bool mad_doubt_plausible(const uint8_t *p, size_t have, bool doubtful);

/* Whether the beginning of the dump, of which these bytes are left, is missing. */
bool mad_doubt_headless(const struct hex_text *t, const uint8_t *p, size_t have);

/*
 * Whether a line within a MAD of OPA begins another MAD: the lines of another MAD may replace as many that are
 * missing. have bytes of the dump are left, and the MAD is the first want of them.
 */
bool mad_doubt_joined(const struct hex_dump *d, const uint8_t *p, size_t have, size_t want);

#endif
