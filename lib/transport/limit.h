/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Limits for calls of a transport that may block: see struct madkit_limit. */
#ifndef TRANSPORT_LIMIT_H
#define TRANSPORT_LIMIT_H

#include <madkit/buf.h>
#include <madkit/port.h>
#include "util/private.h"

enum {
	/* A call without progress ends after this time. */
	LIMIT_IDLE_MS = 15000,
	/* How long a call blocks before it checks the limit. */
	LIMIT_SLICE_MS = 50,
};

/* Returns the time on CLOCK_MONOTONIC by which a call that begins now must end. In all functions, limit may
 * be NULL. */
uint64_t limit_end(const struct madkit_limit *limit) MADKIT_PRIVATE(limit_end);

/* Returns 0; -EINTR if stopped; -ETIMEDOUT if end has passed. */
int limit_check(const struct madkit_limit *limit, uint64_t end) MADKIT_PRIVATE(limit_check);

/* Reads a file, which may be a pipe, to its end. Returns 0 or -errno. */
int limit_read_file(const struct madkit_limit *limit, const char *path, struct madkit_buf *buf)
	MADKIT_PRIVATE(limit_read_file);

#endif
