/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Distances: links from a port, as defined in madkit/sweep.h. */
#ifndef SWEEP_DISTANCE_H
#define SWEEP_DISTANCE_H

#include "sweep/state.h"

struct distance_step {
	uint32_t parent; /* node before it; MADKIT_SWEEP_NONE: it is the first one, or was not reached */
	uint8_t parent_port;
	uint8_t port; /* through which it is entered */
	uint8_t hops; /* MADKIT_SWEEP_UNREACHED: not reached */
};

struct distance {
	struct distance_step *steps; /* by node number */
	uint32_t *order;             /* nodes that were reached, nearest first */
	uint32_t count;              /* entries in order */
};

/* Walks all known links from the start; from a CA or router, only out of its port start.port. routes: only
 * over links that SMPs can pass, not through silent nodes or over links that lost SMPs. Returns 0 or -ENOMEM.
 * After 0, call distance_free(). */
int distance_walk(const struct madkit_sweep *s, struct sweep_place start, bool routes, struct distance *d);
void distance_free(struct distance *d);
/* Returns the port through which the sweep leaves the first node. */
struct sweep_place distance_first(const struct madkit_sweep *s);

#endif
