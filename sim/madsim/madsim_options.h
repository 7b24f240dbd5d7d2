/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What the server is to do, and what it counts. */
#ifndef SRC_MADSIM_OPTIONS_H
#define SRC_MADSIM_OPTIONS_H

#include <stddef.h>
#include <stdint.h>
#include <madkit/buf.h>

struct server_counters {
	uint64_t connections, files; /* that there are now */
	uint64_t sends, refused;     /* MADs and messages from clients */
	uint64_t received;           /* that clients were given */
};

struct server_options {
	/* Words of a client, each with its NUL. An exit status; text is appended. */
	int (*control)(void *context, const char *words, size_t len, struct madkit_buf *text);
	/* After all that was due has been done. Non-zero: the server ends with it. */
	int (*idle)(void *context);
	void *context;
	unsigned int hosts; /* DEVICES_ROCE ... of sim/serve/devices.h */
	int life;           /* the server ends when this descriptor's other end is closed; -1 */
	int events; /* the same of a pipe that it writes to itself, whose reader ends; a file never does; -1 */
};

#endif
