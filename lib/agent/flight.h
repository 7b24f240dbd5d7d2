/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The sends of a port that are under way, and what arrives for them. */
#ifndef AGENT_FLIGHT_H
#define AGENT_FLIGHT_H

#include "agent/agent.h"

/* ---- flight.c: what the sends decide (send.h) is done there ------------------- */

/* Does what is to be done with the send. */
void flight_act(struct send *s, struct send_step step);
/* Takes it out of all waiting; its handler is called at once by the caller. */
void flight_detach(struct send *s, int status);
/* What waits for room, again. How many left the queue. */
int flight_flush(struct madkit_port *port);
/* What is due at now. How many. */
int flight_expire(struct madkit_port *port, uint64_t now);

/* ---- transfer.c: sends by the library's RMPP (lib/rmpp); what is to be done with them is returned ---- */

enum { TRANSFER_TOTAL_MS = 40000 }; /* the longest transfer, without its segments */

/* Hands a packet, behind TRANSPORT_HEADROOM bytes, to the device. 0 or -errno. */
int transfer_packet(struct madkit_agent *agent, const struct madkit_addr *to, uint8_t *packet, size_t len,
		    struct send_time *sent);
/* Begins it, first or again, with the TID that it has. Its state is SEND_TRANSFER then, or what came of it. */
struct send_step transfer_start(struct send *s, uint64_t now);
/* The timeout of a send in state SEND_TRANSFER has changed: it counts from now. */
struct send_step transfer_modify(struct send *s, uint64_t now);
/* The deadline of a send in state SEND_TRANSFER has come. */
struct send_step transfer_due(struct send *s, uint64_t now);
/* Whether an RMPP packet that arrived is an answer to the transfer; then *step is set. */
bool transfer_take(struct send *s, const uint8_t *mad, size_t len, uint64_t now, struct send_step *step);
/* The send has ended with this status: so does what is left of the transfer, with an ABORT unless the
 * send was answered (0). */
void transfer_end(struct send *s, int status);

/* ---- handler.c: the handlers of agents, which are called from there only ------ */

/* Handlers may be called between these two; agents unregistered meanwhile are freed at the end of the outermost. */
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

/* ---- rmpp.c: RMPP of agents for which this library does it -------------------- */

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

/* ---- post.c ------------------------------------------------------------------- */

/* Posts as madkit_agent_post() does, with a time on the port's clock at which the send ends with
 * -ETIMEDOUT; UINT64_MAX: none. */
int post_until(struct madkit_agent *agent, struct madkit_send *send, uint64_t end_ns);

#endif
