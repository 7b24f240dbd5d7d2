/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Names of an attribute's fields in a record that embeds the attribute. */
#ifndef TESTS_ORACLE_EMBEDDED_H
#define TESTS_ORACLE_EMBEDDED_H

#include <errno.h>
#include <stdio.h>
#include <madkit/field.h>

/* madkit_place_find(), but a name that the record has as well is the embedded field's. */
static int embedded_find(const struct madkit_layout *layout, const char *name, size_t len,
			 struct madkit_place *place)
{
	int ret = madkit_place_find(layout, name, len, place, NULL);

	for (unsigned int i = 0; ret == -EEXIST && i < layout->nfields; i++) {
		char path[MADKIT_PATH_MAX];
		int n = snprintf(path, sizeof(path), "%s.%.*s", layout->fields[i].name, (int)len, name);

		if (layout->fields[i].kind == MADKIT_KIND_STRUCT)
			ret = madkit_place_find(layout, path, (size_t)n, place, NULL) ? -EEXIST : 0;
	}
	return ret;
}

#endif
