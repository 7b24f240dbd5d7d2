/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Lines of JSON to the MAD that they came from, by a reader that is not the library's. */
#ifndef UNIT_REBUILD_H
#define UNIT_REBUILD_H

#include <stdbool.h>
#include <json.h>
#include <madkit/madkit.h>

#define REBUILD_MAX 20000

extern uint8_t rebuild_mad[REBUILD_MAX + 256];     /* begin with zeros */
extern const struct madkit_attribute *rebuild_row; /* of several in the tables, or NULL */
extern char rebuild_why[400];                      /* the first failure */

/* Notes it; false. */
bool rebuild_fail(const char *what, const char *name);

/* Puts a line of a message of len bytes into the MAD. */
bool rebuild_line(struct json_object *line, size_t len);

#endif
