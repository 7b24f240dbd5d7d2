// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Permission to register classes and methods. */
#include <errno.h>

#include "tests/conformance/conformance.h"

/* A registration, and what comes of it. */
struct row {
	struct madkit_agent_attr attr;
	enum madkit_refusal_cause cause;
	int ret, code;
};
#define REFUSED(why, error, ...) \
	&(const struct row) \
	{ \
		{ __VA_ARGS__ }, MADKIT_REFUSAL_##why, -error, error \
	}
#define TAKEN(...) \
	&(const struct row) \
	{ \
		{ __VA_ARGS__ }, MADKIT_REFUSAL_NONE, 0, 0 \
	}
#define GET \
	{ \
		1 << MADKIT_METHOD_GET \
	}
#define VENDOR_1 .mgmt_class = VENDOR, .class_version = 1

static void case_registration_refused(struct run *r)
{
	const struct row *row = r->arg;
	struct madkit_agent_attr good = vendor_attr(OUI, MADKIT_METHOD_GET, NO_RMPP);
	struct madkit_refusal refusal;

	equal(r, attempt(r, HERE, &row->attr, &refusal), row->ret, "what the registration returned");
	check(r, refusal.cause == row->cause, "the cause is %s, wanted %s",
	      madkit_refusal_cause_name(refusal.cause), madkit_refusal_cause_name(row->cause));
	equal(r, refusal.code, row->code, "the kernel's errno");
	check(r, refusal.error.text[0], "the refusal in words");
	check(r, refusal.supported_known == !!(row->attr.flags & ~(uint32_t)MADKIT_AGENT_USER_RMPP),
	      "the supported flags are reported if a flag was refused, and only then");
	equal(r, attempt(r, HERE, &good, &refusal), 0, "the port is none the worse for it");
}

static void case_registration_taken(struct run *r)
{
	const struct row *row = r->arg;
	struct end *end = take(r, HERE, &row->attr);

	check(r, madkit_agent_port(end->agent) == end->port, "the agent knows its port");
	equal(r, madkit_agent_kernel_rmpp(end->agent),
	      row->attr.rmpp_version && !row->attr.flags && !row->attr.library_rmpp,
	      "whether the kernel does RMPP for it");
}

static void rmpp_classes(struct run *r)
{
	static const uint8_t with[] = { 0x03, 0x06, 0x10, 0x12, 0x30, 0x4f };
	static const uint8_t without[] = { 0x04, 0x05, 0x08, 0x09, 0x0f, 0x11, 0x13, 0x21, 0x2f };
	struct madkit_refusal refusal;

	for (size_t i = 0; i < sizeof(with) + sizeof(without); i++) {
		bool has = i < sizeof(with);
		struct madkit_agent_attr attr = {
			.mgmt_class = has ? with[i] : without[i - sizeof(with)],
			.class_version = 1,
			.rmpp_version = 1,
		};

		attr.oui = attr.mgmt_class >= 0x30 ? OUI : 0;
		equal(r, attempt(r, HERE, &attr, &refusal), has ? 0 : -EINVAL, "RMPP for class 0x%02x",
		      attr.mgmt_class);
	}
}

static void supported_flags(struct run *r)
{
	struct madkit_agent_attr attr = vendor_attr(OUI, MADKIT_METHOD_GET, USER_RMPP);
	struct madkit_refusal refusal;

	attr.flags |= 0x80;
	equal(r, attempt(r, HERE, &attr, &refusal), -EINVAL, "an unknown flag");
	check(r, refusal.cause == MADKIT_REFUSAL_FLAGS, "the cause is %s",
	      madkit_refusal_cause_name(refusal.cause));
	check(r, refusal.supported_known, "the kernel tells which flags it has");
	equal(r, refusal.supported_flags, MADKIT_AGENT_USER_RMPP, "user-space RMPP and no other");
}

