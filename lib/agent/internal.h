/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Ports, agents and what is in flight between them. */
#ifndef AGENT_INTERNAL_H
#define AGENT_INTERNAL_H

#include <sys/types.h>
#include <madkit/agent.h>
#include <madkit/mad.h>
#include <madkit/port.h>
#include "util/heap.h"
#include "transport/transport.h"
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

/* When the device got a MAD. On Ethernet, the kernel resolves the GID before it sends: if the device took more than
 * 1 ms, ns and time are those when it was done. Otherwise they are those before. */
struct send_time {
	uint64_t start_ns;    /* port clock, before the device got it */
	uint64_t ns;          /* port clock */
	struct timespec time; /* real time, the same moment as ns */
};

/* A transaction ID under which a request was sent, once or several times. */
struct send_tid {
	uint32_t low; /* the bits that a response has as they were sent */
	bool hashed;  /* in the table of TIDs while a response may arrive */
	struct send *send;
	struct send_tid *next;      /* an older one of the same send */
	uint64_t start_ns, sent_ns; /* of the latest try with this TID, as in struct send_time */
	uint32_t tries;             /* with this TID, not counting the kernel's resends */
	bool is_free;               /* the device reported the end of each of these tries */
};

struct send {
	struct madkit_send pub;
	struct heap_link link;  /* in the port's deadlines */
	struct send_tid tid;    /* of the latest try */
	struct send_tid *older; /* TIDs of earlier tries, latest first */
	struct list queue;      /* the port's waiting or done list */
	struct list of_agent;   /* the agent's sends */
	struct madkit_agent *agent;
	struct send_sync sync;
	struct send_key key;
	enum send_state state;
	int status;                /* SEND_DONE */
	bool own_tid;              /* the library chooses the TID */
	bool expects;              /* a response */
	bool lingers;              /* no response, but the kernel is to say
					 * when it has done with the message */
	bool by_kernel;            /* the kernel's RMPP sends it, or receives its response */
	bool posted;               /* watchers have not yet seen the completion of the latest try */
	struct timespec posted_at; /* real time, the same moment as pub.sent_ns */
	uint64_t end_ns;           /* port clock: no try begins later, and the send ends */
	uint64_t response_end_ns;  /* port clock: the latest end of a response of which segments have
					 * arrived during the present try; UINT64_MAX: none have */
	uint32_t tries_left;       /* after the latest try, including those of the device */
	uint32_t device_ms;        /* the timeout that the device has for the latest try */
	uint32_t device_retries;   /* and how often it may resend it */
	uint32_t backoffs;
	uint32_t restarts;               /* of the response, with other contents */
	struct madkit_rmpp_sender *rmpp; /* of a transfer of ours, or NULL */
	size_t wire_len;                 /* len, or a whole MAD where len is less */
	size_t room;                     /* len as it was allocated */
	_Alignas(16) uint8_t headroom[TRANSPORT_HEADROOM];
	uint8_t mad[];
};

struct recv {
	struct madkit_recv pub;
	struct recv *next; /* held by the port */
	uint32_t id;       /* held by the port: of the agent */
	size_t size;
	_Alignas(16) uint8_t headroom[TRANSPORT_HEADROOM];
	uint8_t mad[];
};

struct madkit_agent {
	struct madkit_port *port;
	struct list link; /* the port's agents */
	struct list sends;
	size_t outstanding;
	struct madkit_agent_attr attr;
	uint32_t id;
	uint32_t tid_high;                     /* what the kernel puts into TIDs; 0: not known */
	bool gone;                             /* unregistered, a handler still runs */
	struct madkit_rmpp_receiver *receiver; /* NULL: not we do its RMPP */
	struct rmpp_held *held;                /* segments that a watcher is to see: rmpp_release() */
};

struct madkit_port {
	struct transport *transport;
	pid_t opener;   /* the process that opened it */
	bool closing;   /* nothing is registered or posted any more */
	bool abandoned; /* is being closed by another process */
	struct madkit_limit limit;
	struct madkit_port_info info;
	struct list agents;
	struct list gone;      /* agents to be freed later */
	struct table tids;     /* struct send_tid, by the low 32 bits */
	size_t older;          /* TIDs of earlier tries in it */
	struct heap deadlines; /* of its sends */
	struct list waiting;   /* SEND_QUEUED, in order */
	struct list done;      /* SEND_DONE, in order */
	uint64_t waiting_ns;   /* when to try the first of waiting again */
	uint64_t expired_ns;   /* when expiry last ran */
	uint32_t next_tid;
	unsigned int depth;            /* handlers being called */
	bool stalled;                  /* the device blocked: until depth is 0 nothing more is sent */
	size_t posted;                 /* sends of all agents */
	bool more;                     /* than was received at once */
	int dead;                      /* 0, or the -errno of the device's end */
	struct recv *spare;            /* where the next MAD goes */
	struct recv *held, **held_end; /* received before an agent was registered */
	bool departed;                 /* an agent was unregistered: the device may still have
					 * MADs for its number */
	size_t receive_initial, receive_max, receive_needed;
	struct send *answering;      /* its response is being handed over */
	struct list snoops;          /* struct madkit_snoop */
	const struct list *watchers; /* snoops; of a port that a redirection made: its first port's */
	struct madkit_port_counters counters;
};

static inline struct send *send_of(struct madkit_send *send)
{
	return (struct send *)(void *)send;
}

