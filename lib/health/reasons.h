/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The reason of the last link-down, beside links that are slow or flapping. */
#ifndef HEALTH_REASONS_H
#define HEALTH_REASONS_H

#include "health/gauges.h"

enum { REASONS_LINKS = 64 }; /* whose reason is read */

enum reason_side { REASON_NONE, REASON_LOCAL, REASON_REMOTE };

/* Chooses the reason of a link-down by the reports of both ends, NULL if there is no report, and returns its side. It is that
 * of the side that an end blames, the near end first; never that of the other side, unless no end blames one. */
enum reason_side reason_choose(const struct gauge_down *near, const struct gauge_down *far, uint8_t *reason);

/* Adds both ends of a link to the ports of the next request, unless there are enough or a node has no registers. b: node
 * MADKIT_SWEEP_NONE if it is not known. Returns 0 or -ENOMEM. */
int reasons_add(struct madkit_health *h, struct sweep_place a, struct sweep_place b);

/* Appends ", last link-down: Cable unplugged (remote)" to a text about a link, as seen from a; nothing if it is not known. */
void reasons_put(struct madkit_buf *text, const struct madkit_health *h, struct sweep_place a,
		 struct sweep_place b);

#endif
