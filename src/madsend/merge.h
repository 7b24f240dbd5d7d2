/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Set with --merge: keeps the values of the fields that are not given. */
#ifndef SRC_MERGE_H
#define SRC_MERGE_H

#include "request/exchange.h"

/* Checks that the request is a Set of state whose present values a Get returns, and that it has fields, not
 * data. Returns 0 or EXIT_USAGE. */
int merge_check(const struct request *request);

/*
 * Gets the attribute that the request would set, merges the request's fields into it, shows the difference on
 * standard error, and stores the result in the request. Returns EXIT_DONE, or an exit status after a report.
 * Call merge_check() first.
 */
int merge(struct exchange *x, struct request *request);

#endif
