/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <sys/random.h>
#include <unistd.h>
#include "transport/clock.h"
#include "util/time.h"

uint64_t clock_now(struct transport *transport)
{
	struct timespec ts;

	(void)transport;
	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * NS_PER_S + (uint64_t)ts.tv_nsec;
}

void clock_realtime(struct transport *transport, struct timespec *ts)
{
	(void)transport;
	clock_gettime(CLOCK_REALTIME, ts);
}

uint32_t clock_seed(struct transport *transport)
{
	uint32_t seed;

	if (getrandom(&seed, sizeof(seed), GRND_NONBLOCK) == sizeof(seed))
		return seed;
	return (uint32_t)(clock_now(transport) >> 10) ^ (uint32_t)getpid() << 16;
}
