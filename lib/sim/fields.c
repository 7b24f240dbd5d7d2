/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <errno.h>
#include <string.h>
#include <madkit/mad.h>
#include <madkit/registry.h>
#include "sim/fields.h"

static const struct madkit_field *find(uint8_t mgmt_class, uint16_t id, 				       const char *name)
{
	const struct madkit_attribute *attribute =
		madkit_attribute_get(MADKIT_BASE_VERSION_IB, mgmt_class, id);

	for (unsigned int i = 0; attribute && i < attribute->layout->nfields; i++)
		if (!strcmp(attribute->layout->fields[i].name, name))
			return &attribute->layout->fields[i];
	return NULL;
}

int fields_find(struct fields *fields)
{
#define ROW(id, attribute, name) { attribute, name },
	static const struct {
		uint16_t attribute;
		const char *name;
	} rows[FIELDS] = { SUBN_FIELDS(ROW) PERF_FIELDS(ROW) };

	for (unsigned int i = 0; i < FIELDS; i++) {
		fields->of[i] = find(i < SUBN_FIELDS_END ? MADKIT_CLASS_SUBN :
				     MADKIT_CLASS_PERF, rows[i].attribute, rows[i].name);
		if (!fields->of[i])
			return -ENOENT;
	}
	return 0;
}
