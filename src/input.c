/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <errno.h>
#include <string.h>
#include <unistd.h>
#include "input.h"

#define CHUNK	((size_t)1 << 18)

void input_init(struct input *in, int fd)
{
	memset(in, 0, sizeof(*in));
	in->fd = fd;
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
	/* what is left is less than a MAD, mostly */
	if (in->used) {
		memmove(in->buf.data, input_bytes(in), input_have(in));
		in->buf.len -= in->used;
		in->used = 0;
	}
	if (!madkit_buf_room(&in->buf, CHUNK))
		return in->buf.error;
	n = read(in->fd, in->buf.data + in->buf.len, CHUNK);
	if (n < 0)
		return -errno;
	in->buf.len += (size_t)n;
	in->eof = !n;
	return n > 0;
}
