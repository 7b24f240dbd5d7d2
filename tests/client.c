/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A foreign program, built against the installed library: decodes the NodeType of a NodeInfo. Used by
 * "make installcheck". */
#include <madkit/madkit.h>
#include <stdio.h>
#include <string.h>

int main(void)
{
	uint8_t data[64] = { 0 };
	const struct madkit_attribute *attribute;
	struct madkit_error error;
	struct madkit_place place;
	uint8_t mgmt_class;
	uint16_t id;
	uint64_t value;

	if (madkit_attribute_find("NI", -1, &mgmt_class, &id, &attribute, &error) ||
	    madkit_set(attribute->layout, data, sizeof(data), "NodeType", "Switch", &place, &error)) {
		fprintf(stderr, "%s\n", error.text);
		return 1;
	}
	if (madkit_field_get(place.field, 0, data, sizeof(data), &value))
		return 1;
	return value != 2 || data[2] != 2 || id != 0x11;
}
