/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* madrecv --snoop: the headers of the whole host's MADs. */
#ifndef SRC_SNOOP_H
#define SRC_SNOOP_H

#include "request/exchange.h"

/* Shows the MADs that all processes and the kernel send and receive, on all ports or on the named ones, until the
 * count, the deadline or a signal. */
int snoop(const struct cli_options *options, struct output *out);

#endif
