/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The client side of a served simulation: calls of sim/serve/proto.h. */
#ifndef SIM_TRANSPORT_UNIX_H
#define SIM_TRANSPORT_UNIX_H

#include <stdbool.h>
#include <madkit/error.h>
#include <madkit/port.h>
#include "sim/serve/client.h"

#define SIM_UNIX_PREFIX "sim:unix:"

/* Checks if a device begins with "sim:unix:". */
bool sim_unix_is(const char *device);

struct sim_unix_connection {
	struct sim_client client; /* must be first: sim_unix_interrupted() casts the pointer */
	struct madkit_limit limit;
	uint64_t end; /* when the present call times out */
};

/* Connects to the server of "sim:unix:SOCKET[@NODE]" (sim_spec_split()) and calls HELLO. 0 with the
 * connection and the node; -EINVAL, -EACCES, -EPROTO, -EIO; -ENODEV: no server or no such node; -ETIMEDOUT,
 * -EINTR: the limit; another -errno. error has the reason. Blocks while the server is busy. limit is copied
 * for later calls; NULL: calls time out only after LIMIT_IDLE_MS. On failure the connection is closed. */
int sim_unix_connect(const char *spec, const struct madkit_limit *limit,
		     struct sim_unix_connection *connection, struct proto_node *node,
		     struct madkit_error *error);
void sim_unix_disconnect(struct sim_unix_connection *connection);

/* The same for the socket at path. words are for HELLO; "" selects the first CA. */
int sim_unix_connect_to(const char *path, const char *words, const struct madkit_limit *limit,
			struct sim_unix_connection *connection, struct proto_node *node,
			struct madkit_error *error);

/* Calls and waits for the reply. 0, even if c->reply.error is set; -ENODEV: the server is gone; -EPROTO:
 * malformed reply; -ETIMEDOUT, -EINTR: the limit. The last three remain in client.broken. -EMSGSIZE,
 * -ENOBUFS, -ENOMEM, -EMFILE: as sim_client_call(). */
int sim_unix_call(struct sim_unix_connection *connection, struct sim_call *c);

/* Reads a file of the host's sysfs into text, which always ends in NUL. Makes a new connection. 0 or
 * -errno. */
int sim_unix_sysfs(const char *device, const struct madkit_limit *limit, const char *path, char *text,
		   size_t size);

#endif
