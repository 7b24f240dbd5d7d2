// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Subnet administration, with responses of one MAD. */
#include <errno.h>

#include "tests/conformance/conformance.h"

static struct end *case_sa_agent(struct run *r)
{
	const struct madkit_agent_attr attr = { .mgmt_class = MADKIT_CLASS_SA, .rmpp_version = 1 };

	return take(r, HERE, &attr);
}

static const struct madkit_port_info *case_sa_info(struct run *r)
{
	return madkit_port_get_info(port_of(r, HERE));
}

static struct madkit_send *case_sa_request(struct run *r, uint8_t method, const char *attribute)
{
	struct madkit_addr to = {
		.lid = case_sa_info(r)->sm_lid, .sl = case_sa_info(r)->sm_sl, .qp = 1, .qkey = MADKIT_QKEY_GSI
	};

	return attribute_send(r, MADKIT_CLASS_SA, method, attribute, 0, &to);
}

static const struct madkit_recv *ask_sa(struct run *r, struct end *end, struct madkit_send *send,
					uint16_t status)
{
	const struct madkit_recv *recv = ask(r, end, send);

	need(r, recv, "an answer, not status %d", end->status);
	equal(r, status_of(recv), status, "its status");
	return recv;
}

static uint16_t sa_status(uint8_t status)
{
	return (uint16_t)(status << MADKIT_STATUS_CLASS_SHIFT);
}

static void this_gid(struct run *r, struct madkit_send *send, const char *field)
{
	char text[MADKIT_GID_TEXT_MAX];
	uint8_t gid[16];

	put_be(gid, 8, case_sa_info(r)->gid_prefix);
	put_be(gid + 8, 8, case_sa_info(r)->port_guid);
	set(r, send, field, madkit_gid_text(gid, text));
}

static void case_sa_class_port_info(struct run *r)
{
	const struct madkit_recv *recv =
		ask_sa(r, case_sa_agent(r), case_sa_request(r, MADKIT_METHOD_GET, "SA:ClassPortInfo"), 0);

	equal(r, value(r, recv, "BaseVersion"), 1, "base version");
	equal(r, value(r, recv, "ClassVersion"), 2, "class version");
	check(r, value(r, recv, "RespTimeValue") <= 31, "a response time");
}

static void case_sa_node_record(struct run *r)
{
	struct madkit_send *send = case_sa_request(r, MADKIT_METHOD_GET, "NodeRecord");
	const struct madkit_recv *recv;

	set_number(r, send, "LID", case_sa_info(r)->lid);
	recv = ask_sa(r, case_sa_agent(r), send, 0);
	equal(r, recv->mad[MADKIT_MAD_METHOD], MADKIT_METHOD_GET | MADKIT_METHOD_RESPONSE, "GetResp");
	equal(r, value(r, recv, "LID"), case_sa_info(r)->lid, "the LID that was asked for");
	equal(r, value(r, recv, "NodeInfo.Guid"), case_sa_info(r)->node_guid, "is this node's");
	equal(r, value(r, recv, "NodeInfo.PortGuid"), case_sa_info(r)->port_guid, "and this port's");
	equal(r, value(r, recv, "NodeInfo.NodeType"), 1, "a channel adapter's");
}

static void case_sa_by_guid(struct run *r)
{
	struct madkit_send *send = case_sa_request(r, MADKIT_METHOD_GET, "NodeRecord");

	set_number(r, send, "NodeInfo.PortGuid", case_sa_info(r)->port_guid);
	equal(r, value(r, ask_sa(r, case_sa_agent(r), send, 0), "LID"), case_sa_info(r)->lid,
	      "the LID of this port's GUID");
}

static void no_record(struct run *r)
{
	struct madkit_send *send = case_sa_request(r, MADKIT_METHOD_GET, "NodeRecord");

	set_number(r, send, "LID", 0xbffe);
	ask_sa(r, case_sa_agent(r), send, sa_status(MADKIT_SA_STATUS_NO_RECORDS));
}

static void too_many(struct run *r)
{
	ask_sa(r, case_sa_agent(r), case_sa_request(r, MADKIT_METHOD_GET, "NodeRecord"),
	       sa_status(MADKIT_SA_STATUS_TOO_MANY_RECORDS));
}

