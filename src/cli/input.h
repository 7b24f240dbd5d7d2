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
	size_t used; /* of it */
};

static inline const uint8_t *input_bytes(const struct input *in)
{
	return in->buf.data ? (const uint8_t *)in->buf.data + in->used : NULL;
}

static inline size_t input_have(const struct input *in)
{
	return in->buf.len - in->used;
}

/* Takes the descriptor, and notes its file. */
void input_init(struct input *in, int fd);
void input_close(struct input *in);

/* Reads more behind what is there, which may move. 1, 0 at the end, or as wait_read(). */
int input_read(struct input *in);

/* Notes a file that this command reads, by a descriptor or a path. Only regular files are noted, INPUT_NOTED_MAX
 * at most. */
void input_note(int fd);
void input_note_path(const char *path);
/* Whether the descriptor is of a file that was noted. */
bool input_is_noted(int fd);

#endif
