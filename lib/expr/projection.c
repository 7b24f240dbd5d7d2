/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include "expr/projection.h"

struct madkit_projection {
	char *text;
	struct name *names;
	size_t n;
	struct bindings *bindings;
	uint64_t entries; /* of the envelope, as bits */
};

#define NAMES_MAX 256

_Static_assert(ENVELOPE_N <= 64, "entries are bits of 64");

/* Returns the envelope entries with this name, as bits: one entry, or all entries of a group. */
static uint64_t entries_of(const struct name *name)
{
	uint64_t bits = 0;

	if (name->scope == NAME_ENVELOPE)
		return UINT64_C(1) << name->id;
	for (unsigned int id = 0; id < ENVELOPE_N; id++)
		if (name->scope == NAME_GROUP && envelope_entries[id].key == name->len + 1 &&
		    !strncasecmp(envelope_entries[id].name, name->text, name->len))
			bits |= UINT64_C(1) << id;
	return bits;
}

int madkit_projection_new(const char *text, struct madkit_projection **out, struct madkit_error *error)
{
	struct madkit_projection *p = calloc(1, sizeof(*p));
	size_t at = 0;
	int ret = 0;

	*out = NULL;
	if (p) {
		p->text = strdup(text);
		p->names = calloc(NAMES_MAX, sizeof(p->names[0]));
	}
	if (!p || !p->text || !p->names) {
		madkit_projection_free(p);
		return madkit_error_set(error, -ENOMEM, -1, "out of memory");
	}
	for (;;) {
		size_t skip = strspn(p->text + at, " \t");
		size_t len = strcspn(p->text + at + skip, ",");
		size_t word = len;

		at += skip;
		while (word && strchr(" \t", p->text[at + word - 1]))
			word--;
		if (p->n == NAMES_MAX)
			ret = madkit_error_set(error, -EINVAL, (int)at, "more than %d names", NAMES_MAX);
		else
			ret = name_read(p->text + at, word, (int)at, &p->names[p->n], error);
		if (ret)
			break;
		p->entries |= entries_of(&p->names[p->n++]);
		at += len;
		if (!p->text[at])
			break;
		at++;
	}
	if (!ret) {
		p->bindings = bindings_new(p->names, p->n);
		if (!p->bindings)
			ret = madkit_error_set(error, -ENOMEM, -1, "out of memory");
	}
	if (ret) {
		madkit_projection_free(p);
		return ret;
	}
	*out = p;
	return 0;
}

void madkit_projection_free(struct madkit_projection *p)
{
	if (!p)
		return;
	bindings_free(p->bindings);
	free(p->names);
	free(p->text);
	free(p);
}

int madkit_projection_check(const struct madkit_projection *p, const struct madkit_attribute *attribute,
			    struct madkit_error *error)
{
	const struct madkit_field *field;

	for (size_t i = 0; i < p->n; i++) {
		int ret = name_check(&p->names[i], attribute, &field, error);

		if (ret)
			return ret;
	}
	return 0;
}

bool madkit_projection_has(const struct madkit_projection *p, const char *path)
{
	size_t n = strlen(path);

	for (size_t i = 0; p && i < p->n; i++) {
		const struct name *name = &p->names[i];
		size_t both = name->len < n ? name->len : n;

		/* the path itself, something that contains it, or something in it */
		if (!strncasecmp(name->text, path, both) && (both == n || path[both] == '.') &&
		    (both == name->len || name->text[both] == '.'))
			return true;
	}
	return !p;
}

const char *projection_text(const struct madkit_projection *p)
{
	return p ? p->text : NULL;
}

bool projection_entry(const struct madkit_projection *p, enum envelope_id id)
{
	return !p || p->entries >> id & 1;
}

bool projection_group(const struct madkit_projection *p, const char *name)
{
	bool data = !strcmp(name, "data") || !strcmp(name, ENVELOPE_PROBLEM) ||
		    !strcmp(name, ENVELOPE_DIFFERENCE);

	if (madkit_projection_has(p, name))
		return true;
	/* a name without a group belongs to the data */
	for (size_t i = 0; data && i < p->n; i++)
		if (p->names[i].scope == NAME_DATA)
			return true;
	return false;
}

bool projection_port(const struct madkit_projection *p, bool own)
{
	for (size_t i = 0; p && i < p->n; i++) {
		const struct name *name = &p->names[i];

		if (name->scope == NAME_PORT || (own && name->scope == NAME_DATA) ||
		    (name->scope == NAME_GROUP && name_is(name, ENVELOPE_PORT)))
			return true;
	}
	return !p;
}

void projection_view(const struct madkit_projection *p, enum name_scope scope,
		     const struct madkit_layout *layout, struct projection_view *view)
{
	static const char *const groups[] = {
		[NAME_HEADER] = "header",
		[NAME_RMPP] = "rmpp",
		[NAME_PORT] = ENVELOPE_PORT,
		[NAME_DATA] = "data",
	};

	*view = (struct projection_view){
		.p = p,
		.scope = scope,
		.layout = layout,
		.whole = !p,
	};
	for (size_t i = 0; p && i < p->n; i++)
		if (p->names[i].scope == NAME_GROUP &&
		    name_is(&p->names[i], layout == &madkit_layout_problem_object    ? ENVELOPE_PROBLEM :
					  layout == &madkit_layout_difference_object ? ENVELOPE_DIFFERENCE :
										       groups[scope]))
			view->whole = true;
	if (!view->whole)
		view->bound = bindings_get(p->bindings, layout);
}

/* Checks if [a, a + n) and [b, b + m) overlap. */
static bool projection_overlap(uint32_t a, uint32_t n, uint32_t b, uint32_t m)
{
	return a < b + m && b < a + n;
}

bool projection_item(const struct projection_view *view, const struct madkit_item *item)
{
	uint32_t from = item->bit, bits = item->field->width;

	if (view->whole)
		return true;
	if (item->event == MADKIT_WALK_ARRAY || item->event == MADKIT_WALK_ARRAY_END)
		bits = madkit_field_offset(item->field, madkit_field_count(item->field) - 1) -
		       item->field->offset + item->field->width;
	for (size_t i = 0; i < view->p->n; i++) {
		const struct bound *bound;
		const struct madkit_place *place;
		const struct madkit_field *field;
		uint32_t repeat, first, width;
		struct bound own;

		if (view->p->names[i].scope != view->scope &&
		    !(view->own && view->p->names[i].scope == NAME_DATA))
			continue;
		bound = bindings_find(view->p->bindings, view->layout, view->bound, i, &own);
		if (!bound)
			continue;
		place = &bound->place;
		field = place->field;
		repeat = place->repeat ? place->repeat : 1;
		first = place->base + madkit_field_offset(field, place->index);
		width = field->width;
		if (place->whole)
			width += madkit_field_offset(field, madkit_field_count(field) - 1) - field->offset;
		for (uint32_t r = 0; r < repeat; r++)
			if (projection_overlap(from, bits, first + r * place->repeat_stride, width))
				return true;
	}
	return false;
}
