/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* There is no list of log formats: a prefix ends with "] ", ": " or "-> ", with a time, or before an offset with a
 * colon. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <madkit/registry.h>
#include "hex_text.h"
#include "mad_piece.h"

#define LINE_MAX_BYTES ((size_t)1 << 20)
#define PREFIX_MAX     512
/* Fewer bytes after a prefix may be a number in ordinary text. */
#define ROW_MIN_BYTES 8
/* In a log, a first offset of at least this value is a memory address, not a position in a dump. */
#define ADDRESS_MIN 0x10000

void hex_text_init(struct hex_text *t)
{
	memset(t, 0, sizeof(*t));
	madkit_buf_init(&t->dump.bytes, 0);
}

void hex_text_free(struct hex_text *t)
{
	madkit_buf_free(&t->dump.bytes);
}

/* ---- lines ---------------------------------------------------------------------- */

static int hex_text_fail(struct hex_text *t, size_t column, const char *why)
{
	snprintf(t->trouble, sizeof(t->trouble), "line %" PRIu64 ", column %zu: %s", t->line + 1, column + 1,
		 why);
	t->error = -EINVAL;
	t->adrift = true;
	return -EINVAL;
}

static bool hex_text_open(const struct hex_text *t)
{
	return t->dump.form.bytes || t->adrift;
}

/* Ends the dump before this line. Returns 0, or 1 if its bytes must be used, or an error reported, first. */
static int hex_text_end(struct hex_text *t)
{
	if (t->dump.repeated) {
		hex_text_fail(t, 0, "the offset after '*' is missing");
		t->dump.repeated = false;
		return 1;
	}
	if (hex_text_have(t))
		return 1;
	hex_dump_reset(&t->dump);
	t->smp.dumped = t->adrift = false;
	t->uneven[0] = '\0';
	return 0;
}

/* Skips a line that is not part of a dump. Returns 0, or 1 as hex_text_end() does. */
static int hex_text_skip(struct hex_text *t, const struct text_line *l, const struct hex_row *row)
{
	t->log = true;
	if (hex_text_end(t))
		return 1;
	if (!t->skipped || (row->refused && !t->unread_known)) {
		t->unread_known = row->refused;
		if (text_line_after_time(l))
			snprintf(t->unread, sizeof(t->unread),
				 "line %" PRIu64 ": a time, or bytes with colons between them", t->line + 1);
		else
			snprintf(t->unread, sizeof(t->unread), "line %" PRIu64 ", column %zu: %s",
				 t->line + 1, row->wrong + 1,
				 row->trouble[0] ? row->trouble : "an offset without bytes");
	}
	t->skipped++;
	return 0;
}

/* Returns true if the line has a row of a dump after a prefix of this many characters. */
static bool hex_text_find(const struct hex_text *t, const struct text_line *l, struct hex_row *row,
			  size_t *prefix)
{
	const struct hex_row *form = &t->dump.form;
	bool open = hex_text_open(t);
	size_t closing = form->bytes && !form->colon ? form->digits : 0;
	size_t after_time = text_line_after_time(l), start = text_line_blanks(l, 0);
	struct hex_row found;
	char before = ' ';

	*prefix = 0;
	if (hex_row_read(row, l, start, closing) && !after_time)
		return row->bytes || row->repeats || row->trouble[0] || open;
	for (size_t i = 1; i < l->len && i <= PREFIX_MAX; i++) {
		if (!text_line_blank(l, i - 1))
			before = l->p[i - 1];
		if (text_line_blank(l, i) || !text_line_blank(l, i - 1))
			continue;
		if (!hex_row_read(&found, l, i, closing) ||
		    (!strchr("]:>", before) && i != after_time && !found.colon))
			continue;
		if (found.bytes + (found.digits > 0) <= ROW_MIN_BYTES &&
		    !(open && text_line_prefix(l, i) == t->prefix))
			continue;
		*row = found;
		*prefix = i;
		return true;
	}
	return false;
}

/* Returns true if the row continues the open dump. If its format differs, t->uneven says how, or the data of the SMP
 * is damaged. */
static bool hex_text_continues(struct hex_text *t, struct hex_row *row, uint64_t prefix)
{
	char why[128];

	if (t->adrift || prefix != t->prefix || hex_dump_another(&t->dump, row))
		return false;
	if (!hex_dump_differs(&t->dump, row, why, sizeof(why)))
		return true;
	if (t->smp.dumped) {
		hex_row_fail(row, row->column, "%s", why);
		return true;
	}
	snprintf(t->uneven, sizeof(t->uneven), "line %" PRIu64 ", column 1: %s", t->line + 1, why);
	return false;
}

