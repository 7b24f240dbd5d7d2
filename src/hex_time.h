/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The time in the prefix of a log's line. */
#ifndef SRC_HEX_TIME_H
#define SRC_HEX_TIME_H

#include <time.h>
#include "hex_line.h"

/*
 * The first time in the n characters of a prefix that has a date and a time zone (2026-11-20T22:10:11.123456+01:00), as
 * journalctl -o short-iso prints it. tv_nsec is -1 if there is none: without a year or a time zone a time has
 * several meanings.
 */
struct timespec hex_time_read(const struct hex_line *l, size_t n);

#endif
