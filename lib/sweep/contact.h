/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* First contacts with unknown nodes: detects several in a row without a response. */
#ifndef SWEEP_CONTACT_H
#define SWEEP_CONTACT_H

#include "sweep/state.h"

void contact_begin(struct madkit_sweep *s, struct sweep_request *r);
void contact_end(struct madkit_sweep *s, struct sweep_request *r, bool answered);
/* Returns true if no contact may begin now: three in a row had no response, or have none so far. */
bool contact_blocked(const struct madkit_sweep *s, uint64_t now);

#endif
