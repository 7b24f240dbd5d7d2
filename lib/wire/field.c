/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Access to one element of one field; names of values. */
#include <errno.h>
#include <strings.h>
#include <string.h>
#include <madkit/field.h>
#include "util/array_size.h"
#include "util/bits.h"
#include "wire/wire_int.h"

unsigned int madkit_field_count(const struct madkit_field *field)
{
	return field->count ? field->count : 1;
}

uint32_t madkit_field_offset(const struct madkit_field *field, unsigned int index)
{
	uint32_t stride = field->stride ? field->stride : field->width;

	return field->offset + index * stride;
}

unsigned int field_elements(const struct madkit_field *field, const uint8_t *base, size_t len)
{
	const unsigned int count = madkit_field_count(field);
	uint64_t counted;

	if (!field->counted_width || (field->counted + field->counted_width + 7u) / 8 > len)
		return count;
	counted = bits_get(base, field->counted, field->counted_width);
	return counted < count ? (unsigned int)counted : count;
}

/* Gets where the element begins, in bits, if it is a number and is within len. */
static int number_place(const struct madkit_field *field, unsigned int index, size_t len, uint32_t *offset)
{
	if (!field->width || field->width > 64)
		return -EINVAL;
	if (index >= madkit_field_count(field))
		return -ERANGE;
	*offset = madkit_field_offset(field, index);
	if (((size_t)*offset + field->width + 7) / 8 > len)
		return -ENODATA;
	return 0;
}

int madkit_field_get(const struct madkit_field *field, unsigned int index, const uint8_t *base, size_t len,
		     uint64_t *value)
{
	uint32_t offset;
	int ret = number_place(field, index, len, &offset);

	if (!ret)
		*value = bits_get(base, offset, field->width);
	return ret;
}

int madkit_field_put(const struct madkit_field *field, unsigned int index, uint8_t *base, size_t len,
		     uint64_t value)
{
	uint32_t offset;
	int ret = number_place(field, index, len, &offset);

	if (ret)
		return ret;
	if (value > bits_mask(field->width))
		return -ERANGE;
	bits_put(base, offset, field->width, value);
	return 0;
}

bool layout_has_secrets(const struct madkit_layout *layout)
{
	array_each(const struct madkit_field, field, layout->fields, layout->nfields)
		if (madkit_field_is_secret(field) || (field->sub && layout_has_secrets(field->sub)))
			return true;
	return false;
}

const char *madkit_value_name(const struct madkit_value *values, uint64_t value)
{
	for (; values && values->name; values++)
		if (values->value == value)
			return values->name;
	return NULL;
}

int madkit_value_find(const struct madkit_value *values, const char *name, size_t len, uint64_t *value)
{
	for (; values && values->name; values++) {
		const char *alias = values->alias ? values->alias : values->name;

		if ((strlen(values->name) == len && !strncasecmp(values->name, name, len)) ||
		    (strlen(alias) == len && !strncasecmp(alias, name, len))) {
			*value = values->value;
			return 0;
		}
	}
	return -ENOENT;
}

int madkit_value_magnitude(const struct madkit_value *values, uint64_t value, uint64_t *magnitude)
{
	for (const struct madkit_value *v = values; v && v->name; v++) {
		if (!v->magnitude || (magnitude && v->value != value))
			continue;
		if (magnitude)
			*magnitude = v->magnitude;
		return 0;
	}
	return -ENOENT;
}
