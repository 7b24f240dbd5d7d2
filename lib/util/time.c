/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Times as text, and as a duration. */
#include <stdbool.h>
#include "util/emit.h"
#include "util/time.h"

static char *time_put_digits(char *p, unsigned int v, unsigned int n)
{
	for (unsigned int i = n; i--; v /= 10)
		p[i] = (char)('0' + v % 10);
	return p + n;
}

/* Checks if a time is known, and in the years 1970 to 9999. */
static bool time_is_shown(const struct timespec *t)
{
	return t->tv_nsec >= 0 && t->tv_nsec <= 999999999 && t->tv_sec >= 0 &&
	       t->tv_sec <= INT64_C(253402300799);
}

char *emit_epoch(char *p, const struct timespec *t)
{
	if (!time_is_shown(t))
		return NULL;
	p = emit_u64(p, (uint64_t)t->tv_sec);
	*p++ = '.';
	return time_put_digits(p, (unsigned int)(t->tv_nsec / 1000), 6);
}

/* Converts days to a date: the calendar repeats every 400 years of 146097 days, and years are counted from
 * March. */
char *emit_time(char *p, const struct timespec *t)
{
	int64_t days = t->tv_sec / 86400, second = t->tv_sec % 86400;
	unsigned int s, doe, yoe, doy, mp, month;
	int64_t era, year;

	if (!time_is_shown(t))
		return NULL;
	s = (unsigned int)second;
	days += 719468; /* from 0000-03-01 */
	era = days / 146097;
	doe = (unsigned int)(days - era * 146097);
	yoe = (doe - doe / 1460 + doe / 36524 - doe / 146096) / 365;
	doy = doe - (365 * yoe + yoe / 4 - yoe / 100);
	mp = (5 * doy + 2) / 153;
	month = mp < 10 ? mp + 3 : mp - 9;
	year = yoe + era * 400 + (month <= 2);
	p = time_put_digits(p, (unsigned int)year, 4);
	*p++ = '-';
	p = time_put_digits(p, month, 2);
	*p++ = '-';
	p = time_put_digits(p, doy - (153 * mp + 2) / 5 + 1, 2);
	*p++ = 'T';
	p = time_put_digits(p, s / 3600, 2);
	*p++ = ':';
	p = time_put_digits(p, s / 60 % 60, 2);
	*p++ = ':';
	p = time_put_digits(p, s % 60, 2);
	*p++ = '.';
	p = time_put_digits(p, (unsigned int)(t->tv_nsec / 1000), 6);
	*p++ = 'Z';
	return p;
}
