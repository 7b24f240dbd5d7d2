/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <madkit/mad.h>
#include <madkit/registry.h>
#include "transport/refusal.h"

/* The kernel's MAX_MGMT_CLASS and MAX_MGMT_VERSION (drivers/infiniband/core). */
enum { CLASS_LIMIT = 0x50, VERSION_LIMIT = 0x83, OUI_MAX = 0xffffff };

static const struct {
	const char *name;
	int code;
} causes[] = {
	[MADKIT_REFUSAL_NONE]		= { "none", 0 },
	[MADKIT_REFUSAL_CLASS]		= { "class", -EINVAL },
	[MADKIT_REFUSAL_VERSION]	= { "class-version", -EINVAL },
	[MADKIT_REFUSAL_OUI]		= { "oui", -EINVAL },
	[MADKIT_REFUSAL_RMPP_VERSION]	= { "rmpp-version", -EINVAL },
	[MADKIT_REFUSAL_RMPP_CLASS]	= { "rmpp-class", -EINVAL },
	[MADKIT_REFUSAL_FLAGS]		= { "flags", -EINVAL },
	[MADKIT_REFUSAL_NO_SMI]		= { "no-smi", -EPROTONOSUPPORT },
	[MADKIT_REFUSAL_PERMISSION]	= { "permission", -EPERM },
	[MADKIT_REFUSAL_AGENTS]		= { "agents-exhausted", -ENOMEM },
	[MADKIT_REFUSAL_TAKEN]		= { "methods-taken", -EBUSY },
	[MADKIT_REFUSAL_DEVICE]		= { "device-gone", -ENODEV },
	[MADKIT_REFUSAL_OTHER]		= { "other", -EINVAL },
};

const char *madkit_refusal_cause_name(enum madkit_refusal_cause cause)
{
	size_t n = sizeof(causes) / sizeof(causes[0]);

	return (size_t)cause < n ? causes[cause].name : NULL;
}

int refusal_set(struct madkit_refusal *refusal, enum madkit_refusal_cause cause,
		int code, const char *format, ...)
{
	char text[sizeof(refusal->error.text)];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	refusal->cause = cause;
	refusal->code = code;
	return madkit_error_set(&refusal->error, causes[cause].code, -1, "%s", text);
}

enum madkit_refusal_cause
refusal_from_request(const struct madkit_agent_attr *attr, int code,
		     struct madkit_refusal *refusal)
{
	uint8_t class = attr->mgmt_class;
	char buf[20];

	if (attr->rmpp_version > 1)
		refusal_set(refusal, MADKIT_REFUSAL_RMPP_VERSION, code,
			    "RMPP version %u: the kernel knows 0 and 1",
			    attr->rmpp_version);
	else if (class >= CLASS_LIMIT && class != MADKIT_CLASS_SUBN_DR)
		refusal_set(refusal, MADKIT_REFUSAL_CLASS, code,
			    "class 0x%02x: the kernel takes classes below 0x%02x, and 0x%02x",
			    class, CLASS_LIMIT, MADKIT_CLASS_SUBN_DR);
	else if (!class && (attr->method_mask[0] || attr->method_mask[1]))
		refusal_set(refusal, MADKIT_REFUSAL_CLASS, code,
			    "class 0 is for sending only and takes no methods");
	else if (!class && attr->flags)
		refusal_set(refusal, MADKIT_REFUSAL_CLASS, code,
			    "class 0 is for sending only and takes no flags");
	else if (class && attr->class_version >= VERSION_LIMIT)
		refusal_set(refusal, MADKIT_REFUSAL_VERSION, code,
			    "class version 0x%02x: the kernel takes versions below 0x%02x",
			    attr->class_version, VERSION_LIMIT);
	else if (madkit_class_is_vendor2(class) && !attr->oui)
		refusal_set(refusal, MADKIT_REFUSAL_OUI, code,
			    "class 0x%02x needs the OUI of its vendor", class);
	else if (madkit_class_is_vendor2(class) && attr->oui > OUI_MAX)
		refusal_set(refusal, MADKIT_REFUSAL_OUI, code,
			    "OUI 0x%x has more than 24 bits", attr->oui);
	else if (class && attr->rmpp_version && !madkit_class_is_rmpp(class))
		refusal_set(refusal, MADKIT_REFUSAL_RMPP_CLASS, code,
			    "class %s carries no RMPP",
			    madkit_class_name(class, buf));
	else
		return MADKIT_REFUSAL_NONE;
	return refusal->cause;
}

void refusal_methods(const uint64_t mask[2], char *text, size_t size)
{
	size_t len = 0;

	text[0] = '\0';
	for (uint8_t m = 0; m < MADKIT_METHOD_RESPONSE && len < size; m++)
		if (madkit_method_mask_has(mask, m))
			len += (size_t)snprintf(text + len, size - len, "%s0x%02x",
						len ? ", " : "", m);
}
