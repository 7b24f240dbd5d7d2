/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "sim/host/internal.h"

/*
 * As kernel/time/timer.c has it: a timer ends at a tick, never early, so that it is late by up to two
 * ticks. Longer ones are kept in coarser lists, each eight times as coarse as the one before it.
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
	return ((((hosts->now / hosts->tick + ticks) >> shift) + 1) << shift) * hosts->tick;
}
