/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Statuses in words. */
#include <stdarg.h>
#include <stdio.h>
#include <madkit/mad.h>
#include "tables/values.h"

struct out {
	char *text;
	size_t size;
	size_t len;
};

__attribute__((format(printf, 2, 3))) static void status_append(struct out *out, const char *format, ...)
{
	va_list args;

	for (int part = 0; part < 2; part++) {
		size_t room = out->len < out->size ? out->size - out->len : 0;
		char *at = room ? out->text + out->len : NULL;
		int n;

		if (part) {
			va_start(args, format);
			n = vsnprintf(at, room, format, args);
			va_end(args);
		} else {
			n = out->len ? snprintf(at, room, ", ") : 0;
		}
		if (n > 0)
			out->len += (size_t)n;
	}
}

size_t madkit_status_text(uint8_t mgmt_class, uint16_t status, char *text, size_t size)
{
	struct out out = { .text = text, .size = size };
	unsigned int code = status >> MADKIT_STATUS_CODE_SHIFT & MADKIT_STATUS_CODE_MASK;
	uint8_t class_status = (uint8_t)(status >> MADKIT_STATUS_CLASS_SHIFT);
	const char *name;

	if (size)
		text[0] = 0;
	/* the highest bit of a directed-route SMP's status is the direction */
	if (mgmt_class == MADKIT_CLASS_SUBN_DR)
		class_status &= 0x7f;
	if (status & MADKIT_STATUS_BUSY)
		status_append(&out, "busy");
	if (status & MADKIT_STATUS_REDIRECT)
		status_append(&out, "redirect required");
	name = madkit_value_name(madkit_values_status_code, code);
	if (name)
		status_append(&out, "%s", name);
	if (class_status) {
		name = mgmt_class == MADKIT_CLASS_SA ? madkit_sa_status_name(class_status) : NULL;
		if (name)
			status_append(&out, "%s", name);
		else
			status_append(&out, "class-specific status 0x%02x", class_status);
	}
	if (status & MADKIT_STATUS_RESERVED)
		status_append(&out, "reserved bits 0x%04x", (unsigned int)(status & MADKIT_STATUS_RESERVED));
	if (!out.len)
		status_append(&out, "OK");
	return out.len;
}

const char *madkit_sa_status_name(uint8_t status)
{
	return madkit_value_name(madkit_values_sa_status, status);
}

const char *madkit_rmpp_status_name(uint8_t status)
{
	return madkit_value_name(madkit_values_rmpp_status, status);
}

size_t madkit_rmpp_status_text(uint8_t status, char *text, size_t size)
{
	const char *name = madkit_rmpp_status_name(status);
	int len = snprintf(text, size, "RMPP status %u%s%s%s", status, name ? " (" : "", name ? name : "",
			   name ? ")" : "");

	return len < 0 ? 0 : (size_t)len;
}

size_t madkit_rmpp_end_text(uint8_t status, bool illegal, char *text, size_t size)
{
	int len;

	if (!illegal)
		return madkit_rmpp_status_text(status, text, size);
	len = snprintf(text, size, "RMPP status %u (illegal)", status);
	return len < 0 ? 0 : (size_t)len;
}
