/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <madkit/field.h>

uint64_t madkit_place_mask(const struct madkit_place *place)
{
	const struct madkit_field *field = place->field;
	unsigned int first, each, n;
	uint64_t mask = 0;

	if (!place->component || !field || field->kind == MADKIT_KIND_STRUCT)
		return 0;
	each = field->components ? field->components : 1;
	first = place->component - 1u + (place->whole ? 0 : place->index * each);
	n = place->whole ? madkit_field_count(field) * each : each;
	for (; n; n--, first++)
		if (first < 64)
			mask |= UINT64_C(1) << first;
	return mask;
}
