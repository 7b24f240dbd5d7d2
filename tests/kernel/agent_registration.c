// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The library's ports and registrations on a real kernel, and why it says that one was refused. Needs the
 * soft-RoCE devices rxe0 and rxe1.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "tests/kernel/agent_end.h"
#include "tests/tap.h"
#include "util/array_size.h"

enum { METHOD_GET = MADKIT_METHOD_GET, METHOD_SET = MADKIT_METHOD_SET, METHOD_SEND = MADKIT_METHOD_SEND };

static void agent_registration_ports(void)
{
	struct madkit_port_info *list;
	size_t count, skipped;

	need(madkit_ports_list(&list, &count, &skipped) == 0, "madkit_ports_list");
	need(count == 2, "two ports");
	is_u64(skipped, 0, "ports: none is broken");
	for (size_t i = 0; i < count; i++) {
		const struct madkit_port_info *p = &list[i];
		char name[] = "rxe0", device[] = "umad:rxe0/1";
		uint8_t gid[16];

		name[3] = device[8] = (char)('0' + i);
		gid_of(name, gid);
		is_str(p->ca, name, "ports: %s by name", name);
		is_str(p->device, device, "ports: %s: as a device", name);
		is_int(p->port, 1, "ports: %s: port 1", name);
		is_int(p->link_layer, MADKIT_LINK_ETHERNET, "ports: %s: RoCE", name);
		is_int(p->state, 4, "ports: %s: active", name);
		is_int(p->phys_state, 5, "ports: %s: link up", name);
		is_u64(p->gid_prefix, be_at(gid, 8), "ports: %s: GID prefix", name);
		is_u64(p->port_guid, be_at(gid + 8, 8), "ports: %s: port GUID", name);
		is_int(access(p->umad_path, F_OK), 0, "ports: %s: its umad device is there", name);
		is_int(access(p->issm_path, F_OK), 0, "ports: %s: its issm device is there", name);
	}
	madkit_ports_free(list);
}

static void agent_registration_opening(void)
{
	static const struct {
		const char *spec, *why, *words;
		int wanted;
	} refused[] = {
		{ NULL, "RoCE is not chosen unasked", "rxe1/1", -ENODEV },
		{ "umad:", "... nor so", "rxe0/1", -ENODEV },
		{ "umad:/1", "... nor by its number", "RoCE", -ENODEV },
		{ "umad:rxe7", "no such CA", "rxe7", -ENODEV },
		{ "umad:rxe0/2", "no such port", "rxe0/2", -ENODEV },
		{ "umad:rxe0/1x", "what follows a number", "1x", -EINVAL },
	};
	static const char *const good[] = { "umad:rxe0", "umad:rxe0/1" };
	struct madkit_error error;
	struct madkit_port *port;

	for (size_t i = 0; i < ARRAY_SIZE(refused); i++) {
		const char *spec = refused[i].spec ? refused[i].spec : "(none)";

		memset(&error, 0, sizeof(error));
		is_int(madkit_port_open(refused[i].spec, &port, &error), refused[i].wanted, "open %s: %s",
		       spec, refused[i].why);
		ok(strstr(error.text, refused[i].words), "open %s: in words: %s", spec, error.text);
	}
	for (size_t i = 0; i < ARRAY_SIZE(good); i++) {
		port = agent_end_open_port(good[i]);
		is_str(madkit_port_get_info(port)->device, "umad:rxe0/1", "open %s: named, it is taken",
		       good[i]);
		is_int(madkit_port_refresh(port), 0, "open %s: it can be read again", good[i]);
		madkit_port_close(port);
	}

	need(seteuid(65534) == 0, "seteuid");
	memset(&error, 0, sizeof(error));
	is_int(madkit_port_open("umad:rxe0", &port, &error), -EACCES, "open as nobody: no permission");
	need(seteuid(0) == 0, "seteuid back");
	ok(strstr(error.text, "/dev/infiniband/umad0") && strstr(error.text, "0600") &&
		   strstr(error.text, "65534"),
	   "open as nobody: the node, its mode and who asked: %s", error.text);
}

