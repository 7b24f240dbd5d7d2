// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Performance management of the switch at the other side of this port's cable, and of the SA's host. */
#include <errno.h>

#include "tests/conformance/conformance.h"

static struct end *case_pm_agent(struct run *r)
{
	const struct madkit_agent_attr attr = { .mgmt_class = MADKIT_CLASS_PERF };

	return take(r, HERE, &attr);
}

/* Of leaf1. */
static struct madkit_addr leaf(struct run *r)
{
	const struct madkit_agent_attr attr = { .mgmt_class = MADKIT_CLASS_SUBN_DR };
	struct madkit_addr to = { .lid = 0 }, addr = { .qp = 1, .qkey = MADKIT_QKEY_GSI };
	struct end *end = take(r, HERE, &attr);
	struct madkit_error error;

	madkit_parse_path("0,1", &to, &error);
	addr.lid = (uint32_t)value(
		r,
		ask(r, end, attribute_send(r, MADKIT_CLASS_SUBN_DR, MADKIT_METHOD_GET, "PortInfo", 0, &to)),
		"Lid");
	return addr;
}

static struct madkit_send *case_pm_counters(struct run *r, const struct madkit_addr *to, uint8_t method,
					    const char *attribute, uint8_t port, uint32_t select)
{
	struct madkit_send *send = attribute_send(r, MADKIT_CLASS_PERF, method, attribute, 0, to);

	set_number(r, send, "PortSelect", port);
	set_number(r, send, "CounterSelect", select);
	return send;
}

static void case_pm_class_port_info(struct run *r)
{
	struct madkit_addr to = leaf(r);
	const struct madkit_recv *recv =
		ask(r, case_pm_agent(r),
		    attribute_send(r, MADKIT_CLASS_PERF, MADKIT_METHOD_GET, "PerfMgt:ClassPortInfo", 0, &to));

	equal(r, value(r, recv, "BaseVersion"), 1, "base version");
	equal(r, value(r, recv, "ClassVersion"), 1, "class version");
	check(r, madkit_cpi_get_resp_time(recv->mad + MADKIT_PERF_DATA) <= 31, "a response time");
}

static void case_pm_port_counters(struct run *r)
{
	struct madkit_addr to = leaf(r);
	struct end *end = case_pm_agent(r);
	const struct madkit_recv *recv =
		ask(r, end, case_pm_counters(r, &to, MADKIT_METHOD_GET, "PortCounters", 2, 0));

	need(r, recv, "an answer");
	equal(r, status_of(recv), 0, "its status");
	equal(r, recv->mad[MADKIT_MAD_METHOD], MADKIT_METHOD_GET | MADKIT_METHOD_RESPONSE, "GetResp");
	equal(r, value(r, recv, "PortSelect"), 2, "of the port that was asked for");
	equal(r, recv->from.lid, to.lid, "from that LID");
	equal(r, recv->from.qp, 1, "QP 1");
}

/* Packets through the port count there. */
static void count_up(struct run *r)
{
	struct madkit_addr to = leaf(r);
	struct end *end = case_pm_agent(r);
	const struct madkit_recv *before, *after;

	before = ask(r, end, case_pm_counters(r, &to, MADKIT_METHOD_GET, "PortCounters", 2, 0));
	after = ask(r, end, case_pm_counters(r, &to, MADKIT_METHOD_GET, "PortCounters", 2, 0));
	check(r, value(r, after, "PortRcvPkts") > value(r, before, "PortRcvPkts"), "packets that came in");
	check(r, value(r, after, "PortXmitPkts") > value(r, before, "PortXmitPkts"), "packets that went out");
	check(r, value(r, after, "PortRcvData") > value(r, before, "PortRcvData"), "data that came in");
	check(r, value(r, after, "PortXmitData") > value(r, before, "PortXmitData"), "data that went out");
}

