/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What is said between a served simulation and its clients, over Unix sockets of type
 * SOCK_SEQPACKET: as bytes, without the sockets. Both ends are of one machine: numbers are
 * in host order, structs have no holes. Every length is checked here before it is used.
 *
 * A client connects to the server's socket and calls: a packet with a struct proto_call and
 * what belongs to it, and one packet comes back, a struct proto_reply and what belongs to
 * that, in order. HELLO is the first call of every connection: it tells the version and
 * which node's kernel the calls are for. OPEN is the umad device's open(): it passes a data
 * socket, on which packets are MADs, one each, both ways; when the last copy of the client's
 * end is closed, so is the file. A file's token is good on any connection: a child that was
 * forked makes one of its own.
 *
 * Bytes that are too long for a packet travel in a file without a name (memfd), whose
 * descriptor is passed with the packet: PROTO_PASSED is set then.
 *
 *   op          of the call                  after it       of the reply  after it
 *   HELLO       arg: PROTO_VERSION           words of NODE                struct proto_node
 *   OPEN        arg: port or PROTO_UMAD                     value: token; the data socket
 *   REGISTER    file                         proto_agent    value: id of the agent;
 *                                                           supported: flags
 *   UNREGISTER  file, arg: id
 *   SEND        file                         as on a data socket
 *   ISSM        arg: number                                 a descriptor that holds it
 *   INFO        arg: port                                                 struct proto_info
 *   SYSFS                                    a path                       its content
 *   TREE                                                                  a path
 *   STORE       arg: 1 to read it, too       a path         value: token; a descriptor to
 *                                                           write to
 *   STORED      file
 *   CONTROL                                  words, each    value: exit   text
 *                                            with its NUL   status
 *
 * HELLO: NODE is a name, a description or a GUID, with or without ":PORT"; none: the first
 * CA. The host that has it is meant, or the port. ENOENT: there is no such node; EEXIST: there are several;
 * text after either says so in words. EPROTONOSUPPORT: another version, the server's is in value. Any other call before it: EPROTO. A second HELLO moves the connection to another
 * node; if the server refuses it, the connection keeps the node that it had.
 * SEND is write() of the device: its errno is the reply's. What is sent on the data socket
 * and refused comes back there, with the errno as its status, the address and the first
 * PROTO_HEADER_BYTES of the MAD.
 * OPEN: with PROTO_UMAD the number of one of the host's umad devices, which may lack a queue pair; otherwise the
 * node's port, with both. ISSM: the number of an issm device. ENOENT: there is no such device.
 * SYSFS: a path below /sys/class ("infiniband/sim0/ports/1/lid"), as the kernel (Linux 6.1)
 * has it there, newline and all; of a directory, whose path ends with "/": its names, a line
 * each, those of directories with a "/" at their end. ENOENT; EINVAL, as of the kernel's read().
 * STORE: a socket, each packet of which does what a write() to such a file does. Its token is the number of its inode.
 * ENOENT, EACCES. STORED waits for the packets that are on their way, and its error is that of the first write() that
 * failed since the last STORED. ENODEV: the server does not know the token.
 * TREE: real directories that are as those of a kernel, with files that hold nothing: class/ as /sys/class, dev/ as
 * /dev, where FIFOs are in the places of devices; in a directory below the server's socket's path and
 * PROTO_TREE_SUFFIX, one for each host. The server makes it when it is asked for the first time, and removes it
 * when it ends.
 */
#ifndef SIM_SERVE_PROTO_H
#define SIM_SERVE_PROTO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PROTO_CA          "sim0" /* what a host's only CA is called if its description does not say */
#define PROTO_MAJOR       "231"  /* of umad and issm devices */
#define PROTO_TREE_SUFFIX ".sysfs"

