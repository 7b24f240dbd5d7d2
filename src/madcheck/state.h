/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The problems that are open, kept in a file between runs. */
#ifndef SRC_STATE_H
#define SRC_STATE_H

#include "state_file.h"

/* Finds out which problems are new and since when the others are open, and adds those that are no longer there as
 * closed ones, which the state owns; not if something, or their rule, was not judged. Returns EXIT_DONE, or a status after
 * a report. */
int state_compare(struct state *state, struct check *check, const char *now);

/* Lets a judgement compare counters with those of earlier runs. */
void state_compare_readings(const struct state *state, struct madkit_health_settings *settings);

#endif
