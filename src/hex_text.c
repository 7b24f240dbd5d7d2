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
#include "hex_line.h"
#include "hex_text.h"

/* of 64 bits in octal */
#define OFFSET_DIGITS_MAX 22
#define LINE_MAX_BYTES    ((size_t)1 << 20)

void hex_text_init(struct hex_text *t)
{
	memset(t, 0, sizeof(*t));
	madkit_buf_init(&t->bytes, 0);
}

void hex_text_free(struct hex_text *t)
{
	madkit_buf_free(&t->bytes);
}

__attribute__((format(printf, 3, 4))) static int trouble(struct hex_text *t, size_t column,
							 const char *format, ...)
{
	va_list args;
	int n = snprintf(t->trouble, sizeof(t->trouble),
			 "line %llu, column %zu: ", (unsigned long long)t->line + 1, t->column + column + 1);

	va_start(args, format);
	vsnprintf(t->trouble + n, sizeof(t->trouble) - (size_t)n, format, args);
	va_end(args);
	t->error = -EINVAL;
	return -EINVAL;
}

/* ---- offsets ------------------------------------------------------------------------ */

/* Whether pairs of digits alone follow, one blank between them. */
static bool pairs_follow(const struct hex_line *l, size_t i)
{
	size_t n = 0;

	for (i += hex_line_blanks(l, i); hex_line_digits(l, i) == 2; i += 3, n++)
		if (!hex_line_blank(hex_line_at(l, i + 2)) && !hex_line_ends(l, i + 2))
			return false;
	return n && (hex_line_ends(l, i) || hex_line_blank(hex_line_at(l, i)));
}

/* The line's offset, if it begins with one; where its bytes begin. */
static size_t find_label(const struct hex_text *t, const struct hex_line *l, struct hex_offset *label)
{
	size_t begin = hex_line_start(l), i = begin + (hex_line_prefixed(l, begin) ? 2 : 0);
	size_t n = hex_line_digits(l, i), pending = t->bytes.len - t->used, word;
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
	    (n == t->bare || pairs_follow(l, i + n) ||
	     (!t->bare && label->zero && pending % MADKIT_MAD_BYTES == 0 && word && word != n)))
		return i + n;
	label->digits = 0;
	return begin;
}

/* ---- bytes -------------------------------------------------------------------------- */

static bool hex_text_begins_mad(unsigned int byte)
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
	return hex_text_begins_mad(h[0]) + (madkit_class_get(h[MADKIT_MAD_CLASS]) != NULL) +
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
	t->order = known(p, len, t->open_word, false) > known(p, len, t->open_word, true) ? ORDER_BIG :
											    ORDER_LITTLE;
	for (size_t i = 0; t->order == ORDER_LITTLE && i + last < len; i++)
		if (i < (i ^ last)) {
			uint8_t byte = p[i];

			p[i] = p[i ^ last];
			p[i ^ last] = byte;
		}
}

