/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <string.h>
#include <madkit/sweep.h>
#include "port_values.h"

const struct madkit_value *port_values(const char *field)
{
	struct madkit_place place;

	return madkit_place_find(madkit_sweep_attribute()->layout, field, strlen(field), &place, NULL) ?
		       NULL :
		       place.field->values;
}

const char *port_value_name(const char *field, uint64_t value)
{
	const char *name = madkit_value_name(port_values(field), value);

	return name ? name : "unknown";
}
