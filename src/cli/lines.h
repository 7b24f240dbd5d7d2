/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Lines of a descriptor that may have none for now. */
#ifndef SRC_LINES_H
#define SRC_LINES_H

#include "input.h"

#ifndef LINES_MAX_BYTES
#define LINES_MAX_BYTES ((size_t)64 << 20) /* of one, without its newline */
#endif

struct lines {
	struct input in;
	uint64_t number; /* of the latest line */
	size_t searched; /* bytes at the front that hold no newline */
	bool skips;      /* the rest of a line that is too long */
};

/* Takes the descriptor. */
void lines_init(struct lines *lines, int fd);
void lines_close(struct lines *lines);

/* Reads what is there, waiting for it at most that long. 0 or -errno. -EINTR and -ETIMEDOUT (wait.h) are
 * returned only without a timeout (-1). */
int lines_fill(struct lines *lines, int timeout_ms);

/* The next line, with its newline if it has one: valid until more is read. 1; 0: none yet,
 * or no more; -EFBIG: it is too long, and left out. */
int lines_next(struct lines *lines, const char **line, size_t *len);

/* Whether all has been taken. */
bool lines_done(const struct lines *lines);

/* Whether there is input that was not taken, also if it has no newline yet. At a hang-up that was not read, true may
 * also mean the end. */
bool lines_have(const struct lines *lines);

#endif
