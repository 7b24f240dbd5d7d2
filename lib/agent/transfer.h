/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Sends that the library's RMPP sends: the sender of lib/rmpp, whose packets go to the device. As in send.h, what is
 * to be done with the send is returned. */
#ifndef AGENT_TRANSFER_H
#define AGENT_TRANSFER_H

#include "agent/agent.h"

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

#endif
