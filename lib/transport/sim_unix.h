/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A served simulation, from its client's side: calls, by lib/sim/proto.h. */
#ifndef TRANSPORT_SIM_UNIX_H
#define TRANSPORT_SIM_UNIX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <madkit/error.h>
#include "sim/proto.h"

#define SIM_UNIX_PREFIX "sim:unix:"

/* Whether a port's device is one of these. */
bool sim_unix_is(const char *device);

/* Connects to what "sim:unix:SOCKET[@NODE]" names and says HELLO. 0 with the connection in
 * *fd and the node; -EINVAL, -ENODEV nobody serves there or there is no such node,
 * -EACCES, -EPROTO, -EIO with error in words. Blocks while the server is busy. */
int sim_unix_connect(const char *spec, int *fd, struct proto_node *node,
		     struct madkit_error *error);

/* What a call and its reply have besides their structs. */
struct sim_unix_call {
	struct proto_call call;
	const void *rest[2];	/* of the call */
	size_t rest_len[2];
	void *text;		/* where what follows the reply goes, at most size of it */
	size_t size, len;
	bool want_fd;
	int fd;			/* what was passed; -1: nothing */
	bool want_pass;
	int pass;		/* with want_pass: what goes with the call */
};

/* Calls, and waits for the reply. 0, also where reply->error says something else; -ENODEV the
 * server is gone; -EPROTO it said what makes no sense. */
int sim_unix_call(int fd, struct sim_unix_call *c, struct proto_reply *reply);

/* Reads a file of sysfs there into text, which ends in NUL. 0 or -errno. Connects. */
int sim_unix_sysfs(const char *device, const char *path, char *text, size_t size);

#endif
