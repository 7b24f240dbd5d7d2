/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Registers for requests and waits for them; for madrecv, madpoll and madreg. */
#ifndef SRC_LISTEN_H
#define SRC_LISTEN_H

#include "exchange.h"
#include "held_lines.h"

/* Sets the methods of --method, if it is given, in a mask of requests. Returns 0 or EXIT_USAGE. */
int listen_methods(const struct cli_options *options, uint64_t mask[2]);

/* Rejects an --oui if the class has none, or if it has more than 24 bits. Returns EXIT_DONE or EXIT_USAGE. */
int listen_check_oui(const struct cli_options *options);

/* Appends the methods of a mask in the format of --method: "Get,0x10"; "none" if it is empty. */
void listen_methods_text(const struct madkit_agent_attr *attr, const uint64_t mask[2],
			 struct madkit_buf *buf);

/* Fills in the registration that the options request. Without --method: every request of the class that has a
 * name. Returns 0 or EXIT_USAGE. */
int listen_attributes(const struct cli_options *options, struct madkit_agent_attr *attr);

/* Waits until a MAD arrives, at most CLI_SLICE_MS, and handles it. Returns 1; 0 at the deadline or after a
 * stop signal; -ENOSPC if the next message is longer than --buffer; another negative value after a failure,
 * which has been reported. */
int listen_wait(struct exchange *x);

/* Reports a failure to wait or to receive at the port. */
void listen_failed(struct madkit_port *port, int error);

/* Reports that fewer MADs than requested arrived in time. Returns EXIT_TIMEOUT. */
int listen_timeout(const struct cli_options *options, uint64_t received);

/* ---- showing MADs that arrive ------------------------------------------------- */

/* Initialises the message of a MAD that an agent of this exchange received. The message refers to recv. */
void listen_message(struct exchange *x, const struct madkit_recv *recv, struct madkit_message *message);

/* The context of an agent that receives with listener_receive(). */
struct listener {
	struct exchange x;
	/* wanted selects the MADs (NULL: all); respond is called for each MAD that is selected (NULL: nothing
	 * to do) */
	bool (*wanted)(const struct madkit_recv *recv);
	void (*respond)(struct madkit_agent *agent, const struct madkit_recv *recv);
	/* called between waits, at least every CLI_SLICE_MS; NULL: nothing to do */
	void (*tend)(struct listener *listener);
	/* called when a long response of the listener is returned with an error; NULL: nothing to do */
	void (*returned)(const struct madkit_recv *recv);
	uint64_t received;       /* number of MADs received and shown */
	size_t buffer;           /* --buffer: the size for a message that was too long; 0: the first size */
	struct held_lines *held; /* with --names or --node-name-map; else NULL */
	bool done;
};

/* The receive handler of a listener's agent. Takes ownership of recv. */
void listener_receive(struct madkit_agent *agent, struct madkit_recv *recv);

/* If the options request names, lines wait for them from now on. x.agent must be registered. Returns as
 * exchange_report(). */
int listener_begin(struct listener *listener);
/* Shows the lines that wait for names. Call it before showing a line that is not about a MAD. */
void listener_flush(struct listener *listener);
/* As listener_flush(); later lines do not wait. */
void listener_end(struct listener *listener);

/* Shows the MADs that arrive, until there are enough, the deadline passes, or a signal arrives. Returns an
 * exit status. */
int listener_run(struct listener *listener);

#endif
