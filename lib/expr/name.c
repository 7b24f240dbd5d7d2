/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <madkit/registry.h>
#include "expr/name.h"
#include "expr/value.h"
#include "util/array_size.h"
#include "util/word.h"
#include "wire/wire_int.h"

static bool name_is_word(const char *text, size_t len, const char *word)
{
	return strlen(word) == len && !strncasecmp(text, word, len);
}

/* "Port" is not the group "port", but a field of forwarding tables. */
static bool name_is_group(const char *text, size_t len, const char *group)
{
	return name_is_word(text, len, group) && (strcmp(group, ENVELOPE_PORT) || text[0] == group[0]);
}

bool name_is(const struct name *name, const char *word)
{
	return name_is_word(name->text, name->len, word);
}

static bool name_has_prefix(const char *text, size_t len, const char *prefix)
{
	size_t n = strlen(prefix);

	return len > n && !strncasecmp(text, prefix, n);
}

void name_search_begin(struct name_search *s, const struct name *name)
{
	size_t n = name->field_len < sizeof(s->word) ? name->field_len : 0;

	memcpy(s->word, name->field, n);
	s->word[n] = 0;
	s->nearest = nearest_begin(s->word);
}

void name_search_in(struct name_search *s, const struct madkit_layout *layout)
{
	for (size_t i = 0; layout && i < layout->nfields; i++) {
		const struct madkit_field *field = &layout->fields[i];

		if (field->kind == MADKIT_KIND_STRUCT)
			name_search_in(s, field->sub);
		else if (field->kind != MADKIT_KIND_RESERVED)
			nearest_try(&s->nearest, field->name);
	}
}

static int name_no_entry(const struct name *name, struct madkit_error *error)
{
	struct name_search search;
	const char *best;

	name_search_begin(&search, name);
	for (unsigned int id = 0; id < ENVELOPE_N; id++)
		nearest_try(&search.nearest, envelope_entries[id].name);
	best = nearest_word(&search.nearest);
	return madkit_error_set(error, -EINVAL, name->position, "there is no '%.*s'%s%s%s", clip(name->len),
				name->text, best ? "; did you mean '" : "", best ? best : "",
				best ? "'?" : "");
}

int name_read(const char *text, size_t len, int position, struct name *name, struct madkit_error *error)
{
	static const struct {
		const char *prefix;
		enum name_scope scope;
	} scopes[] = {
		{ "header.", NAME_HEADER },          { "rmpp.", NAME_RMPP },
		{ ENVELOPE_PORT ".", NAME_PORT },    { "data.", NAME_DATA },
		{ ENVELOPE_PROBLEM ".", NAME_DATA }, { ENVELOPE_DIFFERENCE ".", NAME_DATA },
	};

	*name = (struct name){
		.scope = NAME_DATA,
		.text = text,
		.len = len,
		.field = text,
		.field_len = len,
		.position = position,
	};
	if (!len ||
	    !(text[0] == '_' || (text[0] >= 'a' && text[0] <= 'z') || (text[0] >= 'A' && text[0] <= 'Z')))
		return madkit_error_set(error, -EINVAL, position,
					len ? "'%.*s' is not a name of a field" :
					      "expected a name of a field%.*s",
					clip(len), text);
	name->id = envelope_find(text, len);
	if (name->id != ENVELOPE_N) {
		name->scope = NAME_ENVELOPE;
		return 0;
	}
	for (size_t i = 0; envelope_groups[i]; i++) {
		if (name_is_group(text, len, envelope_groups[i])) {
			name->scope = NAME_GROUP;
			return 0;
		}
	}
	for (size_t i = 0; i < ARRAY_SIZE(scopes); i++) {
		if (name_has_prefix(text, len, scopes[i].prefix)) {
			name->scope = scopes[i].scope;
			name->field += strlen(scopes[i].prefix);
			name->field_len -= strlen(scopes[i].prefix);
			return 0;
		}
	}
	if (name_has_prefix(text, len, "remote.") || name_has_prefix(text, len, "status."))
		return name_no_entry(name, error);
	return 0;
}

/* Writes the path of the field that a companion belongs to, without the suffix: LIDs_name[3] belongs to
 * LIDs[3]. Returns the length of the path, or 0 if the name does not have the suffix. */