static struct madkit_agent_attr case_registration_methods(uint32_t oui, uint64_t low, uint64_t high)
{
	struct madkit_agent_attr attr = vendor_attr(oui, 0, NO_RMPP);

	attr.method_mask[0] = low;
	attr.method_mask[1] = high;
	return attr;
}

/* By another port object, as of another program. */
static int case_registration_elsewhere(struct run *r, const struct madkit_agent_attr *attr,
				       struct madkit_refusal *refusal)
{
	struct madkit_port *other = another_port(r, HERE);
	struct madkit_agent *agent;
	int ret = madkit_agent_register(other, attr, &agent, refusal);

	madkit_port_close(other);
	r->nports--;
	return ret;
}

static void overlap(struct run *r)
{
	struct madkit_agent_attr set = case_registration_methods(OUI, 1 << MADKIT_METHOD_SET, 1 << 17);
	struct madkit_agent_attr five =
		case_registration_methods(OUI, 1 << MADKIT_METHOD_GET | 1 << MADKIT_METHOD_SET | 1 << ASK,
					  3 << 16);
	struct madkit_refusal refusal;
	struct end *holder = take(r, HERE, &set);

	equal(r, case_registration_elsewhere(r, &five, &refusal), -EBUSY, "five methods, two of them taken");
	check(r, refusal.cause == MADKIT_REFUSAL_TAKEN, "the cause is %s",
	      madkit_refusal_cause_name(refusal.cause));
	equal(r, refusal.code, EINVAL, "the kernel says EINVAL, not EBUSY");
	equal(r, refusal.taken[0], 1 << MADKIT_METHOD_SET, "Set is taken");
	equal(r, refusal.taken[1], 1 << 17, "method 0x51 is taken");
	madkit_agent_unregister(holder->agent);
	equal(r, case_registration_elsewhere(r, &five, &refusal), 0, "all are free when the holder has gone");
}

static void no_overlap(struct run *r)
{
	struct madkit_agent_attr get = case_registration_methods(OUI, 1 << MADKIT_METHOD_GET, 0), attr = get;
	struct madkit_refusal refusal;

	take(r, HERE, &get);
	attr.method_mask[0] = 1 << MADKIT_METHOD_SET;
	equal(r, case_registration_elsewhere(r, &attr, &refusal), 0, "another method is free");
	attr = get;
	attr.oui++;
	equal(r, case_registration_elsewhere(r, &attr, &refusal), 0, "so is it of another OUI");
	attr = get;
	attr.mgmt_class++;
	equal(r, case_registration_elsewhere(r, &attr, &refusal), 0, "... of another class");
	attr = get;
	attr.class_version++;
	equal(r, case_registration_elsewhere(r, &attr, &refusal), 0, "... of another class version");
	attr = case_registration_methods(OUI, 0, 0);
	equal(r, case_registration_elsewhere(r, &attr, &refusal), 0, "a client never overlaps");
	equal(r, case_registration_elsewhere(r, &get, &refusal), -EBUSY, "but the same is taken");
}

static void other_device(struct run *r)
{
	struct madkit_agent_attr get = case_registration_methods(OUI, 1 << MADKIT_METHOD_GET, 0);

	take(r, HERE, &get);
	take(r, THERE, &get);
}

static void freed_by_close(struct run *r)
{
	struct madkit_agent_attr get = case_registration_methods(OUI, 1 << MADKIT_METHOD_GET, 0);
	struct madkit_refusal refusal;

	for (int i = 0; i < 20; i++)
		equal(r, case_registration_elsewhere(r, &get, &refusal), 0,
		      "time %d: its method is free again", i);
}

