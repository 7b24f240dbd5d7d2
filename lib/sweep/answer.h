/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Results of requests. */
#ifndef SWEEP_ANSWER_H
#define SWEEP_ANSWER_H

#include "sweep/state.h"

/* Takes a request that has ended: result and data are those of ask_result(). 0; -ENOMEM; or result, if it is an
 * error of the device. */
int answer_take(struct madkit_sweep *s, const struct sweep_request *r, int result, const uint8_t *data);
/* There is no response, or no route. last: no try is left. */
int answer_silent(struct madkit_sweep *s, bool last, enum sweep_kind kind, struct sweep_place at);

#endif
