/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The handlers of agents: they are called from here only. */
#ifndef AGENT_HANDLER_H
#define AGENT_HANDLER_H

#include "agent/agent.h"
#include "agent/recv.h"

/* Handlers may be called between these two; agents unregistered meanwhile are
 * freed at the end of the outermost. */
void handler_enter(struct madkit_port *port);
void handler_leave(struct madkit_port *port);
/* A send has ended (SEND_DONE): it is the poster's again before. */
void handler_sent(struct send *s);
/* A message for the agent. The frame becomes the handler's own. */
void handler_received(struct madkit_agent *agent, struct recv *r);
/* The response to a send, which has ended (SEND_DONE): both handlers. */
void handler_answered(struct send *s, struct recv *r);
/* Those of the sends that have ended so far. What they post and what ends at once is for the next time, or this might
 * never return. How many. */
int handler_call_done(struct madkit_port *port);

#endif
