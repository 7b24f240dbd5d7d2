/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Escapes text from people and from the fabric, so that a terminal does not interpret it (see
 * madkit/escape.h). */
#ifndef UTIL_ESCAPE_H
#define UTIL_ESCAPE_H

#include <madkit/buf.h>

/* Appends JSON text that the grammar has accepted. Controls and bidirectional controls in its strings are
 * escaped, and line ends between its tokens become blanks: the value is the same. */
void escape_json(struct madkit_buf *buf, const char *text, size_t len);

/* madkit_text_escape() into room bytes including a NUL, without allocating memory. Text that does not fit is
 * omitted. */
void escape_text_into(char *out, size_t room, const char *text);

#endif
