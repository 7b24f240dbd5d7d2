/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The surveys of --delta and --since, one after another. */
#ifndef SRC_SURVEY_ROUNDS_H
#define SRC_SURVEY_ROUNDS_H

#include "survey.h"
#include "survey_delta.h"

struct survey_rounds {
	struct exchange *x;
	const struct scope *scope;
	struct survey_delta **deltas; /* of each request */
	struct survey_tally *tallies;
	size_t n;
	struct baseline *baseline; /* of --since; NULL: --delta */
	bool whole;                /* the scope is the whole subnet, which was read completely */
};

/* Reads the counters, shows the differences, and counts the results. Failures are reported. Returns as survey_run(). */
int survey_rounds_run(struct survey_rounds *rounds);

#endif
