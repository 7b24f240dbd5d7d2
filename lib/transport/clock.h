/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Clock operations for all transports that use the system's clocks. */
#ifndef TRANSPORT_CLOCK_H
#define TRANSPORT_CLOCK_H

#include <stdint.h>
#include <time.h>
#include "util/private.h"

struct transport;

uint64_t clock_now(struct transport *transport) MADKIT_PRIVATE(clock_now);
void clock_realtime(struct transport *transport, struct timespec *ts) MADKIT_PRIVATE(clock_realtime);
/* Returns a random number, at which transaction IDs begin. */
uint32_t clock_seed(struct transport *transport) MADKIT_PRIVATE(clock_seed);

#endif
