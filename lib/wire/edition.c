/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Layouts that depend on an attribute's data: that of a Notice depends on the trap. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <madkit/registry.h>
#include "util/array_size.h"
#include "util/bits.h"
#include "util/word.h"
#include "wire/edition.h"
#include "wire/wire_int.h"

const struct madkit_layout *madkit_attribute_layout(const struct madkit_attribute *attribute,
						    const uint8_t *data, size_t len)
{
	uint8_t begin[8] = { 0 };
	uint64_t word;

	if (attribute->joined && len >= attribute->joined->bytes)
		return attribute->joined;
	if (!attribute->neditions)
		return attribute->layout;
	memcpy(begin, data, len < sizeof(begin) ? len : sizeof(begin));
	word = get_be64(begin);
	array_each(const struct madkit_edition, e, attribute->editions, attribute->neditions)
		if ((word & e->mask) >= e->first && (word & e->mask) <= e->last)
			return e->layout;
	return attribute->layout;
}

bool edition_selects(const struct madkit_edition *edition, const struct madkit_field *field, uint64_t *first,
		     uint64_t *last)
{
	unsigned int shift = 64 - field->offset - field->width;

	if (field->offset + field->width > 64 || field->count || field->width > 32 ||
	    (edition->mask >> shift & bits_mask(field->width)) != bits_mask(field->width))
		return false;
	*first = edition->first >> shift & bits_mask(field->width);
	*last = edition->last >> shift & bits_mask(field->width);
	return true;
}

void edition_text(const struct madkit_attribute *attribute, const struct madkit_edition *edition, char *buf,
		  size_t room)
{
	const struct madkit_layout *layout = attribute->layout;
	size_t used = 0;

	*buf = 0;
	array_each(const struct madkit_field, field, layout->fields, layout->nfields) {
		uint64_t first, last;

		if (used >= room || !edition_selects(edition, field, &first, &last))
			continue;
		used += (size_t)snprintf(buf + used, room - used, "%s%s=%" PRIu64, used ? " " : "",
					 field->name, first);
		if (last != first && used < room)
			used += (size_t)snprintf(buf + used, room - used, "-%" PRIu64, last);
	}
}

/* Reports which edition has a name that no layout so far has. */
static int edition_elsewhere(const struct madkit_attribute *attribute, const char *name, size_t len,
			     struct madkit_error *error)
{
	struct madkit_place place;
	char when[80];

	array_each(const struct madkit_edition, e, attribute->editions, attribute->neditions) {
		if (madkit_place_find(e->layout, name, len, &place, NULL))
			continue;
		edition_text(attribute, e, when, sizeof(when));
		return madkit_error_set(error, -ENOENT, 0, "%s has '%.*s' where %s", attribute->name,
					clip(len), name, when);
	}
	return -ENOENT;
}

int madkit_attribute_place(const struct madkit_attribute *attribute, const uint8_t *data, size_t len,
			   const char *name, size_t name_len, struct madkit_place *place,
			   struct madkit_error *error)
{
	const struct madkit_layout *in = data ? madkit_attribute_layout(attribute, data, len) :
						attribute->layout;
	int ret = madkit_place_find(in, name, name_len, place, NULL);

	if (ret == -ENOENT && in != attribute->layout) {
		in = attribute->layout;
		ret = madkit_place_find(in, name, name_len, place, NULL);
	}
	for (size_t i = 0; !data && ret == -ENOENT && layout_of_edition(attribute, i); i++) {
		in = layout_of_edition(attribute, i);
		ret = madkit_place_find(in, name, name_len, place, NULL);
	}
	/* the layout that has the name explains the error in its index */
	if (ret)
		madkit_place_find(ret == -ENOENT ? attribute->layout : in, name, name_len, place, error);
	if (ret == -ENOENT)
		edition_elsewhere(attribute, name, name_len, error);
	return ret;
}

int madkit_attribute_set(const struct madkit_attribute *attribute, uint8_t *data, size_t len,
			 const char *name, const char *text, struct madkit_place *place,
			 struct madkit_error *error)
{
	const struct madkit_layout *layout = madkit_attribute_layout(attribute, data, len);
	size_t n = strlen(name);
	struct madkit_place found;
	int ret = madkit_attribute_place(attribute, data, len, name, n, &found, error);

	if (ret)
		return ret;
	if (layout != attribute->layout && madkit_place_find(layout, name, n, &found, NULL) == -ENOENT)
		layout = attribute->layout;
	return madkit_set(layout, data, len, name, text, place, error);
}
