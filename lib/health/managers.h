/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The rule sm: exactly one subnet manager is master, and all ports have its LID. */
#ifndef HEALTH_MANAGERS_H
#define HEALTH_MANAGERS_H

#include "health/state.h"

/* Lists the ports with a subnet manager in h->ports. Returns 0 or -ENOMEM. */
int managers_list(struct madkit_health *h);

/* Keeps the response of a manager; data NULL: there is none. */
void managers_take(struct madkit_health *h, size_t at, const uint8_t *data);

/* Checks if another reading could show another result, as during a handover: not exactly one manager is master, or an
 * Active port has another SMLid. */
bool managers_in_doubt(const struct madkit_health *h);

/* Lists the Active ports whose SMLid is not the LID of the only master in h->ports: they are read again. Returns 0 or
 * -ENOMEM. */
int managers_list_strays(struct madkit_health *h);

/* Keeps the second PortInfo of such a port. */
void managers_take_stray(struct madkit_health *h, size_t at, const uint8_t *info);

/* Returns 0 or -ENOMEM. */
int managers_judge(struct madkit_health *h);

#endif
