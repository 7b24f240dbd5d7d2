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
#include "hex_text.h"

#define LINE_MAX_BYTES		((size_t)1 << 20)
/* What a line with '*' may stand for. */
#define REPEATED_MAX_BYTES	((uint64_t)1 << 24)

void hex_text_init(struct hex_text *t)
{
	memset(t, 0, sizeof(*t));
	madkit_buf_init(&t->bytes, 0);
}

void hex_text_free(struct hex_text *t)
{
	madkit_buf_free(&t->bytes);
}

__attribute__((format(printf, 3, 4)))
static int trouble(struct hex_text *t, size_t column, const char *format, ...)
{
	va_list args;
	int n = snprintf(t->trouble, sizeof(t->trouble), "line %llu, column %zu: ",
			 (unsigned long long)t->line + 1, column + 1);

	va_start(args, format);
	vsnprintf(t->trouble + n, sizeof(t->trouble) - (size_t)n, format, args);
	va_end(args);
	t->error = -EINVAL;
	return -EINVAL;
}

/* ---- pieces of a line -------------------------------------------------------------- */

struct line {
	const char *p;
	size_t len;
};

/* Behind the last one a newline stands. */
static char at(const struct line *l, size_t i)
{
	return i < l->len ? l->p[i] : '\n';
}

static bool blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

static bool separator(char c)
{
	return c && strchr(",;:-{}", c);
}

static size_t blanks(const struct line *l, size_t i)
{
	size_t n = 0;

	while (blank(at(l, i + n)))
		n++;
	return n;
}

static size_t digits(const struct line *l, size_t i)
{
	size_t n = 0;

	while (cli_hex_digit(at(l, i + n)) >= 0)
		n++;
	return n;
}

static bool prefixed(const struct line *l, size_t i)
{
	return (at(l, i) == '0' || at(l, i) == '\\') && (at(l, i + 1) | 0x20) == 'x';
}

static bool ends(const struct line *l, size_t i)
{
	return at(l, i) == '\n' || at(l, i) == '|' || at(l, i) == '>' || at(l, i) == '#';
}

/* ---- offsets ------------------------------------------------------------------------ */

/* Whether pairs of digits alone follow, one blank between them. */
static bool pairs_follow(const struct line *l, size_t i)
{
	size_t n = 0;

	for (i += blanks(l, i); digits(l, i) == 2; i += 3, n++)
		if (!blank(at(l, i + 2)) && !ends(l, i + 2))
			return false;
	return n && (ends(l, i) || blank(at(l, i)));
}

static void put_values(struct hex_label *label, const char *p)
{
	label->zero = label->octal_fits = true;
	label->hex = label->octal = 0;
	for (size_t i = 0; i < label->digits; i++) {
		label->zero &= p[i] == '0';
		label->octal_fits &= p[i] < '8';
		label->hex = label->hex << 4 | (unsigned int)cli_hex_digit(p[i]);
		label->octal = label->octal << 3 | (p[i] & 7u);
	}
}

/* The line's offset, if it begins with one; where its bytes begin. */
static size_t find_label(const struct hex_text *t, const struct line *l,
			 struct hex_label *label)
{
	size_t begin = blanks(l, 0), i = begin + (prefixed(l, begin) ? 2 : 0);
	size_t n = digits(l, i), pending = t->bytes.len - t->used;
	char next = at(l, i + n), then = at(l, i + n + 1);

	*label = (struct hex_label){ .digits = n };
	put_values(label, l->p + i);
	/* 01:81:01 has colons between bytes */
	label->colon = n && next == ':' &&
		(then == '\n' || blank(then) ||
		 (n > 2 && !memchr(l->p + i + n + 1, ':', l->len - i - n - 1)));
	if (label->colon)
		return i + n + 1;
	/* no MAD begins with zeros */
	if (i == begin && n >= 4 && (next == '\n' || blank(next)) &&
	    (n == t->bare || pairs_follow(l, i + n) ||
	     (!t->bare && label->zero && pending % MADKIT_MAD_BYTES == 0 &&
	      !ends(l, i + n + blanks(l, i + n)))))
		return i + n;
	label->digits = 0;
	return begin;
}

