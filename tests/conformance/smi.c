// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Subnet management packets on the fabric of data/topologies/small.net, from node3:
 *
 *   node1 --[1]                 [1]-- node2
 *             leaf1 ==[7,8]== leaf2
 *   node3 --[2]                 [2]-- node4
 */
#include <errno.h>
#include <stdlib.h>

#include "tests/conformance/conformance.h"
#include "util/array_size.h"

static const char *const routes[] = { "0", "0,1", "0,1,1", "0,1,7", "0,1,8", "0,1,7,1", "0,1,8,2" };
enum { ROUTES = ARRAY_SIZE(routes) };

static struct end *case_smi_agent(struct run *r, uint8_t class)
{
	const struct madkit_agent_attr attr = { .mgmt_class = class };

	return take(r, HERE, &attr);
}

static struct madkit_addr case_smi_route(struct run *r, const char *path)
{
	struct madkit_addr addr = { .lid = 0 };
	struct madkit_error error;

	need(r, madkit_parse_path(path, &addr, &error) == 0, "%s", error.text);
	return addr;
}

static struct madkit_send *case_smi_request(struct run *r, const char *path, uint8_t method,
					    const char *attribute, uint32_t modifier)
{
	struct madkit_addr to = case_smi_route(r, path);

	return attribute_send(r, MADKIT_CLASS_SUBN_DR, method, attribute, modifier, &to);
}

/* By direct route; it must be answered, with status 0. */
static const struct madkit_recv *case_smi_get(struct run *r, struct end *end, const char *path,
					      const char *attribute, uint32_t modifier)
{
	const struct madkit_recv *recv =
		ask(r, end, case_smi_request(r, path, MADKIT_METHOD_GET, attribute, modifier));

	need(r, recv, "%s: %s %" PRIu32 ": an answer, not status %d", path, attribute, modifier, end->status);
	equal(r, status_of(recv), 0, "%s: %s %" PRIu32 ": its status", path, attribute, modifier);
	equal(r, recv->mad[MADKIT_MAD_METHOD], MADKIT_METHOD_GET | MADKIT_METHOD_RESPONSE, "%s: GetResp",
	      path);
	return recv;
}

static uint32_t case_smi_lid_of(struct run *r, struct end *end, const char *path, uint32_t port)
{
	return (uint32_t)value(r, case_smi_get(r, end, path, "PortInfo", port), "Lid");
}

static const struct madkit_recv *get_by_lid(struct run *r, struct end *end, uint32_t lid,
					    const char *attribute, uint32_t modifier)
{
	const struct madkit_addr to = { .lid = lid };
	const struct madkit_recv *recv;

	recv = ask(r, end, attribute_send(r, MADKIT_CLASS_SUBN, MADKIT_METHOD_GET, attribute, modifier, &to));
	need(r, recv, "LID %" PRIu32 ": an answer, not status %d", lid, end->status);
	equal(r, status_of(recv), 0, "LID %" PRIu32 ": its status", lid);
	return recv;
}

static void itself(struct run *r)
{
	const struct madkit_recv *recv =
		case_smi_get(r, case_smi_agent(r, MADKIT_CLASS_SUBN_DR), "0", "NodeInfo", 0);
	const struct madkit_port_info *info = madkit_port_get_info(port_of(r, HERE));

	equal(r, value(r, recv, "NodeType"), 1, "a channel adapter");
	equal(r, value(r, recv, "NumPorts"), 1, "of one port");
	equal(r, value(r, recv, "LocalPort"), 1, "asked at port 1");
	equal(r, value(r, recv, "Guid"), info->node_guid, "the node's GUID is the device's");
	equal(r, value(r, recv, "PortGuid"), info->port_guid, "the port's, too");
	equal(r, value(r, recv, "BaseVers"), 1, "base version");
	equal(r, value(r, recv, "ClassVers"), 1, "class version");
}

