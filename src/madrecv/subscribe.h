/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* madrecv --subscribe: Reports of traps from the subnet administrator. */
#ifndef SRC_SUBSCRIBE_H
#define SRC_SUBSCRIBE_H

#include "request/exchange.h"

/*
 * Subscribes to the traps that the options name, shows and acknowledges each Report, until the count, the deadline or a
 * signal. Renews the subscriptions at intervals, if the port's subnet manager changes, and if the manager asks for
 * reregistration. Always unsubscribes from the present manager at the end. Returns an exit status.
 */
int subscribe(const struct cli_options *options, struct output *out);

#endif
