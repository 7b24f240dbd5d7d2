/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The requests of -f prometheus. */
#ifndef SRC_SWEEP_METRICS_H
#define SRC_SWEEP_METRICS_H

#include "sweeping.h"

/* Checks if all attributes have metrics, and builds the request for nodes without PortCountersExtended. Returns EXIT_DONE
 * or EXIT_USAGE. */
int sweeping_build_metrics(struct sweeping *s, const struct cli_options *o);

/* Gets the counters of all ports. Returns as survey_run() does. */
int sweeping_measure(struct sweeping *s);

#endif
