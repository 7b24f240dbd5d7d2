/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Makes one allocation after the other fail: a test sets left to 0, 1, ... before each try, until a try
 * needs no more allocations. Linked with --wrap=malloc,--wrap=calloc,--wrap=realloc; one file per program. */
#ifndef TESTS_UNIT_FAIL_ALLOC_H
#define TESTS_UNIT_FAIL_ALLOC_H

#include <stdbool.h>
#include <stddef.h>

void *__real_malloc(size_t n);
void *__real_calloc(size_t count, size_t n);
void *__real_realloc(void *p, size_t n);
void *__wrap_malloc(size_t n);
void *__wrap_calloc(size_t count, size_t n);
void *__wrap_realloc(void *p, size_t n);

static long left = -1; /* allocations that succeed; below 0: all do */

static bool fails(void)
{
	return left >= 0 && !left--;
}

void *__wrap_malloc(size_t n)
{
	return fails() ? NULL : __real_malloc(n);
}

void *__wrap_calloc(size_t count, size_t n)
{
	return fails() ? NULL : __real_calloc(count, n);
}

void *__wrap_realloc(void *p, size_t n)
{
	return fails() ? NULL : __real_realloc(p, n);
}

/* Returns true if the failure was reached. */
static bool reached(void)
{
	bool was = left < 0;

	left = -1;
	return was;
}

#endif