static void hop_by_hop(struct run *r)
{
	static const struct {
		uint8_t type, ports, local;
	} wanted[ROUTES] = {
		{ 1, 1, 1 }, { 2, 8, 2 }, { 1, 1, 1 }, { 2, 8, 7 }, { 2, 8, 8 }, { 1, 1, 1 }, { 1, 2, 1 },
	};
	struct end *end = case_smi_agent(r, MADKIT_CLASS_SUBN_DR);
	uint64_t guid[ROUTES];

	for (int i = 0; i < ROUTES; i++) {
		const struct madkit_recv *recv = case_smi_get(r, end, routes[i], "NodeInfo", 0);

		equal(r, value(r, recv, "NodeType"), wanted[i].type, "%s: NodeType", routes[i]);
		equal(r, value(r, recv, "NumPorts"), wanted[i].ports, "%s: NumPorts", routes[i]);
		equal(r, value(r, recv, "LocalPort"), wanted[i].local, "%s: the port it came in by",
		      routes[i]);
		guid[i] = value(r, recv, "Guid");
	}
	equal(r, guid[3], guid[4], "two ways to the same switch");
	for (int i = 0; i < ROUTES; i++)
		for (int j = 0; j < i; j++)
			check(r, guid[i] != guid[j] || (i == 4 && j == 3), "%s and %s are two nodes",
			      routes[i], routes[j]);
}

static void descriptions(struct run *r)
{
	static const char *const wanted[ROUTES] = {
		"node3 HCA-1", "leaf1 rack1", "node1 HCA-1", "leaf2 rack2",
		"leaf2 rack2", "node2 HCA-1", "node4 HCA-1",
	};
	struct end *end = case_smi_agent(r, MADKIT_CLASS_SUBN_DR);

	for (int i = 0; i < ROUTES; i++) {
		char text[65];

		text_at(case_smi_get(r, end, routes[i], "NodeDescription", 0), MADKIT_SMP_DATA, text);
		check(r, !strcmp(text, wanted[i]), "%s: %s is there, not %s", routes[i], text, wanted[i]);
	}
}

/* The header of a response: the D bit, the unchanged initial path, and the return path. */
static void route_back(struct run *r)
{
	const struct madkit_recv *recv =
		case_smi_get(r, case_smi_agent(r, MADKIT_CLASS_SUBN_DR), "0,1,7,1", "NodeInfo", 0);

	equal(r, recv->mad[MADKIT_MAD_STATUS] & 0x80, 0x80, "the D bit");
	equal(r, recv->mad[MADKIT_MAD_HOP_COUNT], 3, "the hop count is as it was");
	equal(r, be_at(recv->mad + MADKIT_SMP_INITIAL_PATH, 4), 0x00010701, "the initial path, too");
	equal(r, recv->mad[MADKIT_MAD_HOP_POINTER], 0, "the hop pointer is back at its beginning");
	equal(r, recv->mad[MADKIT_SMP_RETURN_PATH + 1], 2, "it came into leaf1 by port 2");
	equal(r, recv->mad[MADKIT_SMP_RETURN_PATH + 2], 7, "... into leaf2 by port 7");
	equal(r, recv->mad[MADKIT_SMP_RETURN_PATH + 3], 1, "... into node2 by port 1");
	equal(r, be_at(recv->mad + MADKIT_SMP_DR_SLID, 2), MADKIT_LID_PERMISSIVE, "DrSLID");
}

static void case_smi_silence(struct run *r)
{
	struct end *end = case_smi_agent(r, MADKIT_CLASS_SUBN_DR);
	struct madkit_send *send = case_smi_request(r, r->arg, MADKIT_METHOD_GET, "NodeInfo", 0);

	send->timeout_ms = 100;
	check(r, !ask(r, end, send), "no answer");
	/* a kernel refuses what would leave by a port that is not the agent's */
	check(r, end->status == -ETIMEDOUT || (end->status == -EINVAL && send->to.path[1] != 1),
	      "a route that leads nowhere: %d", end->status);
	case_smi_get(r, end, "0,1", "NodeInfo", 0);
}

static void switch_ports(struct run *r)
{
	struct end *end = case_smi_agent(r, MADKIT_CLASS_SUBN_DR);

	for (uint32_t port = 1; port <= 8; port++) {
		const struct madkit_recv *recv = case_smi_get(r, end, "0,1", "PortInfo", port);
		bool up = port < 3 || port > 6;

		equal(r, value(r, recv, "LinkState"), up ? 4 : 1, "port %" PRIu32 ": LinkState", port);
		if (up)
			equal(r, value(r, recv, "PhysLinkState"), 5, "port %" PRIu32 ": PhysLinkState", port);
		else
			check(r, value(r, recv, "PhysLinkState") != 5, "port %" PRIu32 ": not LinkUp", port);
		equal(r, value(r, recv, "LocalPort"), 2, "the port that it was asked through");
	}
}

