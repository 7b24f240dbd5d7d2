/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The rule sm: exactly one subnet manager is master, and all ports have its LID. */
#ifndef HEALTH_MANAGERS_H
#define HEALTH_MANAGERS_H

#include "health/state.h"

/* Lists the ports with a subnet manager in h->ports. Returns 0 or -ENOMEM. */
int managers_list(struct madkit_health *h);

/* Keeps the response of a manager; data NULL: there is none. */
void managers_take(struct madkit_health *h, size_t at, const uint8_t *data);

/* Checks if another reading could show another result: not exactly one manager is master. */
bool managers_in_doubt(const struct madkit_health *h);

/* Returns 0 or -ENOMEM. */
int managers_judge(struct madkit_health *h);

#endif
