/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Access to fields by constants (madkit/access.h) in buffers that are known to contain them. */
#ifndef WIRE_ACCESS_H
#define WIRE_ACCESS_H

#include <stddef.h>
#include <stdint.h>
#include <madkit/constants.h>
#include <madkit/mad.h>
#include "util/bits.h"

/* The parts of a constant. */
static inline uint32_t at_offset(uint64_t field)
{
	return field & 0xffff;
}

static inline uint32_t at_width(uint64_t field)
{
	return field >> 16 & 0xffff;
}

static inline unsigned int at_count(uint64_t field)
{
	return field >> 32 & 0xfff;
}

/* Returns MADKIT_AT_HEADER, MADKIT_AT_PORT_OBJECT, or a component number + 1 of a field of an attribute. */
static inline unsigned int at_component(uint64_t field)
{
	return field >> 56 & 0x7f;
}

static inline uint64_t field_get(uint64_t field, const uint8_t *base)
{
	return bits_get(base, at_offset(field), at_width(field));
}

static inline void field_put(uint64_t field, uint8_t *base, uint64_t value)
{
	bits_put(base, at_offset(field), at_width(field), value);
}

/* An element of an array. */
static inline uint64_t element_get(uint64_t field, unsigned int i, const uint8_t *base)
{
	return field_get(madkit_element(field, i), base);
}

static inline void element_put(uint64_t field, unsigned int i, uint8_t *base, uint64_t value)
{
	field_put(madkit_element(field, i), base, value);
}

/* Returns the OUI of a MAD of a vendor's class that has one; 0 for any other MAD. */
static inline uint32_t oui_get(const uint8_t *mad, size_t len)
{
	if (len < MADKIT_VENDOR2_DATA || !madkit_class_is_vendor2(mad[MADKIT_MAD_CLASS]))
		return 0;
	return (uint32_t)field_get(MADKIT_HEADER_VENDOR2_OUI, mad);
}

/* Returns the byte at which a field of whole bytes begins: a GID, a structure, text. */
static inline size_t field_at(uint64_t field)
{
	return at_offset(field) / 8;
}

#endif
