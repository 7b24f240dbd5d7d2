/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* RMPP of agents for whom this library does it: the engines of lib/rmpp between sends,
 * handlers and the transport. */
#ifndef AGENT_RMPP_H
#define AGENT_RMPP_H

#include "agent/internal.h"

/* The agent's receiver: when it is registered, and when it ends (peers are told). */
int rmpp_open(struct madkit_agent *agent);
void rmpp_close(struct madkit_agent *agent);

/* Whether the MAD goes out as a transfer of ours. */
bool rmpp_is_transfer(const struct send *s);
/* Begins it, first or again, with the TID that it has: 0 or -ENOMEM, -EINVAL. Its
 * state is SEND_TRANSFER then, or what came of it. */
int rmpp_start(struct send *s, uint64_t now);
/* The timeout of a send in state SEND_TRANSFER has changed: it counts from now. */
void rmpp_modify(struct send *s, uint64_t now);
/* Its deadline has come. */
void rmpp_due(struct send *s, uint64_t now);
/* Not all of a response arrived within the time for all of its segments: the send ends. */
void rmpp_response_late(struct send *s);
/* The send has ended with this status: so does what is left of the transfer, with an ABORT unless the
 * send was answered (0). */
void rmpp_end(struct send *s, int status);

/* Shows a watcher the completion of the segments that were sent before the upper half of the agent's
 * transaction IDs was known: when it is (tid_high), or when it will not be known in time. */
void rmpp_release(struct madkit_agent *agent);

/* An RMPP packet of the agent's has arrived. */
void rmpp_arrived(struct madkit_agent *agent, const struct recv *r);

/* When a receiver of the port's agents has something due, and doing it: how many. */
uint64_t rmpp_deadline(const struct madkit_port *port);
int rmpp_expire(struct madkit_port *port, uint64_t now);

#endif
