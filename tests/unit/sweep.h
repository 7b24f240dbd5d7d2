/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Sweeps under test. All time is virtual. */
#ifndef TESTS_UNIT_SWEEP_H
#define TESTS_UNIT_SWEEP_H

#include <stdlib.h>
#include <string.h>
#include <madkit/madkit.h>
#include <madkit/sweep.h>
#include "tests/tap.h"

#define MS UINT64_C(1000000)

enum { TIMEOUT_MS = 1000, RETRIES = 2 };

static const struct madkit_sweep_attr usual = { .timeout_ms = TIMEOUT_MS, .retries = RETRIES };

struct swept {
	struct madkit_port *port;
	struct madkit_sweep *s;
	struct madkit_sweep_counts counts;
};

static inline void swept_count(struct swept *w)
{
	madkit_sweep_count(w->s, &w->counts);
}

/* Prints the results of a sweep as a comment. */
static inline void swept_print(const struct swept *w)
{
	printf("# %u nodes, %u links, %u silent, missing %x, %u SMPs, %u resent, %u us, %u KB\n",
	       w->counts.nodes, w->counts.links, w->counts.silent, w->counts.missing,
	       (unsigned int)w->counts.sent, (unsigned int)w->counts.resent,
	       (unsigned int)(w->counts.ns / 1000), (unsigned int)(w->counts.bytes / 1024));
}

static inline void swept_close(struct swept *w)
{
	madkit_sweep_free(w->s);
	madkit_port_close(w->port);
}

#endif