static void agents_32(struct run *r)
{
	struct madkit_agent_attr attr = vendor_attr(OUI, 0, NO_RMPP);
	struct madkit_refusal refusal;
	struct end *end = NULL;

	for (int i = 0; i < 32; i++)
		end = take(r, HERE, &attr);
	equal(r, attempt(r, HERE, &attr, &refusal), -ENOMEM, "the 33rd");
	check(r, refusal.cause == MADKIT_REFUSAL_AGENTS, "the cause is %s",
	      madkit_refusal_cause_name(refusal.cause));
	equal(r, case_registration_elsewhere(r, &attr, &refusal), 0, "another open file has room");
	madkit_agent_unregister(end->agent);
	equal(r, attempt(r, HERE, &attr, &refusal), 0, "one that goes makes room");
}

static void ouis_8(struct run *r)
{
	struct madkit_agent_attr attr = vendor_attr(OUI, MADKIT_METHOD_GET, NO_RMPP);
	struct madkit_refusal refusal;
	struct end *end = NULL;

	for (uint32_t i = 0; i < 8; i++) {
		attr.oui = OUI + i;
		end = take(r, HERE, &attr);
	}
	attr.oui = OUI + 8;
	equal(r, case_registration_elsewhere(r, &attr, &refusal), -ENOMEM, "the ninth OUI");
	check(r, refusal.cause == MADKIT_REFUSAL_AGENTS, "the cause is %s",
	      madkit_refusal_cause_name(refusal.cause));
	attr.method_mask[0] = 0;
	equal(r, case_registration_elsewhere(r, &attr, &refusal), -ENOMEM, "... without methods, too");
	attr.method_mask[0] = 1 << MADKIT_METHOD_GET;
	attr.class_version = 2;
	equal(r, case_registration_elsewhere(r, &attr, &refusal), 0, "another class version has room");
	attr.class_version = 1;
	madkit_agent_unregister(end->agent);
	equal(r, case_registration_elsewhere(r, &attr, &refusal), 0, "one that goes makes room");
}

static void smi_classes(struct run *r)
{
	const struct madkit_agent_attr attr = { .mgmt_class = MADKIT_CLASS_SUBN };
	const struct madkit_agent_attr direct = { .mgmt_class = MADKIT_CLASS_SUBN_DR };

	take(r, HERE, &attr);
	take(r, HERE, &direct);
}

