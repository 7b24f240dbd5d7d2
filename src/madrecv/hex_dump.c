/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The dumps of xxd, hexdump, od, tcpdump, tshark, the kernel, libibmad and madkit, and plain pairs of digits. */
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include "hex_dump.h"
#include "mad_piece.h"

/* Digits of the shortest offset (tshark's) and of the longest one (an address). */
#define OFFSET_DIGITS_MIN 4
#define OFFSET_DIGITS_MAX 16
/* od -A o, od -A d and hexdump print the same number of digits, in different radices. */
#define OFFSET_DIGITS_ANY 7

static const unsigned int hex_radix_base[RADIX_COUNT] = { 8, 16, 10 };

/* ---- one line ------------------------------------------------------------------- */

void hex_row_fail(struct hex_row *row, size_t column, const char *format, ...)
{
	va_list args;

	if (row->trouble[0])
		return;
	row->wrong = column;
	va_start(args, format);
	vsnprintf(row->trouble, sizeof(row->trouble), format, args);
	va_end(args);
}

static bool hex_row_prefixed(const struct text_line *l, size_t i)
{
	char c = text_line_at(l, i);

	return (c == '0' || c == '\\') && (text_line_at(l, i + 1) | 0x20) == 'x';
}

/* Returns the position of the first byte: after the offset if the line begins with one, else i. */
static size_t hex_row_read_offset(struct hex_row *row, const struct text_line *l, size_t i, size_t closing)
{
	bool prefixed = hex_row_prefixed(l, i);
	size_t begin = prefixed ? i + 2 : i, n = text_line_digits(l, begin), end = begin + n, word;
	bool colon = text_line_at(l, end) == ':';

	row->column = i;
	end += colon;
	if (n < OFFSET_DIGITS_MIN || n > OFFSET_DIGITS_MAX ||
	    (!text_line_blank(l, end) && text_line_at(l, end) != '\n'))
		return i;
	/* libibmad prints words without offsets: an offset has a different length than the word after it */
	word = text_line_digits(l, end + text_line_blanks(l, end));
	if (!colon && (prefixed || word == n || (!word && (!closing || n < closing))))
		return i;
	row->digits = n;
	row->colon = colon;
	row->zero = true;
	row->radices = prefixed ? 1u << RADIX_HEX : (1u << RADIX_COUNT) - 1;
	for (size_t k = begin; k < begin + n; k++) {
		unsigned int digit = (unsigned int)cli_hex_digit(l->p[k]);

		row->zero &= !digit;
		for (int r = 0; r < RADIX_COUNT; r++) {
			if (digit >= hex_radix_base[r])
				row->radices &= ~(1u << r);
			row->offset[r] = row->offset[r] * hex_radix_base[r] + digit;
		}
	}
	return end;
}

/* Returns true if the bytes end at i, after this many blanks. Only dumps with offsets have a column of characters. */
static bool hex_row_ends(const struct hex_row *row, const struct text_line *l, size_t i, size_t gap)
{
	char c = text_line_at(l, i);

	if (c == '\n' || c == '#')
		return true;
	if (!row->digits)
		return false;
	/* hexdump -C and od -t x1z */
	if (c == '|' || c == '>')
		return true;
	/* hexdump -x has blanks between words, hexdump -C in the middle of a line */
	return gap >= 2 && row->words && (row->colon || (row->word == 2 && !(gap == 2 && row->bytes == 8)));
}

static void hex_row_add_word(struct hex_row *row, size_t i, size_t n)
{
	if (!row->words++)
		row->word = n;
	else if (n > row->word || row->last != row->word)
		hex_row_fail(row, i, "a word of %zu digits among words of %zu",
			     row->last != row->word ? row->last : n, row->word);
	if (row->digits && !row->colon && n != 1 && n != 2 && n != 4) {
		row->refused = true;
		hex_row_fail(row, i, "words of %zu digits are not read: use hexdump -C or od -t x1", n);
	}
	if (n % 2)
		hex_row_fail(row, i, "%s", n == 1 ? "a single hex digit" : "an odd number of hex digits");
	row->last = n;
	row->bytes += n / 2;
}

