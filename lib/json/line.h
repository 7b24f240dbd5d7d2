/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Reading a line's members. Errors name the key: -EINVAL. */
#ifndef JSON_LINE_H
#define JSON_LINE_H

#include <madkit/buf.h>
#include <madkit/json_in.h>
#include "expr/envelope.h"
#include "json/tokens.h"
#include "util/nearest.h"

#define LINE_MESSAGE_MAX (64 << 20) /* bytes of a line, and of a message */

/* Whether the envelope has an entry of this key in the group; at its top, groups are entries. */
bool line_has_entry(enum envelope_group group, const struct json_token *key);

/* Refuses a key for a reason, with the nearest of the group's keys and of the words that nearest has compared.
 * Returns -EINVAL. */
int line_unknown(enum envelope_group group, const char *scope, const char *reason, struct nearest *nearest,
		 struct madkit_error *error);

/* A member that is there and not null. */
const struct json_token *line_member(const struct json_token *object, const char *key);

/* Its number, at most max; otherwise where there is none. */
int line_number(const struct json_token *object, const char *scope, const char *key, uint64_t max,
		uint64_t otherwise, uint64_t *number, struct madkit_error *error);

/* A string without U+0000, or NULL where there is none. */
int line_text(const struct json_token *object, const char *scope, const char *key, const char **text,
	      struct madkit_error *error);

/* The message's address. */
int line_remote(struct madkit_json_message *message, const struct json_token *line,
		struct madkit_error *error);

/* Makes the message at least that long, with zeros. 0, -EFBIG, -ENOMEM. */
int line_extend(struct madkit_buf *mad, size_t len);

/* The same for what a key says, which is refused (-EINVAL) where a MAD of the class is not
 * as long. */
int line_reach(struct madkit_buf *mad, size_t len, const char *scope, const char *key,
	       struct madkit_error *error);

/* Puts the line's rest, or NULL, into the message: bits that no field covers; a string that
 * rest has bytes of is those bytes alone. end: raised to where the last one ends. */
int line_rest(struct madkit_buf *mad, const struct json_token *rest, size_t *end, struct madkit_error *error);

#endif
