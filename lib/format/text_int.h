/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* text.c describes a record's text; text_plan.c above it records plans of its fields by that and follows them. */
#ifndef FORMAT_TEXT_INT_H
#define FORMAT_TEXT_INT_H

#include <madkit/format.h>
#include "expr/projection.h"
#include "format/path.h"
#include "expr/plan.h"

/* Where values begin, counted from 0. */
#define VALUE_COLUMN 33

struct text {
	struct madkit_buf *buf;
	struct plan *plan; /* NULL, or what is recorded: buf is its text */
	const struct madkit_format *format;
	const struct madkit_record *record;
	const struct madkit_layout *layout; /* that is being walked */
	struct projection_view view;        /* ... and what is shown of it */
	const uint8_t *known;               /* ... and what has a value, as struct madkit_record.known */
	struct path path;
	unsigned int rows; /* layouts deep within an array of ROWS */
};

/* The fields of a layout, each on a line. */
void text_put_layout(struct text *t, enum name_scope scope, const struct madkit_layout *layout,
		     const uint8_t *base, size_t len);

/* All of a record but the fields of its layout. */
void text_put_record(struct text *t);

#endif
