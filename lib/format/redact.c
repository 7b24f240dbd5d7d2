/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <madkit/mad.h>
#include "expr/envelope.h"
#include "format/redact.h"
#include "util/bits.h"

static int visit(void *context, const struct madkit_item *item)
{
	uint8_t *copy = context;

	if (item->event == MADKIT_WALK_FIELD &&
	    item->field->kind == MADKIT_KIND_KEY)
		for (uint32_t done = 0, n; done < item->field->width; done += n) {
			n = item->field->width - done;
			n = n < 64 ? n : 64;
			bits_put(copy, item->bit + done, n, 0);
		}
	return 0;
}

void redact(const struct madkit_message *message, uint8_t *copy)
{
	unsigned int records = madkit_message_records(message);
	const struct madkit_layout *header;
	struct madkit_record record;

	if (!message->mad || message->len < MADKIT_HEADER_BYTES)
		return;
	header = envelope_class_layout(message->mad, message->len);
	if (header)
		madkit_walk(header, message->mad, message->len, visit, copy);
	for (unsigned int n = 0; n < records; n++) {
		madkit_record_get(message, n, &record);
		if (record.data && record.layout)
			madkit_walk(record.layout, record.data, record.len,
				    visit, copy + record.offset);
	}
}
