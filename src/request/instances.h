/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The modifiers of -m with a list: those given, or those of all ports and blocks of the node. */
#ifndef SRC_INSTANCES_H
#define SRC_INSTANCES_H

#include "exchange.h"

struct instances {
	uint32_t *modifiers; /* allocated */
	size_t n;
};

/* Rejects a list that does not fit the request. Returns EXIT_DONE or EXIT_USAGE. */
int instances_check(const struct cli_options *options, const struct request *request);

/* Builds the list that the options describe, and queries the node if it contains "all" (otherwise x may be
 * NULL). Failures are reported and, if a query failed, shown. Returns EXIT_DONE or an exit status. The caller
 * frees the list in either case. */
int instances_get(struct exchange *x, const struct cli_options *options, const struct request *request,
		  struct instances *list);
void instances_free(struct instances *list);

/* Copies the request with another modifier. Returns 0 or -ENOMEM. The caller frees the copy with
 * request_free() in either case. */
int instances_request(const struct request *request, uint32_t modifier, struct request *copy);

#endif
