/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The server side of a served simulation, without its sockets. */
#ifndef SIM_SERVE_SERVE_H
#define SIM_SERVE_SERVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <madkit/addr.h>
#include <madkit/buf.h>
#include "sim/host/host.h"
#include "sim/serve/devices.h"
#include "sim/serve/proto.h"
#include "sim/simulation.h"

/* ---- session.c: the effect of a call, and its reply ------------------------------------- */

/* A connection. A new one is all zeros. */
struct session {
	bool greeted;
	uint32_t node;          /* calls go to the kernel of its host */
	unsigned int port;      /* the port that the words of HELLO select */
	struct devices devices; /* of the node's host */
};
/* Frees its resources, and makes it a new one. */
void session_end(struct session *session);

/* Operations that calls need from the server. */
struct session_ops {
	/* Opens a file, and keeps the client's end of its data socket for the reply. reach: enum host_reach.
	 * 0 with *token; -errno. */
	int (*open)(void *context, uint32_t node, unsigned int port, unsigned int reach, uint64_t *token);
	/* Opens the issm device, and keeps a descriptor for the reply. roce: the port does not belong to the
	 * fabric. 0; -errno. */
	int (*issm)(void *context, uint32_t node, unsigned int port, bool roce);
	/* Keeps a socket for the reply, whose packets go to sim_sysfs_write(). content: the client can first
	 * read the file's content from it. 0 with *token; -errno. */
	int (*store)(void *context, uint32_t node, const char *path, size_t len, bool content,
		     uint64_t *token);
	/* Returns the result of the call STORED for a token: 0; -errno. */
	int (*stored)(void *context, uint64_t token);
	/* Returns the file of a token, or NULL. */
	struct host_file *(*file)(void *context, uint64_t token);
	/* Creates the directories of PROTO_TREE and appends their path. 0; -errno. */
	int (*tree)(void *context, const struct devices *devices, struct madkit_buf *path);
	/* Executes words, each with its NUL, len bytes in all. Appends text. Returns an exit status. */
	int (*control)(void *context, const char *words, size_t len, struct madkit_buf *text);
	void *context;
	unsigned int hosts; /* DEVICES_ROCE ... */
};

/* A packet with a call. */
struct session_packet {
	const void *data;
	size_t len;
	const uint8_t
		*passed; /* the message of a PROTO_SEND passed by descriptor, with the length that its header
				  has; otherwise NULL */
};

/*
 * Executes a call and appends its reply with the header. The reply may have any length: the caller passes it
 * by descriptor if it is too long for a packet. 0; -EBADMSG: not a valid call, close the connection; -ENOMEM:
 * likewise.
 */
int session_call(struct session *session, struct simulation *s, const struct session_ops *ops,
		 const struct session_packet *packet, uint64_t now, struct madkit_buf *reply);

/* Checks if the message of a call is passed by descriptor, and sets *message_len to its length. */
bool session_is_passed(const void *packet, size_t len, size_t *message_len);

/* Sends a message from a data socket. Returns 0, or the positive errno with which the message is returned. */
int session_send(struct host_file *file, const struct proto_mad *mad, const uint8_t *message, uint64_t now);

/* ---- translate.c: conversion between structs of the protocol and of the library ---------- */

void proto_agent(const struct host_agent *agent, struct proto_agent *to);
/* rest is the data of a call that proto_read_call() has checked. */
void proto_read_agent(const uint8_t *rest, struct host_agent *agent);

void proto_addr(const struct madkit_addr *addr, struct proto_addr *to);
void proto_read_addr(const struct proto_addr *from, struct madkit_addr *addr);

/* ---- sysfs.c: the files below /sys/class of a host's devices and ports, as Linux 6.1 has them
 * (drivers/infiniband/core/sysfs.c and user_mad.c) ----------------------------------------- */

/* Sets *info; info->ca is PROTO_CA. 0; -EINVAL: no such end port. */
int sim_sysfs_info(struct fabric *f, uint32_t node, unsigned int port, struct proto_info *info);

/* Appends the reply of PROTO_SYSFS for a path of len bytes. 0; -ENOENT; -EINVAL, as read() of the kernel's
 * file. Check buf->error afterwards. */
int sim_sysfs_read(struct fabric *f, const struct devices *devices, const char *path, size_t len,
		   struct madkit_buf *buf);
/* Checks if a file can be written to. 0; -ENOENT; -EACCES. */
int sim_sysfs_check(struct fabric *f, const struct devices *devices, const char *path, size_t len);
/* Executes a write() of n bytes to such a file. 0; as sim_sysfs_check(); -EINVAL, -ERANGE, -ENOMEM. */
int sim_sysfs_write(struct fabric *f, const struct devices *devices, const char *path, size_t len,
		    const char *bytes, size_t n);
/* Checks if files with this name can be written to. */
bool sim_sysfs_is_writable(const char *name);

#endif
