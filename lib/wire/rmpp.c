/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The RMPP header, field by field. */
#include <madkit/mad.h>
#include <madkit/rmpp.h>
#include "util/bits.h"

enum {
	VERSION = 24,
	TYPE = 25,
	RESPTIME_FLAGS = 26, /* 5 bits, 3 bits */
	STATUS = 27,
	SEGMENT = 28,
	LENGTH = 32,
	FLAGS_MASK = 0x07,
	RESPTIME_SHIFT = 3,
};

bool madkit_mad_has_rmpp(const uint8_t *mad, size_t len)
{
	return len >= MADKIT_RMPP_END && madkit_class_is_rmpp(mad[MADKIT_MAD_CLASS]) &&
	       (mad[RESPTIME_FLAGS] & MADKIT_RMPP_ACTIVE);
}

uint8_t madkit_rmpp_get_version(const uint8_t *mad)
{
	return mad[VERSION];
}

uint8_t madkit_rmpp_get_type(const uint8_t *mad)
{
	return mad[TYPE];
}

uint8_t madkit_rmpp_get_status(const uint8_t *mad)
{
	return mad[STATUS];
}

uint32_t madkit_rmpp_get_segment(const uint8_t *mad)
{
	return get_be32(mad + SEGMENT);
}

uint32_t madkit_rmpp_get_length(const uint8_t *mad)
{
	return get_be32(mad + LENGTH);
}

uint8_t madkit_rmpp_get_resptime(const uint8_t *mad)
{
	return mad[RESPTIME_FLAGS] >> RESPTIME_SHIFT;
}

uint8_t madkit_rmpp_get_flags(const uint8_t *mad)
{
	return mad[RESPTIME_FLAGS] & FLAGS_MASK;
}

void madkit_rmpp_set_resptime(uint8_t *mad, uint8_t resptime)
{
	mad[RESPTIME_FLAGS] = (uint8_t)(resptime << RESPTIME_SHIFT | (mad[RESPTIME_FLAGS] & FLAGS_MASK));
}

void madkit_rmpp_set_flags(uint8_t *mad, uint8_t flags)
{
	mad[RESPTIME_FLAGS] = (uint8_t)((mad[RESPTIME_FLAGS] & ~FLAGS_MASK) | (flags & FLAGS_MASK));
}

void madkit_rmpp_set_version(uint8_t *mad, uint8_t version)
{
	mad[VERSION] = version;
}

void madkit_rmpp_set_type(uint8_t *mad, uint8_t type)
{
	mad[TYPE] = type;
}

void madkit_rmpp_set_status(uint8_t *mad, uint8_t status)
{
	mad[STATUS] = status;
}

void madkit_rmpp_set_segment(uint8_t *mad, uint32_t segment)
{
	put_be32(mad + SEGMENT, segment);
}

void madkit_rmpp_set_length(uint8_t *mad, uint32_t length)
{
	put_be32(mad + LENGTH, length);
}
