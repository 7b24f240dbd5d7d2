/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Refuses what json-c changes silently: numbers beyond 64 bits become 2^64 - 1, the last of several
 * members of one name replaces the others, keys end at U+0000, halves of surrogate pairs become
 * U+FFFD. Also refuses invalid UTF-8, which json-c does not detect. */
#ifndef JSON_STRICT_H
#define JSON_STRICT_H

#include <json-c/json.h>
#include <madkit/error.h>
#include "json/grammar.h"

/* 0 if the line has none of that outside its tag; else -EINVAL. object: the line as json-c read it,
 * with null for the tag's value. */
int strict_check(const char *line, size_t len, const struct grammar_tag *tag,
		 struct json_object *object, struct madkit_error *error);

#endif
