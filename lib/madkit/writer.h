/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * madkit_writer - write JSON values to a buffer
 *
 * A writer appends the members of objects and the elements of arrays, with commas, quotes and escapes. The
 * library and the commands write with it whatever is not a field of a MAD: events, summaries, the place of a
 * port on a route.
 *
 * The functions allocate memory only for the buffer. If that fails, the buffer has the error, and the
 * functions do nothing more. They do not block.
 */
#ifndef MADKIT_WRITER_H
#define MADKIT_WRITER_H

#include <madkit/decls.h>
#include <stdbool.h>
#include <stdint.h>
#include <madkit/buf.h>

MADKIT_BEGIN_DECLS

/* Maximum depth of objects and arrays. */
enum {
	MADKIT_WRITER_DEPTH_MAX = 64,
};

/* A writer. Use the functions below, not the members. */
struct madkit_writer {
	struct madkit_buf *buf;
	uint64_t arrays; /* a bit for each open object or array, the innermost in bit 0: 1 for an array */
};

/* The members of an object, written by a function. */
struct madkit_object {
	/* Writes the members. It may be called several times, and writes the same each time. */
	void (*write)(const void *context, struct madkit_writer *writer);
	const void *context;
};

/*
 * madkit_writer_begin - start to write to a buffer
 * @writer: writer to initialise
 * @buf:    receives the text, and must outlive the writer
 *
 * Then call madkit_writer_object() or madkit_writer_array() without a key.
 */
void madkit_writer_begin(struct madkit_writer *writer, struct madkit_buf *buf);

/*
 * madkit_writer_line - end a line
 * @writer: the writer; all objects and arrays have been closed
 *
 * Appends a newline. The next value begins a new line.
 */
void madkit_writer_line(struct madkit_writer *writer);

/*
 * madkit_writer_object, madkit_writer_array, madkit_writer_close - open and close objects and arrays
 * @writer: the writer
 * @key:    key of the member, printable ASCII without quotes and backslashes; NULL: it is an element of an
 *          array, or the whole line
 *
 * At most MADKIT_WRITER_DEPTH_MAX objects and arrays are open at a time. madkit_writer_close() closes the
 * innermost one.
 */
void madkit_writer_object(struct madkit_writer *writer, const char *key);
void madkit_writer_array(struct madkit_writer *writer, const char *key);
void madkit_writer_close(struct madkit_writer *writer);

/*
 * madkit_writer_string, madkit_writer_number, madkit_writer_decimal, madkit_writer_hex, madkit_writer_bool,
 * madkit_writer_null, madkit_writer_known - write a value
 * @writer: the writer
 * @key:    as for madkit_writer_object()
 * @text:   a string, which is escaped; NULL: null
 * @value:  the value
 * @real:   a finite number
 * @places: digits after the decimal point, 1 to 9
 * @digits: an even number of hexadecimal digits, at most 16; the value is a string such as "0x00ff"
 * @known:  false: null
 */
void madkit_writer_string(struct madkit_writer *writer, const char *key, const char *text);
void madkit_writer_number(struct madkit_writer *writer, const char *key, uint64_t value);
void madkit_writer_decimal(struct madkit_writer *writer, const char *key, double real, unsigned int places);
void madkit_writer_hex(struct madkit_writer *writer, const char *key, uint64_t value, unsigned int digits);
void madkit_writer_bool(struct madkit_writer *writer, const char *key, bool value);
void madkit_writer_null(struct madkit_writer *writer, const char *key);
void madkit_writer_known(struct madkit_writer *writer, const char *key, bool known, uint64_t value);

MADKIT_END_DECLS
#endif
