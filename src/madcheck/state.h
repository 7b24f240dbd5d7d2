/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The problems that are open, kept in a file between runs. */
#ifndef SRC_STATE_H
#define SRC_STATE_H

#include "check.h"

struct state;

/* Reads a file; one that does not exist has no problems. local: of --local. Returns EXIT_DONE, or another exit status after
 * a report. The caller frees it in either case. */
int state_read(const char *path, bool local, struct state **state);
void state_release(struct state *state);

/* Finds out which problems are new and since when the others are open, and adds those that are no longer there as
 * closed ones, which the state owns; not if something, or their rule, was not judged. Returns EXIT_DONE, or a status after
 * a report. */
int state_compare(struct state *state, struct check *check, const char *now);

/* Lets a judgement compare counters with those of earlier runs. */
void state_compare_readings(const struct state *state, struct madkit_health_settings *settings);

/* Replaces the file. Returns EXIT_DONE, or another exit status after a report. */
int state_write(const struct state *state, const struct check *check);

#endif
