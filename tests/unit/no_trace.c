/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Without libtracefs the functions of trace events are there, and say so. */
#include <errno.h>
#include <string.h>
#include <madkit/trace.h>
#include "tests/tap.h"

int main(void)
{
	struct madkit_error error = { .text = "" };
	struct madkit_trace *trace = (void *)&error;

	is_int(madkit_trace_open(&trace, &error), -EOPNOTSUPP, "madkit_trace_open");
	ok(strstr(error.text, "libtracefs"), "... in words: %s", error.text);
	ok(!trace, "nothing was made");
	is_int(madkit_trace_fd(NULL), -EOPNOTSUPP, "madkit_trace_fd");
	is_int(madkit_trace_process(NULL, NULL, NULL), -EOPNOTSUPP, "madkit_trace_process");
	is_u64(madkit_trace_lost(NULL), 0, "madkit_trace_lost");
	is_int(madkit_trace_close(NULL), 0, "madkit_trace_close");
	return tap_done();
}
