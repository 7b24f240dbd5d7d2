/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* madrecv --snoop: the headers of the whole host's MADs. */
#ifndef SRC_SNOOP_H
#define SRC_SNOOP_H

#include "request/exchange.h"

/* Shows what every process and the kernel send and receive, on all ports or those
 * that are named, until it is enough, too late, or a signal stops it. */
int snoop(const struct cli_options *options, struct output *out);

#endif
