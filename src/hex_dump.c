/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Digits in pairs, with or without something between them; words with 0x; and
 * the dumps of xxd, hexdump, od, tcpdump and tshark, which put an offset before
 * the bytes and often the bytes as characters behind them. Words are read as
 * they stand, most significant byte first, but for hexdump's and od's, which are
 * words of their machine.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <madkit/mad.h>
#include "cli.h"
#include "hex_dump.h"

/* of 64 bits in octal */
#define OFFSET_DIGITS_MAX 22

int hex_dump_trouble(struct hex_dump *d, size_t column, const char *format, ...)
{
	va_list args;
	int n = snprintf(d->trouble, sizeof(d->trouble),
			 "line %llu, column %zu: ", (unsigned long long)d->line + 1, d->column + column + 1);

	va_start(args, format);
	vsnprintf(d->trouble + n, sizeof(d->trouble) - (size_t)n, format, args);
	va_end(args);
	d->error = -EINVAL;
	return -EINVAL;
}

/* The line's offset, if it begins with one; where its bytes begin. */
size_t hex_dump_label(const struct hex_dump *d, const struct hex_line *l, struct hex_offset *label)
{
	size_t begin = hex_line_start(l), i = begin + (hex_line_prefixed(l, begin) ? 2 : 0);
	size_t n = hex_line_digits(l, i), pending = hex_dump_have(d), word;
	char next = hex_line_at(l, i + n), then = hex_line_at(l, i + n + 1);

	*label = (struct hex_offset){ .column = begin };
	if (n > OFFSET_DIGITS_MAX)
		return begin;
	label->digits = n;
	hex_offset_read(label, l->p + i, i > begin);
	/* 01:81:01 has colons between bytes */
	label->colon = n && next == ':' &&
		       (then == '\n' || hex_line_blank(then) ||
			(n > 2 && !memchr(l->p + i + n + 1, ':', l->len - i - n - 1)));
	if (label->colon)
		return i + n + 1;
	word = hex_line_digits(l, i + n + hex_line_blanks(l, i + n));
	/* no MAD begins with zeros; words of zeros are no offset */
	if (i == begin && n >= 4 && (next == '\n' || hex_line_blank(next)) &&
	    (n == d->bare || hex_line_pairs(l, i + n) ||
	     (!d->bare && label->zero && pending % MADKIT_MAD_BYTES == 0 && word && word != n)))
		return i + n;
	label->digits = 0;
	return begin;
}

/* Determines the order of bytes in words by the first word of a MAD. */
static int hex_dump_find_order(struct hex_dump *d, const struct hex_line *l, size_t i, size_t n)
{
	unsigned int first = (unsigned int)(cli_hex_digit(l->p[i]) << 4 | cli_hex_digit(l->p[i + 1]));
	unsigned int last =
		(unsigned int)(cli_hex_digit(l->p[i + n - 2]) << 4 | cli_hex_digit(l->p[i + n - 1]));

	return hex_order_find(&d->order, first, last, n / 2, &d->bytes) ?
		       0 :
		       hex_dump_trouble(d, i, "words in an unknown byte order: use hexdump -C or od -t x1");
}

/* Whether the word has as many digits as its neighbours. */
static int hex_dump_check_word(struct hex_dump *d, size_t i, size_t n)
{
	size_t width = n <= 2 ? 2 : n;

	if (!d->word)
		d->word = width;
	if (d->word != width)
		return hex_dump_trouble(d, i, "a word of %zu digits among words of %zu: leave no zeros out",
					n, d->word);
	return 0;
}

/* Appends n digits; an odd one is a byte of its own. */
static void hex_dump_put_digits(struct hex_dump *d, const char *p, size_t n, bool backwards)
{
	size_t count = (n + 1) / 2;
	char *out = madkit_buf_room(&d->bytes, count);

	if (!out)
		return;
	if (n == 1)
		out[0] = (char)cli_hex_digit(p[0]);
	for (size_t i = 0; i + 1 < n; i += 2)
		out[backwards ? count - 1 - i / 2 : i / 2] =
			(char)(cli_hex_digit(p[i]) << 4 | cli_hex_digit(p[i + 1]));
	d->bytes.len += count;
}

