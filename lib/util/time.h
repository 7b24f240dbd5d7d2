/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef UTIL_TIME_H
#define UTIL_TIME_H

#include <limits.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#define NS_PER_S  UINT64_C(1000000000)
#define NS_PER_MS UINT64_C(1000000)
#define NS_PER_US UINT64_C(1000)

/* Returns the milliseconds from now until a time, rounded up, at most INT_MAX; 0 if it has passed. */
static inline int ms_until(uint64_t now_ns, uint64_t until_ns)
{
	uint64_t ns = until_ns <= now_ns ? 0 : until_ns - now_ns;
	uint64_t ms = ns / NS_PER_MS + !!(ns % NS_PER_MS);

	return ms > INT_MAX ? INT_MAX : (int)ms;
}

#define EMIT_TIME_MAX 27

/* Writes a real time in the format of RFC 3339, UTC, microseconds, at most EMIT_TIME_MAX characters. Returns
 * the end; NULL if the time is unknown (tv_nsec out of range) or not in the years 1970 to 9999. */
char *emit_time(char *p, const struct timespec *t);

/* As emit_time(), in seconds since 1970, with six decimals. */
char *emit_epoch(char *p, const struct timespec *t);

#endif