/* Adds a row to the dump, or begins the dump with it. Returns 0 or an error. */
static int hex_text_add(struct hex_text *t, struct hex_row *row, const struct text_line *l)
{
	struct hex_dump *d = &t->dump;
	int ret;

	if (t->smp.dumped && (row->repeats || row->bytes > t->smp.data))
		hex_row_fail(row, row->column, "the data of the SMP before has other lines");
	ret = hex_dump_add(d, row, l);
	if (ret == -EINVAL && t->smp.dumped)
		d->bytes.len = d->used;
	if (ret == -EINVAL)
		return hex_text_fail(t, row->wrong, row->trouble);
	if (!ret && t->smp.dumped)
		opensm_smp_continue(&t->smp, row->bytes, &d->bytes);
	t->last = t->line + 1;
	return ret ? ret : d->bytes.error;
}

/* Begins a dump with this row, after a prefix of n characters. Returns the same as hex_text_take(). */
static int hex_text_begin(struct hex_text *t, struct hex_row *row, const struct text_line *l, size_t n)
{
	bool log = t->log;
	int ret;

	/* opensm prints no offsets */
	if (t->smp.complete && !n && !row->digits && !row->trouble[0])
		t->dump.total = opensm_smp_begin(&t->smp, &t->dump.bytes);
	t->smp.complete = false;
	/* a dump in a format that is not supported, or numbers in ordinary text */
	if (log && row->trouble[0] && !(row->refused && (row->words >= 4 || row->zero)))
		return hex_text_skip(t, l, row);
	t->prefix = n ? text_line_prefix(l, n) : 0;
	t->log |= n > 0;
	t->first = t->line + 1;
	t->time = text_line_time(l, n);
	ret = hex_text_add(t, row, l);
	if (ret != -EINVAL)
		return ret;
	hex_dump_reset(&t->dump);
	if (!log || row->refused)
		return ret;
	t->error = 0;
	t->adrift = false;
	return hex_text_skip(t, l, row);
}

/* Parses a line of opensm's SMP header. Returns 1; 0 if it is another line; -EINVAL if the header is incomplete. */
static int hex_text_header(struct hex_text *t, const struct text_line *l)
{
	bool open = t->smp.open && !t->smp.complete, had = t->smp.have;
	bool is = opensm_smp_line(&t->smp, l);

	if (open && (!is || (had && !t->smp.have))) {
		t->prefix = 0;
		return hex_text_fail(t, 0, "the header of the SMP before is not one that opensm prints");
	}
	return is;
}

/* Parses a line. Returns 0; 1 if a dump ends before the line, which is not consumed then; or an error. */
static int hex_text_take(struct hex_text *t, const struct text_line *l)
{
	size_t i = text_line_blanks(l, 0), n;
	struct hex_row row = { .trouble = "no hex digits" };
	uint64_t prefix;
	int ret;

	if (text_line_at(l, i) == '\n' || text_line_at(l, i) == '#')
		/* opensm prints blank lines between its rows */
		return t->smp.dumped && text_line_at(l, i) == '\n' ? 0 : hex_text_end(t);
	ret = hex_text_header(t, l);
	if (ret)
		return ret < 0 ? ret : hex_text_skip(t, l, &row);
	if (!hex_text_find(t, l, &row, &n)) {
		t->smp.complete = false;
		return hex_text_skip(t, l, &row);
	}
	prefix = n ? text_line_prefix(l, n) : 0;
	if (t->adrift && prefix == t->prefix && !row.zero) {
		t->dropped++;
		return 0;
	}
	if (hex_text_open(t)) {
		if (hex_text_continues(t, &row, prefix))
			return hex_text_add(t, &row, l);
		if (hex_text_end(t))
			return 1;
	}
	return hex_text_begin(t, &row, l, n);
}

/* ---- input ------------------------------------------------------------------------ */

/* Finds the next line, or its beginning if it is too long, without consuming it. Returns 1, 0 at the end, or
 * -EAGAIN. */
static int hex_text_peek(struct hex_text *t, const struct input *in, struct text_line *l)
{
	size_t n = input_have(in), from = t->searched;
	const char *text = (const char *)input_bytes(in);
	const char *newline = n > from ? memchr(text + from, '\n', n - from) : NULL;

	l->p = text;
	l->len = newline ? (size_t)(newline - text) : n;
	/* a line that arrives in many reads is searched only once; a line that is parsed again is short */
	t->searched = newline ? 0 : n;
	if (l->len <= LINE_MAX_BYTES && !newline && !in->eof)
		return -EAGAIN;
	if (l->len > LINE_MAX_BYTES)
		l->len = LINE_MAX_BYTES + 1;
	return n > 0;
}

/* Consumes the rest of the line, beginning at the given byte. Returns 0 or -EAGAIN. */
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
	t->line++;
	return 0;
}

