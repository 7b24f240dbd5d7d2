/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* json.c writes a line. json_plan.c uses it to record plans, and executes them. */
#ifndef FORMAT_JSON_INT_H
#define FORMAT_JSON_INT_H

#include <madkit/format.h>
#include "expr/envelope.h"
#include "expr/projection.h"
#include "format/path.h"
#include "expr/plan.h"

struct json {
	struct madkit_buf *buf;
	struct plan *plan; /* NULL, or the plan being recorded: buf is its text */
	const struct madkit_format *format;
	const struct madkit_record *record;
	struct projection_view view; /* of the layout being walked */
	struct path path;
	uint32_t null_end; /* end of a structure of the port that is null, in bits */
	bool rest;         /* something may belong in "rest" */
	bool secrets;      /* secrets were omitted */
};

/* Write the parts of a line, each with a comma: everything before "data"; "data"; "rest", which is empty
 * unless any is set; "redacted" and the end of the line. */
void json_put_head(struct json *j);
void json_put_data(struct json *j);
void json_put_rest(struct json *j, bool any);
void json_put_end(struct json *j);

/* Writes the elements of "redacted", each with a comma. */
void json_redacted(struct json *j);

/* Writes a line without a plan. */
void json_put_line(struct json *j);

/* Reformats the line from begin to the end of the buffer as several lines. */
void json_indent(struct madkit_buf *buf, size_t begin);

#endif
