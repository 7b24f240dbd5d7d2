/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <string.h>
#include "rmpp/packet.h"
#include "util/bits.h"
#include "util/table.h"

bool packet_is_rmpp(const uint8_t *mad, size_t len)
{
	return madkit_mad_has_rmpp(mad, len) && len >= madkit_mad_bytes(mad[MADKIT_MAD_BASE_VERSION]);
}

bool packet_ends(const uint8_t *mad)
{
	uint8_t type = madkit_rmpp_get_type(mad);

	return type == MADKIT_RMPP_STOP || type == MADKIT_RMPP_ABORT;
}

uint8_t packet_fault(const uint8_t *mad)
{
	uint8_t type = madkit_rmpp_get_type(mad);

	if (madkit_rmpp_get_version(mad) != MADKIT_RMPP_VERSION)
		return MADKIT_RMPP_STATUS_VERSION;
	if (type < MADKIT_RMPP_DATA || type > MADKIT_RMPP_ABORT)
		return MADKIT_RMPP_STATUS_TYPE;
	if (!packet_ends(mad) && madkit_rmpp_get_status(mad))
		return MADKIT_RMPP_STATUS_ILLEGAL;
	return MADKIT_RMPP_STATUS_OK;
}

uint8_t packet_end_type(uint8_t status)
{
	if (status == MADKIT_RMPP_STATUS_RESOURCES)
		return MADKIT_RMPP_STOP;
	return status >= MADKIT_RMPP_STATUS_TIME ? MADKIT_RMPP_ABORT : 0;
}

uint8_t packet_end_status(const uint8_t *mad)
{
	uint8_t status = madkit_rmpp_get_status(mad);

	return packet_end_type(status) == madkit_rmpp_get_type(mad) ? status : MADKIT_RMPP_STATUS_ILLEGAL;
}

uint64_t packet_hash(const uint8_t *mad)
{
	size_t n = madkit_mad_bytes(mad[MADKIT_MAD_BASE_VERSION]);
	uint64_t hash = n;

	for (size_t i = 0; i < n; i += 8)
		hash = table_mix(hash, get_be64(mad + i));
	return hash;
}

bool packet_same_end(const struct madkit_addr *a, const struct madkit_addr *b)
{
	if (a->qp != b->qp || a->grh != b->grh)
		return false;
	return a->grh ? !memcmp(a->gid, b->gid, sizeof(a->gid)) : a->lid == b->lid;
}

size_t packet_make(uint8_t *mad, const uint8_t *head, const struct packet_control *packet)
{
	size_t offset = madkit_class_data_offset(head[MADKIT_MAD_CLASS]);
	size_t len = madkit_mad_bytes(head[MADKIT_MAD_BASE_VERSION]);

	memcpy(mad, head, offset);
	memset(mad + offset, 0, len - offset);
	mad[MADKIT_MAD_METHOD] = packet->method;
	madkit_rmpp_set_version(mad, MADKIT_RMPP_VERSION);
	madkit_rmpp_set_type(mad, packet->type);
	madkit_rmpp_set_flags(mad, MADKIT_RMPP_ACTIVE);
	madkit_rmpp_set_resptime(mad, packet->resptime);
	madkit_rmpp_set_status(mad, packet->status);
	madkit_rmpp_set_segment(mad, packet->segment);
	madkit_rmpp_set_length(mad, packet->last);
	return len;
}
