/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "sweep/pace.h"
#include "util/time.h"

enum { PACE_LEAST = 4 };

void pace_begin(struct madkit_sweep *s)
{
	s->window = s->attr.smps;
	s->paced_ns = madkit_port_now(s->port);
}

bool pace_has_room(const struct madkit_sweep *s)
{
	struct madkit_dispatch_counts counts;

	madkit_dispatcher_count(s->dispatchers[s->phase], &counts);
	return (s->phase == SWEEP_LAST || counts.smps < s->window) &&
	       madkit_dispatcher_has_room(s->dispatchers[s->phase], MADKIT_CLASS_SUBN_DR);
}

void pace_end(struct madkit_sweep *s, const struct sweep_request *r)
{
	const uint64_t now = madkit_port_now(s->port);

	if (s->phase == SWEEP_LAST || !r->job.reply.recv)
		return;
	if (r->job.reply.attempts > 1) {
		/* SMPs that were sent before the window became smaller say nothing about it */
		if (r->job.posted_ns >= s->paced_ns && s->window / 2 >= PACE_LEAST)
			s->window /= 2;
		s->paced_ns = now;
	} else if (now - s->paced_ns >= s->attr.timeout_ms * NS_PER_MS && s->window < s->attr.smps_max) {
		s->window++;
		s->paced_ns = now;
	}
}
