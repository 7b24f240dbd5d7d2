/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * One suite for every fabric that the library is tested on: a real kernel, ibsim with opensm, and madsim.
 * Each case states its needs, each place its capabilities; each case runs on all places that meet its needs.
 * ONLY-HERE lists the cases that can run on madsim only, with the reason. The cases use only the public
 * headers.
 */
#ifndef TESTS_CONFORMANCE_H
#define TESTS_CONFORMANCE_H

#include <inttypes.h>
#include <setjmp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <madkit/madkit.h>
#include "tests/bytes.h"
#include "util/array_size.h"

/* Capabilities of a place. */
enum {
	SERVER = 1 << 0, /* somebody answers on another port, see server.c */
	PEER = 1 << 1,   /* another port is ours, too, in the same process */
	UMAD = 1 << 2,   /* the kernel's ib_umad and ib_mad: who may register what and gets what, timeouts */
	RMPP = 1 << 3,   /* ... and its RMPP */
	CM = 1 << 4,     /* ... and its connection manager */
	ROCE = 1 << 5,   /* MADs travel over Ethernet: by GID, without QP 0 */
	SMI = 1 << 6,    /* QP 0 and the fabric of data/topologies/small.net, this port being node3's */
	PM = 1 << 7,     /* its nodes have PerfMgt agents */
	SA = 1 << 8,     /* a subnet manager has brought it up, and answers queries with one MAD */
	TABLES = 1 << 9, /* ... and with tables of any length */
	IBA = 1 << 10,   /* and where the IBA wants what ibsim and opensm leave out, that, too */
	FILES = 1 << 11, /* a device that is opened twice is the same, as by two programs */
	CAPABILITIES = 12,
};

struct place {
	const char *name;
	bool ours;          /* passing on this place only proves nothing */
	const char *device; /* unless the command line says otherwise */
	const char *peer;
	unsigned int has;
};

struct run;

struct test {
	const char *name;
	unsigned int needs;
	void (*run)(struct run *);
	const void *arg; /* run->arg */
};

/* The cases, a list for each file. */
struct tests {
	const struct test *list;
	size_t count;
};
#define TESTS(name, array) const struct tests name = { array, ARRAY_SIZE(array) }

extern const char *const capability_names[CAPABILITIES];
extern const struct place places[];
extern const size_t nplaces;
extern const struct tests *const all_tests[];
extern const size_t nall_tests;

/* ---- a run of one case ----------------------------------------------------------------- */

enum {
	PATIENCE = 60000, /* ms, for what must come */
	ENDS_MAX = 64,
	SENDS_MAX = 256,
	PORTS_MAX = 8,
	KEPT_MAX = 128,
};

/* Where an agent is, or a MAD goes. */
enum side { HERE, THERE };

/* An agent, and what happened to it. */
struct end {
	struct madkit_port *port;
	struct madkit_agent *agent;
	enum side side;
	unsigned int ended;                 /* sends */
	int status;                         /* of the latest */
	unsigned int came;                  /* MADs to the receive handler ... */
	struct madkit_recv *recv[KEPT_MAX]; /* ... the first of them, which end with the case */
};

struct run {
	const struct place *place;
	const char *device[2]; /* [HERE], [THERE] (NULL: none of ours) */
	uint32_t server_lid;   /* of a server in another process */
	const void *arg;
	/* of the present case */
	bool failed;
	jmp_buf out;
	struct madkit_port *port[PORTS_MAX]; /* the first two are the sides' */
	unsigned int nports;
	struct end *end[ENDS_MAX];
	unsigned int nends;
	struct madkit_send *send[SENDS_MAX];
	unsigned int nsends;
	struct server *server;
};

/* Failures are reported as comments; after check() the case continues, need() ends it. */
bool check_at(struct run *r, bool good, const char *file, int line, const char *format, ...)
	__attribute__((format(printf, 5, 6)));
bool equal_at(struct run *r, uint64_t got, uint64_t want, const char *file, int line, const char *format, ...)
	__attribute__((format(printf, 6, 7)));
void give_up(struct run *r) __attribute__((noreturn));
#define check(r, good, ...) check_at(r, good, __FILE__, __LINE__, __VA_ARGS__)
#define equal(r, got, want, ...) \
	equal_at(r, (uint64_t)(int64_t)(got), (uint64_t)(int64_t)(want), __FILE__, __LINE__, __VA_ARGS__)
#define need(r, good, ...) \
	do { \
		if (!check(r, good, __VA_ARGS__)) \
			give_up(r); \
	} while (0)

/* Runs it. False: it failed, and said how. */
bool run_test(struct run *r, const struct test *test);

/* The side's port, opened when it is first wanted; another one at the same device. */
struct madkit_port *port_of(struct run *r, enum side side);
struct madkit_port *another_port(struct run *r, enum side side);

