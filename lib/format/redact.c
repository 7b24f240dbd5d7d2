/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Copies of messages without their keys. */
#include <madkit/mad.h>
#include "expr/value.h"
#include "format/redact.h"
#include "util/bits.h"
#include "wire/wire_int.h"

struct copy {
	uint8_t *bytes;
	size_t len;
};

static int redact_clear(void *context, const struct madkit_item *item)
{
	struct copy *copy = context;
	uint64_t end = (uint64_t)item->bit + item->field->width;

	if (item->event != MADKIT_WALK_FIELD || !item_is_secret(item))
		return 0;
	if (end > (uint64_t)copy->len * 8)
		end = (uint64_t)copy->len * 8;
	for (uint32_t bit = item->bit; bit < end; bit++)
		bits_put(copy->bytes, bit, 1, 0);
	return 0;
}

void redact_layout(const struct madkit_layout *layout, uint8_t *copy, size_t len)
{
	/* every field is visited, whatever the length of the message */
	static const uint8_t whole[MADKIT_FRAME_BYTES];
	struct copy where = { copy, len };

	madkit_walk(layout, whole, sizeof(whole), redact_clear, &where);
}

size_t redact_tail(const struct madkit_record *record)
{
	const struct madkit_message *m = record->message;
	size_t stride;

	if (!record->attribute || !record->attribute->layout)
		return 0;
	if (m->mad[MADKIT_MAD_CLASS] != MADKIT_CLASS_SA || m->len < MADKIT_SA_DATA)
		return record->data ? 0 : m->len;
	stride = 8u * get_be16(m->mad + MADKIT_SA_ATTRIBUTE_OFFSET);
	return stride ? stride : record->attribute->bytes;
}

void redact(const struct madkit_message *message, uint8_t *copy)
{
	unsigned int records = madkit_message_records(message);
	const struct madkit_layout *layout;
	struct madkit_record record;
	size_t end = 0;

	if (!message->mad)
		return;
	layout = layout_of_class_header(message->mad, message->len);
	if (layout)
		redact_layout(layout, copy, message->len);
	for (unsigned int n = 0; !n || n < records; n++) {
		madkit_record_get(message, n, &record);
		end = record.offset + record.len;
		if (data_is_secret(&record) && record.offset < message->len) {
			memset(copy + record.offset, 0, message->len - record.offset);
			return;
		}
		if (record.layout)
			redact_layout(record.layout, copy + record.offset, record.len);
	}
	for (size_t stride = redact_tail(&record); stride && end < message->len; end += stride)
		redact_layout(madkit_attribute_layout(record.attribute, message->mad + end,
						      message->len - end),
			      copy + end, message->len - end);
}
