/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Where a direct route ends that nobody answers. */
#ifndef SRC_LOCATE_H
#define SRC_LOCATE_H

#include "exchange.h"

/* Asks the node behind each prefix of the request's direct route, from the
 * nearest on, and names the last one that answers: on standard error, and, with
 * the option --locate, as a line of JSON in that format. */
void locate(struct exchange *x, const struct request *request);

#endif
