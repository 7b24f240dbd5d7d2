/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <madkit/mad.h>
#include "format/redact.h"
#include "util/bits.h"

static int visit(void *context, const struct madkit_item *item)
{
	uint8_t *copy = context;

	if (item->event == MADKIT_WALK_FIELD &&
	    item->field->kind == MADKIT_KIND_KEY)
		bits_put(copy, item->bit, item->field->width, 0);
	return 0;
}

void redact(const struct madkit_message *message, uint8_t *copy)
{
	unsigned int records = madkit_message_records(message);
	const struct madkit_class *mgmt_class;
	struct madkit_record record;

	if (!message->mad || message->len < MADKIT_HEADER_BYTES)
		return;
	mgmt_class = madkit_class_get(message->mad[MADKIT_MAD_CLASS]);
	if (mgmt_class && mgmt_class->header)
		madkit_walk(mgmt_class->header, message->mad, message->len,
			    visit, copy);
	for (unsigned int n = 0; n < records; n++) {
		madkit_record_get(message, n, &record);
		if (record.data && record.layout)
			madkit_walk(record.layout, record.data, record.len,
				    visit, copy + record.offset);
	}
}
