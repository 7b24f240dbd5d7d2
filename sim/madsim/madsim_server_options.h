/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Options and counters of the server. */
#ifndef SIM_MADSIM_SERVER_OPTIONS_H
#define SIM_MADSIM_SERVER_OPTIONS_H

#include <stddef.h>
#include <stdint.h>
#include <madkit/buf.h>

struct server_counters {
	uint64_t connections, files; /* present number */
	uint64_t sends, refused;     /* MADs and messages from clients */
	uint64_t received;           /* MADs and messages delivered to clients */
};

struct server_options {
	/* Executes words from a client, each with its NUL. Appends text. Returns an exit status. */
	int (*control)(void *context, const char *words, size_t len, struct madkit_buf *text);
	/* Called whenever everything that was due has been processed. The server ends if it returns nonzero,
	 * and returns that. */
	int (*idle)(void *context);
	void *context;
	unsigned int hosts; /* DEVICES_ROCE ... of sim/serve/devices.h */
	int life;           /* the server ends when the other end of this descriptor is closed; -1: none */
	int events; /* events go here: the server ends if it is a pipe whose reader is gone; -1: none */
};

#endif
