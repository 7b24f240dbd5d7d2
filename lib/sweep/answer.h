/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Processes the results of requests. */
#ifndef SWEEP_ANSWER_H
#define SWEEP_ANSWER_H

#include "sweep/state.h"

/* Processes a request that has ended. result and data are those of ask_result(). Returns 0; -ENOMEM; or
 * result if it is an error of the device. */
int answer_take(struct madkit_sweep *s, const struct sweep_request *r, int result, const uint8_t *data);
/* Processes a request without a response or without a route. last: no try is left. */
int answer_silent(struct madkit_sweep *s, bool last, enum sweep_kind kind, struct sweep_place at);

#endif
