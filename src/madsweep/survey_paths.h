/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The service levels for the nodes of a subnet, from the PathRecords of the SA. */
#ifndef SRC_SURVEY_PATHS_H
#define SRC_SURVEY_PATHS_H

#include <madkit/survey.h>
#include "request/exchange.h"

struct survey_paths {
	uint8_t *sl;       /* by LID, allocated by the caller: MADKIT_SURVEY_LIDS */
	uint32_t mads;     /* number of tries of the query; 0: it was not sent */
	uint64_t asked_ns; /* its time */
};

/* Queries the SA once. Without its response, all SLs are 0, which is reported. Returns EXIT_DONE, EXIT_LOCAL
 * after a report, or 128 + N. The caller frees paths in either case. */
int survey_paths_get(struct exchange *x, struct survey_paths *paths);
void survey_paths_free(struct survey_paths *paths);

#endif
