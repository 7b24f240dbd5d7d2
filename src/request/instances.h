/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The modifiers of -m with a list: those given, or those of the ports and blocks that the node has. */
#ifndef SRC_INSTANCES_H
#define SRC_INSTANCES_H

#include "exchange.h"

struct instances {
	uint32_t *modifiers; /* allocated */
	size_t n;
};

/* Refuses a list that does not fit the request. EXIT_DONE or EXIT_USAGE. */
int instances_check(const struct cli_options *options, const struct request *request);

/* Makes the list of the options, and queries the node if it contains "all" (x may be NULL if it does not). Failures are
 * reported and, if a query failed, shown. EXIT_DONE or an exit status. Free it in either case. */
int instances_get(struct exchange *x, const struct cli_options *options, const struct request *request,
		  struct instances *list);
void instances_free(struct instances *list);

/* The same request with another modifier. 0 or -ENOMEM. Free it with request_free() in either case. */
int instances_request(const struct request *request, uint32_t modifier, struct request *copy);

#endif
