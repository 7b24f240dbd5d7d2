/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Access to the parts of ClassPortInfo. */
#include <errno.h>
#include <string.h>
#include <madkit/cpi.h>
#include "wire/access.h"

uint8_t madkit_cpi_get_resp_time(const uint8_t *cpi)
{
	return (uint8_t)field_get(MADKIT_CLASS_PORT_INFO_RESP_TIME_VAL, cpi);
}

void madkit_cpi_set_resp_time(uint8_t *cpi, uint8_t value)
{
	field_put(MADKIT_CLASS_PORT_INFO_RESP_TIME_VAL, cpi, value);
}

uint64_t madkit_cpi_resp_time_us(uint8_t value)
{
	uint64_t ns = UINT64_C(4096) << (value & bits_mask(at_width(MADKIT_CLASS_PORT_INFO_RESP_TIME_VAL)));

	return (ns + 999) / 1000;
}

uint32_t madkit_cpi_get_capmask2(const uint8_t *cpi)
{
	return (uint32_t)field_get(MADKIT_CLASS_PORT_INFO_CAPABILITY_MASK2, cpi);
}

void madkit_cpi_set_capmask2(uint8_t *cpi, uint32_t mask)
{
	field_put(MADKIT_CLASS_PORT_INFO_CAPABILITY_MASK2, cpi, mask);
}

uint16_t madkit_cpi_get_capmask(const uint8_t *cpi)
{
	return (uint16_t)field_get(MADKIT_CLASS_PORT_INFO_CAPABILITY_MASK, cpi);
}

void madkit_cpi_set_capmask(uint8_t *cpi, uint16_t mask)
{
	field_put(MADKIT_CLASS_PORT_INFO_CAPABILITY_MASK, cpi, mask);
}

unsigned int madkit_cpi_get_counters(const uint8_t *cpi)
{
	const uint16_t mask = madkit_cpi_get_capmask(cpi);
	unsigned int counters = 0;

	if (mask & MADKIT_CPI_CAP_PERF_ALL_PORT_SELECT)
		counters |= MADKIT_CPI_COUNTERS_SUM;
	if (mask & MADKIT_CPI_CAP_PERF_IS_EXTENDED_WIDTH_SUPPORTED)
		counters |= MADKIT_CPI_COUNTERS_EXTENDED | MADKIT_CPI_COUNTERS_IETF;
	if (mask & MADKIT_CPI_CAP_PERF_IS_EXTENDED_WIDTH_SUPPORTED_NO_IETF)
		counters |= MADKIT_CPI_COUNTERS_EXTENDED;
	if (counters & MADKIT_CPI_COUNTERS_EXTENDED &&
	    madkit_cpi_get_capmask2(cpi) &
		    MADKIT_CPI_CAP2_PERF_IS_ADDITIONAL_PORT_COUNTERS_EXTENDED_SUPPORTED)
		counters |= MADKIT_CPI_COUNTERS_ERRORS;
	return counters;
}

/* ---- targets: of a redirection, of traps ------------------------------------------- */

enum part { GID, TC, SL, FL, LID, PKEY, HL, QP, QKEY, PARTS };

/* The fields of a target; hl: 0 if it has no hop limit. */
#define TARGET(name, hl) \
	{ \
		[GID] = name##_GID, [TC] = name##_TC, [SL] = name##_SL, [FL] = name##_FL, \
		[LID] = name##_LID, [PKEY] = name##_P_KEY, [HL] = hl, [QP] = name##_QP, \
		[QKEY] = name##_Q_KEY, \
	}

/* in the form of the IBA, and in that of OPA */
static const uint64_t redirect[2][PARTS] = {
	TARGET(MADKIT_CLASS_PORT_INFO_REDIRECT, 0),
	TARGET(MADKIT_CLASS_PORT_INFO_OPA_REDIRECT, 0),
};

static const uint64_t trap[2][PARTS] = {
	TARGET(MADKIT_CLASS_PORT_INFO_TRAP, MADKIT_CLASS_PORT_INFO_TRAP_HL),
	TARGET(MADKIT_CLASS_PORT_INFO_OPA_TRAP, MADKIT_CLASS_PORT_INFO_OPA_TRAP_HL),
};

static bool target_get(const uint8_t *cpi, const uint64_t fields[PARTS], struct madkit_cpi_target *target)
{
	static const uint8_t zero[16];

	memcpy(target->gid, cpi + field_at(fields[GID]), 16);
	target->traffic_class = (uint8_t)field_get(fields[TC], cpi);
	target->sl = (uint8_t)field_get(fields[SL], cpi);
	target->flow_label = (uint32_t)field_get(fields[FL], cpi);
	target->lid = (uint32_t)field_get(fields[LID], cpi);
	target->pkey = (uint16_t)field_get(fields[PKEY], cpi);
	target->hop_limit = fields[HL] ? (uint8_t)field_get(fields[HL], cpi) : 0;
	target->qp = (uint32_t)field_get(fields[QP], cpi);
	target->qkey = (uint32_t)field_get(fields[QKEY], cpi);
	return target->lid || memcmp(target->gid, zero, 16);
}

static int target_set(uint8_t *cpi, const uint64_t fields[PARTS], const struct madkit_cpi_target *target)
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

	for (int part = TC; part < PARTS; part++)
		if (values[part] > (fields[part] ? bits_mask(at_width(fields[part])) : 0))
			return -ERANGE;
	memcpy(cpi + field_at(fields[GID]), target->gid, 16);
	for (int part = TC; part < PARTS; part++)
		if (fields[part])
			field_put(fields[part], cpi, values[part]);
	return 0;
}

bool madkit_cpi_get_redirect(const uint8_t *cpi, bool opa, struct madkit_cpi_target *target)
{
	return target_get(cpi, redirect[opa], target);
}

int madkit_cpi_set_redirect(uint8_t *cpi, bool opa, const struct madkit_cpi_target *target)
{
	return target_set(cpi, redirect[opa], target);
}

bool madkit_cpi_get_trap(const uint8_t *cpi, bool opa, struct madkit_cpi_target *target)
{
	return target_get(cpi, trap[opa], target);
}

int madkit_cpi_set_trap(uint8_t *cpi, bool opa, const struct madkit_cpi_target *target)
{
	return target_set(cpi, trap[opa], target);
}
