/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <errno.h>
#include <stdlib.h>
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
	uint64_t interval = x->options->timing.interval_ms * NS_PER_MS;

	if (r->due_ns <= r->begins_ns)
		r->due_ns += interval;
	if (interval && r->due_ns < now)
		r->due_ns += ((now - r->due_ns) / interval + 1) * interval;
	r->begins_ns = r->due_ns;
	for (size_t i = 0; i < REPEAT_EXTRA; i++) {
		uint64_t extra = x->time.deadline_ns - r->extra_ns[i];

		if (r->extra_ns[i] && extra > now && extra < r->begins_ns)
			r->begins_ns = extra;
	}
}

/* Checks if the next request may be sent before the previous one has ended. */
static bool repeat_may_overlap(const struct repeat *r, const struct exchange *x)
{
	return r->ended && r->at && r->at < r->n && r->at - r->taken < REPEAT_AHEAD &&
	       madkit_dispatcher_has_room(x->dispatcher, r->tasks[r->at].request->header.mgmt_class);
}

/* Passes results on in the order of the requests. */
static bool repeat_take(void *context, struct exchange *x, struct task *task)
{
	struct repeat *r = context;
	bool more = true;

	if (!r->ended)
		return r->sink->take(r->sink->context, x, task);
	r->ended[task - r->tasks] = true;
	while (more && r->taken < r->at && r->ended[r->taken])
		more = r->sink->take(r->sink->context, x, &r->tasks[r->taken++]);
	return more;
}

static enum source_state repeat_next(void *context, struct exchange *x, struct task **task)
{
	struct repeat *r = context;
	uint64_t now = madkit_port_now(x->port);

	r->source.due_ns = UINT64_MAX;
	if (madkit_dispatcher_outstanding(x->dispatcher) && !repeat_may_overlap(r, x))
		return repeat_later(r, x, now);
	if (output_flush(x->out))
		return SOURCE_ENDED;
	if (r->at == r->n) {
		r->at = r->taken = 0;
		if (++r->round == r->rounds)
			return SOURCE_ENDED;
		repeat_advance(r, x, now);
	}
	if (r->round && !r->at) {
		/* at the deadline, no time is left for a round */
		if (now >= x->time.deadline_ns)
			return SOURCE_ENDED;
		r->source.due_ns = r->begins_ns < x->time.deadline_ns ? r->begins_ns : x->time.deadline_ns;
		if (now < r->begins_ns)
			return repeat_later(r, x, now);
	}
	/* at the deadline, the remaining requests of a round are not sent */
	if (r->ended && r->at && x->options->timing.deadline_ms && now >= x->time.deadline_ns)
		return SOURCE_ENDED;
	if (r->ended)
		r->ended[r->at] = false;
	*task = &r->tasks[r->at++];
	return SOURCE_TASK;
}

int repeat_run(struct repeat *r, struct exchange *x, const struct sink *sink)
{
	const struct sink ordered = { .take = repeat_take, .context = r };
	int ret;

	if (r->overlap) {
		r->ended = calloc(r->n, sizeof(*r->ended));
		if (!r->ended)
			return -ENOMEM;
	}
	r->sink = sink;
	r->begins_ns = r->due_ns = madkit_port_now(x->port);
	r->source = (struct source){ .next = repeat_next, .context = r };
	ret = dispatch(x, &r->source, &ordered);
	free(r->ended);
	r->ended = NULL;
	return ret;
}
