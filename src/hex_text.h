/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* MADs as hex digits in text, in the shapes that people paste. */
#ifndef SRC_HEX_TEXT_H
#define SRC_HEX_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <madkit/buf.h>
#include "input.h"

/* The offset that a line of a dump begins with. */
struct hex_label {
	size_t digits;		/* 0: none */
	bool colon, zero, octal_fits;
	uint64_t hex, octal;
};

struct hex_text {
	struct madkit_buf bytes;	/* what the text says */
	size_t used;			/* of them */
	uint64_t line;			/* the one being read, from 0 */
	/* what the lines since the latest blank one have in common: */
	size_t bare;		/* digits of offsets without a colon; 0: none */
	size_t word;		/* digits of words with 0x; 0: none yet */
	enum { ORDER_UNKNOWN, ORDER_BIG, ORDER_LITTLE, ORDER_OPEN } order;
	size_t open, open_word;	/* OPEN: the first byte that may have to move, and of
				 * how many bytes words are */
	enum { RADIX_UNKNOWN, RADIX_HEX, RADIX_OCTAL } radix;
	struct hex_label label;	/* of the latest line */
	size_t row;		/* bytes of it */
	bool repeated;		/* a line with '*' came behind it */
	int error;		/* -EINVAL: see trouble; -ENOMEM */
	char trouble[160];	/* "line 3, column 7: ..." */
};

void hex_text_init(struct hex_text *t);
void hex_text_free(struct hex_text *t);

/*
 * Takes lines until n unused bytes are there. 1 they are; 0 the text has no
 * more, a dump begins anew (*anew: its offset is 0 again), or it cannot be read
 * (error); -EAGAIN: the next line is not whole: more input is needed.
 */
int hex_text_need(struct hex_text *t, struct input *in, size_t n, bool *anew);

#endif
