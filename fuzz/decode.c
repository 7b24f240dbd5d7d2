/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Any bytes as a message, to everything that shows one. Besides that nothing is
 * read or written beyond its bounds: JSON is JSON, and text holds no control
 * characters.
 */
#define _GNU_SOURCE /* memmem */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <madkit/madkit.h>
#include "format/rest.h"
#include "util/array_size.h"
#include "util/utf8.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void fuzz_decode_die(const char *what, const struct madkit_buf *buf)
{
	fprintf(stderr, "%s:\n%.*s\n", what, (int)buf->len, buf->data);
	abort();
}

/* ---- a strict reader of JSON (RFC 8259) ------------------------------------- */

struct reader {
	const uint8_t *p, *end;
};

static bool fuzz_decode_value(struct reader *r, unsigned int depth);

static bool fuzz_decode_take(struct reader *r, char c)
{
	if (r->p == r->end || *r->p != (uint8_t)c)
		return false;
	r->p++;
	return true;
}

static bool fuzz_decode_digits(struct reader *r)
{
	const uint8_t *begin = r->p;

	while (r->p < r->end && *r->p >= '0' && *r->p <= '9')
		r->p++;
	return r->p > begin;
}

/* No leading zero. Temperatures have a sign and a fraction, bit error rates an exponent. */
static bool fuzz_decode_number(struct reader *r)
{
	fuzz_decode_take(r, '-');
	if (!fuzz_decode_take(r, '0') && !fuzz_decode_digits(r))
		return false;
	if (fuzz_decode_take(r, '.') && !fuzz_decode_digits(r))
		return false;
	if (!fuzz_decode_take(r, 'e'))
		return true;
	fuzz_decode_take(r, '-');
	return fuzz_decode_digits(r);
}

static bool string(struct reader *r)
{
	if (!fuzz_decode_take(r, '"'))
		return false;
	while (r->p < r->end && *r->p != '"') {
		size_t n = utf8_length(r->p, (size_t)(r->end - r->p));

		if (*r->p < 0x20 || !n)
			return false;
		if (*r->p != '\\') {
			r->p += n;
			continue;
		}
		if (r->end - r->p < 2)
			return false;
		if (r->p[1] != 'u') {
			if (!strchr("\"\\/bfnrt", r->p[1]))
				return false;
			r->p += 2;
			continue;
		}
		for (int i = 2; i < 6; i++)
			if (r->p + i >= r->end || !strchr("0123456789abcdef", r->p[i]) || !r->p[i])
				return false;
		r->p += 6;
	}
	return fuzz_decode_take(r, '"');
}

/* Members or elements up to the end. */
static bool fuzz_decode_list(struct reader *r, char end, unsigned int depth)
{
	if (fuzz_decode_take(r, end))
		return true;
	do {
		if (end == '}' && (!string(r) || !fuzz_decode_take(r, ':')))
			return false;
		if (!fuzz_decode_value(r, depth + 1))
			return false;
	} while (fuzz_decode_take(r, ','));
	return fuzz_decode_take(r, end);
}

static bool fuzz_decode_value(struct reader *r, unsigned int depth)
{
	static const char *const words[] = { "null", "true", "false" };

	if (r->p == r->end || depth > 20)
		return false;
	if (*r->p == '"')
		return string(r);
	if (fuzz_decode_take(r, '{'))
		return fuzz_decode_list(r, '}', depth);
	if (fuzz_decode_take(r, '['))
		return fuzz_decode_list(r, ']', depth);
	for (size_t i = 0; i < 3; i++) {
		size_t n = strlen(words[i]);

		if ((size_t)(r->end - r->p) >= n && !memcmp(r->p, words[i], n)) {
			r->p += n;
			return true;
		}
	}
	return fuzz_decode_number(r);
}

static void check_json(const struct madkit_buf *buf, int lines)
{
	struct reader r = { (const uint8_t *)buf->data, NULL };

	if (!buf->len && !lines)
		return;
	r.end = r.p + buf->len;
	for (; lines > 0; lines--)
		if (r.p == r.end || *r.p != '{' || !fuzz_decode_value(&r, 0) || !fuzz_decode_take(&r, '\n'))
			fuzz_decode_die("no JSON", buf);
	if (lines < 0 || r.p != r.end)
		fuzz_decode_die("wrong number of lines", buf);
}

static void check_text(const struct madkit_buf *buf)
{
	const uint8_t *s = (const uint8_t *)buf->data;

	for (size_t i = 0, n; i < buf->len; i += n) {
		n = utf8_length(s + i, buf->len - i);
		if (!n || (s[i] < 0x20 && s[i] != '\n' && s[i] != '\t') || s[i] == 0x7f ||
		    (n == 2 && s[i] == 0xc2 && s[i + 1] < 0xa0))
			fuzz_decode_die("a control character", buf);
	}
}

/* ---- one message --------------------------------------------------------------- */

static const char *const filters[] = {
	"LinkState == Active || NodeType == Switch && Guid",
	"Block.Weight > 3 || PKey == 0xffff || GUID",
	"SGID == fe80::1 || !header.m_key || header.sm_key == 5",
	"NodeDescription =~ 'a|b' || CapMask & IsSM || Data == 0102",
	"rmpp.segment > 1 || status.text =~ busy || header.method == GetResp",
	"LinkWidthActive < LinkWidthEnabled || PKey == remote.lid || SGID != DGID || tag == NodeDescription",
};

