/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Shared by the programs that test a kernel's umad: an open port with an agent, MADs of a vendor class, a
 * process that responds. */
#ifndef TESTS_KERNEL_UMAD_END_H
#define TESTS_KERNEL_UMAD_END_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <infiniband/umad.h>

#include "tests/kernel/basics.h"

enum {
	CLASS = 0x32, /* vendor range 2: has an OUI and may have RMPP */
	OUI = 0x5a0001,
	SERVER_OUI = 0x5a0002, /* of the echoing process */
	METHOD_GET = 0x01,
	METHOD_SEND = 0x03,
	METHOD_ASK = 0x10, /* none of IBA's: the kernel does not answer it by itself */
	RESPONSE = 0x80,
	MAD_SIZE = 256,
	HEADER = 40, /* of a vendor range 2 MAD with its OUI */
	SEGMENT = MAD_SIZE - HEADER,
};

struct end {
	int fd;
	uint32_t agent;
};

/* For the ioctl's macro in umad.h, which has no such structure; the kernel's header does not go with it. */
struct ib_user_mad_reg_req2 {
	uint32_t id;
	uint32_t qpn;
	uint8_t mgmt_class;
	uint8_t mgmt_class_version;
	uint16_t res;
	uint32_t flags;
	uint64_t method_mask[2];
	uint32_t oui;
	uint8_t rmpp_version;
	uint8_t reserved[3];
};

/* Port 1 of ca; an agent for CLASS on it that takes method, 0 for a client. */
int umad_end_open_port(const char *ca);
struct umad_reg_attr umad_end_attr(uint32_t oui, uint8_t method, uint8_t rmpp_version);
struct end open_end(const char *ca, uint32_t oui, uint8_t method, uint8_t rmpp_version);
/* The same, for a program that does RMPP itself: UMAD_USER_RMPP. */
struct end umad_end_open_by_hand(const char *ca, uint32_t oui);
void close_end(struct end end);

/* A buffer for length bytes of MAD; free it with umad_free. */
void *new_umad(size_t length);
void address_gid(void *umad, const void *gid);
void address_device(void *umad, const char *ca);
void fill_mad(void *umad, uint32_t oui, uint8_t method, uint64_t tid);
void fill_rmpp(void *umad);
/* A request of one MAD for ca. */
void *umad_end_request(const char *ca, uint32_t oui, uint8_t method, uint64_t tid);

/* umad_send, 0 or the errno that it leaves; anything but -EIO with it ends the test. */
int send_errno(struct end end, void *umad, int length, int timeout_ms, int retries);
/* umad_register2 with nothing but its result. */
int register_errno(int fd, struct umad_reg_attr attr);

/* A process on ca that sends every METHOD_ASK of SERVER_OUI back as its answer; end it
 * with child_stop(). */
pid_t echo_start(const char *ca);

#endif
