/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Text from a fabric, made safe for JSON and for a terminal. */
#ifndef MADKIT_ESCAPE_H
#define MADKIT_ESCAPE_H

#include <madkit/decls.h>
#include <stdbool.h>
#include <stddef.h>
#include <madkit/buf.h>

MADKIT_BEGIN_DECLS

/* Appends text as a JSON string with its quotes. Controls (C0, DEL, C1, those of
 * bidirectional text, U+2028 and U+2029) become \uXXXX. Bytes that are not UTF-8
 * become \u00XX; returns whether there were any. */
bool madkit_json_string(struct madkit_buf *buf, const char *text, size_t len);

/* Appends text with C0, C1, DEL, bidirectional controls, U+2028, U+2029 and bytes
 * that are not UTF-8 escaped as \xXX,
 * so that a terminal shows it and does not obey it. */
void madkit_text_escape(struct madkit_buf *buf, const char *text, size_t len);

MADKIT_END_DECLS
#endif