static void case_sa_path_record(struct run *r)
{
	struct madkit_send *send = case_sa_request(r, MADKIT_METHOD_GET, "PathRecord");
	const struct madkit_recv *recv;

	set_number(r, send, "SLID", case_sa_info(r)->lid);
	set_number(r, send, "DLID", case_sa_info(r)->sm_lid);
	set(r, send, "NumbPath", "1");
	recv = ask_sa(r, case_sa_agent(r), send, 0);
	equal(r, value(r, recv, "SLID"), case_sa_info(r)->lid, "from here");
	equal(r, value(r, recv, "DLID"), case_sa_info(r)->sm_lid, "to the manager's port");
	equal(r, value(r, recv, "P_Key") & 0x7fff, 0x7fff, "in the default partition");
	check(r, value(r, recv, "MTU") >= 1 && value(r, recv, "MTU") <= 5, "an MTU");
	check(r, value(r, recv, "Rate") >= 2, "a rate");
	equal(r, value(r, recv, "SL"), case_sa_info(r)->sm_sl, "the manager's SL");
}

static void path_by_gid(struct run *r)
{
	struct madkit_send *send = case_sa_request(r, MADKIT_METHOD_GET, "PathRecord");

	this_gid(r, send, "SGID");
	this_gid(r, send, "DGID");
	set(r, send, "NumbPath", "1");
	equal(r, value(r, ask_sa(r, case_sa_agent(r), send, 0), "DLID"), case_sa_info(r)->lid,
	      "this port's GID is its LID");
}

static void case_sa_port_info(struct run *r)
{
	struct madkit_send *send = case_sa_request(r, MADKIT_METHOD_GET, "PortInfoRecord");
	const struct madkit_recv *recv;

	set_number(r, send, "EndportLID", case_sa_info(r)->lid);
	set(r, send, "PortNum", "1");
	recv = ask_sa(r, case_sa_agent(r), send, 0);
	equal(r, value(r, recv, "PortInfo.Lid"), case_sa_info(r)->lid, "PortInfo's LID");
	equal(r, value(r, recv, "PortInfo.LinkState"), 4, "active");
	equal(r, value(r, recv, "PortInfo.SMLid"), case_sa_info(r)->sm_lid, "the manager's LID");
}

static void case_sa_sm_info(struct run *r)
{
	struct madkit_send *send = case_sa_request(r, MADKIT_METHOD_GET, "SMInfoRecord");
	const struct madkit_recv *recv;

	set_number(r, send, "LID", case_sa_info(r)->sm_lid);
	recv = ask_sa(r, case_sa_agent(r), send, 0);
	equal(r, value(r, recv, "SMInfo.SMState"), 3, "the manager is master");
}

/* ---- registrations ---- */

static struct madkit_send *case_sa_member(struct run *r, uint8_t method, const char *mgid,
					  const char *join_state)
{
	struct madkit_send *send = case_sa_request(r, method, "MCMemberRecord");

	set(r, send, "MGID", mgid);
	this_gid(r, send, "PortGID");
	set(r, send, "JoinState", join_state);
	return send;
}

/* The components that creating a group requires. */
static void of_a_new_group(struct run *r, struct madkit_send *send)
{
	set(r, send, "Q_Key", "0x0b1b0b1b");
	set(r, send, "P_Key", "0xffff");
	set(r, send, "SL", "0");
	set(r, send, "FlowLabel", "0");
	set(r, send, "TClass", "0");
}

static void case_sa_multicast(struct run *r)
{
	static const char mgid[] = "ff15:5a5a::5a:1";
	struct end *end = case_sa_agent(r);
	struct madkit_send *join = case_sa_member(r, MADKIT_METHOD_SET, mgid, "1");
	const struct madkit_recv *recv;
	uint64_t mlid;

	of_a_new_group(r, join);
	recv = ask_sa(r, end, join, 0);
	equal(r, recv->mad[MADKIT_MAD_METHOD], MADKIT_METHOD_GET | MADKIT_METHOD_RESPONSE, "GetResp");
	mlid = value(r, recv, "MLID");
	check(r, mlid >= 0xc000 && mlid < 0xffff, "MLID 0x%" PRIx64 " is a multicast LID", mlid);
	equal(r, value(r, recv, "Q_Key"), 0x0b1b0b1b, "the group's Q_Key");
	equal(r, value(r, recv, "JoinState") & 1, 1, "a full member");
	/* the second time it is known */
	recv = ask_sa(r, end, case_sa_member(r, MADKIT_METHOD_SET, mgid, "1"), 0);
	equal(r, value(r, recv, "MLID"), mlid, "the same group");
	recv = ask_sa(r, end, case_sa_member(r, MADKIT_METHOD_DELETE, mgid, "1"), 0);
	equal(r, recv->mad[MADKIT_MAD_METHOD], MADKIT_METHOD_DELETE | MADKIT_METHOD_RESPONSE, "DeleteResp");
}

