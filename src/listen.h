/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Registering for requests and waiting for them: what madrecv, madpoll and
 * madreg share. */
#ifndef SRC_LISTEN_H
#define SRC_LISTEN_H

#include "exchange.h"

/* Sets the methods that --method names, if it is given, in a mask of requests. 0 or
 * EXIT_USAGE. */
int listen_methods(const struct cli_options *options, uint64_t mask[2]);

/* The registration that the options ask for. Without --method: every request
 * that the class has. 0 or EXIT_USAGE. */
int listen_attributes(const struct cli_options *options,
		      struct madkit_agent_attr *attr);

/* Waits until something came, CLI_SLICE_MS at most, and handles it. 1; 0 at the
 * deadline or when a signal asked to stop; negative: it failed, told. */
int listen_wait(struct exchange *x);

/* Says what came of waiting or receiving there. */
void listen_failed(struct madkit_port *port, int error);

/* Says that less came in time than was to. EXIT_TIMEOUT. */
int listen_timeout(const struct cli_options *options, uint64_t received);

/* ---- showing what comes ------------------------------------------------------ */

/* An agent's context: receives with listener_receive(). */
struct listener {
	struct exchange x;
	/* which MADs are meant, and what is to be done with them once they are
	 * shown; NULL: all, and nothing */
	bool (*wanted)(const struct madkit_recv *recv);
	void (*respond)(struct madkit_agent *agent, const struct madkit_recv *recv);
	/* a long response of ours came back */
	void (*returned)(const struct madkit_recv *recv);
	uint64_t received;	/* and shown */
	bool done;
};

void listener_receive(struct madkit_agent *agent, struct madkit_recv *recv);

/* Shows what comes until it is enough, too late, or a signal stops it. */
int listener_run(struct listener *listener);

#endif
