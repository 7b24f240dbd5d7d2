/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Shared by the programs that drive the library on a real kernel: a port with an agent, requests of a
 * vendor class, a process that responds to them. */
#ifndef TESTS_KERNEL_AGENT_END_H
#define TESTS_KERNEL_AGENT_END_H

#include <madkit/madkit.h>

#include "tests/kernel/basics.h"

enum {
	CLASS = 0x32, /* vendor range 2: has an OUI and may have RMPP */
	OUI = 0x5a0001,
	SERVER_OUI = 0x5a0002, /* of the process that answers */
	METHOD_ASK = 0x10,     /* none of IBA's: the kernel does not answer it by itself */
	HEADER = 40,           /* of a vendor range 2 MAD with its OUI */
	SEGMENT = MADKIT_MAD_BYTES - HEADER,
	RMPP_KERNEL = 1,
	RMPP_USER = 2,    /* the test sees the segments themselves */
	RMPP_LIBRARY = 3, /* the library's own */
};

/* The action that the attribute of an ASK requests from the server. */
enum {
	ATTR_ECHO = 1, /* send it back */
	ATTR_SILENT,   /* nothing, but remember it */
	/* two numbers of 4 bytes: the number of ignored requests since the last report, and of their TIDs */
	ATTR_TELL,
	ATTR_SOURCE, /* the GID it came from */
	/* the first request since the last report is answered with status BUSY, the next one is sent back */
	ATTR_BUSY,
	ATTR_LATE, /* each is sent back when the next one arrives, and remembered */
};

/* A port with an agent, and what happened there. */
struct end {
	struct madkit_port *port;
	struct madkit_agent *agent;
	unsigned int ended;       /* sends */
	int status;               /* of the latest */
	unsigned int came;        /* MADs to the receive handler */
	struct madkit_recv *recv; /* the latest of these, which end_close() frees */
};

/* "umad:rxe0": the port. */
struct madkit_port *agent_end_open_port(const char *spec);
/* A registration for CLASS that takes method, 0: none. */
struct madkit_agent_attr agent_end_attr(uint32_t oui, uint8_t method, int rmpp);
struct end *end_open(const char *spec, uint32_t oui, uint8_t method, int rmpp);
void end_close(struct end *end);

/* Waits and processes until *counter, one of end's, has come to wanted. False: not in time, or an error. */
bool agent_end_drive(struct end *end, const unsigned int *counter, unsigned int wanted);

/* The GID that rxe0 or rxe1 has at index 0. */
void gid_of(const char *ca, uint8_t gid[16]);
/* A request of len bytes to the GID of ca, of OUI, method and attribute; nothing in its data. */
struct madkit_send *agent_end_request(const char *ca, uint32_t oui, uint8_t method, uint16_t attribute,
				      size_t len, uint32_t timeout_ms, uint32_t retries);
void agent_end_post(struct end *end, struct madkit_send *send);

/* A process on ca that answers as the attributes say; end it with child_stop(). */
pid_t server_start(const char *ca);
/* The same, with the library's RMPP in place of the kernel's. */
pid_t library_server_start(const char *ca);
/* The same on a UD queue pair; its address from here, Q_Key included. */
pid_t qp_server_start(const char *ca, uint32_t qkey, struct madkit_addr *to);

/* The effect of netem on packets in both directions; rxe does not resend UD messages. */
enum { BAD_NETWORKS = 4 };
extern const char *const bad_networks[BAD_NETWORKS];
/* From now on; "": nothing. */
void agent_end_netem(const char *what);

/* Makes an echo by RMPP of this many bytes of data. Returns "" or the error. to: NULL is rxe1's QP 1. */
const char *agent_end_echo(struct end *client, const struct madkit_addr *to, size_t data, uint32_t timeout_ms,
			   uint32_t retries);

#endif
