/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef UTIL_TIME_H
#define UTIL_TIME_H

#include <stddef.h>
#include <stdint.h>
#include <time.h>

#define NS_PER_S  UINT64_C(1000000000)
#define NS_PER_MS UINT64_C(1000000)

#define EMIT_TIME_MAX 27

/* Writes a real time as RFC 3339 has it, UTC, microseconds, at most EMIT_TIME_MAX
 * characters, and returns the place behind; NULL for one that is not known
 * (tv_nsec out of range) or not of the years 1970 to 9999. */
char *emit_time(char *p, const struct timespec *t);

#endif