/* One run of digits at *i. */
static int hex_dump_take_word(struct hex_dump *d, const struct hex_line *l, size_t *i)
{
	size_t begin = *i, n;
	bool word = hex_line_prefixed(l, begin), host;
	int ret = 0;

	*i += word ? 2 : 0;
	n = hex_line_digits(l, *i);
	if (!n && begin && hex_line_at(l, begin - 1) == '{')
		return hex_dump_trouble(
			d, begin,
			"no hex digits; lines of JSON are for madsend --batch (--dry-run: and not sent)");
	if (!n)
		return hex_dump_trouble(d, begin, "no hex digits");
	if (word && hex_line_at(l, begin) == '\\' && n > 2)
		n = 2;
	if (n % 2 && !(word && n == 1))
		return hex_dump_trouble(d, begin, "%s",
					n == 1 ? "a single hex digit" : "an odd number of hex digits");
	host = d->bare && n > 2;
	if ((word || d->bare) && n <= 16)
		ret = hex_dump_check_word(d, begin, n);
	if (n / 2 != d->order.word)
		hex_order_settle(&d->order, &d->bytes);
	if (!ret && host)
		ret = n > 16 || n & (n - 1) ?
			      hex_dump_trouble(d, begin, "a word of %zu digits%s", n,
					       n > 16 ? "" : ", as octal ones have: use od -t x1") :
			      hex_dump_find_order(d, l, *i, n);
	if (!ret)
		hex_dump_put_digits(d, l->p + *i, n, host && d->order.is == ORDER_LITTLE);
	*i += n;
	return ret;
}

/* How the words of a line are laid out. */
struct layout {
	const struct hex_offset *label;
	size_t lead;   /* blanks before the first word */
	size_t digits; /* of the latest word; 0: none yet */
};

/* Whether the blanks up to i separate the bytes from the same bytes as characters. */
static bool hex_dump_characters_follow(const struct hex_dump *d, const struct hex_line *l, size_t i,
				       const struct layout *layout, size_t gap, size_t row)
{
	if (!layout->label->digits || gap < 2 || !row)
		return false;
	/* hexdump -x has as many blanks before each word as before the first */
	if (d->bare && layout->digits > 2 && gap == layout->lead && hex_line_digits(l, i) == layout->digits)
		return false;
	/* hexdump -C has a gap in the middle too */
	return !(d->bare && gap == 2 && row == 8);
}

int hex_dump_take_bytes(struct hex_dump *d, const struct hex_line *l, size_t i,
			const struct hex_offset *label)
{
	struct layout layout = { .label = label, .lead = hex_line_blanks(l, i) };
	size_t had = d->bytes.len, begin = i, gap;
	int ret = 0;

	while (!ret) {
		gap = hex_line_blanks(l, i);
		i += gap;
		if (hex_line_column(l, i) && d->bytes.len == had)
			return hex_dump_trouble(d, i, "no hex digits");
		if (hex_line_ends(l, i) ||
		    hex_dump_characters_follow(d, l, i, &layout, gap, d->bytes.len - had))
			break;
		if (hex_line_separator(hex_line_at(l, i)) && !(label->colon && hex_line_at(l, i) == ':')) {
			i++;
		} else {
			layout.digits = hex_line_digits(l, i);
			ret = hex_dump_take_word(d, l, &i);
		}
	}
	d->row = d->bytes.len - had;
	d->offsets.since += d->row;
	if (d->row) {
		if (!d->width) {
			d->width = d->row;
			if (!label->digits)
				hex_shape_note(&d->shape, l, begin);
		}
		d->lines += d->row == d->width;
		d->longer = label->digits && d->row > d->width;
		d->last_row = !label->digits && d->row != d->width;
	}
	d->padding = d->bare && layout.digits > 2 ? layout.digits / 2 - 1 : 0;
	return ret ? ret : d->bytes.error;
}

/* Drops the latest line if it may have a byte too many. */
static void hex_dump_drop_longer(struct hex_dump *d)
{
	d->misplaced = true;
	if (!d->longer)
		return;
	d->bytes.len -= d->row;
	d->row = 0;
	d->longer = false;
	/* the word that left the order open is dropped, too */
	if (d->order.is == ORDER_OPEN && d->order.open >= d->bytes.len)
		d->order.is = ORDER_UNKNOWN;
}

/* The dump ends: no offset confirms its last line. */
int hex_dump_end(struct hex_dump *d)
{
	size_t row = d->row;

	if (d->repeated)
		return hex_dump_trouble(d, 0, "the offset after '*' is missing");
	if (!d->longer)
		return 0;
	/* two lines may be of any length */
	if (d->lines < 2) {
		d->longer = false;
		return 0;
	}
	hex_dump_drop_longer(d);
	return hex_dump_trouble(d, 0, "the line before has %zu bytes, and those before it have %zu", row,
				d->width);
}

static int hex_dump_misplaced(struct hex_dump *d, const struct hex_offset *to)
{
	char why[128];

	hex_dump_drop_longer(d);
	hex_offset_explain(&d->offsets, to, why, sizeof(why));
	return hex_dump_trouble(d, to->column, "%s", why);
}

/*
 * Whether the closing offset of od -x or hexdump says that the last word of the dump is padded;
 * the padding is dropped.
 */
