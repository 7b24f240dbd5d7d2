/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What the writers, the readers and the expressions ask of the tables, and programs do not. */
#ifndef WIRE_WIRE_INT_H
#define WIRE_WIRE_INT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <madkit/field.h>
#include <madkit/message.h>
#include <madkit/registry.h>

/* The common header of a class. */
const struct madkit_layout *layout_of_header(uint8_t mgmt_class);

/* The class header of a MAD, of which a truncated MAD may have less; for an SMP of Omni-Path a layout that has only
 * the M_Key. NULL: there is none, or len is less than 24. */
const struct madkit_layout *layout_of_class_header(const uint8_t *mad, size_t len);

/* Whether any field, also of a nested layout, can be a secret. */
bool layout_has_secrets(const struct madkit_layout *layout);

/* rest receives len bytes: those of buf, with zeros in place of the named fields. How many of them are not zero. */
size_t layout_rest(const struct madkit_layout *layout, const uint8_t *buf, size_t len, uint8_t *rest);

/* Text, which needs no NUL, as the value of a field of at most 64 bits: as madkit_set() reads it. 0; -EINVAL: the kind of
 * the field has no such value; -ERANGE: it does not fit. */
int field_parse(const struct madkit_field *field, const char *text, size_t len, uint64_t *value,
		struct madkit_error *error);

/* "request", "response" and so on, as in the key "kind" of a JSON line. */
const char *message_kind_name(enum madkit_message_kind kind);

#endif
