/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Finds the place of a dotted name. */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <madkit/num.h>
#include <madkit/field.h>
#include "util/array_size.h"
#include "util/word.h"

/* nested: a dot follows the name, so that only a nested layout can be meant. */
static const struct madkit_field *field_find(const struct madkit_layout *layout, const char *word, size_t len,
					     bool nested)
{
	array_each(const struct madkit_field, field, layout->fields, layout->nfields)
		if (field->kind != MADKIT_KIND_RESERVED && (!nested || field->kind == MADKIT_KIND_STRUCT) &&
		    (names_is(field->name, word, len) || names_have(field->alias, word, len)))
			return field;
	array_each(const struct madkit_field, span, layout->spans, nested ? 0 : layout->nspans)
		if (names_is(span->name, word, len))
			return span;
	return NULL;
}

/* Finds "Name3", if text uses such names for the elements of an array. */
static const struct madkit_field *place_find_numbered(const struct madkit_layout *layout, const char *word,
						      size_t len, bool nested, uint64_t *index)
{
	const struct madkit_field *field;
	size_t n = len;

	while (n && word[n - 1] >= '0' && word[n - 1] <= '9')
		n--;
	if (n == len || (word[n] == '0' && n + 1 < len))
		return NULL;
	field = field_find(layout, word, n, nested);
	if (!field || !(field->flags & MADKIT_FIELD_NUMBERED) ||
	    madkit_parse_number(word + n, len - n, field->count - 1u, "index", index, NULL))
		return NULL;
	return field;
}

/* Adds a part and its index to the canonical name, which begins with n characters. A name that is too long is cut. */
static void path_add(struct madkit_place *place, size_t n, const struct madkit_field *field, int index)
{
	size_t room = sizeof(place->path), len = strlen(field->name);

	if (n && n + 2 < room)
		place->path[n++] = '.';
	len = n + len < room ? len : room - n - 1;
	memcpy(place->path + n, field->name, len);
	n += len;
	place->path[n] = 0;
	if (index >= 0)
		snprintf(place->path + n, room - n, "[%d]", index);
}

/*
 * Finds one part of a dotted name, "Name", "Name[3]" or "Name3", and moves place to it. Returns the length
 * that was read, or -ENOENT, -ERANGE or -EINVAL.
 */
static int part_find(const struct madkit_layout *layout, const char *name, size_t len,
		     struct madkit_place *place, struct madkit_error *error)
{
	const char *dot = memchr(name, '.', len);
	size_t part = dot ? (size_t)(dot - name) : len;
	const char *bracket = memchr(name, '[', part);
	size_t word = bracket ? (size_t)(bracket - name) : part;
	const struct madkit_field *field = field_find(layout, name, word, dot);
	bool indexed = bracket;
	uint64_t index = 0;

	if (!field && !bracket) {
		field = place_find_numbered(layout, name, part, dot, &index);
		indexed = field;
	}
	if (!field)
		return -ENOENT;
	if (bracket) {
		size_t digits = part - word - 2;
		int ret;

		if (part < word + 3 || name[part - 1] != ']' || !field->count)
			return madkit_error_set(error, -EINVAL, (int)word, "'%.*s': %s", (int)part, name,
						field->count ? "an index looks like [3]" :
							       "the field is not an array");
		ret = madkit_parse_number(bracket + 1, digits, field->count - 1u, "index", &index, error);
		if (ret)
			return ret;
	}
	place->base += place->field ? madkit_field_offset(place->field, place->index) : 0;
	if (place->field && place->field->component && field->component)
		place->component = (uint16_t)(place->component + field->component);
	else if (!place->field)
		place->component = field->component;
	else
		place->component = 0;
	place->field = field;
	place->index = (uint16_t)index;
	place->whole = field->count && !indexed;
	if (field->counted_width) {
		place->counted = field;
		place->counted_index = place->index;
	}
	path_add(place, strlen(place->path), field, indexed ? (int)index : -1);
	return (int)part;
}

/* If the place is a whole array of structures, the next part is in each of them. */
static void place_repeat(struct madkit_place *place)
{
	if (!place->whole)
		return;
	place->repeat = place->field->count;
	place->repeat_stride = madkit_field_offset(place->field, 1) - place->field->offset;
	place->whole = 0;
}

