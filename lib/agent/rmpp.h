/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* RMPP of agents for which this library does it: packets that arrive, to the transfers of sends and to the receiver
 * of lib/rmpp, and its messages. */
#ifndef AGENT_RMPP_H
#define AGENT_RMPP_H

#include "agent/recv.h"

/* The agent's receiver: when it is registered, and when it ends (peers are told). */
int rmpp_open(struct madkit_agent *agent);
void rmpp_close(struct madkit_agent *agent);
/* An RMPP packet of the agent's has arrived. */
void rmpp_arrived(struct madkit_agent *agent, const struct recv *r);
/* The next whole message, which is the caller's, or NULL. What failed before it ends its send. */
struct recv *rmpp_message(struct madkit_agent *agent);
/* When a receiver of the port's agents has something due. */
uint64_t rmpp_deadline(const struct madkit_port *port);
/* Does what is due first: the agent that may have messages then, or NULL. */
struct madkit_agent *rmpp_expire(struct madkit_port *port, uint64_t now);

#endif
