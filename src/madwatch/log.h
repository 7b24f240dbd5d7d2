/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Shows events: in JSON each of them, in text joined by the node or, in a storm, by the switch. */
#ifndef SRC_LOG_H
#define SRC_LOG_H

#include "change.h"

enum {
	LOG_LINES = 100, /* lines in LOG_WINDOW_MS: a storm */
	LOG_WINDOW_MS = 10000,
	LOG_QUIET_MS = 5000, /* without a change: the storm is over */
	LOG_BUCKETS = 10,    /* parts of LOG_WINDOW_MS */
};

struct log {
	struct exchange *x;
	struct view *view;
	bool journal; /* lines begin with their priority */
	bool titled;  /* one of several subnets: its device is named */
	bool dated;   /* lines begin with the date */
	int *day;     /* not dated: day of the year of the last line, or of the beginning; of all subnets */
	struct event *events; /* of this turn */
	uint32_t nevents, cap;
	uint64_t now;
	uint32_t *counts; /* by node, of one kind of events */
	uint32_t ncounts;
	uint32_t lines[LOG_BUCKETS]; /* lines shown, by parts of the window */
	uint64_t bucket;             /* number of the part that is counted now */
	bool storm;
	uint32_t storm_down, storm_up, storm_other; /* events since it began */
	uint64_t told;                              /* events */
};

/* Chooses how lines begin: with date and time; on a terminal and in the journal with the time. day: for all subnets. */
void log_begin(struct log *log, int *day);

void log_free(struct log *log);

/* Shows the changes that are due. Returns EXIT_DONE, or EXIT_LOCAL after a report. */
int log_changes(struct log *log, struct changes *changes);

/* Shows a line about the watch itself, in text. */
void log_note(struct log *log, const char *word, const char *text);

/* ---- log_record.c: records of events ----------------------------------------------------- */

/* Is called with the record of an event. */
typedef bool log_show_record(struct log *log, struct madkit_message *message, struct madkit_record *record);

/* Makes the record of an event. Returns the result of show. */
bool log_record(struct log *log, const struct event *event, log_show_record *show);
/* Checks if a record passes the filter. */
bool log_passes(struct log *log, struct madkit_message *message, struct madkit_record *record);
/* Shows a record as a line of JSON. */
bool log_show(struct log *log, struct madkit_message *message, struct madkit_record *record);

#endif
