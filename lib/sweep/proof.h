/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Whether two routes lead to one node: a route through a port that leads to a node with a known GUID, and the route by
 * which that node was found. If it is one node, then behind each of its other ports is what is already known to be there,
 * by either route. Unlike the state of a port, that does not depend on when it is read.
 */
#ifndef SWEEP_PROOF_H
#define SWEEP_PROOF_H

#include "sweep/state.h"

enum proof_verdict {
	PROOF_UNKNOWN, /* no response */
	PROOF_OPEN,    /* the next request has been queued */
	PROOF_SAME,
	PROOF_OTHER,
};

/* Whether the node can be told from another one: it has a route, and another link. */
bool proof_is_possible(const struct madkit_sweep *s, uint32_t node);
/* Queues the first request, about NodeInfo from behind the port at, and the node with the same GUID. 0 or -ENOMEM. */
int proof_begin(struct madkit_sweep *s, struct sweep_place at, const uint8_t *info, uint32_t node);
/* Takes the next one that is queued. NULL: there is none. */
struct sweep_proof *proof_take(struct madkit_sweep *s);
/* The response; NULL: none. */
enum proof_verdict proof_judge(struct madkit_sweep *s, struct sweep_proof *proof, const uint8_t *data);
/* The proof is not queued. */
void proof_end(struct sweep_proof *proof);
void proof_free(struct madkit_sweep *s);

#endif