/* "rest" holds exactly the bytes of rest_put(), although JSON calls it only if a quick check found any. */
static void check_rest(const struct madkit_buf *buf, const struct madkit_message *m, bool show_keys)
{
	const char *line = buf->data, *end = buf->data + buf->len;
	struct madkit_buf rest;

	madkit_buf_init(&rest, 0);
	for (unsigned int n = 0; line < end; n++) {
		const char *next = memchr(line, '\n', (size_t)(end - line));
		struct madkit_record record;

		madkit_record_get(m, n, &record);
		madkit_buf_reset(&rest);
		madkit_buf_str(&rest, ",\"rest\":{");
		if (m->mad)
			rest_put(&rest, &record, show_keys);
		if (rest.data[rest.len - 1] == ',')
			rest.len--;
		madkit_buf_str(&rest, "},\"redacted\":");
		if (!memmem(line, (size_t)(next - line), rest.data, rest.len))
			fuzz_decode_die("rest is not what it should be", buf);
		line = next + 1;
	}
	madkit_buf_free(&rest);
}

/* Keys, verbose text and indented JSON as the bits of mode say. */
/* Plans write the same as the code without plans. */
static void check_plans(const struct madkit_buf *walked, const struct madkit_message *m,
			struct madkit_format format,
			int (*put)(struct madkit_buf *, const struct madkit_message *,
				   const struct madkit_format *))
{
	static struct madkit_plans *plans;
	struct madkit_buf planned;

	if (!plans)
		plans = madkit_plans_new();
	format.plans = plans;
	madkit_buf_init(&planned, 0);
	/* a shape has a plan from its tenth line on */
	for (unsigned int i = 0; i < 10; i++) {
		madkit_buf_reset(&planned);
		put(&planned, m, &format);
	}
	if (planned.len != walked->len || (planned.len && memcmp(planned.data, walked->data, planned.len)))
		fuzz_decode_die("planned it is another", &planned);
	madkit_buf_free(&planned);
}

static void fuzz_decode_show(const struct madkit_message *m, struct madkit_format *format, unsigned int mode)
{
	struct madkit_buf buf;
	int lines;

	format->show_keys = mode & 1;
	format->verbose = mode & 2;
	madkit_buf_init(&buf, 0);
	lines = madkit_format_json(&buf, m, format);
	check_json(&buf, lines);
	check_plans(&buf, m, *format, madkit_format_json);
	if (!format->filter && !format->fields)
		check_rest(&buf, m, format->show_keys);
	madkit_buf_reset(&buf);
	if (madkit_format_text(&buf, m, format) != lines)
		fuzz_decode_die("other records in text", &buf);
	check_text(&buf);
	check_plans(&buf, m, *format, madkit_format_text);
	if (mode & 4) {
		madkit_buf_reset(&buf);
		format->pretty = true;
		madkit_format_json(&buf, m, format);
		madkit_buf_reset(&buf);
		madkit_format_hex(&buf, m, format);
		madkit_pcap_add(&buf, m, NULL, false, format->show_keys);
	}
	madkit_buf_free(&buf);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct madkit_addr remote = { .lid = 5, .qp = 1 };
	static const enum madkit_message_kind kinds[] = {
		MADKIT_MESSAGE_RESPONSE,
		MADKIT_MESSAGE_RESPONSE,
		MADKIT_MESSAGE_REQUEST,
		MADKIT_MESSAGE_TIMEOUT,
	};
	/* a copy of the exact length, so that reading beyond it is detected */
	uint8_t *copy = malloc(size ? size : 1);
	struct madkit_message m = {
		.remote = &remote,
		.mad = copy,
		.len = size,
		.rtt_us = -1,
		.attempts = -1,
	};
	struct madkit_format format = { .show_keys = false };
	struct madkit_projection *p = NULL;
	struct madkit_expr *expr = NULL;
	unsigned int got, total, mode = 0;

	if (!copy)
		return 0;
	/* how it is shown depends on it, so that a find can be replayed */
	for (size_t i = 0; i < size; i++)
		mode = mode * 31 + data[i];
	memcpy(copy, data, size);
	m.kind = kinds[mode >> 8 & 3];
	m.truncated = mode >> 10 & 1;
	if ((mode >> 11 & 3) == 1 &&
	    madkit_expr_new(filters[(mode >> 16) % ARRAY_SIZE(filters)], &expr, NULL))
		abort();
	if ((mode >> 11 & 3) == 2 && madkit_projection_new("Guid,remote,header.m_key,Block[3].VL,rest,"
							   "redacted,LinkState,SGID,PKey[2]",
							   &p, NULL))
		abort();
	format.filter = expr;
	format.fields = p;
	fuzz_decode_show(&m, &format, mode);
	if (madkit_message_complete(&m, &got, &total) && total && total <= got)
		abort();
	madkit_projection_free(p);
	madkit_expr_free(expr);
	free(copy);
	return 0;
}
