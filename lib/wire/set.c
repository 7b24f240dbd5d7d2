/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Converts text to the bits of a field: the inverse of a walk. */
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <madkit/addr.h>
#include <madkit/field.h>
#include "util/bits.h"
#include "util/hex.h"
#include "util/word.h"
#include "wire/unit.h"
#include "wire/wire_int.h"

static size_t set_common_end(const char *a, const char *b)
{
	size_t len_a = strlen(a), len_b = strlen(b), n = 0;

	while (n < len_a && n < len_b && a[len_a - 1 - n] == b[len_b - 1 - n])
		n++;
	return n;
}

/* Finds another field of the layout, of the same kind, that has a value or a bit of this name: CounterSelect2
 * for CounterSelect. If there are several, returns the one with the most similar end of its name:
 * LinkSpeedExtEnabled for LinkSpeedEnabled. NULL: none. */
static const struct madkit_field *set_field_with(const struct madkit_layout *layout,
						 const struct madkit_field *asked, const char *text,
						 size_t len)
{
	const struct madkit_field *found = NULL;
	uint64_t value;

	for (unsigned int i = 0; layout && i < layout->nfields; i++) {
		const struct madkit_field *field = &layout->fields[i];

		if (field != asked && field->kind == asked->kind && field->values &&
		    !madkit_value_find(field->values, text, len, &value) &&
		    (!found ||
		     set_common_end(field->name, asked->name) > set_common_end(found->name, asked->name)))
			found = field;
	}
	return found;
}

/* layout: of the field, or NULL. */
static int names_or_number(const struct madkit_layout *layout, const struct madkit_field *field,
			   const char *text, size_t len, uint64_t *value, struct madkit_error *error)
{
	uint64_t max = bits_mask(field->width);
	int ret = madkit_parse_number(text, len, max, field->name, value, NULL);

	/* a name may look like a number that is too large: an MTU of 2048 */
	if (ret && !madkit_value_find(field->values, text, len, value))
		return 0;
	if (ret == -ERANGE)
		return madkit_parse_number(text, len, max, field->name, value, error);
	if (ret && error) {
		size_t n = 0;
		const struct madkit_value *v = field->values;
		const struct madkit_field *other = set_field_with(layout, field, text, len);
		char known[120] = "";

		if (other)
			return madkit_error_set(error, -EINVAL, 0,
						"%s: '%.*s' is a name of another field: use %s=%.*s",
						field->name, clip(len), text, other->name, clip(len), text);
		/* the short names, which are easier to type: FDR, not 14.0625 Gbps */
		for (; v && v->name; v++) {
			const char *name = v->alias ? v->alias : v->name;

			if (n + strlen(name) + 3 >= sizeof(known))
				break;
			n += (size_t)snprintf(known + n, sizeof(known) - n, "%s%s", n ? ", " : "", name);
		}
		return madkit_error_set(error, -EINVAL, 0,
					"%s: '%.*s' is neither a number nor one of its names%s%s%s",
					field->name, clip(len), text, known[0] ? ": " : "", known,
					v && v->name ? " ..." : "");
	}
	return ret;
}

/* Returns every bit that has a name or, if none has one, every bit. */
static uint64_t bits_all(const struct madkit_field *field)
{
	uint64_t all = 0;

	for (const struct madkit_value *v = field->values; v && v->name; v++)
		all |= v->value;
	return all ? all : bits_mask(field->width);
}

static int bit_names(const struct madkit_layout *layout, const struct madkit_field *field, const char *text,
		     size_t len, uint64_t *value, struct madkit_error *error)
{
	const size_t whole = len;
	uint64_t sum = 0;

	while (len) {
		size_t n = 0;
		uint64_t one;

		while (n < len && text[n] != '|' && text[n] != ',')
			n++;
		/* alternatives may exclude each other */
		if (!(field->flags & MADKIT_FIELD_ALTERNATIVES) && names_have("all", text, n)) {
			if (n < whole)
				return madkit_error_set(error, -EINVAL, -1,
							"%s: 'all' includes every other name", field->name);
			one = bits_all(field);
		} else {
			int ret = names_or_number(layout, field, text, n, &one, error);

			if (ret)
				return ret;
		}
		sum |= one;
		text += n;
		len -= n;
		if (len) {
			text++;
			len--;
			if (!len)
				return madkit_error_set(error, -EINVAL, -1,
							"%s: nothing follows the last separator",
							field->name);
		}
	}
	*value = sum;
	return 0;
}

/* field_parse() for a field with a known layout (NULL: unknown). */
static int set_parse(const struct madkit_layout *layout, const struct madkit_field *field, const char *text,
		     size_t len, uint64_t *value, struct madkit_error *error)
{
	if (!field->width || field->width > 64)
		return madkit_error_set(error, -EINVAL, 0, "%s is not a number", field->name);
	if (!len)
		return madkit_error_set(error, -EINVAL, 0, "%s: the value is empty", field->name);
	switch (field->kind) {
	case MADKIT_KIND_BITS:
		return bit_names(layout, field, text, len, value, error);
	case MADKIT_KIND_ENUM:
		return names_or_number(layout, field, text, len, value, error);
	default:
		if (field->values)
			return names_or_number(layout, field, text, len, value, error);
		/* a mistyped secret is almost the secret: do not show it */
		if (madkit_field_is_secret(field))
			return madkit_parse_number(text, len, bits_mask(field->width), field->name, value,
						   NULL) ?
				       madkit_error_set(
					       error, -EINVAL, 0,
					       "%s is not a number of at most %u bits (the value is not shown)",
					       field->name, (unsigned int)field->width) :
				       0;
		return madkit_parse_number(text, len, bits_mask(field->width), field->name, value, error);
	}
}

