/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Types of a host's kernel, and the functions that its source files share. Names follow Linux:
 * drivers/infiniband/core/mad.c, mad_rmpp.c and user_mad.c. */
#ifndef SIM_HOST_INTERNAL_H
#define SIM_HOST_INTERNAL_H

#include <madkit/rmpp.h>
#include <madkit/rmpp_transfer.h>
#include "sim/host/host.h"
#include "util/heap.h"
#include "util/list.h"
#include "util/table.h"
#include "util/time.h"

enum {
	HOST_METHODS = 128,
	HOST_MAD_LEAST = 36, /* shortest MAD in a write(): IB_MGMT_RMPP_HDR */
};

/* The agents that receive the methods of a class and version and, for a vendor class, an OUI. */
struct methods {
	struct methods *next;
	uint8_t mgmt_class, class_version;
	uint32_t oui;
	unsigned int count;
	struct agent *agent[HOST_METHODS];
};

struct host {
	struct hosts *hosts;
	struct port *port;
	struct list files;
	struct methods *methods; /* most recently used first */
	uint32_t agents;         /* counter for high_tid */
	bool issm;
};

struct agent {
	struct host_file *file;
	struct list sends, recvs;
	struct host_agent reg;
	uint32_t id;
	uint32_t high_tid;
	uint32_t qp;
	bool kernel_rmpp;
};

/* A message in a file's queue, or one that is to be queued. */
struct message {
	struct message *next;
	struct host_message out; /* as host_next() returns it; out.mad points to bytes */
	size_t size;             /* capacity of bytes */
	uint8_t bytes[];
};

struct host_file {
	struct list link;
	struct host *host;
	struct agent *agents[HOST_AGENTS_MAX];
	struct message *first, **end;
	unsigned int reach; /* enum host_reach */
	uint32_t queued;
	uint64_t lost;
	void (*readable)(void *context);
	void *context;
};

/* An object with a deadline, at which due() is called. */
struct timed {
	struct heap_link link;
	void (*due)(struct timed *timed);
};

/* A send that has been posted and not completed: awaiting a response, an ACK or its timeout. */
struct send {
	struct timed timed;
	struct list of_agent;
	struct agent *agent;
	struct send *next; /* in the list of spare sends */
	struct madkit_addr to;
	struct fabric_head head;
	uint64_t tid;
	uint64_t timeout;              /* ns; UINT64_MAX: waits for a response indefinitely */
	uint32_t retries, max_retries; /* remaining; as posted */
	bool response;
	bool hashed;                   /* is in hosts->sends */
	uint8_t mad[MADKIT_MAD_BYTES]; /* RMPP: the first bytes of the message */
	/* RMPP only */
	uint8_t *message; /* NULL: not a message of the kernel's RMPP */
	struct madkit_rmpp_segments segments;
	uint32_t count;   /* number of segments; 0: not RMPP */
	uint32_t segment; /* last segment sent */
	uint32_t acked;
	uint32_t window_last;
	bool stale; /* the timeout has been overwritten with a time, as by Linux: see rmpp_await_ack() */
};

struct hosts {
	struct fabric *f;
	uint64_t seed;
	uint32_t queue_max;
	struct host **at;      /* by fabric port; NULL: no host */
	struct table agents;   /* by host and high_tid */
	struct table recvs;    /* struct recv: RMPP messages being received */
	struct table sends;    /* by TID */
	struct heap deadlines; /* of sends and of RMPP messages being received */
	size_t ntimed;
	struct send *spare_sends;
	struct message *spare_messages;
	unsigned int nspare;
	uint64_t now;
	uint64_t tick; /* ns; 0: timers are exact */
};

/* ---- timer.c: the clock of a kernel -------------------------------------------------- */

/* Returns the time (ns) at which a timer of length ns expires if it starts now. */
uint64_t host_timer_end(const struct hosts *hosts, uint64_t length);

/* Returns NULL if the port has no host. */
static inline struct host *host_at(const struct hosts *hosts, const struct port *port)
{
	return hosts->at[port - hosts->f->ports];
}

/* ---- agent.c: registration and dispatch ---------------------------------------- */

static inline struct agent *host_agent_find(const struct host_file *file, uint32_t id)
{
	return id < HOST_AGENTS_MAX ? file->agents[id] : NULL;
}
/* Returns the agent that receives a MAD arriving at the port, or NULL if there is none. */
struct agent *host_agent_of(struct host *host, const uint8_t *mad);
void host_agent_free(struct agent *agent);

