/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The sweep of one subnet, and its use by the command. */
#ifndef SRC_SWEEPING_H
#define SRC_SWEEPING_H

#include "metrics.h"
#include "route.h"
#include "subnet/gaps.h"
#include "subnet/subnet.h"
#include "survey_rounds.h"

enum { SWEEPING_REQUESTS = 8 }; /* of --clear: attributes at most */

struct sweeping {
	const struct madsweep_options *options;
	struct subnet net;
	struct madkit_sweep_counts earlier; /* of a first sweep that found only the node of --from */
	struct gaps gaps;
	struct scope_start start;
	struct madkit_expr *select;
	struct order order;
	struct scope scope;
	bool missed;          /* it does not have the node that --from or --route names */
	bool stopped;         /* a signal ended the sweep */
	struct routes routes; /* of --route or --mlid */
	/* sent to the ports, one after another; of --clear there may be several; none: the ports are listed */
	struct request requests[SWEEPING_REQUESTS];
	size_t nrequests;
	struct survey_delta *deltas[SWEEPING_REQUESTS]; /* --delta and --since; NULL: responses are shown */
	struct baseline *baseline;                      /* of --since */
	struct survey_tally tallies[SWEEPING_REQUESTS];
	struct survey_tally tally; /* of all requests */
	struct metrics *metrics;   /* of -f prometheus; NULL: another format */
	struct request fallback;   /* for nodes without PortCountersExtended; mad NULL: none */
	struct survey_tally fallback_tally;
	uint64_t measured_ns;                 /* duration of the requests for metrics */
	unsigned long shown, skipped, failed; /* counts before this subnet */
};

/* Begins a sweep through the port. Functions that return an exit status store the reason in net.x.failure.why. */
int sweeping_begin(struct sweeping *s);

/* Runs as subnet_run(). If the node of --from is not a switch, begins again at the node before it, because
 * directed routes do not pass it. */
int sweeping_run(struct sweeping *s);

/* Frees the sweep and closes its port, but keeps what all subnets share. */
void sweeping_free(struct sweeping *s);

#endif
