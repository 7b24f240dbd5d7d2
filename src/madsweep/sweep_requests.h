/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The requests that madsweep sends to the ports of its sweep: those of the words, of --errors or of --clear. */
#ifndef SRC_SWEEP_REQUESTS_H
#define SRC_SWEEP_REQUESTS_H

#include "sweeping.h"

/* Builds the requests, and checks the options and names of fields that apply to them. Returns an exit status. */
int sweeping_build(struct sweeping *s, const struct cli_options *o, const struct cli_words *w,
		   struct output *out);

/* Reads --sort: a field is one of each attribute. */
int sweeping_read_order(struct sweeping *s, const char *word);

/* Reads the file of --since: the attributes of all requests. Its times are checked by the clock of the port. */
int sweeping_read_baseline(struct sweeping *s);

/* Sends the requests to the ports of the scope, and shows their results. Returns an exit status. */
int sweeping_ask(struct sweeping *s);

#endif
