/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What the two ways of writing a line share: json.c walks, json_plan.c follows a plan. */
#ifndef FORMAT_JSON_INT_H
#define FORMAT_JSON_INT_H

#include <madkit/format.h>
#include "expr/envelope.h"
#include "expr/projection.h"
#include "format/path.h"

struct json {
	struct madkit_buf *buf;
	const struct madkit_format *format;
	const struct madkit_record *record;
	struct projection_view view; /* of the layout being walked */
	struct path path;
	bool rest;    /* something may have to go into "rest" */
	bool secrets; /* something was left out */
};

/* "key":value, of each entry from first to last. */
void json_entries(struct json *j, enum envelope_id first, enum envelope_id last);

/* What stands beside a value, and a comma: its name, its bits' names, its bytes. */
void json_companion(struct madkit_buf *buf, const struct madkit_field *field, uint64_t value);

/* What stands in "redacted", each with a comma. */
void json_redacted(struct json *j);

/* A planned line's beginning, up to the header. */
void json_envelope(struct json *j);

/* The line by the plan of its shape. False: it is none of those that have one, nothing
 * is written. */
bool json_planned(struct json *j);

#endif
