/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What formats ask of a projection. All take NULL, which chooses all. */
#ifndef EXPR_PROJECTION_H
#define EXPR_PROJECTION_H

#include <madkit/expr.h>
#include "expr/name.h"

/* Whether an entry of the envelope is shown. */
bool projection_entry(const struct madkit_projection *p, enum envelope_id id);

/* Whether an object of the line is: anything in it, or the whole. */
bool projection_group(const struct madkit_projection *p, const char *name);

/* Whether the port of a line is; own: its fields are also the line's data. */
bool projection_port(const struct madkit_projection *p, bool own);

/*
 * The fields of a layout in a scope (header, rmpp, port, data): asked once a layout,
 * then for each item of a walk.
 */
struct projection_view {
	const struct madkit_projection *p;
	const struct madkit_layout *layout;
	const struct bound *bound; /* as bindings_get() said */
	enum name_scope scope;
	bool whole;
	bool own; /* the layout is also that of the data: names of data choose as well */
};

void projection_view(const struct madkit_projection *p, enum name_scope scope,
		     const struct madkit_layout *layout, struct projection_view *view);

/* Whether the item is shown: a field or element if it is chosen or lies in
 * what is; an array or nested layout also if something in it is. */
bool projection_item(const struct projection_view *view, const struct madkit_item *item);

#endif
