/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The lines of a hex dump, one after the other: an offset, bytes, and the same bytes as characters. Each offset
 * is checked against the bytes before it.
 */
#ifndef SRC_HEX_DUMP_H
#define SRC_HEX_DUMP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <madkit/buf.h>
#include "hex_line.h"
#include "hex_offset.h"
#include "hex_order.h"
#include "hex_shape.h"

struct hex_dump {
	struct madkit_buf bytes; /* of this dump and of those before it */
	size_t used;             /* of them */
	uint64_t line;           /* the current one, from 0 */
	size_t column;           /* where the text of the current line begins */
	/* the current dump: */
	uint64_t begin, last; /* its first and latest line, from 1; they are kept when it ends */
	size_t block;         /* its bytes so far */
	bool headless;        /* its first line has another offset than 0 */
	uint64_t start;       /* ... which is this, in hex */
	size_t bare;          /* digits of offsets without a colon; 0: none */
	size_t word;          /* digits of words with 0x or behind an offset without a colon; 0: none yet */
	struct hex_order order;
	size_t row;    /* bytes of the latest line, at the end of bytes even if used */
	bool repeated; /* a line with '*' follows it */
	struct hex_offset_check offsets;
	size_t padding;         /* at most so many of the bytes only fill the last word */
	size_t width, lines;    /* bytes of its first line, and how many lines have as many */
	struct hex_shape shape; /* without offsets: the layout of its first line */
	bool last_row;  /* without offsets: the latest line has fewer or more bytes, so it is the last one */
	bool full;      /* its length is known and reached: another row damages it */
	bool uneven;    /* a line follows that does not continue this dump: see trouble */
	bool regrouped; /* ... because its digits are grouped otherwise */
	bool longer;    /* the latest line is longer than the first: its bytes are not used before
			      * the next offset confirms them */
	bool closed;    /* by an offset: another dump may begin at any offset */
	bool misplaced; /* error: an offset disagrees with the bytes before it */
	int error;      /* -EINVAL: see trouble; -ENOMEM */
	char trouble[160]; /* "line 3, column 7: ..." */
};

/* Notes what is wrong at a column (from 0) of the current line's text. -EINVAL. */
int hex_dump_trouble(struct hex_dump *d, size_t column, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* How many bytes are not used yet. */
static inline size_t hex_dump_have(const struct hex_dump *d)
{
	return d->bytes.len - d->used;
}

/* The line's offset, if it begins with one. Returns where its bytes begin. */
size_t hex_dump_label(const struct hex_dump *d, const struct hex_line *l, struct hex_offset *label);

/* Takes the offset of a line, the bytes of which begin at i. 0 or an error. */
int hex_dump_take_label(struct hex_dump *d, const struct hex_line *l, size_t i,
			const struct hex_offset *label);

/* Takes the bytes of a line, which begin at i. 0 or an error. */
int hex_dump_take_bytes(struct hex_dump *d, const struct hex_line *l, size_t i,
			const struct hex_offset *label);

/* Whether the line, the bytes of which begin at i, cannot continue the dump: another one begins. */
bool hex_dump_another(struct hex_dump *d, const struct hex_line *l, size_t i, const struct hex_offset *label);

/* No more lines follow. 0, or an error: the latest line is not confirmed. */
int hex_dump_end(struct hex_dump *d);

/* Another dump may begin: its lines may be different. */
void hex_dump_reset(struct hex_dump *d);

#endif
