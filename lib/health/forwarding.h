/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The rule route: packets to each LID arrive from every switch with hosts. */
#ifndef HEALTH_FORWARDING_H
#define HEALTH_FORWARDING_H

#include "health/state.h"

/* Lists all switches in h->ports. Returns 0 or -ENOMEM. */
int forwarding_list(struct madkit_health *h);

/* Keeps a block of the LinearForwardingTable of a switch. */
void forwarding_take(struct madkit_health *h, size_t at, uint32_t block, const uint8_t *data);

/* Returns 0 or -ENOMEM. */
int forwarding_judge(struct madkit_health *h);

void forwarding_free(struct madkit_health *h);

#endif
