/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* --local: the ports of this host, and the ports at the other ends of their cables. */
#ifndef SRC_LOCAL_H
#define SRC_LOCAL_H

#include "check.h"

/* Reads both ends of each InfiniBand port of this host, with at most four MADs a port, and judges them. Returns EXIT_DONE,
 * or another exit status after a report; the caller frees check in either case. */
int local_check(struct check *check, struct subnet_common *common, struct output *out);

#endif