static void case_smi_port_info(struct run *r)
{
	const struct madkit_recv *recv =
		case_smi_get(r, case_smi_agent(r, MADKIT_CLASS_SUBN_DR), "0", "PortInfo", 1);
	const struct madkit_port_info *info = madkit_port_get_info(port_of(r, HERE));

	equal(r, value(r, recv, "Lid"), info->lid, "the LID is the device's");
	equal(r, value(r, recv, "SMLid"), info->sm_lid, "that of the subnet manager, too");
	equal(r, value(r, recv, "GidPrefix"), info->gid_prefix, "the GID prefix");
	equal(r, value(r, recv, "LinkState"), 4, "active");
	equal(r, value(r, recv, "PhysLinkState"), 5, "LinkUp");
	equal(r, value(r, recv, "LinkWidthActive"), 2, "4X is what both ends can");
	check(r, info->lid && info->sm_lid && info->lid != info->sm_lid, "LIDs %" PRIu32 " and %" PRIu32,
	      info->lid, info->sm_lid);
}

/* Of a node with one port modifier 0 is the port that was asked. */
static void port_0_of_ca(struct run *r)
{
	struct end *end = case_smi_agent(r, MADKIT_CLASS_SUBN_DR);

	equal(r, case_smi_lid_of(r, end, "0", 0), case_smi_lid_of(r, end, "0", 1),
	      "port 0 and port 1 of a channel adapter");
}

static void no_such_port(struct run *r)
{
	struct end *end = case_smi_agent(r, MADKIT_CLASS_SUBN_DR);
	const struct madkit_recv *recv =
		ask(r, end, case_smi_request(r, "0,1", MADKIT_METHOD_GET, "PortInfo", 77));

	need(r, recv, "an answer, not status %d", end->status);
	equal(r, status_of(recv), 0x001c, "an invalid modifier");
}

static void case_smi_switch_info(struct run *r)
{
	struct end *end = case_smi_agent(r, MADKIT_CLASS_SUBN_DR);
	const struct madkit_recv *recv = case_smi_get(r, end, "0,1", "SwitchInfo", 0);

	check(r, value(r, recv, "LinearFdbCap") >= 1024, "a forwarding table of some size");
	check(r, value(r, recv, "LinearFdbTop") >= 6, "six LIDs were assigned");
	check(r, value(r, recv, "LinearFdbTop") < value(r, recv, "LinearFdbCap"), "which it holds");
	equal(r, value(r, recv, "StateChange"), 0, "the manager has seen all changes");
}

static void case_smi_by_lid(struct run *r)
{
	struct end *direct = case_smi_agent(r, MADKIT_CLASS_SUBN_DR),
		   *end = case_smi_agent(r, MADKIT_CLASS_SUBN);

	for (int i = 0; i < ROUTES; i++) {
		const struct madkit_recv *recv = case_smi_get(r, direct, routes[i], "NodeInfo", 0);
		uint32_t lid = case_smi_lid_of(r, direct, routes[i], value(r, recv, "NodeType") == 2 ? 0 : 1);
		const struct madkit_recv *same = get_by_lid(r, end, lid, "NodeInfo", 0);

		equal(r, value(r, same, "Guid"), value(r, recv, "Guid"), "%s: the same node by LID %" PRIu32,
		      routes[i], lid);
		equal(r, same->from.lid, lid, "it came from there");
		equal(r, same->from.qp, 0, "QP 0");
	}
}

/* A LID-routed part first, then a directed one. */
static void case_smi_combined(struct run *r)
{
	struct end *end = case_smi_agent(r, MADKIT_CLASS_SUBN_DR);
	uint64_t node2 = value(r, case_smi_get(r, end, "0,1,7,1", "NodeInfo", 0), "Guid");
	struct madkit_addr to = case_smi_route(r, "0,7,1");
	struct madkit_send *send;

	to.lid = case_smi_lid_of(r, end, "0,1", 0);
	send = attribute_send(r, MADKIT_CLASS_SUBN_DR, MADKIT_METHOD_GET, "NodeInfo", 0, &to);
	equal(r, value(r, ask(r, end, send), "Guid"), node2, "leaf1 by LID, then 7 and 1");
}

static void p_keys(struct run *r)
{
	equal(r,
	      value(r, case_smi_get(r, case_smi_agent(r, MADKIT_CLASS_SUBN_DR), "0,1,7,1", "P_KeyTable", 0),
		    "PKey[0]") &
		      0x7fff,
	      0x7fff, "the default P_Key is the first one");
}

static void guids(struct run *r)
{
	struct end *end = case_smi_agent(r, MADKIT_CLASS_SUBN_DR);

	equal(r, value(r, case_smi_get(r, end, "0,1,7,1", "GUIDInfo", 0), "GUID[0]"),
	      value(r, case_smi_get(r, end, "0,1,7,1", "NodeInfo", 0), "PortGuid"), "GUID 0 is the port's");
}

