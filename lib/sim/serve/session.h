/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The server's part of its protocol (proto.h) without its sockets: what a call does, and
 * what is replied. Files, and how they are told of, are the caller's.
 */
#ifndef SIM_SERVE_SESSION_H
#define SIM_SERVE_SESSION_H

#include <madkit/buf.h>
#include "sim/serve/proto.h"
#include "sim/simulation.h"

/* A connection. All zero is a new one. */
struct session {
	bool greeted;
	uint32_t node;     /* whose kernel it speaks with */
	unsigned int port; /* that its words meant */
};

/* What the caller does for calls. */
struct session_ops {
	/* Opens a file and keeps a data socket for the reply. 0 with *token; -errno. */
	int (*open)(void *context, uint32_t node, unsigned int port, uint64_t *token);
	/* Opens the issm device and keeps a descriptor for the reply. 0; -errno. */
	int (*issm)(void *context, uint32_t node, unsigned int port);
	/* The file of a token; NULL: none. */
	struct host_file *(*file)(void *context, uint64_t token);
	/* Makes the directories of PROTO_TREE and appends their path. 0; -errno. */
	int (*tree)(void *context, uint32_t node, struct madkit_buf *path);
	/* Words, each with its NUL, len bytes of them. An exit status; text is appended. */
	int (*control)(void *context, const char *words, size_t len, struct madkit_buf *text);
	void *context;
};

/*
 * Does a call and appends its reply, header and all, of any length: what is too long for
 * a packet is for the caller to pass. passed: the message of a PROTO_SEND that came by
 * descriptor, of the length that its header tells, else NULL. 0; -EBADMSG: it is no call,
 * and its connection is to end; -ENOMEM: likewise.
 */
int session_call(struct session *session, struct simulation *s, const struct session_ops *ops,
		 const void *packet, size_t len, const uint8_t *passed, uint64_t now,
		 struct madkit_buf *reply);

/* Whether the message of a call comes by descriptor, and how long it is. */
bool session_is_passed(const void *packet, size_t len, size_t *message_len);

/* What came on a data socket: 0, or the positive errno that goes back with it. */
int session_send(struct host_file *file, const struct proto_mad *mad, const uint8_t *message, uint64_t now);

#endif
