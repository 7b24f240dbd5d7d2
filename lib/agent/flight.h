/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The posted sends of a port, and the messages that arrive for them. */
#ifndef AGENT_FLIGHT_H
#define AGENT_FLIGHT_H

#include "agent/agent.h"

/* ---- flight.c: carries out the steps of sends (send.h) ------------------------- */

/* Carries out a step of the send. */
void flight_act(struct send *s, struct send_step step);
/* Removes the send from all queues; the caller must call its handler next. */
void flight_detach(struct send *s, int status);
/* Retries the sends that wait for room. Returns how many left the queue. */
int flight_flush(struct madkit_port *port);
/* Continues the transfers on the port's list unfinished, one after the other. Returns how many. */
int flight_resume(struct madkit_port *port);
/* Handles the sends that are due at now. Returns how many. */
int flight_expire(struct madkit_port *port, uint64_t now);

/* ---- transfer.c: sends by the library's RMPP (lib/rmpp); returns their next step ---- */

enum { TRANSFER_TOTAL_MS = 40000 }; /* longest transfer, not counting the time for each segment */

/* A packet for the device. */
struct packet {
	struct madkit_addr to;
	size_t len; /* 0: no packet */
	_Alignas(16) uint8_t headroom[TRANSPORT_HEADROOM];
	uint8_t mad[MADKIT_FRAME_BYTES];
};

/* Passes a packet to the device and empties it. Returns 0 or -errno; -EAGAIN: the packet is kept to be sent
 * later. */
int transfer_packet(struct madkit_agent *agent, struct packet *packet, struct send_time *sent);
/* Continues a transfer that was on the port's list unfinished. */
struct send_step transfer_proceed(struct send *s);
/* Begins the transfer with the send's TID, for the first time or again. */
struct send_step transfer_start(struct send *s, uint64_t now);
/* Restarts the timeout of a send in state SEND_TRANSFER after it has changed. */
struct send_step transfer_modify(struct send *s, uint64_t now);
/* Handles the deadline of a send in state SEND_TRANSFER. */
struct send_step transfer_due(struct send *s, uint64_t now);
/* Returns true and sets *step if a received RMPP packet belongs to the transfer. */
bool transfer_take(struct send *s, const uint8_t *mad, size_t len, uint64_t now, struct send_step *step);
/* Ends the transfer of a send that has ended with this status. Sends an ABORT unless the status is 0 (a
 * response arrived). */
void transfer_end(struct send *s, int status);

/* ---- handler.c: the only file that calls handlers of agents ------------------- */

/*
 * How many packets one madkit_port_process() receives and sends at most, so that it ends soon although the
 * window of a peer, or a flood of MADs, would allow it to continue. Sends have their own limit, or a flood
 * would keep them waiting. A MAD that a handler posts is always sent, and counts.
 */
enum { TURN_ARRIVALS = 192, TURN_SENDS = 64 };

/* Handlers may be called between these two. Agents that are unregistered meanwhile are freed by the outermost
 * handler_leave(). */
void handler_enter(struct madkit_port *port);
void handler_leave(struct madkit_port *port);
/* Calls the handler of a send that has ended (SEND_DONE). The send belongs to its poster again. */
void handler_sent(struct send *s);
/* Passes a message to the agent's handler, which then owns the frame. */
void handler_received(struct madkit_agent *agent, struct recv *r);
/* Passes the response to a send that has ended (SEND_DONE) to both handlers. */
void handler_answered(struct send *s, struct recv *r);
/* Calls the handlers of the sends that have ended so far, and returns how many. Sends that end meanwhile are
 * left for the next call, because this one might never return. */
int handler_call_done(struct madkit_port *port);

/* ---- rmpp.c: RMPP of agents for which this library does it -------------------- */

/* Create and free the agent's receiver. Transfers that have begun end with an ABORT. */
int rmpp_open(struct madkit_agent *agent);
void rmpp_close(struct madkit_agent *agent);
/* Processes an RMPP packet for the agent. */
void rmpp_arrived(struct madkit_agent *agent, const struct recv *r);
/* Returns the next complete message, which the caller frees, or NULL. Ends the sends with responses that
 * failed before it. */
struct recv *rmpp_message(struct madkit_agent *agent);
/* Returns when the first receiver of the port's agents is due. */
uint64_t rmpp_deadline(const struct madkit_port *port);
/* Sends the packets that receivers still have. Returns the number of receivers. */
int rmpp_flush(struct madkit_port *port);
/* Expires the first receiver that is due. Returns its agent, which may have messages now, or NULL. */
struct madkit_agent *rmpp_expire(struct madkit_port *port, uint64_t now);

/* ---- post.c ------------------------------------------------------------------- */

/* Same as madkit_agent_post(), but ends the send with -ETIMEDOUT at a time on the port's clock; UINT64_MAX:
 * never. */
int post_until(struct madkit_agent *agent, struct madkit_send *send, uint64_t end_ns);

#endif
