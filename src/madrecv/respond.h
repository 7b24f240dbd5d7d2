/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Answers to requests of others, for an agent whose context is a struct
 * listener. What cannot be sent is told on standard error. */
#ifndef SRC_RESPOND_H
#define SRC_RESPOND_H

#include <madkit/madkit.h>

/* The same MAD as its own response: GetResp for Get and Set, else the method with
 * the response bit; status 0. What has no response gets none: Send, Trap,
 * TrapRepress. */
void respond_echo(struct madkit_agent *agent, const struct madkit_recv *recv);

/* As infiniband-diags' ibping -S does: the response holds "host.domain". */
void respond_ibping(struct madkit_agent *agent, const struct madkit_recv *recv);

/* Says that a long response came back: struct listener's returned. */
void respond_returned(const struct madkit_recv *recv);

/* The send handler of an agent that responds. */
void respond_sent(struct madkit_agent *agent, struct madkit_send *send, int status);

#endif
