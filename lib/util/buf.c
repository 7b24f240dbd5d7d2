/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Text that grows up to a limit. */
#include <errno.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <madkit/buf.h>

void madkit_buf_init(struct madkit_buf *buf, size_t max)
{
	*buf = (struct madkit_buf){ .max = max };
}

void madkit_buf_free(struct madkit_buf *buf)
{
	if (!buf)
		return;
	free(buf->data);
	madkit_buf_init(buf, buf->max);
}

char *madkit_buf_grow(struct madkit_buf *buf, size_t n)
{
	size_t limit = buf->max ? buf->max : SIZE_MAX / 2;
	size_t cap = buf->cap ? buf->cap : 256;
	char *data;

	if (buf->error)
		return NULL;
	if (n > limit || buf->len > limit - n) {
		buf->error = -EFBIG;
		return NULL;
	}
	while (cap < buf->len + n)
		cap *= 2;
	if (cap > limit)
		cap = limit;
	data = realloc(buf->data, cap);
	if (!data) {
		buf->error = -ENOMEM;
		return NULL;
	}
	buf->data = data;
	buf->cap = cap;
	return data + buf->len;
}

void madkit_buf_printf(struct madkit_buf *buf, const char *format, ...)
{
	va_list args;
	char *p;
	int n;

	va_start(args, format);
	n = vsnprintf(NULL, 0, format, args);
	va_end(args);
	if (n < 0)
		return;
	/* vsnprintf() also writes a NUL, which needs room but does not count */
	p = madkit_buf_room(buf, (size_t)n + 1);
	if (!p)
		return;
	va_start(args, format);
	vsnprintf(p, (size_t)n + 1, format, args);
	va_end(args);
	buf->len += (size_t)n;
}
