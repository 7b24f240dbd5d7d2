/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* text.c writes the text of a record. text_plan.c uses it to record plans of its fields, and executes
 * them. */
#ifndef FORMAT_TEXT_INT_H
#define FORMAT_TEXT_INT_H

#include <madkit/format.h>
#include "expr/projection.h"
#include "format/path.h"
#include "expr/plan.h"

/* The column in which values begin, counted from 0. */
#define VALUE_COLUMN 33

struct text {
	struct madkit_buf *buf;
	struct plan *plan; /* NULL, or the plan being recorded: buf is its text */
	const struct madkit_format *format;
	const struct madkit_record *record;
	const struct madkit_layout *layout; /* current layout */
	struct projection_view view;        /* ... and the part of it that is shown */
	const uint8_t *known;               /* ... and what has a value, as in struct madkit_record.known */
	struct path path;
	unsigned int rows; /* depth of layouts within an array of ROWS */
};

/* Writes the fields of a layout, one per line. */
void text_put_layout(struct text *t, enum name_scope scope, const struct madkit_layout *layout,
		     const uint8_t *base, size_t len);

/* Writes a record except for the fields of its layout. */
void text_put_record(struct text *t);

#endif
