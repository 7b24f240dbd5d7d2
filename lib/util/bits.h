/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Big-endian numbers in memory, and bits counted from the most significant. */
#ifndef UTIL_BITS_H
#define UTIL_BITS_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <endian.h>

static inline uint16_t get_be16(const uint8_t *p)
{
	uint16_t v;

	memcpy(&v, p, sizeof(v));
	return be16toh(v);
}

static inline uint32_t get_be32(const uint8_t *p)
{
	uint32_t v;

	memcpy(&v, p, sizeof(v));
	return be32toh(v);
}

static inline uint64_t get_be64(const uint8_t *p)
{
	uint64_t v;

	memcpy(&v, p, sizeof(v));
	return be64toh(v);
}

static inline void put_be16(uint8_t *p, uint16_t v)
{
	v = htobe16(v);
	memcpy(p, &v, sizeof(v));
}

static inline void put_be32(uint8_t *p, uint32_t v)
{
	v = htobe32(v);
	memcpy(p, &v, sizeof(v));
}

static inline void put_be64(uint8_t *p, uint64_t v)
{
	v = htobe64(v);
	memcpy(p, &v, sizeof(v));
}

static inline bool bits_test(const uint8_t *p, uint32_t bit)
{
	return p[bit / 8] & 0x80 >> bit % 8;
}

/* Returns ones in the low width bits; width is 1 to 64. */
static inline uint64_t bits_mask(unsigned int width)
{
	return ~UINT64_C(0) >> (64 - width);
}

/* Returns width (1 to 64) bits from bit offset on. The caller must have checked that all bytes touched can be
 * read. */
static inline uint64_t bits_get(const uint8_t *p, uint32_t offset, unsigned int width)
{
	p += offset / 8;
	offset %= 8;
	/* whole bytes, at any alignment: nearly every field */
	if (!offset) {
		switch (width) {
		case 8:
			return *p;
		case 16:
			return get_be16(p);
		case 32:
			return get_be32(p);
		case 64:
			return get_be64(p);
		}
	}
	uint64_t v = *p++ & (0xffu >> offset);
	unsigned int have = 8 - offset;

	if (have >= width)
		return v >> (have - width);
	for (; width - have >= 8; have += 8)
		v = v << 8 | *p++;
	if (have < width)
		v = v << (width - have) | *p >> (8 - (width - have));
	return v;
}

/* The inverse of bits_get(). Bits of v above width are ignored; other bits are kept. */
static inline void bits_put(uint8_t *p, uint32_t offset, unsigned int width, uint64_t v)
{
	p += offset / 8;
	offset %= 8;
	if (!offset) {
		switch (width) {
		case 8:
			*p = (uint8_t)v;
			return;
		case 16:
			put_be16(p, (uint16_t)v);
			return;
		case 32:
			put_be32(p, (uint32_t)v);
			return;
		case 64:
			put_be64(p, v);
			return;
		}
	}
	while (width) {
		unsigned int room = 8 - offset;
		unsigned int take = width < room ? width : room;
		unsigned int shift = room - take;
		uint8_t mask = (uint8_t)((0xffu >> (8 - take)) << shift);

		width -= take;
		*p = (uint8_t)((*p & ~mask) | ((v >> width << shift) & mask));
		p++;
		offset = 0;
	}
}

static inline bool bytes_are_zero(const uint8_t *p, size_t n)
{
	uint64_t any = 0;

	for (; n >= 8; n -= 8, p += 8) {
		uint64_t v;

		memcpy(&v, p, 8);
		any |= v;
	}
	while (n--)
		any |= *p++;
	return !any;
}

#endif
