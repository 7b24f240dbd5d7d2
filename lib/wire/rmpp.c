/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Access to the fields of the RMPP header. */
#include <madkit/mad.h>
#include <madkit/rmpp.h>
#include "wire/access.h"

bool madkit_mad_has_rmpp(const uint8_t *mad, size_t len)
{
	return len >= MADKIT_RMPP_END && madkit_class_is_rmpp(mad[MADKIT_MAD_CLASS]) &&
	       field_get(MADKIT_HEADER_RMPP_FLAGS, mad) & MADKIT_RMPP_ACTIVE;
}

uint8_t madkit_rmpp_get_version(const uint8_t *mad)
{
	return (uint8_t)field_get(MADKIT_HEADER_RMPP_VERSION, mad);
}

uint8_t madkit_rmpp_get_type(const uint8_t *mad)
{
	return (uint8_t)field_get(MADKIT_HEADER_RMPP_TYPE, mad);
}

uint8_t madkit_rmpp_get_status(const uint8_t *mad)
{
	return (uint8_t)field_get(MADKIT_HEADER_RMPP_STATUS, mad);
}

uint32_t madkit_rmpp_get_segment(const uint8_t *mad)
{
	return (uint32_t)field_get(MADKIT_HEADER_RMPP_SEGMENT, mad);
}

uint32_t madkit_rmpp_get_length(const uint8_t *mad)
{
	return (uint32_t)field_get(MADKIT_HEADER_RMPP_PAYLOAD_LENGTH, mad);
}

uint8_t madkit_rmpp_get_resptime(const uint8_t *mad)
{
	return (uint8_t)field_get(MADKIT_HEADER_RMPP_RESPTIME, mad);
}

uint8_t madkit_rmpp_get_flags(const uint8_t *mad)
{
	return (uint8_t)field_get(MADKIT_HEADER_RMPP_FLAGS, mad);
}

void madkit_rmpp_set_resptime(uint8_t *mad, uint8_t resptime)
{
	field_put(MADKIT_HEADER_RMPP_RESPTIME, mad, resptime);
}

void madkit_rmpp_set_flags(uint8_t *mad, uint8_t flags)
{
	field_put(MADKIT_HEADER_RMPP_FLAGS, mad, flags);
}

void madkit_rmpp_set_version(uint8_t *mad, uint8_t version)
{
	field_put(MADKIT_HEADER_RMPP_VERSION, mad, version);
}

void madkit_rmpp_set_type(uint8_t *mad, uint8_t type)
{
	field_put(MADKIT_HEADER_RMPP_TYPE, mad, type);
}

void madkit_rmpp_set_status(uint8_t *mad, uint8_t status)
{
	field_put(MADKIT_HEADER_RMPP_STATUS, mad, status);
}

void madkit_rmpp_set_segment(uint8_t *mad, uint32_t segment)
{
	field_put(MADKIT_HEADER_RMPP_SEGMENT, mad, segment);
}

void madkit_rmpp_set_length(uint8_t *mad, uint32_t length)
{
	field_put(MADKIT_HEADER_RMPP_PAYLOAD_LENGTH, mad, length);
}
