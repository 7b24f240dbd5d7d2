/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What happens in a simulation: as lines of JSON, and counted. */
#ifndef SRC_MADSIM_EVENTS_H
#define SRC_MADSIM_EVENTS_H

#include <stdbool.h>
#include <stdint.h>
#include <madkit/buf.h>
#include "sim/simulation.h"

enum { DROPS = DROP_UNEXPECTED + 1 };

struct events {
	const struct topology *topology;
	const char *path;		/* NULL: no lines */
	int fd;				/* -1 */
	const char *host, *device;	/* of the envelope; may be NULL */
	uint64_t seq;
	struct madkit_buf buf;		/* not yet written */
	/* what there was */
	uint64_t drops[DROPS], faults, overflows, sweeps;
	const char *sm_state;		/* NULL: none so far */
	bool up;			/* a sweep has ended */
};

/* path: a file that is made anew, "-" for standard output, NULL for none. An exit status,
 * told already. */
int events_open(struct events *e, const struct topology *t, const char *path);
void events_close(struct events *e);

/* For struct simulation_options. context: the events. */
void events_on(void *context, const struct sim_event *event);

/* Writes the lines that there are. An exit status, told already; EXIT_SIGNAL + SIGPIPE. */
int events_flush(struct events *e);

#endif
