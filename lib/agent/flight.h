/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The sends of a port that are under way: what they decide (send.h) is done here. */
#ifndef AGENT_FLIGHT_H
#define AGENT_FLIGHT_H

#include "agent/agent.h"

/* Does what is to be done with the send. */
void flight_act(struct send *s, struct send_step step);
/* Takes it out of all waiting; its handler is called at once by the caller. */
void flight_detach(struct send *s, int status);
/* The same, but its handler is called from the next handler_call_done(). */
void flight_end(struct send *s, int status);
/* What waits for room, again. How many left the queue. */
int flight_flush(struct madkit_port *port);
/* What is due at now. How many. */
int flight_expire(struct madkit_port *port, uint64_t now);

#endif
