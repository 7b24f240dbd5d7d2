/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* In which order of bytes a dump prints its words: the first word of a MAD shows it, or the MAD's header. */
#ifndef SRC_HEX_ORDER_H
#define SRC_HEX_ORDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <madkit/buf.h>

struct hex_order {
	enum { ORDER_UNKNOWN, ORDER_BIG, ORDER_LITTLE, ORDER_OPEN } is;
	size_t open, word; /* OPEN: the first byte that may have to move, and bytes per word */
};

/* Whether the byte is a base version. */
bool hex_order_begins_mad(unsigned int byte);

/*
 * Determines the order from the first word of a MAD, which has so many bytes, the first and the last of which are these.
 * It will stand at the end of bytes. False: neither order has a base version first.
 */
bool hex_order_find(struct hex_order *order, unsigned int first, unsigned int last, size_t word,
		    const struct madkit_buf *bytes);

/* Decides the order that the first word left open, and puts the bytes since then into it. */
void hex_order_settle(struct hex_order *order, struct madkit_buf *bytes);

#endif
