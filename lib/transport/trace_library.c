/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Opens libtracefs. */
#include "transport/library.h"
#include "transport/trace_library.h"
#include "util/array_size.h"

int trace_library_load(struct trace_library *lib, struct madkit_error *error)
{
#define TRACE_NAME(name) #name,
	static const char *const names[] = { TRACE_FUNCTIONS(TRACE_NAME) };
	static const struct library tracefs = { "libtracefs.so.1", "libtracefs1", "trace events", NULL };
	int ret;

	_Static_assert(sizeof(*lib) == sizeof(names), "one name for each function");
	ret = library_functions(&tracefs, names, ARRAY_SIZE(names), lib, error);
	if (!ret)
		lib->tracefs_set_loglevel(TEP_LOG_NONE);
	return ret;
}