/* All of them, but what the requests themselves count since. */
static void case_pm_reset(struct run *r)
{
	struct madkit_addr to = leaf(r);
	struct end *end = case_pm_agent(r);
	const struct madkit_recv *before, *recv, *after;

	for (int i = 0; i < 20; i++)
		need(r, ask(r, end, case_pm_counters(r, &to, MADKIT_METHOD_GET, "PortCounters", 2, 0)),
		     "an answer");
	before = latest(r, end);
	recv = ask(r, end, case_pm_counters(r, &to, MADKIT_METHOD_SET, "PortCounters", 2, 0xffff));
	need(r, recv, "an answer");
	equal(r, status_of(recv), 0, "Set is taken");
	equal(r, recv->mad[MADKIT_MAD_METHOD], MADKIT_METHOD_GET | MADKIT_METHOD_RESPONSE,
	      "and answered by GetResp");
	after = ask(r, end, case_pm_counters(r, &to, MADKIT_METHOD_GET, "PortCounters", 2, 0));
	check(r, value(r, after, "PortRcvPkts") < value(r, before, "PortRcvPkts"), "PortRcvPkts begins anew");
	check(r, value(r, after, "PortXmitPkts") < value(r, before, "PortXmitPkts"), "so does PortXmitPkts");
	check(r, value(r, after, "PortXmitData") < value(r, before, "PortXmitData"), "so does PortXmitData");
	equal(r, value(r, after, "SymbolErrorCounter"), 0, "nothing was wrong since");
}

/* Only the counters that CounterSelect names. */
static void reset_selected(struct run *r)
{
	struct madkit_addr to = leaf(r);
	struct end *end = case_pm_agent(r);
	const struct madkit_recv *before, *after;

	/* bit 14: PortXmitPkts alone */
	before = ask(r, end, case_pm_counters(r, &to, MADKIT_METHOD_GET, "PortCounters", 7, 0));
	need(r, ask(r, end, case_pm_counters(r, &to, MADKIT_METHOD_SET, "PortCounters", 7, 1 << 14)),
	     "an answer");
	after = ask(r, end, case_pm_counters(r, &to, MADKIT_METHOD_GET, "PortCounters", 7, 0));
	check(r, value(r, after, "PortXmitPkts") < value(r, before, "PortXmitPkts"),
	      "PortXmitPkts begins anew");
	check(r, value(r, after, "PortRcvPkts") >= value(r, before, "PortRcvPkts"), "PortRcvPkts does not");
	check(r, value(r, after, "PortXmitData") >= value(r, before, "PortXmitData"),
	      "nor does PortXmitData");
}

static void extended(struct run *r)
{
	struct madkit_addr to = leaf(r);
	struct end *end = case_pm_agent(r);
	const struct madkit_recv *narrow, *wide;

	narrow = ask(r, end, case_pm_counters(r, &to, MADKIT_METHOD_GET, "PortCounters", 2, 0));
	wide = ask(r, end, case_pm_counters(r, &to, MADKIT_METHOD_GET, "PortCountersExtended", 2, 0));
	need(r, narrow && wide, "answers");
	equal(r, status_of(wide), 0, "its status");
	equal(r, value(r, wide, "PortSelect"), 2, "of the port that was asked for");
	check(r, value(r, wide, "PortRcvPkts") >= value(r, narrow, "PortRcvPkts"),
	      "the same packets, counted further");
	check(r, value(r, wide, "PortXmitData") >= value(r, narrow, "PortXmitData"), "the same data");
}

static void host(struct run *r)
{
	struct madkit_addr to = address_of(r, HERE);
	const struct madkit_recv *recv;

	to.lid = madkit_port_get_info(port_of(r, HERE))->lid;
	recv = ask(r, case_pm_agent(r), case_pm_counters(r, &to, MADKIT_METHOD_GET, "PortCounters", 1, 0));
	need(r, recv, "this host answers itself");
	equal(r, status_of(recv), 0, "its status");
	equal(r, value(r, recv, "PortSelect"), 1, "of its port");
}

static const struct test list[] = {
	{ "pm/class-port-info", PM, case_pm_class_port_info, NULL },
	{ "pm/port-counters", PM, case_pm_port_counters, NULL },
	{ "pm/count-up", PM, count_up, NULL },
	{ "pm/reset", PM, case_pm_reset, NULL },
	{ "pm/reset-selected", PM, reset_selected, NULL },
	{ "pm/extended", PM, extended, NULL },
	{ "pm/host", PM, host, NULL },
};
TESTS(pm_tests, list);
