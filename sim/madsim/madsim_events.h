/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Events of a simulation: written as JSON Lines, and counted. */
#ifndef SRC_MADSIM_EVENTS_H
#define SRC_MADSIM_EVENTS_H

#include <stdbool.h>
#include <stdint.h>
#include <madkit/buf.h>
#include "sim/simulation.h"

enum {
	DROPS = FABRIC_DROPS,
	EVENTS_PENDING = 1 << 18,
};

struct events {
	const struct topology *topology;
	const char *path;          /* NULL: events are only counted */
	int fd;                    /* -1: events are only counted */
	const char *host, *device; /* in the envelope of each line; may be NULL */
	uint64_t seq;
	struct madkit_buf buf;   /* lines to be written, at most EVENTS_PENDING and one line */
	uint64_t lost, lost_now; /* events for which there was no room: in all, and since the last line */
	/* counters */
	uint64_t drops[DROPS], faults, overflows, sweeps;
	const char *sm_state; /* NULL: none so far */
	bool up;              /* a sweep has completed */
	uint64_t failed_sweeps;
	/* -errno of the latest failed sweep, or -ENOMEM if a packet was dropped for lack of memory; 0: none,
	 * or already handled */
	int failure;
};

/* path: a file, "-" for standard output, or NULL for none. If it is a named pipe, waits for its reader.
 * Returns an exit status; errors have been reported. */
int events_open(struct events *e, const struct topology *t, const char *path);
/* Empties the file. Call it before the first events_flush(). Returns as events_open(). */
int events_begin(struct events *e);
void events_close(struct events *e);

/* The event() of struct simulation_options; context is the struct events. */
void events_on(void *context, const struct sim_event *event);

/* Writes lines as far as that does not block. Returns an exit status, which is EXIT_SIGNAL + SIGPIPE if the
 * reader is gone; errors have been reported. */
int events_flush(struct events *e);
/* Checks if lines are left to write, or lost events to report. */
static inline bool events_pending(const struct events *e)
{
	return e->fd >= 0 && (e->buf.len || e->lost_now);
}
/* Writes the remaining lines within 500 ms (50 ms after a stop signal), and reports lost events. Returns as
 * events_flush(). */
int events_finish(struct events *e);

#endif