/* The request that is refused, and the expected refusal. */
struct refused {
	const char *what;
	struct madkit_agent_attr attr;
	enum madkit_refusal_cause cause;
	int ret;
	int code; /* the kernel's */
	const char *words;
};

static void agent_registration_is_refused(struct madkit_port *port, const struct refused *r,
					  struct madkit_refusal *refusal)
{
	struct madkit_agent *agent = NULL;
	int ret;

	memset(refusal, 0xff, sizeof(*refusal));
	ret = madkit_agent_register(port, &r->attr, &agent, refusal);
	is_int(ret, r->ret, "refused: %s", r->what);
	is_str(madkit_refusal_cause_name(refusal->cause), madkit_refusal_cause_name(r->cause),
	       "%s: the cause", r->what);
	is_int(refusal->code, r->code, "%s: the kernel's errno", r->what);
	is_int(refusal->error.code, r->ret, "%s: the same in the error", r->what);
	ok(strstr(refusal->error.text, r->words) && !strchr(refusal->error.text, '\n'), "%s: in words: %s",
	   r->what, refusal->error.text);
	madkit_agent_unregister(agent);
}

static void agent_registration_refusals(void)
{
	/* clang-format off */
	static const struct refused cases[] = {
		{ "class 0x50", { .mgmt_class = 0x50, .class_version = 1 }, MADKIT_REFUSAL_CLASS, -EINVAL, EINVAL,
		  "0x50" },
		{ "class 0x82", { .mgmt_class = 0x82, .class_version = 1 }, MADKIT_REFUSAL_CLASS, -EINVAL, EINVAL,
		  "0x82" },
		{ "methods for class 0", { .method_mask = { 1 << METHOD_GET } }, MADKIT_REFUSAL_CLASS, -EINVAL, EINVAL,
		  "class 0" },
		{ "user-space RMPP for class 0", { .flags = MADKIT_AGENT_USER_RMPP }, MADKIT_REFUSAL_CLASS, -EINVAL,
		  EINVAL, "class 0" },
		{ "class version 0x83", { .mgmt_class = 0x0a, .class_version = 0x83 }, MADKIT_REFUSAL_VERSION, -EINVAL,
		  EINVAL, "0x83" },
		{ "no OUI", { .mgmt_class = CLASS, .class_version = 1 }, MADKIT_REFUSAL_OUI, -EINVAL, EINVAL, "OUI" },
		{ "an OUI of 25 bits", { .mgmt_class = CLASS, .class_version = 1, .oui = 1 << 24 }, MADKIT_REFUSAL_OUI,
		  -EINVAL, EINVAL, "24 bits" },
		{ "RMPP version 2", { .mgmt_class = CLASS, .class_version = 1, .oui = OUI, .rmpp_version = 2 },
		  MADKIT_REFUSAL_RMPP_VERSION, -EINVAL, EINVAL, "2" },
		{ "RMPP for PerfMgt", { .mgmt_class = MADKIT_CLASS_PERF, .class_version = 1, .rmpp_version = 1 },
		  MADKIT_REFUSAL_RMPP_CLASS, -EINVAL, EINVAL, "does not use RMPP" },
		{ "RMPP for SNMP", { .mgmt_class = MADKIT_CLASS_SNMP, .class_version = 1, .rmpp_version = 1 },
		  MADKIT_REFUSAL_RMPP_CLASS, -EINVAL, EINVAL, "does not use RMPP" },
		{ "SubnMgt on RoCE", { .mgmt_class = MADKIT_CLASS_SUBN, .class_version = 1 }, MADKIT_REFUSAL_NO_SMI,
		  -EPROTONOSUPPORT, EPROTONOSUPPORT, "no QP0" },
		{ "SubnMgtDR on RoCE", { .mgmt_class = MADKIT_CLASS_SUBN_DR, .class_version = 1 },
		  MADKIT_REFUSAL_NO_SMI, -EPROTONOSUPPORT, EPROTONOSUPPORT, "no QP0" },
	};
	/* clang-format on */
	struct madkit_port *port = agent_end_open_port("umad:rxe0");
	struct madkit_refusal refusal;
	struct madkit_agent *agent;
	struct madkit_agent_attr attr = agent_end_attr(OUI, METHOD_GET, 0);

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		agent_registration_is_refused(port, &cases[i], &refusal);
	/* the port remains usable, and the library's test registrations are withdrawn */
	is_int(madkit_agent_register(port, &attr, &agent, &refusal), 0,
	       "after the refusals: a good one is taken");
	is_int(refusal.cause, MADKIT_REFUSAL_NONE, "after the refusals: and has no cause");
	ok(madkit_agent_port(agent) == port, "an agent knows its port");
	is_int(madkit_agent_get_attr(agent)->oui, OUI, "... and what it is for");
	is_int(madkit_agent_kernel_rmpp(agent), false, "... and that the kernel does no RMPP for it");
	is_int(madkit_agent_register(port,
				     &(struct madkit_agent_attr){ .mgmt_class = 0x0a,
								  .oui = 0x1000000,
								  .flags = MADKIT_AGENT_USER_RMPP,
								  .method_mask = { 1 << METHOD_GET } },
				     &agent, NULL),
	       0, "A10: the OUI of a class that has none is ignored");
	is_int(madkit_agent_register(
		       port, &(struct madkit_agent_attr){ .mgmt_class = MADKIT_CLASS_SA, .rmpp_version = 1 },
		       &agent, NULL),
	       0, "the class version may be left to the library");
	is_int(madkit_agent_get_attr(agent)->class_version, 2, "... which takes 2 for SubnAdm");
	is_int(madkit_agent_kernel_rmpp(agent), true, "... where the kernel does RMPP, if asked to");
	madkit_port_close(port);
}

