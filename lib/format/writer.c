/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Each value is followed by a comma, which the end of its object, array or line removes. */
#include <errno.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <madkit/escape.h>
#include <madkit/writer.h>
#include "util/put.h"

static void writer_key(struct madkit_writer *w, const char *key)
{
	if (key)
		put_key(w->buf, key, strlen(key), "");
}

void madkit_writer_begin(struct madkit_writer *w, struct madkit_buf *buf)
{
	*w = (struct madkit_writer){ .buf = buf };
}

void madkit_writer_line(struct madkit_writer *w)
{
	put_uncomma(w->buf);
	madkit_buf_char(w->buf, '\n');
}

static void writer_open(struct madkit_writer *w, const char *key, bool array)
{
	if (w->depth == MADKIT_WRITER_DEPTH_MAX)
		w->buf->error = -EINVAL;
	else
		w->depth++;
	writer_key(w, key);
	w->arrays = w->arrays << 1 | array;
	madkit_buf_char(w->buf, array ? '[' : '{');
}

void madkit_writer_object(struct madkit_writer *w, const char *key)
{
	writer_open(w, key, false);
}

void madkit_writer_array(struct madkit_writer *w, const char *key)
{
	writer_open(w, key, true);
}

void madkit_writer_close(struct madkit_writer *w)
{
	if (!w->depth)
		w->buf->error = -EINVAL;
	else
		w->depth--;
	put_close(w->buf, w->arrays & 1 ? ']' : '}');
	w->arrays >>= 1;
}

void madkit_writer_string(struct madkit_writer *w, const char *key, const char *text)
{
	writer_key(w, key);
	if (text)
		madkit_json_string(w->buf, text, strlen(text));
	else
		LIT(w->buf, "null");
	LIT(w->buf, ",");
}

void madkit_writer_number(struct madkit_writer *w, const char *key, uint64_t value)
{
	writer_key(w, key);
	put_number(w->buf, value);
	LIT(w->buf, ",");
}

void madkit_writer_decimal(struct madkit_writer *w, const char *key, double real, unsigned int places)
{
	char text[DBL_MAX_10_EXP + 32], *point;
	size_t n;

	if (!isfinite(real)) {
		madkit_writer_null(w, key);
		return;
	}
	/* the decimal point depends on the locale, and may have several bytes */
	snprintf(text, sizeof(text), "%.*f", (int)(!places ? 1 : places < 9 ? places : 9), real);
	point = text + (*text == '-');
	point += strspn(point, "0123456789");
	n = strcspn(point, "0123456789");
	writer_key(w, key);
	madkit_buf_add(w->buf, text, (size_t)(point - text));
	LIT(w->buf, ".");
	madkit_buf_str(w->buf, point + n);
	LIT(w->buf, ",");
}

void madkit_writer_hex(struct madkit_writer *w, const char *key, uint64_t value, unsigned int digits)
{
	unsigned int n = digits < 2 ? 2 : digits < 16 ? digits + (digits & 1) : 16;

	while (n < 16 && value >> 4 * n)
		n += 2;
	writer_key(w, key);
	put_quoted_hex(w->buf, value, n);
	LIT(w->buf, ",");
}

void madkit_writer_bool(struct madkit_writer *w, const char *key, bool value)
{
	writer_key(w, key);
	madkit_buf_str(w->buf, value ? "true," : "false,");
}

void madkit_writer_null(struct madkit_writer *w, const char *key)
{
	madkit_writer_string(w, key, NULL);
}

void madkit_writer_known(struct madkit_writer *w, const char *key, bool known, uint64_t value)
{
	if (known)
		madkit_writer_number(w, key, value);
	else
		madkit_writer_null(w, key);
}
