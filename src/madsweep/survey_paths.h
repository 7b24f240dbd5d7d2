/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The service levels to reach the nodes of a subnet, from the PathRecords of the SA. */
#ifndef SRC_SURVEY_PATHS_H
#define SRC_SURVEY_PATHS_H

#include "request/exchange.h"

enum { SURVEY_LIDS = 0xc000 };

struct survey_paths {
	uint8_t *sl;   /* by LID, allocated; NULL: all 0 */
	uint32_t mads; /* tries of the request for them */
};

/* Queries the SA once. Without its response all SLs are 0, which is told. EXIT_DONE, EXIT_LOCAL (told), or 128 + N. Free it
 * in either case. */
int survey_paths_get(struct exchange *x, struct survey_paths *paths);
void survey_paths_free(struct survey_paths *paths);

uint8_t survey_paths_sl(const struct survey_paths *paths, uint32_t lid);

#endif