/* Skips a line that is too long; it is an error if it looks like hex digits. Returns the same as hex_text_take(). */
static int hex_text_take_overlong(struct hex_text *t, struct text_line *l)
{
	struct hex_row row;
	char why[64];
	size_t prefix;

	if (hex_text_end(t))
		return 1;
	l->len = LINE_MAX_BYTES;
	snprintf(why, sizeof(why), "the line is longer than %zu bytes", LINE_MAX_BYTES);
	t->smp.complete = false;
	if (hex_text_find(t, l, &row, &prefix)) {
		t->prefix = prefix ? text_line_prefix(l, prefix) : 0;
		return hex_text_fail(t, prefix, why);
	}
	row.trouble[0] = '\0';
	hex_row_fail(&row, 0, "%s", why);
	return hex_text_skip(t, l, &row);
}

/* Removes used bytes, except the latest row, which '*' may repeat. Moves at most as many bytes as it removes. */
static void hex_text_compact(struct hex_dump *d)
{
	size_t row = d->bytes.len - d->row, gone = d->used < row ? d->used : row, left = d->bytes.len - gone;

	if (!gone || (d->used < d->bytes.len && (gone <= LINE_MAX_BYTES || gone < left)))
		return;
	memmove(d->bytes.data, d->bytes.data + gone, left);
	d->bytes.len = left;
	d->used -= gone;
}

int hex_text_need(struct hex_text *t, struct input *in, size_t n)
{
	struct text_line line;
	int ret;

	hex_text_compact(&t->dump);
	while (hex_text_have(t) < n && !t->error) {
		if (t->overlong && hex_text_next_line(t, in, 0))
			return -EAGAIN;
		ret = hex_text_peek(t, in, &line);
		if (ret < 0)
			return ret;
		if (!ret) {
			hex_text_end(t);
			break;
		}
		ret = line.len > LINE_MAX_BYTES ? hex_text_take_overlong(t, &line) : hex_text_take(t, &line);
		if (ret > 0)
			break;
		if (ret < 0 && !t->error) {
			t->error = ret;
			snprintf(t->trouble, sizeof(t->trouble), "%s", strerror(-ret));
		}
		if (hex_text_next_line(t, in, line.len))
			return -EAGAIN;
	}
	return 0;
}

void hex_text_drop(struct hex_text *t, bool damaged)
{
	t->dump.used = t->dump.bytes.len;
	if (!damaged)
		return;
	t->adrift = true;
	t->error = 0;
	t->dump.repeated = false;
	t->uneven[0] = '\0';
}

/* ---- MADs ------------------------------------------------------------------------- */

/* Returns true if a dump may begin with these bytes. strict: they may also be the rest of another dump. */
static bool hex_text_plausible(const uint8_t *p, size_t have, bool strict)
{
	if (mad_lost(p) || (have >= 2 && !madkit_class_get(p[1])))
		return false;
	if (have < MADKIT_HEADER_BYTES)
		return !strict;
	/* the two bytes after the attribute are reserved */
	if (p[MADKIT_MAD_ATTRIBUTE + 2] || p[MADKIT_MAD_ATTRIBUTE + 3])
		return false;
	return !strict || mad_begins(p);
}

/* Returns 0 if the bytes are not a MAD header, 1 if the attribute is unknown, 2 if it is known. */
static int hex_text_likeness(const uint8_t *p)
{
	uint16_t id = (uint16_t)(p[MADKIT_MAD_ATTRIBUTE] << 8 | p[MADKIT_MAD_ATTRIBUTE + 1]);

	if (!hex_text_plausible(p, MADKIT_HEADER_BYTES, true))
		return 0;
	return madkit_attribute_get(p[0], p[1], id) ? 2 : 1;
}

/* Returns true if only the other byte order makes the words a MAD: 01 01 fits both, and xxd -e does not show the
 * order. */
static bool hex_text_swapped(const struct hex_dump *d, const uint8_t *p, size_t have)
{
	size_t word = d->form.word / 2;
	uint8_t h[MADKIT_HEADER_BYTES];

	if (have < sizeof(h) || (word != 2 && word != 4 && word != 8))
		return false;
	for (size_t i = 0; i < sizeof(h); i++)
		h[i] = p[i ^ (word - 1)];
	return hex_text_likeness(h) > hex_text_likeness(p);
}

/* Returns true if the beginning of the dump is missing. */
static bool hex_text_headless(const struct hex_text *t, const uint8_t *p, size_t have)
{
	const struct hex_row *form = &t->dump.form;

	if (!form->digits || form->zero)
		return false;
	return (t->log && form->offset[RADIX_HEX] < ADDRESS_MIN) || !hex_text_plausible(p, have, true);
}

