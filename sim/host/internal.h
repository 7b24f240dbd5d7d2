/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The nouns of a host's kernel, and what its parts have for each other. Words of it are
 * those of Linux: drivers/infiniband/core/mad.c, mad_rmpp.c and user_mad.c. */
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
	HOST_MAD_LEAST = 36, /* of a write(): IB_MGMT_RMPP_HDR */
};

/* Who takes the methods of a class, its version and, of a vendor's class, its OUI. */
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
	struct methods *methods; /* the latest used first */
	uint32_t agents;         /* that there were */
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

/* What stands in a queue, or is to. */
struct message {
	struct message *next;
	struct host_message out; /* as host_next() has it; its mad is: */
	size_t size;             /* of bytes, all of them */
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

/* What something is due for. */
struct timed {
	struct heap_link link;
	void (*due)(struct timed *timed);
};

/* What is sent, until it is answered or nobody waits any more. */
struct send {
	struct timed timed;
	struct list of_agent;
	struct agent *agent;
	struct send *next; /* of the spare ones */
	struct madkit_addr to;
	struct fabric_head head;
	uint64_t tid;
	uint64_t timeout;              /* ns; UINT64_MAX: none, a response is awaited forever */
	uint32_t retries, max_retries; /* that are left; that there were */
	bool response;
	bool hashed;                   /* in the table of sends */
	uint8_t mad[MADKIT_MAD_BYTES]; /* RMPP: the header and as much as fits */
	/* of RMPP */
	uint8_t *message; /* NULL: it is none */
	struct madkit_rmpp_segments segments;
	uint32_t count;   /* segments; 0: none */
	uint32_t segment; /* the last that was sent */
	uint32_t acked;
	uint32_t window_last;
	bool stale; /* its timeout is no longer a length of time */
};

struct hosts {
	struct fabric *f;
	uint64_t seed;
	uint32_t queue_max;
	struct host **at;      /* by the fabric's ports; NULL: no host */
	struct table agents;   /* by host and high_tid */
	struct table recvs;    /* messages that come by RMPP */
	struct table sends;    /* by TID */
	struct heap deadlines; /* of sends and received messages */
	size_t ntimed;
	struct send *spare_sends;
	struct message *spare_messages;
	unsigned int nspare;
	uint64_t now;
	uint64_t tick; /* 0: timers are exact */
};

/* ---- timer.c: the clock of a kernel -------------------------------------------------- */

/* When a timer of this length that starts now ends. */
uint64_t host_timer_end(const struct hosts *hosts, uint64_t length);

/* NULL: the port has no host. */
static inline struct host *host_at(const struct hosts *hosts, const struct port *port)
{
	return hosts->at[port - hosts->f->ports];
}

/* ---- agent.c: who takes what --------------------------------------------------- */

static inline struct agent *host_agent_find(const struct host_file *file, uint32_t id)
{
	return id < HOST_AGENTS_MAX ? file->agents[id] : NULL;
}
/* Whom a MAD that has come to the port is for; NULL: nobody. */
struct agent *host_agent_of(struct host *host, const uint8_t *mad);
void host_agent_free(struct agent *agent);

/* ---- address.c: between umad's addresses and packets ------------------------------ */

/* 0; -EINVAL for a P_Key or GID that the port does not have. */
int host_head_make(const struct agent *agent, const struct madkit_addr *to, struct fabric_head *head);
/* As umad fills in where a MAD came from. False: it came to a GID that the port has not. */
bool host_head_read(const struct host *host, const struct fabric_head *head, struct madkit_addr *from);
/* Where an answer goes. */
void host_head_answer(const struct port *port, const struct fabric_head *head, struct fabric_head *answer);

/* ---- queue.c: what a file has to be read ------------------------------------------- */

/* NULL: no memory. */
struct message *host_message_new(struct hosts *hosts, size_t size);
void host_message_free(struct hosts *hosts, struct message *m);
/* Takes it, whatever comes of it. */
void host_message_put(struct agent *agent, struct message *m);

static inline bool host_is_active_rmpp(const uint8_t *mad)
{
	return madkit_class_is_rmpp(mad[MADKIT_MAD_CLASS]) &&
	       (madkit_rmpp_get_flags(mad) & MADKIT_RMPP_ACTIVE);
}

/* ---- outstanding.c ----------------------------------------------------------------- */

/* Out of the port. 0, or -ENOMEM: what could never arrive is dropped here, and told. */
int host_transmit(struct hosts *hosts, const struct port *port, const struct fabric_head *head,
		  const uint8_t *mad);
/* ... as the send says. */
int host_send_transmit(const struct send *s, const uint8_t *mad);
/* The request that a MAD answers (ib_find_send_mad()); NULL: none. */
struct send *host_send_find(const struct agent *agent, const struct fabric_head *head, const uint8_t *mad);
/* NULL: no memory. */
struct send *host_send_new(struct hosts *hosts);
/* It is done with. */
void host_send_free(struct send *s);
/* The end of a timeout that begins now; UINT64_MAX: it has none. */
static inline uint64_t host_send_deadline(const struct send *s, const struct hosts *hosts)
{
	return s->timeout == UINT64_MAX ? UINT64_MAX : host_timer_end(hosts, s->timeout);
}

/* ---- rmpp.c: messages that go ------------------------------------------------------ */

/* A message that has come, and where its first segment came from. */
struct rmpp_whole {
	struct message *message;
	struct fabric_head head;
};

/* Takes a copy of the message; the head of the first segment is that of s->mad. 0; -EINVAL,
 * -ENOMEM. */
int host_rmpp_prepare(struct send *s, const uint8_t *message, size_t len);
/* The first segment goes. 0 or -ENOMEM. */
int host_rmpp_begin(struct send *s);
/* What is not acknowledged goes again. False: all is. */
bool host_rmpp_again(struct send *s);
/* What has RMPP comes to an agent of the kernel's: whole has a message where that was the
 * end of one. False: nobody wants it. */
bool host_rmpp_arrive(struct agent *agent, const struct fabric_head *head, const uint8_t *mad,
		      struct rmpp_whole *whole);

/* ---- rmpp_receive.c: messages that come ---------------------------------------------- */

/* Answers what came so with an ACK, STOP or ABORT. */
void host_rmpp_reply(const struct agent *agent, const struct fabric_head *to, const uint8_t *mad,
		     uint8_t type, uint8_t status, uint32_t segment, uint32_t window);
bool host_rmpp_data(struct agent *agent, const struct fabric_head *head, const uint8_t *mad,
		    struct rmpp_whole *whole);
/* An ACK of 0 for a request that has come: how much of its response may go. False: there is
 * no such request. */
bool host_rmpp_turned(const struct agent *agent, const struct fabric_head *head, const uint8_t *mad,
		      uint32_t window);
/* ... which is what a response begins with. */
uint32_t host_rmpp_response_window(const struct send *s);
void host_rmpp_free_all(struct agent *agent);

#endif
