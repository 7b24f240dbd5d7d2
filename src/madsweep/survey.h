/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Sends one request to every port of a scope, or to every node for an attribute of a node. */
#ifndef SRC_SURVEY_H
#define SRC_SURVEY_H

#include "scope.h"

struct survey_delta;

/* Results of the requests. */
struct survey_tally {
	const char *what; /* "ports", "nodes" or "blocks" */
	uint64_t asked;   /* number of them in the scope that have the attribute */
	uint64_t answered;
	uint64_t summed;      /* not queried, because the sum of all ports of the switch is 0 */
	uint64_t silent;      /* no response, or not queried because the node did not respond */
	uint64_t refused;     /* the response has a MAD status */
	uint64_t unread;      /* nodes whose ClassPortInfo, on which the result depends, was not read */
	uint64_t unsupported; /* not queried, because the node does not have the attribute */
	uint64_t malformed;   /* malformed response */
	uint64_t failed;      /* could not be sent */
	uint64_t left_out;    /* registers: the type of the node is not trusted */
	uint64_t cut;         /* of the answered ones: registers with only their first block */
	uint64_t unsent;      /* not finished because of the deadline or a signal */
	uint64_t unpaired; /* answered, but there is no earlier reading, because the port did not respond */
	uint64_t mads, resent;
	uint64_t sa_mads, sa_resent; /* of the query for the SLs */
	int status; /* of results; missing ones count only if all are, or with --strict or --clear */
};

/*
 * Builds the request of METHOD ATTRIBUTE [Field=value ...], which survey_run() sends to each port with its
 * number. Failures are reported. Returns EXIT_DONE or an exit status. The caller frees the request in either
 * case.
 */
int survey_build(const struct cli_options *options, char **words, int nwords, struct request *request);

/* As survey_build(), for --clear ATTRIBUTE: a Set that resets all counters. */
int survey_build_clear(const struct cli_options *options, const char *attribute, struct request *request);

/* As survey_build(), for Get ATTRIBUTE. */
int survey_build_get(const struct cli_options *options, const char *attribute, struct request *request);

/* As survey_build(), for --errors: PortCounters, with a filter for the ports that have errors. */
int survey_build_errors(const struct cli_options *options, struct output *out, struct request *request);

/* Makes the request use LIDs instead of a directed route, if it is an SMP. */
void survey_by_lid(struct request *request);

/* Returns the number of requests that are SMPs. */
size_t survey_smps(const struct request *requests, size_t n);

/* Rejects options that have no effect on any of the requests or, if n is 0, without a request. Returns
 * EXIT_DONE or EXIT_USAGE. */
int survey_check_options(const struct cli_options *options, const struct request *requests, size_t n);

/* Checks if the results of a request are shown as rows of a table: unless a format was chosen, if one row holds
 * what a port or node has. */
bool survey_is_table(const struct cli_options *options, const struct request *request);

/* Returns the number of ports that survey_run() will clear, and names the other ports of the scope. */
size_t survey_announce_clear(const struct cli_options *options, const struct scope *scope,
			     const struct request *request);

/* Adds the results of other requests. */
void survey_tally_add(struct survey_tally *sum, const struct survey_tally *tally);

/* Sends the requests, shows and counts their results. Failures are reported. delta: keeps the results, and their
 * differences are shown instead; NULL: it does not. Returns EXIT_DONE, or the reason of an early end: EXIT_LOCAL,
 * EXIT_TIMEOUT (the deadline), 128 + N. */
int survey_run(struct exchange *x, const struct scope *scope, const struct request *request,
	       struct survey_delta *delta, struct survey_tally *tally);

#endif
