/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What probes report: which node and port is behind a port. Reports that contradict each other are disputes: the
 * ports involved are verified at once, and the disputed report when nothing else is left to do. If the contradiction
 * persists, the node is a duplicate.
 */
#ifndef SWEEP_CLAIM_H
#define SWEEP_CLAIM_H

#include "sweep/state.h"

/* The first node. 0; -EBADMSG: its values cannot be true; -ENOMEM. */
int claim_start(struct madkit_sweep *s, const uint8_t *info);
/* NodeInfo from behind a port. 0 or -ENOMEM. */
int claim_take(struct madkit_sweep *s, struct sweep_place at, const uint8_t *info);
/* The response to a request of a proof, which ends unless there is another request; NULL: none. 0 or -ENOMEM. */
int claim_prove(struct madkit_sweep *s, struct sweep_proof *proof, const uint8_t *data);
/* A port is down. 0 or -ENOMEM. */
int claim_down(struct madkit_sweep *s, struct sweep_place at);
/* Verifies what is behind a port that routes pass: its PortInfo, then a probe. */
void claim_verify(struct madkit_sweep *s, struct sweep_place at);
/* Verifies the disputed ports. False: there are none. */
bool claim_settle(struct madkit_sweep *s);

#endif
