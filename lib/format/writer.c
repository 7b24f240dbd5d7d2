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

static inline void writer_key(struct madkit_writer *w, const char *key)
{
	if (key)
		put_key(w->buf, key, strlen(key), "");
}

/* Writes a key. Returns room for a value of n bytes and its comma; NULL: the buffer has an error. */
static inline char *writer_value(struct madkit_writer *w, const char *key, size_t n)
{
	const size_t len = key ? strlen(key) : 0;
	char *p = madkit_buf_room(w->buf, len + 3 + n + 1);

	if (!p || !key)
		return p;
	*p = '"';
	memcpy(p + 1, key, len);
	memcpy(p + 1 + len, "\":", 2);
	return p + len + 3;
}

/* Ends a value before p. */
static inline void writer_end_value(struct madkit_writer *w, char *p)
{
	*p++ = ',';
	w->buf->len = (size_t)(p - w->buf->data);
}

static inline void writer_word(struct madkit_writer *w, const char *key, const char *word, size_t n)
{
	char *p = writer_value(w, key, n);

	if (!p)
		return;
	memcpy(p, word, n);
	writer_end_value(w, p + n);
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
	if (!text) {
		madkit_writer_null(w, key);
		return;
	}
	writer_key(w, key);
	madkit_json_string(w->buf, text, strlen(text));
	LIT(w->buf, ",");
}

void madkit_writer_number(struct madkit_writer *w, const char *key, uint64_t value)
{
	char *p = writer_value(w, key, EMIT_U64_MAX);

	if (p)
		writer_end_value(w, emit_u64(p, value));
}

/* Below this, a double has the whole number and the rest exactly. */
static const double writer_decimal_max = 0x1p52;

enum { WRITER_PLACES = 9 };

/* Writes what printf() would, and faster. Returns NULL, and leaves it to printf(), if the number is negative, too large, or so
 * near the middle of two decimals that an error of the product might round it to the wrong one. */
static char *writer_emit_decimal(char *p, double real, unsigned int places)
{
	uint64_t whole, digits, scale = 1;
	double scaled, rest;

	if (signbit(real) || real >= writer_decimal_max)
		return NULL;
	for (unsigned int i = 0; i < places; i++)
		scale *= 10;
	whole = (uint64_t)real;
	scaled = (real - (double)whole) * (double)scale;
	digits = (uint64_t)scaled;
	rest = scaled - (double)digits;
	if (fabs(rest - 0.5) < 1e-6)
		return NULL;
	digits += rest > 0.5;
	p = emit_u64(p, whole + digits / scale);
	digits %= scale;
	*p = '.';
	for (unsigned int i = places; i; i--, digits /= 10)
		p[i] = (char)('0' + digits % 10);
	return p + 1 + places;
}

/* Writes any finite number. */
static void writer_print_decimal(struct madkit_buf *buf, double real, unsigned int places)
{
	char text[DBL_MAX_10_EXP + 32], *point;
	size_t n;

	/* the decimal point depends on the locale, and may have several bytes */
	snprintf(text, sizeof(text), "%.*f", (int)places, real);
	point = text + (*text == '-');
	point += strspn(point, "0123456789");
	n = strcspn(point, "0123456789");
	madkit_buf_add(buf, text, (size_t)(point - text));
	LIT(buf, ".");
	madkit_buf_str(buf, point + n);
}

void madkit_writer_decimal(struct madkit_writer *w, const char *key, double real, unsigned int places)
{
	const unsigned int shown = !places ? 1 : places < WRITER_PLACES ? places : WRITER_PLACES;
	char *p, *end;

	if (!isfinite(real)) {
		madkit_writer_null(w, key);
		return;
	}
	p = writer_value(w, key, EMIT_U64_MAX + 1 + WRITER_PLACES);
	end = p ? writer_emit_decimal(p, real, shown) : NULL;
	if (end) {
		writer_end_value(w, end);
	} else if (p) {
		w->buf->len = (size_t)(p - w->buf->data);
		writer_print_decimal(w->buf, real, shown);
		LIT(w->buf, ",");
	}
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
	if (value)
		writer_word(w, key, "true", 4);
	else
		writer_word(w, key, "false", 5);
}

void madkit_writer_null(struct madkit_writer *w, const char *key)
{
	writer_word(w, key, "null", 4);
}

void madkit_writer_known(struct madkit_writer *w, const char *key, bool known, uint64_t value)
{
	if (known)
		madkit_writer_number(w, key, value);
	else
		madkit_writer_null(w, key);
}
