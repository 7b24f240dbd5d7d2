/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* ClassPortInfo by its parts. The places are the tables'; a test compares. */
#include <errno.h>
#include <string.h>
#include <madkit/cpi.h>
#include "util/bits.h"

enum {
	CAPMASK		= 2,	/* bytes */
	CAPMASK2	= 4,	/* 27 bits, then RespTimeValue */
	RESPTIME_BITS	= 5,
	RESPTIME_MASK	= 0x1f,
};

uint8_t madkit_cpi_get_resp_time(const uint8_t *cpi)
{
	return get_be32(cpi + CAPMASK2) & RESPTIME_MASK;
}

void madkit_cpi_set_resp_time(uint8_t *cpi, uint8_t value)
{
	put_be32(cpi + CAPMASK2,
		 (get_be32(cpi + CAPMASK2) & ~(uint32_t)RESPTIME_MASK) |
		 (value & RESPTIME_MASK));
}

uint64_t madkit_cpi_resp_time_us(uint8_t value)
{
	uint64_t ns = UINT64_C(4096) << (value & RESPTIME_MASK);

	return (ns + 999) / 1000;
}

uint32_t madkit_cpi_get_capmask2(const uint8_t *cpi)
{
	return get_be32(cpi + CAPMASK2) >> RESPTIME_BITS;
}

void madkit_cpi_set_capmask2(uint8_t *cpi, uint32_t mask)
{
	put_be32(cpi + CAPMASK2, mask << RESPTIME_BITS |
		 (get_be32(cpi + CAPMASK2) & RESPTIME_MASK));
}

uint16_t madkit_cpi_get_capmask(const uint8_t *cpi)
{
	return get_be16(cpi + CAPMASK);
}

void madkit_cpi_set_capmask(uint8_t *cpi, uint16_t mask)
{
	put_be16(cpi + CAPMASK, mask);
}

/* Where the parts of a target lie: bit offset and width, width 0 for a part
 * that the form does not have. */
struct part {
	uint16_t offset;
	uint8_t width;
};

struct places {
	uint8_t gid;	/* byte */
	struct part tclass, sl, flow, lid, pkey, hops, qp, qkey;
};

static const struct places redirect_ib = {
	.gid = 8, .tclass = { 192, 8 }, .sl = { 200, 4 }, .flow = { 204, 20 },
	.lid = { 224, 16 }, .pkey = { 240, 16 }, .qp = { 264, 24 },
	.qkey = { 288, 32 },
};

static const struct places redirect_opa = {
	.gid = 8, .tclass = { 192, 8 }, .sl = { 256, 5 }, .flow = { 204, 20 },
	.lid = { 224, 32 }, .pkey = { 592, 16 }, .qp = { 264, 24 },
	.qkey = { 288, 32 },
};

static const struct places trap_ib = {
	.gid = 40, .tclass = { 448, 8 }, .sl = { 456, 4 }, .flow = { 460, 20 },
	.lid = { 480, 16 }, .pkey = { 496, 16 }, .hops = { 512, 8 },
	.qp = { 520, 24 }, .qkey = { 544, 32 },
};

static const struct places trap_opa = {
	.gid = 40, .tclass = { 448, 8 }, .sl = { 608, 5 }, .flow = { 460, 20 },
	.lid = { 480, 32 }, .pkey = { 576, 16 }, .hops = { 512, 8 },
	.qp = { 520, 24 }, .qkey = { 544, 32 },
};

static uint32_t get(const uint8_t *cpi, struct part part)
{
	return part.width ? (uint32_t)bits_get(cpi, part.offset, part.width) : 0;
}

static void put(uint8_t *cpi, struct part part, uint32_t value)
{
	if (part.width)
		bits_put(cpi, part.offset, part.width, value);
}

static bool target_get(const uint8_t *cpi, const struct places *places,
		       struct madkit_cpi_target *target)
{
	static const uint8_t zero[16];

	memcpy(target->gid, cpi + places->gid, 16);
	target->traffic_class = (uint8_t)get(cpi, places->tclass);
	target->sl = (uint8_t)get(cpi, places->sl);
	target->flow_label = get(cpi, places->flow);
	target->lid = get(cpi, places->lid);
	target->pkey = (uint16_t)get(cpi, places->pkey);
	target->hop_limit = (uint8_t)get(cpi, places->hops);
	target->qp = get(cpi, places->qp);
	target->qkey = get(cpi, places->qkey);
	return target->lid || memcmp(target->gid, zero, 16);
}

static bool fits(struct part part, uint32_t value)
{
	return part.width ? value <= bits_mask(part.width) : !value;
}

static int target_set(uint8_t *cpi, const struct places *places,
		      const struct madkit_cpi_target *target)
{
	if (!fits(places->sl, target->sl) || !fits(places->flow, target->flow_label) ||
	    !fits(places->lid, target->lid) || !fits(places->qp, target->qp) ||
	    !fits(places->hops, target->hop_limit))
		return -ERANGE;
	memcpy(cpi + places->gid, target->gid, 16);
	put(cpi, places->tclass, target->traffic_class);
	put(cpi, places->sl, target->sl);
	put(cpi, places->flow, target->flow_label);
	put(cpi, places->lid, target->lid);
	put(cpi, places->pkey, target->pkey);
	put(cpi, places->hops, target->hop_limit);
	put(cpi, places->qp, target->qp);
	put(cpi, places->qkey, target->qkey);
	return 0;
}

bool madkit_cpi_get_redirect(const uint8_t *cpi, bool opa,
			     struct madkit_cpi_target *target)
{
	return target_get(cpi, opa ? &redirect_opa : &redirect_ib, target);
}

int madkit_cpi_set_redirect(uint8_t *cpi, bool opa,
			    const struct madkit_cpi_target *target)
{
	return target_set(cpi, opa ? &redirect_opa : &redirect_ib, target);
}

bool madkit_cpi_get_trap(const uint8_t *cpi, bool opa,
			 struct madkit_cpi_target *target)
{
	return target_get(cpi, opa ? &trap_opa : &trap_ib, target);
}

int madkit_cpi_set_trap(uint8_t *cpi, bool opa,
			const struct madkit_cpi_target *target)
{
	return target_set(cpi, opa ? &trap_opa : &trap_ib, target);
}
