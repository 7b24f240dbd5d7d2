/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Packets of the protocol on sockets, and descriptors that go with them: for the server, and by the rules of client.h
 * for clients. */
#ifndef SIM_SERVE_WIRE_H
#define SIM_SERVE_WIRE_H

#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>
#include "sim/serve/proto.h"

/* Room for the descriptor of a packet. Padding makes room for a second one where an int is shorter
 * than a size_t. */
union sim_wire_control {
	struct cmsghdr header; /* for its alignment */
	char bytes[CMSG_SPACE(sizeof(int))];
};

/* Returns the last descriptor that came with a packet and closes the others; -1: none came. */
int sim_wire_passed(struct msghdr *message);
/* Has fd go with a packet. */
void sim_wire_pass(struct msghdr *message, union sim_wire_control *control, int fd);

/* Reads the first len bytes that a descriptor holds. 0; -EIO: they are not there. */
int sim_wire_read(int fd, uint8_t *data, size_t len);
/* The same into memory that is allocated once they have been seen to be there; NULL: they are
 * not, or no memory. */
uint8_t *sim_wire_take(int fd, size_t len);
/* A descriptor of a file without a name that holds them, or -errno. */
int sim_wire_file(const void *data, size_t len);
/* If a message, its header and the bytes before that are too long for a packet, *fd is a descriptor of the message,
 * which head says; else it is -1. 0; -errno. */
int sim_wire_long(struct proto_mad *head, const void *message, size_t before, int *fd);

/* Sends a packet of up to two parts, with fd unless that is -1, without waiting. 0; -errno. */
int sim_wire_send(int socket, const void *a, size_t a_len, const void *b, size_t b_len, int fd);
/* Sends a message of head->len bytes on a data socket, without waiting. 0; -errno. */
int sim_wire_send_mad(int socket, struct proto_mad *head, const void *message);

#endif
