/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef UTIL_ESCAPE_JSON_H
#define UTIL_ESCAPE_JSON_H

#include <madkit/buf.h>

/* Appends JSON text that the grammar has accepted. Controls and bidirectional controls in its strings are
 * escaped and line ends between its tokens become blanks: the value is the same, and a terminal does
 * not obey it. */
void escape_json(struct madkit_buf *buf, const char *text, size_t len);

#endif
