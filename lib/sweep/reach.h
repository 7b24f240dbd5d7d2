/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Limits how far a sweep goes. */
#ifndef SWEEP_REACH_H
#define SWEEP_REACH_H

#include "sweep/state.h"

/* Requests NodeInfo from behind a port that has a link, unless the node of the port is too far away. */
void reach_probe(struct madkit_sweep *s, struct sweep_place at);
/* Call this when nothing else is left to do. Measures distances again, because a node may first have been
 * found by a detour, and probes the ports that have come within reach. Returns 1 if there is something to do;
 * 0 if not: distances are final; or -ENOMEM. */
int reach_extend(struct madkit_sweep *s);

#endif
