/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "cli.h"
#include "input.h"
#include "wait.h"

#ifndef INPUT_CHUNK
#define INPUT_CHUNK ((size_t)1 << 18)
#endif

#define INPUT_NOTED_MAX 16

/* A command, unlike the library, may have global state. */
static struct {
	dev_t dev;
	ino_t ino;
} input_noted[INPUT_NOTED_MAX];
static size_t input_nnoted;

static bool input_find(const struct stat *st)
{
	for (size_t i = 0; i < input_nnoted; i++)
		if (input_noted[i].dev == st->st_dev && input_noted[i].ino == st->st_ino)
			return true;
	return false;
}

static void input_note_stat(const struct stat *st)
{
	if (!S_ISREG(st->st_mode) || input_nnoted == INPUT_NOTED_MAX || input_find(st))
		return;
	input_noted[input_nnoted].dev = st->st_dev;
	input_noted[input_nnoted++].ino = st->st_ino;
}

void input_note(int fd)
{
	struct stat st;

	if (!fstat(fd, &st))
		input_note_stat(&st);
}

void input_note_path(const char *path)
{
	struct stat st;

	if (!stat(path, &st))
		input_note_stat(&st);
}

bool input_is_noted(int fd)
{
	struct stat st;

	return !fstat(fd, &st) && S_ISREG(st.st_mode) && input_find(&st);
}

void input_init(struct input *in, int fd)
{
	memset(in, 0, sizeof(*in));
	in->fd = fd;
	input_note(fd);
	madkit_buf_init(&in->buf, 0);
}

void input_close(struct input *in)
{
	madkit_buf_free(&in->buf);
	if (in->fd > STDERR_FILENO)
		close(in->fd);
}

int input_read(struct input *in)
{
	ssize_t n;

	if (in->eof)
		return 0;
	/* move no more bytes than have been used: a look-ahead may be a GiB */
	if (in->used && in->used >= input_have(in)) {
		memmove(in->buf.data, input_bytes(in), input_have(in));
		in->buf.len -= in->used;
		in->used = 0;
	}
	if (!madkit_buf_room(&in->buf, INPUT_CHUNK))
		return in->buf.error;
	n = wait_read(in->fd, in->buf.data + in->buf.len, INPUT_CHUNK);
	if (n < 0)
		return (int)n;
	in->buf.len += (size_t)n;
	in->eof = !n;
	return n > 0;
}

void input_check_keys(int fd, const char *path)
{
	struct stat st;

	if (fstat(fd, &st) || !S_ISREG(st.st_mode))
		return;
	if (st.st_uid && st.st_uid != geteuid()) {
		cli_say("'%s' has keys, and belongs to another user (%u)", path, (unsigned int)st.st_uid);
		cli_say("hint: chown it, and make new keys if that user must not have them");
	}
	if (st.st_mode & S_IROTH) {
		cli_say("'%s' has keys, and every user may read it (mode %04o)", path,
			(unsigned int)st.st_mode & 07777);
		cli_say("hint: chmod o-r '%s'", path);
	}
}
