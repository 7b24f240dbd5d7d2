/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * madkit_buf - a growing buffer with a size limit
 *
 * The functions of madkit_format(3) append their output to a struct madkit_buf. The functions do not
 * block. A buffer has no lock: only one thread may use it at a time.
 *
 * If an append fails, the buffer keeps the error and ignores all further appends. A writer can
 * therefore append many times and check error once, at the end.
 */
#ifndef MADKIT_BUF_H
#define MADKIT_BUF_H

#include <madkit/decls.h>
#include <stddef.h>
#include <string.h>

MADKIT_BEGIN_DECLS

/* A buffer. Its content is data[0] to data[len - 1]. */
struct madkit_buf {
	char *data; /* moves when the buffer grows; the content is not followed by a NUL */
	size_t len; /* bytes of content */
	size_t cap; /* bytes allocated */
	size_t max; /* limit for len; 0: limited only by memory */
	int error; /* error of the first append that failed: -ENOMEM, or -EFBIG if max was exceeded; else 0 */
};

/*
 * madkit_buf_init - initialise an empty buffer
 * @buf: buffer to initialise
 * @max: limit for its length in bytes; 0: no limit
 *
 * Allocates no memory.
 */
void madkit_buf_init(struct madkit_buf *buf, size_t max);

/*
 * madkit_buf_free - free the content of a buffer
 * @buf: the buffer, or NULL
 *
 * The buffer is then empty, keeps its limit, and may be used again.
 */
void madkit_buf_free(struct madkit_buf *buf);

/*
 * madkit_buf_reset - empty a buffer without freeing its memory
 * @buf: the buffer
 *
 * Clears the error also.
 */
static inline void madkit_buf_reset(struct madkit_buf *buf)
{
	buf->len = 0;
	buf->error = 0;
}

/*
 * madkit_buf_grow - allocate room for more bytes
 * @buf: the buffer
 * @n:   number of bytes to append
 *
 * The caller writes up to @n bytes to the returned address, and then adds the number that it wrote to
 * buf->len. madkit_buf_room() is faster if the buffer often has enough room.
 *
 * Return: the address after the content, or NULL if the append failed (buf->error is set).
 */
char *madkit_buf_grow(struct madkit_buf *buf, size_t n);

/*
 * madkit_buf_room - return room for more bytes, and grow the buffer only if necessary
 * @buf: the buffer
 * @n:   number of bytes to append
 *
 * Use it like madkit_buf_grow().
 *
 * Return: the address after the content, or NULL if the append failed (buf->error is set).
 */
static inline char *madkit_buf_room(struct madkit_buf *buf, size_t n)
{
	if (buf->data && n <= buf->cap - buf->len && !buf->error)
		return buf->data + buf->len;
	return madkit_buf_grow(buf, n);
}

/*
 * madkit_buf_add - append bytes
 * @buf:  the buffer
 * @data: bytes to append
 * @n:    number of bytes
 */
static inline void madkit_buf_add(struct madkit_buf *buf, const void *data, size_t n)
{
	char *p = madkit_buf_room(buf, n);

	if (p && n) {
		memcpy(p, data, n);
		buf->len += n;
	}
}

/*
 * madkit_buf_str - append a string without its NUL
 * @buf: the buffer
 * @s:   string to append
 */
static inline void madkit_buf_str(struct madkit_buf *buf, const char *s)
{
	madkit_buf_add(buf, s, strlen(s));
}

/*
 * madkit_buf_char - append a character
 * @buf: the buffer
 * @c:   character to append
 */
static inline void madkit_buf_char(struct madkit_buf *buf, char c)
{
	madkit_buf_add(buf, &c, 1);
}

/*
 * madkit_buf_printf - append formatted text
 * @buf:    the buffer
 * @format: printf(3) format
 * @...:    arguments of @format
 *
 * Formats the text twice. Use the other functions if speed matters.
 */
void madkit_buf_printf(struct madkit_buf *buf, const char *format, ...) __attribute__((format(printf, 2, 3)));

MADKIT_END_DECLS
#endif
