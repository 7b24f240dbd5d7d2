/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Ports, their agents, and the messages that they receive. Agents are registered in register.c. */
#ifndef AGENT_AGENT_H
#define AGENT_AGENT_H

#include <errno.h>
#include <sys/types.h>
#include <madkit/port.h>
#include "agent/send.h"

/* The highest rate at which a port sends, as a token bucket: a MAD is sent when the time of its token is at most
 * slack_ns ahead. */
struct port_pace {
	uint64_t each_ns;  /* time for each MAD; 0: no limit */
	uint64_t slack_ns; /* the burst */
	uint64_t next_ns;  /* time of the next token, on the port clock */
};

/* A port: its device, its clock, and the sends that are outstanding on it. */
struct madkit_port {
	struct transport *transport;
	pid_t opener;   /* the process that opened it */
	bool closing;   /* nothing more is registered or posted */
	bool abandoned; /* being closed by another process */
	struct madkit_limit limit;
	struct madkit_port_info info;
	struct port_pace pace;
	struct list agents;
	struct list gone; /* agents to be freed later */
	struct tids tids;
	struct heap deadlines;  /* of its sends */
	struct list waiting;    /* SEND_QUEUED, in order */
	struct list unfinished; /* transfers with packets to send, in order */
	struct list done;       /* SEND_DONE, in order */
	uint64_t waiting_ns;    /* when to retry sends in waiting and unfinished, and packets of receivers */
	uint64_t expired_ns;    /* when deadlines were last checked */
	unsigned int depth;     /* handlers being called */
	unsigned int left;      /* packets that may still be sent or received while depth is not 0 */
	bool full;              /* the device has no room: no RMPP packet is sent until depth is 0 */
	bool stalled;           /* the device blocked: nothing more is sent until depth is 0 */
	bool more;              /* more can be received without waiting */
	int dead;               /* 0, or -errno after the device has failed */
	struct recv *spare;     /* buffer for the next MAD */
	struct recv *held, **held_end; /* received before an agent was registered */
	bool departed;                 /* the device may still have MADs of unregistered agents */
	size_t receive_initial, receive_max, receive_needed;
	struct send *answering;      /* the send that is receiving its response */
	struct list snoops;          /* struct madkit_snoop */
	const struct list *watchers; /* snoops; after a redirection, those of the original port */
	struct madkit_port_counters counters;
};

/* Returns the result of stopped() of the port's limit; false if there is none. */
static inline bool port_stopped(const struct madkit_port *port)
{
	return port->limit.stopped && port->limit.stopped(port->limit.context);
}

/*
 * Checks if a loop of waits ends: stopped() has become true since the loop began, or is true after a signal
 * has interrupted the last wait, which returned waited. A signal need not interrupt a wait: a port that
 * always has something to do is never waited for. Without stopped(), every interrupted wait ends the loop.
 * was: port_stopped() when the loop began, updated here.
 */
static inline bool port_stops(const struct madkit_port *port, int waited, bool *was)
{
	bool is = port_stopped(port), rises = is && !*was;

	*was = is;
	return rises || (waited == -EINTR && (is || !port->limit.stopped));
}

/* Checks if the library's RMPP may send another packet now. */
static inline bool port_may_send(const struct madkit_port *port)
{
	return !port->depth || (port->left && !port->full && !port->stalled);
}

/* Returns when the limit of the rate lets the next MAD pass; 0: now. */
static inline uint64_t port_pace_due(const struct madkit_port *port, uint64_t now)
{
	const struct port_pace *pace = &port->pace;

	return pace->next_ns > now && pace->next_ns - now > pace->slack_ns ? pace->next_ns - pace->slack_ns :
									     0;
}

/* Checks if a new request would have to wait for the limit of the rate. */
static inline bool port_is_paced(const struct madkit_port *port)
{
	return port->pace.each_ns &&
	       (!list_empty(&port->waiting) || port_pace_due(port, madkit_port_now(port)));
}

/* Defers a packet to the next turn or, if the device has no room, to the time that port_send() has set. */
static inline void port_defer(struct madkit_port *port)
{
	if (!port->full)
		port->waiting_ns = 0;
}

struct madkit_agent {
	struct madkit_port *port;
	struct list link;          /* in the port's agents */
	struct list of_dispatcher; /* in the agents of the dispatcher that registered it */
	struct list sends;
	size_t outstanding;
	struct madkit_agent_attr attr;
	uint32_t id;
	uint32_t tid_high;                     /* upper half of TIDs, which the kernel sets; 0: unknown */
	bool gone;                             /* unregistered, but a handler still runs */
	struct madkit_rmpp_receiver *receiver; /* NULL: the library does not do its RMPP */
	struct packet *packet;                 /* packet of the receiver, for the device */
	bool unfinished;                       /* the receiver has packets to send */
	struct snoop_held *held;               /* packets to show to watchers later: snoop_release() */
};

