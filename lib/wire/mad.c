/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The common header, and the meaning of classes and methods. */
#include <errno.h>
#include <string.h>
#include <madkit/num.h>
#include <madkit/field.h>
#include <madkit/mad.h>
#include <madkit/registry.h>
#include "util/bits.h"
#include "tables/values.h"

#define DIRECTION_BIT 0x8000 /* in the status of a directed-route SMP */

size_t madkit_mad_bytes(uint8_t base_version)
{
	return base_version == MADKIT_BASE_VERSION_OPA ? MADKIT_MAD_OPA_BYTES : MADKIT_MAD_BYTES;
}

int madkit_header_get(const uint8_t *mad, size_t len, struct madkit_header *h)
{
	if (len < MADKIT_HEADER_BYTES)
		return -ENODATA;
	h->base_version = mad[MADKIT_MAD_BASE_VERSION];
	h->mgmt_class = mad[MADKIT_MAD_CLASS];
	h->class_version = mad[MADKIT_MAD_CLASS_VERSION];
	h->method = mad[MADKIT_MAD_METHOD];
	h->status = get_be16(mad + MADKIT_MAD_STATUS);
	if (h->mgmt_class == MADKIT_CLASS_SUBN_DR)
		h->status &= (uint16_t)~DIRECTION_BIT;
	h->tid = get_be64(mad + MADKIT_MAD_TID);
	h->attribute = get_be16(mad + MADKIT_MAD_ATTRIBUTE);
	h->modifier = get_be32(mad + MADKIT_MAD_MODIFIER);
	return 0;
}

int madkit_header_put(uint8_t *mad, size_t len, const struct madkit_header *h)
{
	uint16_t status = h->status;

	if (len < MADKIT_HEADER_BYTES)
		return -ENODATA;
	if (h->mgmt_class == MADKIT_CLASS_SUBN_DR)
		status = (uint16_t)((status & ~DIRECTION_BIT) |
				    (get_be16(mad + MADKIT_MAD_STATUS) & DIRECTION_BIT));
	mad[MADKIT_MAD_BASE_VERSION] = h->base_version;
	mad[MADKIT_MAD_CLASS] = h->mgmt_class;
	mad[MADKIT_MAD_CLASS_VERSION] = h->class_version;
	mad[MADKIT_MAD_METHOD] = h->method;
	put_be16(mad + MADKIT_MAD_STATUS, status);
	put_be64(mad + MADKIT_MAD_TID, h->tid);
	put_be16(mad + MADKIT_MAD_ATTRIBUTE, h->attribute);
	put_be32(mad + MADKIT_MAD_MODIFIER, h->modifier);
	return 0;
}

bool madkit_mad_is_response(const uint8_t *mad, size_t len)
{
	if (len < MADKIT_HEADER_BYTES)
		return false;
	return (mad[MADKIT_MAD_METHOD] & MADKIT_METHOD_RESPONSE) ||
	       mad[MADKIT_MAD_METHOD] == MADKIT_METHOD_TRAP_REPRESS ||
	       (mad[MADKIT_MAD_CLASS] == MADKIT_CLASS_BM && (get_be32(mad + MADKIT_MAD_MODIFIER) & 1));
}

uint8_t madkit_method_response(uint8_t mgmt_class, uint8_t method)
{
	switch (method) {
	case MADKIT_METHOD_SET:
		return MADKIT_METHOD_GET | MADKIT_METHOD_RESPONSE;
	case MADKIT_METHOD_SEND:
		return mgmt_class == MADKIT_CLASS_BM ? method : 0;
	case MADKIT_METHOD_TRAP:
		return MADKIT_METHOD_TRAP_REPRESS;
	case MADKIT_METHOD_TRAP_REPRESS:
		return 0;
	case MADKIT_METHOD_GET_TRACE_TABLE:
		if (mgmt_class == MADKIT_CLASS_SA)
			return MADKIT_METHOD_GET_TABLE | MADKIT_METHOD_RESPONSE;
		break;
	}
	return method & MADKIT_METHOD_RESPONSE ? 0 : method | MADKIT_METHOD_RESPONSE;
}

bool madkit_class_is_vendor2(uint8_t mgmt_class)
{
	return mgmt_class >= MADKIT_CLASS_VENDOR2_FIRST && mgmt_class <= MADKIT_CLASS_VENDOR2_LAST;
}

bool madkit_class_is_smi(uint8_t mgmt_class)
{
	return mgmt_class == MADKIT_CLASS_SUBN || mgmt_class == MADKIT_CLASS_SUBN_DR;
}

/* Checks for a class with the layout of device management. */
static bool mad_is_device_class(uint8_t mgmt_class)
{
	return mgmt_class == MADKIT_CLASS_DEVICE || mgmt_class == MADKIT_CLASS_DEVADM ||
	       mgmt_class == MADKIT_CLASS_BIS;
}

bool madkit_class_is_rmpp(uint8_t mgmt_class)
{
	return mgmt_class == MADKIT_CLASS_SA || mad_is_device_class(mgmt_class) ||
	       madkit_class_is_vendor2(mgmt_class);
}

size_t madkit_class_data_offset(uint8_t mgmt_class)
{
	if (mgmt_class == MADKIT_CLASS_SA)
		return MADKIT_SA_DATA;
	if (mad_is_device_class(mgmt_class))
		return MADKIT_DEVICE_DATA;
	if (madkit_class_is_vendor2(mgmt_class))
		return MADKIT_VENDOR2_DATA;
	return MADKIT_HEADER_BYTES;
}

/* ---- methods --------------------------------------------------------------- */

const char *madkit_method_name(uint8_t mgmt_class, uint8_t method)
{
	const char *name = NULL;

	if (mgmt_class == MADKIT_CLASS_SA)
		name = madkit_value_name(madkit_values_method_sa, method);
	return name ? name : madkit_value_name(madkit_values_method, method);
}

int madkit_method_find(uint8_t mgmt_class, const char *name, uint8_t *method)
{
	size_t len = strlen(name);
	uint64_t value;

	if (madkit_value_find(madkit_values_method, name, len, &value) &&
	    (mgmt_class != MADKIT_CLASS_SA ||
	     madkit_value_find(madkit_values_method_sa, name, len, &value)) &&
	    madkit_parse_number(name, len, 0xff, "method", &value, NULL))
		return -ENOENT;
	*method = (uint8_t)value;
	return 0;
}