/* The forwarding table of leaf1, followed by direct route: it leads where it should. */
static void forwarding(struct run *r)
{
	struct end *end = case_smi_agent(r, MADKIT_CLASS_SUBN_DR);
	uint32_t here = case_smi_lid_of(r, end, "0", 1), node1 = case_smi_lid_of(r, end, "0,1,1", 1),
		 node2 = case_smi_lid_of(r, end, "0,1,7,1", 1);
	uint32_t leaf1 = case_smi_lid_of(r, end, "0,1", 0);
	const struct madkit_recv *recv = case_smi_get(r, end, "0,1", "LinearForwardingTable", 0);
	char field[16];
	uint64_t port;

	need(r, here < 64 && node1 < 64 && node2 < 64 && leaf1 < 64, "small LIDs");
	snprintf(field, sizeof(field), "Port[%" PRIu32 "]", here);
	equal(r, value(r, recv, field), 2, "node3 is at port 2");
	snprintf(field, sizeof(field), "Port[%" PRIu32 "]", node1);
	equal(r, value(r, recv, field), 1, "node1 at port 1");
	snprintf(field, sizeof(field), "Port[%" PRIu32 "]", leaf1);
	equal(r, value(r, recv, field), 0, "itself at port 0");
	snprintf(field, sizeof(field), "Port[%" PRIu32 "]", node2);
	port = value(r, recv, field);
	check(r, port == 7 || port == 8, "node2 at port 7 or 8, not %" PRIu64, port);
}

static void set_and_read(struct run *r)
{
	struct end *end = case_smi_agent(r, MADKIT_CLASS_SUBN_DR);
	const struct madkit_recv *old = case_smi_get(r, end, "0,1,7,1", "PortInfo", 1), *recv;
	uint64_t life = value(r, old, "HoqLife");
	struct madkit_send *send = case_smi_request(r, "0,1,7,1", MADKIT_METHOD_SET, "PortInfo", 1);

	memcpy(send->mad + MADKIT_SMP_DATA, old->mad + MADKIT_SMP_DATA, 64);
	/* the value that means no change */
	set(r, send, "LinkState", "0");
	set(r, send, "PhysLinkState", "0");
	set_number(r, send, "HoqLife", life ^ 1);
	recv = ask(r, end, send);
	need(r, recv, "an answer");
	equal(r, status_of(recv), 0, "Set is taken");
	equal(r, recv->mad[MADKIT_MAD_METHOD], MADKIT_METHOD_GET | MADKIT_METHOD_RESPONSE,
	      "and answered by GetResp");
	equal(r, value(r, case_smi_get(r, end, "0,1,7,1", "PortInfo", 1), "HoqLife"), life ^ 1, "it is kept");
	set_number(r, send, "HoqLife", life);
	need(r, ask(r, end, send), "an answer");
}

/* A port that is active does not become so by skipping a state: what has no sense is status 0x1c. */
static void set_nonsense(struct run *r)
{
	struct end *end = case_smi_agent(r, MADKIT_CLASS_SUBN_DR);
	const struct madkit_recv *old = case_smi_get(r, end, "0,1", "PortInfo", 4), *recv;
	struct madkit_send *send = case_smi_request(r, "0,1", MADKIT_METHOD_SET, "PortInfo", 4);

	memcpy(send->mad + MADKIT_SMP_DATA, old->mad + MADKIT_SMP_DATA, 64);
	set(r, send, "PhysLinkState", "0");
	set(r, send, "LinkState", "4");
	recv = ask(r, end, send);
	need(r, recv, "an answer, not status %d", end->status);
	equal(r, status_of(recv), 0x001c, "a port that is down cannot be made active");
	equal(r, value(r, case_smi_get(r, end, "0,1", "PortInfo", 4), "LinkState"), 1, "nor is it");
}

