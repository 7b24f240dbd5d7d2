/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stddef.h>
#include "sim/preload/next.h"

#define NEXT_SYMBOL(name) #name,
static const char *const next_symbols[] = { NEXTS(NEXT_SYMBOL) };
static void *next_found[NEXT_COUNT];

static void *next_look_up(enum next next)
{
	void *found = dlsym(RTLD_NEXT, next_symbols[next]);

	__atomic_store_n(&next_found[next], found, __ATOMIC_RELAXED);
	return found;
}

/* dlsym() takes a lock, allocates memory and needs kilobytes of stack. Look all symbols up at load time, for
 * callers in signal handlers and on small stacks. Only constructors that run earlier look symbols up
 * themselves. */
__attribute__((constructor)) static void next_begin(void)
{
	for (unsigned int i = 0; i < NEXT_COUNT; i++)
		next_look_up((enum next)i);
}

void *next_of(enum next next)
{
	void *found = __atomic_load_n(&next_found[next], __ATOMIC_RELAXED);

	return found ? found : next_look_up(next);
}
