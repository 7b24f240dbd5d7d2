/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Claims: the node and port that a probe found behind a port. Claims that contradict each other are disputed:
 * the ports involved are verified at once, and the disputed claim when nothing else is left to do. If the
 * contradiction persists, the node is a duplicate.
 */
#ifndef SWEEP_CLAIM_H
#define SWEEP_CLAIM_H

#include "sweep/state.h"

/* Adds the first node. Returns 0; -EBADMSG if its values cannot be true; or -ENOMEM. */
int claim_start(struct madkit_sweep *s, const uint8_t *info);
/* Processes NodeInfo from behind a port. Returns 0 or -ENOMEM. */
int claim_take(struct madkit_sweep *s, struct sweep_place at, const uint8_t *info);
/* Processes the response to a request of a proof; data is NULL if there was none. The proof ends unless it
 * needs another request. Returns 0 or -ENOMEM. */
int claim_prove(struct madkit_sweep *s, struct sweep_proof *proof, const uint8_t *data);
/* Processes a port that is down. Returns 0 or -ENOMEM. */
int claim_down(struct madkit_sweep *s, struct sweep_place at);
/* Verifies the link of a port, if routes pass the port: requests its PortInfo, then probes it. */
void claim_verify(struct madkit_sweep *s, struct sweep_place at);
/* Verifies the disputed ports. Returns false if there are none. */
bool claim_settle(struct madkit_sweep *s);

#endif
