/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Fills in the record of an object of a JSON line: members that are not put are null. */
#ifndef WIRE_OBJECT_H
#define WIRE_OBJECT_H

#include <string.h>
#include "wire/access.h"

/* The data of a record, and the bits of it that are known; both begin as zeros. */
struct wire_object {
	uint8_t *data, *known;
};

/* Puts a text, cut to the length of the field; NULL and "" are null. */
static inline void object_put_text(struct wire_object *object, uint64_t field, const char *text)
{
	const size_t size = at_width(field) / 8, len = text ? strlen(text) : 0;

	if (!len)
		return;
	memcpy(object->data + field_at(field), text, len < size ? len : size);
	memset(object->known + field_at(field), 0xff, size);
}

/* Puts a number of one byte. */
static inline void object_put_number(struct wire_object *object, uint64_t field, unsigned int value)
{
	object->data[field_at(field)] = (uint8_t)value;
	object->known[field_at(field)] = 0xff;
}

#endif
