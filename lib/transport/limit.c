/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <unistd.h>
#include "transport/clock.h"
#include "transport/limit.h"
#include "util/time.h"

uint64_t limit_end(const struct madkit_limit *limit)
{
	uint64_t end = clock_now(NULL) + LIMIT_IDLE_MS * NS_PER_MS;

	return limit && limit->deadline_ns < end ? limit->deadline_ns : end;
}

int limit_check(const struct madkit_limit *limit, uint64_t end)
{
	if (limit && limit->stopped && limit->stopped(limit->context))
		return -EINTR;
	return clock_now(NULL) >= end ? -ETIMEDOUT : 0;
}

static int limit_read(const struct madkit_limit *limit, int fd, struct madkit_buf *buf)
{
	enum { PIECE = 65536 };
	uint64_t end = limit_end(limit);

	for (;;) {
		/* a pipe is not ready until it has a writer */
		struct pollfd ready = { .fd = fd, .events = POLLIN };
		int ret = limit_check(limit, end);
		char *room;
		ssize_t n;

		if (ret)
			return ret;
		if (poll(&ready, 1, LIMIT_SLICE_MS) <= 0)
			continue;
		room = madkit_buf_room(buf, PIECE);
		if (!room)
			return buf->error;
		n = read(fd, room, PIECE);
		if (!n)
			return 0;
		if (n < 0 && errno != EINTR && errno != EAGAIN)
			return -errno;
		if (n > 0) {
			buf->len += (size_t)n;
			end = limit_end(limit);
		}
	}
}

int limit_read_file(const struct madkit_limit *limit, const char *path, struct madkit_buf *buf)
{
	/* O_NONBLOCK: limit_read() waits for the writer of a pipe */
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK), ret;

	if (fd < 0)
		return -errno;
	ret = limit_read(limit, fd, buf);
	close(fd);
	return ret;
}
