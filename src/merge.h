/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Set --merge: keep what was not given. */
#ifndef SRC_MERGE_H
#define SRC_MERGE_H

#include "exchange.h"

/*
 * Gets the attribute that the request would set, puts the request's fields
 * over it, shows the difference on standard error, and leaves the result in
 * the request. EXIT_DONE or an exit status, told already.
 */
int merge(struct exchange *x, struct request *request);

#endif
