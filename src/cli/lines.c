/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <errno.h>
#include <string.h>
#include "lines.h"
#include "wait.h"

void lines_init(struct lines *l, int fd)
{
	memset(l, 0, sizeof(*l));
	input_init(&l->in, fd);
}

void lines_close(struct lines *l)
{
	input_close(&l->in);
}

int lines_fill(struct lines *l, int timeout_ms)
{
	struct pollfd input = { .fd = l->in.fd, .events = POLLIN };
	int ret = wait_poll(&input, 1, timeout_ms);

	if (ret > 0)
		ret = input_read(&l->in);
	/* with a timeout, the caller itself checks for signals and the deadline */
	if (timeout_ms >= 0 && (ret == -EINTR || ret == -ETIMEDOUT))
		return 0;
	return ret > 0 ? 0 : ret;
}

bool lines_done(const struct lines *l)
{
	return l->in.eof && !input_have(&l->in);
}

bool lines_have(const struct lines *l)
{
	struct pollfd input = { .fd = l->in.fd, .events = POLLIN };

	return input_have(&l->in) || (!l->in.eof && wait_poll(&input, 1, 0) > 0);
}

/* Handles buffered bytes that have no newline, when more may arrive. Returns 0, or -EFBIG if the line is too
 * long. */
static int next_part(struct lines *l)
{
	size_t have = input_have(&l->in);
	bool too_long = !l->skips && have > LINES_MAX_BYTES;

	l->searched = have;
	if (too_long) {
		l->skips = true;
		l->number++;
	}
	if (l->skips) {
		l->in.used += have;
		l->searched = 0;
	}
	return too_long ? -EFBIG : 0;
}

int lines_next(struct lines *l, const char **line, size_t *len)
{
	size_t have;

	while ((have = input_have(&l->in))) {
		const char *text = (const char *)input_bytes(&l->in);
		const char *newline = memchr(text + l->searched, '\n', have - l->searched);
		bool rest = l->skips;

		if (!newline && !l->in.eof)
			return next_part(l);
		*line = text;
		*len = newline ? (size_t)(newline - text) + 1 : have;
		l->in.used += *len;
		l->searched = 0;
		l->skips = false;
		if (!rest) {
			l->number++;
			/* also if the whole line was read at once */
			return *len - !!newline > LINES_MAX_BYTES ? -EFBIG : 1;
		}
	}
	return 0;
}
