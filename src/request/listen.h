/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Registering for requests and waiting for them: what madrecv, madpoll and
 * madreg share. */
#ifndef SRC_LISTEN_H
#define SRC_LISTEN_H

#include "exchange.h"
#include "held_lines.h"

/* Sets the methods that --method names, if it is given, in a mask of requests. 0 or
 * EXIT_USAGE. */
int listen_methods(const struct cli_options *options, uint64_t mask[2]);

/* Refuses an --oui that the class does not have, or that has more than 24 bits. EXIT_DONE or EXIT_USAGE. */
int listen_check_oui(const struct cli_options *options);

/* Appends the methods in a mask as --method accepts them: "Get,0x10"; "none" if there are none. */
void listen_methods_text(const struct madkit_agent_attr *attr, const uint64_t mask[2],
			 struct madkit_buf *buf);

/* The registration that the options ask for. Without --method: every request of the class
 * that has a name. 0 or EXIT_USAGE. */
int listen_attributes(const struct cli_options *options, struct madkit_agent_attr *attr);

/* Waits until something arrives, CLI_SLICE_MS at most, and handles it. 1; 0 at the
 * deadline or after a stop signal; -ENOSPC the next message is longer than --buffer;
 * another negative value: it failed, and the reason was printed. */
int listen_wait(struct exchange *x);

/* Says what came of waiting or receiving there. */
void listen_failed(struct madkit_port *port, int error);

/* Says that less came in time than was to. EXIT_TIMEOUT. */
int listen_timeout(const struct cli_options *options, uint64_t received);

/* ---- showing MADs that arrive ------------------------------------------------- */

/* The message of a MAD that an agent of this exchange received; it refers to recv. */
void listen_message(struct exchange *x, const struct madkit_recv *recv, struct madkit_message *message);

/* An agent's context: receives with listener_receive(). */
struct listener {
	struct exchange x;
	/* which MADs are meant, and what is to be done with them once they are
	 * shown; NULL: all, and nothing */
	bool (*wanted)(const struct madkit_recv *recv);
	void (*respond)(struct madkit_agent *agent, const struct madkit_recv *recv);
	/* called between waits, at least every CLI_SLICE_MS; NULL: nothing to do */
	void (*tend)(struct listener *listener);
	/* a long response of ours came back */
	void (*returned)(const struct madkit_recv *recv);
	uint64_t received;       /* and shown */
	size_t buffer;           /* --buffer: the size for a message that was too long; 0: the first */
	struct held_lines *held; /* with --names or --node-name-map; else NULL */
	bool done;
};

void listener_receive(struct madkit_agent *agent, struct madkit_recv *recv);

/* If the options want names, lines wait for them from now on. x.agent is registered. As exchange_report(). */
int listener_begin(struct listener *listener);
/* Shows the lines that wait for names. Called before a line is shown that is not a MAD's. */
void listener_flush(struct listener *listener);
/* The same; later lines do not wait. */
void listener_end(struct listener *listener);

/* Shows what comes until it is enough, too late, or a signal stops it. */
int listener_run(struct listener *listener);

#endif