static const struct test list[] = {
	{ "registration/client", UMAD, case_registration_taken, TAKEN(VENDOR_1, .oui = OUI) },
	{ "registration/server", UMAD, case_registration_taken,
	  TAKEN(VENDOR_1, .oui = OUI, .method_mask = GET) },
	{ "registration/every-method", UMAD, case_registration_taken,
	  TAKEN(VENDOR_1, .oui = OUI, .method_mask = { UINT64_MAX, UINT64_MAX }) },
	{ "registration/kernel-rmpp", UMAD, case_registration_taken,
	  TAKEN(VENDOR_1, .oui = OUI, .rmpp_version = 1, .method_mask = GET) },
	{ "registration/user-rmpp", UMAD, case_registration_taken,
	  TAKEN(VENDOR_1, .oui = OUI, .rmpp_version = 1, .flags = MADKIT_AGENT_USER_RMPP) },
	{ "registration/library-rmpp", UMAD, case_registration_taken,
	  TAKEN(VENDOR_1, .oui = OUI, .rmpp_version = 1, .library_rmpp = true) },
	{ "registration/oui-0xffffff", UMAD, case_registration_taken,
	  TAKEN(VENDOR_1, .oui = 0xffffff, .method_mask = GET) },
	{ "registration/class-0x4f", UMAD, case_registration_taken,
	  TAKEN(.mgmt_class = 0x4f, .class_version = 1, .oui = OUI) },
	{ "registration/class-0x0a", UMAD, case_registration_taken,
	  TAKEN(.mgmt_class = 0x0a, .class_version = 1, .method_mask = GET) },
	{ "registration/class-0", UMAD, case_registration_taken, TAKEN(.mgmt_class = 0, .class_version = 1) },
	{ "registration/version-0x82", UMAD, case_registration_taken,
	  TAKEN(.mgmt_class = 0x0a, .class_version = 0x82, .method_mask = GET) },
	{ "registration/C10-version-0", UMAD, case_registration_taken,
	  TAKEN(.mgmt_class = 0x0a, .class_version_given = true, .method_mask = GET) },
	{ "registration/smi", SMI, smi_classes, NULL },
	{ "registration/refused-class-0x50", UMAD, case_registration_refused,
	  REFUSED(CLASS, EINVAL, .mgmt_class = 0x50, .class_version = 1) },
	{ "registration/refused-class-0x82", UMAD, case_registration_refused,
	  REFUSED(CLASS, EINVAL, .mgmt_class = 0x82, .class_version = 1) },
	{ "registration/refused-class-0xff", UMAD, case_registration_refused,
	  REFUSED(CLASS, EINVAL, .mgmt_class = 0xff, .class_version = 1, .method_mask = GET) },
	{ "registration/refused-class-0-methods", UMAD, case_registration_refused,
	  REFUSED(CLASS, EINVAL, .method_mask = GET) },
	{ "registration/refused-class-0-user-rmpp", UMAD, case_registration_refused,
	  REFUSED(CLASS, EINVAL, .flags = MADKIT_AGENT_USER_RMPP) },
	{ "registration/refused-version-0x83", UMAD, case_registration_refused,
	  REFUSED(VERSION, EINVAL, .mgmt_class = 0x0a, .class_version = 0x83) },
	{ "registration/refused-no-oui", UMAD, case_registration_refused, REFUSED(OUI, EINVAL, VENDOR_1) },
	{ "registration/refused-oui-25-bits", UMAD, case_registration_refused,
	  REFUSED(OUI, EINVAL, VENDOR_1, .oui = 1 << 24) },
	{ "registration/refused-rmpp-version-2", UMAD, case_registration_refused,
	  REFUSED(RMPP_VERSION, EINVAL, VENDOR_1, .oui = OUI, .rmpp_version = 2) },
	{ "registration/refused-rmpp-perfmgt", UMAD, case_registration_refused,
	  REFUSED(RMPP_CLASS, EINVAL, .mgmt_class = MADKIT_CLASS_PERF, .class_version = 1,
		  .rmpp_version = 1) },
	{ "registration/refused-flags", UMAD, case_registration_refused,
	  REFUSED(FLAGS, EINVAL, VENDOR_1, .oui = OUI, .flags = 0x80) },
	{ "registration/refused-smi-on-roce", UMAD | ROCE, case_registration_refused,
	  REFUSED(NO_SMI, EPROTONOSUPPORT, .mgmt_class = MADKIT_CLASS_SUBN, .class_version = 1) },
	{ "registration/refused-dr-on-roce", UMAD | ROCE, case_registration_refused,
	  REFUSED(NO_SMI, EPROTONOSUPPORT, .mgmt_class = MADKIT_CLASS_SUBN_DR, .class_version = 1) },
	{ "registration/supported-flags", UMAD, supported_flags, NULL },
	{ "registration/rmpp-classes", UMAD, rmpp_classes, NULL },
	{ "registration/overlap", UMAD | FILES, overlap, NULL },
	{ "registration/no-overlap", UMAD | FILES, no_overlap, NULL },
	{ "registration/other-device", UMAD | PEER, other_device, NULL },
	{ "registration/freed-by-close", UMAD | FILES, freed_by_close, NULL },
	{ "registration/32-agents", UMAD | FILES, agents_32, NULL },
	{ "registration/8-ouis", UMAD | FILES, ouis_8, NULL },
	{ "registration/cm-send", UMAD | CM, case_registration_refused,
	  &(const struct row){ { .mgmt_class = MADKIT_CLASS_CM,
				 .class_version = 2,
				 .method_mask = { 1 << MADKIT_METHOD_SEND } },
			       MADKIT_REFUSAL_TAKEN,
			       -EBUSY,
			       EINVAL } },
};
TESTS(registration_tests, list);
