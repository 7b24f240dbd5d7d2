/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <madkit/mad.h>
#include <madkit/registry.h>
#include "transport/refusal.h"
#include "util/array_size.h"

/* The kernel's MAX_MGMT_CLASS and MAX_MGMT_VERSION (drivers/infiniband/core). */
enum { CLASS_LIMIT = 0x50, VERSION_LIMIT = 0x83, OUI_MAX = 0xffffff };

static const struct {
	const char *name;
	int code;
} causes[] = {
	[MADKIT_REFUSAL_NONE] = { "none", 0 },
	[MADKIT_REFUSAL_CLASS] = { "class", -EINVAL },
	[MADKIT_REFUSAL_VERSION] = { "class-version", -EINVAL },
	[MADKIT_REFUSAL_OUI] = { "oui", -EINVAL },
	[MADKIT_REFUSAL_RMPP_VERSION] = { "rmpp-version", -EINVAL },
	[MADKIT_REFUSAL_RMPP_CLASS] = { "rmpp-class", -EINVAL },
	[MADKIT_REFUSAL_FLAGS] = { "flags", -EINVAL },
	[MADKIT_REFUSAL_NO_SMI] = { "no-smi", -EPROTONOSUPPORT },
	[MADKIT_REFUSAL_PERMISSION] = { "permission", -EPERM },
	[MADKIT_REFUSAL_AGENTS] = { "agents-exhausted", -ENOMEM },
	[MADKIT_REFUSAL_TAKEN] = { "methods-taken", -EBUSY },
	[MADKIT_REFUSAL_DEVICE] = { "device-gone", -ENODEV },
	[MADKIT_REFUSAL_NO_GSI] = { "no-gsi", -EPROTONOSUPPORT },
	[MADKIT_REFUSAL_OTHER] = { "other", -EINVAL },
};

const char *madkit_refusal_cause_name(enum madkit_refusal_cause cause)
{
	size_t n = ARRAY_SIZE(causes);

	return (size_t)cause < n ? causes[cause].name : NULL;
}

int refusal_set(struct madkit_refusal *refusal, enum madkit_refusal_cause cause, int code, const char *format,
		...)
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

enum madkit_refusal_cause refusal_from_request(const struct madkit_agent_attr *attr, int code,
					       struct madkit_refusal *refusal)
{
	uint8_t class = attr->mgmt_class;
	char buf[20];

	if (attr->rmpp_version > 1)
		refusal_set(refusal, MADKIT_REFUSAL_RMPP_VERSION, code,
			    "RMPP version %u: the kernel accepts 0 and 1", attr->rmpp_version);
	else if (class >= CLASS_LIMIT && class != MADKIT_CLASS_SUBN_DR)
		refusal_set(refusal, MADKIT_REFUSAL_CLASS, code,
			    "class 0x%02x: the kernel accepts classes below 0x%02x, and 0x%02x", class,
			    CLASS_LIMIT, MADKIT_CLASS_SUBN_DR);
	else if (!class && (attr->method_mask[0] || attr->method_mask[1]))
		refusal_set(refusal, MADKIT_REFUSAL_CLASS, code,
			    "class 0 is for sending only and accepts no methods");
	else if (!class && attr->flags)
		refusal_set(refusal, MADKIT_REFUSAL_CLASS, code,
			    "class 0 is for sending only and accepts no flags");
	else if (class && attr->class_version >= VERSION_LIMIT)
		refusal_set(refusal, MADKIT_REFUSAL_VERSION, code,
			    "class version 0x%02x: the kernel accepts versions below 0x%02x",
			    attr->class_version, VERSION_LIMIT);
	else if (madkit_class_is_vendor2(class) && !attr->oui)
		refusal_set(refusal, MADKIT_REFUSAL_OUI, code, "class 0x%02x needs the OUI of its vendor",
			    class);
	else if (madkit_class_is_vendor2(class) && attr->oui > OUI_MAX)
		refusal_set(refusal, MADKIT_REFUSAL_OUI, code, "OUI 0x%x has more than 24 bits", attr->oui);
	else if (class && attr->rmpp_version && !madkit_class_is_rmpp(class))
		refusal_set(refusal, MADKIT_REFUSAL_RMPP_CLASS, code, "class %s does not use RMPP",
			    madkit_class_name(class, buf));
	else
		return MADKIT_REFUSAL_NONE;
	return refusal->cause;
}

bool refusal_before(const struct madkit_agent_attr *attr, struct madkit_refusal *refusal)
{
	return !attr->mgmt_class && (attr->method_mask[0] || attr->method_mask[1]) &&
	       refusal_from_request(attr, EINVAL, refusal);
}

int refusal_taken(struct madkit_refusal *refusal, uint8_t mgmt_class, int code)
{
	char methods[128] = "", class_name[20];
	size_t len = 0;

	/* by name, otherwise by number: "Get, 0x10" */
	for (uint8_t m = 0; m < MADKIT_METHOD_RESPONSE && len < sizeof(methods); m++) {
		const char *name = madkit_method_name(mgmt_class, m);
		char number[8];

		if (!madkit_method_mask_has(refusal->taken, m))
			continue;
		snprintf(number, sizeof(number), "0x%02x", m);
		len += (size_t)snprintf(methods + len, sizeof(methods) - len, "%s%s", len ? ", " : "",
					name ? name : number);
	}
	return refusal_set(refusal, MADKIT_REFUSAL_TAKEN, code,
			   "class %s: another agent is registered for method %s",
			   madkit_class_name(mgmt_class, class_name), methods);
}

