/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Applies the rules to a sweep, with the requests that they need. */
#ifndef SRC_JUDGE_H
#define SRC_JUDGE_H

#include "check.h"

/* Judges a sweep that has ended. Sets net->cut if the deadline or a signal ended it; the rest is judged all the same. Returns
 * EXIT_DONE, or another exit status after a report. */
int judge_net(struct check *check, struct check_net *net);

#endif
