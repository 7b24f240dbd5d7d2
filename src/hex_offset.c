/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A set of radices is kept because 00000010 is 16 in xxd's dumps and 10 or 8 in od's. */
#include <inttypes.h>
#include <stdio.h>
#include "cli.h"
#include "hex_offset.h"

static const unsigned int radix_base[RADIX_COUNT] = { 16, 10, 8 };

void hex_offset_read(struct hex_offset *offset, const char *text, bool hex_only)
{
	offset->zero = true;
	offset->fits = hex_only ? 1u << RADIX_HEX : RADIX_ANY;
	for (size_t i = 0; i < offset->digits; i++) {
		unsigned int digit = (unsigned int)cli_hex_digit(text[i]);

		offset->zero &= !digit;
		for (int r = 0; r < RADIX_COUNT; r++) {
			if (digit >= radix_base[r])
				offset->fits &= ~(1u << r);
			offset->value[r] = offset->value[r] * radix_base[r] + digit;
		}
	}
}

/* The radix if the set has only one, else -1. */
static int hex_offset_radix(unsigned int radices)
{
	for (int r = 0; r < RADIX_COUNT; r++)
		if (radices == 1u << r)
			return r;
	return -1;
}

static const char *hex_offset_text(char text[32], int radix, uint64_t value)
{
	if (radix == RADIX_HEX)
		snprintf(text, 32, "0x%" PRIx64, value);
	else if (radix == RADIX_DECIMAL)
		snprintf(text, 32, "%" PRIu64, value);
	else
		snprintf(text, 32, "0%" PRIo64, value);
	return text;
}

/* Bytes from the end of the latest line to this offset; they wrap if it is less. */
static uint64_t hex_offset_missing(const struct hex_offset_check *check, const struct hex_offset *to,
				   int radix)
{
	return to->value[radix] - check->last.value[radix] - check->since;
}

unsigned int hex_offset_agrees(const struct hex_offset_check *check, const struct hex_offset *to)
{
	unsigned int radices = check->radices & to->fits;

	for (int r = 0; r < RADIX_COUNT; r++)
		if (hex_offset_missing(check, to, r))
			radices &= ~(1u << r);
	return radices;
}

uint64_t hex_offset_excess(struct hex_offset_check *check, const struct hex_offset *to, size_t max)
{
	unsigned int radices = check->radices & to->fits;

	for (int r = 0; r < RADIX_COUNT; r++) {
		uint64_t excess = 0 - hex_offset_missing(check, to, r);

		if (!(radices & 1u << r) || !excess || excess > max)
			continue;
		check->radices = 1u << r;
		return excess;
	}
	return 0;
}

/* The radices in which the bytes missing are repetitions of a line, whole ones unless partial. */
static unsigned int hex_offset_repeating(const struct hex_offset_check *check, const struct hex_offset *to,
					 size_t row, bool partial)
{
	unsigned int radices = check->radices & to->fits;

	for (int r = 0; r < RADIX_COUNT; r++) {
		uint64_t n = hex_offset_missing(check, to, r);

		if (!n || n > HEX_TEXT_REPEATED_MAX || (!partial && n % row))
			radices &= ~(1u << r);
	}
	return radices;
}

const char *hex_offset_repeats(struct hex_offset_check *check, const struct hex_offset *to, size_t row,
			       bool partial, uint64_t *bytes)
{
	bool known = to->digits && check->last.digits && row;
	unsigned int radices = known ? hex_offset_repeating(check, to, row, false) : 0;
	int r;

	if (!radices && known && partial)
		radices = hex_offset_repeating(check, to, row, true);
	if (!radices)
		return "the offset does not say how often '*' repeats a line";
	r = hex_offset_radix(radices);
	/* seven digits are od's octal and decimal or hexdump's hex ones; xxd has decimal ones, too */
	if (r < 0 && radices & 1u << RADIX_HEX && !to->colon && to->digits != 7)
		r = RADIX_HEX;
	if (r < 0)
		return "the offset may be hex, decimal or octal: it does not say how often '*' repeats a line";
	check->radices = 1u << r;
	*bytes = hex_offset_missing(check, to, r);
	return NULL;
}

void hex_offset_explain(const struct hex_offset_check *check, const struct hex_offset *to, char *text,
			size_t size)
{
	int r = hex_offset_radix(check->radices & to->fits);
	char is[32], expected[32];

	if (r < 0)
		snprintf(text, size, "the offset does not follow %" PRIu64 " bytes after the previous one",
			 check->since);
	else
		snprintf(text, size, "the offset is %s, and %s was expected",
			 hex_offset_text(is, r, to->value[r]),
			 hex_offset_text(expected, r, check->last.value[r] + check->since));
}
