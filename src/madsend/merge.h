/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Set --merge: keep what was not given. */
#ifndef SRC_MERGE_H
#define SRC_MERGE_H

#include "request/exchange.h"

/* Checks that the request is a Set of state, of which a Get returns the present values, and that
 * it gives fields, not data. 0 or EXIT_USAGE. */
int merge_check(const struct request *request);

/*
 * Gets the attribute that the request would set, puts the request's fields
 * over it, shows the difference on standard error, and leaves the result in
 * the request. EXIT_DONE or an exit status, reported already. merge_check() comes first.
 */
int merge(struct exchange *x, struct request *request);

#endif
