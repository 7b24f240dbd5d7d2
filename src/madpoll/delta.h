/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* madpoll --delta: differences and rates of counters over time. */
#ifndef SRC_DELTA_H
#define SRC_DELTA_H

#include "request/exchange.h"

/* Checks the names in the expressions against the differences of the request's counters. Returns EXIT_DONE,
 * EXIT_USAGE or EXIT_LOCAL; an error has been reported. */
int delta_check(const struct output *out, const struct request *request);

/* Queries which counters the port has, if the attribute depends on it. *lack: the exit status if that is not known,
 * which has been reported; otherwise unchanged. Returns EXIT_DONE, or a status after a report. */
int delta_ask(struct exchange *x, const struct request *request, unsigned int *has, int *lack);

/* Queries the request's attribute repeatedly, and shows how its counters changed, until the count, the
 * deadline or a signal. Returns an exit status. */
int delta_run(struct exchange *x, const struct request *request);

#endif
