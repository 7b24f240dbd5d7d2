/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* How far a sweep goes. */
#ifndef SWEEP_REACH_H
#define SWEEP_REACH_H

#include "sweep/state.h"

/* Requests NodeInfo from behind a port that has a link, unless its node is too far away. */
void reach_probe(struct madkit_sweep *s, struct sweep_place at);
/* Nothing else is left to do: measures distances anew, because a node may have been found by a detour first, and probes what
 * has become near. 1: there is something to do; 0: there is nothing, distances are final; -ENOMEM. */
int reach_extend(struct madkit_sweep *s);

#endif
