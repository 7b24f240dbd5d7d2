/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "hex_time.h"

/* Reads n decimals at *i, which moves behind them and behind the separator that has to follow, if any. */
static bool hex_time_number(const struct hex_line *l, size_t *i, size_t n, const char *separators, int *value)
{
	*value = 0;
	for (; n; n--, ++*i) {
		char c = hex_line_at(l, *i);

		if (c < '0' || c > '9')
			return false;
		*value = *value * 10 + c - '0';
	}
	if (!*separators)
		return true;
	if (!strchr(separators, hex_line_at(l, *i)))
		return false;
	++*i;
	return true;
}

/* Days from 1970-01-01 to the date. */
static int64_t hex_time_days(int year, int month, int day)
{
	int64_t y = month > 2 ? year : year - 1, shifted = month > 2 ? month - 3 : month + 9;

	return y * 365 + y / 4 - y / 100 + y / 400 + (shifted * 153 + 2) / 5 + day - 1 - 719468;
}

static int hex_time_month_days(int year, int month)
{
	static const int days[] = { 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31 };
	bool leap = year % 4 == 0 && (year % 100 || year % 400 == 0);

	return days[month - 1] + (month == 2 && leap);
}

/* The fraction of a second at *i, if there is one. */
static long hex_time_fraction(const struct hex_line *l, size_t *i)
{
	long unit = 100000000, nsec = 0;

	if (hex_line_at(l, *i) != '.' && hex_line_at(l, *i) != ',')
		return 0;
	for (++*i; hex_line_at(l, *i) >= '0' && hex_line_at(l, *i) <= '9'; ++*i, unit /= 10)
		nsec += unit * (hex_line_at(l, *i) - '0');
	return nsec;
}

/* Seconds by which the time zone at i is ahead of UTC. */
static bool hex_time_zone(const struct hex_line *l, size_t i, int *seconds)
{
	char sign = hex_line_at(l, i++);
	int hours, minutes;

	*seconds = 0;
	if (sign == 'Z')
		return true;
	if ((sign != '+' && sign != '-') || !hex_time_number(l, &i, 2, "", &hours))
		return false;
	i += hex_line_at(l, i) == ':';
	if (!hex_time_number(l, &i, 2, "", &minutes) || hours > 15 || minutes > 59)
		return false;
	*seconds = (hours * 60 + minutes) * (sign == '-' ? -60 : 60);
	return true;
}

static bool hex_time_at(const struct hex_line *l, size_t i, struct timespec *time)
{
	int year, month, day, hour, minute, second, zone;

	if (!hex_time_number(l, &i, 4, "-", &year) || !hex_time_number(l, &i, 2, "-", &month) ||
	    !hex_time_number(l, &i, 2, "T ", &day) || !hex_time_number(l, &i, 2, ":", &hour) ||
	    !hex_time_number(l, &i, 2, ":", &minute) || !hex_time_number(l, &i, 2, "", &second))
		return false;
	time->tv_nsec = hex_time_fraction(l, &i);
	if (year < 1970 || month < 1 || month > 12 || day < 1 || day > hex_time_month_days(year, month) ||
	    hour > 23 || minute > 59 || second > 60 || !hex_time_zone(l, i, &zone))
		return false;
	time->tv_sec =
		(time_t)(hex_time_days(year, month, day) * 86400 + hour * 3600 + minute * 60 + second - zone);
	return true;
}

struct timespec hex_time_read(const struct hex_line *l, size_t n)
{
	struct timespec time;

	for (size_t i = 0; i < n; i++) {
		bool begins = !i || hex_line_blank(l->p[i - 1]) || strchr("[(<>", l->p[i - 1]);

		if (begins && hex_time_at(l, i, &time))
			return time;
	}
	return (struct timespec){ .tv_nsec = -1 };
}
