/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The client's end of the protocol: a connection, calls on it and their replies. The transport sim:unix: and the
 * preloaded device link the same object, so that it includes nothing of the library, allocates no memory, is
 * async-signal-safe, and calls no function that shim/interpose.c replaces.
 */
#ifndef SIM_SERVE_CLIENT_H
#define SIM_SERVE_CLIENT_H

#include <sys/uio.h>
#include "sim/serve/proto.h"

struct sim_client {
	int fd;     /* -1: none */
	int broken; /* -errno of the call that was broken off: its reply may still come;
		     * -EPROTO: a reply was malformed */
	/* Decides whether to wait on after a signal (EINTR) or after the time limit of the socket (EAGAIN): 0, or
	 * the -errno that breaks the call off. */
	int (*interrupted)(struct sim_client *client, int err);
};

/* A call and its reply. */
struct sim_call {
	struct proto_call call;
	struct iovec rest[2]; /* what follows the call */
	const int *pass;      /* a descriptor that goes with it; NULL or -1: none */
	void *text;           /* room for size bytes of what follows the reply */
	size_t size;
	struct proto_reply reply;
	size_t len; /* of text, which has the beginning if there is more */
	int fd;     /* of OPEN, ISSM and STORE, close-on-exec; -1: none */
};

/* Connects to the socket at path, which blocks for block_ms at a time. client has .interrupted, and .fd = -1; if it
 * is still -1 afterwards, there is no socket. 0; -ENAMETOOLONG; -errno, also of client->interrupted(). */
int sim_client_connect(struct sim_client *client, const char *path, unsigned int block_ms);

/* System calls on the connection block for so long at a time from now on. 0; -errno. */
int sim_client_block(struct sim_client *client, unsigned int ms);

/* Calls and waits for the reply. 0, even if c->reply.error is set. -errno: there is none. After -EFAULT, -EMSGSIZE,
 * -ENOBUFS and -ENOMEM the call was not sent; after -EMFILE the process had no room for a descriptor that came with
 * the reply. Other errors end the connection: -EPROTO the reply is malformed, client->interrupted()'s, and those of
 * the socket. */
int sim_client_call(struct sim_client *client, struct sim_call *c);

/* The call HELLO with words. As sim_client_call(); node is set if reply->error is 0, else reason, which is empty if
 * the server gives none. */
int sim_client_hello(struct sim_client *client, const char *words, struct proto_reply *reply,
		     struct proto_node *node, char reason[PROTO_REASON_MAX + 1]);

#endif
