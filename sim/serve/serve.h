/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A served simulation, from the server's side, without its sockets. */
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

/* ---- session.c: what a call does, and what is replied ------------------------------------- */

/* A connection. All zero is a new one. */
struct session {
	bool greeted;
	uint32_t node;          /* whose kernel it speaks with */
	unsigned int port;      /* that its words meant */
	struct devices devices; /* of the node's host */
};
/* Frees what it has: it is a new one then. */
void session_end(struct session *session);

/* What the caller does for calls. */
struct session_ops {
	/* Opens a file and keeps a data socket for the reply. reach: enum host_reach. 0 with *token; -errno. */
	int (*open)(void *context, uint32_t node, unsigned int port, unsigned int reach, uint64_t *token);
	/* Opens the issm device and keeps a descriptor for the reply. roce: the port is not that of the fabric.
	 * 0; -errno. */
	int (*issm)(void *context, uint32_t node, unsigned int port, bool roce);
	/* Keeps a socket for the reply, of which packets go to sim_sysfs_write(). content: what the file holds is
	 * to be read from it first. 0 with *token; -errno. */
	int (*store)(void *context, uint32_t node, const char *path, size_t len, bool content,
		     uint64_t *token);
	/* What the call STORED returns of a token. */
	int (*stored)(void *context, uint64_t token);
	/* The file of a token; NULL: none. */
	struct host_file *(*file)(void *context, uint64_t token);
	/* Makes the directories of PROTO_TREE and appends their path. 0; -errno. */
	int (*tree)(void *context, const struct devices *devices, struct madkit_buf *path);
	/* Words, each with its NUL, len bytes of them. An exit status; text is appended. */
	int (*control)(void *context, const char *words, size_t len, struct madkit_buf *text);
	void *context;
	unsigned int hosts; /* DEVICES_ROCE ... */
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

/* ---- translate.c: conversion between structs of the protocol and of the library ---------- */

void proto_agent(const struct host_agent *agent, struct proto_agent *to);
/* rest follows a call that proto_read_call() has checked. */
void proto_read_agent(const uint8_t *rest, struct host_agent *agent);

void proto_addr(const struct madkit_addr *addr, struct proto_addr *to);
void proto_read_addr(const struct proto_addr *from, struct madkit_addr *addr);

/* ---- sysfs.c: the files below /sys/class of a host's devices and ports, as Linux 6.1 has them
 * (drivers/infiniband/core/sysfs.c and user_mad.c) ----------------------------------------- */

/* 0; -EINVAL: no such end port. The CA is PROTO_CA. */
int sim_sysfs_info(struct fabric *f, uint32_t node, unsigned int port, struct proto_info *info);

/* Appends what PROTO_SYSFS answers of a path of len bytes. 0; -ENOENT; -EINVAL, which read() of a kernel's
 * file is. Look at buf->error afterwards. */
int sim_sysfs_read(struct fabric *f, const struct devices *devices, const char *path, size_t len,
		   struct madkit_buf *buf);
/* Whether a file can be written to: 0; -ENOENT; -EACCES. */
int sim_sysfs_check(struct fabric *f, const struct devices *devices, const char *path, size_t len);
/* What write() of n bytes to such a file does. 0; as sim_sysfs_check(); -EINVAL, -ERANGE, -ENOMEM. */
int sim_sysfs_write(struct fabric *f, const struct devices *devices, const char *path, size_t len,
		    const char *bytes, size_t n);
/* Whether files of this name can be written to. */
bool sim_sysfs_is_writable(const char *name);

#endif