static void no_group(struct run *r)
{
	struct end *end = case_sa_agent(r);
	const struct madkit_recv *recv;

	/* the group does not exist, and this request has too few components to create it */
	recv = ask(r, end, case_sa_member(r, MADKIT_METHOD_SET, "ff15:5a5a::5a:2", "1"));
	need(r, recv, "an answer");
	equal(r, status_of(recv), sa_status(MADKIT_SA_STATUS_INSUFFICIENT_COMPONENTS), "its status");
	recv = ask(r, end, case_sa_member(r, MADKIT_METHOD_DELETE, "ff15:5a5a::5a:2", "1"));
	need(r, recv, "an answer");
	check(r, status_of(recv), "nor can it be left");
}

static struct madkit_send *case_sa_service(struct run *r, uint8_t method)
{
	struct madkit_send *send = case_sa_request(r, method, "ServiceRecord");

	set(r, send, "ServiceID", "0x5a00000000000001");
	this_gid(r, send, "ServiceGID");
	set(r, send, "ServiceP_Key", "0xffff");
	return send;
}

static void case_sa_services(struct run *r)
{
	struct end *end = case_sa_agent(r);
	struct madkit_send *send = case_sa_service(r, MADKIT_METHOD_SET);
	const struct madkit_recv *recv;

	ask_sa(r, end, case_sa_service(r, MADKIT_METHOD_GET), sa_status(MADKIT_SA_STATUS_NO_RECORDS));
	set(r, send, "ServiceLease", "0xffffffff");
	set(r, send, "ServiceName", "madkit conformance");
	recv = ask_sa(r, end, send, 0);
	equal(r, value(r, recv, "ServiceID"), 0x5a00000000000001, "what was registered comes back");
	recv = ask_sa(r, end, case_sa_service(r, MADKIT_METHOD_GET), 0);
	check(r, !memcmp(recv->mad + MADKIT_SA_DATA + 48, "madkit conformance", 19),
	      "it is there, by its name");
	recv = ask_sa(r, end, case_sa_service(r, MADKIT_METHOD_DELETE), 0);
	equal(r, recv->mad[MADKIT_MAD_METHOD], MADKIT_METHOD_DELETE | MADKIT_METHOD_RESPONSE, "DeleteResp");
	ask_sa(r, end, case_sa_service(r, MADKIT_METHOD_GET), sa_status(MADKIT_SA_STATUS_NO_RECORDS));
	ask_sa(r, end, case_sa_service(r, MADKIT_METHOD_DELETE), sa_status(MADKIT_SA_STATUS_NO_RECORDS));
}

static struct madkit_send *inform_of(struct run *r, const char *subscribe, const char *trap)
{
	struct madkit_send *send = case_sa_request(r, MADKIT_METHOD_SET, "SA:InformInfo");

	set(r, send, "LIDRangeBegin", "0xffff");
	set(r, send, "IsGeneric", "1");
	set(r, send, "Subscribe", subscribe);
	set(r, send, "Type", "0xffff");
	set(r, send, "TrapNumber", trap);
	set(r, send, "QPN", "1");
	set(r, send, "RespTimeValue", "18");
	set(r, send, "ProducerType", "4");
	put_be(send->mad + MADKIT_SA_COMPONENT_MASK, 8, 0);
	return send;
}

static struct madkit_send *case_sa_inform(struct run *r, const char *subscribe)
{
	return inform_of(r, subscribe, "64");
}

