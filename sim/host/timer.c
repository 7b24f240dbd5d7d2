/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The kernel's timers: when a timeout that begins now ends. */
#include "sim/host/internal.h"

/*
 * As in kernel/time/timer.c, a timer expires at a tick and never early, and longer timers have coarser
 * ticks: each list has eight times the granularity of the previous one.
 *
 * Unlike there, a timer is late by at least one tick. Otherwise some timers would be only microseconds
 * late, and would race with a program that waits for the same length of time.
 */
uint64_t host_timer_end(const struct hosts *hosts, uint64_t length)
{
	enum { LISTS = 9, LIST_BITS = 3, LIST_LENGTH = 63 };
	uint64_t ticks;
	unsigned int shift = 0;

	if (!hosts->tick)
		return hosts->now + length;
	ticks = (length + hosts->tick - 1) / hosts->tick;
	while (shift < (LISTS - 1) * LIST_BITS && ticks >= (uint64_t)LIST_LENGTH << shift)
		shift += LIST_BITS;
	return ((((hosts->now / hosts->tick + 1 + ticks) >> shift) + 1) << shift) * hosts->tick;
}
