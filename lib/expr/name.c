/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <madkit/registry.h>
#include "expr/name.h"
#include "util/names.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static bool is_word(const char *text, size_t len, const char *word)
{
	return strlen(word) == len && !strncasecmp(text, word, len);
}

bool name_is(const struct name *name, const char *word)
{
	return is_word(name->text, name->len, word);
}

static bool has_prefix(const char *text, size_t len, const char *prefix)
{
	size_t n = strlen(prefix);

	return len > n && !strncasecmp(text, prefix, n);
}

int name_read(const char *text, size_t len, int position, struct name *name,
	      struct madkit_error *error)
{
	static const struct { const char *prefix; enum name_scope scope; }
	scopes[] = {
		{ "header.", NAME_HEADER }, { "rmpp.", NAME_RMPP },
		{ "data.", NAME_DATA },
	};

	*name = (struct name){
		.scope = NAME_DATA, .text = text, .len = len, .field = text,
		.field_len = len, .position = position,
	};
	if (!len || !(text[0] == '_' || (text[0] >= 'a' && text[0] <= 'z') ||
		      (text[0] >= 'A' && text[0] <= 'Z')))
		return madkit_error_set(error, -EINVAL, position,
			len ? "'%.*s' is not a name of a field" :
			"expected a name of a field%.*s", clip(len), text);
	name->id = envelope_find(text, len);
	if (name->id != ENVELOPE_N) {
		name->scope = NAME_ENVELOPE;
		return 0;
	}
	for (size_t i = 0; envelope_groups[i]; i++) {
		if (is_word(text, len, envelope_groups[i])) {
			name->scope = NAME_GROUP;
			return 0;
		}
	}
	for (size_t i = 0; i < COUNT(scopes); i++) {
		if (has_prefix(text, len, scopes[i].prefix)) {
			name->scope = scopes[i].scope;
			name->field += strlen(scopes[i].prefix);
			name->field_len -= strlen(scopes[i].prefix);
			return 0;
		}
	}
	if (has_prefix(text, len, "remote.") || has_prefix(text, len, "status."))
		return madkit_error_set(error, -EINVAL, position,
			"there is no '%.*s'", clip(len), text);
	return 0;
}

/* What a name means in a layout: madkit_place_find(), companions included. */
static int find(const struct name *name, const struct madkit_layout *layout,
		struct madkit_place *place, struct madkit_error *error)
{
	static const struct { const char *suffix; enum madkit_kind kind; }
	companions[] = {
		{ "_name", MADKIT_KIND_ENUM }, { "_names", MADKIT_KIND_BITS },
		{ "_bytes", MADKIT_KIND_COUNTER },
	};
	int ret = madkit_place_find(layout, name->field, name->field_len, place,
				    error);

	for (size_t i = 0; ret == -ENOENT && i < COUNT(companions); i++) {
		size_t n = strlen(companions[i].suffix);

		if (name->field_len > n &&
		    !strncasecmp(name->field + name->field_len - n,
				 companions[i].suffix, n) &&
		    !madkit_place_find(layout, name->field,
				       name->field_len - n, place, NULL) &&
		    place->field->kind == companions[i].kind)
			ret = 0;
	}
	if (ret && error)
		error->position = name->position;
	return ret;
}

/* A field that some header has; the layouts of all classes are tried. */
static int header_find(const struct name *name, struct madkit_place *place,
		       struct madkit_error *error)
{
	const struct madkit_class *classes;
	size_t n;
	int ret = find(name, &madkit_layout_header_dr, place, NULL);

	if (ret)
		ret = find(name, &madkit_layout_header, place, NULL);
	classes = madkit_classes(&n);
	for (size_t i = 0; ret && i < n; i++)
		if (classes[i].header)
			ret = find(name, classes[i].header, place, NULL);
	if (ret)
		return madkit_error_set(error, -ENOENT, name->position,
			"no header has a field '%.*s'", clip(name->field_len),
			name->field);
	return 0;
}

