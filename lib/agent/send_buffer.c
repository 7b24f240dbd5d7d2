/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What a MAD or a message is written into before it is posted. */
#include <stdlib.h>
#include "agent/internal.h"

struct madkit_send *madkit_send_new(size_t len)
{
	/* a short one is sent padded */
	size_t room = len < MADKIT_MAD_BYTES ? MADKIT_MAD_BYTES : len;
	struct send *s;

	if (len < MADKIT_HEADER_BYTES || len > MESSAGE_MAX)
		return NULL;
	s = calloc(1, sizeof(*s) + room);
	if (!s)
		return NULL;
	s->pub.mad = s->mad;
	s->pub.len = len;
	s->room = room;
	list_init(&s->queue);
	list_init(&s->of_agent);
	return &s->pub;
}

void madkit_send_free(struct madkit_send *send)
{
	free(send);
}

uint8_t *madkit_send_segment(struct madkit_send *send, uint32_t number, size_t *len)
{
	size_t begin = madkit_class_data_offset(send->mad[MADKIT_MAD_CLASS]);
	size_t each = madkit_mad_bytes(send->mad[MADKIT_MAD_BASE_VERSION]) - begin;
	uint64_t at = begin + ((uint64_t)number - 1) * each;
	bool exists = number && send->len >= begin && (number == 1 || at < send->len);

	if (len)
		*len = !exists ? 0 : send->len - (size_t)at < each ? send->len - (size_t)at : each;
	return exists ? send->mad + at : NULL;
}
