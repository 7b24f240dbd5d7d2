/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* MADs as hex digits in text, in the shapes that people paste. */
#ifndef SRC_HEX_TEXT_H
#define SRC_HEX_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>
#include <madkit/buf.h>
#include "hex_dump.h"
#include "input.h"
#include "opensm_smp.h"

struct hex_text {
	struct hex_dump dump; /* the current one, which any line that is not one of its rows ends */
	uint64_t prefix;      /* of its lines, hashed; 0: none */
	struct timespec time; /* in the prefix of its first line; tv_nsec -1: not known */
	/* the text: */
	bool log;              /* it has other lines or prefixes */
	bool adrift;           /* lines are dropped until their dump ends */
	uint64_t retried;      /* the latest line, from 1, that ended a damaged dump, or is damaged itself */
	uint64_t reported;     /* the latest line, from 1, with an error */
	uint64_t dropped;      /* lines of damaged dumps */
	bool doubtful;         /* a dump was damaged or cut: its rest may follow */
	size_t searched;       /* so many bytes of the input have no newline */
	bool overlong;         /* the rest of a line is skipped */
	uint64_t skipped;      /* lines of other text */
	char first[160];       /* why the first of them is not read */
	struct opensm_smp smp; /* the latest header in opensm's log */
};

void hex_text_init(struct hex_text *t);
void hex_text_free(struct hex_text *t);

/* The bytes that are not used yet; valid until the next hex_text_need(). */
static inline const uint8_t *hex_text_bytes(const struct hex_text *t)
{
	return t->dump.bytes.data ? (const uint8_t *)t->dump.bytes.data + t->dump.used : NULL;
}

static inline size_t hex_text_have(const struct hex_text *t)
{
	return hex_dump_have(&t->dump);
}

/* Whether the text is more than the dump: bytes that are no whole MAD then mean nothing. */
static inline bool hex_text_in_log(const struct hex_text *t)
{
	return t->log;
}

/*
 * Drops the bytes that are not used yet. damaged: the rest of their dump, too, after an error of the text
 * or of the bytes, up to what ends it.
 */
void hex_text_drop(struct hex_text *t, bool damaged);

/* Whether the bytes that are left may be numbers in other text, not a dump that is cut or damaged. */
bool hex_text_stray(const struct hex_text *t);

/*
 * Takes lines until n unused bytes are there. 1 they are; 0 the text has no
 * more, another dump begins (*anew), or the text is malformed
 * (error); -EAGAIN: the next line is not whole: more input is needed.
 */
int hex_text_need(struct hex_text *t, struct input *in, size_t n, bool *anew);

#endif
