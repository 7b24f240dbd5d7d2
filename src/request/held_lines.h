/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Lines of a listener that wait for names of nodes. */
#ifndef SRC_HELD_LINES_H
#define SRC_HELD_LINES_H

#include "exchange.h"

struct held_lines;

/* As exchange_open_port(). x must have an agent. show() prints a line, and returns false if no more lines are needed. */
int held_lines_new(struct exchange *x, bool (*show)(void *context, const struct madkit_message *message),
		   void *context, struct held_lines **held);
void held_lines_free(struct held_lines *held);

/* Has the SA queried for the names of all nodes: it does not have those of nodes that are gone. Does not block. */
void held_lines_prepare(struct held_lines *held);

size_t held_lines_count(const struct held_lines *held);

/*
 * Adds the line of a MAD. It is shown when its names are known, but not before the lines that were added earlier:
 * NODE_NAMES_WAIT_MS after it was added at the latest. Handlers may call this function. recv is freed in any case.
 */
void held_lines_add(struct held_lines *held, struct madkit_recv *recv, const struct madkit_message *message);

/* Shows the lines that have waited long enough. When to call it again at the latest, on the port's clock. */
uint64_t held_lines_tend(struct held_lines *held);

/* Shows all lines, with the names that are known. */
void held_lines_flush(struct held_lines *held);

#endif
