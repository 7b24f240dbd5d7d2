/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The rule pkey: the ends of a link share partitions, where a switch enforces them. */
#ifndef HEALTH_PARTITIONS_H
#define HEALTH_PARTITIONS_H

#include "health/state.h"

/* Lists the ports of hosts at switch ports that enforce partitions, and these ports, in h->ports. Returns 0 or
 * -ENOMEM. */
int partitions_list(struct madkit_health *h);

/* Keeps a block of the P_KeyTable of a port. */
void partitions_take(struct madkit_health *h, size_t at, const uint8_t *data);

/* Returns 0 or -ENOMEM. */
int partitions_judge(struct madkit_health *h);

#endif
