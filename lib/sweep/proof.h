/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Proves whether two routes lead to one node: a route through a port that leads to a node with a known GUID,
 * and the route by which that node was found. If they do, each of its other ports has its known neighbour,
 * whichever route is used. Unlike the state of a port, that does not depend on when it is read.
 */
#ifndef SWEEP_PROOF_H
#define SWEEP_PROOF_H

#include "sweep/state.h"

enum proof_verdict {
	PROOF_UNKNOWN, /* no response */
	PROOF_OPEN,    /* the next request is queued */
	PROOF_SAME,
	PROOF_OTHER,
};

/* Checks if the node can be distinguished from another one: it has a route and another link. */
bool proof_is_possible(const struct madkit_sweep *s, uint32_t node);
/* Queues the first request of a proof. info is NodeInfo from behind the port at; node has the same GUID.
 * Returns 0 or -ENOMEM. */
int proof_begin(struct madkit_sweep *s, struct sweep_place at, const uint8_t *info, uint32_t node);
/* Takes the next proof from the queue. Returns NULL if there is none. */
struct sweep_proof *proof_take(struct madkit_sweep *s);
/* Processes the response; data is NULL if there was none. */
enum proof_verdict proof_judge(struct madkit_sweep *s, struct sweep_proof *proof, const uint8_t *data);
/* Frees a proof, queued or not. */
void proof_end(struct sweep_proof *proof);
void proof_free(struct madkit_sweep *s);

#endif
