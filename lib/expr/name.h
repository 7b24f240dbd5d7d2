/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Names in filters and projections: of the envelope, of a header, of data. */
#ifndef EXPR_NAME_H
#define EXPR_NAME_H

#include <stdbool.h>
#include <madkit/error.h>
#include <madkit/field.h>
#include "expr/envelope.h"
#include "util/nearest.h"

enum name_scope {
	NAME_ENVELOPE, /* id */
	NAME_GROUP,    /* an object of the line: "remote", "data" */
	NAME_HEADER,   /* field: of the common or a class's header */
	NAME_RMPP,     /* field */
	NAME_PORT,     /* field: of the port that the message is about */
	NAME_DATA,     /* field */
};

struct name {
	enum name_scope scope;
	enum envelope_id id;
	const char *text; /* as written; not NUL-terminated */
	size_t len;
	const char *field; /* what follows "header.", "rmpp.", "port.", "data." */
	size_t field_len;
	int position; /* in the whole input */
};

/*
 * Reads a name. It may be the key of a companion in JSON: LinkState_name names the field
 * itself, PortXmitData_bytes the field's value in bytes. 0; -EINVAL: not a name, or no such
 * member of a group of the envelope.
 */
int name_read(const char *text, size_t len, int position, struct name *name, struct madkit_error *error);

/* Whether it is written so, but for case. */
bool name_is(const struct name *name, const char *word);

/*
 * Checks that the name exists: in data of the attribute's layout (NULL: of some
 * attribute's), in a header of any class. field is set to the one found,
 * or NULL. 0, -ENOENT, -EEXIST, -EINVAL.
 */
int name_check(const struct name *name, const struct madkit_attribute *attribute,
	       const struct madkit_field **field, struct madkit_error *error);

struct bound {
	bool found;
	bool bytes; /* the name has _bytes: 4 times the field's value */
	struct madkit_place place;
};

/* The meaning of a name in a layout, as madkit_place_find(), companions included. */
int name_find(const struct name *name, const struct madkit_layout *layout, struct bound *bound,
	      struct madkit_error *error);

/* A search for the known name nearest to a name: nearest_word() of nearest. */
struct name_search {
	struct nearest nearest;
	char word[NEAREST_WORD_MAX + 1];
};

void name_search_begin(struct name_search *search, const struct name *name);

/* Compares the names of a layout's fields, also of nested ones. */
void name_search_in(struct name_search *search, const struct madkit_layout *layout);

/* What a name's field has to be besides: 0 or -errno with error set. */
typedef int (*name_accept_fn)(const void *context, const struct name *name, const struct madkit_field *field,
			      struct madkit_error *error);

/*
 * Checks that the data of some attribute has a field of this name that is accepted (accept NULL: any
 * is). 0; -ENOENT: none has the name; else the first reason that a field was not accepted for.
 */
int name_check_any(const struct name *name, name_accept_fn accept, const void *context,
		   struct madkit_error *error);

/*
 * Places of a list of names, found once for each layout that comes along and
 * kept. Any number of threads may ask at once.
 */
struct bindings;

struct bindings *bindings_new(const struct name *names, size_t n);
void bindings_free(struct bindings *b);

/* n entries, one a name; NULL if memory is short: bindings_find() does
 * without. */
const struct bound *bindings_get(struct bindings *b, const struct madkit_layout *layout);

/* What name i means in the layout, or NULL if the layout does not have it; bound is the result
 * of bindings_get(), own holds the place if that was NULL. */
const struct bound *bindings_find(const struct bindings *b, const struct madkit_layout *layout,
				  const struct bound *bound, size_t i, struct bound *own);

#endif
