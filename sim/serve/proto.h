/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The protocol between a served simulation and its clients, over Unix sockets of type SOCK_SEQPACKET. This
 * file has the bytes of the packets, not the sockets. Both ends are on one machine: numbers are in host
 * order, and structs have no holes. Every length is checked here before it is used.
 *
 * A client connects to the server's socket and sends calls. A call is one packet: a struct proto_call and the
 * data that belongs to it. The server replies in order, with one packet each: a struct proto_reply and its
 * data. HELLO is the first call of every connection: it has the version, and selects the node to whose kernel
 * the calls go. OPEN is the open() of a umad device: it passes a data socket, whose packets carry one MAD
 * each, in both directions. When the last copy of the client's end is closed, the file is closed. The token
 * of a file is valid on any connection: a forked child makes a new connection.
 *
 * Data that is too long for a packet is in a memfd, whose descriptor is passed with the packet; the flag
 * PROTO_PASSED is set.
 *
 *   op          in the call                  after it       in the reply  after it
 *   HELLO       arg: PROTO_VERSION           words of NODE                struct proto_node
 *   OPEN        arg: port or PROTO_UMAD                     value: token; the data socket
 *   REGISTER    file                         proto_agent    value: id of the agent;
 *                                                           supported: flags
 *   UNREGISTER  file, arg: id
 *   SEND        file                         as on a data socket
 *   ISSM        arg: number                                 a descriptor that keeps it open
 *   INFO        arg: port                                                 struct proto_info
 *   SYSFS                                    a path                       its content
 *   TREE                                                                  a path
 *   STORE       arg: 1 to read it as well    a path         value: token; a descriptor to
 *                                                           write to
 *   STORED      file
 *   CONTROL                                  words, each    value: exit   text
 *                                            with its NUL   status
 *
 * HELLO: NODE is a name, a description or a GUID, with or without ":PORT"; empty: the first CA. It selects
 * the node's host and the port. ENOENT: no such node; EEXIST: several nodes; in both cases a text after the
 * reply gives the reason. EPROTONOSUPPORT: different version; value is the server's. Any other call before
 * HELLO: EPROTO. A second HELLO moves the connection to another node; if the server refuses it, the
 * connection keeps its node.
 * SEND is the write() of the device: the reply has its errno. A send on the data socket that is refused is
 * returned there, with the errno as its status, the address and the first PROTO_HEADER_BYTES of the MAD.
 * OPEN: PROTO_UMAD and the number of one of the host's umad devices, which may lack a queue pair; otherwise
 * the node's port, with both queue pairs. ISSM: the number of an issm device. ENOENT: there is no such
 * device.
 * SYSFS: a path below /sys/class ("infiniband/sim0/ports/1/lid"). The content is that of Linux 6.1, with the
 * newline. The path of a directory ends with "/"; its content is the names in it, one per line, with "/"
 * after the names of directories. ENOENT; EINVAL, as read() of the kernel's file.
 * STORE passes a socket; each packet that is sent on it acts as a write() to the file. The token is the inode
 * number of that socket. ENOENT, EACCES. STORED waits for the packets in flight, and returns the error of the
 * first write() that failed since the last STORED. ENODEV: the server does not know the token.
 * TREE: a real directory with the layout of a kernel's, whose files are empty: class/ is /sys/class, and dev/
 * is /dev, with FIFOs in place of devices. Each host has such a directory, below the path of the server's
 * socket with PROTO_TREE_SUFFIX. The server creates it at the first request, and removes it when it ends.
 */
#ifndef SIM_SERVE_PROTO_H
#define SIM_SERVE_PROTO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PROTO_CA          "sim0" /* name of a host's only CA if its description names none */
#define PROTO_MAJOR       "231"  /* major number of umad and issm devices */
#define PROTO_TREE_SUFFIX ".sysfs"

enum {
	PROTO_VERSION = 3,
	PROTO_PACKET_MAX = 1 << 16,  /* bytes of a packet, including the header */
	PROTO_MESSAGE_MAX = 1 << 28, /* bytes of passed data */
	PROTO_WORDS_MAX = 4096,      /* bytes of the words or the path of a call, and of the path of TREE */
	PROTO_STORE_MAX = 4096,      /* bytes of a write() to sysfs: a page, as in the kernel */
	PROTO_ERRNO_MAX = 4095,      /* as in the kernel */
	PROTO_HEADER_BYTES = 24,     /* of a MAD whose send is returned */
	PROTO_PORTS_MAX = 254,       /* ports of a node */
	PROTO_AGENTS_MAX = 32,       /* agents of a file */
	PROTO_AGENT_FLAGS = 1,       /* known flags of a registration */
	PROTO_REASON_MAX = 400,      /* bytes of the text after a refused HELLO */
	PROTO_UMAD = 1 << 16,        /* OPEN: arg is a number of a umad device, not a port */
	PROTO_ISSM_MINOR = 64,       /* minor number of issm0 */
};