static bool hex_dump_drop_padding(struct hex_dump *d, const struct hex_offset *to)
{
	uint64_t excess = hex_offset_excess(&d->offsets, to, d->padding);

	if (!excess)
		return false;
	hex_order_settle(&d->order, &d->bytes);
	d->offsets.since -= excess;
	d->bytes.len -= excess < d->bytes.len - d->used ? (size_t)excess : d->bytes.len - d->used;
	return true;
}

/* Checks the offset against the bytes since the previous one. closing: no bytes follow it. */
static int hex_dump_check_offset(struct hex_dump *d, const struct hex_offset *to, bool closing)
{
	unsigned int radices = hex_offset_agrees(&d->offsets, to);

	if (radices) {
		d->offsets.radices = radices;
		return 0;
	}
	return closing && hex_dump_drop_padding(d, to) ? 0 : hex_dump_misplaced(d, to);
}

/*
 * The bytes that '*' represents: the latest line again, up to this offset. hexdump also abbreviates
 * a last line that is shorter.
 */
static int hex_dump_repeat(struct hex_dump *d, const struct hex_offset *to, bool closing)
{
	const char *why;
	uint64_t n = 0;

	d->repeated = false;
	why = d->row == d->width ? hex_offset_repeats(&d->offsets, to, d->row, closing, &n) :
				   "'*' follows a line that is longer or shorter than the first";
	if (why) {
		hex_dump_drop_longer(d);
		return hex_dump_trouble(d, to->digits ? to->column : 0, "%s", why);
	}
	while (n) {
		size_t some = n < d->row ? (size_t)n : d->row;
		char *p = madkit_buf_room(&d->bytes, some);

		if (!p)
			return d->bytes.error;
		memcpy(p, p - d->row, some);
		d->bytes.len += some;
		d->block += some;
		n -= some;
	}
	return 0;
}

/* Takes the offset of a line of which the bytes begin at i. 0 or an error. */
int hex_dump_take_label(struct hex_dump *d, const struct hex_line *l, size_t i,
			const struct hex_offset *label)
{
	bool closing = hex_line_ends(l, i + hex_line_blanks(l, i));
	int ret = 0;

	if (!label->digits && !d->repeated)
		return 0;
	if (d->repeated)
		ret = hex_dump_repeat(d, label, closing);
	else if (d->offsets.last.digits)
		ret = hex_dump_check_offset(d, label, closing);
	else {
		d->offsets.radices = label->fits;
		d->headless = !label->zero;
		d->start = label->value[RADIX_HEX];
	}
	if (ret)
		return ret;
	if (!label->colon)
		d->bare = label->digits;
	d->offsets.last = *label;
	d->offsets.since = 0;
	d->longer = false;
	d->closed = closing;
	return 0;
}

/* Whether a line has no bytes from i on. */
static bool hex_dump_no_bytes(const struct hex_line *l, size_t i)
{
	while (hex_line_blank(hex_line_at(l, i)) || hex_line_separator(hex_line_at(l, i)))
		i++;
	return hex_line_ends(l, i);
}

/* Whether the line, of which the bytes begin at i, is the first one of another dump. */
bool hex_dump_another(struct hex_dump *d, const struct hex_line *l, size_t i, const struct hex_offset *label)
{
	bool offsets = d->offsets.last.digits > 0, alike = offsets == (label->digits > 0);
	size_t text;

	if (d->repeated)
		return false;
	if (label->digits && (label->zero || (d->closed && !hex_offset_agrees(&d->offsets, label))))
		return true;
	if (alike && !d->last_row && (offsets || hex_shape_agrees(&d->shape, l, i)))
		return false;
	if ((!label->digits && hex_dump_no_bytes(l, i)) || !hex_line_hex(l, i, label->digits > 0, &text))
		return false;
	if (alike && d->last_row)
		hex_dump_trouble(d, 0, "the line before has %zu bytes, and those before it have %zu", d->row,
				 d->width);
	else if (alike)
		hex_dump_trouble(d, 0, "digits are grouped otherwise than in the first line of the dump");
	else
		hex_dump_trouble(d, 0, "%s offset, unlike the lines before", offsets ? "no" : "an");
	d->error = 0;
	d->uneven = true;
	d->regrouped = alike && !d->last_row;
	return true;
}

void hex_dump_reset(struct hex_dump *d)
{
	hex_order_settle(&d->order, &d->bytes);
	d->order.is = ORDER_UNKNOWN;
	d->offsets = (struct hex_offset_check){ .radices = 0 };
	d->shape.len = 0;
	d->bare = d->word = d->row = d->width = d->lines = d->block = 0;
	d->last_row = d->full = d->uneven = d->regrouped = d->closed = d->headless = false;
}