int refusal_no_qp(struct madkit_refusal *refusal, uint8_t mgmt_class, const char *device,
		  const struct madkit_port_info *partner)
{
	bool smi = madkit_class_is_smi(mgmt_class);
	char buf[20];
	const char *class_name = madkit_class_name(mgmt_class, buf);

	if (partner)
		return refusal_set(
			refusal, smi ? MADKIT_REFUSAL_NO_SMI : MADKIT_REFUSAL_NO_GSI, EPROTONOSUPPORT,
			"%s has no QP%d, which class %s needs: use %s/%u, the other device of the same port",
			device, smi ? 0 : 1, class_name, partner->ca, partner->port);
	if (smi)
		return refusal_set(refusal, MADKIT_REFUSAL_NO_SMI, EPROTONOSUPPORT,
				   "%s has no QP0: subnet management classes need an InfiniBand port",
				   device);
	return refusal_set(refusal, MADKIT_REFUSAL_NO_GSI, EPROTONOSUPPORT,
			   "%s has no QP1, which class %s needs", device, class_name);
}

/* ---- by further registrations ------------------------------------------------------------------- */

struct asker {
	int (*try)(void *context, const struct madkit_agent_attr *attr);
	void *context;
};

static int refusal_explain_flags(const struct asker *a, const struct madkit_agent_attr *attr, int code,
				 struct madkit_refusal *refusal)
{
	struct madkit_agent_attr plain = *attr;
	const char *what = attr->flags & MADKIT_AGENT_USER_RMPP ? " (user-space RMPP)" : "";

	if (refusal->supported_known && attr->flags & ~refusal->supported_flags)
		return refusal_set(refusal, MADKIT_REFUSAL_FLAGS, code,
				   "flags 0x%x%s: the kernel supports 0x%x", attr->flags, what,
				   refusal->supported_flags);
	if (refusal->supported_known)
		return 0;
	/* the kernel does not report its flags: try without flags */
	plain.flags = 0;
	if (a->try(a->context, &plain))
		return 0;
	return refusal_set(refusal, MADKIT_REFUSAL_FLAGS, code,
			   "flags 0x%x%s are refused; without flags the same registration is accepted",
			   attr->flags, what);
}

/* Probes each method on its own. If a registration without methods is refused as well, the methods are not
 * the reason. The kernel logs a line for each refused probe, so a single requested method is not probed: it
 * is the reason, even if its holder has unregistered since. */
static int refusal_explain_methods(const struct asker *a, const struct madkit_agent_attr *attr, int code,
				   struct madkit_refusal *refusal)
{
	bool alone =
		__builtin_popcountll(attr->method_mask[0]) + __builtin_popcountll(attr->method_mask[1]) == 1;
	struct madkit_agent_attr one = *attr;

	one.method_mask[0] = one.method_mask[1] = 0;
	if (a->try(a->context, &one))
		return 0;
	for (uint8_t m = 0; m < MADKIT_METHOD_RESPONSE; m++) {
		if (!madkit_method_mask_has(attr->method_mask, m))
			continue;
		one.method_mask[0] = one.method_mask[1] = 0;
		madkit_method_mask_set(one.method_mask, m);
		if (alone || a->try(a->context, &one) == EINVAL)
			madkit_method_mask_set(refusal->taken, m);
	}
	if (!refusal->taken[0] && !refusal->taken[1])
		return 0;
	return refusal_taken(refusal, attr->mgmt_class, code);
}

int refusal_explain(const struct madkit_agent_attr *attr, int code, const char *device,
		    int (*try)(void *context, const struct madkit_agent_attr *attr), void *context,
		    struct madkit_refusal *refusal)
{
	const struct asker a = { .try = try, .context = context };
	bool new_flags = attr->flags & ~(uint32_t)MADKIT_AGENT_USER_RMPP;
	int ret = 0;

	if (!new_flags || code != EINVAL) {
		/* simulated kernels report their flags with every refusal */
		refusal->supported_known = false;
		refusal->supported_flags = 0;
	}
	switch (code) {
	case EPERM:
	case EACCES:
		return refusal_set(refusal, MADKIT_REFUSAL_PERMISSION, code,
				   "the kernel does not permit registering on %s", device);
	case EPROTONOSUPPORT:
		return refusal_no_qp(refusal, attr->mgmt_class, device, NULL);
	case ENOMEM:
		return refusal_set(
			refusal, MADKIT_REFUSAL_AGENTS, code,
			"no room: an open device has room for 32 agents, a class version for 8 OUIs");
	case EPIPE:
	case ENODEV:
	case EIO:
	case ENXIO:
		return refusal_set(refusal, MADKIT_REFUSAL_DEVICE, code, "%s is gone", device);
	}
	/* First check flags that this kernel may not support, and last the flag that most kernels support. */
	if (new_flags)
		ret = refusal_explain_flags(&a, attr, code, refusal);
	if (!ret && refusal_from_request(attr, code, refusal))
		ret = refusal->error.code;
	if (!ret && (attr->method_mask[0] || attr->method_mask[1]))
		ret = refusal_explain_methods(&a, attr, code, refusal);
	if (!ret && attr->flags && !new_flags)
		ret = refusal_explain_flags(&a, attr, code, refusal);
	if (!ret)
		ret = refusal_set(refusal, MADKIT_REFUSAL_OTHER, code, "the kernel refused it: %s",
				  strerror(code));
	return ret;
}
