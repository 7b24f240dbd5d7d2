/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The text form of one element of a field: for people, and for =~. */
#ifndef EXPR_VALUE_H
#define EXPR_VALUE_H

#include <stdbool.h>
#include <string.h>
#include <madkit/buf.h>
#include <madkit/message.h>
#include "expr/plan.h"

/* The key of data with an unknown layout, also in tables. */
#define DATA_BYTES "Data"

/* Replaces a secret. */
#define NOT_DISPLAYED "<not displayed>"

static inline bool item_is_secret(const struct madkit_item *item)
{
	return madkit_field_is_secret(item->field);
}

/* Checks if the record's data may have secrets at an unknown place: a later segment of an RMPP message, by
 * itself; another base version (OPA) of an attribute that has secrets. */
bool data_is_secret(const struct madkit_record *record);

/* Writes the value. Secrets become "<not displayed>" unless show_keys is set. Control characters are escaped.
 * The item must be one that MADKIT_WALK_FIELD reported. plan: NULL, or the plan of buf. */
void value_text(struct madkit_buf *buf, struct plan *plan, const struct madkit_item *item, bool show_keys);

/* Checks if the value is that of a SCALED or BER field without a value. */
bool value_is_none(const struct madkit_item *item);

/* Writes a SCALED or BER value as a number of JSON, or none for the bits that have no value. */
void value_number(struct madkit_buf *buf, const struct madkit_item *item, const char *none);

/* The same on one line, for a cell of a table: a bit set becomes its names, in the format of madkit_set()
 * ("FullMember|0x10"). */
void value_cell(struct madkit_buf *buf, const struct madkit_item *item, bool show_keys);

/* Returns the suffix of the companion of a field in JSON: _name for an enumeration, _names for a bit set,
 * _bytes for a counter of 4-octet units. NULL: the field has no companion. */
const char *field_companion_suffix(const struct madkit_field *field);

/* Returns the length of a STRING without the zero octets at its end, and with BLANKS, without the blanks. */
static inline size_t string_length(const struct madkit_item *item)
{
	const uint8_t *s = madkit_item_bytes(item);
	size_t n = item->field->width / 8;
	uint64_t end = 0;

	for (; n >= sizeof(end) && !end; n -= end ? 0 : sizeof(end))
		memcpy(&end, s + n - sizeof(end), sizeof(end));
	while (n && (!s[n - 1] || (s[n - 1] == ' ' && item->field->flags & MADKIT_FIELD_BLANKS)))
		n--;
	return n;
}

/* Checks if the text of a STRING, of len bytes, becomes the same bytes again. */
static inline bool string_is_exact(const struct madkit_item *item, size_t len)
{
	const uint8_t *s = madkit_item_bytes(item);
	const char pad = len && item->field->flags & MADKIT_FIELD_BLANKS ? ' ' : 0;

	while (len < item->field->width / 8 && s[len] == pad)
		len++;
	return len == item->field->width / 8;
}

#endif
