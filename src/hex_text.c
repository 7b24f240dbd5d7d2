/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Dumps between the other lines of a log. Its lines are taken or skipped; damaged dumps are dropped up to
 * what ends them.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <madkit/mad.h>
#include "cli.h"
#include "hex_line.h"
#include "hex_text.h"
#include "hex_time.h"

/* Of a number in other text. */
#define NUMBER_BYTES   8
#define LINE_MAX_BYTES ((size_t)1 << 20)

void hex_text_init(struct hex_text *t)
{
	memset(t, 0, sizeof(*t));
	madkit_buf_init(&t->dump.bytes, 0);
}

void hex_text_free(struct hex_text *t)
{
	madkit_buf_free(&t->dump.bytes);
}

static bool hex_text_open(const struct hex_text *t)
{
	return t->dump.block || t->dump.offsets.last.digits || t->adrift;
}

/*
 * The dump ends before this line. 0; 1: bytes of it are unused, and the line is not taken; or an error.
 */
static int hex_text_end(struct hex_text *t)
{
	int ret = hex_dump_end(&t->dump);

	if (ret || hex_dump_have(&t->dump))
		return ret ? ret : 1;
	hex_dump_reset(&t->dump);
	t->smp.data = 0;
	t->adrift = false;
	return 0;
}

/* Back to a state in which the bytes were the same, or fewer. */
static void hex_text_restore(struct hex_text *t, const struct hex_text *was)
{
	struct madkit_buf bytes = t->dump.bytes;

	bytes.len = was->dump.bytes.len;
	*t = *was;
	t->dump.bytes = bytes;
}

/* A line of other text. 0, or 1 as hex_text_take_line(). */
static int hex_text_skip_line(struct hex_text *t, const struct hex_line *l)
{
	struct hex_text was;
	struct hex_offset label;
	int ret;

	t->log = true;
	ret = hex_text_end(t);
	if (ret)
		return ret;
	if (!t->skipped) {
		was = *t;
		t->dump.column = 0;
		hex_dump_take_bytes(&t->dump, l, hex_dump_label(&t->dump, l, &label), &label);
		memcpy(was.first, t->dump.trouble, sizeof(was.first));
		hex_text_restore(t, &was);
		if (hex_line_after_time(l))
			snprintf(t->first, sizeof(t->first),
				 "line %llu: a time, or bytes with colons between them",
				 (unsigned long long)t->dump.line + 1);
	}
	t->skipped++;
	return 0;
}

/* Takes the text of a line. 0, or 1 as hex_text_take_line(). */
static int hex_text_take(struct hex_text *t, const struct hex_line *l)
{
	struct hex_offset label;
	size_t i;
	int ret;

	if (hex_line_repeats(l)) {
		if (!t->dump.row)
			return hex_dump_trouble(&t->dump, hex_line_start(l), "'*' repeats nothing");
		t->dump.repeated = true;
		return 0;
	}
	i = hex_dump_label(&t->dump, l, &label);
	ret = hex_text_open(t) && hex_dump_another(&t->dump, l, i, &label) ? hex_text_end(t) : 0;
	if (ret)
		return ret;
	if (!t->dump.block) {
		t->dump.begin = t->dump.line + 1;
		/* opensm prints no offsets */
		if (t->smp.complete && !t->prefix && !label.digits)
			t->dump.block += opensm_smp_begin(&t->smp, &t->dump.bytes);
		t->smp.complete = false;
	}
	ret = hex_dump_take_label(&t->dump, l, i, &label);
	if (!ret)
		ret = hex_dump_take_bytes(&t->dump, l, i, &label);
	if (ret)
		return ret;
	t->dump.last = t->dump.line + 1;
	t->dump.block += t->dump.row;
	if (t->smp.data && opensm_smp_continue(&t->smp, t->dump.row, &t->dump.bytes)) {
		t->dump.row = 0;
		t->dump.full = true;
	}
	return t->dump.bytes.error;
}

/* Whether the line has hex text; where it begins. */
static bool hex_text_find(const struct hex_text *t, const struct hex_line *l, size_t *begin)
{
	struct hex_offset label;
	size_t i = hex_dump_label(&t->dump, l, &label), text;

	*begin = 0;
	if (hex_line_repeats(l) || (!hex_line_after_time(l) && hex_line_hex(l, i, label.digits > 0, &text)))
		return true;
	*begin = hex_line_after_prefix(l, hex_text_open(t) ? t->prefix : 0);
	return *begin;
}

