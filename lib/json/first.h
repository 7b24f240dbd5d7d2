/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The members that all lines of one table share: those of its first line are kept and compared. */
#ifndef JSON_FIRST_H
#define JSON_FIRST_H

#include <madkit/buf.h>
#include <madkit/error.h>
#include "json/tokens.h"

struct json_first {
	struct madkit_buf kept, other; /* JSON objects: of the first line and of the latest one */
	struct json_tokens tokens;     /* of kept */
};

/* Of record 0. 0, -ENOMEM. */
int first_keep(struct json_first *first, const struct json_token *line);

/* Of each further record: 0; -EINVAL, with error naming the key that differs; -ENOMEM. */
int first_check(struct json_first *first, const struct json_token *line, struct madkit_error *error);

void first_free(struct json_first *first);

#endif
