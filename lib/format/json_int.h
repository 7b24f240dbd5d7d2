/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* json.c describes a line; json_plan.c above it records plans by that and follows them. */
#ifndef FORMAT_JSON_INT_H
#define FORMAT_JSON_INT_H

#include <madkit/format.h>
#include "expr/envelope.h"
#include "expr/projection.h"
#include "format/path.h"
#include "expr/plan.h"

struct json {
	struct madkit_buf *buf;
	struct plan *plan; /* NULL, or what is recorded: buf is its text */
	const struct madkit_format *format;
	const struct madkit_record *record;
	struct projection_view view; /* of the layout being walked */
	struct path path;
	uint32_t null_end; /* end of a structure of the port that is null, in bits */
	bool rest;         /* something may have to go into "rest" */
	bool secrets;      /* something was left out */
};

/* The parts of a line, each with a comma: everything before "data"; "data"; "rest", which is empty unless any is
 * set; "redacted" and the end of the line. */
void json_put_head(struct json *j);
void json_put_data(struct json *j);
void json_put_rest(struct json *j, bool any);
void json_put_end(struct json *j);

/* What stands in "redacted", each with a comma. */
void json_redacted(struct json *j);

/* A line without a plan. */
void json_put_line(struct json *j);

/* Writes the line that begins there and ends the buffer anew, on several lines. */
void json_indent(struct madkit_buf *buf, size_t begin);

#endif
