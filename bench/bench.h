/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef BENCH_BENCH_H
#define BENCH_BENCH_H

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

/* Ends the program unless good: what follows would measure something else. */
static inline void bench_need(bool good, const char *what)
{
	if (good)
		return;
	fprintf(stderr, "%s: %s\n", program_invocation_short_name, what);
	exit(1);
}

static inline double bench_now_us(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

#endif