static size_t name_companion_path(const struct name *name, const char *suffix, char path[MADKIT_PATH_MAX])
{
	size_t n = strlen(suffix), end = name->field_len;

	if (end && name->field[end - 1] == ']')
		while (end && name->field[end] != '[')
			end--;
	if (end <= n || strncasecmp(name->field + end - n, suffix, n) ||
	    name->field_len - n >= MADKIT_PATH_MAX)
		return 0;
	memcpy(path, name->field, end - n);
	memcpy(path + end - n, name->field + end, name->field_len - end);
	return name->field_len - n;
}

int name_find(const struct name *name, const struct madkit_layout *layout, struct bound *bound,
	      struct madkit_error *error)
{
	static const char *const suffixes[] = { "_name", "_names", "_bytes" };
	int ret = madkit_place_find(layout, name->field, name->field_len, &bound->place, error);

	bound->bytes = false;
	for (size_t i = 0; ret == -ENOENT && i < ARRAY_SIZE(suffixes); i++) {
		char path[MADKIT_PATH_MAX];
		size_t n = name_companion_path(name, suffixes[i], path);
		const char *own = n && !madkit_place_find(layout, path, n, &bound->place, NULL) ?
					  field_companion_suffix(bound->place.field) :
					  NULL;

		if (own && !strcmp(own, suffixes[i])) {
			bound->bytes = bound->place.field->kind == MADKIT_KIND_COUNTER;
			ret = 0;
		}
	}
	bound->found = !ret;
	if (ret && error)
		error->position = name->position;
	return ret;
}

/* Reports that nothing of a kind has a field with this name, and suggests the nearest name of the layouts. */
static int name_unknown(const struct name *name, const char *what, const struct name_search *search,
			struct madkit_error *error)
{
	const char *best = nearest_word(&search->nearest);

	return madkit_error_set(error, -ENOENT, name->position, "no %s has a field '%.*s'%s%s%s", what,
				clip(name->field_len), name->field, best ? "; did you mean '" : "",
				best ? best : "", best ? "'?" : "");
}

/* Finds a field of any header: tries the layouts of all classes. */
static int header_find(const struct name *name, struct bound *bound, struct madkit_error *error)
{
	const struct madkit_class *classes;
	size_t n;
	int ret = name_find(name, &madkit_layout_header_dr, bound, NULL);

	if (ret)
		ret = name_find(name, &madkit_layout_header, bound, NULL);
	classes = madkit_classes(&n);
	for (size_t i = 0; ret && i < n; i++)
		if (classes[i].header)
			ret = name_find(name, classes[i].header, bound, NULL);
	if (ret) {
		struct name_search search;

		name_search_begin(&search, name);
		name_search_in(&search, &madkit_layout_header_dr);
		name_search_in(&search, &madkit_layout_header);
		for (size_t i = 0; i < n; i++)
			name_search_in(&search, classes[i].header);
		return name_unknown(name, "header", &search, error);
	}
	return 0;
}

/* Finds a field of a port. */
static int port_find(const struct name *name, struct bound *bound, struct madkit_error *error)
{
	int ret = name_find(name, &madkit_layout_port_object, bound, error);
	struct name_search search;

	if (ret != -ENOENT)
		return ret;
	name_search_begin(&search, name);
	name_search_in(&search, &madkit_layout_port_object);
	return name_unknown(name, ENVELOPE_PORT, &search, error);
}

/* Finds a field of the data, in at least one edition. */
static int data_find(const struct name *name, const struct madkit_attribute *attribute, struct bound *bound,
		     struct madkit_error *error)
{
	const struct madkit_layout *edition;

	for (size_t i = 0; (edition = layout_of_edition(attribute, i)); i++)
		if (!name_find(name, edition, bound, NULL))
			return 0;
	return name_find(name, attribute->layout, bound, error);
}

/* Finds the meaning of the name in a layout, like name_find(), and checks if it is accepted. */
static int name_accept_in(const struct name *name, const struct madkit_layout *layout, name_accept_fn accept,
			  const void *context, struct madkit_error *error)
{
	struct bound bound;
	int ret = name_find(name, layout, &bound, error);

	return ret || !accept ? ret : accept(context, name, bound.place.field, error);
}

