/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <errno.h>
#include <string.h>
#include <madkit/mad.h>
#include <madkit/registry.h>
#include "sim/fabric/fields.h"
#include "wire/layout.h"

static const struct madkit_layout *layout_of(uint8_t mgmt_class, uint16_t id)
{
	const struct madkit_attribute *attribute =
		madkit_attribute_get(MADKIT_BASE_VERSION_IB, mgmt_class, id);

	return attribute ? attribute->layout : NULL;
}

/* That which a notice of this trap has. */
static const struct madkit_layout *notice_layout(uint16_t trap)
{
	const struct madkit_attribute *attribute =
		madkit_attribute_get(MADKIT_BASE_VERSION_IB, MADKIT_CLASS_SUBN, MADKIT_ATTR_NOTICE);
	const struct madkit_field *generic, *number;
	uint8_t data[64] = { 0 };

	if (!attribute || !trap)
		return attribute ? attribute->layout : NULL;
	generic = layout_field(attribute->layout, "IsGeneric");
	number = layout_field(attribute->layout, "TrapNumber");
	if (!generic || !number)
		return NULL;
	madkit_field_put(generic, 0, data, sizeof(data), 1);
	madkit_field_put(number, 0, data, sizeof(data), trap);
	return madkit_attribute_layout(attribute, data, sizeof(data));
}

int fields_find(struct fields *fields)
{
#define SUBN(id, attribute, name) layout_field(layout_of(MADKIT_CLASS_SUBN, attribute), name),
#define PERF(id, attribute, name) layout_field(layout_of(MADKIT_CLASS_PERF, attribute), name),
#define SA(id, attribute, name)   layout_field(layout_of(MADKIT_CLASS_SA, attribute), name),
#define NOTICE(id, trap, name)    layout_field(notice_layout(trap), name),
	const struct madkit_field *const found[FIELDS] = { SUBN_FIELDS(SUBN) PERF_FIELDS(PERF) SA_FIELDS(SA)
								   NOTICE_FIELDS(NOTICE) };

	for (unsigned int i = 0; i < FIELDS; i++) {
		if (!found[i])
			return -ENOENT;
		fields->of[i] = found[i];
	}
	return 0;
}
