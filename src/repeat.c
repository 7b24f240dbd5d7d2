/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "repeat.h"

static enum source_state repeat_later(struct repeat *r, struct exchange *x, uint64_t now)
{
	uint64_t soon = now + REPEAT_WAITS_MS * NS_PER_MS;

	if (r->waits) {
		r->waits(r->context, x);
		if (r->source.due_ns > soon)
			r->source.due_ns = soon;
	}
	return SOURCE_LATER;
}

/* When the next round begins. False: there is none before the deadline. */
static bool repeat_advance(struct repeat *r, const struct exchange *x, uint64_t now)
{
	uint64_t interval = x->options->interval_ms * NS_PER_MS;
	uint64_t last = x->deadline_ns > r->last_ns ? x->deadline_ns - r->last_ns : 0;

	/* a round that has ended after that time says as much as the last one would */
	if (r->last_ns && (r->is_last || now >= last))
		return false;
	r->begins_ns += interval;
	if (interval && r->begins_ns < now)
		r->begins_ns += ((now - r->begins_ns) / interval + 1) * interval;
	if (r->last_ns && r->begins_ns >= last) {
		r->begins_ns = last;
		r->is_last = true;
	}
	return true;
}

static enum source_state repeat_next(void *context, struct exchange *x, struct task **task)
{
	struct repeat *r = context;
	uint64_t now = madkit_port_now(x->port);

	r->source.due_ns = UINT64_MAX;
	if (madkit_dispatcher_outstanding(x->dispatcher))
		return repeat_later(r, x, now);
	if (output_flush(x->out))
		return SOURCE_ENDED;
	if (r->at == r->n) {
		r->at = 0;
		if (++r->round == r->rounds || !repeat_advance(r, x, now))
			return SOURCE_ENDED;
	}
	if (r->round && !r->at) {
		/* at the deadline there is no time left to ask in */
		if (now >= x->deadline_ns)
			return SOURCE_ENDED;
		r->source.due_ns = r->begins_ns < x->deadline_ns ? r->begins_ns : x->deadline_ns;
		if (now < r->begins_ns)
			return repeat_later(r, x, now);
	}
	*task = &r->tasks[r->at++];
	return SOURCE_TASK;
}

int repeat_run(struct repeat *r, struct exchange *x, const struct sink *sink)
{
	r->begins_ns = madkit_port_now(x->port);
	r->source = (struct source){ .next = repeat_next, .context = r };
	return dispatch(x, &r->source, sink);
}
