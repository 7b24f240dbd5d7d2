/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The components of the SA's mask, and the bits of a layout, that a place covers. */
#include <errno.h>
#include <madkit/field.h>
#include "wire/tables/values.h"

/* Returns the number of elements from the place's index on. */
static unsigned int place_elements(const struct madkit_place *place)
{
	if (!place->whole)
		return 1;
	return place->elements ? place->elements : madkit_field_count(place->field);
}

uint64_t madkit_place_mask(const struct madkit_place *place)
{
	const struct madkit_field *field = place->field;
	unsigned int first, each, n;
	uint64_t mask = 0;

	if (!place->component || !field || field->kind == MADKIT_KIND_STRUCT)
		return 0;
	each
		= field->components ? field->components : 1;
	first = place->component - 1u + (place->whole ? 0 : place->index * each);
	n = place_elements(place) * each;
	for (; n; n--, first++)
		if (first < 64)
			mask |= UINT64_C(1) << first;
	return mask;
}

/* Visits the bits of the place byte by byte, to test or to set them. */
static bool place_bits(const struct madkit_place *place, const uint8_t *given, uint8_t *mark, size_t len)
{
	const struct madkit_field *field = place->field;
	unsigned int repeat = place->repeat ? place->repeat : 1;
	unsigned int begin = place->whole ? 0 : place->index;
	unsigned int end = begin + place_elements(place);

	for (unsigned int r = 0; r < repeat; r++) {
		for (unsigned int i = begin; i < end; i++) {
			size_t bit = place->base + (size_t)r * place->repeat_stride +
				     madkit_field_offset(field, i);
			size_t last = bit + field->width;

			while (bit < last && bit / 8 < len) {
				if (bit % 8 == 0 && last - bit >= 8) {
					if (!mark && given[bit / 8])
						return true;
					if (mark)
						mark[bit / 8] = 0xff;
					bit += 8;
					continue;
				}
				size_t n = 8 - bit % 8 < last - bit ? 8 - bit % 8 : last - bit;
				unsigned int mask = (0xffu >> (8 - n)) << (8 - bit % 8 - n);

				if (given[bit / 8] & mask && !mark)
					return true;
				if (mark)
					mark[bit / 8] |= (uint8_t)mask;
				bit += n;
			}
		}
	}
	return false;
}

bool madkit_place_given(const struct madkit_place *place, const uint8_t *given, size_t len)
{
	return place_bits(place, given, NULL, len);
}

void madkit_place_mark(const struct madkit_place *place, uint8_t *given, size_t len)
{
	place_bits(place, given, given, len);
}

/* ---- selectors -------------------------------------------------------------------- */

enum { SELECTOR_GREATER, SELECTOR_LESS, SELECTOR_EXACTLY, SELECTOR_BEST };

static uint64_t component_bit(const struct madkit_field *field)
{
	return field->component && field->component <= 64 ? UINT64_C(1) << (field->component - 1u) : 0;
}

/* Completes a condition, which is a selector and the value after it. */
static int component_select(const struct madkit_field *selector, const struct madkit_field *value,
			    uint8_t *data, size_t len, uint64_t *mask, struct madkit_error *error)
{
	uint64_t both = component_bit(selector) | component_bit(value), how;

	if (!(*mask & both) || (*mask & both) == both || madkit_field_get(selector, 0, data, len, &how))
		return 0;
	if (*mask & component_bit(value) && how == SELECTOR_GREATER)
		madkit_field_put(selector, 0, data, len, SELECTOR_EXACTLY);
	else if (*mask & component_bit(selector) && how != SELECTOR_BEST)
		return madkit_error_set(error, -EINVAL, -1, "%s needs a value: %s", selector->name,
					value->name);
	*mask |= both;
	return 0;
}

int madkit_select_components(const struct madkit_layout *layout, uint8_t *data, size_t len, uint64_t *mask,
			     struct madkit_error *error)
{
	uint64_t complete = *mask;

	for (unsigned int i = 0; i + 1 < layout->nfields; i++) {
		const struct madkit_field *f = &layout->fields[i];
		int ret = 0;

		if (f->values == madkit_values_selector || f->values == madkit_values_selector_time)
			ret = component_select(f, f + 1, data, len, &complete, error);
		if (ret)
			return ret;
	}
	*mask = complete;
	return 0;
}
