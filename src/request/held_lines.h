/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Lines of a listener that wait for the names of nodes. */
#ifndef SRC_HELD_LINES_H
#define SRC_HELD_LINES_H

#include "exchange.h"

struct held_lines;

/* show() prints a line, and returns false if no more lines are needed. x must have an agent. Returns as
 * exchange_open_port(). */
int held_lines_new(struct exchange *x, bool (*show)(void *context, const struct madkit_message *message),
		   void *context, struct held_lines **held);
void held_lines_free(struct held_lines *held);

/* Queries the SA for the names of all nodes, because it does not have the names of nodes that are gone. Does
 * not block. */
void held_lines_prepare(struct held_lines *held);

/* Returns the number of lines that wait. */
size_t held_lines_count(const struct held_lines *held);

/*
 * Adds the line of a MAD. It is shown when its names are known and all earlier lines have been shown, at most
 * MADKIT_NAMES_WAIT_MS after it was added. Handlers may call this function. recv is freed in any case.
 */
void held_lines_add(struct held_lines *held, struct madkit_recv *recv, const struct madkit_message *message);

/* Shows the lines that are ready or have waited long enough. Returns the latest time of the next call, on the
 * port's clock. */
uint64_t held_lines_tend(struct held_lines *held);

/* Shows all lines, with the names that are known. */
void held_lines_flush(struct held_lines *held);

#endif
