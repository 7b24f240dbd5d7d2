/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Checked access to fields by constants. */
#include <errno.h>
#include <string.h>
#include <madkit/field.h>
#include "wire/access.h"

/* Gets the field of a constant. Returns 0, or an error if the constant is not one field. */
static int access_field(uint64_t field, struct madkit_field *found)
{
	*found = (struct madkit_field){ .offset = at_offset(field), .width = at_width(field) };
	if (!found->width)
		return -ERANGE;
	return at_count(field) ? -EINVAL : 0;
}

int madkit_get(const uint8_t *data, size_t len, uint64_t field, uint64_t *value)
{
	struct madkit_field found;
	int ret = access_field(field, &found);

	return ret ? ret : madkit_field_get(&found, 0, data, len, value);
}

int madkit_put(uint8_t *data, size_t len, uint64_t field, uint64_t value)
{
	struct madkit_field found;
	int ret = access_field(field, &found);

	return ret ? ret : madkit_field_put(&found, 0, data, len, value);
}

/* Gets the place of a field of whole bytes, if it is within len. */
static int access_bytes(uint64_t field, size_t len, size_t *at, size_t *size)
{
	struct madkit_field found;
	int ret = access_field(field, &found);

	if (ret)
		return ret;
	if (found.offset % 8 || found.width % 8)
		return -EINVAL;
	*at = found.offset / 8;
	*size = found.width / 8;
	return *at > len || *size > len - *at ? -ENODATA : 0;
}

int madkit_get_bytes(const uint8_t *data, size_t len, uint64_t field, void *bytes, size_t size)
{
	size_t at, n;
	int ret = access_bytes(field, len, &at, &n);

	if (ret)
		return ret;
	if (size != n)
		return -ERANGE;
	memcpy(bytes, data + at, n);
	return 0;
}

int madkit_put_bytes(uint8_t *data, size_t len, uint64_t field, const void *bytes, size_t size)
{
	size_t at, n;
	int ret = access_bytes(field, len, &at, &n);

	if (ret)
		return ret;
	if (size > n)
		return -ERANGE;
	if (size)
		memcpy(data + at, bytes, size);
	memset(data + at + size, 0, n - size);
	return 0;
}

uint64_t madkit_component(uint64_t field)
{
	unsigned int component = at_component(field);
	unsigned int n = (at_count(field) ? at_count(field) : 1) << (field >> 63);

	if (!component || component > 64)
		return 0;
	return bits_mask(n < 65 - component ? n : 65 - component) << (component - 1);
}
