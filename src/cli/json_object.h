/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* JSON objects that are not messages: results of a command itself. */
#ifndef SRC_JSON_OBJECT_H
#define SRC_JSON_OBJECT_H

#include <stdbool.h>
#include <stdint.h>
#include <madkit/buf.h>

/* Each function appends "name":value, after a comma unless an object or array has just been opened. If name
 * is NULL, the value is an element of an array. */
void json_open(struct madkit_buf *buf, const char *name, char bracket);
void json_close(struct madkit_buf *buf, char bracket);
/* If value is NULL, appends null. */
void json_string(struct madkit_buf *buf, const char *name, const char *value);
void json_number(struct madkit_buf *buf, const char *name, uint64_t value);
/* Appends null if the value is not known. */
void json_known(struct madkit_buf *buf, const char *name, bool known, uint64_t value);
/* Appends WHOLE.TENTHS, or WHOLE if tenths is 0. */
void json_tenths(struct madkit_buf *buf, const char *name, uint64_t whole, unsigned int tenths);
void json_hex(struct madkit_buf *buf, const char *name, uint64_t value, int digits);
void json_bool(struct madkit_buf *buf, const char *name, bool value);
void json_null(struct madkit_buf *buf, const char *name);

/* json_begin() initialises the buffer and opens an object. json_end() closes the object and returns the text,
 * which the buffer owns; NULL: out of memory. */
void json_begin(struct madkit_buf *buf);
const char *json_end(struct madkit_buf *buf);

#endif
