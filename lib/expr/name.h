/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Names in filters and projections: of the envelope, of headers, and of data. */
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
	NAME_HEADER,   /* field: of the common header or of a class */
	NAME_RMPP,     /* field */
	NAME_PORT,     /* field: of the port that the message is about */
	NAME_DATA,     /* field */
};

struct name {
	enum name_scope scope;
	enum envelope_id id;
	const char *text; /* as written; not NUL-terminated */
	size_t len;
	const char *field; /* after "header.", "rmpp.", "port.", "data." */
	size_t field_len;
	int position; /* in the whole input */
};

/*
 * Reads a name. It may be the key of a companion in JSON: LinkState_name means the field itself,
 * PortXmitData_bytes the field's value in bytes. Returns 0, or -EINVAL if it is not a name, or not a member
 * of its group of the envelope.
 */
int name_read(const char *text, size_t len, int position, struct name *name, struct madkit_error *error);

/* Checks if the name is this word, ignoring case. */
bool name_is(const struct name *name, const char *word);

/*
 * Checks that the name exists: in the data of the attribute's layout (NULL: of some attribute), or in a
 * header of any class. Sets *field to the field found, or NULL. Returns 0, -ENOENT, -EEXIST or -EINVAL.
 */
int name_check(const struct name *name, const struct madkit_attribute *attribute,
	       const struct madkit_field **field, struct madkit_error *error);

struct bound {
	bool found;
	bool bytes; /* the name has _bytes: 4 times the field's value */
	struct madkit_place place;
};

/* Finds the meaning of a name in a layout, like madkit_place_find(), including companions. */
int name_find(const struct name *name, const struct madkit_layout *layout, struct bound *bound,
	      struct madkit_error *error);

/* A search for the known name that is nearest to a name: see nearest_word(). */
struct name_search {
	struct nearest nearest;
	char word[NEAREST_WORD_MAX + 1];
};

void name_search_begin(struct name_search *search, const struct name *name);

/* Compares the names of a layout's fields, including nested ones. */
void name_search_in(struct name_search *search, const struct madkit_layout *layout);

/* Checks the field of a name. Returns 0, or -errno with error set. */
typedef int (*name_accept_fn)(const void *context, const struct name *name, const struct madkit_field *field,
			      struct madkit_error *error);

/*
 * Checks that the data of some attribute has a field of this name that is accepted (accept NULL: any field).
 * Returns 0; -ENOENT if no attribute has the name; otherwise the first reason why a field was not accepted.
 */
int name_check_any(const struct name *name, name_accept_fn accept, const void *context,
		   struct madkit_error *error);

/*
 * Places of a list of names, found once for each layout and kept. Any number of threads may use them at once.
 */
struct bindings;

struct bindings *bindings_new(const struct name *names, size_t n);
void bindings_free(struct bindings *b);

/* Returns n entries, one for each name, or NULL if memory is short: bindings_find() works without them. */
const struct bound *bindings_get(struct bindings *b, const struct madkit_layout *layout);

/* Returns the meaning of name i in the layout, or NULL if the layout does not have it. bound: the result of
 * bindings_get(). own: receives the result if bound is NULL. */
const struct bound *bindings_find(const struct bindings *b, const struct madkit_layout *layout,
				  const struct bound *bound, size_t i, struct bound *own);

#endif