enum {
	PROTO_VERSION = 3,
	PROTO_PACKET_MAX = 1 << 16,  /* bytes of any packet, header and all */
	PROTO_MESSAGE_MAX = 1 << 28, /* of what is passed */
	PROTO_WORDS_MAX = 4096,      /* of HELLO, SYSFS, CONTROL */
	PROTO_STORE_MAX = 4096,      /* a page, as of the kernel */
	PROTO_ERRNO_MAX = 4095,      /* as of the kernel */
	PROTO_HEADER_BYTES = 24,     /* of what comes back of a send */
	PROTO_PORTS_MAX = 254,       /* of a node */
	PROTO_AGENTS_MAX = 32,       /* of a file */
	PROTO_AGENT_FLAGS = 1,       /* those of a registration that are known */
	PROTO_REASON_MAX = 400,      /* of the text after a refused HELLO */
	PROTO_UMAD = 1 << 16,        /* OPEN: not a port */
	PROTO_ISSM_MINOR = 64,       /* of issm0 */
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

enum { PROTO_PASSED = 1 }; /* flags: what follows is in a descriptor */

struct proto_call {
	uint32_t op;
	uint32_t arg;
	uint64_t file; /* 0: none */
};

struct proto_reply {
	uint32_t op;
	uint32_t error; /* 0, or a positive errno */
	uint64_t value;
	uint32_t supported; /* REGISTER: flags that are known, also of a refusal */
	uint32_t flags;
	uint64_t len; /* of what follows */
};

/* struct madkit_addr, as far as umad's has it. */
struct proto_addr {
	uint32_t lid, qp, qkey, flow_label;
	uint16_t pkey_index;
	uint8_t sl, path_bits;
	uint8_t gid[16];
	uint8_t grh; /* 0 or 1 */
	uint8_t gid_index, hop_limit, traffic_class;
};

/* A packet of a data socket begins with it; the message follows. */
struct proto_mad {
	uint32_t agent;
	uint32_t status;     /* to the client: 0, or the errno of a send that came back */
	uint32_t timeout_ms; /* from the client, as retries */
	uint32_t retries;
	uint32_t flags;
	uint32_t len;           /* of the message, wherever it is */
	struct proto_addr addr; /* where to, or where from */
};

/* struct host_agent. */
struct proto_agent {
	uint8_t mgmt_class, class_version, rmpp_version, reserved;
	uint32_t oui;
	uint32_t flags;
	uint32_t reserved2;
	uint64_t method_mask[2];
};

/* Of texts, what is behind their NUL is 0. */
struct proto_node {
	uint64_t guid, system_guid;
	uint8_t type;   /* enum topology_type */
	uint8_t nports; /* without port 0 */
	uint8_t port;   /* that the words meant; a switch's is 0 */
	uint8_t reserved[5];
	char ca[64];
	char name[72], description[72];
};

/* What the library's struct madkit_port_info wants of an end port. */
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

/* ---- what was received --------------------------------------------------------- */

/* A call of len bytes; *rest is what follows it, in packet. 0; -EBADMSG: it is none, or what
 * follows has not the length that the op wants. */
int proto_read_call(const void *packet, size_t len, struct proto_call *call, const uint8_t **rest,
		    size_t *rest_len);
/* The reply to op. With PROTO_PASSED *rest is NULL and reply->len the length of what is
 * passed. 0; -EBADMSG: it is none, or has not what such a reply has. */
int proto_read_reply(const void *packet, size_t len, enum proto_op op, struct proto_reply *reply,
		     const uint8_t **rest, size_t *rest_len);
/* A packet of a data socket; *rest is the message, NULL with PROTO_PASSED. 0; -EBADMSG. */
int proto_read_mad(const void *packet, size_t len, struct proto_mad *mad, const uint8_t **rest);

/* What follows a call or a reply, which the functions above have seen to be so long. Texts
 * end in NUL then, whatever came. */
void proto_read_node(const uint8_t *rest, struct proto_node *node);
void proto_read_info(const uint8_t *rest, struct proto_info *info);

#endif
