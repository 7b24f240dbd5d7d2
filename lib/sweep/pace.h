/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The window of the first phase. A lost SMP is only noticed after a timeout. A window that grows with each response, as
 * that of a dispatcher does, has by then lost many: each switch on a directed route buffers and forwards SMPs, so
 * that those of a sweep meet at the first one. This window grows by one in each timeout without a loss.
 */
#ifndef SWEEP_PACE_H
#define SWEEP_PACE_H

#include "sweep/state.h"

void pace_begin(struct madkit_sweep *s);
/* Whether another SMP may be sent in this phase. */
bool pace_has_room(const struct madkit_sweep *s);
/* A request of the first phase has ended. */
void pace_end(struct madkit_sweep *s, const struct sweep_request *r);

#endif
