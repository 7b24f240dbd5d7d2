/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Responses to requests from others, for an agent with a struct listener as its context. Send errors are reported on
 * standard error. */
#ifndef SRC_RESPOND_H
#define SRC_RESPOND_H

#include <madkit/madkit.h>

/* Returns the request as its own response, with status 0: GetResp for Get and Set, else the method with the response
 * bit. Methods without a response (Send, Trap, TrapRepress) get none. */
void respond_echo(struct madkit_agent *agent, const struct madkit_recv *recv);

/* Responds like infiniband-diags' ibping -S: the response holds "host.domain". */
void respond_ibping(struct madkit_agent *agent, const struct madkit_recv *recv);

/* Reports that a long response came back: returned of struct listener. */
void respond_returned(const struct madkit_recv *recv);

/* The send handler of a responding agent. */
void respond_sent(struct madkit_agent *agent, struct madkit_send *send, int status);

#endif
