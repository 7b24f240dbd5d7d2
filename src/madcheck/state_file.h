/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The contents of a file of --state: state_file.c reads and writes it, state.c compares it with the present problems. */
#ifndef SRC_STATE_FILE_H
#define SRC_STATE_FILE_H

#include "check.h"

/* A problem that was open. */
struct state_entry {
	struct state_entry *next;
	struct madkit_problem problem;
	struct madkit_rule rule; /* only its name, if the table has it no longer */
	uint8_t kind;            /* as in struct check_problem */
	const char *since, *seen;
	char *was;  /* the text if it is closed; NULL: it is not */
	bool found; /* it still is */
	bool held;  /* it was judged, but not long enough */
	bool stays; /* it was not judged, and may still be open */
	char line[];
};

struct state {
	const char *path; /* for messages */
	char *file;       /* without symbolic links */
	bool local;       /* --local */
	struct state_entry *first, **last;
	bool titled;   /* the first line was read */
	bool may_miss; /* the check may have missed nodes */
	bool foreign;  /* it was written with --local and read without, or the other way round */
	bool ended;    /* the last line was read, which a file with readings has */
	struct madkit_readings *earlier, *downs; /* readings of counters: madkit_health_readings() */
};

/* Reads a file; one that does not exist has no problems. local: of --local. Returns EXIT_DONE, or another exit status after
 * a report. The caller frees it in either case. */
int state_read(const char *path, bool local, struct state **state);
void state_release(struct state *state);

/* Replaces the file. Returns EXIT_DONE, or another exit status after a report. */
int state_write(const struct state *state, const struct check *check);

#endif
