/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* An agent of a port. register.c begins and ends it. */
#ifndef AGENT_AGENT_H
#define AGENT_AGENT_H

#include "agent/port.h"

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
	struct snoop_held *held;               /* segments that a watcher is to see: snoop_release() */
};

/* The port's agent with this number, or NULL. */
struct madkit_agent *agent_find(const struct madkit_port *port, uint32_t id);

#endif
