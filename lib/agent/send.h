/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A send: its buffer, and its states while it is posted. The functions here do not depend on the device, on
 * handlers or on watchers: they receive events and return the next step (struct send_step), which flight.c
 * carries out.
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
	MESSAGE_MAX = 1 << 30,  /* maximum bytes of a message, sent or received */
	LID_MULTICAST = 0xc000, /* first multicast LID */
};

enum send_state {
	SEND_IDLE,     /* belongs to its poster */
	SEND_QUEUED,   /* the transport has no room yet */
	SEND_TRANSFER, /* the library's RMPP is sending it */
	SEND_FLIGHT,   /* waiting for a response */
	SEND_BACKOFF,  /* the responder was busy: to be sent again */
	SEND_DONE,     /* its handler has not been called yet */
};

/* The next step of a send. */
struct send_step {
	enum {
		STEP_NONE,     /* nothing: it waits as before */
		STEP_WAIT,     /* call send_due() at that time, unless something happens earlier */
		STEP_TRANSMIT, /* the latest try has ended without a response: begin another one */
		STEP_DONE,     /* it has ended with this status */
	} what;
	int status;
	uint64_t until; /* port clock */
};

/* The fields of a request that its response must match. */
struct send_key {
	uint8_t mgmt_class;
	uint8_t method;
	uint16_t attribute;
};

/* How madkit_request() and the dispatcher wait for a send, in place of handlers. */
struct send_sync {
	void (*ended)(void *owner); /* called instead of the send handler; NULL: the owner polls waiting */
	void *owner;
	bool waiting;
	struct madkit_reply reply; /* valid when it has ended */
};

/* The time when a MAD was passed to the device. On Ethernet, the kernel resolves the GID before it sends: if
 * the device takes more than 1 ms, ns and time are taken after the call, otherwise before it. */
struct send_time {
	uint64_t start_ns;    /* port clock, before the call */
	uint64_t ns;          /* port clock */
	struct timespec time; /* real time, the same moment as ns */
};

/* The parameters of a try for the device. */
struct send_try {
	uint32_t timeout_ms;
	uint32_t retries; /* how many times the device may resend it */
	bool answers;     /* it is a response, which the limit of the rate does not delay */
};

/* A transaction ID with which a request was sent, once or several times. */
struct tid {
	uint32_t low; /* the low 32 bits, which a response repeats unchanged */
	bool hashed;  /* in the table while a response may arrive */
	struct send *send;
	struct tid *next;           /* next older one of the same send */
	uint64_t start_ns, sent_ns; /* of the latest try with this TID, as in struct send_time */
	uint32_t tries;             /* with this TID, not counting resends by the kernel */
	bool is_free;               /* the device has reported the end of each of these tries */
};

/* The outstanding TIDs of a port. */
struct tids {
	struct table table; /* struct tid, by its low 32 bits */
	size_t sends;       /* posted sends: the table has room for the latest TID of each */
	size_t older;       /* TIDs of earlier tries in it */
	uint32_t next;      /* where the search for a new TID begins */
};