struct recv {
	struct madkit_recv pub;
	struct recv *next; /* next one held by the port */
	uint32_t id;       /* of the agent */
	size_t size;
	_Alignas(16) uint8_t headroom[TRANSPORT_HEADROOM];
	uint8_t mad[];
};

/* Returns the port's agent with this number, or NULL. */
static inline struct madkit_agent *agent_find(const struct madkit_port *port, uint32_t id)
{
	list_each(struct madkit_agent, agent, &port->agents, link)
		if (agent->id == id)
			return agent;
	return NULL;
}

/* ---- register.c ---------------------------------------------------------------- */

/* Checks if the agent is registered as one with this attr would be, regardless of methods and handlers. */
bool agent_is_alike(const struct madkit_agent *agent, const struct madkit_agent_attr *attr);

/* ---- port.c ------------------------------------------------------------------- */

/* Creates a port on an open transport, and takes ownership of the transport, even on failure. */
int port_create(struct transport *transport, struct madkit_port **port, struct madkit_error *error);

/*
 * Passes a MAD of the agent with this number to the transport; all MADs are sent by this function. If the
 * device blocks (RoCE: until a GID is resolved) between handler_enter() and handler_leave(), further calls
 * return -EAGAIN until handler_leave(). Sets *sent if it returns 0.
 */
int port_send(struct madkit_port *port, uint32_t id, const struct madkit_addr *to, uint8_t *mad, size_t len,
	      const struct send_try *try, struct send_time *sent);

/* ---- recv.c: messages that the device has received, and those that are held for later ---- */

/* Returns the frame for a handler or for madkit_request(). Nothing else may refer to it afterwards. */
struct madkit_recv *recv_hand_over(struct recv *r);
/* Receives the next message into the port's spare buffer. Returns 0; -EAGAIN if there is none; -ENOSPC if it
 * is longer than the port's limit (sets receive_needed); -ENOMEM; or an error of the transport. */
int recv_next(struct madkit_port *port);
/* Call this before an agent is registered. Drops the MADs that the device still has for agents that were
 * unregistered, because the kernel reuses their numbers at once. Holds other MADs until recv_next(). Returns
 * 0 or -ENOMEM. */
int recv_drop_departed(struct madkit_port *port);
/* Drops the held MADs of the agent with this number. Call this when it is unregistered. */
void recv_drop_held(struct madkit_port *port, uint32_t id);
/* Frees the buffers of a port that is being closed. */
void recv_free(struct madkit_port *port);

/* ---- match.c: the send that a MAD answers ---------------------------------------- */

void match_key(const uint8_t *mad, struct send_key *key);
/* Checks if the response to a request to one address may come from the other. */
bool match_source(const struct madkit_addr *to, const struct madkit_addr *from);
/* Returns the TID of the agent's outstanding send that a MAD answers, or NULL. */
struct tid *match_response(const struct madkit_agent *agent, const uint8_t *mad, size_t len,
			   const struct madkit_addr *from);
/* Returns the TID of the try that the device returned undelivered, or NULL. */
struct tid *match_returned(const struct madkit_agent *agent, const uint8_t *mad);

/* ---- snoop.c: the watchers of a port ------------------------------------------ */

/* Shows a packet of the library's own RMPP that the device has accepted. If the upper half of its transaction
 * ID is known, it is written into mad. */
void snoop_packet(struct madkit_agent *agent, const struct madkit_addr *to, uint8_t *mad, size_t len,
		  const struct timespec *time);
/* Shows the completion of the packets that were sent before the upper half of the agent's transaction IDs was
 * known. Call this when it is known (tid_high), or will not be known in time. */
void snoop_release_held(struct madkit_agent *agent);
static inline void snoop_release(struct madkit_agent *agent)
{
	if (agent->held)
		snoop_release_held(agent);
}

/* Shows a received MAD. request: the send that the MAD answers, or NULL. recv->mad is not set yet. */
void snoop_received(struct madkit_agent *agent, const struct send *request, const struct madkit_recv *recv,
		    const uint8_t *mad);
/* Show that the device accepted a try, and that the try ended with this status. */
void snoop_posted(struct send *s);
void snoop_completed(struct send *s, int status);
/* Unregisters all watchers of the port. */
void snoop_free(struct madkit_port *port);

#endif
