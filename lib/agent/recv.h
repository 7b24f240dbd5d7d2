/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Messages that the device has received: their buffers, and those that are held for later. */
#ifndef AGENT_RECV_H
#define AGENT_RECV_H

#include "agent/agent.h"

struct recv {
	struct madkit_recv pub;
	struct recv *next; /* held by the port */
	uint32_t id;       /* of the agent */
	size_t size;
	_Alignas(16) uint8_t headroom[TRANSPORT_HEADROOM];
	uint8_t mad[];
};

/* The frame is handed to whoever asked for it: nothing else refers to it then. */
struct madkit_recv *recv_hand_over(struct recv *r);
/* The next message becomes the port's spare buffer. 0; -EAGAIN there is none; -ENOSPC it is longer than the port's
 * limit (receive_needed); -ENOMEM; what the transport returned. */
int recv_next(struct madkit_port *port);
/* Before an agent is registered: drops the MADs that the device still has for the numbers of
 * agents that were unregistered, because the kernel reuses these numbers at once. Others are held
 * until the next recv_next(). 0 or -ENOMEM. */
int recv_drop_departed(struct madkit_port *port);
/* Drops the held MADs of the agent with this number, which is being unregistered. */
void recv_drop_held(struct madkit_port *port, uint32_t id);
/* The port is being closed. */
void recv_free(struct madkit_port *port);

#endif
