/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The kernel of each host: what ib_mad and ib_umad do between programs and their port.
 * Every end port of the fabric has one. A program opens a umad device (a file), registers
 * agents there, sends and receives; tests/kernel/FACTS tells what a real kernel does, and
 * a host does the same: who takes which methods, transaction IDs, timeouts and retries,
 * RMPP, refusals, limits.
 *
 * Like the fabric it is told what time it is and never blocks.
 */
#ifndef SIM_HOST_HOST_H
#define SIM_HOST_HOST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <madkit/addr.h>
#include "sim/fabric/fabric.h"

/* Of a kernel with HZ=250, such as Debian's. */
#define HOST_TICK_NS UINT64_C(4000000)

enum {
	HOST_QUEUE_MAX = 200001,      /* received MADs that a file keeps */
	HOST_AGENTS_MAX = 32,         /* of a file */
	HOST_OUIS_MAX = 8,            /* of a class version */
	HOST_MESSAGE_MAX = 256 << 20, /* that comes by RMPP; a kernel has no such limit */
};

struct hosts;
struct host_file;

/* seed: of what a kernel has at random. queue_max: MADs that a file keeps, 0: HOST_QUEUE_MAX. NULL: no memory. The
 * fabric has to live longer. */
struct hosts *hosts_new(struct fabric *f, uint64_t seed, uint32_t queue_max);
/* Sets the length of a tick, at which timers expire (timer.c). 0, the default: timers are exact. */
void hosts_set_tick(struct hosts *hosts, uint64_t tick_ns);
/* Closes all files. */
void hosts_free(struct hosts *hosts);

/* What the fabric's watcher is told: a MAD has come to an end port. */
void hosts_arrive(struct hosts *hosts, uint32_t node, unsigned int port, const struct fabric_head *head,
		  const uint8_t *mad);
/* Reports an event of a program to the fabric's watcher. */
void hosts_report(struct hosts *hosts, const struct sim_event *event);
/* When a timeout, a retry or RMPP is due; UINT64_MAX: nothing is. */
uint64_t hosts_deadline(const struct hosts *hosts);
void hosts_process(struct hosts *hosts, uint64_t now);

/* ---- a umad device ----------------------------------------------------------------- */

/* readable (may be NULL) is called when the first message stands in the queue, from within
 * any call of hosts or fabric; it may call host_next() and host_pop() and nothing
 * else. 0; -EINVAL: no such end port; -ENOMEM. */
int host_open(struct hosts *hosts, uint32_t node, unsigned int port, void (*readable)(void *context),
	      void *context, struct host_file **file);
/* Limits a file to the queue pairs that its device has. Call it before the first registration. */
enum host_reach {
	HOST_QP0 = 1,  /* SMPs */
	HOST_QP1 = 2,  /* all other MADs */
	HOST_ROCE = 4, /* not a port of the fabric: packets are dropped, and a send needs a GRH */
};
void host_file_limit(struct host_file *file, unsigned int reach);
/* Ends agents and all that is in flight, untold. NULL is fine. */
void host_close(struct host_file *file);

/* What a registration says (struct ib_user_mad_reg_req2). */
struct host_agent {
	uint8_t mgmt_class; /* 0: only sends, and what answers it, of any class */
	uint8_t class_version;
	uint8_t rmpp_version;
	uint32_t oui;
	uint32_t flags; /* MADKIT_AGENT_USER_RMPP: 1 */
	uint64_t method_mask[2];
};
enum { HOST_FLAGS = 1 }; /* those that are known */

/* 0 with *id; -EINVAL, -ENOMEM as the kernel says it; -EPROTONOSUPPORT: the port lacks the queue pair. */
int host_register(struct host_file *file, const struct host_agent *agent, uint32_t *id);
/* 0; -EINVAL: there is none. */
int host_unregister(struct host_file *file, uint32_t id);

/* write(): len bytes of MAD or, on an agent with kernel RMPP, of a message. What comes of
 * it happens at the next fabric_process(). Of to the LID, GRH, SL, path bits and the places
 * of keys and GIDs count; a directed route stands in the MAD. A timeout_ms above INT32_MAX, a
 * negative one of the kernel's, does not expire. 0; -EIO no such agent; -EINVAL,
 * as tests/kernel/FACTS says, and for a route, P_Key or GID that the port does not have;
 * -ENOMEM. */
int host_send(struct host_file *file, uint32_t id, const struct madkit_addr *to, const uint8_t *mad,
	      size_t len, uint32_t timeout_ms, uint32_t retries, uint64_t now);

/* What stands first in a file's queue. */
struct host_message {
	uint32_t id; /* of the agent */
	int status;  /* 0, or a positive errno: a send that came back */
	struct madkit_addr from;
	const uint8_t *mad; /* the file's, until host_pop() */
	size_t len;
};
/* False: the queue is empty. */
bool host_next(const struct host_file *file, struct host_message *message);
void host_pop(struct host_file *file);

/* ---- issm -------------------------------------------------------------------------- */

/* Opens an issm device, which sets IsSM in the port's capability mask. 0; -EINVAL; -ENOMEM;
 * -EAGAIN: somebody has it open. */
int host_issm_open(struct hosts *hosts, uint32_t node, unsigned int port);
void host_issm_close(struct hosts *hosts, uint32_t node, unsigned int port);

#endif
