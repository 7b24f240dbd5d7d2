/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * madkit_writer - write JSON values to a buffer
 *
 * A writer appends the members of objects and the elements of arrays, with commas, quotes and escapes. The
 * library and the commands write with it whatever is not a field of a MAD: events, summaries, the place of a
 * port on a route.
 *
 * Each value is followed by a comma, which madkit_writer_close() and madkit_writer_line() remove: a text is
 * complete after madkit_writer_line().
 *
 * The functions allocate memory only for the buffer. If that fails, the buffer has the error, and the
 * functions do nothing more. They do not check the order of the calls, except for the depth. They do not block.
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
	unsigned int depth;
};

/* The members of an object, written by a function: "hop" or "data" of a message (madkit_message(3)). */
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
 * Removes the last comma and appends a newline. The next value begins a new line.
 */
void madkit_writer_line(struct madkit_writer *writer);

/*
 * madkit_writer_object, madkit_writer_array, madkit_writer_close - open and close objects and arrays
 * @writer: the writer
 * @key:    key of the member, printable ASCII without quotes and backslashes; NULL: it is an element of an
 *          array, or the whole line
 *
 * At most MADKIT_WRITER_DEPTH_MAX objects and arrays are open at a time. madkit_writer_close() closes the
 * innermost one. To open one too many, or to close more than were opened, sets the error of the buffer to
 * -EINVAL.
 */
void madkit_writer_object(struct madkit_writer *writer, const char *key);
void madkit_writer_array(struct madkit_writer *writer, const char *key);
void madkit_writer_close(struct madkit_writer *writer);

/*
 * madkit_writer_string, madkit_writer_number, madkit_writer_decimal, madkit_writer_hex, madkit_writer_bool,
 * madkit_writer_null, madkit_writer_known - write a value
 * @writer: the writer
 * @key:    as for madkit_writer_object()
 * @text:   a string in UTF-8, which is escaped; bytes that are not UTF-8 become \u0080 to \u00ff; NULL: null
 * @value:  the value
 * @real:   a number; null if it is not finite
 * @places: digits after the decimal point: 1 to 9, or the nearest of these
 * @digits: least number of hexadecimal digits, at most 16. The value is a string such as "0x00ff", with an even
 *          number of digits
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
