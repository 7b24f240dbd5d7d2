/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A hex dump. Its first line defines the format: the notation of the offsets, the number of digits of a word, and the
 * number of bytes of a line. Each further line must have the same format, and its offset must follow from the bytes
 * before it. Only the last line may be shorter.
 */
#ifndef SRC_HEX_DUMP_H
#define SRC_HEX_DUMP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <madkit/buf.h>
#include "text_line.h"

/* The maximum number of bytes that a line with '*' may represent. */
#ifndef HEX_DUMP_REPEATED_MAX
#define HEX_DUMP_REPEATED_MAX ((uint64_t)1 << 24)
#endif

/* The radices of offsets, as indexes and as bits of a set. */
enum hex_radix { RADIX_OCTAL, RADIX_HEX, RADIX_DECIMAL, RADIX_COUNT };

/* A line of a dump: an offset, bytes, and the same bytes as characters. */
struct hex_row {
	size_t column;        /* of the offset, from 0 */
	size_t digits;        /* of the offset; 0: none */
	bool colon;           /* after the offset */
	bool zero;            /* the value of the offset in each radix */
	bool repeats;         /* the line is '*' */
	bool refused;         /* a known format that madrecv does not read */
	unsigned int radices; /* radices in which the digits of the offset are valid */
	uint64_t offset[RADIX_COUNT];
	size_t at;      /* position of the first byte */
	size_t words;   /* separated by blanks or by other characters */
	size_t word;    /* digits of the first word */
	size_t last;    /* digits of the last word */
	char separator; /* separator of words; '\0' if there is only one word */
	size_t bytes;
	size_t wrong;     /* column, from 0, of trouble */
	char trouble[96]; /* why the line is not a valid line of a dump; "" if it is valid */
};

struct hex_dump {
	struct madkit_buf bytes;    /* bytes of this dump, starting with the line that '*' may repeat */
	size_t used;                /* number of bytes */
	struct hex_row form;        /* the first line; form.bytes is 0 before it */
	unsigned int radices;       /* radices in which all offsets are consistent */
	uint64_t next[RADIX_COUNT]; /* the next offset */
	bool little;                /* words have their least significant byte first */
	size_t row;                 /* length of the latest line, which is kept even after use */
	uint64_t total;             /* bytes of the dump */
	bool repeated;              /* a line with '*' follows the latest line */
	bool closed;                /* the latest line has only an offset */
};

/*
 * Parses the line from i on. Digits may be the last offset of a dump if there are at least closing of them; 0: never.
 * Returns false if the line is other text; row->trouble then says why it is not hex.
 */
bool hex_row_read(struct hex_row *row, const struct text_line *l, size_t i, size_t closing);

/* Records an error of the row at a column, unless one has been recorded. */
void hex_row_fail(struct hex_row *row, size_t column, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* Returns true if the row begins another dump. */
bool hex_dump_another(const struct hex_dump *d, const struct hex_row *row);

/* Writes how the format of the row differs from that of the dump. Returns false if it does not differ. */
bool hex_dump_differs(const struct hex_dump *d, const struct hex_row *row, char *why, size_t size);

/* Adds the row. Returns 0, -ENOMEM, or -EINVAL with row->trouble. */
int hex_dump_add(struct hex_dump *d, struct hex_row *row, const struct text_line *l);

/* Prepares for the next dump. */
void hex_dump_reset(struct hex_dump *d);

#endif