/* ---- port.c ---------------------------------------------------------------- */

/* A port on an open transport, which it owns from then on (also on failure). */
int port_create(struct transport *transport, struct madkit_port **port, struct madkit_error *error);
/* Handlers may be called between these two; agents unregistered meanwhile are
 * freed at the end of the outermost. */
void port_enter(struct madkit_port *port);
void port_leave(struct madkit_port *port);

/* ---- post.c ---------------------------------------------------------------- */

/* Posts as madkit_agent_post() does, with a time on the port's clock at which the send ends with
 * -ETIMEDOUT; UINT64_MAX: none. */
int post_until(struct madkit_agent *agent, struct madkit_send *send, uint64_t end_ns);

/* ---- send.c: the life of a send -------------------------------------------- */

/*
 * Hands a MAD to the transport: every one is sent by this. A device that blocks (RoCE: until a GID
 * is resolved) does so once while the port's handlers may be called (port_enter()): from then on
 * it is -EAGAIN. Sets *sent if it returns 0.
 */
int send_to_device(struct madkit_agent *agent, const struct madkit_addr *to, uint8_t *mad, size_t len,
		   uint32_t timeout_ms, uint32_t retries, struct send_time *sent);
/* Sends it, first or again; it is in a new state afterwards. */
void send_transmit(struct send *s);
/* What waits for room, again. How many left the queue. */
int send_flush(struct madkit_port *port);
/* What is due at now. How many. */
int send_expire(struct madkit_port *port, uint64_t now);
/* The next TID with these low 32 bits to which a response is accepted, or NULL. *step begins with 0. */
struct send_tid *send_tid_next(const struct madkit_port *port, uint64_t tid, size_t *step);
/* Takes it out of all waiting; to the done list as well. */
void send_detach(struct send *s, int status);
void send_finish(struct send *s, int status);
/* It has been sent: a response is awaited from now on. */
void send_await(struct send *s);
/* Counts a try that the library itself has just sent. */
void send_sent(struct send *s, const struct send_time *sent);
/* Calls its handler: it is the poster's again before. */
void send_complete(struct send *s);
/* Its timeout has changed: ends the present try or pause sooner, if that is sooner now. */
void send_shorten(struct send *s);
/* The device reported that the latest try has timed out. */
void send_returned(struct send *s);
/* A response with this TID arrived. Returns the round-trip time in nanoseconds, or -1 if
 * it is not known which try was answered. */
int64_t send_answered(struct send_tid *t, uint64_t now);
/* Makes of an address the one to send to: a directed route alone leaves from the
 * permissive LID. */
void send_permissive(struct madkit_addr *to);
/* The response to a try with this TID has status BUSY. True if the request is still to be
 * answered: after a back-off, or by a later try that is outstanding. */
bool send_busy(struct send_tid *t);

/* Whether a timeout is in range: up to 2^31 - 1 ms, or MADKIT_FOREVER. */
static inline bool send_timeout_valid(uint32_t timeout_ms)
{
	return timeout_ms <= INT32_MAX || timeout_ms == MADKIT_FOREVER;
}

/* ---- match.c --------------------------------------------------------------- */

void match_key(const uint8_t *mad, struct send_key *key);
/* Whether who was asked there may answer from here. */
bool match_source(const struct madkit_addr *to, const struct madkit_addr *from);
/* Whether a response with header h from that address answers s, which was sent with the
 * transaction ID of h. */
bool match_response(const struct send *s, const struct madkit_header *h, const struct madkit_addr *from);
/* Whether a MAD that the device returned undelivered is s. */
bool match_returned(const struct send *s, const struct madkit_header *h);

/* ---- receive.c ------------------------------------------------------------- */

/* Takes in what has arrived, most at most, and hands it over. How many; *err
 * is set where the transport failed or a message is too long. */
int receive_all(struct madkit_port *port, int most, int *err);
/* Before an agent is registered: drops the MADs that the device still has for the numbers of
 * agents that were unregistered, because the kernel reuses these numbers at once. Others are held
 * until the next receive_all(). 0 or -ENOMEM. */
int receive_drop_departed(struct madkit_port *port);
/* Drops the held MADs of the agent with this number, which is being unregistered. */
void receive_drop_held(struct madkit_port *port, uint32_t id);
/* The port is being closed. */
void receive_free(struct madkit_port *port);
/* The TID of the outstanding send that a response answers, or NULL. */
struct send_tid *receive_find(const struct madkit_agent *agent, const uint8_t *mad, size_t len,
			      const struct madkit_addr *from);
/* A whole message for the agent, to the send that it answers or to a handler. True:
 * r is no longer the caller's. */
bool receive_message(struct madkit_agent *agent, struct recv *r);

/* ---- snoop.c --------------------------------------------------------------- */

/* A packet of the library's own RMPP. */
void snoop_packet(struct madkit_agent *agent, int direction, const struct madkit_addr *to, const uint8_t *mad,
		  size_t len, const struct timespec *time);
/* request: which the MAD answers, or NULL. recv->mad is not set yet. */
void snoop_received(struct madkit_agent *agent, const struct send *request, const struct madkit_recv *recv,
		    const uint8_t *mad);
/* The device took a try; and that try has ended, as status says. */
void snoop_posted(struct send *s);
void snoop_completed(struct send *s, int status);
/* Ends all watchers of the port. */
void snoop_free(struct madkit_port *port);

#endif