/*
 * Without offsets, missing or repeated lines show only in the bytes after a MAD: another MAD, or nothing, must follow.
 * In an OPA MAD, lines of another MAD may replace the same number of missing lines.
 */
static bool hex_text_refuted(const struct hex_text *t, size_t want)
{
	const uint8_t *p = hex_text_bytes(t), *next = p + want;
	const struct hex_dump *d = &t->dump;
	size_t have = hex_text_have(t), width = d->form.bytes, at = width - (size_t)(d->total - have) % width;

	for (; p[0] == MADKIT_BASE_VERSION_OPA && at + MADKIT_HEADER_BYTES <= want; at += width)
		if (hex_text_plausible(p + at, MADKIT_HEADER_BYTES, true))
			return true;
	if (have == want || (d->row != width && have - want == d->row))
		return false;
	return !hex_text_plausible(next, have - want, true) &&
	       !(have >= want + MADKIT_HEADER_BYTES && mad_same_message(p, next));
}

/* Returns true if the bytes may be numbers in ordinary text, such as lines of GUIDs. */
static bool hex_text_stray(const struct hex_text *t, const uint8_t *p, size_t have)
{
	const struct hex_dump *d = &t->dump;

	return t->log && (have < 4 || !mad_begins(p)) &&
	       ((d->total < MADKIT_HEADER_BYTES && !d->form.zero) ||
		(!d->form.digits && d->form.bytes <= ROW_MIN_BYTES));
}

/* Drops the bytes and records the error of their dump. Returns 0. */
static int hex_text_refuse(struct hex_text *t, bool damaged, const char *why)
{
	if (t->first == t->last)
		snprintf(t->refusal, sizeof(t->refusal), "line %" PRIu64 ": %s", t->first, why);
	else
		snprintf(t->refusal, sizeof(t->refusal), "lines %" PRIu64 " to %" PRIu64 ": %s", t->first,
			 t->last, why);
	hex_text_drop(t, damaged);
	t->doubtful = true;
	return 0;
}

/* Drops bytes that are numbers in ordinary text. Returns 0. */
static int hex_text_drop_stray(struct hex_text *t)
{
	t->skipped += t->last - t->first + 1;
	t->first = t->last + 1;
	hex_text_drop(t, false);
	return 0;
}

/* Writes why the bytes are not shown as a MAD of want bytes. Returns false if they are shown. */
static bool hex_text_doubt(const struct hex_text *t, const uint8_t *p, size_t have, size_t want, bool refuted,
			   char *why, size_t size)
{
	bool offsets = t->dump.form.digits, cut = have < want;
	bool begins = hex_text_plausible(p, have, t->doubtful && !offsets) &&
		      (offsets || have < 4 || mad_version_fits(p));

	if (hex_text_swapped(&t->dump, p, have))
		snprintf(why, size, "words in another byte order than expected: use hexdump -C or od -t x1");
	else if (hex_text_headless(t, p, have))
		snprintf(why, size, "the dump begins at offset 0x%" PRIx64 ": its beginning is missing",
			 t->dump.form.offset[RADIX_HEX]);
	else if (refuted)
		snprintf(why, size,
			 "the dump does not end where a MAD does: lines are missing, or there are too many");
	/* outside logs, the whole file may be in an unknown format: report the base version */
	else if ((!cut || (!t->log && mad_lost(p))) && (begins || !(t->log || t->doubtful)))
		return false;
	else if (cut && begins)
		snprintf(why, size, "the dump ends within a MAD: %zu of %zu bytes, not shown", have, want);
	else
		snprintf(why, size, "hex digits, but not a MAD");
	return true;
}

int hex_text_check(struct hex_text *t, struct input *in, size_t want)
{
	bool alone = !t->dump.form.digits && t->dump.form.bytes < want, cut;
	const uint8_t *p;
	char why[96];
	size_t have;

	if (alone && hex_text_have(t) >= want && hex_text_need(t, in, want + MADKIT_HEADER_BYTES))
		return -EAGAIN;
	p = hex_text_bytes(t);
	have = hex_text_have(t);
	cut = have < want;
	t->refusal[0] = '\0';
	if (t->error && cut) {
		/* the error is reported later */
		hex_text_drop(t, false);
		return 0;
	}
	if (cut && t->uneven[0] && !hex_text_stray(t, p, have)) {
		snprintf(t->refusal, sizeof(t->refusal), "%s", t->uneven);
		hex_text_drop(t, true);
		t->doubtful = true;
		return 0;
	}
	if (hex_text_doubt(t, p, have, want, alone && !cut && hex_text_refuted(t, want), why, sizeof(why)))
		return hex_text_stray(t, p, have) ? hex_text_drop_stray(t) : hex_text_refuse(t, !cut, why);
	t->doubtful = false;
	return 1;
}
