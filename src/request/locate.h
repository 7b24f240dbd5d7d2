/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Finds the last node that responds on a directed route. */
#ifndef SRC_LOCATE_H
#define SRC_LOCATE_H

#include "exchange.h"

/* Queries the node at the end of each prefix of the request's directed route, the nearest first, and names
 * the last one that responds: on standard error and, with --locate and JSON output, as a line of JSON. */
void locate(struct exchange *x, const struct request *request);

#endif