static void flags(void)
{
	const struct refused unknown = {
		"flag 0x80", agent_end_attr(OUI, METHOD_GET, 0), MADKIT_REFUSAL_FLAGS, -EINVAL, EINVAL, "0x80"
	};
	struct refused both = { "flags 0x81",
				agent_end_attr(OUI, METHOD_GET, RMPP_USER),
				MADKIT_REFUSAL_FLAGS,
				-EINVAL,
				EINVAL,
				"supports 0x1" };
	struct refused asked = unknown;
	struct madkit_port *port = agent_end_open_port("umad:rxe0");
	struct madkit_refusal refusal;
	struct madkit_agent *agent;
	struct madkit_agent_attr user = agent_end_attr(OUI, METHOD_GET, RMPP_USER);

	asked.attr.flags = 0x80;
	agent_registration_is_refused(port, &asked, &refusal);
	is_int(refusal.supported_known, true, "flag 0x80: the kernel told which flags it has");
	is_int(refusal.supported_flags, MADKIT_AGENT_USER_RMPP, "flag 0x80: user-space RMPP, and no other");
	both.attr.flags |= 0x80;
	agent_registration_is_refused(port, &both, &refusal);
	is_int(refusal.supported_flags, MADKIT_AGENT_USER_RMPP, "flags 0x81: the supported ones");
	is_int(madkit_agent_register(port, &user, &agent, &refusal), 0,
	       "the flag for user-space RMPP is taken");
	is_int(madkit_agent_kernel_rmpp(agent), false, "... and the kernel does no RMPP then");
	madkit_port_close(port);
}

/* The kernel's own ib_cm has this. */
static const struct refused cm_send = {
	"class 0x07 method Send",
	{ .mgmt_class = MADKIT_CLASS_CM, .class_version = 2, .method_mask = { 1 << METHOD_SEND } },
	MADKIT_REFUSAL_TAKEN,
	-EBUSY,
	EINVAL,
	"method Send"
};

