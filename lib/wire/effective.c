/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Quantities that have grown out of their field: the fields that were added later take precedence. */
#include <string.h>
#include "wire/effective.h"

static const struct madkit_field *effective_field(const struct madkit_layout *layout, const char *name)
{
	unsigned int i = 0;

	while (i < layout->nfields && strcmp(layout->fields[i].name, name))
		i++;
	return i < layout->nfields ? &layout->fields[i] : NULL;
}

const struct madkit_value *effective_item(const struct madkit_layout *layout, struct madkit_item *item)
{
	const struct madkit_value *names = NULL;

	for (unsigned int i = 0; i < layout->neffective; i++) {
		const struct madkit_effective *e = &layout->effective[i];
		const struct madkit_field *newer = names ? effective_field(layout, e->field) : NULL;
		uint64_t value;

		if (!names && !strcmp(e->field, item->field->name)) {
			names = e->names;
		} else if (newer && !madkit_field_get(newer, 0, item->base, item->len, &value) && value) {
			names = e->names;
			item->bit = item->bit - item->field->offset + newer->offset;
			item->field = newer;
			item->value = value;
		}
	}
	return names;
}
