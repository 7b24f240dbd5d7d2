/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Sends the requests of a source through the dispatcher of an exchange, and hands each result to a sink. */
#ifndef SRC_DISPATCH_H
#define SRC_DISPATCH_H

#include "exchange.h"

/* A request and its result. It must not move from the time the source returns it until the sink receives
 * it. */
struct task {
	const struct request *request;
	struct answer answer;
};

enum source_state {
	SOURCE_TASK,  /* a request is ready */
	SOURCE_AGAIN, /* none yet; call next() again after the sink has received the ended requests */
	SOURCE_INPUT, /* none until more input has been read */
	SOURCE_LATER, /* none until due_ns, or until an outstanding request has ended */
	SOURCE_ENDED, /* no more requests */
};

struct source {
	/* Returns the state; if it is SOURCE_TASK, *task is the next request, with its address resolved.
	 * Blocks only to resolve an address. */
	enum source_state (*next)(void *context, struct exchange *x, struct task **task);
	/* Reads input, waiting at most ms for it. Returns 0 or -errno. NULL if next() never returns
	 * SOURCE_INPUT. */
	int (*fill)(void *context, int ms);
	void *context;
	uint64_t due_ns; /* port clock; set by next(): it is called again at this time at the latest */
};

struct sink {
	/*
	 * Receives a task that has ended; the sink frees its answer. task->answer.status is the result. If
	 * the message is of kind EVENT, there is nothing to show: with a status of EXIT_SIGNAL or above, the
	 * request was abandoned; with any other, it was not sent, and x->failure.why is the reason. Returns false to
	 * end the run.
	 */
	bool (*take)(void *context, struct exchange *x, struct task *task);
	void *context;
};

/*
 * Runs until the source and all its requests have ended, the sink returns false, a signal arrives, or the
 * output fails. Requests that are still outstanding are abandoned. Flushes the output before each wait.
 * Returns 0, or -errno of fill() or of the device.
 */
int dispatch(struct exchange *x, struct source *source, const struct sink *sink)
	__attribute__((warn_unused_result));

#endif
