/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* ClassPortInfo by its parts. */
#include <errno.h>
#include <string.h>
#include <madkit/cpi.h>
#include "tables/tables.h"
#include "util/bits.h"
#include "wire/layout.h"

enum {
	CAPMASK = 2,  /* bytes */
	CAPMASK2 = 4, /* 27 bits, then RespTimeValue */
	RESPTIME_BITS = 5,
	RESPTIME_MASK = 0x1f,
};

uint8_t madkit_cpi_get_resp_time(const uint8_t *cpi)
{
	return get_be32(cpi + CAPMASK2) & RESPTIME_MASK;
}

void madkit_cpi_set_resp_time(uint8_t *cpi, uint8_t value)
{
	put_be32(cpi + CAPMASK2,
		 (get_be32(cpi + CAPMASK2) & ~(uint32_t)RESPTIME_MASK) | (value & RESPTIME_MASK));
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
	put_be32(cpi + CAPMASK2, mask << RESPTIME_BITS | (get_be32(cpi + CAPMASK2) & RESPTIME_MASK));
}

uint16_t madkit_cpi_get_capmask(const uint8_t *cpi)
{
	return get_be16(cpi + CAPMASK);
}

void madkit_cpi_set_capmask(uint8_t *cpi, uint16_t mask)
{
	put_be16(cpi + CAPMASK, mask);
}

/* The parts of a target, by the names that the layouts have for them. */
enum part { GID, TC, SL, FL, LID, PKEY, HL, QP, QKEY, PARTS };

static const char *const redirect[PARTS] = {
	[GID] = "RedirectGID", [TC] = "RedirectTC",     [SL] = "RedirectSL", [FL] = "RedirectFL",
	[LID] = "RedirectLID", [PKEY] = "RedirectPKey", [QP] = "RedirectQP", [QKEY] = "RedirectQKey",
};

static const char *const trap[PARTS] = {
	[GID] = "TrapGID",   [TC] = "TrapTC", [SL] = "TrapSL", [FL] = "TrapFL",     [LID] = "TrapLID",
	[PKEY] = "TrapPKey", [HL] = "TrapHL", [QP] = "TrapQP", [QKEY] = "TrapQKey",
};

static const struct madkit_layout *form(bool opa)
{
	return opa ? &madkit_layout_class_port_info_opa : &madkit_layout_class_port_info;
}

static uint32_t cpi_get(const struct madkit_layout *layout, const uint8_t *cpi, const char *name)
{
	const struct madkit_field *field = layout_field(layout, name);
	uint64_t value = 0;

	if (field)
		madkit_field_get(field, 0, cpi, layout->bytes, &value);
	return (uint32_t)value;
}

static bool target_get(const struct madkit_layout *layout, const uint8_t *cpi, const char *const names[PARTS],
		       struct madkit_cpi_target *target)
{
	static const uint8_t zero[16];

	memcpy(target->gid, cpi + layout_field(layout, names[GID])->offset / 8, 16);
	target->traffic_class = (uint8_t)cpi_get(layout, cpi, names[TC]);
	target->sl = (uint8_t)cpi_get(layout, cpi, names[SL]);
	target->flow_label = cpi_get(layout, cpi, names[FL]);
	target->lid = cpi_get(layout, cpi, names[LID]);
	target->pkey = (uint16_t)cpi_get(layout, cpi, names[PKEY]);
	target->hop_limit = (uint8_t)cpi_get(layout, cpi, names[HL]);
	target->qp = cpi_get(layout, cpi, names[QP]);
	target->qkey = cpi_get(layout, cpi, names[QKEY]);
	return target->lid || memcmp(target->gid, zero, 16);
}

static int target_set(const struct madkit_layout *layout, uint8_t *cpi, const char *const names[PARTS],
		      const struct madkit_cpi_target *target)
{
	const uint32_t values[PARTS] = {
		[TC] = target->traffic_class,
		[SL] = target->sl,
		[FL] = target->flow_label,
		[LID] = target->lid,
		[PKEY] = target->pkey,
		[HL] = target->hop_limit,
		[QP] = target->qp,
		[QKEY] = target->qkey,
	};
	uint8_t copy[MADKIT_CPI_OPA_BYTES];

	memcpy(copy, cpi, layout->bytes);
	memcpy(copy + layout_field(layout, names[GID])->offset / 8, target->gid, 16);
	for (int part = GID + 1; part < PARTS; part++) {
		const struct madkit_field *field = layout_field(layout, names[part]);

		if (field ? madkit_field_put(field, 0, copy, layout->bytes, values[part]) : values[part] != 0)
			return -ERANGE;
	}
	memcpy(cpi, copy, layout->bytes);
	return 0;
}

bool madkit_cpi_get_redirect(const uint8_t *cpi, bool opa, struct madkit_cpi_target *target)
{
	return target_get(form(opa), cpi, redirect, target);
}

int madkit_cpi_set_redirect(uint8_t *cpi, bool opa, const struct madkit_cpi_target *target)
{
	return target_set(form(opa), cpi, redirect, target);
}

bool madkit_cpi_get_trap(const uint8_t *cpi, bool opa, struct madkit_cpi_target *target)
{
	return target_get(form(opa), cpi, trap, target);
}

int madkit_cpi_set_trap(uint8_t *cpi, bool opa, const struct madkit_cpi_target *target)
{
	return target_set(form(opa), cpi, trap, target);
}