int field_parse(const struct madkit_field *field, const char *text, size_t len, uint64_t *value,
		struct madkit_error *error)
{
	return set_parse(NULL, field, text, len, value, error);
}

/*
 * Reads text into out as the bytes of the element (width / 8), for kinds that are wider than a number.
 */
static int set_wide(const struct madkit_field *field, const char *text, size_t len, uint8_t *out,
		    struct madkit_error *error)
{
	size_t bytes = field->width / 8, bad = 0;
	char gid[MADKIT_GID_TEXT_MAX];
	int ret;

	switch (field->kind) {
	case MADKIT_KIND_GID:
		if (len >= sizeof(gid))
			return madkit_error_set(error, -EINVAL, 0, "%s: '%.*s' is not an IPv6 address",
						field->name, clip(len), text);
		memcpy(gid, text, len);
		gid[len] = 0;
		return madkit_parse_gid(gid, out, error);
	case MADKIT_KIND_STRING:
		if (len > bytes)
			return madkit_error_set(error, -ERANGE, (int)bytes,
						"%s: the text has %zu bytes: at most %zu", field->name, len,
						bytes);
		memcpy(out, text, len);
		memset(out + len, field->flags & MADKIT_FIELD_BLANKS && len ? ' ' : 0, bytes - len);
		return 0;
	default:
		if (len > 2 && text[0] == '0' && (text[1] | 0x20) == 'x') {
			text += 2;
			len -= 2;
		}
		ret = hex_decode(text, len, out, bytes, &bad);
		if (ret == -ERANGE)
			return madkit_error_set(error, ret, 0, "%s: %zu bytes of hex: at most %zu",
						field->name, len / 2, bytes);
		if (ret < 0 && madkit_field_is_secret(field))
			return madkit_error_set(
				error, ret, (int)bad,
				"%s is not hex, an even number of digits (the value is not shown)",
				field->name);
		if (ret < 0)
			return madkit_error_set(error, ret, (int)bad,
						"%s: '%.*s' is not hex (an even number of digits)",
						field->name, clip(len), text);
		memset(out + ret, 0, bytes - (size_t)ret);
		return 0;
	}
}

/* The widest field that is not a number: 432 bits of Notice data, 216 bytes of
 * vendor data, 232 of a whole class; a whole OPA MAD is the bound. */
#define WIDE_MAX 2048

/* The data of a layout. */
struct set_data {
	uint8_t *base;
	size_t room;
	bool check; /* do not change it */
};

/* Reads one element, and puts it into the data. */
static int set_element(const struct madkit_layout *layout, const struct madkit_field *field,
		       unsigned int index, const char *text, size_t len, const struct set_data *data,
		       struct madkit_error *error)
{
	uint32_t offset = madkit_field_offset(field, index);
	uint8_t wide[WIDE_MAX];
	uint64_t value;
	int ret;

	if (((size_t)offset + field->width + 7) / 8 > data->room)
		return madkit_error_set(error, -ENODATA, -1, "%s lies beyond the end of the data",
					field->name);
	if (field->kind == MADKIT_KIND_STRING || field->width > 64 || field->kind == MADKIT_KIND_BYTES) {
		if (field->width % 8 || offset % 8 || field->width / 8 > WIDE_MAX)
			return madkit_error_set(error, -EINVAL, -1, "%s cannot be set from text",
						field->name);
		ret = set_wide(field, text, len, wide, error);
		if (!ret && !data->check)
			memcpy(data->base + offset / 8, wide, field->width / 8);
		return ret;
	}
	if (unit_is_decimal(field))
		ret = unit_parse(field, data->base, data->room, text, len, &value, error);
	else
		ret = set_parse(layout, field, text, len, &value, error);
	if (!ret && !data->check)
		bits_put(data->base, offset, field->width, value);
	return ret;
}

/* Sets elements that are separated by ','. *count: their number. */
static int array_set(const struct madkit_field *field, const char *text, uint16_t *count,
		     const struct set_data *data, struct madkit_error *error)
{
	for (unsigned int i = 0;; i++) {
		size_t n = strcspn(text, ",");
		int ret;

		if (i >= field->count)
			return madkit_error_set(error, -ERANGE, -1,
						"%s has %u elements: '%.64s' is one too many", field->name,
						field->count, text);
		ret = set_element(NULL, field, i, text, n, data, error);
		if (ret)
			return ret;
		*count = (uint16_t)(i + 1);
		if (!text[n])
			return 0;
		text += n + 1;
	}
}

int place_set(const struct madkit_layout *layout, struct madkit_place *place, uint8_t *buf, size_t len,
	      const char *text, struct madkit_error *error)
{
	const size_t skip = place->base / 8;
	const size_t room = len > skip ? len - skip : 0;
	const struct set_data data = { buf + skip, room, false }, check = { buf + skip, room, true };
	int ret;

	if (!place->whole)
		return set_element(layout, place->field, place->index, text, strlen(text), &data, error);
	ret = array_set(place->field, text, &place->elements, &check, error);
	if (!ret)
		array_set(place->field, text, &place->elements, &data, NULL);
	return ret;
}

int madkit_set(const struct madkit_layout *layout, uint8_t *buf, size_t len, const char *name,
	       const char *text, struct madkit_place *told, struct madkit_error *error)
{
	struct madkit_place place;
	int ret = madkit_place_find(layout, name, strlen(name), &place, error);

	if (ret)
		return ret;
	if (!place_is_field(&place))
		return madkit_error_set(error, -EINVAL, 0,
					"'%.80s' is not one field: name one, as in %.80s%s", name, place.path,
					place.repeat ? " with an index [N]" : ".FIELD");
	ret = place_set(layout, &place, buf, len, text, error);
	if (!ret && told)
		*told = place;
	return ret;
}
