/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Converts JSON values to the fields of layouts. */
#ifndef JSON_VALUE_H
#define JSON_VALUE_H

#include <madkit/mad.h>
#include <madkit/registry.h>
#include "json/tokens.h"
#include "util/nearest.h"

#define GIVEN_BYTES MADKIT_FRAME_BYTES /* no layout is longer */

/* Where values are stored: the data of an attribute, or (attribute NULL) a layout. */
struct json_target {
	const struct madkit_attribute *attribute;
	const struct madkit_layout *layout;
	const char *scope; /* "data" or "header", for messages */
	uint8_t *base;
	size_t len;
	const struct json_token *rest; /* of the line, or NULL */
	size_t offset;                 /* of base in the message, as rest counts */
	uint8_t *given;                /* GIVEN_BYTES: bits from base on that have been set */
	uint64_t mask;                 /* SA components of the fields that have been set */
	size_t end;                    /* bytes of base up to the end of the last field that has been set */
	bool port;                     /* PortSelect has been set */
	bool select;                   /* CounterSelect or CounterSelect2 has been set */
};

/* Compares the names of a layout's fields (NULL: none) with a mistyped one. */
void json_try_fields(struct nearest *nearest, const struct madkit_layout *layout);

/* Sets every member of an object. Companions of values (X_name, X_names, X_bytes) must agree with them, or
 * replace them. Returns 0, or -EINVAL with error naming the key. */
int json_put_object(struct json_target *target, const struct json_token *object, struct madkit_error *error);

/* Checks if an object has every field of the layout that is not reserved, at any depth. */
bool json_is_whole(const struct madkit_layout *layout, const struct json_token *object);

/* Sets one field, without checking a companion. */
int json_put_member(struct json_target *target, const char *name, const struct json_token *value,
		    struct madkit_error *error);

/* Gets a number, or the number in a text. Returns 0 or -EINVAL. */
int json_get_number(const struct json_token *value, uint64_t max, uint64_t *number, const char *scope,
		    const char *key, struct madkit_error *error);

/* Gets the bytes of a string of hex digits, at most room bytes. Returns their number, or -EINVAL. */
int json_get_bytes(const struct json_token *value, uint8_t *bytes, size_t room, const char *scope,
		   const char *key, struct madkit_error *error);

#endif