static void subscription(struct run *r)
{
	struct end *end = case_sa_agent(r);
	const struct madkit_recv *recv = ask_sa(r, end, case_sa_inform(r, "1"), 0);

	equal(r, recv->mad[MADKIT_MAD_METHOD], MADKIT_METHOD_GET | MADKIT_METHOD_RESPONSE, "GetResp");
	equal(r, value(r, recv, "Subscribe"), 1, "subscribed");
	equal(r, value(r, recv, "TrapNumber"), 64, "to trap 64");
	ask_sa(r, end, case_sa_inform(r, "1"), 0);
	ask_sa(r, end, case_sa_inform(r, "0"), 0);
}

static void no_subscription(struct run *r)
{
	const struct madkit_recv *recv = ask(r, case_sa_agent(r), case_sa_inform(r, "0"));

	need(r, recv, "an answer");
	check(r, status_of(recv), "what was not subscribed cannot be ended");
}

/* Subscribers get a report of a new group (trap 66), and of its deletion (67). */
static void case_sa_report(struct run *r)
{
	static const char mgid[] = "ff15:5a5a::5a:3";
	struct madkit_agent_attr attr = { .mgmt_class = MADKIT_CLASS_SA, .rmpp_version = 1 };
	struct end *end = case_sa_agent(r), *taker;
	struct madkit_send *join = case_sa_member(r, MADKIT_METHOD_SET, mgid, "1"), *answer;
	const struct madkit_recv *recv;

	madkit_method_mask_set(attr.method_mask, MADKIT_METHOD_REPORT);
	taker = take(r, HERE, &attr);
	ask_sa(r, end, inform_of(r, "1", "66"), 0);
	ask_sa(r, end, inform_of(r, "1", "67"), 0);
	of_a_new_group(r, join);
	ask_sa(r, end, join, 0);
	for (unsigned int trap = 66; trap <= 67; trap++) {
		drive(r, &taker->came, trap - 65);
		recv = latest(r, taker);
		equal(r, recv->mad[MADKIT_MAD_METHOD], MADKIT_METHOD_REPORT, "a Report");
		equal(r, be_at(recv->mad + MADKIT_MAD_ATTRIBUTE, 2), MADKIT_ATTR_NOTICE, "a Notice");
		equal(r, value(r, recv, "TrapNumber"), trap, "of this trap");
		check(r, !memcmp(recv->mad + MADKIT_SA_DATA + 16, join->mad + MADKIT_SA_DATA, 16),
		      "with the group's GID");
		answer = response_to(r, recv);
		post(r, taker, answer);
		if (trap == 66)
			ask_sa(r, end, case_sa_member(r, MADKIT_METHOD_DELETE, mgid, "1"), 0);
	}
	ask_sa(r, end, inform_of(r, "0", "66"), 0);
	ask_sa(r, end, inform_of(r, "0", "67"), 0);
}

static void unknown_attribute(struct run *r)
{
	struct madkit_send *send = case_sa_request(r, MADKIT_METHOD_GET, "NodeRecord");
	const struct madkit_recv *recv;

	put_be(send->mad + MADKIT_MAD_ATTRIBUTE, 2, 0x7fff);
	recv = ask(r, case_sa_agent(r), send);
	need(r, recv, "an answer");
	equal(r, status_of(recv), 0x000c, "an attribute that there is not");
}

static const struct test list[] = {
	{ "sa/class-port-info", SA, case_sa_class_port_info, NULL },
	{ "sa/node-record", SA, case_sa_node_record, NULL },
	{ "sa/node-record-by-guid", SA, case_sa_by_guid, NULL },
	{ "sa/no-records", SA, no_record, NULL },
	{ "sa/too-many-records", SA, too_many, NULL },
	{ "sa/path-record", SA, case_sa_path_record, NULL },
	{ "sa/path-record-by-gid", SA, path_by_gid, NULL },
	{ "sa/port-info-record", SA, case_sa_port_info, NULL },
	{ "sa/sm-info-record", SA, case_sa_sm_info, NULL },
	{ "sa/unknown-attribute", SA | IBA, unknown_attribute, NULL },
	{ "sa/multicast", SA, case_sa_multicast, NULL },
	{ "sa/no-such-group", SA, no_group, NULL },
	{ "sa/services", SA, case_sa_services, NULL },
	{ "sa/subscription", SA, subscription, NULL },
	{ "sa/no-subscription", SA, no_subscription, NULL },
	{ "sa/report", SA, case_sa_report, NULL },
};
TESTS(sa_tests, list);
