/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Reads the members of a line. Errors name the key and are -EINVAL. */
#ifndef JSON_LINE_H
#define JSON_LINE_H

#include <madkit/buf.h>
#include <madkit/json_in.h>
#include "expr/envelope.h"
#include "json/tokens.h"
#include "util/nearest.h"

#define LINE_MESSAGE_MAX (64 << 20) /* bytes of a line, and of a message */

/* Checks if the envelope has an entry with this key in the group. At the top, groups are entries. */
bool line_has_entry(enum envelope_group group, const struct json_token *key);

/* Rejects a key for a reason, and suggests the nearest key of the group or word that nearest has compared.
 * Returns -EINVAL. */
int line_unknown(enum envelope_group group, const char *scope, const char *reason, struct nearest *nearest,
		 struct madkit_error *error);

/* Returns a member, or NULL if it is missing or null. */
const struct json_token *line_member(const struct json_token *object, const char *key);

/* Gets the number of a member, at most max, or otherwise if it is missing. */
int line_number(const struct json_token *object, const char *scope, const char *key, uint64_t max,
		uint64_t otherwise, uint64_t *number, struct madkit_error *error);

/* Gets a string without U+0000, or NULL if it is missing. */
int line_text(const struct json_token *object, const char *scope, const char *key, const char **text,
	      struct madkit_error *error);

/* Reads the address of the message. */
int line_remote(struct madkit_json_message *message, const struct json_token *line,
		struct madkit_error *error);

/* Extends the message with zeros to at least this length. Returns 0, -EFBIG or -ENOMEM. */
int line_extend(struct madkit_buf *mad, size_t len);

/* The same for the value of a key, which is rejected (-EINVAL) if a MAD of the class cannot be that long. */
int line_reach(struct madkit_buf *mad, size_t len, const char *scope, const char *key,
	       struct madkit_error *error);

/* Writes the line's rest (or NULL) into the message: bits that no field covers. If rest has bytes of a
 * string, the string consists only of these. Raises *end to the end of the last byte. */
int line_rest(struct madkit_buf *mad, const struct json_token *rest, size_t *end, struct madkit_error *error);

#endif
