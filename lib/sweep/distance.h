/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Distances: links from a port, as madkit/sweep.h defines them. */
#ifndef SWEEP_DISTANCE_H
#define SWEEP_DISTANCE_H

#include "sweep/state.h"

struct distance_step {
	uint32_t parent; /* node before it; MADKIT_SWEEP_NONE: it is the first one, or not reached */
	uint8_t parent_port;
	uint8_t port; /* by which it is entered */
	uint8_t hops; /* MADKIT_SWEEP_UNREACHED: not reached */
};

struct distance {
	struct distance_step *steps; /* of each node */
	uint32_t *order;             /* nodes that are reached, the nearest first */
	uint32_t count;              /* of order */
};

/* Walks all links that are known, out of the start: of a CA or router, out of its port start.port. routes: only where SMPs
 * passed, not through silent nodes or past links that lost them. 0; -ENOMEM. Free the result of 0. */
int distance_walk(const struct madkit_sweep *s, struct sweep_place start, bool routes, struct distance *d);
void distance_free(struct distance *d);
/* The port by which the sweep leaves the first node. */
struct sweep_place distance_first(const struct madkit_sweep *s);

#endif