/* An agent at a side's port; it must be taken. */
struct end *take(struct run *r, enum side side, const struct madkit_agent_attr *attr);
struct end *take_on(struct run *r, struct madkit_port *port, enum side side,
		    const struct madkit_agent_attr *attr);
/* How a registration went. */
int attempt(struct run *r, enum side side, const struct madkit_agent_attr *attr,
	    struct madkit_refusal *refusal);

/* Waits and processes all ports until *counter has come to wanted; ends the case where it does not. */
void drive(struct run *r, const unsigned int *counter, unsigned int wanted);
/* Waits until a port has something to do, which is not done. */
void await(struct run *r, struct madkit_port *port);

/* How the port of a side is addressed from another one, or itself. */
struct madkit_addr address_of(struct run *r, enum side side);

/* A send that ends with the case. */
struct madkit_send *new_send(struct run *r, size_t len, const struct madkit_header *h,
			     const struct madkit_addr *to);
void post(struct run *r, struct end *end, struct madkit_send *send);
/* Posts, and waits for its end: end->status. The response, or NULL. */
const struct madkit_recv *ask(struct run *r, struct end *end, struct madkit_send *send);
/* The latest that came. */
const struct madkit_recv *latest(struct run *r, const struct end *end);
/* The response to what came, as long, with the request's bytes. */
struct madkit_send *response_to(struct run *r, const struct madkit_recv *recv);

uint64_t case_now_ms(struct run *r);

/* ---- MADs of a vendor, and who answers them (vendor.c, server.c) ----------------------- */

enum {
	VENDOR = 0x32,         /* a class with an OUI and RMPP */
	OUI = 0x5a0001,        /* of the case itself */
	SERVER_OUI = 0x5a0002, /* of the server */
	ASK = 0x10,            /* a method that the IBA does not define: no kernel responds to it */
	HEADER = 40,           /* of such a MAD with its OUI */
	SEGMENT = MADKIT_MAD_BYTES - HEADER,
	SURE = 224, /* the bytes of a MAD that ibsim keeps */
};

/* How an agent does RMPP. */
enum rmpp { NO_RMPP, KERNEL_RMPP, USER_RMPP, LIBRARY_RMPP };

/* The action that the attribute requests from the server. */
enum {
	ECHO = 0x10, /* sends it back */
	SILENT,      /* keeps silent, and remembers it */
	/* returns the number of ignored requests since the last report, and of their TIDs: two numbers of
	 * 4 bytes */
	TELL,
	/* the first request since the last report is answered with status BUSY, others as with ECHO */
	BUSY,
	THIRD,       /* ... the first two are not answered */
	LATE,        /* each is answered when the next one arrives, and remembered as with SILENT */
	MIRROR_FROM, /* puts the LID that it came from into the data */
};

struct madkit_agent_attr vendor_attr(uint32_t oui, uint8_t method, enum rmpp rmpp);
/* A request of that OUI, with random data. */
struct madkit_send *vendor_send(struct run *r, size_t len, uint32_t oui, uint8_t method, uint16_t attribute,
				const struct madkit_addr *to);
/* Makes sure that there is a server, and says where. */
struct madkit_addr server(struct run *r, enum rmpp rmpp);
/* The same with an agent of the given attributes; the attribute of a request selects the response. */
struct madkit_addr server_of(struct run *r, enum side side, const struct madkit_agent_attr *attr);
void case_server_end(struct run *r);
/* A process that does nothing else; prints "ready LID" first. Returns only with an error. */
int case_serve(const char *device);

/* ---- attributes by their names (attribute.c) ------------------------------------------- */

/* A request for an attribute of the tables ("PortInfo", "PerfMgt:ClassPortInfo") of a class; for the SA with
 * its agent's address and an empty component mask. */
struct madkit_send *attribute_send(struct run *r, uint8_t mgmt_class, uint8_t method, const char *attribute,
				   uint32_t modifier, const struct madkit_addr *to);
/* Sets a field of it; in SA records its bit of the component mask, too. */
void set(struct run *r, struct madkit_send *send, const char *field, const char *text);
void set_number(struct run *r, struct madkit_send *send, const char *field, uint64_t value);
/* A field's value in what came: of its first record, or of the n-th. */
uint64_t value(struct run *r, const struct madkit_recv *recv, const char *field);
uint64_t value_of(struct run *r, const struct madkit_recv *recv, unsigned int record, const char *field);
unsigned int records(const struct madkit_recv *recv);
/* The string at the beginning of the data, for NodeDescription. */
const char *text_at(const struct madkit_recv *recv, size_t offset, char text[65]);
uint16_t status_of(const struct madkit_recv *recv);

#endif
