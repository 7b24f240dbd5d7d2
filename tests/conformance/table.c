// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Tables of the SA by RMPP: from a simulated SA at the other port, transferred by the kernels, and from a
 * real one. */
#include <errno.h>

#include "tests/conformance/conformance.h"

enum { RECORD = 112 }; /* of a NodeRecord, padded to 8 bytes */

static struct end *case_table_sa_agent(struct run *r, enum side side, enum rmpp rmpp, bool serves)
{
	struct madkit_agent_attr attr = {
		.mgmt_class = MADKIT_CLASS_SA,
		.rmpp_version = 1,
		.library_rmpp = rmpp == LIBRARY_RMPP,
	};

	if (serves)
		madkit_method_mask_set(attr.method_mask, MADKIT_METHOD_GET_TABLE);
	return take(r, side, &attr);
}

struct size {
	unsigned int count;
	enum rmpp here, there;
};

/* As many records as the case says, of which each knows its number. */
static void made_up(struct run *r)
{
	const struct size *size = r->arg;
	struct end *here = case_table_sa_agent(r, HERE, size->here, false),
		   *there = case_table_sa_agent(r, THERE, size->there, true);
	struct madkit_addr to = address_of(r, THERE);
	struct madkit_send *send, *table;
	const struct madkit_recv *recv;
	struct madkit_header h;
	size_t len = MADKIT_SA_DATA + size->count * RECORD;

	send = attribute_send(r, MADKIT_CLASS_SA, MADKIT_METHOD_GET_TABLE, "NodeRecord", 0, &to);
	post(r, here, send);
	drive(r, &there->came, 1);
	recv = latest(r, there);
	need(r, madkit_header_get(recv->mad, recv->len, &h) == 0, "a request");
	h.method |= MADKIT_METHOD_RESPONSE;
	table = new_send(r, len, &h, &recv->from);
	table->timeout_ms = 0;
	table->retries = 3;
	madkit_rmpp_set_version(table->mad, MADKIT_RMPP_VERSION);
	madkit_rmpp_set_type(table->mad, MADKIT_RMPP_DATA);
	madkit_rmpp_set_flags(table->mad, MADKIT_RMPP_ACTIVE);
	put_be(table->mad + MADKIT_SA_ATTRIBUTE_OFFSET, 2, RECORD / 8);
	for (unsigned int i = 0; i < size->count; i++)
		put_be(table->mad + MADKIT_SA_DATA + i * RECORD, 2, i + 1);
	post(r, there, table);
	drive(r, &here->ended, 1);
	equal(r, here->status, 0, "the table came");
	recv = latest(r, here);
	equal(r, recv->mad[MADKIT_MAD_METHOD], MADKIT_METHOD_GET_TABLE | MADKIT_METHOD_RESPONSE,
	      "by GetTableResp");
	equal(r, recv->len, len, "its length");
	equal(r, records(recv), size->count, "its records");
	for (unsigned int i = 0; i < records(recv) && i < size->count; i++)
		equal(r, value_of(r, recv, i, "LID"), i + 1, "record %u", i);
}

/* PayloadLength counts the class header of 20 bytes in every segment. */
static void payload_length(struct run *r)
{
	enum { COUNT = 20, SEGMENTS = (COUNT * RECORD + 199) / 200 };
	const struct size size = { COUNT, KERNEL_RMPP, KERNEL_RMPP };
	struct end *here;

	r->arg = &size;
	made_up(r);
	here = r->end[0];
	equal(r, madkit_rmpp_get_length(latest(r, here)->mad), COUNT * RECORD + SEGMENTS * 20,
	      "PayloadLength");
}

/* ---- the subnet's own SA ---- */

static struct madkit_addr the_sa(struct run *r)
{
	const struct madkit_port_info *info = madkit_port_get_info(port_of(r, HERE));

	return (struct madkit_addr){
		.lid = info->sm_lid, .sl = info->sm_sl, .qp = 1, .qkey = MADKIT_QKEY_GSI
	};
}

static const struct madkit_recv *table_of(struct run *r, const char *attribute, const char *field,
					  const char *text)
{
	struct madkit_addr to = the_sa(r);
	struct end *end = case_table_sa_agent(r, HERE, KERNEL_RMPP, false);
	struct madkit_send *send =
		attribute_send(r, MADKIT_CLASS_SA, MADKIT_METHOD_GET_TABLE, attribute, 0, &to);
	const struct madkit_recv *recv;

	if (field)
		set(r, send, field, text);
	recv = ask(r, end, send);
	need(r, recv, "a table, not status %d", end->status);
	equal(r, status_of(recv), 0, "the status");
	equal(r, recv->mad[MADKIT_MAD_METHOD], MADKIT_METHOD_GET_TABLE | MADKIT_METHOD_RESPONSE,
	      "GetTableResp");
	return recv;
}

static void case_table_nodes(struct run *r)
{
	equal(r, records(table_of(r, "NodeRecord", NULL, NULL)), 6, "four hosts and two switches");
}

static void some_nodes(struct run *r)
{
	const struct madkit_recv *recv = table_of(r, "NodeRecord", "NodeInfo.NodeType", "2");

	equal(r, records(recv), 2, "two switches");
	for (unsigned int i = 0; i < records(recv); i++)
		equal(r, value_of(r, recv, i, "NodeInfo.NumPorts"), 8, "of eight ports");
}

static void case_table_port_infos(struct run *r)
{
	/* ports 0 to 8 of two switches, one of each host; node4 has two, of which one is not connected */
	check(r, records(table_of(r, "PortInfoRecord", NULL, NULL)) >= 2 * 9 + 4, "PortInfo of every port");
}

static void links(struct run *r)
{
	/* four hosts' links and two between the switches, seen from both ends */
	equal(r, records(table_of(r, "LinkRecord", NULL, NULL)), 12, "links");
}

static void no_records(struct run *r)
{
	equal(r, records(table_of(r, "NodeRecord", "LID", "0xbffe")), 0, "an empty table");
}

#define WITH UMAD | RMPP | PEER
#define SIZE(count, here, there) \
	&(const struct size) \
	{ \
		count, here##_RMPP, there##_RMPP \
	}
static const struct test list[] = {
	{ "table/made-up-0", WITH, made_up, SIZE(0, KERNEL, KERNEL) },
	{ "table/made-up-1", WITH, made_up, SIZE(1, KERNEL, KERNEL) },
	{ "table/made-up-2", WITH, made_up, SIZE(2, KERNEL, KERNEL) },
	{ "table/made-up-900", WITH, made_up, SIZE(900, KERNEL, KERNEL) },
	{ "table/made-up-900-library", WITH, made_up, SIZE(900, LIBRARY, LIBRARY) },
	{ "table/made-up-900-kernel-to-library", WITH, made_up, SIZE(900, LIBRARY, KERNEL) },
	{ "table/payload-length", WITH, payload_length, NULL },
	{ "table/nodes", TABLES, case_table_nodes, NULL },
	{ "table/some-nodes", TABLES, some_nodes, NULL },
	{ "table/port-infos", TABLES, case_table_port_infos, NULL },
	{ "table/links", TABLES, links, NULL },
	{ "table/no-records", TABLES, no_records, NULL },
};
TESTS(table_tests, list);
