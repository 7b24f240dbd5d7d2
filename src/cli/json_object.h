/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* JSON objects that are no messages: what a command says of itself. */
#ifndef SRC_JSON_OBJECT_H
#define SRC_JSON_OBJECT_H

#include <stdbool.h>
#include <stdint.h>
#include <madkit/buf.h>

/* Each appends "name":value, with a comma before it unless an object or array
 * has just been opened. name NULL: an element of an array. */
void json_open(struct madkit_buf *buf, const char *name, char bracket);
void json_close(struct madkit_buf *buf, char bracket);
/* value NULL: null. */
void json_string(struct madkit_buf *buf, const char *name, const char *value);
void json_number(struct madkit_buf *buf, const char *name, uint64_t value);
/* The value if it is known, else null. */
void json_known(struct madkit_buf *buf, const char *name, bool known, uint64_t value);
/* WHOLE.TENTHS, or WHOLE if tenths is 0. */
void json_tenths(struct madkit_buf *buf, const char *name, uint64_t whole, unsigned int tenths);
void json_hex(struct madkit_buf *buf, const char *name, uint64_t value, int digits);
void json_bool(struct madkit_buf *buf, const char *name, bool value);
void json_null(struct madkit_buf *buf, const char *name);

/* Initialises the buffer and opens an object; json_end() closes it and returns its text, which is the buffer's. NULL: out
 * of memory. */
void json_begin(struct madkit_buf *buf);
const char *json_end(struct madkit_buf *buf);

#endif