struct send {
	struct madkit_send pub;
	struct heap_link link; /* in the port's deadlines */
	struct tid tid;        /* of the latest try; its list continues with earlier tries, latest first */
	struct list queue;     /* in the port's waiting or done list */
	struct list of_agent;  /* in the agent's sends */
	struct madkit_agent *agent;
	struct send_sync sync;
	struct send_key key;
	enum send_state state;
	int status;                /* set in SEND_DONE */
	bool own_tid;              /* the library chooses the TID */
	bool expects;              /* a response is expected */
	bool lingers;              /* no response is expected, but the kernel reports its end: LINGER */
	bool has_rmpp;             /* its RMPP header is ACTIVE */
	bool kernel_rmpp;          /* the kernel does RMPP for its agent */
	bool by_kernel;            /* the kernel's RMPP sends it, or receives its response */
	bool is_transfer;          /* the library's RMPP sends it */
	bool posted;               /* watchers have not yet seen the completion of the latest try */
	struct timespec posted_at; /* real time, the same moment as pub.sent_ns */
	uint64_t end_ns;           /* port clock: no try begins later, and the send ends */
	uint64_t response_end_ns;  /* port clock: the latest end of a response of which segments have
					 * arrived during this try; UINT64_MAX: none has */
	uint32_t tries_left;       /* tries left after the latest one, including those of the device */
	struct send_try device;    /* of the latest try */
	uint32_t backoffs;
	uint32_t restarts;         /* how many times the response has started again with other contents */
	struct transfer *transfer; /* if the library's RMPP sends it, otherwise NULL */
	struct list unfinished;    /* in the port's transfers with packets to send */
	size_t wire_len;           /* len, padded to a whole MAD; with kernel RMPP, only to the headers */
	size_t room;               /* allocated bytes of mad */
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

/* Checks if a timeout is in range: up to 2^31 - 1 ms, or MADKIT_FOREVER. */
static inline bool send_timeout_valid(uint32_t timeout_ms)
{
	return timeout_ms <= INT32_MAX || timeout_ms == MADKIT_FOREVER;
}

/* Returns its address for the device: a purely directed route has the permissive LID. */
static inline struct madkit_addr send_destination(const struct send *s)
{
	struct madkit_addr to = s->pub.to;

	/* otherwise a LID-routed part precedes the directed one */
	if (to.direct && !to.lid)
		to.lid = MADKIT_LID_PERMISSIVE;
	return to;
}

/* ---- transaction IDs --------------------------------------------------------- */

/* Reserves room for the TID of one more send. Returns 0 or -ENOMEM. */
int tid_reserve(struct tids *tids);
/* Returns the next TID with these low 32 bits for which a response is accepted, or NULL. *step begins with
 * 0. */
struct tid *tid_next(const struct tids *tids, uint64_t tid, size_t *step);
/* Stops accepting responses to the send. */
void tid_forget(struct tids *tids, struct tid *latest);

/* ---- a try --------------------------------------------------------------- */

/* Chooses the TID of a try. tid_high: the upper half of TIDs, which the kernel sets; 0: unknown. */
void send_begin(struct send *s, struct tids *tids, uint32_t tid_high);
/* Call this if the device refused the try with EINVAL, possibly because of its TID. Returns true if the try
 * has another TID now. */
bool send_renew(struct send *s, struct tids *tids, uint32_t tid_high);
bool send_answers(const struct send *s); /* a response, to a request of others */
struct send_try send_ask(const struct send *s, uint64_t now);
/* The device has no room for the send. */
struct send_step send_queue(struct send *s, uint64_t now);
/* The device accepted the try with the parameters of send_ask(). */
void send_taken(struct send *s, const struct send_try *try, const struct send_time *sent);
/* Counts a try that was sent. */
void send_count(struct send *s, struct tids *tids, const struct send_time *sent);
/* Waits for the response from now on. */
struct send_step send_await(struct send *s, uint64_t now);

/* ---- what happens to it ---------------------------------------------------- */

/* The time of STEP_WAIT has come. In state SEND_TRANSFER, call this only if end_ns has passed. */
struct send_step send_due(struct send *s, uint64_t now);
/* The device reported that the latest try has timed out. */
struct send_step send_returned(struct send *s, uint64_t now);
/* A response with this TID arrived. Returns the round-trip time in nanoseconds, or -1 if it is not known
 * which try was answered, or when that try was sent. */
int64_t send_answered(struct tid *t, uint64_t now);
/* The response to a try with this TID has status BUSY. Returns STEP_DONE if it is the final response.
 * Otherwise the request will be answered after a back-off, or by a later try that is outstanding. */
struct send_step send_busy(struct tid *t, uint64_t now);
/* The library's RMPP of the request or of its response failed. */
struct send_step send_fail(struct send *s, struct madkit_rmpp_outcome outcome);
/* The timeout has changed. Not for state SEND_TRANSFER. */
struct send_step send_modify(struct send *s, uint64_t now);

#endif
