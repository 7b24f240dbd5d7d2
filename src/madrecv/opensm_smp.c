/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* osm_dump_dr_smp_to_buf() in opensm's osm_helper.c prints these lines, in this order. */
#include "opensm_smp.h"
#include "util/array_size.h"

static const struct {
	const char *name;
	uint8_t offset, bytes, shift, base;
} rows[] = {
	{ "base_ver.", MADKIT_MAD_BASE_VERSION, 1, 0, 16 },
	{ "mgmt_class.", MADKIT_MAD_CLASS, 1, 0, 16 },
	{ "class_ver.", MADKIT_MAD_CLASS_VERSION, 1, 0, 16 },
	{ "method.", MADKIT_MAD_METHOD, 1, 0, 16 },
	{ "D bit.", MADKIT_MAD_STATUS, 1, 7, 16 },
	{ "status.", MADKIT_MAD_STATUS, 2, 0, 16 },
	{ "hop_ptr.", MADKIT_MAD_HOP_POINTER, 1, 0, 16 },
	{ "hop_count.", MADKIT_MAD_HOP_COUNT, 1, 0, 16 },
	{ "trans_id.", MADKIT_MAD_TID, 8, 0, 16 },
	{ "attr_id.", MADKIT_MAD_ATTRIBUTE, 2, 0, 16 },
	{ "resv.", MADKIT_MAD_ATTRIBUTE + 2, 2, 0, 16 },
	{ "attr_mod.", MADKIT_MAD_MODIFIER, 4, 0, 16 },
	{ "m_key.", MADKIT_SMP_MKEY, 8, 0, 16 },
	{ "dr_slid.", MADKIT_SMP_DR_SLID, 2, 0, 10 },
	{ "dr_dlid.", MADKIT_SMP_DR_DLID, 2, 0, 10 },
	/* arrays of octets: hop_count + 1 of them are printed */
	{ "Initial path:", MADKIT_SMP_INITIAL_PATH, 0, 0, 10 },
	{ "Return path:", MADKIT_SMP_RETURN_PATH, 0, 0, 10 },
	/* only zero is expected here */
	{ "Reserved:", 0, 0, 0, 10 },
};

#define ALL_ROWS ((UINT32_C(1) << ARRAY_SIZE(rows)) - 1)

/* The rows that a LID-routed SMP lacks, and the rows before its last line, which is the current one. Its data is not
 * printed. */
enum { ROW_D_BIT = 4, ROW_DR_SLID = 13 };
static const char lid_routed[] = "MAD IS LID ROUTED";

static bool opensm_smp_begins(const struct text_line *l, size_t i, const char *word)
{
	size_t n = strlen(word);

	return i + n <= l->len && !memcmp(l->p + i, word, n);
}

/* Reads a number at *i, with 0x or in decimal, and moves *i past it. */
static bool opensm_smp_number(const struct text_line *l, size_t *i, unsigned int base, uint64_t *value)
{
	size_t begin = *i + (base == 16 ? 2 : 0);
	int digit;

	if (base == 16 && (text_line_at(l, *i) != '0' || text_line_at(l, *i + 1) != 'x'))
		return false;
	*i = begin;
	for (*value = 0; (digit = cli_hex_digit(text_line_at(l, *i))) >= 0 && (unsigned int)digit < base;
	     ++*i)
		*value = *value * base + (unsigned int)digit;
	if (!text_line_blank(l, *i) && text_line_at(l, *i) != ',' && text_line_at(l, *i) != '\n')
		return false;
	return *i > begin && *i - begin <= 16;
}

static bool opensm_smp_path(const struct text_line *l, size_t i, size_t hops, uint8_t *path)
{
	uint64_t port;

	for (size_t n = 0; n <= hops && n <= MADKIT_HOPS_MAX; n++, i++) {
		if (!opensm_smp_number(l, &i, 10, &port) || port > 0xff)
			return false;
		path[n] = (uint8_t)port;
		if (text_line_at(l, i) != ',')
			return n == hops;
	}
	return false;
}

/* "[0][0][0]..." */
static bool opensm_smp_zeros(const struct text_line *l, size_t i)
{
	for (; !text_line_blank(l, i) && text_line_at(l, i) != '\n'; i++)
		if (!memchr("[0]", l->p[i], 3))
			return false;
	return true;
}

static bool opensm_smp_row(struct opensm_smp *s, const struct text_line *l, size_t i, size_t row)
{
	unsigned int bits = rows[row].bytes * 8u;
	uint64_t value;

	i += strlen(rows[row].name);
	while (text_line_at(l, i) == '.')
		i++;
	i += text_line_blanks(l, i);
	if (!bits && !rows[row].offset)
		return opensm_smp_zeros(l, i);
	if (!bits)
		return opensm_smp_path(l, i, s->mad[MADKIT_MAD_HOP_COUNT], s->mad + rows[row].offset);
	if (!opensm_smp_number(l, &i, rows[row].base, &value) ||
	    (bits < 64 && (value << rows[row].shift) >> bits))
		return false;
	value <<= rows[row].shift;
	for (size_t n = 0; n < rows[row].bytes; n++, bits -= 8)
		s->mad[rows[row].offset + n] |= (uint8_t)(value >> (bits - 8));
	return true;
}

bool opensm_smp_line(struct opensm_smp *s, const struct text_line *l)
{
	static const char title[] = "-> SMP dump:";
	size_t i = text_line_blanks(l, 0), end = l->len;

	while (end && text_line_blank(l, end - 1))
		end--;
	if (end >= sizeof(title) - 1 && opensm_smp_begins(l, end - (sizeof(title) - 1), title)) {
		*s = (struct opensm_smp){ .open = true };
		return true;
	}
	if (s->open && s->mad[MADKIT_MAD_CLASS] == MADKIT_CLASS_SUBN) {
		if (s->have == (UINT32_C(1) << ROW_D_BIT) - 1)
			s->have |= UINT32_C(1) << ROW_D_BIT;
		if (s->have == (UINT32_C(1) << ROW_DR_SLID) - 1) {
			s->open = false;
			return end - i == sizeof(lid_routed) - 1 && opensm_smp_begins(l, i, lid_routed);
		}
	}
	for (size_t row = 0; s->open && row < ARRAY_SIZE(rows); row++) {
		if (!opensm_smp_begins(l, i, rows[row].name))
			continue;
		/* the rows come in order, each once */
		if (s->have != (UINT32_C(1) << row) - 1 || !opensm_smp_row(s, l, i, row))
			break;
		s->have |= UINT32_C(1) << row;
		s->complete = s->have == ALL_ROWS;
		return true;
	}
	s->open = false;
	return false;
}

size_t opensm_smp_begin(struct opensm_smp *s, struct madkit_buf *bytes)
{
	madkit_buf_add(bytes, s->mad, MADKIT_SMP_DATA);
	s->data = MADKIT_SMP_INITIAL_PATH - MADKIT_SMP_DATA;
	s->dumped = true;
	s->complete = false;
	return MADKIT_SMP_DATA;
}

void opensm_smp_continue(struct opensm_smp *s, size_t row, struct madkit_buf *bytes)
{
	s->data -= row;
	if (!s->data)
		madkit_buf_add(bytes, s->mad + MADKIT_SMP_INITIAL_PATH,
			       MADKIT_MAD_BYTES - MADKIT_SMP_INITIAL_PATH);
}
