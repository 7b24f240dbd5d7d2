/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Text with hex dumps of MADs: lines of dumps, with or without log prefixes, mixed with other lines. */
#ifndef SRC_HEX_TEXT_H
#define SRC_HEX_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>
#include "hex_dump.h"
#include "cli/input.h"
#include "opensm_smp.h"

struct hex_text {
	struct hex_dump dump;  /* the current dump */
	struct opensm_smp smp; /* the latest header in opensm's log */
	uint64_t prefix;       /* hash of the prefix of the dump's lines; 0: none */
	struct timespec time;  /* time in the prefix of the dump's first line; tv_nsec -1: unknown */
	uint64_t first,
		last;     /* lines of the dump, from 1, also after it has ended; last 0: no dump was found */
	char uneven[160]; /* why the next line, which is hex, does not continue the dump; "" if it does */
	/* state of the text: */
	uint64_t line;    /* the number of lines before the current one */
	bool log;         /* there are other lines, or prefixes */
	bool adrift;      /* a dump is damaged: its lines are dropped */
	bool doubtful;    /* the latest dump was damaged or cut: its remainder may follow */
	uint64_t dropped; /* lines of damaged dumps */
	uint64_t skipped; /* other lines */
	char unread
		[160]; /* why one of the other lines is not read: the first line, or the first in a known format */
	bool unread_known; /* that line has a known format */
	size_t searched;   /* number of bytes of input that contain no newline */
	bool overlong;     /* the rest of the line is to be skipped */
	int error;         /* -EINVAL: see trouble; -ENOMEM */
	char trouble[160]; /* "line 3, column 7: ..." */
	char refusal
		[192]; /* why the latest bytes that hex_text_check() judged are not a MAD; "" if they are */
};

void hex_text_init(struct hex_text *t);
void hex_text_free(struct hex_text *t);

/* Returns the unused bytes of the dump; valid until the next call of a function of the text. */
static inline const uint8_t *hex_text_bytes(const struct hex_text *t)
{
	return t->dump.bytes.data ? (const uint8_t *)t->dump.bytes.data + t->dump.used : NULL;
}

static inline size_t hex_text_have(const struct hex_text *t)
{
	return t->dump.bytes.len - t->dump.used;
}

/*
 * Reads lines until n unused bytes of one dump are available. There are fewer if the dump or the text ends, or after
 * an error. Returns 0, or -EAGAIN if more input is needed.
 */
int hex_text_need(struct hex_text *t, struct input *in, size_t n);

/*
 * Decides if the unused bytes begin with a MAD of want bytes. Returns 1; 0 if they do not, which drops them and sets
 * t->refusal to the text to report, or ""; -EAGAIN if more input is needed.
 */
int hex_text_check(struct hex_text *t, struct input *in, size_t want);

/* Drops the unused bytes, and the rest of their dump if it is damaged. */
void hex_text_drop(struct hex_text *t, bool damaged);

#endif
