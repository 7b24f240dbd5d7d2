/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The rule firmware: devices of one kind have the same version. */
#ifndef HEALTH_FIRMWARE_H
#define HEALTH_FIRMWARE_H

#include "health/state.h"

/* Lists a port of each node of Mellanox that can be reached by LID in h->ports. Returns 0 or -ENOMEM. */
int firmware_list(struct madkit_health *h);

/* Keeps the GeneralInfo of a node. */
void firmware_take(struct madkit_health *h, size_t at, bool answered, const uint8_t *data);

/* Returns 0 or -ENOMEM. */
int firmware_judge(struct madkit_health *h);

#endif
