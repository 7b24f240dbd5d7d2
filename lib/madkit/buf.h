/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A growing run of bytes with a limit: what formats are written into. */
#ifndef MADKIT_BUF_H
#define MADKIT_BUF_H

#include <madkit/decls.h>
#include <stddef.h>
#include <string.h>

MADKIT_BEGIN_DECLS

/*
 * data[0..len) is the content. After a failed append error holds -ENOMEM or
 * -EFBIG (max would be passed) and further appends do nothing, so that a
 * writer may look once, at its end.
 */
struct madkit_buf {
	char *data; /* moves as it grows; no NUL stands behind it */
	size_t len;
	size_t cap; /* bytes allocated */
	size_t max; /* what len may become; 0: no limit but memory */
	int error;  /* of the first append that failed, else 0 */
};

/* An empty one. Allocates nothing yet. */
void madkit_buf_init(struct madkit_buf *buf, size_t max);
/* Frees the content; the buffer is empty then, with the same limit. NULL is allowed. */
void madkit_buf_free(struct madkit_buf *buf);

/* Forgets the content and the error, keeps the memory. */
static inline void madkit_buf_reset(struct madkit_buf *buf)
{
	buf->len = 0;
	buf->error = 0;
}

/* Makes room for n more bytes; the place of the first, or NULL (error set). */
char *madkit_buf_grow(struct madkit_buf *buf, size_t n);

/* The same, where there often is room already. The caller writes there and adds to
 * len what it wrote. */
static inline char *madkit_buf_room(struct madkit_buf *buf, size_t n)
{
	if (buf->data && n <= buf->cap - buf->len && !buf->error)
		return buf->data + buf->len;
	return madkit_buf_grow(buf, n);
}

/* Appends n bytes, a string without its NUL, a character. */
static inline void madkit_buf_add(struct madkit_buf *buf, const void *data, size_t n)
{
	char *p = madkit_buf_room(buf, n);

	if (p && n) {
		memcpy(p, data, n);
		buf->len += n;
	}
}
static inline void madkit_buf_str(struct madkit_buf *buf, const char *s)
{
	madkit_buf_add(buf, s, strlen(s));
}
static inline void madkit_buf_char(struct madkit_buf *buf, char c)
{
	madkit_buf_add(buf, &c, 1);
}

/* Appends text made by a format of printf: not for hot paths. */
void madkit_buf_printf(struct madkit_buf *buf, const char *format, ...) __attribute__((format(printf, 2, 3)));

MADKIT_END_DECLS
#endif
