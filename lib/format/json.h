/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef FORMAT_JSON_H
#define FORMAT_JSON_H

#include <stdbool.h>
#include <madkit/buf.h>

/* Breaks what the buffer holds from begin on, one JSON value and a newline,
 * into lines, two spaces a level. */
void json_indent(struct madkit_buf *buf, size_t begin);

#endif
