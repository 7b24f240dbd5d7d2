/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* madrecv --subscribe: reports of traps from the subnet administrator. */
#ifndef SRC_SUBSCRIBE_H
#define SRC_SUBSCRIBE_H

#include "request/exchange.h"

/*
 * Subscribes to the traps that the options name, shows each Report and answers it, until the
 * count, the deadline or a signal. Renews the subscriptions at intervals, when the port has
 * another subnet manager, and when the manager asks for it; withdraws them from the present
 * manager, whatever ended it. An exit status.
 */
int subscribe(const struct cli_options *options, struct output *out);

#endif
