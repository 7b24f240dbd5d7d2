/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A send: its buffer, and its states while it is posted. The functions here know neither the device nor handlers nor
 * watchers: they receive events and return the next step (struct send_step), which flight.c carries out.
 */
#ifndef AGENT_SEND_H
#define AGENT_SEND_H

#include <madkit/agent.h>
#include <madkit/mad.h>
#include "transport/transport.h"
#include "util/heap.h"
#include "util/list.h"
#include "util/table.h"
#include "util/time.h"

enum {
	MESSAGE_MAX = 1 << 30,  /* bytes, sent or received */
	LID_MULTICAST = 0xc000, /* multicast LIDs begin here */
};

enum send_state {
	SEND_IDLE,     /* its poster's */
	SEND_QUEUED,   /* the transport would not take it yet */
	SEND_TRANSFER, /* our own RMPP is sending it */
	SEND_FLIGHT,   /* a response is awaited */
	SEND_BACKOFF,  /* the responder was busy: to be sent again */
	SEND_DONE,     /* its handler is still to be called */
};

/* The next step of a send. */
struct send_step {
	enum {
		STEP_NONE,     /* nothing: it waits as it did */
		STEP_WAIT,     /* call send_due() at that time, unless something happens earlier */
		STEP_TRANSMIT, /* the latest try has ended without a response: begin another */
		STEP_DONE,     /* it has ended with this status */
	} what;
	int status;
	uint64_t until; /* port clock */
};

/* What a response must look like. */
struct send_key {
	uint8_t mgmt_class;
	uint8_t method;
	uint16_t attribute;
};

/* How madkit_request() and the dispatcher wait for a send, in place of handlers. */
struct send_sync {
	void (*ended)(void *owner); /* called instead of the send handler; NULL: its owner looks at waiting */
	void *owner;
	bool waiting;
	struct madkit_reply reply; /* when it has ended */
};

/* When a MAD was passed to the device. On Ethernet, the kernel resolves the GID before it sends: if the device took
 * more than 1 ms, ns and time are taken after the call, otherwise before it. */
struct send_time {
	uint64_t start_ns;    /* port clock, before the device got it */
	uint64_t ns;          /* port clock */
	struct timespec time; /* real time, the same moment as ns */
};

/* The parameters of a try for the device. */
struct send_try {
	uint32_t timeout_ms;
	uint32_t retries; /* how often it may resend it */
};

/* A transaction ID under which a request was sent, once or several times. */
struct tid {
	uint32_t low; /* the bits that a response has as they were sent */
	bool hashed;  /* in the table while a response may arrive */
	struct send *send;
	struct tid *next;           /* an older one of the same send */
	uint64_t start_ns, sent_ns; /* of the latest try with this TID, as in struct send_time */
	uint32_t tries;             /* with this TID, not counting the kernel's resends */
	bool is_free;               /* the device reported the end of each of these tries */
};

/* The outstanding TIDs of a port. */
struct tids {
	struct table table; /* struct tid, by its low 32 bits */
	size_t sends;       /* posted: the table has room for the latest TID of each */
	size_t older;       /* TIDs of earlier tries in it */
	uint32_t next;      /* where the search for a new one begins */
};

struct send {
	struct madkit_send pub;
	struct heap_link link; /* in the port's deadlines */
	struct tid tid;        /* of the latest try; behind it those of earlier tries, latest first */
	struct list queue;     /* the port's waiting or done list */
	struct list of_agent;  /* the agent's sends */
	struct madkit_agent *agent;
	struct send_sync sync;
	struct send_key key;
	enum send_state state;
	int status;                /* SEND_DONE */
	bool own_tid;              /* the library chooses the TID */
	bool expects;              /* a response */
	bool lingers;              /* no response, but the kernel reports when it is done with it */
	bool has_rmpp;             /* its RMPP header is ACTIVE */
	bool kernel_rmpp;          /* the kernel does RMPP for its agent */
	bool by_kernel;            /* the kernel's RMPP sends it, or receives its response */
	bool is_transfer;          /* the library's RMPP sends it */
	bool posted;               /* watchers have not yet seen the completion of the latest try */
	struct timespec posted_at; /* real time, the same moment as pub.sent_ns */
	uint64_t end_ns;           /* port clock: no try begins later, and the send ends */
	uint64_t response_end_ns;  /* port clock: the latest end of a response of which segments have
					 * arrived during the present try; UINT64_MAX: none have */
	uint32_t tries_left;       /* after the latest try, including those of the device */
	struct send_try device;    /* the latest try */
	uint32_t backoffs;
	uint32_t restarts;         /* of the response, with other contents */
	struct transfer *transfer; /* by the library's RMPP, or NULL */
	struct list unfinished;    /* the port's transfers with packets to send */
	size_t wire_len;           /* len, or a whole MAD where len is less */
	size_t room;               /* len as it was allocated */
	_Alignas(16) uint8_t headroom[TRANSPORT_HEADROOM];
	uint8_t mad[];
};

