/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The port that a specification selects, and the causes that a refused registration shows by itself. */
#include <errno.h>
#include <madkit/madkit.h>
#include "tests/tap.h"
#include "transport/refusal.h"
#include "transport/choose.h"
#include "util/array_size.h"

#define IB(name, number, st, phys) \
	{ \
		.ca = name, .port = number, .state = st, .phys_state = phys, \
		.link_layer = MADKIT_LINK_INFINIBAND \
	}
#define ROCE(name, number, st, phys) \
	{ \
		.ca = name, .port = number, .state = st, .phys_state = phys, \
		.link_layer = MADKIT_LINK_ETHERNET \
	}

static struct madkit_error error;

/* "a/1", or "-" where none was chosen */
static const char *test_choose_port(const struct madkit_port_info *ports, size_t n, const char *spec)
{
	static char text[80];
	struct port_wish wish;
	size_t chosen = 99;

	if (port_wish_parse(spec, &wish, &error))
		return "unreadable";
	if (port_choose(ports, n, &wish, &chosen, &error))
		return error.code == -ENODEV ? "-" : "another error";
	snprintf(text, sizeof(text), "%s/%u", ports[chosen].ca, ports[chosen].port);
	return text;
}

static void test_choice(void)
{
	static const struct madkit_port_info mixed[] = {
		ROCE("a", 1, 4, 5), IB("b", 1, 1, 2), IB("b", 2, 2, 5),   IB("c", 1, 4, 5),
		IB("c", 2, 4, 5),   IB("d", 1, 1, 3), ROCE("e", 1, 1, 3), ROCE("e", 2, 4, 5),
	};
	static const struct madkit_port_info two_roce[] = {
		ROCE("a", 1, 4, 5),
		ROCE("b", 1, 4, 5),
	};
	static const struct madkit_port_info nodes[] = {
		{ .ca = "a",
		  .port = 1,
		  .state = 1,
		  .link_layer = MADKIT_LINK_INFINIBAND,
		  .umad_path = "/dev/infiniband/umad1" },
		{ .ca = "a",
		  .port = 2,
		  .state = 4,
		  .link_layer = MADKIT_LINK_INFINIBAND,
		  .umad_path = "/dev/infiniband/umad10" },
		{ .ca = "b",
		  .port = 1,
		  .state = 4,
		  .link_layer = MADKIT_LINK_ETHERNET,
		  .umad_path = "/dev/infiniband/umad0" },
	};
	static const struct madkit_port_info down[] = { IB("a", 1, 1, 2), IB("b", 1, 1, 3) };
	const size_t n = ARRAY_SIZE(mixed);

	is_str(test_choose_port(mixed, n, NULL), "c/1", "nothing asked: the first ACTIVE InfiniBand port");
	is_str(test_choose_port(mixed, n, "umad:"), "c/1", "umad: is the same");
	is_str(test_choose_port(mixed, 3, NULL), "b/2", "none ACTIVE: the first with its link up");
	is_str(test_choose_port(mixed, 1, NULL), "a/1", "a RoCE port where it is alone");
	is_str(test_choose_port(two_roce, 2, NULL), "-", "not where there are two");
	ok(strstr(error.text, "a/1 (RoCE, Active)") && strstr(error.text, "b/1 (RoCE, Active)"),
	   "... and the words tell them: %s", error.text);
	is_str(test_choose_port(two_roce, 2, "umad:b"), "b/1", "unless it is named");
	is_str(test_choose_port(mixed, n, "umad:b"), "b/2", "a CA by name: its first fit port");
	is_str(test_choose_port(mixed, n, "umad:b/1"), "b/1", "a port by name, whatever its state");
	is_str(test_choose_port(mixed, n, "umad:d"), "d/1", "a CA by name with nothing fit: its first port");
	is_str(test_choose_port(mixed, n, "umad:e"), "e/2", "of a RoCE CA the ACTIVE one");
	is_str(test_choose_port(mixed, n, "umad:/2"), "c/2", "a number: on the first CA fit for it");
	is_str(test_choose_port(mixed, n, "umad:/3"), "-", "a number that no CA has");
	is_str(test_choose_port(mixed, n, "umad:x"), "-", "an unknown CA");
	ok(strstr(error.text, "no CA x") && strstr(error.text, "c/1 (Active)"),
	   "the words tell what there is: %s", error.text);
	is_str(test_choose_port(mixed, n, "umad:c/7"), "-", "an unknown port");
	ok(strstr(error.text, "no port c/7"), "%s", error.text);
	is_str(test_choose_port(down, 2, NULL), "-", "all ports down");
	ok(strstr(error.text, "a/1 (Down)"), "%s", error.text);
	is_str(test_choose_port(down, 2, "umad:b"), "b/1", "... but one can be named");
	is_str(test_choose_port(nodes, 3, "/dev/infiniband/umad1"), "a/1",
	       "device path: a port that is down");
	is_str(test_choose_port(nodes, 3, "/dev/infiniband/umad10"), "a/2",
	       "device path: the whole number counts");
	is_str(test_choose_port(nodes, 3, "/dev/infiniband/umad0"), "b/1", "device path: a RoCE port");
	is_str(test_choose_port(nodes, 3, "/dev/infiniband/umad2"), "-",
	       "device path: a node that no port has");
	ok(strstr(error.text, "no port has the device node /dev/infiniband/umad2") &&
		   strstr(error.text, "a/1 (Down)"),
	   "device path: in words: %s", error.text);
	is_str(test_choose_port(NULL, 0, NULL), "-", "no ports");
	is_str(error.text, "no InfiniBand device; there are no ports with a umad device", "in words");
}