/* In which order a dump's words are, by the first of a MAD. */
static int find_order(struct hex_text *t, const struct hex_line *l, size_t i, size_t n)
{
	unsigned int high = (unsigned int)(cli_hex_digit(l->p[i]) << 4 | cli_hex_digit(l->p[i + 1]));
	unsigned int low =
		(unsigned int)(cli_hex_digit(l->p[i + n - 2]) << 4 | cli_hex_digit(l->p[i + n - 1]));

	if (t->order != ORDER_UNKNOWN)
		return 0;
	if (!hex_text_begins_mad(low) && !hex_text_begins_mad(high))
		return trouble(t, i,
			       "words in an order of bytes that cannot be told: use hexdump -C or od -t x1");
	if (hex_text_begins_mad(low) && hex_text_begins_mad(high)) {
		t->order = ORDER_OPEN;
		t->open = t->bytes.len;
		t->open_word = n / 2;
	} else {
		t->order = hex_text_begins_mad(low) ? ORDER_LITTLE : ORDER_BIG;
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
		return trouble(t, i, "a word of %zu digits among words of %zu: leave no zeros out", n,
			       t->word);
	return 0;
}

/* Appends n digits; an odd one is a byte of its own. */
static void hex_text_put_digits(struct hex_text *t, const char *p, size_t n, bool backwards)
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
static int take_word(struct hex_text *t, const struct hex_line *l, size_t *i)
{
	size_t begin = *i, n;
	bool word = hex_line_prefixed(l, begin), host;
	int ret = 0;

	*i += word ? 2 : 0;
	n = hex_line_digits(l, *i);
	if (!n && begin && hex_line_at(l, begin - 1) == '{')
		return trouble(
			t, begin,
			"no hex digits; lines of JSON are for madsend --batch (--dry-run: and not sent)");
	if (!n)
		return trouble(t, begin, "no hex digits");
	if (word && hex_line_at(l, begin) == '\\' && n > 2)
		n = 2;
	if (n % 2 && !(word && n == 1))
		return trouble(t, begin, "%s", n == 1 ? "a single hex digit" : "an odd number of hex digits");
	if (word && n <= 16)
		ret = check_word(t, begin, n);
	host = t->bare && n > 2;
	if (n / 2 != t->open_word)
		settle_order(t);
	if (!ret && host)
		ret = n > 16 || n & (n - 1) ? trouble(t, begin, "a word of %zu digits%s", n,
						      n > 16 ? "" : ", as octal ones have: use od -t x1") :
					      find_order(t, l, *i, n);
	if (!ret)
		hex_text_put_digits(t, l->p + *i, n, host && t->order == ORDER_LITTLE);
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
static bool characters_follow(const struct hex_text *t, const struct hex_line *l, size_t i,
			      const struct layout *layout, size_t gap, size_t row)
{
	if (!layout->label->digits || gap < 2 || !row)
		return false;
	/* hexdump -x has as many blanks before each word as before the first */
	if (t->bare && layout->digits > 2 && gap == layout->lead && hex_line_digits(l, i) == layout->digits)
		return false;
	/* hexdump -C has a gap in the middle too */
	return !(t->bare && gap == 2 && row == 8);
}

static int take_bytes(struct hex_text *t, const struct hex_line *l, size_t i, const struct hex_offset *label)
{
	struct layout layout = { .label = label, .lead = hex_line_blanks(l, i) };
	size_t had = t->bytes.len, gap;
	int ret = 0;

	while (!ret) {
		gap = hex_line_blanks(l, i);
		i += gap;
		if (hex_line_column(l, i) && t->bytes.len == had)
			return trouble(t, i, "no hex digits");
		if (hex_line_ends(l, i) || characters_follow(t, l, i, &layout, gap, t->bytes.len - had))
			break;
		if (hex_line_separator(hex_line_at(l, i)) && !(label->colon && hex_line_at(l, i) == ':')) {
			i++;
		} else {
			layout.digits = hex_line_digits(l, i);
			ret = take_word(t, l, &i);
		}
	}
	t->row = t->bytes.len - had;
	t->offsets.since += t->row;
	if (t->row) {
		if (!t->width)
			t->width = t->row;
		t->lines += t->row == t->width;
		t->longer = label->digits && t->row > t->width;
		t->last_row = !label->digits && t->row != t->width;
	}
	t->padding = t->bare && layout.digits > 2 ? layout.digits / 2 - 1 : 0;
	return ret ? ret : t->bytes.error;
}

/* ---- offsets and bytes -------------------------------------------------------------- */

/* Drops the latest line if it may have a byte too many. */
static void drop_longer(struct hex_text *t)
{
	t->misplaced = true;
	if (!t->longer)
		return;
	t->bytes.len -= t->row;
	t->row = 0;
	t->longer = false;
	/* the word that left the order open is dropped, too */
	if (t->order == ORDER_OPEN && t->open >= t->bytes.len)
		t->order = ORDER_UNKNOWN;
}

/* The dump ends: no offset confirms its last line. */
static int end_dump(struct hex_text *t)
{
	size_t row = t->row;

	if (!t->longer)
		return 0;
	/* two lines may be of any length */
	if (t->lines < 2) {
		t->longer = false;
		return 0;
	}
	drop_longer(t);
	return trouble(t, 0, "the line before has %zu bytes, and those before it have %zu", row, t->width);
}

static int misplaced(struct hex_text *t, const struct hex_offset *to)
{
	char why[128];

	drop_longer(t);
	hex_offset_explain(&t->offsets, to, why, sizeof(why));
	return trouble(t, to->column, "%s", why);
}

/*
 * Whether the closing offset of od -x or hexdump says that the last word of the dump is padded;
 * the padding is dropped.
 */
static bool drop_padding(struct hex_text *t, const struct hex_offset *to)
{
	uint64_t excess = hex_offset_excess(&t->offsets, to, t->padding);

	if (!excess)
		return false;
	settle_order(t);
	t->offsets.since -= excess;
	t->bytes.len -= excess < t->bytes.len - t->used ? (size_t)excess : t->bytes.len - t->used;
	return true;
}

/* Checks the offset against the bytes since the previous one. closing: no bytes follow it. */
static int check_offset(struct hex_text *t, const struct hex_offset *to, bool closing)
{
	unsigned int radices = hex_offset_agrees(&t->offsets, to);

	if (radices) {
		t->offsets.radices = radices;
		return 0;
	}
	return closing && drop_padding(t, to) ? 0 : misplaced(t, to);
}

/*
 * The bytes that '*' represents: the latest line again, up to this offset. hexdump also abbreviates
 * a last line that is shorter.
 */
static int repeat(struct hex_text *t, const struct hex_offset *to, bool closing)
{
	const char *why;
	uint64_t n = 0;

	t->repeated = false;
	why = hex_offset_repeats(&t->offsets, to, t->row, closing, &n);
	if (why) {
		drop_longer(t);
		return trouble(t, to->digits ? to->column : 0, "%s", why);
	}
	while (n) {
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

/* ---- lines -------------------------------------------------------------------------- */

static bool hex_text_open(const struct hex_text *t)
{
	return t->block || t->offsets.last.digits || t->adrift;
}

/*
 * The dump ends before this line. 0; 1: bytes of it are unused, and the line is not taken; or an error.
 */
static int hex_text_end(struct hex_text *t)
{
	int ret = t->repeated ? trouble(t, 0, "the offset after '*' is missing") : end_dump(t);

	if (ret || t->bytes.len > t->used)
		return ret ? ret : 1;
	settle_order(t);
	t->order = ORDER_UNKNOWN;
	t->offsets = (struct hex_offset_check){ .radices = 0 };
	t->bare = t->word = t->row = t->width = t->lines = t->block = t->smp_data = 0;
	t->last_row = t->uneven = t->closed = t->adrift = false;
	return 0;
}

/* Whether a line has no bytes from i on. */
static bool hex_text_no_bytes(const struct hex_line *l, size_t i)
{
	while (hex_line_blank(hex_line_at(l, i)) || hex_line_separator(hex_line_at(l, i)))
		i++;
	return hex_line_ends(l, i);
}

/* Whether the line, of which the bytes begin at i, is the first one of another dump. */
static bool hex_text_another(struct hex_text *t, const struct hex_line *l, size_t i,
			     const struct hex_offset *label)
{
	bool offsets = t->offsets.last.digits > 0;
	size_t text;

	if (!hex_text_open(t) || t->repeated)
		return false;
	if (label->digits && (label->zero || (t->closed && !hex_offset_agrees(&t->offsets, label))))
		return true;
	if (offsets == (label->digits > 0) && !t->last_row)
		return false;
	if ((!label->digits && hex_text_no_bytes(l, i)) || !hex_line_hex(l, i, label->digits > 0, &text))
		return false;
	if (offsets == (label->digits > 0))
		trouble(t, 0, "the line before has %zu bytes, and those before it have %zu", t->row,
			t->width);
	else
		trouble(t, 0, "%s offset, unlike the lines before", offsets ? "no" : "an");
	t->error = 0;
	t->uneven = true;
	return true;
}

/* Takes the offset of a line of which the bytes begin at i. 0 or an error. */
static int take_label(struct hex_text *t, const struct hex_line *l, size_t i, const struct hex_offset *label)
{
	bool closing = hex_line_ends(l, i + hex_line_blanks(l, i));
	int ret = 0;

	if (!label->digits && !t->repeated)
		return 0;
	if (t->repeated)
		ret = repeat(t, label, closing);
	else if (t->offsets.last.digits)
		ret = check_offset(t, label, closing);
	else
		t->offsets.radices = label->fits;
	if (ret)
		return ret;
	if (!label->colon)
		t->bare = label->digits;
	t->offsets.last = *label;
	t->offsets.since = 0;
	t->longer = false;
	t->closed = closing;
	return 0;
}

/* Back to a state in which the bytes were the same, or fewer. */
static void hex_text_restore(struct hex_text *t, const struct hex_text *was)
{
	struct madkit_buf bytes = t->bytes;

	bytes.len = was->bytes.len;
	*t = *was;
	t->bytes = bytes;
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
		t->column = 0;
		take_bytes(t, l, find_label(t, l, &label), &label);
		memcpy(was.first, t->trouble, sizeof(was.first));
		hex_text_restore(t, &was);
		if (hex_line_after_time(l))
			snprintf(t->first, sizeof(t->first),
				 "line %llu: a time, or bytes with colons between them",
				 (unsigned long long)t->line + 1);
	}
	t->skipped++;
	return 0;
}

/* The data of opensm's SMP begin: its header precedes them. */
static void hex_text_begin_smp(struct hex_text *t)
{
	madkit_buf_add(&t->bytes, t->smp.mad, MADKIT_SMP_DATA);
	t->block += MADKIT_SMP_DATA;
	t->smp_data = MADKIT_SMP_INITIAL_PATH - MADKIT_SMP_DATA;
	t->smp.complete = false;
}

/* A line of the data: the paths follow the last one. */
static void hex_text_continue_smp(struct hex_text *t)
{
	bool whole = t->row == t->smp_data;

	t->smp_data = t->row < t->smp_data ? t->smp_data - t->row : 0;
	if (!whole)
		return;
	madkit_buf_add(&t->bytes, t->smp.mad + MADKIT_SMP_INITIAL_PATH,
		       MADKIT_MAD_BYTES - MADKIT_SMP_INITIAL_PATH);
	t->row = 0;
}

/* Takes the text of a line. 0, or 1 as hex_text_take_line(). */
static int hex_text_take(struct hex_text *t, const struct hex_line *l)
{
	struct hex_offset label;
	size_t i;
	int ret;

	if (hex_line_repeats(l)) {
		if (!t->row)
			return trouble(t, hex_line_start(l), "'*' repeats nothing");
		t->repeated = true;
		return 0;
	}
	i = find_label(t, l, &label);
	ret = hex_text_another(t, l, i, &label) ? hex_text_end(t) : 0;
	if (ret)
		return ret;
	if (!t->block) {
		t->begin = t->line + 1;
		if (t->smp.complete && !t->prefix)
			hex_text_begin_smp(t);
		t->smp.complete = false;
	}
	ret = take_label(t, l, i, &label);
	if (!ret)
		ret = take_bytes(t, l, i, &label);
	if (ret)
		return ret;
	t->last = t->line + 1;
	t->block += t->row;
	if (t->smp_data)
		hex_text_continue_smp(t);
	return t->bytes.error;
}

/* Whether the line has hex text; where it begins. */
static bool hex_text_find(const struct hex_text *t, const struct hex_line *l, size_t *begin)
{
	struct hex_offset label;
	size_t i = find_label(t, l, &label), text;

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
	find_label(t, l, &label);
	/* a line that is damaged itself begins no dump */
	if (!label.digits || !label.zero || t->retried == t->line + 1)
		return true;
	t->retried = t->line + 1;
	return false;
}

/* 1: the line is one of the header of opensm's SMP; 0: not; or an error: the header is not whole. */
static int hex_text_smp_header(struct hex_text *t, const struct hex_line *l)
{
	bool open = t->smp.open && !t->smp.complete, had = t->smp.have;
	bool is = opensm_smp_line(&t->smp, l);

	if (open && (!is || (had && !t->smp.have)))
		return trouble(t, 0, "the header of the SMP before is not one that opensm prints");
	return is;
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

	t->column = 0;
	if (hex_line_at(l, i) == '\n' || hex_line_at(l, i) == '#') {
		/* opensm prints blank lines between its rows */
		return t->smp_data && hex_line_at(l, i) == '\n' ? 0 : hex_text_end(t);
	}
	/* most lines continue a dump without a prefix; what is wrong with any other is found below */
	if (t->block && !t->prefix && !t->adrift && t->order != ORDER_OPEN && !hex_line_after_time(l)) {
		was = *t;
		ret = hex_text_take(t, l);
		if (ret != -EINVAL)
			return ret;
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
		t->dropped += t->reported != t->line + 1;
		return 0;
	}
	ret = hex_text_open(t) && (t->adrift || prefix != t->prefix) ? hex_text_end(t) : 0;
	if (ret)
		return ret;
	first = !hex_text_open(t) && t->log;
	t->prefix = prefix;
	t->log |= prefix != 0;
	t->column = i;
	was = *t;
	ret = hex_text_take(t, &text);
	if (ret != -EINVAL || !first)
		return ret;
	/* numbers in other text */
	hex_text_restore(t, &was);
	return hex_text_skip_line(t, l);
}

/* The next line without its newline, or the beginning of one that is too long; not consumed. 1, 0 the end, -EAGAIN. */
static int peek_line(const struct input *in, struct hex_line *l)
{
	size_t n = input_have(in);
	const char *text = (const char *)input_bytes(in);
	const char *newline = n ? memchr(text, '\n', n) : NULL;

	l->p = text;
	l->len = newline ? (size_t)(newline - text) : n;
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
	t->overlong = !newline && !in->eof;
	if (t->overlong)
		return -EAGAIN;
	t->line++;
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
		trouble(t, begin, "the line is longer than %zu bytes", LINE_MAX_BYTES);
		return 0;
	}
	ret = hex_text_skip_line(t, l);
	if (t->skipped == 1)
		snprintf(t->first, sizeof(t->first), "line %llu is longer than %zu bytes",
			 (unsigned long long)t->line + 1, LINE_MAX_BYTES);
	return ret;
}

/* Takes lines until n bytes are available, in a known order and confirmed. */
static int take_lines(struct hex_text *t, struct input *in, size_t n, bool *anew)
{
	struct hex_line line;
	int ret;

	while (t->order == ORDER_OPEN || t->longer || t->bytes.len - t->used < n) {
		if (t->error)
			return 0;
		if (t->overlong && hex_text_next_line(t, in, 0))
			return -EAGAIN;
		ret = peek_line(in, &line);
		if (ret == -EAGAIN)
			return ret;
		if (!ret) {
			t->column = 0;
			hex_text_end(t);
			return 0;
		}
		ret = line.len > LINE_MAX_BYTES ? hex_text_skip_overlong(t, &line) :
						  hex_text_take_line(t, &line);
		*anew = ret > 0;
		if (ret < 0) {
			t->reported = t->line + 1;
			/* the first row of a dump: it is not to be taken again */
			if (!t->block)
				t->retried = t->reported;
		}
		if (ret < 0 && !t->error) {
			t->error = ret;
			snprintf(t->trouble, sizeof(t->trouble), "%s", strerror(-ret));
		}
		if (ret)
			return 0;
		if (t->order == ORDER_OPEN && t->bytes.len - t->open >= MADKIT_HEADER_BYTES)
			settle_order(t);
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
	size_t row = t->bytes.len - t->row, gone = t->used < row ? t->used : row;
	size_t left = t->bytes.len - gone;

	if (!gone || (t->used < t->bytes.len && (gone <= LINE_MAX_BYTES || gone < left)))
		return;
	memmove(t->bytes.data, t->bytes.data + gone, left);
	t->bytes.len = left;
	t->used -= gone;
	if (t->order == ORDER_OPEN)
		t->open -= gone;
}

void hex_text_drop(struct hex_text *t, bool damaged)
{
	t->used = t->bytes.len;
	if (!damaged)
		return;
	t->adrift = true;
	t->uneven = t->repeated = t->longer = t->misplaced = false;
	t->order = ORDER_UNKNOWN;
	t->error = 0;
}

bool hex_text_stray(const struct hex_text *t)
{
	return t->block < MADKIT_HEADER_BYTES && !t->offsets.last.zero;
}

int hex_text_need(struct hex_text *t, struct input *in, size_t n, bool *anew)
{
	int ret;

	*anew = false;
	hex_text_compact(t);
	ret = take_lines(t, in, n, anew);
	/* nothing more is known of it */
	if (!ret)
		settle_order(t);
	return ret;
}