/* From one offset to the next, in what the dump counts in; 0: not known. */
static uint64_t distance(struct hex_text *t, const struct hex_label *to)
{
	uint64_t hex = to->hex - t->label.hex, octal = to->octal - t->label.octal;
	bool may_be_octal = to->octal_fits && t->label.octal_fits;

	if (t->radix == RADIX_UNKNOWN && may_be_octal && octal == t->row)
		t->radix = RADIX_OCTAL;
	else if (t->radix == RADIX_UNKNOWN && hex == t->row)
		t->radix = RADIX_HEX;
	/* od has seven octal digits */
	if (t->radix == RADIX_OCTAL ||
	    (t->radix == RADIX_UNKNOWN && to->digits == 7 && may_be_octal))
		return octal;
	return hex;
}

/* The lines that '*' stood for: the latest one, up to this offset. */
static int repeat(struct hex_text *t, const struct hex_label *to)
{
	uint64_t n;

	if (!t->repeated)
		return 0;
	n = distance(t, to);
	t->repeated = false;
	if (!to->digits || !t->row || n <= t->row || n > REPEATED_MAX_BYTES)
		return trouble(t, 0, "the offset does not say how often '*' repeats a line");
	for (n -= t->row; n; ) {
		size_t some = n < t->row ? (size_t)n : t->row;
		char *p = madkit_buf_room(&t->bytes, some);

		if (!p)
			return t->bytes.error;
		memcpy(p, p - t->row, some);
		t->bytes.len += some;
		n -= some;
	}
	return 0;
}

/* ---- bytes -------------------------------------------------------------------------- */

static bool begins_mad(unsigned int byte)
{
	return byte == MADKIT_BASE_VERSION_IB || byte == MADKIT_BASE_VERSION_OPA;
}

/* How much of the MAD's header that begins with these words is known, if their bytes
 * stand in the other order or not. */
static unsigned int known(const uint8_t *p, size_t len, size_t word, bool turned)
{
	uint8_t h[MADKIT_HEADER_BYTES] = { 0 };

	for (size_t i = 0; i < len && i < sizeof(h); i++)
		h[turned ? i ^ (word - 1) : i] = p[i];
	return begins_mad(h[0]) + (madkit_class_get(h[MADKIT_MAD_CLASS]) != NULL) +
	       (madkit_class_version(h[MADKIT_MAD_CLASS]) == h[MADKIT_MAD_CLASS_VERSION]) +
	       (madkit_method_name(h[MADKIT_MAD_CLASS], h[MADKIT_MAD_METHOD]) != NULL) +
	       (madkit_attribute_get(h[0], h[MADKIT_MAD_CLASS],
				     (uint16_t)(h[MADKIT_MAD_ATTRIBUTE] << 8 |
						h[MADKIT_MAD_ATTRIBUTE + 1])) != NULL);
}

/* Decides the order that the first word left open, and puts what came since into it. */
static void settle_order(struct hex_text *t)
{
	size_t last = t->open_word - 1, len;
	uint8_t *p;

	if (t->order != ORDER_OPEN)
		return;
	p = (uint8_t *)t->bytes.data + t->open;
	len = t->bytes.len - t->open;
	/* most machines are little-endian */
	t->order = known(p, len, t->open_word, false) > known(p, len, t->open_word, true) ?
		   ORDER_BIG : ORDER_LITTLE;
	for (size_t i = 0; t->order == ORDER_LITTLE && i + last < len; i++)
		if (i < (i ^ last)) {
			uint8_t byte = p[i];

			p[i] = p[i ^ last];
			p[i ^ last] = byte;
		}
}

