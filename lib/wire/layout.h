/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef WIRE_LAYOUT_H
#define WIRE_LAYOUT_H

#include <string.h>
#include <madkit/field.h>

/* The layout's field with exactly this name; NULL: there is none. Both may be NULL. */
static inline const struct madkit_field *layout_field(const struct madkit_layout *layout, const char *name)
{
	for (unsigned int i = 0; layout && name && i < layout->nfields; i++)
		if (!strcmp(layout->fields[i].name, name))
			return &layout->fields[i];
	return NULL;
}

#endif
