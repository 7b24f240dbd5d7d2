/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The client side of the protocol: a connection, calls on it and their replies. The transport sim:unix: and
 * the preloaded library link the same object. Therefore this code includes nothing of the library, allocates
 * no memory, is async-signal-safe, and calls no function that sim/preload/interpose.c replaces.
 */
#ifndef SIM_SERVE_CLIENT_H
#define SIM_SERVE_CLIENT_H

#include <sys/uio.h>
#include "sim/serve/proto.h"

struct sim_client {
	int fd;     /* -1: none */
	int broken; /* -errno of a call that was abandoned: its reply may still arrive;
		     * -EPROTO: a reply was malformed */
	/* Called when a system call ends by a signal (EINTR) or by the time limit of the socket (EAGAIN).
	 * Returns 0 to keep waiting, or the -errno with which the call is abandoned. */
	int (*interrupted)(struct sim_client *client, int err);
};

/* A call and its reply. */
struct sim_call {
	struct proto_call call;
	struct iovec rest[2]; /* the data after the call header */
	const int *pass;      /* a descriptor to pass with the call; NULL or -1: none */
	void *text;           /* buffer of size bytes for the data after the reply header */
	size_t size;
	struct proto_reply reply;
	size_t len; /* length of text; longer data is truncated */
	int fd;     /* received with OPEN, ISSM or STORE, close-on-exec; -1: none */
};

/* Connects to the socket at path; each system call blocks for block_ms at most. client has .interrupted, and
 * .fd = -1; .fd is still -1 afterwards if no socket was created. 0; -ENAMETOOLONG; -errno, also from
 * client->interrupted(). */
int sim_client_connect(struct sim_client *client, const char *path, unsigned int block_ms);

/* Sets how long each system call on the connection blocks. 0; -errno. */
int sim_client_block(struct sim_client *client, unsigned int ms);

/* Calls and waits for the reply. 0: there is a reply, and c->reply.error may be set; -errno: there is none.
 * After -EFAULT, -EMSGSIZE, -ENOBUFS and -ENOMEM the call was not sent; after -EMFILE the process had no room
 * for the descriptor that came with the reply. Any other error ends the connection: -EPROTO for a malformed
 * reply, an error from client->interrupted(), or an error of the socket. */
int sim_client_call(struct sim_client *client, struct sim_call *c);

/* Calls HELLO with words. Returns as sim_client_call(). If reply->error is 0, node is set; otherwise reason
 * is set, and is empty if the server gives none. */
int sim_client_hello(struct sim_client *client, const char *words, struct proto_reply *reply,
		     struct proto_node *node, char reason[PROTO_REASON_MAX + 1]);

#endif
