/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The rule counters: no counter of errors is above its limit. */
#ifndef HEALTH_THRESHOLDS_H
#define HEALTH_THRESHOLDS_H

#include "health/state.h"

/* Lists all ports that are up in h->ports, for a rule. Returns 0 or -ENOMEM. */
int thresholds_list(struct madkit_health *h, enum rule_number rule);

/* Keeps the numbers of the counters that are above their limits. */
void thresholds_take(struct madkit_health *h, size_t at, const uint8_t *data);

/* Returns 0 or -ENOMEM. */
int thresholds_judge(struct madkit_health *h);

#endif
