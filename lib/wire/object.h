/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Fills in the record of an object of a JSON line: members that are not put are null. */
#ifndef WIRE_OBJECT_H
#define WIRE_OBJECT_H

#include <string.h>
#include <madkit/message.h>
#include <madkit/registry.h>
#include "wire/access.h"

/* The data of a record, and the bits of it that are known; both begin as zeros. */
struct wire_object {
	uint8_t *data, *known;
};

/* Begins a line about an object: its record has no members yet. The caller sets the pointer to the record. */
static inline void object_begin(struct madkit_message *line, enum madkit_message_kind kind,
				struct madkit_record *record, const struct madkit_attribute *attribute,
				const struct wire_object *object)
{
	*line = (struct madkit_message){ .kind = kind, .time.tv_nsec = -1, .rtt_us = -1, .attempts = -1 };
	*record = (struct madkit_record){
		.message = line,
		.attribute = attribute,
		.layout = attribute->layout,
		.data = object->data,
		.len = attribute->bytes,
		.known = object->known,
		.records = 1,
	};
}

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
