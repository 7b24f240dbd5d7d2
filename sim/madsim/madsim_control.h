/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Control words for a running server. */
#ifndef SRC_MADSIM_CONTROL_H
#define SRC_MADSIM_CONTROL_H

#include "madsim_events.h"
#include "madsim_server.h"

struct control {
	struct simulation *s;
	struct server *server;
	const struct events *events;
};

/* Executes words, each with its NUL (len bytes in all). Returns an exit status; text receives the result, or
 * names the word that is wrong. */
int control_run(struct control *c, const char *words, size_t len, struct madkit_buf *text);

#endif