static void agent_registration_taken(void)
{
	struct refused some = { "five methods, two of them taken",
				agent_end_attr(OUI, METHOD_GET, 0),
				MADKIT_REFUSAL_TAKEN,
				-EBUSY,
				EINVAL,
				"method Set, 0x51" };
	struct madkit_agent_attr set = agent_end_attr(OUI, METHOD_SET, 0),
				 other = agent_end_attr(OUI, 0x51, 0);
	struct madkit_port *holder = agent_end_open_port("umad:rxe0"),
			   *port = agent_end_open_port("umad:rxe0");
	struct madkit_agent *agents[2], *agent;
	struct madkit_refusal refusal;

	need(madkit_agent_register(holder, &set, &agents[0], NULL) == 0, "the holder of Set");
	need(madkit_agent_register(holder, &other, &agents[1], NULL) == 0, "the holder of 0x51");
	madkit_method_mask_set(some.attr.method_mask, METHOD_SET);
	madkit_method_mask_set(some.attr.method_mask, METHOD_ASK);
	madkit_method_mask_set(some.attr.method_mask, 0x50);
	madkit_method_mask_set(some.attr.method_mask, 0x51);
	agent_registration_is_refused(port, &some, &refusal);
	is_u64(refusal.taken[0], 1 << METHOD_SET, "five methods: Set is the one below 64 that is taken");
	is_u64(refusal.taken[1], UINT64_C(1) << (0x51 - 64), "five methods: 0x51 the one above");
	/* finding out held nothing back */
	set = agent_end_attr(OUI, METHOD_GET, 0);
	madkit_method_mask_set(set.method_mask, METHOD_ASK);
	madkit_method_mask_set(set.method_mask, 0x50);
	is_int(madkit_agent_register(holder, &set, &agent, NULL), 0,
	       "five methods: the free ones are free after it");
	madkit_agent_unregister(agent);
	madkit_agent_unregister(agents[0]);
	agent_registration_is_refused(port,
				      &(struct refused){ "five methods, one of them taken", some.attr,
							 MADKIT_REFUSAL_TAKEN, -EBUSY, EINVAL,
							 "method 0x51" },
				      &refusal);
	is_u64(refusal.taken[0], 0, "five methods: Set was given back");
	madkit_port_close(holder);
	is_int(madkit_agent_register(port, &some.attr, &agent, NULL), 0,
	       "five methods: all are free without the holder");
	agent_registration_is_refused(port, &cm_send, &refusal);
	is_u64(refusal.taken[0], 1 << METHOD_SEND, "class 0x07: the kernel's ib_cm has Send");
	madkit_port_close(port);
}

static void agent_registration_limits(void)
{
	struct refused full = {
		"the 33rd agent", agent_end_attr(OUI, 0, 0), MADKIT_REFUSAL_AGENTS, -ENOMEM, ENOMEM, "32"
	};
	struct refused ninth = { "the ninth OUI",
				 agent_end_attr(OUI + 8, METHOD_GET, 0),
				 MADKIT_REFUSAL_AGENTS,
				 -ENOMEM,
				 ENOMEM,
				 "8 OUIs" };
	struct madkit_port *port = agent_end_open_port("umad:rxe0");
	struct madkit_agent *agents[32];
	struct madkit_refusal refusal;
	int count = 0, log;

	while (count < 32 && madkit_agent_register(port, &full.attr, &agents[count], NULL) == 0)
		count++;
	is_int(count, 32, "limits: 32 agents on a port");
	agent_registration_is_refused(port, &full, &refusal);
	/* with one slot left, taken methods can still be detected */
	madkit_agent_unregister(agents[7]);
	agent_registration_is_refused(port, &cm_send, &refusal);
	is_u64(refusal.taken[0], 1 << METHOD_SEND, "limits: which method it is, with 31 agents here");
	is_int(madkit_agent_register(port, &full.attr, &agents[7], NULL), 0,
	       "limits: one that goes makes room");
	madkit_port_close(port);

	port = agent_end_open_port("umad:rxe0");
	for (count = 0; count < 8; count++) {
		struct madkit_agent_attr attr = agent_end_attr((uint32_t)(OUI + count), METHOD_GET, 0);

		if (madkit_agent_register(port, &attr, &agents[count], NULL))
			break;
	}
	is_int(count, 8, "limits: 8 OUIs of a class version");
	log = kernel_log_open();
	agent_registration_is_refused(port, &ninth, &refusal);
	is_int(kernel_log_lines(log), 1, "the ninth OUI: dmesg shows 1 line");
	is_int(refusal.supported_known, false, "the ninth OUI: no flag was refused");
	close(log);
	madkit_port_close(port);
}

