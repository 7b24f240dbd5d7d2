/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Access to the tables for formats, readers and expressions, but not for programs. */
#ifndef WIRE_WIRE_INT_H
#define WIRE_WIRE_INT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <madkit/field.h>
#include <madkit/message.h>
#include <madkit/registry.h>

/* Returns the layout of the common header for a class. */
const struct madkit_layout *layout_of_header(uint8_t mgmt_class);

/* Returns the layout of the class header of a MAD, of which a truncated MAD may have less. For an SMP of
 * Omni-Path, the layout has only the M_Key. NULL: there is none, or len is less than 24. */
const struct madkit_layout *layout_of_class_header(const uint8_t *mad, size_t len);

/* Returns the layout of edition i of an attribute, then that of all blocks of a register together, then NULL. */
static inline const struct madkit_layout *layout_of_edition(const struct madkit_attribute *attribute,
							    size_t i)
{
	if (i < attribute->neditions)
		return attribute->editions[i].layout;
	return i == attribute->neditions ? attribute->joined : NULL;
}

/* Returns how many elements of the field exist, in a layout of len bytes at base. */
unsigned int field_elements(const struct madkit_field *field, const uint8_t *base, size_t len);

/* Checks if any field, including those of nested layouts, can be a secret. */
bool layout_has_secrets(const struct madkit_layout *layout);

/* Sets rest to the len bytes of buf, with zeros in place of the named fields. Returns how many of them are
 * not zero. */
size_t layout_rest(const struct madkit_layout *layout, const uint8_t *buf, size_t len, uint8_t *rest);

/* Parses text, which needs no NUL, as the value of a field of at most 64 bits, like madkit_set(). Returns 0;
 * -EINVAL if the kind of the field has no such value; or -ERANGE if it does not fit. */
int field_parse(const struct madkit_field *field, const char *text, size_t len, uint64_t *value,
		struct madkit_error *error);

/* Checks if the place is one field or one array, which has a value as text. */
static inline bool place_is_field(const struct madkit_place *place)
{
	return !place->repeat && place->field->kind != MADKIT_KIND_STRUCT;
}

/* Sets the field at a place of the layout, for which place_is_field(), like madkit_set(). */
int place_set(const struct madkit_layout *layout, struct madkit_place *place, uint8_t *buf, size_t len,
	      const char *text, struct madkit_error *error);

/* Returns "request", "response" and so on, as in the key "kind" of a JSON line. */
const char *message_kind_name(enum madkit_message_kind kind);

#endif
