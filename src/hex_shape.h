/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * How a line of hex digits is laid out: the digits of each word, and what separates the words. Without offsets, only
 * that shows that a line of other numbers is not part of a dump.
 */
#ifndef SRC_HEX_SHAPE_H
#define SRC_HEX_SHAPE_H

#include <stdbool.h>
#include <stddef.h>
#include "hex_line.h"

/* The rest of a longer line may be laid out in any way. 32 pairs of digits are shorter. */
#define HEX_SHAPE_MAX 96

struct hex_shape {
	size_t len;
	char text[HEX_SHAPE_MAX];
	size_t plain_len;          /* 0: the line is longer than HEX_SHAPE_MAX */
	char plain[HEX_SHAPE_MAX]; /* the line, with 'd' for each digit */
};

/* Notes the layout of a line, the bytes of which begin at i. */
void hex_shape_note(struct hex_shape *shape, const struct hex_line *l, size_t i);

/* Whether the line has this layout, as far as both have bytes. */
bool hex_shape_agrees(const struct hex_shape *shape, const struct hex_line *l, size_t i);

#endif
