/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The judgement of a sweep by the rules of the library, with the requests that they need. */
#ifndef SRC_JUDGE_H
#define SRC_JUDGE_H

#include "subnet.h"

struct judgement {
	struct madkit_health *health;             /* NULL: the subnet could not be judged */
	const struct madkit_registers *registers; /* of health; NULL: none was requested */
	bool cut;    /* the deadline, a signal or a failure ended the sweep or the judgement early */
	bool failed; /* a request failed, which was reported; cut is set as well */
	uint64_t mads, resent; /* of the requests after the sweep */
};

/* Judges a sweep that has ended. If the deadline or a signal ended it, the rest is judged all the same. Returns
 * EXIT_DONE, or another exit status after a report. The caller frees judgement->health in either case. */
int judge_subnet(struct subnet *net, const struct madkit_health_settings *settings,
		 struct judgement *judgement);

/* Appends what to do next about a problem, with the place of its first port. */
void judge_put_next(struct madkit_buf *buf, const struct subnet *net, const struct madkit_problem *problem);

#endif