/* Finds a whole dotted name in layout. Returns 0, or the errors of part_find(). */
static int place_find_dotted(const struct madkit_layout *layout, const char *name, size_t len,
			     struct madkit_place *place, struct madkit_error *error)
{
	for (;;) {
		int part = part_find(layout, name, len, place, error);

		if (part < 0)
			return part;
		if ((size_t)part == len)
			return 0;
		name += part + 1;
		len -= (size_t)part + 1;
		if (place->field->kind != MADKIT_KIND_STRUCT)
			return -ENOENT;
		place_repeat(place);
		layout = place->field->sub;
	}
}

/* Fields that a short name may mean, while they are being counted. */
struct candidates {
	const char *name;
	size_t len;
	struct madkit_place first;
	unsigned int n;
	char list[120]; /* full names, as many as fit */
	size_t used;
	bool cut;
};

static void candidates_add(struct candidates *c, const struct madkit_place *place)
{
	int n;

	if (!c->n++)
		c->first = *place;
	n = snprintf(c->list + c->used, sizeof(c->list) - c->used, "%s%s", c->used ? ", " : "", place->path);
	c->cut |= n < 0 || (size_t)n >= sizeof(c->list) - c->used;
	c->used += c->cut ? 0 : (size_t)n;
	c->list[c->used] = 0;
}

/*
 * Adds every field that has the name in the layouts nested in this one, at any depth. Returns 0, or the
 * errors of part_find().
 */
static int place_find_nested(const struct madkit_layout *layout, const struct madkit_place *outer,
			     unsigned int depth, struct candidates *c, struct madkit_error *error)
{
	array_each(const struct madkit_field, field, layout->fields, layout->nfields) {
		struct madkit_place here = *outer, there;
		int ret;

		if (field->kind != MADKIT_KIND_STRUCT || depth >= MADKIT_DEPTH_MAX)
			continue;
		ret = part_find(layout, field->name, strlen(field->name), &here, error);
		if (ret < 0)
			return ret;
		place_repeat(&here);
		there = here;
		ret = place_find_dotted(field->sub, c->name, c->len, &there, error);
		if (ret && ret != -ENOENT)
			return ret;
		if (!ret)
			candidates_add(c, &there);
		else
			ret = place_find_nested(field->sub, &here, depth + 1, c, error);
		if (ret && ret != -ENOENT)
			return ret;
	}
	return 0;
}

/* Checks if the name is the field's own name, not an alias. */
static bool place_is_full_name(const struct madkit_field *field, const char *name, size_t len)
{
	const char *end = memchr(name, '[', len);

	return names_is(field->name, name, end ? (size_t)(end - name) : len);
}

/*
 * A full name means one field. A short one (an alias in this layout, or the last part of a name) may mean
 * several: then it is rejected, because the identifier of a record and a field of the attribute in the record
 * are not the same.
 */
int madkit_place_find(const struct madkit_layout *layout, const char *name, size_t len,
		      struct madkit_place *place, struct madkit_error *error)
{
	static const struct madkit_place none;
	struct candidates c = { .name = name, .len = len };
	int ret;

	*place = none;
	ret = place_find_dotted(layout, name, len, place, error);
	if ((ret && ret != -ENOENT) ||
	    (!ret && (memchr(name, '.', len) || place_is_full_name(place->field, name, len))))
		return ret;
	if (!ret)
		candidates_add(&c, place);
	ret = place_find_nested(layout, &none, 0, &c, error);
	if (ret)
		return ret;
	*place = c.first;
	if (!c.n) {
		madkit_error_set(error, -ENOENT, 0, "%s has no field '%.*s'", layout->name, clip(len), name);
		if (error)
			snprintf(error->word, sizeof(error->word), "%.*s", clip(len), name);
		return -ENOENT;
	}
	if (c.n > 1)
		return madkit_error_set(error, -EEXIST, 0, "'%.*s' means %u fields of %s: %s%s", clip(len),
					name, c.n, layout->name, c.list, c.cut ? " ..." : "");
	return 0;
}
