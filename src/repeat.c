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

/* Sets the time of the next round, which may be after the deadline. */
static void repeat_advance(struct repeat *r, const struct exchange *x, uint64_t now)
{
	uint64_t interval = x->options->interval_ms * NS_PER_MS;

	if (r->due_ns <= r->begins_ns)
		r->due_ns += interval;
	if (interval && r->due_ns < now)
		r->due_ns += ((now - r->due_ns) / interval + 1) * interval;
	r->begins_ns = r->due_ns;
	for (size_t i = 0; i < REPEAT_EXTRA; i++) {
		uint64_t extra = x->deadline_ns - r->extra_ns[i];

		if (r->extra_ns[i] && extra > now && extra < r->begins_ns)
			r->begins_ns = extra;
	}
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
		if (++r->round == r->rounds)
			return SOURCE_ENDED;
		repeat_advance(r, x, now);
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
	r->begins_ns = r->due_ns = madkit_port_now(x->port);
	r->source = (struct source){ .next = repeat_next, .context = r };
	return dispatch(x, &r->source, sink);
}