/* The line continues a damaged dump unless it has another prefix or is at offset 0. */
static bool hex_text_drops(struct hex_text *t, const struct hex_line *l, uint64_t prefix)
{
	struct hex_offset label;

	if (!t->adrift || prefix != t->prefix)
		return false;
	hex_dump_label(&t->dump, l, &label);
	/* a line that is damaged itself begins no dump */
	if (!label.digits || !label.zero || t->retried == t->dump.line + 1)
		return true;
	t->retried = t->dump.line + 1;
	return false;
}

/* 1: the line is one of the header of opensm's SMP; 0: not; or an error: the header is not whole. */
static int hex_text_smp_header(struct hex_text *t, const struct hex_line *l)
{
	bool open = t->smp.open && !t->smp.complete, had = t->smp.have;
	bool is = opensm_smp_line(&t->smp, l);

	if (open && (!is || (had && !t->smp.have)))
		return hex_dump_trouble(&t->dump, 0,
					"the header of the SMP before is not one that opensm prints");
	return is;
}

/* Notes the time of a dump that begins with this line, which has a prefix of n characters. */
static void hex_text_note_time(struct hex_text *t, const struct hex_line *l, size_t n)
{
	if (t->dump.begin == t->dump.line + 1)
		t->time = hex_time_read(l, n);
}

/* 0; 1 if another dump begins while bytes of the previous one are unused: the line is not taken. */
static int hex_text_take_line(struct hex_text *t, const struct hex_line *l)
{
	size_t i = hex_line_start(l);
	struct hex_line text;
	struct hex_text was;
	uint64_t prefix;
	bool first;
	int ret;

	t->dump.column = 0;
	if (hex_line_at(l, i) == '\n' || hex_line_at(l, i) == '#') {
		/* opensm prints blank lines between its rows */
		return (t->smp.data || t->dump.full) && hex_line_at(l, i) == '\n' ? 0 : hex_text_end(t);
	}
	/* most lines continue a dump without a prefix; what is wrong with any other is found below */
	if (t->dump.block && !t->prefix && !t->adrift && t->dump.order.is != ORDER_OPEN &&
	    !hex_line_after_time(l)) {
		was = *t;
		ret = hex_text_take(t, l);
		if (ret != -EINVAL) {
			hex_text_note_time(t, l, 0);
			return ret;
		}
		hex_text_restore(t, &was);
	}
	ret = hex_text_smp_header(t, l);
	if (ret)
		return ret < 0 ? ret : hex_text_skip_line(t, l);
	if (!hex_text_find(t, l, &i)) {
		t->smp.complete = false;
		return hex_text_skip_line(t, l);
	}
	prefix = i ? hex_line_prefix_hash(l, i) : 0;
	text = (struct hex_line){ l->p + i, l->len - i };
	if (hex_text_drops(t, &text, prefix)) {
		t->dropped += t->reported != t->dump.line + 1;
		return 0;
	}
	ret = hex_text_open(t) && (t->adrift || prefix != t->prefix) ? hex_text_end(t) : 0;
	if (ret)
		return ret;
	first = !hex_text_open(t) && t->log;
	t->prefix = prefix;
	t->log |= prefix != 0;
	t->dump.column = i;
	was = *t;
	ret = hex_text_take(t, &text);
	hex_text_note_time(t, l, i);
	if (ret != -EINVAL || !first)
		return ret;
	/* numbers in other text */
	hex_text_restore(t, &was);
	return hex_text_skip_line(t, l);
}

/* The next line without its newline, or the beginning of one that is too long; not consumed. 1, 0 the end, -EAGAIN. */
static int peek_line(struct hex_text *t, const struct input *in, struct hex_line *l)
{
	size_t n = input_have(in), from = t->searched;
	const char *text = (const char *)input_bytes(in);
	const char *newline = n > from ? memchr(text + from, '\n', n - from) : NULL;

	l->p = text;
	l->len = newline ? (size_t)(newline - text) : n;
	/* a line that arrives in many reads is searched once; one that is taken again is short */
	t->searched = newline ? 0 : n;
	if (l->len <= LINE_MAX_BYTES && !newline && !in->eof)
		return -EAGAIN;
	if (l->len > LINE_MAX_BYTES)
		l->len = LINE_MAX_BYTES + 1;
	return n > 0;
}

/* Consumes the rest of the line from its byte number at. 0, or -EAGAIN. */
static int hex_text_next_line(struct hex_text *t, struct input *in, size_t at)
{
	size_t n = input_have(in);
	const char *text = (const char *)input_bytes(in);
	const char *newline = n > at ? memchr(text + at, '\n', n - at) : NULL;

	in->used += newline ? (size_t)(newline + 1 - text) : n;
	t->searched = 0;
	t->overlong = !newline && !in->eof;
	if (t->overlong)
		return -EAGAIN;
	t->dump.line++;
	return 0;
}

