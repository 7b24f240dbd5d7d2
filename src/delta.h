/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Counters over time: differences and rates. */
#ifndef SRC_DELTA_H
#define SRC_DELTA_H

#include "exchange.h"

/* Asks for the request's attribute again and again and shows how its counters
 * moved, until the count, the deadline or a signal. An exit status. */
int delta(struct exchange *x, const struct request *request);

#endif
