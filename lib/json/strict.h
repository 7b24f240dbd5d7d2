/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What json-c takes and changes without a word: numbers beyond 64 bits become 2^64 - 1, of
 * two members of one name the last one stays, keys end at U+0000, halves of surrogate pairs
 * become U+FFFD. And UTF-8 that is none, which it does not see. */
#ifndef JSON_STRICT_H
#define JSON_STRICT_H

#include <json-c/json.h>
#include <madkit/error.h>

#define STRICT_DEPTH_MAX 16	/* of objects and arrays */

/* 0 if the line, which json-c has read as this object, has none of that; else -EINVAL. */
int strict_check(const char *line, size_t len, struct json_object *object,
		 struct madkit_error *error);

#endif