/* ---- address.c: umad addresses and packet headers --------------------------------- */

/* Makes the headers of a packet to a umad address. Returns 0, or -EINVAL if the port does not have the
 * P_Key index or GID index. */
int host_head_make(const struct agent *agent, const struct madkit_addr *to, struct fabric_head *head);
/* Fills in the source address of a MAD as umad does. Returns false if the destination GID is not one of
 * the port's. */
bool host_head_read(const struct host *host, const struct fabric_head *head, struct madkit_addr *from);
/* Makes the headers of the response to a packet. */
void host_head_answer(const struct port *port, const struct fabric_head *head, struct fabric_head *answer);

/* ---- queue.c: received messages of a file ------------------------------------------ */

/* Returns NULL if out of memory, which is reported as a drop. */
struct message *host_message_new(struct hosts *hosts, size_t size);
void host_message_free(struct hosts *hosts, struct message *m);
/* Adds a message to the queue of the agent's file, or drops it if the queue is full. Takes ownership of it
 * in either case. */
void host_message_put(struct agent *agent, struct message *m);

static inline bool host_is_active_rmpp(const uint8_t *mad)
{
	return madkit_class_is_rmpp(mad[MADKIT_MAD_CLASS]) &&
	       (madkit_rmpp_get_flags(mad) & MADKIT_RMPP_ACTIVE);
}

/* ---- outstanding.c ----------------------------------------------------------------- */

/* Sends a MAD out of the port. A MAD that no receiver would accept is dropped here and reported. Returns 0
 * or -ENOMEM. */
int host_transmit(struct hosts *hosts, const struct port *port, const struct fabric_head *head,
		  const uint8_t *mad);
/* The same with the headers of a send. On a RoCE device the packet is discarded. */
int host_send_transmit(const struct send *s, const uint8_t *mad);
/* Returns the outstanding send that a MAD answers (ib_find_send_mad()), or NULL. */
struct send *host_send_find(const struct agent *agent, const struct fabric_head *head, const uint8_t *mad);
/* Returns NULL if out of memory. */
struct send *host_send_new(struct hosts *hosts);
/* Ends a send without reporting it. */
void host_send_free(struct send *s);
/* Returns the time at which the send's timeout expires if it starts now, or UINT64_MAX if it has none. */
static inline uint64_t host_send_deadline(const struct send *s, const struct hosts *hosts)
{
	return s->timeout == UINT64_MAX ? UINT64_MAX : host_timer_end(hosts, s->timeout);
}

/* ---- rmpp.c: sending messages ------------------------------------------------------ */

/* A complete received message, owned by the caller, and the headers of its first segment. */
struct rmpp_whole {
	struct message *message;
	struct fabric_head head;
};

/* Copies a message and splits it into segments, with the headers of s->mad. Returns 0, -EINVAL or -ENOMEM. */
int host_rmpp_prepare(struct send *s, const uint8_t *message, size_t len);
/* Sends the first segment or, of a response, the first window. Returns 0 or -ENOMEM. */
int host_rmpp_begin(struct send *s);
/* Resends the unacknowledged segments. Returns false if all segments have been acknowledged. */
bool host_rmpp_again(struct send *s);
/* Handles an RMPP packet for an agent with kernel RMPP. If it completes a message, whole->message is set.
 * Returns false if the packet is unexpected. */
bool host_rmpp_arrive(struct agent *agent, const struct fabric_head *head, const uint8_t *mad,
		      struct rmpp_whole *whole);

/* ---- rmpp_receive.c: receiving messages ---------------------------------------------- */

/* Replies to a packet, received with the headers to, with an ACK, STOP or ABORT. */
void host_rmpp_reply(const struct agent *agent, const struct fabric_head *to, const uint8_t *mad,
		     uint8_t type, uint8_t status, uint32_t segment, uint32_t window);
bool host_rmpp_data(struct agent *agent, const struct fabric_head *head, const uint8_t *mad,
		    struct rmpp_whole *whole);
/* Handles an ACK of segment 0 for a received request: stores the window for its response. Returns false if
 * there is no such request. */
bool host_rmpp_turned(const struct agent *agent, const struct fabric_head *head, const uint8_t *mad,
		      uint32_t window);
/* Returns the window with which a response begins: the one stored by host_rmpp_turned(), or 1. */
uint32_t host_rmpp_response_window(const struct send *s);
void host_rmpp_free_all(struct agent *agent);

#endif
