/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A pull scanner for JSON as RFC 8259 defines it: each call returns the next token. It has no heap and no
 * recursion; it decodes strings in place. Nothing in the text is changed silently: faults are reported.
 */
#ifndef JSON_SCAN_H
#define JSON_SCAN_H

#include <stdbool.h>
#include <stddef.h>

#define SCAN_DEPTH_MAX 16 /* objects and arrays in each other */

enum scan_kind {
	SCAN_WRONG, /* not JSON: at is where, expected says what is missing */
	SCAN_END,   /* the value is complete; what follows it has not been read */
	SCAN_OBJECT,
	SCAN_ARRAY,
	SCAN_CLOSE, /* the end of the innermost object or array */
	SCAN_KEY,   /* its colon has been read */
	SCAN_STRING,
	SCAN_INTEGER,
	SCAN_FRACTION, /* a number with a fraction or an exponent */
	SCAN_TRUE,
	SCAN_FALSE,
	SCAN_NULL,
};

enum scan_fault {
	SCAN_FAULTLESS,
	SCAN_NOT_UTF8,  /* or half a surrogate pair */
	SCAN_ZERO,      /* a string with a U+0000 */
	SCAN_TOO_LARGE, /* an integer with a magnitude of more than 2^64 - 1 */
};

struct scan {
	char *text;            /* the caller's, with a NUL at len */
	size_t len, at;        /* at: what has been read */
	size_t begin, end;     /* of the latest token; the quotes of a string are included */
	size_t length;         /* of a decoded string or key, which is at begin + 1 with a NUL behind it */
	enum scan_fault fault; /* of the latest token: readers differ on it */
	const char *expected;

	enum { SCAN_VALUE_NEXT, SCAN_OPENED, SCAN_AFTER_VALUE } state;
	char *open; /* '}' or ']' for each open object and array */
	size_t depth, depth_max;
	char levels[SCAN_DEPTH_MAX];
};

/* Trailing blanks are ignored. The text must have room for len + 1 characters, and is overwritten. */
void scan_begin(struct scan *s, char *text, size_t len);

enum scan_kind scan_next(struct scan *s);

/*
 * Reads the value that is next, of any depth, as one: begin and end say where it was. Its open brackets are
 * stored where it was read. Faults in it are not reported. False: not JSON.
 */
bool scan_skip(struct scan *s);

/* The next character that is not blank; NUL at the end. */
char scan_peek(struct scan *s);

#endif
