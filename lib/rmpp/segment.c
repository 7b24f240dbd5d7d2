/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Splits messages into segments, which are numbered from 1. All segments except the last are full (IBA volume
 * 1, section 13.6.2). */
#include <errno.h>
#include <string.h>
#include <madkit/mad.h>
#include <madkit/rmpp_transfer.h>

int madkit_rmpp_segments_init(struct madkit_rmpp_segments *s, const uint8_t *message, uint64_t len)
{
	uint64_t data, count, total;

	if (len < MADKIT_RMPP_END || !madkit_class_is_rmpp(message[MADKIT_MAD_CLASS]))
		return -EINVAL;
	s->message = message;
	s->len = len;
	s->offset = (uint16_t)madkit_class_data_offset(message[MADKIT_MAD_CLASS]);
	s->mad_bytes = (uint16_t)madkit_mad_bytes(message[MADKIT_MAD_BASE_VERSION]);
	s->room = (uint16_t)(s->mad_bytes - s->offset);
	if (len < s->offset)
		return -EINVAL;
	data = len - s->offset;
	count = data / s->room + (data % s->room || !data);
	if (count > UINT32_MAX || (size_t)len != len)
		return -EMSGSIZE;
	total = data + count * (s->offset - MADKIT_RMPP_END);
	s->count = (uint32_t)count;
	s->total = total > UINT32_MAX ? 0 : (uint32_t)total;
	return 0;
}

int madkit_rmpp_segments_make(const struct madkit_rmpp_segments *s, uint32_t k, uint8_t *mad)
{
	uint8_t flags = MADKIT_RMPP_ACTIVE;
	uint64_t begin = s->offset + (uint64_t)(k - 1) * s->room;
	uint32_t payload = 0;
	size_t n = s->room;

	if (!k || k > s->count)
		return -EINVAL;
	if (k == s->count) {
		n = (size_t)(s->len - begin);
		flags |= MADKIT_RMPP_LAST;
		payload = (uint32_t)(n + s->offset - MADKIT_RMPP_END);
		memset(mad + s->offset + n, 0, s->room - n);
	}
	memcpy(mad, s->message, s->offset);
	memcpy(mad + s->offset, s->message + begin, n);
	if (k == 1) {
		flags |= MADKIT_RMPP_FIRST;
		payload = s->total;
	}
	madkit_rmpp_set_version(mad, MADKIT_RMPP_VERSION);
	madkit_rmpp_set_type(mad, MADKIT_RMPP_DATA);
	madkit_rmpp_set_flags(mad, flags);
	madkit_rmpp_set_status(mad, MADKIT_RMPP_STATUS_OK);
	madkit_rmpp_set_segment(mad, k);
	madkit_rmpp_set_length(mad, payload);
	return 0;
}