bool hex_row_read(struct hex_row *row, const struct text_line *l, size_t i, size_t closing)
{
	*row = (struct hex_row){ .digits = 0 };
	if (text_line_at(l, i) == '*' && text_line_at(l, i + 1 + text_line_blanks(l, i + 1)) == '\n') {
		row->column = i;
		row->repeats = true;
		return true;
	}
	i = row->at = hex_row_read_offset(row, l, i, closing);
	for (;;) {
		size_t gap = text_line_blanks(l, i), n;
		char c = text_line_at(l, i += gap);

		if (hex_row_ends(row, l, i, gap))
			break;
		if (row->words && !row->digits && c && strchr(",:-", c) &&
		    (row->separator == c || !row->separator || row->separator == ' ')) {
			row->separator = c;
			i++;
			continue;
		}
		if (hex_row_prefixed(l, i) && text_line_digits(l, i + 2)) {
			row->refused = true;
			hex_row_fail(row, i, "bytes with %.2s are not read: use hexdump -C or od -t x1",
				     l->p + i);
			i += 2;
		}
		n = text_line_digits(l, i);
		if (!n) {
			const char *hint =
				c == '{' ?
					"; lines of JSON are for madsend --batch (--dry-run: and not sent)" :
				c == '>' ? "; remove the '>' of a quotation" :
					   "";

			hex_row_fail(row, i, "no hex digits%s", hint);
			return false;
		}
		if (row->words && !row->separator)
			row->separator = ' ';
		hex_row_add_word(row, i, n);
		i += n;
	}
	if (row->words < 2)
		row->separator = '\0';
	if (!row->words && text_line_at(l, i) != '\n')
		hex_row_fail(row, i, "no hex digits");
	return row->words || row->digits;
}

/* ---- the lines of a dump ---------------------------------------------------------- */

bool hex_dump_another(const struct hex_dump *d, const struct hex_row *row)
{
	return !row->repeats && (d->closed || (row->digits && row->zero));
}

bool hex_dump_differs(const struct hex_dump *d, const struct hex_row *row, char *why, size_t size)
{
	const struct hex_row *form = &d->form;

	if (row->repeats || row->trouble[0] || (row->digits && !row->words && form->digits))
		return false;
	if (!row->digits != !form->digits)
		snprintf(why, size, "%s offset, unlike the lines before", row->digits ? "an" : "no");
	else if (row->bytes > form->bytes)
		snprintf(why, size, "the line has %zu bytes, and the first of its dump has %zu", row->bytes,
			 form->bytes);
	else if (row->colon != form->colon || row->word > form->word ||
		 (row->words > 1 && (row->word != form->word || row->separator != form->separator)))
		snprintf(why, size, "digits are grouped otherwise than in the first line of the dump");
	else if (!form->digits && d->row != form->bytes)
		snprintf(why, size, "the line before has %zu bytes, and those before it have %zu", d->row,
			 form->bytes);
	else
		return false;
	return true;
}

/* Returns the lowest radix of a set, or hex if the set is empty. */
static enum hex_radix hex_radix_lowest(unsigned int radices)
{
	for (int r = 0; r < RADIX_COUNT; r++)
		if (radices & 1u << r)
			return (enum hex_radix)r;
	return RADIX_HEX;
}

static const char *hex_radix_text(char text[32], enum hex_radix radix, uint64_t value)
{
	if (radix == RADIX_HEX)
		snprintf(text, 32, "0x%" PRIx64, value);
	else if (radix == RADIX_DECIMAL)
		snprintf(text, 32, "%" PRIu64, value);
	else
		snprintf(text, 32, "0%" PRIo64, value);
	return text;
}

static void hex_dump_begin(struct hex_dump *d, const struct hex_row *row)
{
	d->form = *row;
	if (row->colon)
		d->radices = row->radices & ~(1u << RADIX_OCTAL); /* xxd -d */
	else if (row->digits == OFFSET_DIGITS_ANY)
		d->radices = row->radices;
	else
		d->radices = 1u << RADIX_HEX;
	memcpy(d->next, row->offset, sizeof(d->next));
}

/* Returns true if the closing offset excludes only the second byte of the last word. That byte is padding and is
 * removed. */
static bool hex_dump_padded(struct hex_dump *d, const struct hex_row *row)
{
	for (int r = 0; r < RADIX_COUNT; r++) {
		if (row->words || !(d->radices & row->radices & 1u << r) ||
		    row->offset[r] + 1 != d->next[r] || d->form.colon || d->form.word != 4 ||
		    d->bytes.len == d->used)
			continue;
		d->bytes.len--;
		d->row--;
		d->total--;
		return true;
	}
	return false;
}

static int hex_dump_check_offset(struct hex_dump *d, struct hex_row *row)
{
	unsigned int radices = d->radices & row->radices;
	char is[32], expected[32];
	enum hex_radix r = hex_radix_lowest(radices);

	for (int i = 0; i < RADIX_COUNT; i++)
		if (row->offset[i] != d->next[i])
			radices &= ~(1u << i);
	if (radices) {
		d->radices = radices;
		return 0;
	}
	if (hex_dump_padded(d, row))
		return 0;
	hex_row_fail(row, row->column, "the offset is %s, and %s was expected",
		     hex_radix_text(is, r, row->offset[r]), hex_radix_text(expected, r, d->next[r]));
	return -EINVAL;
}