static void test_planar(void)
{
	enum { SM_DISABLED = 0x400 };
	struct madkit_port_info ports[] = {
		IB("a", 1, 4, 5),      IB("a", 2, 4, 5),      IB("mlx5_0", 1, 4, 5),
		IB("mlx5_1", 1, 4, 5), ROCE("roce", 1, 4, 5),
	};
	const size_t n = ARRAY_SIZE(ports);

	for (size_t i = 0; i < n; i++)
		ports[i].port_guid = i < 3 ? 1 : i;
	ports[4].port_guid = 3;
	ports[2].cap_mask = ports[3].cap_mask = SM_DISABLED;
	is_str(test_choose_port(ports, n, NULL), "mlx5_0/1", "planar: the default is the device with QP1");
	is_str(test_choose_port(ports, n, "umad:a"), "a/1", "planar: that with QP0 can be named");
	is_str(test_choose_port(ports, n, "umad:/2"), "a/2", "planar: ... by the number of its port");
	ok(madkit_port_partner(&ports[2], ports, n) == &ports[0], "planar: the partner has QP0");
	ok(madkit_port_partner(&ports[1], ports, n) == &ports[2], "planar: ... and its partner QP1");
	ok(!madkit_port_partner(&ports[3], ports, n), "IsSMDisabled alone: no partner, nor is RoCE one");
}

static void test_specs(void)
{
	struct port_wish wish;

	is_int(port_wish_parse("umad:mlx5_0/2", &wish, &error), 0, "a whole spec");
	ok(!strcmp(wish.ca, "mlx5_0") && wish.port == 2, "is read");
	is_int(port_wish_parse("umad:/0", &wish, &error), 0, "port 0, of a switch");
	ok(!wish.ca[0] && wish.port == 0, "is read");
	is_str(test_choose_port(NULL, 0, "mlx5_0"), "unreadable", "without its transport");
	is_str(test_choose_port(NULL, 0, "umad"), "unreadable", "without a colon");
	is_str(test_choose_port(NULL, 0, "umad:a/"), "unreadable", "without a number");
	is_str(test_choose_port(NULL, 0, "umad:a/1x"), "unreadable", "with more than a number");
	is_str(test_choose_port(NULL, 0, "umad:a/-1"), "unreadable", "with a negative one");
	is_str(test_choose_port(NULL, 0, "umad:a/255"), "unreadable", "with one too large");
	is_str(test_choose_port(NULL, 0, "umad:a/1/2"), "unreadable", "with two");
	is_str(test_choose_port(NULL, 0,
				"umad:0123456789012345678901234567890123456789"
				"012345678901234567890123"),
	       "unreadable", "a name too long");

	static const char *const paths[] = {
		"/dev/infiniband/umad",
		"/dev/infiniband/umad01",
		"/dev/infiniband/umad1x",
		"/dev/infiniband/umad-1",
		"/dev/infiniband/umad123456789012",
		"/dev/infiniband/issm0",
		"/dev/infiniband",
		"/dev/umad0",
		"/",
		"umad:/dev/infiniband/umad0",
		"verbs:/dev/infiniband/umad0",
	};

	for (size_t i = 0; i < ARRAY_SIZE(paths); i++)
		is_str(test_choose_port(NULL, 0, paths[i]), "unreadable", "device path: %s", paths[i]);
	is_str(test_choose_port(NULL, 0, "/dev/infiniband/umad1023"), "-", "device path: four digits");

	struct madkit_port *port;

	is_int(madkit_port_open("/dev/infiniband/issm0", &port, &error), -EINVAL,
	       "device path: not a umad device");
	is_int(madkit_port_open("replay:x.pcap", &port, &error), -EOPNOTSUPP,
	       "a transport that this build has not");
	is_int(madkit_port_open("bogus:x", &port, &error), -EOPNOTSUPP, "one that nobody has");
	ok(strstr(error.text, "umad"), "is told what there is: %s", error.text);
	is_int(madkit_port_open("bogus", &port, &error), -EINVAL, "no transport at all");
	is_int(madkit_port_open("", &port, &error), -EINVAL, "an empty spec");
}

/* ---- refusals ------------------------------------------------------------------ */

static enum madkit_refusal_cause cause(struct madkit_agent_attr attr)
{
	struct madkit_refusal refusal = { 0 };
	enum madkit_refusal_cause c = refusal_from_request(&attr, EINVAL, &refusal);

	if (c && (refusal.cause != c || !refusal.error.text[0] || refusal.error.code != -EINVAL ||
		  refusal.code != EINVAL))
		return MADKIT_REFUSAL_OTHER;
	return c;
}

