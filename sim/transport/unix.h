/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A served simulation, from its client's side: calls, by sim/serve/proto.h. */
#ifndef SIM_TRANSPORT_UNIX_H
#define SIM_TRANSPORT_UNIX_H

#include <stdbool.h>
#include <madkit/error.h>
#include <madkit/port.h>
#include "sim/serve/client.h"

#define SIM_UNIX_PREFIX "sim:unix:"

/* Whether a port's device is one of these. */
bool sim_unix_is(const char *device);

struct sim_unix_connection {
	struct sim_client client; /* first */
	struct madkit_limit limit;
	uint64_t end; /* of the present call */
};

/* Connects to what "sim:unix:SOCKET[@NODE]" names (sim_spec_split()) and says HELLO. 0 with the
 * connection and the node; -EINVAL, -ENODEV no server or no such node, -EACCES, -EPROTO, -EIO,
 * -ETIMEDOUT, -EINTR (limit) with error in words. Blocks while the server is busy. limit is
 * copied for later calls; NULL: none. On failure the connection is closed. */
int sim_unix_connect(const char *spec, const struct madkit_limit *limit,
		     struct sim_unix_connection *connection, struct proto_node *node,
		     struct madkit_error *error);
void sim_unix_disconnect(struct sim_unix_connection *connection);

/* As sim_unix_connect(), to the socket at path; words are for HELLO, "" means the first CA. */
int sim_unix_connect_to(const char *path, const char *words, const struct madkit_limit *limit,
			struct sim_unix_connection *connection, struct proto_node *node,
			struct madkit_error *error);

/* Calls and waits for the reply. 0, even if c->reply.error is set; -ENODEV the server is gone; -EPROTO the reply is
 * malformed; -ETIMEDOUT, -EINTR by the limit. The last three remain, in client.broken. Others of sim_client_call(). */
int sim_unix_call(struct sim_unix_connection *connection, struct sim_call *c);

/* Reads a file of sysfs there into text, which ends in NUL. 0 or -errno. Connects. */
int sim_unix_sysfs(const char *device, const struct madkit_limit *limit, const char *path, char *text,
		   size_t size);

#endif