/* In which order a dump's words are, by the first of a MAD. */
static int find_order(struct hex_text *t, const struct line *l, size_t i, size_t n)
{
	unsigned int high = (unsigned int)(cli_hex_digit(l->p[i]) << 4 |
					   cli_hex_digit(l->p[i + 1]));
	unsigned int low = (unsigned int)(cli_hex_digit(l->p[i + n - 2]) << 4 |
					  cli_hex_digit(l->p[i + n - 1]));

	if (t->order != ORDER_UNKNOWN)
		return 0;
	if (!begins_mad(low) && !begins_mad(high))
		return trouble(t, i, "words in an order of bytes that cannot be told: use hexdump -C or od -t x1");
	if (begins_mad(low) && begins_mad(high)) {
		t->order = ORDER_OPEN;
		t->open = t->bytes.len;
		t->open_word = n / 2;
	} else {
		t->order = begins_mad(low) ? ORDER_LITTLE : ORDER_BIG;
	}
	return 0;
}

/* Whether the word has as many digits as its neighbours. */
static int check_word(struct hex_text *t, size_t i, size_t n)
{
	size_t width = n <= 2 ? 2 : n;

	if (!t->word)
		t->word = width;
	if (t->word != width)
		return trouble(t, i, "a word of %zu digits among words of %zu: leave no zeros out",
			       n, t->word);
	return 0;
}

/* Appends n digits; an odd one is a byte of its own. */
static void put_digits(struct hex_text *t, const char *p, size_t n, bool backwards)
{
	size_t count = (n + 1) / 2;
	char *out = madkit_buf_room(&t->bytes, count);

	if (!out)
		return;
	if (n == 1)
		out[0] = (char)cli_hex_digit(p[0]);
	for (size_t i = 0; i + 1 < n; i += 2)
		out[backwards ? count - 1 - i / 2 : i / 2] =
			(char)(cli_hex_digit(p[i]) << 4 | cli_hex_digit(p[i + 1]));
	t->bytes.len += count;
}

/* One run of digits at *i. */
static int take_word(struct hex_text *t, const struct line *l, size_t *i)
{
	size_t begin = *i, n;
	bool word = prefixed(l, begin), host;
	int ret = 0;

	*i += word ? 2 : 0;
	n = digits(l, *i);
	if (!n && begin && at(l, begin - 1) == '{')
		return trouble(t, begin, "no hex digits; lines of JSON are for madsend --batch (--dry-run: and not sent)");
	if (!n)
		return trouble(t, begin, "no hex digits");
	if (word && at(l, begin) == '\\' && n > 2)
		n = 2;
	if (n % 2 && !(word && n == 1))
		return trouble(t, begin, "%s", n == 1 ? "a single hex digit" :
			       "an odd number of hex digits");
	if (word && n <= 16)
		ret = check_word(t, begin, n);
	host = t->bare && n > 2;
	if (n / 2 != t->open_word)
		settle_order(t);
	if (!ret && host)
		ret = n > 16 || n & (n - 1) ?
			trouble(t, begin, "a word of %zu digits%s", n, n > 16 ? "" :
				", as octal ones have: use od -t x1") :
			find_order(t, l, *i, n);
	if (!ret)
		put_digits(t, l->p + *i, n, host && t->order == ORDER_LITTLE);
	*i += n;
	return ret;
}

/* Whether the gap of blanks is the one before the bytes as characters. */
static bool characters_follow(const struct hex_text *t, const struct hex_label *label,
			      size_t gap, size_t row)
{
	if (!label->digits || gap < 2 || !row)
		return false;
	/* hexdump -C has a gap in the middle too */
	return !(t->bare && gap == 2 && row == 8);
}

