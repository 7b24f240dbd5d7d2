/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What the two ways of writing a record's fields share: text.c walks, text_plan.c follows
 * a plan. */
#ifndef FORMAT_TEXT_INT_H
#define FORMAT_TEXT_INT_H

#include <madkit/format.h>
#include "expr/projection.h"
#include "format/path.h"

/* Where values begin, counted from 0. */
#define VALUE_COLUMN 33

struct text {
	struct madkit_buf *buf;
	const struct madkit_format *format;
	const struct madkit_record *record;
	const struct madkit_layout *layout; /* that is being walked */
	struct projection_view view;        /* ... and what is shown of it */
	struct path path;
	unsigned int rows; /* layouts deep within an array of ROWS */
};

/* "Name:......." */
void text_label(struct madkit_buf *buf, const char *name, size_t n);

/* An array of ROWS, in whole lines. */
void text_rows(struct text *t, const struct madkit_item *item);

/* The record's fields by the plan of its layout. False: that has none, or not all is there
 * or shown; nothing is written. */
bool text_planned(struct text *t);

#endif