/* Returns the set of radices in which repeating the latest line leads to the offset. partial: the last copy may be
 * cut. */
static unsigned int hex_dump_repeating(const struct hex_dump *d, const struct hex_row *row, bool partial)
{
	unsigned int radices = d->radices & row->radices;

	for (int r = 0; r < RADIX_COUNT; r++) {
		uint64_t n = row->offset[r] - d->next[r];

		if (!n || n > HEX_DUMP_REPEATED_MAX || (!partial && n % d->row))
			radices &= ~(1u << r);
	}
	return radices;
}

/* Adds the lines that '*' represents: copies of the latest line, up to this offset. */
static int hex_dump_repeat(struct hex_dump *d, struct hex_row *row)
{
	unsigned int radices = row->digits ? hex_dump_repeating(d, row, false) : 0;
	enum hex_radix r;
	uint64_t n;

	/* hexdump also abbreviates a last line that is shorter */
	if (!radices && row->digits && !row->words)
		radices = hex_dump_repeating(d, row, true);
	r = hex_radix_lowest(radices);
	if (d->row != d->form.bytes)
		hex_row_fail(row, row->column, "'*' follows a line that is longer or shorter than the first");
	else if (!radices)
		hex_row_fail(row, row->column, "the offset does not say how often '*' repeats a line");
	else if (radices != 1u << r)
		hex_row_fail(
			row, row->column,
			"the offset may be hex, decimal or octal: it does not say how often '*' repeats a line");
	if (row->trouble[0])
		return -EINVAL;
	d->repeated = false;
	d->radices = radices;
	for (n = row->offset[r] - d->next[r]; n;) {
		size_t some = n < d->row ? (size_t)n : d->row;
		char *p = madkit_buf_room(&d->bytes, some);

		if (!p)
			return d->bytes.error;
		memcpy(p, p - d->row, some);
		d->bytes.len += some;
		d->total += some;
		d->next[r] += some;
		n -= some;
	}
	return 0;
}

/* hexdump and od print words in host byte order. Assume little-endian unless only the other order begins a MAD. */
static int hex_dump_find_order(struct hex_dump *d, struct hex_row *row, const struct text_line *l)
{
	size_t i = row->at + text_line_blanks(l, row->at);
	const char *p = l->p + i;
	uint8_t high = (uint8_t)(cli_hex_digit(p[0]) << 4 | cli_hex_digit(p[1]));
	uint8_t low = (uint8_t)(cli_hex_digit(p[2]) << 4 | cli_hex_digit(p[3]));

	d->little = !mad_lost(&low);
	if (d->little || !mad_lost(&high))
		return 0;
	hex_row_fail(row, i, "words in an unknown byte order: use hexdump -C or od -t x1");
	return -EINVAL;
}

static int hex_dump_add_bytes(struct hex_dump *d, const struct hex_row *row, const struct text_line *l)
{
	uint8_t *out = (uint8_t *)madkit_buf_room(&d->bytes, row->bytes);
	size_t i = row->at, swap = d->little ? 1 : 0;

	if (!out)
		return d->bytes.error;
	for (size_t n = 0; n < row->bytes; n++, i += 2) {
		while (cli_hex_digit(l->p[i]) < 0)
			i++;
		/* an odd last byte keeps its place */
		out[n ^ (n + 1 < row->bytes || n % 2 ? swap : 0)] =
			(uint8_t)(cli_hex_digit(l->p[i]) << 4 | cli_hex_digit(l->p[i + 1]));
	}
	d->bytes.len += row->bytes;
	d->total += row->bytes;
	for (int r = 0; r < RADIX_COUNT; r++)
		d->next[r] += row->bytes;
	d->row = row->bytes;
	return 0;
}

int hex_dump_add(struct hex_dump *d, struct hex_row *row, const struct text_line *l)
{
	int ret = 0;

	if (row->repeats && !d->row)
		hex_row_fail(row, row->column, "'*' repeats nothing");
	if (row->trouble[0])
		return -EINVAL;
	if (row->repeats) {
		d->repeated = true;
		return 0;
	}
	if (!d->form.bytes) {
		hex_dump_begin(d, row);
		if (row->digits && !row->colon && row->word == 4)
			ret = hex_dump_find_order(d, row, l);
	} else if (d->repeated) {
		ret = hex_dump_repeat(d, row);
	} else if (row->digits) {
		ret = hex_dump_check_offset(d, row);
	}
	d->closed = !row->words;
	return ret || !row->words ? ret : hex_dump_add_bytes(d, row, l);
}

void hex_dump_reset(struct hex_dump *d)
{
	*d = (struct hex_dump){ .bytes = d->bytes, .used = d->used };
}
