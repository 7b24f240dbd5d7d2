/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A descriptor that is read in large pieces: what is there and not used yet. */
#ifndef SRC_INPUT_H
#define SRC_INPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <madkit/buf.h>

struct input {
	int fd;
	bool eof;
	struct madkit_buf buf;
	size_t used;		/* of it */
};

static inline const uint8_t *input_bytes(const struct input *in)
{
	return in->buf.data ? (const uint8_t *)in->buf.data + in->used : NULL;
}

static inline size_t input_have(const struct input *in)
{
	return in->buf.len - in->used;
}

/* Takes the descriptor. */
void input_init(struct input *in, int fd);
void input_close(struct input *in);

/* Reads more behind what is there, which may move. 1, 0 at the end, -errno. */
int input_read(struct input *in);

#endif
