/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A port: its device, its clock, and what is outstanding on it. */
#ifndef AGENT_PORT_H
#define AGENT_PORT_H

#include <sys/types.h>
#include <madkit/port.h>
#include "agent/send.h"

struct madkit_port {
	struct transport *transport;
	pid_t opener;   /* the process that opened it */
	bool closing;   /* nothing is registered or posted any more */
	bool abandoned; /* is being closed by another process */
	struct madkit_limit limit;
	struct madkit_port_info info;
	struct list agents;
	struct list gone; /* agents to be freed later */
	struct tids tids;
	struct heap deadlines;         /* of its sends */
	struct list waiting;           /* SEND_QUEUED, in order */
	struct list done;              /* SEND_DONE, in order */
	uint64_t waiting_ns;           /* when to try the first of waiting again */
	uint64_t expired_ns;           /* when expiry last ran */
	unsigned int depth;            /* handlers being called */
	bool stalled;                  /* the device blocked: until depth is 0 nothing more is sent */
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

/* A port on an open transport, which it owns from then on (also on failure). */
int port_create(struct transport *transport, struct madkit_port **port, struct madkit_error *error);

/*
 * Hands a MAD of the agent with this number to the transport: every one is sent by this. A device that blocks
 * (RoCE: until a GID is resolved) does so once while the port's handlers may be called (handler_enter()): from then
 * on it is -EAGAIN. Sets *sent if it returns 0.
 */
int port_send(struct madkit_port *port, uint32_t id, const struct madkit_addr *to, uint8_t *mad, size_t len,
	      const struct send_try *try, struct send_time *sent);

#endif
