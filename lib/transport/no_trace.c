/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* In place of libtracefs where there is none: one ABI. */
#include <errno.h>
#include <madkit/trace.h>

int madkit_trace_open(struct madkit_trace **trace, struct madkit_error *error)
{
	*trace = NULL;
	return madkit_error_set(error, -EOPNOTSUPP, -1,
		"this build has no libtracefs, which trace events need");
}

int madkit_trace_close(struct madkit_trace *trace)
{
	return trace ? -EOPNOTSUPP : 0;
}

int madkit_trace_fd(const struct madkit_trace *trace)
{
	(void)trace;
	return -EOPNOTSUPP;
}

int madkit_trace_process(struct madkit_trace *trace, madkit_trace_handler handler,
			 void *context)
{
	(void)trace;
	(void)handler;
	(void)context;
	return -EOPNOTSUPP;
}

uint64_t madkit_trace_lost(const struct madkit_trace *trace)
{
	(void)trace;
	return 0;
}