#define ATTR(...) ((struct madkit_agent_attr){ __VA_ARGS__ })

static void test_refusals(void)
{
	unsigned int rmpp = 0, wrong = 0;

	is_int(cause(ATTR(.mgmt_class = 4)), 0, "class 4 is fine");
	is_int(cause(ATTR(.mgmt_class = 0x4f, .oui = 0xffffff, .rmpp_version = 1)), 0,
	       "the last vendor class with the largest OUI and RMPP");
	is_int(cause(ATTR(.mgmt_class = 0x81)), 0, "directed routes");
	is_int(cause(ATTR(.mgmt_class = 0)), 0, "class 0");
	is_int(cause(ATTR(.mgmt_class = 0x50)), MADKIT_REFUSAL_CLASS, "class 0x50");
	is_int(cause(ATTR(.mgmt_class = 0x80)), MADKIT_REFUSAL_CLASS, "class 0x80");
	is_int(cause(ATTR(.mgmt_class = 0xff)), MADKIT_REFUSAL_CLASS, "class 0xff");
	is_int(cause(ATTR(.method_mask = { 2 })), MADKIT_REFUSAL_CLASS, "class 0 with a method");
	is_int(cause(ATTR(.flags = 1)), MADKIT_REFUSAL_CLASS, "class 0 with user-space RMPP");
	is_int(cause(ATTR(.mgmt_class = 4, .class_version = 0x82)), 0, "version 0x82");
	is_int(cause(ATTR(.mgmt_class = 4, .class_version = 0x83)), MADKIT_REFUSAL_VERSION, "version 0x83");
	is_int(cause(ATTR(.mgmt_class = 0x30)), MADKIT_REFUSAL_OUI, "no OUI");
	is_int(cause(ATTR(.mgmt_class = 0x30, .oui = 0x1000000)), MADKIT_REFUSAL_OUI, "an OUI of 25 bits");
	is_int(cause(ATTR(.mgmt_class = 4, .rmpp_version = 2)), MADKIT_REFUSAL_RMPP_VERSION,
	       "RMPP version 2");
	for (unsigned int c = 1; c < 0x50; c++) {
		bool carries = c == 0x03 || c == 0x06 || c == 0x10 || c == 0x12 || c >= 0x30;

		rmpp += carries;
		wrong += cause(ATTR(.mgmt_class = (uint8_t)c, .oui = 1, .rmpp_version = 1)) !=
			 (carries ? MADKIT_REFUSAL_NONE : MADKIT_REFUSAL_RMPP_CLASS);
	}
	ok(!wrong && rmpp == 36, "RMPP: accepted in 36 classes, refused in the others");

	for (int c = MADKIT_REFUSAL_NONE; c <= MADKIT_REFUSAL_NO_GSI; c++)
		wrong += !madkit_refusal_cause_name((enum madkit_refusal_cause)c);
	ok(!wrong, "each cause has a name");
	ok(!madkit_refusal_cause_name(99), "99 is none");
	is_str(madkit_refusal_cause_name(MADKIT_REFUSAL_TAKEN), "methods-taken", "one of them");

	struct madkit_refusal refusal = { .taken = { 0x06, UINT64_C(1) << 63 } };

	is_int(refusal_taken(&refusal, MADKIT_CLASS_PERF, EBUSY), -EBUSY, "methods that are taken");
	is_str(refusal.error.text, "class PerfMgt: another agent is registered for method Get, Set, 0x7f",
	       "A3: by name");
	refusal.taken[0] = refusal.taken[1] = UINT64_MAX;
	refusal_taken(&refusal, MADKIT_CLASS_PERF, EBUSY);
	ok(strstr(refusal.error.text, ", 0x04, "), "as many as there is room for");
}

static void test_states(void)
{
	is_str(madkit_port_state_name(1), "Down", "state 1");
	is_str(madkit_port_state_name(4), "Active", "state 4");
	ok(!madkit_port_state_name(0) && !madkit_port_state_name(5), "0 and 5 are none");
}

static void test_matches(void)
{
	static const struct madkit_port_info port = IB("a", 1, 4, 5);
	static const struct {
		const char *spec;
		int matches;
	} specs[] = {
		{ NULL, 1 },
		{ "umad:", 1 },
		{ "umad:a", 1 },
		{ "umad:a/1", 1 },
		{ "umad:a/01", 1 },
		{ "umad:a/0x1", 1 },
		{ "umad:/1", 1 },
		{ "verbs:a/1", 1 },
		{ "umad:a/2", 0 },
		{ "umad:/2", 0 },
		{ "umad:b", 0 },
		{ "a", -EINVAL },
		{ "umad:a/", -EINVAL },
		{ "sim:x", -EINVAL },
	};

	for (size_t i = 0; i < ARRAY_SIZE(specs); i++)
		is_int(madkit_port_matches(&port, specs[i].spec, NULL), specs[i].matches, "port a/1 is %s",
		       specs[i].spec ? specs[i].spec : "any");
}

int main(void)
{
	test_matches();
	test_states();
	test_choice();
	test_planar();
	test_specs();
	test_refusals();
	return tap_done();
}
