/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The offsets at the beginning of a hex dump's lines. Each must be the previous one plus the number of
 * bytes since then. Dumps do not name the radix of their offsets: a check keeps the set of radices in
 * which all of them agree.
 */
#ifndef SRC_HEX_OFFSET_H
#define SRC_HEX_OFFSET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The radices that offsets are printed in, as indexes and as bits of a set. */
enum hex_radix { RADIX_HEX, RADIX_DECIMAL, RADIX_OCTAL, RADIX_COUNT };
#define RADIX_ANY ((1u << RADIX_COUNT) - 1)

/* How many bytes a line with '*' may represent. */
#ifndef HEX_TEXT_REPEATED_MAX
#define HEX_TEXT_REPEATED_MAX ((uint64_t)1 << 24)
#endif

struct hex_offset {
	size_t digits; /* 0: no offset */
	size_t column; /* of the line, from 0 */
	bool colon, zero;
	unsigned int fits; /* bits of the radices in which the digits are valid */
	uint64_t value[RADIX_COUNT];
};

struct hex_offset_check {
	struct hex_offset last; /* digits 0: none yet */
	unsigned int radices;   /* bits of the radices that agree with all offsets */
	uint64_t since;         /* bytes since the last offset */
};

/* Reads offset->digits hex digits at text into value, fits and zero. Large values wrap. */
void hex_offset_read(struct hex_offset *offset, const char *text, bool hex_only);

/* The radices, if any, in which the offset is the last one plus the bytes since then. */
unsigned int hex_offset_agrees(const struct hex_offset_check *check, const struct hex_offset *to);

/*
 * How many of the bytes since the last offset are beyond this one, at most max of them, or 0 if no
 * radix gives such a number. Fixes the radix.
 */
uint64_t hex_offset_excess(struct hex_offset_check *check, const struct hex_offset *to, size_t max);

/*
 * How many bytes up to this offset '*' represents, if it repeats a line of row bytes. partial: the
 * last repetition may be cut. Fixes the radix. Returns NULL, or a message.
 */
const char *hex_offset_repeats(struct hex_offset_check *check, const struct hex_offset *to, size_t row,
			       bool partial, uint64_t *bytes);

/* Writes why the offset does not follow the last one. */
void hex_offset_explain(const struct hex_offset_check *check, const struct hex_offset *to, char *text,
			size_t size);

#endif
