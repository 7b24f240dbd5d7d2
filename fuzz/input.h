/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The bytes that a target is driven by; behind their end come zeros. */
#ifndef FUZZ_INPUT_H
#define FUZZ_INPUT_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

struct input {
	const uint8_t *data;
	size_t left;
};

static inline uint8_t byte(struct input *in)
{
	if (!in->left)
		return 0;
	in->left--;
	return *in->data++;
}

static inline uint32_t word(struct input *in)
{
	uint32_t v = 0;

	for (int i = 0; i < 4; i++)
		v = v << 8 | byte(in);
	return v;
}

/* Small numbers mostly, and any. */
static inline uint32_t number(struct input *in)
{
	uint8_t b = byte(in);

	return b < 0xf0 ? b : b < 0xf8 ? UINT32_MAX - (b - 0xf0) : word(in);
}

/* Ends the program with what went wrong, and with which text; text may be NULL. */
__attribute__((noreturn)) static inline void fuzz_fail(const char *what, const char *text)
{
	fprintf(stderr, text ? "%s: '%s'\n" : "%s\n", what, text);
	abort();
}

#endif
