/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* One request to every port of a scope, or to every node of it for an attribute of a node. */
#ifndef SRC_SURVEY_H
#define SRC_SURVEY_H

#include "scope.h"

/* What became of the requests. */
struct survey_tally {
	const char *what; /* "ports" or "nodes" */
	uint64_t asked;   /* so many of them are in the scope and have the attribute */
	uint64_t answered;
	uint64_t summed;      /* not asked, because the sum of all ports of the switch is 0 */
	uint64_t silent;      /* no response, or not asked because the node did not respond */
	uint64_t refused;     /* a MAD status */
	uint64_t unread;      /* nodes of which ClassPortInfo was not read, which the result depends on */
	uint64_t unsupported; /* not asked, because the node does not have the attribute */
	uint64_t malformed;   /* a response that cannot be true */
	uint64_t failed;      /* could not be sent */
	uint64_t unsent;      /* at the deadline or a signal */
	uint64_t mads, resent;
	uint64_t sa_mads, sa_resent; /* for the SLs */
	int status; /* of results; missing responses count only if there are no others, or with --strict */
};

/*
 * Makes the request of METHOD ATTRIBUTE [Field=value ...]: survey_run() sends it with another port each. Failures are told.
 * EXIT_DONE or an exit status. Free it in either case.
 */
int survey_build(const struct cli_options *options, char **words, int nwords, struct request *request);

/* Makes the request of --clear ATTRIBUTE: a Set that resets all counters. The same. */
int survey_build_clear(const struct cli_options *options, const char *attribute, struct request *request);

/* Sends an SMP by LIDs: without directed routes. */
void survey_by_lid(struct request *request);

/* Refuses options that have no effect with it, or if request is NULL without a request. EXIT_DONE or EXIT_USAGE. */
int survey_check_options(const struct cli_options *options, const struct request *request);

/* The number of ports that survey_run() clears; the others of the scope are named. */
size_t survey_announce_clear(const struct cli_options *options, const struct scope *scope,
			     const struct request *request);

/* Sends it, shows and counts results. Failures are told. EXIT_DONE, or what ended it early: EXIT_LOCAL, EXIT_TIMEOUT (the
 * deadline), 128 + N. */
int survey_run(struct exchange *x, const struct scope *scope, const struct request *request,
	       struct survey_tally *tally);

#endif
