/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Registering for requests and waiting for them: what madrecv, madpoll and
 * madreg share. */
#ifndef SRC_LISTEN_H
#define SRC_LISTEN_H

#include "cli.h"

/* The registration that the options ask for. Without --method: every request
 * that the class has. 0 or EXIT_USAGE. */
int listen_attributes(const struct cli_options *options,
		      struct madkit_agent_attr *attr);

/* Registers, and says why not. 0 or EXIT_LOCAL. */
int listen_register(struct madkit_port *port,
		    const struct madkit_agent_attr *attr,
		    struct madkit_agent **agent);

/* Waits until something came, CLI_SLICE_MS at most, and handles it. 1; 0 at the deadline (port
 * clock) or when a signal asked to stop; negative: it failed, told. */
int listen_wait(struct madkit_port *port, uint64_t deadline_ns);

/* Says what came of waiting or receiving there. */
void listen_failed(struct madkit_port *port, int error);

/* How long to wait at once: CLI_SLICE_MS, less before the deadline, 0 at it. */
int listen_slice_ms(struct madkit_port *port, uint64_t deadline_ns);

/* Says that less came in time than was to. EXIT_TIMEOUT. */
int listen_timeout(const struct cli_options *options, uint64_t received);

#endif