/* ... that the data has, in one edition at least. */
static int data_find(const struct name *name, const struct madkit_attribute *attribute,
		     struct madkit_place *place, struct madkit_error *error)
{
	for (size_t i = 0; i < attribute->neditions; i++)
		if (!find(name, attribute->editions[i].layout, place, NULL))
			return 0;
	return find(name, attribute->layout, place, error);
}

/* ... that the data of some attribute has. */
static int any_find(const struct name *name, struct madkit_error *error)
{
	const struct madkit_class *classes;
	struct madkit_place place;
	size_t n;

	classes = madkit_classes(&n);
	for (size_t i = 0; i < n; i++)
		for (size_t j = 0; j < classes[i].nattributes; j++)
			if (classes[i].attributes[j].layout &&
			    data_find(name, &classes[i].attributes[j], &place, NULL) != -ENOENT)
				return 0;
	return madkit_error_set(error, -ENOENT, name->position,
		"no attribute has a field '%.*s'", clip(name->field_len), name->field);
}

int name_check(const struct name *name, const struct madkit_attribute *attribute,
	       const struct madkit_field **field, struct madkit_error *error)
{
	struct madkit_place place = { .field = NULL };
	int ret = 0;

	if (name->scope == NAME_HEADER)
		ret = header_find(name, &place, error);
	else if (name->scope == NAME_RMPP)
		ret = find(name, &madkit_layout_rmpp, &place, error);
	else if (name->scope == NAME_DATA && attribute && attribute->layout)
		ret = data_find(name, attribute, &place, error);
	else if (name->scope == NAME_DATA && !attribute)
		ret = any_find(name, error);
	*field = ret ? NULL : place.field;
	return ret;
}

/* ---- bindings -------------------------------------------------------------- */

/* Prepended, never changed, freed at the end: readers need no lock. */
struct binding {
	struct binding *next;
	const struct madkit_layout *layout;
	struct bound bound[];
};

struct bindings {
	_Atomic(struct binding *) first;
	const struct name *names;
	size_t n;
};

struct bindings *bindings_new(const struct name *names, size_t n)
{
	struct bindings *b = malloc(sizeof(*b));

	if (b) {
		atomic_init(&b->first, NULL);
		b->names = names;
		b->n = n;
	}
	return b;
}

void bindings_free(struct bindings *b)
{
	struct binding *next;

	if (!b)
		return;
	for (struct binding *one = b->first; one; one = next) {
		next = one->next;
		free(one);
	}
	free(b);
}

static void bind(const struct name *name, const struct madkit_layout *layout,
		 struct bound *bound)
{
	bound->found = name->scope != NAME_ENVELOPE && name->scope != NAME_GROUP &&
		       !find(name, layout, &bound->place, NULL);
}

const struct bound *bindings_get(struct bindings *b,
				 const struct madkit_layout *layout)
{
	struct binding *first = atomic_load_explicit(&b->first,
						     memory_order_acquire);
	struct binding *one;

	for (one = first; one; one = one->next)
		if (one->layout == layout)
			return one->bound;
	one = calloc(1, sizeof(*one) + b->n * sizeof(one->bound[0]));
	if (!one)
		return NULL;
	one->layout = layout;
	for (size_t i = 0; i < b->n; i++)
		bind(&b->names[i], layout, &one->bound[i]);
	/* two threads may add the same: the first found serves */
	one->next = first;
	while (!atomic_compare_exchange_weak(&b->first, &one->next, one))
		;
	return one->bound;
}

const struct madkit_place *bindings_place(const struct bindings *b,
					  const struct madkit_layout *layout,
					  const struct bound *bound, size_t i,
					  struct bound *own)
{
	if (!bound)
		bind(&b->names[i], layout, own);
	bound = bound ? &bound[i] : own;
	return bound->found ? &bound->place : NULL;
}
