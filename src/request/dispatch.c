/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <errno.h>
#include "dispatch.h"

enum {
	/* How long to wait for responses before input is checked again, ms. */
	GLANCE_MS = 5,
};

/* Hands every request that has ended to the sink. Returns false if the sink has enough. */
static bool dispatch_take(struct exchange *x, const struct sink *sink)
{
	bool more = true;
	struct madkit_job *ended;

	while ((ended = madkit_dispatcher_take(x->dispatcher))) {
		struct task *task = ended->context;

		exchange_ended(x, task->request, &task->answer,
			       ended->error ? ended->error : ended->reply.status);
		more &= sink->take(sink->context, x, task);
	}
	return more;
}

/* Posts a task; if that fails, the task has ended. Returns false if the sink has enough. */
static bool dispatch_send(struct exchange *x, const struct sink *sink, struct task *task)
{
	struct madkit_job *job = &task->answer.job;
	bool more = true;
	int ret;

	task->answer.status = exchange_prepare(x, task->request, &task->answer);
	if (task->answer.status)
		return sink->take(sink->context, x, task);
	job->context = task;
	/* the window may have shrunk since the source checked it for room */
	while ((ret = madkit_dispatcher_post(x->dispatcher, job)) == -EAGAIN) {
		ret = madkit_dispatcher_wait(x->dispatcher,
					     madkit_port_now(x->port) + CLI_SLICE_MS * NS_PER_MS);
		more &= dispatch_take(x, sink);
		job->ended_ns = madkit_port_now(x->port);
		if (ret >= 0 || ret == -EINTR)
			ret = cli_stopped() ? -EINTR : job->ended_ns >= job->deadline_ns ? -ETIMEDOUT : 0;
		if (ret)
			break;
	}
	if (!ret)
		return more;
	exchange_ended(x, task->request, &task->answer, ret);
	return sink->take(sink->context, x, task) && more;
}

/* Waits for a response, for input, or until the source is due. Returns 0 or -errno. */
static int dispatch_wait(struct exchange *x, struct source *source, bool reads)
{
	int ms = exchange_slice_ms(x, x->time.deadline_ns), glance_ms = ms < GLANCE_MS ? ms : GLANCE_MS, ret;
	uint64_t until = source->due_ns, slice = madkit_port_now(x->port) + CLI_SLICE_MS * NS_PER_MS;

	/* a wait in virtual time takes no real time, and needs no slices */
	if (!x->time.is_virtual && slice < until)
		until = slice;
	if (reads && !madkit_dispatcher_outstanding(x->dispatcher))
		return source->fill(source->context, ms);
	if (reads)
		until = madkit_port_now(x->port) + (uint64_t)glance_ms * NS_PER_MS;
	ret = madkit_dispatcher_wait(x->dispatcher, until);
	if (ret < 0 && ret != -EINTR) {
		madkit_dispatcher_end(x->dispatcher, ret);
		return ret;
	}
	return reads ? source->fill(source->context, 0) : 0;
}

int dispatch(struct exchange *x, struct source *source, const struct sink *sink)
{
	bool more = true;
	int ret = 0;

	while (!ret && more && !cli_stopped()) {
		enum source_state state = SOURCE_LATER;
		struct task *task;

		more = dispatch_take(x, sink);
		while (more && !cli_stopped() &&
		       (state = source->next(source->context, x, &task)) <= SOURCE_AGAIN) {
			if (state == SOURCE_TASK)
				more = dispatch_send(x, sink, task);
			more &= dispatch_take(x, sink);
		}
		/* if next() was not called, due_ns is not set */
		if (cli_stopped() || output_flush(x->out) || !more ||
		    (state == SOURCE_ENDED && !madkit_dispatcher_outstanding(x->dispatcher)) ||
		    output_over(x->out))
			break;
		ret = dispatch_wait(x, source, state == SOURCE_INPUT);
	}
	madkit_dispatcher_end(x->dispatcher, -EINTR);
	dispatch_take(x, sink);
	return ret;
}
