/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Ports, agents and what is in flight between them. */
#ifndef AGENT_INTERNAL_H
#define AGENT_INTERNAL_H

#include <madkit/agent.h>
#include <madkit/mad.h>
#include <madkit/port.h>
#include "util/inflight.h"
#include "transport/transport.h"
#include "util/list.h"
#include "util/time.h"

enum {
	MESSAGE_MAX = 1 << 30,		/* bytes, sent or received */
	LID_MULTICAST = 0xc000,		/* the first that is no port's */
};

enum send_state {
	SEND_IDLE,	/* its poster's */
	SEND_QUEUED,	/* the transport would not take it yet */
	SEND_TRANSFER,	/* our own RMPP is sending it */
	SEND_FLIGHT,	/* a response is awaited */
	SEND_BACKOFF,	/* the responder was busy: to be sent again */
	SEND_DONE,	/* its handler is still to be called */
};

/* What a response must look like. */
struct send_key {
	uint8_t mgmt_class;
	uint8_t method;
	uint16_t attribute;
};

/* Where madkit_request() waits, instead of in handlers. */
struct send_sync {
	bool waiting;
	bool done;
	int status;
	struct madkit_recv *recv;
};

struct send {
	struct madkit_send pub;
	struct inflight_link link;	/* table of TIDs and heap of deadlines */
	struct list queue;		/* the port's waiting or done list */
	struct list of_agent;		/* the agent's sends */
	struct madkit_agent *agent;
	struct send_sync sync;
	struct send_key key;
	enum send_state state;
	int status;			/* SEND_DONE */
	bool own_tid;			/* the library chose the TID */
	bool expects;			/* a response */
	bool lingers;			/* no response, but the kernel is to say
					 * when it has done with the message */
	bool kernel_resends;
	bool posted;			/* a watcher is to see its completion */
	struct timespec posted_at;	/* real time */
	uint32_t tries_left;		/* of ours */
	uint32_t backoffs;
	struct madkit_rmpp_sender *rmpp; /* of a transfer of ours, or NULL */
	size_t wire_len;		/* len, or a whole MAD where len is less */
	size_t room;			/* len as it was allocated */
	_Alignas(16) uint8_t headroom[TRANSPORT_HEADROOM];
	uint8_t mad[];
};

struct recv {
	struct madkit_recv pub;
	size_t size;
	_Alignas(16) uint8_t headroom[TRANSPORT_HEADROOM];
	uint8_t mad[];
};

struct madkit_agent {
	struct madkit_port *port;
	struct list link;		/* the port's agents */
	struct list sends;
	size_t outstanding;
	struct madkit_agent_attr attr;
	uint32_t id;
	uint32_t tid_high;		/* what the kernel puts into TIDs; 0: not known */
	bool gone;			/* unregistered, a handler still runs */
	struct madkit_rmpp_receiver *receiver; /* NULL: not we do its RMPP */
};

struct madkit_port {
	struct transport *transport;
	struct madkit_port_info info;
	struct list agents;
	struct list gone;		/* agents to be freed later */
	struct inflight inflight;
	struct list waiting;		/* SEND_QUEUED, in order */
	struct list done;		/* SEND_DONE, in order */
	uint64_t waiting_ns;		/* when to try the first of waiting again */
	uint64_t expired_ns;		/* when expiry last ran */
	uint32_t next_tid;
	unsigned int depth;		/* handlers being called */
	size_t posted;			/* sends of all agents */
	bool more;			/* than was received at once */
	int dead;			/* 0, or the -errno of the device's end */
	struct recv *spare;		/* where the next MAD goes */
	size_t receive_initial, receive_max, receive_needed;
	struct send *answering;		/* its response is being handed over */
	struct {
		madkit_snoop_handler handler;
		void *context;
		int flags;
	} snoop;
	struct madkit_port_counters counters;
};

static inline struct send *send_of(struct madkit_send *send)
{
	return (struct send *)(void *)send;
}

/* ---- port.c ---------------------------------------------------------------- */

/* A port on an open transport, which it owns from then on (also on failure). */
int port_create(struct transport *transport, struct madkit_port **port,
		struct madkit_error *error);
/* Handlers may be called between these two; agents unregistered meanwhile are
 * freed at the end of the outermost. */
void port_enter(struct madkit_port *port);
void port_leave(struct madkit_port *port);

/* ---- send.c: the life of a send -------------------------------------------- */

/* Sends it, first or again; it is in a new state afterwards. */
void send_transmit(struct send *s);
/* What waits for room, again. How many left the queue. */
int send_flush(struct madkit_port *port);
/* What is due at now. How many. */
int send_expire(struct madkit_port *port, uint64_t now);
/* Takes it out of all waiting; to the done list as well. */
void send_detach(struct send *s, int status);
void send_finish(struct send *s, int status);
/* It has been sent: a response is awaited from now on. */
void send_await(struct send *s);
/* Calls its handler: it is the poster's again before. */
void send_complete(struct send *s);
/* Its timeout has changed while it is in flight: for what is left of the try if that
 * ends sooner then. */
void send_shorten(struct send *s);
/* The device says so. */
void send_returned(struct send *s);
/* Makes of an address the one to send to: a directed route alone leaves from the
 * permissive LID. */
void send_permissive(struct madkit_addr *to);
/* The responder said busy: true where it will be asked again. */
bool send_busy(struct send *s);

/* ---- match.c --------------------------------------------------------------- */

void match_key(const uint8_t *mad, struct send_key *key);
/* Whether who was asked there may answer from here. */
bool match_source(const struct madkit_addr *to, const struct madkit_addr *from);
/* Whether a response with header h from that address answers s. */
bool match_response(const struct send *s, const struct madkit_header *h,
		    const struct madkit_addr *from);
/* Whether a MAD that came back undelivered is s. */
bool match_returned(const struct send *s, const struct madkit_header *h);

/* ---- receive.c ------------------------------------------------------------- */

/* Takes in what has arrived, most at most, and hands it over. How many; *err
 * is set where the transport failed or a message is too long. */
int receive_all(struct madkit_port *port, int most, int *err);
/* The send in flight that a response answers, or NULL. */
struct send *receive_find(const struct madkit_agent *agent, const uint8_t *mad, size_t len,
			  const struct madkit_addr *from);
/* A whole message for the agent, to the send that it answers or to a handler. True:
 * r is no longer the caller's. */
bool receive_message(struct madkit_agent *agent, struct recv *r);

/* ---- snoop.c --------------------------------------------------------------- */

void snoop_call(struct madkit_port *port, int direction,
		const struct madkit_addr *addr, const uint8_t *mad, size_t len,
		const struct timespec *time);
/* A MAD was handed to the transport; and what has become of it is known. */
void snoop_posted(struct send *s);
void snoop_completed(struct send *s);

#endif