/* The same in the data of an attribute, in at least one of its editions. */
static int name_accept_data(const struct name *name, const struct madkit_attribute *attribute,
			    name_accept_fn accept, const void *context, struct madkit_error *error)
{
	int ret = attribute->layout ? name_accept_in(name, attribute->layout, accept, context, error) :
				      -ENOENT;
	const struct madkit_layout *edition;

	for (size_t i = 0; ret && (edition = layout_of_edition(attribute, i)); i++) {
		struct madkit_error why = { .text = "" };
		int one = name_accept_in(name, edition, accept, context, &why);

		if (!one || (ret == -ENOENT && one != -ENOENT)) {
			ret = one;
			if (error)
				*error = why;
		}
	}
	return ret;
}

int name_check_any(const struct name *name, name_accept_fn accept, const void *context,
		   struct madkit_error *error)
{
	struct madkit_error first = { .text = "" };
	const struct madkit_class *classes;
	int ret = -ENOENT;
	size_t n;

	classes = madkit_classes(&n);
	for (size_t i = 0; i < n; i++) {
		for (size_t j = 0; j < classes[i].nattributes; j++) {
			struct madkit_error why = { .text = "" };
			int one = name_accept_data(name, &classes[i].attributes[j], accept, context, &why);

			if (!one)
				return 0;
			if (one != -ENOENT && ret == -ENOENT) {
				ret = one;
				first = why;
			}
		}
	}
	if (ret == -ENOENT && error) {
		struct name_search search;

		name_search_begin(&search, name);
		for (size_t i = 0; i < n; i++)
			for (size_t j = 0; j < classes[i].nattributes; j++)
				name_search_in(&search, classes[i].attributes[j].layout);
		return name_unknown(name, "attribute", &search, error);
	}
	if (error)
		*error = first;
	return ret;
}

int name_check(const struct name *name, const struct madkit_attribute *attribute,
	       const struct madkit_field **field, struct madkit_error *error)
{
	struct bound bound = { .found = false };
	int ret = 0;

	if (attribute &&
	    (attribute->layout == &madkit_layout_port_object ||
	     attribute->layout == &madkit_layout_problem_object ||
	     attribute->layout == &madkit_layout_difference_object) &&
	    (name->scope == NAME_HEADER || name->scope == NAME_RMPP))
		ret = madkit_error_set(error, -EINVAL, name->position, "a %s has no '%.*s'",
				       attribute->layout->name, clip(name->len), name->text);
	else if (name->scope == NAME_HEADER)
		ret = header_find(name, &bound, error);
	else if (name->scope == NAME_RMPP)
		ret = name_find(name, &madkit_layout_rmpp, &bound, error);
	else if (name->scope == NAME_PORT)
		ret = port_find(name, &bound, error);
	else if (name->scope == NAME_DATA && attribute && attribute->layout)
		ret = data_find(name, attribute, &bound, error);
	else if (name->scope == NAME_DATA && !attribute)
		ret = name_check_any(name, NULL, NULL, error);
	if (ret && error && name->scope != NAME_DATA)
		error->word[0] = 0;
	*field = ret ? NULL : bound.place.field;
	return ret;
}

/* ---- bindings -------------------------------------------------------------- */

/* Bindings are prepended, never changed, and freed at the end, so readers need no lock. */
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

static void name_bind(const struct name *name, const struct madkit_layout *layout, struct bound *bound)
{
	bound->found = false;
	if (name->scope != NAME_ENVELOPE && name->scope != NAME_GROUP)
		name_find(name, layout, bound, NULL);
}

const struct bound *bindings_get(struct bindings *b, const struct madkit_layout *layout)
{
	struct binding *first = atomic_load_explicit(&b->first, memory_order_acquire);
	struct binding *one;

	for (one = first; one; one = one->next)
		if (one->layout == layout)
			return one->bound;
	one = calloc(1, sizeof(*one) + b->n * sizeof(one->bound[0]));
	if (!one)
		return NULL;
	one->layout = layout;
	for (size_t i = 0; i < b->n; i++)
		name_bind(&b->names[i], layout, &one->bound[i]);
	/* two threads may add the same layout: the first one found is used */
	one->next = first;
	while (!atomic_compare_exchange_weak(&b->first, &one->next, one))
		;
	return one->bound;
}

const struct bound *bindings_find(const struct bindings *b, const struct madkit_layout *layout,
				  const struct bound *bound, size_t i, struct bound *own)
{
	if (!bound)
		name_bind(&b->names[i], layout, own);
	bound = bound ? &bound[i] : own;
	return bound->found ? bound : NULL;
}
