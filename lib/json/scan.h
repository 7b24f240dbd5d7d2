/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A pull scanner for JSON as defined by RFC 8259: each call returns the next token. It has no heap and no
 * recursion, and decodes strings in place. Nothing in the text is changed silently: faults are reported.
 */
#ifndef JSON_SCAN_H
#define JSON_SCAN_H

#include <stdbool.h>
#include <stddef.h>

#define SCAN_DEPTH_MAX 16 /* nested objects and arrays */

enum scan_kind {
	SCAN_WRONG, /* not JSON: at is the place, expected names the missing token */
	SCAN_END,   /* the value is complete; the text after it has not been read */
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
	char *text;            /* belongs to the caller, with a NUL at len */
	size_t len, at;        /* at: end of the text that has been read */
	size_t begin, end;     /* of the latest token; the quotes of a string are included */
	size_t length;         /* of a decoded string or key, which is at begin + 1 and ends with a NUL */
	enum scan_fault fault; /* of the latest token: JSON readers do not agree on it */
	const char *expected;

	enum { SCAN_VALUE_NEXT, SCAN_OPENED, SCAN_AFTER_VALUE } state;
	char *open; /* '}' or ']' for each open object and array */
	size_t depth, depth_max;
	char levels[SCAN_DEPTH_MAX];
};

/* Begins a scan. Trailing blanks are ignored. The text must have room for len + 1 characters, and is
 * overwritten. */
void scan_begin(struct scan *s, char *text, size_t len);

enum scan_kind scan_next(struct scan *s);

/*
 * Reads the next value, of any depth, as one token: begin and end are its place. Its open brackets are stored
 * in the text already read. Faults in it are not reported. Returns false if it is not JSON.
 */
bool scan_skip(struct scan *s);

/* Returns the next character that is not blank; NUL at the end. */
char scan_peek(struct scan *s);

#endif
