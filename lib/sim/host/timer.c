/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "sim/host/internal.h"

/*
 * As kernel/time/timer.c has it: a timer ends at a tick, never early. Longer ones are kept in coarser lists, each
 * eight times as coarse as the one before it.
 *
 * It begins a tick later than there. Otherwise it would, now and then, end a few microseconds late, and who waits as
 * long beside it would not know which comes first.
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