static inline struct send *send_of(struct madkit_send *send)
{
	return (struct send *)(void *)send;
}

static inline struct send_step send_wait(uint64_t until)
{
	return (struct send_step){ .what = STEP_WAIT, .until = until };
}

static inline struct send_step send_done(int status)
{
	return (struct send_step){ .what = STEP_DONE, .status = status };
}

/* Whether a timeout is in range: up to 2^31 - 1 ms, or MADKIT_FOREVER. */
static inline bool send_timeout_valid(uint32_t timeout_ms)
{
	return timeout_ms <= INT32_MAX || timeout_ms == MADKIT_FOREVER;
}

/* Its address for the device: a purely directed route has the permissive LID. */
static inline struct madkit_addr send_destination(const struct send *s)
{
	struct madkit_addr to = s->pub.to;

	/* otherwise a LID-routed part precedes the directed one */
	if (to.direct && !to.lid)
		to.lid = MADKIT_LID_PERMISSIVE;
	return to;
}

/* ---- transaction IDs --------------------------------------------------------- */

/* Room for the TID of one more send. 0 or -ENOMEM. */
int tid_reserve(struct tids *tids);
/* The next TID with these low 32 bits to which a response is accepted, or NULL. *step begins with 0. */
struct tid *tid_next(const struct tids *tids, uint64_t tid, size_t *step);
/* No response to the send is accepted any more. */
void tid_forget(struct tids *tids, struct tid *latest);

/* ---- a try --------------------------------------------------------------- */

/* Chooses the TID of a try. tid_high: what the kernel puts into TIDs; 0: not known. */
void send_begin(struct send *s, struct tids *tids, uint32_t tid_high);
/* The device refused the try with EINVAL, perhaps because of its TID. True: the try has another TID now. */
bool send_renew(struct send *s, struct tids *tids, uint32_t tid_high);
struct send_try send_ask(const struct send *s, uint64_t now);
/* The device has no room for it. */
struct send_step send_queue(struct send *s, uint64_t now);
/* The device accepted the try with the parameters of send_ask(). */
void send_taken(struct send *s, const struct send_try *try, const struct send_time *sent);
/* Counts a try that was sent. */
void send_count(struct send *s, struct tids *tids, const struct send_time *sent);
/* Awaits the response from now on. */
struct send_step send_await(struct send *s, uint64_t now);

/* ---- what happens to it ---------------------------------------------------- */

/* The time of STEP_WAIT has come. In state SEND_TRANSFER only if end_ns has passed. */
struct send_step send_due(struct send *s, uint64_t now);
/* The device reported that the latest try has timed out. */
struct send_step send_returned(struct send *s, uint64_t now);
/* A response with this TID arrived. Returns the round-trip time in nanoseconds, or -1 if it is not known which try was
 * answered, or when that was sent. */
int64_t send_answered(struct tid *t, uint64_t now);
/* The response to a try with this TID has status BUSY. STEP_DONE: it is the last one, and the answer. Otherwise the
 * request is still to be answered: after a back-off, or by a later try that is outstanding. */
struct send_step send_busy(struct tid *t, uint64_t now);
/* The library's RMPP of the request or of its response failed. */
struct send_step send_fail(struct send *s, struct madkit_rmpp_outcome outcome);
/* Its timeout has changed. Not in state SEND_TRANSFER. */
struct send_step send_modify(struct send *s, uint64_t now);

#endif