static void m_key(struct run *r)
{
	struct end *end = case_smi_agent(r, MADKIT_CLASS_SUBN_DR);
	const struct madkit_recv *old = case_smi_get(r, end, "0,1,8,2", "PortInfo", 1);
	struct madkit_send *send = case_smi_request(r, "0,1,8,2", MADKIT_METHOD_SET, "PortInfo", 1), *wrong;

	memcpy(send->mad + MADKIT_SMP_DATA, old->mad + MADKIT_SMP_DATA, 64);
	set(r, send, "LinkState", "0");
	set(r, send, "PhysLinkState", "0");
	set(r, send, "Mkey", "0x1122334455667788");
	set(r, send, "ProtectBits", "2");
	set(r, send, "MkeyLeasePeriod", "0");
	need(r, ask(r, end, send), "the M_Key is set");
	wrong = case_smi_request(r, "0,1,8,2", MADKIT_METHOD_GET, "PortInfo", 1);
	put_be(wrong->mad + MADKIT_SMP_MKEY, 8, 0x1122334455667789);
	wrong->timeout_ms = 200;
	check(r, !ask(r, end, wrong), "without it there is silence");
	equal(r, end->status, -ETIMEDOUT, "as if nobody were there");
	put_be(wrong->mad + MADKIT_SMP_MKEY, 8, 0x1122334455667788);
	wrong->timeout_ms = PATIENCE / 2;
	check(r, ask(r, end, wrong), "with it there is an answer");
	put_be(send->mad + MADKIT_SMP_MKEY, 8, 0x1122334455667788);
	set(r, send, "Mkey", "0");
	set(r, send, "ProtectBits", "0");
	need(r, ask(r, end, send), "the M_Key is taken away");
	case_smi_get(r, end, "0,1,8,2", "PortInfo", 1);
}

static void case_smi_sm_info(struct run *r)
{
	const struct madkit_port_info *info = madkit_port_get_info(port_of(r, HERE));
	struct end *direct = case_smi_agent(r, MADKIT_CLASS_SUBN_DR),
		   *end = case_smi_agent(r, MADKIT_CLASS_SUBN);
	const struct madkit_recv *recv = get_by_lid(r, end, info->sm_lid, "SMInfo", 0);

	equal(r, value(r, recv, "SMState"), 3, "the manager is master");
	equal(r, value(r, recv, "GUID"),
	      value(r, case_smi_get(r, direct, "0,1,1", "NodeInfo", 0), "PortGuid"), "on node1's port");
	equal(r, case_smi_lid_of(r, direct, "0,1,1", 1), info->sm_lid, "whose LID all others know");
}

static void in_flight(struct run *r)
{
	enum { COUNT = 32 };
	struct end *end = case_smi_agent(r, MADKIT_CLASS_SUBN_DR);
	struct madkit_send *send[COUNT];

	for (unsigned int i = 0; i < COUNT; i++) {
		send[i] = case_smi_request(r, routes[i % ROUTES], MADKIT_METHOD_GET, "NodeInfo", 0);
		post(r, end, send[i]);
	}
	drive(r, &end->ended, COUNT);
	equal(r, end->came, COUNT, "each has one answer");
	for (unsigned int i = 0; i < COUNT; i++)
		equal(r, status_of(end->recv[i]), 0, "its status");
}

static const struct test list[] = {
	{ "smi/itself", SMI, itself, NULL },
	{ "smi/hop-by-hop", SMI, hop_by_hop, NULL },
	{ "smi/descriptions", SMI, descriptions, NULL },
	{ "smi/route-back", SMI, route_back, NULL },
	{ "smi/not-connected", SMI, case_smi_silence, "0,1,6" },
	{ "smi/no-such-exit", SMI, case_smi_silence, "0,1,99" },
	{ "smi/beyond-a-host", SMI, case_smi_silence, "0,1,1,1" },
	{ "smi/wrong-first-port", SMI, case_smi_silence, "0,2" },
	{ "smi/port-info", SMI, case_smi_port_info, NULL },
	{ "smi/port-0-of-ca", SMI, port_0_of_ca, NULL },
	{ "smi/switch-ports", SMI, switch_ports, NULL },
	{ "smi/no-such-port", SMI, no_such_port, NULL },
	{ "smi/switch-info", SMI, case_smi_switch_info, NULL },
	{ "smi/by-lid", SMI, case_smi_by_lid, NULL },
	{ "smi/combined-route", SMI | IBA, case_smi_combined, NULL },
	{ "smi/p-key-table", SMI, p_keys, NULL },
	{ "smi/guid-info", SMI, guids, NULL },
	{ "smi/forwarding-table", SMI, forwarding, NULL },
	{ "smi/set", SMI, set_and_read, NULL },
	{ "smi/set-nonsense", SMI, set_nonsense, NULL },
	{ "smi/m-key", SMI | IBA, m_key, NULL },
	{ "smi/sm-info", SMI, case_smi_sm_info, NULL },
	{ "smi/in-flight", SMI, in_flight, NULL },
};
TESTS(smi_tests, list);
