/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What happens in a simulation: as lines of JSON, and counted. */
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
	const char *path;          /* NULL: no lines */
	int fd;                    /* -1 */
	const char *host, *device; /* of the envelope; may be NULL */
	uint64_t seq;
	struct madkit_buf buf;   /* not yet written, EVENTS_PENDING and a line at most */
	uint64_t lost, lost_now; /* for which there was no room: all, and since the last line */
	/* what there was */
	uint64_t drops[DROPS], faults, overflows, sweeps;
	const char *sm_state; /* NULL: none so far */
	bool up;              /* a sweep has ended */
	uint64_t failed_sweeps;
	/* -errno of the latest failed sweep, or -ENOMEM if a packet was lost for memory; 0: none, or handled */
	int failure;
};

/* path: a file, "-" for standard output, NULL for none. Waits for the reader of
 * a named pipe. An exit status; errors have been reported. */
int events_open(struct events *e, const struct topology *t, const char *path);
/* Empties a file, before the first events_flush(). The same. */
int events_begin(struct events *e);
void events_close(struct events *e);

/* For struct simulation_options. context: the events. */
void events_on(void *context, const struct sim_event *event);

/* Writes the lines, as far as that does not block. An exit status, reported already;
 * EXIT_SIGNAL + SIGPIPE. */
int events_flush(struct events *e);
/* Whether lines are left that were not accepted, or lost ones to be reported. */
static inline bool events_pending(const struct events *e)
{
	return e->fd >= 0 && (e->buf.len || e->lost_now);
}
/* Writes the rest, which a reader has 500 ms to accept (50 ms after a stop signal), and reports what was lost. */
int events_finish(struct events *e);

#endif
