/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Reads lines from a descriptor on which a line may not have arrived yet. */
#ifndef SRC_LINES_H
#define SRC_LINES_H

#include "input.h"

#ifndef LINES_MAX_BYTES
#define LINES_MAX_BYTES ((size_t)64 << 20) /* of a line, without its newline */
#endif

struct lines {
	struct input in;
	uint64_t number; /* of the latest line */
	size_t searched; /* bytes at the front without a newline */
	bool skips;      /* skipping the rest of a line that is too long */
};

/* Takes ownership of the descriptor. */
void lines_init(struct lines *lines, int fd);
void lines_close(struct lines *lines);

/* Waits at most timeout_ms (-1: indefinitely) for input, and reads it. Returns 0 or -errno. -EINTR and
 * -ETIMEDOUT (wait.h) are returned only without a timeout (-1). */
int lines_fill(struct lines *lines, int timeout_ms);

/* Gets the next line, with its newline if it has one; valid until more is read. Returns 1; 0 if no line has
 * arrived yet, or at the end; -EFBIG if a line is too long, and skipped. */
int lines_next(struct lines *lines, const char **line, size_t *len);

/* Checks if all input has been used. */
bool lines_done(const struct lines *lines);

/* Checks if there is unused input, even if it has no newline yet. After a hang-up that was not read yet, true
 * may also mean the end. */
bool lines_have(const struct lines *lines);

#endif
