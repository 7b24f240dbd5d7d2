/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Packets of the protocol on sockets, and the descriptors that are passed with them. The server uses these
 * functions, and so do clients, to which the rules of client.h apply. */
#ifndef SIM_SERVE_WIRE_H
#define SIM_SERVE_WIRE_H

#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>
#include "sim/serve/proto.h"

/* Room for the descriptor of a packet. If an int is shorter than a size_t, the padding has room for a second
 * one. */
union sim_wire_control {
	struct cmsghdr header; /* for its alignment */
	char bytes[CMSG_SPACE(sizeof(int))];
};

/* Returns the last descriptor that came with a packet, and closes the others; -1: none came. */
int sim_wire_passed(struct msghdr *message);
/* Passes fd with a packet. */
void sim_wire_pass(struct msghdr *message, union sim_wire_control *control, int fd);

/* Reads the first len bytes of a descriptor's file. 0; -EIO: the file is shorter, or cannot be read. */
int sim_wire_read(int fd, uint8_t *data, size_t len);
/* Reads them like sim_wire_read() into memory that the caller frees. The size of the file is checked before
 * memory is allocated. NULL: the file is shorter, it cannot be read, or there is no memory. */
uint8_t *sim_wire_take(int fd, size_t len);
/* Returns a descriptor of a memfd with len bytes of data, or -errno. */
int sim_wire_file(const void *data, size_t len);
/* If a message, its header and the bytes before it are too long for a packet, sets *fd to a descriptor of a
 * file with the message, and PROTO_PASSED in head; otherwise sets *fd to -1. The caller closes *fd. 0;
 * -errno. */
int sim_wire_long(struct proto_mad *head, const void *message, size_t before, int *fd);

/* Sends a packet of one or two parts, and passes fd with it unless fd is -1. Does not block. 0; -errno. */
int sim_wire_send(int socket, const void *a, size_t a_len, const void *b, size_t b_len, int fd);
/* Sends a message of head->len bytes on a data socket. Does not block. 0; -errno. */
int sim_wire_send_mad(int socket, struct proto_mad *head, const void *message);

#endif
