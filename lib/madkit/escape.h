/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * madkit_escape - escape text from a fabric for JSON and for a terminal
 *
 * Node descriptions and other text in MADs can contain any bytes. These functions append such text to a
 * buffer in a form that is valid JSON, or safe to print on a terminal. They do not block.
 *
 * madkit_json_string() and madkit_text_escape() escape control characters (C0, DEL and C1), bidirectional
 * controls, U+2028, U+2029, and bytes that are not valid UTF-8.
 */
#ifndef MADKIT_ESCAPE_H
#define MADKIT_ESCAPE_H

#include <madkit/decls.h>
#include <stdbool.h>
#include <stddef.h>
#include <madkit/buf.h>

MADKIT_BEGIN_DECLS

/*
 * madkit_json_string - append text as a JSON string with its quotes
 * @buf:  receives the string
 * @text: text to append; it needs no NUL
 * @len:  bytes of @text
 *
 * Characters are escaped as \uXXXX. A byte that is not valid UTF-8 becomes \u00XX.
 *
 * Return: true if @text contained bytes that are not valid UTF-8.
 */
bool madkit_json_string(struct madkit_buf *buf, const char *text, size_t len);

/*
 * madkit_text_escape - append text that is safe to print on a terminal
 * @buf:  receives the text
 * @text: text to append; it needs no NUL
 * @len:  bytes of @text
 *
 * Each byte of an escaped character becomes \xXX.
 */
void madkit_text_escape(struct madkit_buf *buf, const char *text, size_t len);

/*
 * madkit_text_ascii - escape the characters beyond ASCII, for a terminal that does not show UTF-8
 * @buf:  the text
 * @from: position of the first byte to escape
 *
 * Each byte from 0x80 on becomes \xXX.
 */
void madkit_text_ascii(struct madkit_buf *buf, size_t from);

/*
 * madkit_text_next - return the length of the next character
 * @text:    text in UTF-8
 * @len:     bytes of @text
 * @columns: receives the columns of a terminal that the character takes: 0 for combining characters and for sequences
 *           that change the colour ("\033[31m"), 2 for wide ones, such as Chinese; a byte that is not valid UTF-8 takes 1
 *
 * Return: its bytes; 0 only if @len is 0.
 */
size_t madkit_text_next(const char *text, size_t len, size_t *columns);

/*
 * madkit_text_columns - return the columns of a terminal that a text takes
 * @text: text in UTF-8
 * @len:  bytes of @text
 *
 * Return: the sum of the columns of its characters (madkit_text_next()).
 */
size_t madkit_text_columns(const char *text, size_t len);

MADKIT_END_DECLS
#endif