/* Number of lines in the kernel's log to find the cause: the refusal itself, which libibumad requests
 * twice, and one line for each taken method. */
static void agent_registration_refusals_in_log(void)
{
	/* clang-format off */
	static const struct {
		const char *what;
		struct madkit_agent_attr attr;
		enum madkit_refusal_cause cause;
		unsigned int lines;
	} cases[] = {
		{ "one method that is taken", { .mgmt_class = MADKIT_CLASS_CM, .class_version = 2,
		  .method_mask = { 1 << METHOD_SEND } }, MADKIT_REFUSAL_TAKEN, 2 },
		{ "two methods, one of them taken", { .mgmt_class = MADKIT_CLASS_CM, .class_version = 2,
		  .method_mask = { 1 << METHOD_SEND | 1 << METHOD_SET } }, MADKIT_REFUSAL_TAKEN, 3 },
		{ "the same, with user-space RMPP", { .mgmt_class = MADKIT_CLASS_CM, .class_version = 2,
		  .flags = MADKIT_AGENT_USER_RMPP, .method_mask = { 1 << METHOD_SEND | 1 << METHOD_SET } },
		  MADKIT_REFUSAL_TAKEN, 2 },
		{ "a flag that is not known", { .mgmt_class = 0x0a, .class_version = 1, .flags = 0x80 },
		  MADKIT_REFUSAL_FLAGS, 2 },
		{ "class 0x50", { .mgmt_class = 0x50, .class_version = 1 }, MADKIT_REFUSAL_CLASS, 0 },
		{ "user-space RMPP for class 0x50", { .mgmt_class = 0x50, .class_version = 1,
		  .flags = MADKIT_AGENT_USER_RMPP }, MADKIT_REFUSAL_CLASS, 0 },
		{ "no OUI", { .mgmt_class = CLASS, .class_version = 1 }, MADKIT_REFUSAL_OUI, 0 },
		{ "RMPP version 2", { .mgmt_class = CLASS, .class_version = 1, .oui = OUI, .rmpp_version = 2 },
		  MADKIT_REFUSAL_RMPP_VERSION, 0 },
	};
	/* clang-format on */
	struct madkit_port *port = agent_end_open_port("umad:rxe0");
	int log = kernel_log_open();

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct madkit_refusal refusal;
		struct madkit_agent *agent;

		need(madkit_agent_register(port, &cases[i].attr, &agent, &refusal) != 0, cases[i].what);
		is_str(madkit_refusal_cause_name(refusal.cause), madkit_refusal_cause_name(cases[i].cause),
		       "C11: %s: the cause", cases[i].what);
		is_int(kernel_log_lines(log), cases[i].lines, "C11: ... and the lines in the kernel's log");
	}
	close(log);
	madkit_port_close(port);
}

static unsigned int agent_registration_descriptors(void)
{
	unsigned int n = 0;

	for (int fd = 0; fd < 256; fd++)
		n += fcntl(fd, F_GETFD) >= 0;
	return n;
}

static void again_and_again(void)
{
	struct madkit_agent_attr attr = agent_end_attr(OUI, METHOD_GET, 0);
	unsigned int before = agent_registration_descriptors(), not_free = 0, not_refused = 0;

	for (int i = 0; i < 500; i++) {
		struct madkit_port *port = agent_end_open_port("umad:rxe0");
		struct madkit_agent *agent;

		/* would be refused if the one before were still there */
		not_free += madkit_agent_register(port, &attr, &agent, NULL) != 0;
		if (i % 2)
			not_refused += madkit_agent_register(port, &attr, &agent, NULL) == 0;
		madkit_port_close(port);
	}
	is_int(not_free, 0, "500 times open, register, close: each finds its method free");
	is_int(not_refused, 0, "... 250 times refused the second time");
	is_int(agent_registration_descriptors(), before, "... and no descriptor is left");
}

int main(void)
{
	agent_registration_ports();
	agent_registration_opening();
	agent_registration_refusals();
	flags();
	agent_registration_taken();
	agent_registration_limits();
	agent_registration_refusals_in_log();
	again_and_again();
	return tap_done();
}