static int take_bytes(struct hex_text *t, const struct line *l, size_t i,
		      const struct hex_label *label)
{
	size_t had = t->bytes.len, gap;
	int ret = 0;

	while (!ret) {
		gap = blanks(l, i);
		i += gap;
		if (ends(l, i) || characters_follow(t, label, gap, t->bytes.len - had))
			break;
		if (separator(at(l, i)) && !(label->colon && at(l, i) == ':'))
			i++;
		else
			ret = take_word(t, l, &i);
	}
	t->row = t->bytes.len - had;
	return ret ? ret : t->bytes.error;
}

/* ---- lines -------------------------------------------------------------------------- */

/* Lines behind a blank one or a comment may have another shape. */
static void forget_shape(struct hex_text *t)
{
	settle_order(t);
	t->bare = t->word = t->row = 0;
	t->order = ORDER_UNKNOWN;
	t->radix = RADIX_UNKNOWN;
	t->repeated = false;
}

/* 0; 1 where a dump begins anew while bytes are there: the line is left. */
static int take_line(struct hex_text *t, const struct line *l)
{
	size_t i = blanks(l, 0);
	struct hex_label label;
	int ret;

	if (at(l, i) == '\n' || at(l, i) == '#') {
		forget_shape(t);
		return 0;
	}
	if (at(l, i) == '*' && ends(l, i + 1 + blanks(l, i + 1))) {
		if (!t->row)
			return trouble(t, i, "'*' repeats nothing");
		t->repeated = true;
		return 0;
	}
	i = find_label(t, l, &label);
	if (label.digits && label.zero && t->bytes.len > t->used)
		return 1;
	if (label.digits && label.zero)
		forget_shape(t);
	ret = repeat(t, &label);
	if (ret)
		return ret;
	if (label.digits && !label.colon)
		t->bare = label.digits;
	if (label.digits && t->row)
		distance(t, &label);
	t->label = label;
	return take_bytes(t, l, i, &label);
}

/* The next line without its newline, not consumed. 1, 0 the end, -EAGAIN. */
static int peek_line(struct hex_text *t, const struct input *in, struct line *l)
{
	size_t n = input_have(in);
	const char *text = (const char *)input_bytes(in);
	const char *newline = n ? memchr(text, '\n', n) : NULL;

	l->p = text;
	l->len = newline ? (size_t)(newline - text) : n;
	if (l->len > LINE_MAX_BYTES) {
		t->error = -EINVAL;
		snprintf(t->trouble, sizeof(t->trouble), "line %llu is too long",
			 (unsigned long long)t->line + 1);
		return 0;
	}
	if (!newline && !in->eof)
		return -EAGAIN;
	return n > 0;
}

/* Takes lines until n bytes are there, in an order that is known. */
static int take_lines(struct hex_text *t, struct input *in, size_t n, bool *anew)
{
	struct line line;
	int ret;

	while (t->order == ORDER_OPEN || t->bytes.len - t->used < n) {
		if (t->error)
			return 0;
		ret = peek_line(t, in, &line);
		if (ret == -EAGAIN)
			return ret;
		if (ret <= 0)
			return 0;
		ret = take_line(t, &line);
		*anew = ret > 0;
		if (ret < 0 && !t->error) {
			t->error = ret;
			snprintf(t->trouble, sizeof(t->trouble), "%s", strerror(-ret));
		}
		if (ret)
			return 0;
		if (t->order == ORDER_OPEN && t->bytes.len - t->open >= MADKIT_HEADER_BYTES)
			settle_order(t);
		in->used += line.len + (line.len < input_have(in));
		t->line++;
	}
	return 1;
}

int hex_text_need(struct hex_text *t, struct input *in, size_t n, bool *anew)
{
	int ret;

	*anew = false;
	if (t->used && (t->used == t->bytes.len || t->used > LINE_MAX_BYTES)) {
		memmove(t->bytes.data, t->bytes.data + t->used, t->bytes.len - t->used);
		t->bytes.len -= t->used;
		t->open -= t->used;
		t->used = 0;
	}
	ret = take_lines(t, in, n, anew);
	/* nothing more is known of it */
	if (!ret)
		settle_order(t);
	return ret;
}
