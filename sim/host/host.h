/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The kernel of each host: it does for programs what Linux's ib_mad and ib_umad do. Every end port of the
 * fabric can have a host. A program opens a umad device (a file), registers agents on it, and sends and
 * receives MADs. A host behaves like the real kernel described in tests/kernel/FACTS: the assignment of
 * methods to agents, transaction IDs, timeouts and retries, RMPP, errors and limits.
 *
 * Like the fabric, a host gets the current time from its caller and never blocks.
 */
#ifndef SIM_HOST_HOST_H
#define SIM_HOST_HOST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <madkit/addr.h>
#include "sim/fabric/fabric.h"

/* The timer tick of a kernel with HZ=250, such as Debian's. */
#define HOST_TICK_NS UINT64_C(4000000)

enum {
	HOST_QUEUE_MAX = 200001,      /* received MADs queued in a file */
	HOST_AGENTS_MAX = 32,         /* per file */
	HOST_OUIS_MAX = 8,            /* per class and version */
	HOST_MESSAGE_MAX = 256 << 20, /* bytes received by RMPP; the kernel has no such limit */
};

struct hosts;
struct host_file;

/*
 * Returns NULL if out of memory. seed determines the numbers that a real kernel chooses at random.
 * queue_max is the number of received MADs that a file can hold; 0 means HOST_QUEUE_MAX. The fabric must
 * outlive the hosts.
 */
struct hosts *hosts_new(struct fabric *f, uint64_t seed, uint32_t queue_max);
/* Sets the length of a timer tick in ns (timer.c). With 0, the default, timers are exact. */
void hosts_set_tick(struct hosts *hosts, uint64_t tick_ns);
/* Closes all files. NULL is allowed. */
void hosts_free(struct hosts *hosts);

/* Delivers a MAD to an end port. The fabric's watcher calls it when a MAD arrives (fabric_watcher.arrive). */
void hosts_arrive(struct hosts *hosts, uint32_t node, unsigned int port, const struct fabric_head *head,
		  const uint8_t *mad);
/* Reports a program's event to the fabric's watcher. */
void hosts_report(struct hosts *hosts, const struct sim_event *event);
/* Returns the time (ns) at which a timeout, a retry or RMPP is due; UINT64_MAX if nothing is due. */
uint64_t hosts_deadline(const struct hosts *hosts);
void hosts_process(struct hosts *hosts, uint64_t now);

/* ---- a umad device ----------------------------------------------------------------- */

/*
 * Opens the umad device of an end port. readable (may be NULL) is called when a message is added to an
 * empty queue, from within any call of hosts or fabric. It may call host_next() and host_pop() and nothing
 * else. Returns 0, -EINVAL if there is no such end port, or -ENOMEM.
 */
int host_open(struct hosts *hosts, uint32_t node, unsigned int port, void (*readable)(void *context),
	      void *context, struct host_file **file);
/* Limits a file to the queue pairs that its device has. Call it before the first registration. */
enum host_reach {
	HOST_QP0 = 1,  /* SMPs */
	HOST_QP1 = 2,  /* all other MADs */
	HOST_ROCE = 4, /* not a port of the fabric: packets are dropped, and a send needs a GRH */
};
void host_file_limit(struct host_file *file, unsigned int reach);
/* Closes a file. Its agents end, and outstanding sends are dropped without a report. NULL is allowed. */
void host_close(struct host_file *file);

/* A registration, as in struct ib_user_mad_reg_req2. */
struct host_agent {
	uint8_t mgmt_class; /* 0: receives no requests, only responses to its sends, of any class */
	uint8_t class_version;
	uint8_t rmpp_version;
	uint32_t oui;
	uint32_t flags; /* MADKIT_AGENT_USER_RMPP (1) */
	uint64_t method_mask[2];
};
enum { HOST_FLAGS = 1 }; /* the known flags */

/* Returns 0 and sets *id; -EINVAL or -ENOMEM for the same reasons as the kernel; -EPROTONOSUPPORT if the
 * device does not have the queue pair. */
int host_register(struct host_file *file, const struct host_agent *agent, uint32_t *id);
/* Returns 0, or -EINVAL if there is no such agent. */
int host_unregister(struct host_file *file, uint32_t id);

/*
 * host_send() sends len bytes, as write() does: a MAD or, on an agent with kernel RMPP, a message. The packets move at
 * the next fabric_process(). The LID, QP number, GRH, SL, path bits, P_Key index and GID index are taken
 * from to, whose Q_Key is ignored; a directed route is taken from the MAD. A timeout_ms above INT32_MAX,
 * which the kernel takes as negative, does not expire. Returns 0; -EIO if there is no such agent; -EINVAL
 * for the reasons in tests/kernel/FACTS, and if the port does not have the directed route, P_Key index or
 * GID index; -ENOMEM.
 */
struct host_out {
	uint32_t id; /* of the agent */
	const struct madkit_addr *to;
	const uint8_t *mad;
	size_t len;
	uint32_t timeout_ms, retries;
};
int host_send(struct host_file *file, const struct host_out *out, uint64_t now);

/* The first message in a file's queue. */
struct host_message {
	uint32_t id; /* of the agent */
	int status;  /* 0, or a positive errno if this is a send that failed */
	struct madkit_addr from;
	const uint8_t *mad; /* owned by the file, valid until host_pop() */
	size_t len;
};
/* Gets the first message without removing it. Returns false if the queue is empty. */
bool host_next(const struct host_file *file, struct host_message *message);
void host_pop(struct host_file *file);

/* ---- issm -------------------------------------------------------------------------- */

/* Opens the port's issm device, which sets IsSM in the port's capability mask. Returns 0; -EINVAL if there
 * is no such end port; -ENOMEM; -EAGAIN if the device is already open. */
int host_issm_open(struct hosts *hosts, uint32_t node, unsigned int port);
void host_issm_close(struct hosts *hosts, uint32_t node, unsigned int port);

#endif
