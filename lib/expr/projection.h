/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Queries that output formats make to a projection. NULL selects everything. */
#ifndef EXPR_PROJECTION_H
#define EXPR_PROJECTION_H

#include <madkit/expr.h>
#include "expr/name.h"

/* Returns the names as they were written; NULL without a projection. */
const char *projection_text(const struct madkit_projection *p);

/* Checks if an entry of the envelope is shown. */
bool projection_entry(const struct madkit_projection *p, enum envelope_id id);

/* Checks if an object of the line is shown, in whole or in part. */
bool projection_group(const struct madkit_projection *p, const char *name);

/* Checks if the port of a line is shown. own: its fields are also the line's data. */
bool projection_port(const struct madkit_projection *p, bool own);

/*
 * The fields of a layout that are shown in a scope (header, rmpp, port, data). Created once for each layout,
 * then used for each item of a walk.
 */
struct projection_view {
	const struct madkit_projection *p;
	const struct madkit_layout *layout;
	const struct bound *bound; /* result of bindings_get() */
	enum name_scope scope;
	bool whole;
	bool own; /* the layout is also that of the data: names of data select as well */
};

void projection_view(const struct madkit_projection *p, enum name_scope scope,
		     const struct madkit_layout *layout, struct projection_view *view);

/* Checks if the item is shown. A field or element is shown if it is selected or part of a selection; an array
 * or nested layout also if something in it is selected. */
bool projection_item(const struct projection_view *view, const struct madkit_item *item);

#endif