enum proto_op {
	PROTO_HELLO = 1,
	PROTO_OPEN,
	PROTO_REGISTER,
	PROTO_UNREGISTER,
	PROTO_SEND,
	PROTO_ISSM,
	PROTO_INFO,
	PROTO_SYSFS,
	PROTO_CONTROL,
	PROTO_TREE,
	PROTO_STORE,
	PROTO_STORED,
	PROTO_OPS,
};

enum { PROTO_PASSED = 1 }; /* flags: the data is in a passed descriptor */

struct proto_call {
	uint32_t op;
	uint32_t arg;
	uint64_t file; /* 0: none */
};

struct proto_reply {
	uint32_t op;
	uint32_t error; /* 0, or a positive errno */
	uint64_t value;
	uint32_t supported; /* REGISTER: the known flags, also if it is refused */
	uint32_t flags;
	uint64_t len; /* of the data */
};

/* The members of struct madkit_addr that umad has as well. */
struct proto_addr {
	uint32_t lid, qp, qkey, flow_label;
	uint16_t pkey_index;
	uint8_t sl, path_bits;
	uint8_t gid[16];
	uint8_t grh; /* 0 or 1 */
	uint8_t gid_index, hop_limit, traffic_class;
};

/* The header of a packet on a data socket; the message follows. */
struct proto_mad {
	uint32_t agent;
	uint32_t status;     /* to the client: 0, or the errno of a send that is returned */
	uint32_t timeout_ms; /* from the client, like retries */
	uint32_t retries;
	uint32_t flags;
	uint32_t len;           /* of the message, in the packet or in a passed file */
	struct proto_addr addr; /* destination, or source */
};

/* The members of struct host_agent. */
struct proto_agent {
	uint8_t mgmt_class, class_version, rmpp_version, reserved;
	uint32_t oui;
	uint32_t flags;
	uint32_t reserved2;
	uint64_t method_mask[2];
};

/* Texts are padded with zeros. */
struct proto_node {
	uint64_t guid, system_guid;
	uint8_t type;   /* enum topology_type */
	uint8_t nports; /* without port 0 */
	uint8_t port;   /* the port that the words select; 0 of a switch */
	uint8_t reserved[5];
	char ca[64];
	char name[72], description[72];
};

/* The members of the library's struct madkit_port_info, of an end port. */
struct proto_info {
	uint64_t node_guid, port_guid, gid_prefix;
	uint32_t port, lid, sm_lid, rate, cap_mask;
	uint8_t lmc, sm_sl, state, phys_state;
	char ca[64], ca_type[64], firmware[64];
};

_Static_assert(sizeof(struct proto_call) == 16 && sizeof(struct proto_reply) == 32 &&
		       sizeof(struct proto_addr) == 40 && sizeof(struct proto_mad) == 64 &&
		       sizeof(struct proto_agent) == 32 && sizeof(struct proto_node) == 232 &&
		       sizeof(struct proto_info) == 240,
	       "no holes");

/* ---- the received message --------------------------------------------------------- */

/* Reads a call of len bytes; *rest is its data, in packet. 0; -EBADMSG: not a call, or the op does not allow
 * data of this length. */
int proto_read_call(const void *packet, size_t len, struct proto_call *call, const uint8_t **rest,
		    size_t *rest_len);
/* Reads the reply to op. With PROTO_PASSED, *rest is NULL and reply->len is the length of the passed data. 0;
 * -EBADMSG: not a reply, or not a valid reply to op. */
int proto_read_reply(const void *packet, size_t len, enum proto_op op, struct proto_reply *reply,
		     const uint8_t **rest, size_t *rest_len);
/* Reads a packet of a data socket; *rest is the message, or NULL with PROTO_PASSED. 0; -EBADMSG. */
int proto_read_mad(const void *packet, size_t len, struct proto_mad *mad, const uint8_t **rest);

/* Read the data of a call or a reply, whose length the functions above have checked. Texts always end in
 * NUL. */
void proto_read_node(const uint8_t *rest, struct proto_node *node);
void proto_read_info(const uint8_t *rest, struct proto_info *info);

#endif