/* Skips a line that is too long: an error if it looks like hex digits. As hex_text_take_line(). */
static int hex_text_skip_overlong(struct hex_text *t, struct hex_line *l)
{
	int ret = hex_text_end(t);
	size_t begin;
	bool hex;

	if (ret)
		return ret;
	l->len = LINE_MAX_BYTES;
	hex = hex_text_find(t, l, &begin);
	t->smp.complete = false;
	if (hex) {
		hex_dump_trouble(&t->dump, begin, "the line is longer than %zu bytes", LINE_MAX_BYTES);
		return 0;
	}
	ret = hex_text_skip_line(t, l);
	if (t->skipped == 1)
		snprintf(t->first, sizeof(t->first), "line %llu is longer than %zu bytes",
			 (unsigned long long)t->dump.line + 1, LINE_MAX_BYTES);
	return ret;
}

/* Takes lines until n bytes are available, in a known order and confirmed. */
static int take_lines(struct hex_text *t, struct input *in, size_t n, bool *anew)
{
	struct hex_line line;
	int ret;

	while (t->dump.order.is == ORDER_OPEN || t->dump.longer || hex_dump_have(&t->dump) < n) {
		if (t->dump.error)
			return 0;
		if (t->overlong && hex_text_next_line(t, in, 0))
			return -EAGAIN;
		ret = peek_line(t, in, &line);
		if (ret == -EAGAIN)
			return ret;
		if (!ret) {
			t->dump.column = 0;
			hex_text_end(t);
			return 0;
		}
		ret = line.len > LINE_MAX_BYTES ? hex_text_skip_overlong(t, &line) :
						  hex_text_take_line(t, &line);
		*anew = ret > 0;
		if (ret < 0) {
			t->reported = t->dump.line + 1;
			/* the first row of a dump: it is not to be taken again */
			if (!t->dump.block)
				t->retried = t->reported;
		}
		if (ret < 0 && !t->dump.error) {
			t->dump.error = ret;
			snprintf(t->dump.trouble, sizeof(t->dump.trouble), "%s", strerror(-ret));
		}
		if (ret)
			return 0;
		if (t->dump.order.is == ORDER_OPEN &&
		    t->dump.bytes.len - t->dump.order.open >= MADKIT_HEADER_BYTES)
			hex_order_settle(&t->dump.order, &t->dump.bytes);
		if (hex_text_next_line(t, in, line.len))
			return -EAGAIN;
	}
	return 1;
}

/*
 * Drops bytes that are used up, except the latest row: '*' may repeat it. Moves bytes only if
 * as many go, so that a long look-ahead does not make each MAD cost as much.
 */
static void hex_text_compact(struct hex_text *t)
{
	size_t row = t->dump.bytes.len - t->dump.row, gone = t->dump.used < row ? t->dump.used : row;
	size_t left = t->dump.bytes.len - gone;

	if (!gone || (t->dump.used < t->dump.bytes.len && (gone <= LINE_MAX_BYTES || gone < left)))
		return;
	memmove(t->dump.bytes.data, t->dump.bytes.data + gone, left);
	t->dump.bytes.len = left;
	t->dump.used -= gone;
	if (t->dump.order.is == ORDER_OPEN)
		t->dump.order.open -= gone;
}

void hex_text_drop(struct hex_text *t, bool damaged)
{
	t->dump.used = t->dump.bytes.len;
	if (!damaged)
		return;
	t->adrift = true;
	t->dump.uneven = t->dump.regrouped = t->dump.repeated = t->dump.longer = t->dump.misplaced = false;
	t->dump.order.is = ORDER_UNKNOWN;
	t->dump.error = 0;
}

bool hex_text_stray(const struct hex_text *t)
{
	const struct hex_dump *d = &t->dump;

	/* as lines of GUIDs */
	return (d->block < MADKIT_HEADER_BYTES && !d->offsets.last.zero) ||
	       (!d->offsets.last.digits && d->width <= NUMBER_BYTES);
}

int hex_text_need(struct hex_text *t, struct input *in, size_t n, bool *anew)
{
	int ret;

	*anew = false;
	hex_text_compact(t);
	ret = take_lines(t, in, n, anew);
	/* nothing more is known of it */
	if (!ret)
		hex_order_settle(&t->dump.order, &t->dump.bytes);
	return ret;
}
