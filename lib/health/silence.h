/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The rule silent: what did not respond is unknown, never healthy. */
#ifndef HEALTH_SILENCE_H
#define HEALTH_SILENCE_H

#include "health/state.h"

/* Judges which nodes and ports have not responded. Returns 0 or -ENOMEM. */
int silence_judge(struct madkit_health *h);

#endif
