/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Converts statuses to text. */
#include <stdio.h>
#include <madkit/mad.h>
#include "tables/values.h"

enum { STATUS_NO_REGISTER = 5 };

size_t madkit_status_text(uint8_t mgmt_class, uint16_t status, char *text, size_t size)
{
	unsigned int code = status >> MADKIT_STATUS_CODE_SHIFT & MADKIT_STATUS_CODE_MASK;
	uint8_t class_status = (uint8_t)(status >> MADKIT_STATUS_CLASS_SHIFT);
	const char *words[5], *name;
	char number[40], reserved[24], all[256] = "OK";
	size_t n = 0, len = 0;

	/* the highest bit of a directed-route SMP's status is the direction */
	if (mgmt_class == MADKIT_CLASS_SUBN_DR)
		class_status &= 0x7f;
	if (status & MADKIT_STATUS_BUSY)
		words[n++] = "busy";
	if (status & MADKIT_STATUS_REDIRECT)
		words[n++] = "redirect required";
	/* mstflint's word for a code that the IBA reserves */
	name = mgmt_class == MADKIT_CLASS_MLNX && code == STATUS_NO_REGISTER ?
		       "register not supported" :
		       madkit_value_name(madkit_values_status_code, code);
	if (name)
		words[n++] = name;
	if (class_status) {
		name = mgmt_class == MADKIT_CLASS_SA ?
			       madkit_value_name(madkit_values_sa_status, class_status) :
			       NULL;
		snprintf(number, sizeof(number), "class-specific status 0x%02x", class_status);
		words[n++] = name ? name : number;
	}
	if (status & MADKIT_STATUS_RESERVED) {
		snprintf(reserved, sizeof(reserved), "reserved bits 0x%04x",
			 (unsigned int)(status & MADKIT_STATUS_RESERVED));
		words[n++] = reserved;
	}
	for (size_t i = 0; i < n && len < sizeof(all); i++)
		len += (size_t)snprintf(all + len, sizeof(all) - len, "%s%s", i ? ", " : "", words[i]);
	return (size_t)snprintf(text, size, "%s", all);
}

size_t madkit_rmpp_end_text(uint8_t status, bool illegal, char *text, size_t size)
{
	const char *name = illegal ? "illegal" : madkit_value_name(madkit_values_rmpp_status, status);
	int len = snprintf(text, size, "RMPP status %u%s%s%s", status, name ? " (" : "", name ? name : "",
			   name ? ")" : "");

	return len < 0 ? 0 : (size_t)len;
}
