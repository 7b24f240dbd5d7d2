/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What the watchers of a port are shown. */
#ifndef AGENT_SNOOP_H
#define AGENT_SNOOP_H

#include "agent/agent.h"

/* The device took a packet of the library's own RMPP, which gets the upper half of the agent's transaction IDs. */
void snoop_packet(struct madkit_agent *agent, const struct madkit_addr *to, uint8_t *mad, size_t len,
		  const struct timespec *time);
/* Shows the completion of the packets that were sent before the upper half of the agent's
 * transaction IDs was known: when it is (tid_high), or when it will not be known in time. */
void snoop_release(struct madkit_agent *agent);
/* request: which the MAD answers, or NULL. recv->mad is not set yet. */
void snoop_received(struct madkit_agent *agent, const struct send *request, const struct madkit_recv *recv,
		    const uint8_t *mad);
/* The device took a try; and that try has ended, as status says. */
void snoop_posted(struct send *s);
void snoop_completed(struct send *s, int status);
/* Ends all watchers of the port. */
void snoop_free(struct madkit_port *port);

#endif
