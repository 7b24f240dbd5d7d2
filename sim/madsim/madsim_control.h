/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Words that a running server is told. */
#ifndef SRC_MADSIM_CONTROL_H
#define SRC_MADSIM_CONTROL_H

#include "madsim_events.h"
#include "madsim_server.h"

struct control {
	struct simulation *s;
	struct server *server;
	const struct events *events;
};

/* Does what the words say, each of which has its NUL (len bytes in all). An exit status; text
 * is the result, or what is wrong with which word. */
int control_run(struct control *c, const char *words, size_t len, struct madkit_buf *text);

#endif
