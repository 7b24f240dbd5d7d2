/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Reads a descriptor in large pieces, and keeps the bytes that are not used yet. */
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
	size_t used; /* bytes of buf */
};

static inline const uint8_t *input_bytes(const struct input *in)
{
	return in->buf.data ? (const uint8_t *)in->buf.data + in->used : NULL;
}

static inline size_t input_have(const struct input *in)
{
	return in->buf.len - in->used;
}

/* Takes ownership of the descriptor, and notes its file. */
void input_init(struct input *in, int fd);
/* Frees the buffer, and closes the descriptor unless it is 0 to 2. */
void input_close(struct input *in);

/* Appends more input to the buffer, which may move. Returns 1, 0 at the end, -ENOMEM, or an error of
 * wait_read(). */
int input_read(struct input *in);

/* Notes a file that this command reads, by a descriptor or a path. Only regular files are noted, at most
 * INPUT_NOTED_MAX. */
void input_note(int fd);
void input_note_path(const char *path);
/* Checks if the file of the descriptor was noted. */
bool input_is_noted(int fd);

/* Warns if an open file with keys can be read by users other than this one and root, because of its owner or
 * its mode. Only regular files are checked. path is for the message. */
void input_check_keys(int fd, const char *path);

#endif
