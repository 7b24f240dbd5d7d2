/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Values of SCALED and BER fields as decimal numbers, and back. */
#ifndef WIRE_UNIT_H
#define WIRE_UNIT_H

#include <madkit/error.h>
#include <madkit/field.h>
#include "util/decimal.h"

/* Checks if the value of the field is a decimal number, and not that of its bits. */
static inline bool unit_is_decimal(const struct madkit_field *field)
{
	return field->kind == MADKIT_KIND_SCALED || field->kind == MADKIT_KIND_BER;
}

/* Checks if the unit depends on another field, which has to be set first. */
static inline bool unit_depends(const struct madkit_field *field)
{
	return field->kind == MADKIT_KIND_SCALED && field->unit->other;
}

/* Returns the bytes of a layout that contain all fields on which the unit depends. */
size_t unit_reach(const struct madkit_field *field);

/* Returns the unit of a SCALED field in a layout at base, of which there are len bytes. */
const struct madkit_unit *unit_get(const struct madkit_field *field, const uint8_t *base, size_t len);

/* Gets the value of bits of a SCALED or BER field. Returns false if they mean that there is no value: a rate with the
 * coefficient 0 is that of a lane that does not exist, or is not known. */
bool unit_value(const struct madkit_field *field, const uint8_t *base, size_t len, uint64_t bits,
		struct decimal *value);

/* Gets the bits of a value. Returns 0; -ERANGE if the value does not fit; -EINVAL if the field cannot represent it
 * exactly. */
int unit_bits(const struct madkit_field *field, const uint8_t *base, size_t len, const struct decimal *value,
	      uint64_t *bits);

/* Gets the bits that mean that there is no value. Returns 0, or -EINVAL if the field always has one. */
int unit_none(const struct madkit_field *field, const uint8_t *base, size_t len, uint64_t *bits);

/* Checks if the value of the bits has the same bits. */
bool unit_is_exact(const struct madkit_field *field, const uint8_t *base, size_t len, uint64_t bits);

/* Checks if a bit error rate means that no error was seen: 15/255. */
bool unit_is_clean(const struct madkit_field *field, const struct decimal *value);

/* Makes 0 of a rate of 15/255, which expressions compare and sort as 0: there is no error. */
void unit_clear(const struct madkit_field *field, struct decimal *value);

/* Reads text as the bits of the field, like madkit_set(). "-" and "null": no value. */
int unit_parse(const struct madkit_field *field, const uint8_t *base, size_t len, const char *text, size_t n,
	       uint64_t *bits, struct madkit_error *error);

/* Writes an exact number of JSON, at most DECIMAL_TEXT_MAX characters, and returns the end. */
char *unit_emit(char *p, const struct madkit_field *field, const struct decimal *value);

#endif
