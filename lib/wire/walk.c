/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Visits a buffer field by field, and finds what no field covers. */
#include <errno.h>
#include <string.h>
#include <madkit/field.h>
#include "util/array_size.h"
#include "util/bits.h"
#include "wire/wire_int.h"

/* Returns how many elements of the field are wholly within len. */
static unsigned int walk_elements_within(const struct madkit_field *field, const uint8_t *base, size_t len)
{
	unsigned int count = field_elements(field, base, len);
	size_t bits = len * 8;
	size_t stride = field->stride ? field->stride : field->width;

	if (!count || field->offset + field->width > bits)
		return 0;
	if (!stride || count == 1) /* no division for most */
		return count;
	size_t fit = (bits - field->offset - field->width) / stride + 1;

	return fit < count ? (unsigned int)fit : count;
}

struct walk {
	madkit_visit visit;
	void *context;
};

static int walk_item(const struct walk *walk, enum madkit_walk_event event, uint32_t bit,
		     struct madkit_item *item)
{
	item->event = event;
	item->bit = bit;
	return walk->visit(walk->context, item);
}

static int walk_layout(const struct walk *walk, const struct madkit_layout *layout, const uint8_t *base,
		       size_t len, uint32_t bit, unsigned int depth);

/* Visits element n of a field. bit: of the layout that has the field. */
static int walk_element(const struct walk *walk, struct madkit_item *item, unsigned int n, uint32_t bit)
{
	const struct madkit_field *field = item->field;
	const uint32_t offset = madkit_field_offset(field, n);
	int ret;

	item->index = n;
	item->value = 0;
	if (field->kind != MADKIT_KIND_STRUCT) {
		if (field->width && field->width <= 64)
			item->value = bits_get(item->base, offset, field->width);
		return walk_item(walk, MADKIT_WALK_FIELD, bit + offset, item);
	}
	ret = walk_item(walk, MADKIT_WALK_STRUCT, bit + offset, item);
	if (!ret)
		ret = walk_layout(walk, field->sub, item->base + offset / 8, field->width / 8, bit + offset,
				  item->depth + 1);
	return ret ? ret : walk_item(walk, MADKIT_WALK_END, bit + offset, item);
}

static int walk_layout(const struct walk *walk, const struct madkit_layout *layout, const uint8_t *base,
		       size_t len, uint32_t bit, unsigned int depth)
{
	if (depth >= MADKIT_DEPTH_MAX)
		return -EINVAL;
	if (len > layout->bytes)
		len = layout->bytes;
	array_each(const struct madkit_field, field, layout->fields, layout->nfields) {
		struct madkit_item item = {
			.field = field,
			.depth = depth,
			.base = base,
			.len = len,
			.count = walk_elements_within(field, base, len),
		};
		int ret = 0;

		if (item.count < madkit_field_count(field) && !(field->flags & MADKIT_FIELD_VARIABLE)) {
			ret = walk_item(walk, MADKIT_WALK_TRUNCATED, bit + field->offset, &item);
			return ret ? ret : -ENODATA;
		}
		if (field->count)
			ret = walk_item(walk, MADKIT_WALK_ARRAY, bit + field->offset, &item);
		for (unsigned int n = 0; !ret && n < item.count; n++)
			ret = walk_element(walk, &item, n, bit);
		item.index = 0;
		if (!ret && field->count)
			ret = walk_item(walk, MADKIT_WALK_ARRAY_END, bit + field->offset, &item);
		if (ret)
			return ret;
	}
	return 0;
}

int madkit_walk(const struct madkit_layout *layout, const uint8_t *buf, size_t len, madkit_visit visit,
		void *context)
{
	const struct walk walk = { visit, context };

	return walk_layout(&walk, layout, buf, len, 0, 0);
}

static int walk_clear_named(void *context, const struct madkit_item *item)
{
	uint8_t *rest = context;
	uint32_t width = item->field->width;

	if (item->event != MADKIT_WALK_FIELD || item->field->kind == MADKIT_KIND_RESERVED)
		return 0;
	if (width > 64) /* GID, STRING, BYTES: whole bytes */
		memset(rest + item->bit / 8, 0, width / 8);
	else if (width)
		bits_put(rest, item->bit, width, 0);
	return 0;
}

size_t layout_rest(const struct madkit_layout *layout, const uint8_t *buf, size_t len, uint8_t *rest)
{
	size_t n = 0;

	memmove(rest, buf, len);
	madkit_walk(layout, buf, len, walk_clear_named, rest);
	for (size_t i = 0; i < len; i++)
		n += rest[i] != 0;
	return n;
}
