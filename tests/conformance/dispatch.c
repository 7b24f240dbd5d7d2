// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Delivery of MADs: by class, version, OUI and method; responses, and MADs that no agent accepts. */
#include <errno.h>

#include "tests/conformance/conformance.h"

static struct end *case_dispatch_client(struct run *r)
{
	struct madkit_agent_attr attr = vendor_attr(OUI, 0, NO_RMPP);

	return take(r, HERE, &attr);
}

static struct end *case_dispatch_taker(struct run *r, enum side side, uint8_t method)
{
	struct madkit_agent_attr attr = vendor_attr(OUI, method, NO_RMPP);

	return take(r, side, &attr);
}

static struct madkit_send *case_dispatch_say(struct run *r, uint8_t class, uint32_t oui, uint8_t method)
{
	struct madkit_addr to = address_of(r, THERE);
	struct madkit_send *send = vendor_send(r, MADKIT_MAD_BYTES, oui, method, ECHO, &to);

	send->mad[MADKIT_MAD_CLASS] = class;
	send->timeout_ms = 0;
	return send;
}

/* Packets are not reordered: a packet that was sent before this one and has not arrived by now never will. */
static void marker(struct run *r, struct end *from, enum side to)
{
	struct madkit_agent_attr attr = vendor_attr(SERVER_OUI, MADKIT_METHOD_SEND, NO_RMPP);
	struct end *end = take(r, to, &attr);
	struct madkit_addr addr = address_of(r, to);
	struct madkit_send *send =
		vendor_send(r, MADKIT_MAD_BYTES, SERVER_OUI, MADKIT_METHOD_SEND, ECHO, &addr);

	send->timeout_ms = 0;
	post(r, from, send);
	drive(r, &end->came, 1);
}

/* MADs that the library had to drop, because they were delivered to this port's file. */
static void none_came(struct run *r)
{
	struct madkit_port_counters counters;

	madkit_port_get_counters(port_of(r, HERE), &counters);
	equal(r, counters.unmatched, 0, "the kernel hands out no response that nobody waits for");
	equal(r, counters.unknown_agent, 0, "... nor what no agent has");
}

static void case_dispatch_methods(struct run *r)
{
	static const uint8_t each[] = { MADKIT_METHOD_GET,
					MADKIT_METHOD_SET,
					MADKIT_METHOD_SEND,
					MADKIT_METHOD_TRAP,
					MADKIT_METHOD_REPORT,
					ASK,
					0x3f,
					0x40,
					0x7f };
	struct end *here = case_dispatch_client(r), *there[sizeof(each)];

	for (size_t i = 0; i < sizeof(each); i++)
		there[i] = case_dispatch_taker(r, THERE, each[i]);
	for (size_t i = 0; i < sizeof(each); i++) {
		post(r, here, case_dispatch_say(r, VENDOR, OUI, each[i]));
		drive(r, &there[i]->came, 1);
		equal(r, latest(r, there[i])->mad[MADKIT_MAD_METHOD], each[i], "the method that it is for");
	}
	for (size_t i = 0; i < sizeof(each); i++)
		equal(r, there[i]->came, 1, "method 0x%02x came once, and no other", each[i]);
}

static void by_attributes(struct run *r)
{
	struct madkit_agent_attr attr[5], *a;
	struct end *here = case_dispatch_client(r), *there[5];
	struct madkit_send *send;

	for (int i = 0; i < 5; i++)
		attr[i] = vendor_attr(OUI, ASK, NO_RMPP);
	attr[1].oui++;
	attr[2].mgmt_class++;
	attr[3].class_version++;
	attr[4].mgmt_class = 0x0a;
	attr[4].oui = 0;
	for (int i = 0; i < 5; i++)
		there[i] = take(r, THERE, &attr[i]);
	for (int i = 4; i >= 0; i--) {
		a = &attr[i];
		send = case_dispatch_say(r, a->mgmt_class, a->oui, ASK);
		send->mad[MADKIT_MAD_CLASS_VERSION] = a->class_version;
		post(r, here, send);
		drive(r, &there[i]->came, 1);
	}
	for (int i = 0; i < 5; i++)
		equal(r, there[i]->came, 1, "agent %d got its MAD alone", i);
}

/* Class version 0 is a version like any other, and not the default. */
static void version_0(struct run *r)
{
	struct madkit_agent_attr attr = vendor_attr(OUI, ASK, NO_RMPP);
	struct end *here = case_dispatch_client(r), *there[2];
	struct madkit_send *send = case_dispatch_say(r, VENDOR, OUI, ASK);

	there[0] = take(r, THERE, &attr);
	attr.class_version = 0;
	attr.class_version_given = true;
	there[1] = take(r, THERE, &attr);
	equal(r, madkit_agent_get_attr(there[1]->agent)->class_version, 0, "C10: version 0 is registered");
	post(r, here, case_dispatch_say(r, VENDOR, OUI, ASK));
	drive(r, &there[0]->came, 1);
	send->mad[MADKIT_MAD_CLASS_VERSION] = 0;
	post(r, here, send);
	drive(r, &there[1]->came, 1);
	equal(r, latest(r, there[1])->mad[MADKIT_MAD_CLASS_VERSION], 0, "C10: it receives version 0");
	equal(r, there[0]->came, 1, "C10: the agent of version 1 does not");
}

/* MADs that differ in one property from those that an agent accepts. */
static void case_dispatch_nobody(struct run *r)
{
	struct end *here = case_dispatch_client(r), *there = case_dispatch_taker(r, THERE, ASK);
	struct madkit_send *send = case_dispatch_say(r, VENDOR, OUI, ASK);

	send->mad[MADKIT_MAD_CLASS_VERSION] = 2;
	post(r, here, send);
	post(r, here, case_dispatch_say(r, VENDOR, OUI + 1, ASK));
	post(r, here, case_dispatch_say(r, VENDOR + 1, OUI, ASK));
	post(r, here, case_dispatch_say(r, VENDOR, OUI, ASK + 1));
	marker(r, here, THERE);
	equal(r, there->came, 0, "version, OUI, class and method all count");
}

static void base_version(struct run *r)
{
	struct end *here = case_dispatch_client(r), *there = case_dispatch_taker(r, THERE, ASK);
	struct madkit_send *send = case_dispatch_say(r, VENDOR, OUI, ASK);

	send->mad[MADKIT_MAD_BASE_VERSION] = 2;
	post(r, here, send);
	marker(r, here, THERE);
	equal(r, there->came, 0, "base version 2 is not taken");
}

struct unhandled {
	uint8_t class, method;
	int status; /* -1: no answer */
};

static void unhandled(struct run *r)
{
	const struct unhandled *u = r->arg;
	struct end *here = case_dispatch_client(r);
	struct madkit_send *send = case_dispatch_say(r, u->class, OUI, u->method);
	const struct madkit_recv *recv;

	send->timeout_ms = u->status < 0 ? 200 : PATIENCE / 2;
	recv = ask(r, here, send);
	if (u->status < 0) {
		check(r, !recv, "no answer");
		equal(r, here->status, -ETIMEDOUT, "the request times out");
		return;
	}
	need(r, recv, "an answer, status %d", here->status);
	equal(r, recv->mad[MADKIT_MAD_METHOD], MADKIT_METHOD_GET | MADKIT_METHOD_RESPONSE,
	      "the kernel says GetResp");
	equal(r, status_of(recv), u->status, "with this status");
}

static void case_dispatch_responses(struct run *r)
{
	const uint8_t *methods = r->arg;
	struct end *here = case_dispatch_client(r), *there = case_dispatch_taker(r, THERE, methods[0]);
	struct madkit_send *send = case_dispatch_say(r, VENDOR, OUI, methods[0]), *response;

	send->timeout_ms = PATIENCE / 2;
	post(r, here, send);
	drive(r, &there->came, 1);
	response = response_to(r, latest(r, there));
	response->mad[MADKIT_MAD_METHOD] = methods[1];
	post(r, there, response);
	if (methods[2])
		drive(r, &here->ended, 1);
	else
		marker(r, there, HERE);
	equal(r, here->came, methods[2], "what came of 0x%02x in answer to 0x%02x", methods[1], methods[0]);
	equal(r, here->ended, methods[2], "whether the request has ended");
	equal(r, here->status, 0, "how");
}

/* Of class BM bit 0 of the modifier is what makes a response. */
static void case_dispatch_bm_response(struct run *r)
{
	struct madkit_agent_attr attr = { .mgmt_class = MADKIT_CLASS_BM, .class_version = 1 };
	struct end *here = take(r, HERE, &attr), *there;
	struct madkit_send *send = case_dispatch_say(r, MADKIT_CLASS_BM, 0, MADKIT_METHOD_SEND), *response;

	madkit_method_mask_set(attr.method_mask, MADKIT_METHOD_SEND);
	there = take(r, THERE, &attr);
	send->timeout_ms = PATIENCE / 2;
	post(r, here, send);
	drive(r, &there->came, 1);
	response = response_to(r, latest(r, there));
	response->mad[MADKIT_MAD_METHOD] = MADKIT_METHOD_SEND;
	response->mad[MADKIT_MAD_MODIFIER + 3] |= 1;
	post(r, there, response);
	drive(r, &here->ended, 1);
	equal(r, here->status, 0, "the request is answered");
	equal(r, here->came, 1, "by a Send");
}

static void unsolicited_response(struct run *r)
{
	struct madkit_addr to = address_of(r, HERE);
	struct end *here = case_dispatch_client(r), *taking = case_dispatch_taker(r, HERE, ASK),
		   *there = case_dispatch_taker(r, THERE, ASK + 1);
	struct madkit_send *send =
		vendor_send(r, MADKIT_MAD_BYTES, OUI, ASK | MADKIT_METHOD_RESPONSE, ECHO, &to);

	send->timeout_ms = 0;
	put_be(send->mad + MADKIT_MAD_TID, 8, 0x123456789abcdef0);
	post(r, there, send);
	marker(r, there, HERE);
	equal(r, here->came, 0, "a response that nobody asked for is dropped");
	equal(r, taking->came, 0, "... even where its method is taken");
	none_came(r);
}

/* Twice the same answer. */
static void second_response(struct run *r)
{
	struct end *here = case_dispatch_client(r), *there = case_dispatch_taker(r, THERE, ASK);
	struct madkit_send *send = case_dispatch_say(r, VENDOR, OUI, ASK);

	send->timeout_ms = PATIENCE / 2;
	post(r, here, send);
	drive(r, &there->came, 1);
	post(r, there, response_to(r, latest(r, there)));
	post(r, there, response_to(r, latest(r, there)));
	marker(r, there, HERE);
	equal(r, here->came, 1, "the second one is dropped");
	equal(r, here->ended, 1, "one end");
	none_came(r);
}

static void late_response(struct run *r)
{
	struct end *here = case_dispatch_client(r), *there = case_dispatch_taker(r, THERE, ASK);
	struct madkit_send *send = case_dispatch_say(r, VENDOR, OUI, ASK);

	send->timeout_ms = 50;
	check(r, !ask(r, here, send), "no answer in time");
	equal(r, here->status, -ETIMEDOUT, "it timed out");
	drive(r, &there->came, 1);
	post(r, there, response_to(r, latest(r, there)));
	marker(r, there, HERE);
	equal(r, here->came, 0, "an answer that comes late is dropped");
	none_came(r);
}

/* A request that wants no response gets none. */
static void timeout_0(struct run *r)
{
	struct end *here = case_dispatch_client(r), *there = case_dispatch_taker(r, THERE, ASK);

	post(r, here, case_dispatch_say(r, VENDOR, OUI, ASK));
	drive(r, &there->came, 1);
	drive(r, &here->ended, 1);
	equal(r, here->status, 0, "the send ended well");
	post(r, there, response_to(r, latest(r, there)));
	marker(r, there, HERE);
	equal(r, here->came, 0, "its response is not delivered");
	none_came(r);
}

static void agent_gone(struct run *r)
{
	struct end *here = case_dispatch_client(r), *other = case_dispatch_client(r),
		   *there = case_dispatch_taker(r, THERE, ASK);
	struct madkit_send *send = case_dispatch_say(r, VENDOR, OUI, ASK);

	send->timeout_ms = PATIENCE / 2;
	post(r, here, send);
	drive(r, &there->came, 1);
	madkit_agent_unregister(here->agent);
	post(r, there, response_to(r, latest(r, there)));
	marker(r, there, HERE);
	equal(r, here->came + other->came, 0, "an answer to an agent that has gone is dropped");
	equal(r, here->status, -ECANCELED, "the request had ended with it");
	none_came(r);
}

/* After a server has unregistered, requests find no agent. */
static void server_gone(struct run *r)
{
	struct end *here = case_dispatch_client(r), *there = case_dispatch_taker(r, THERE, MADKIT_METHOD_GET),
		   *again;
	struct madkit_send *send = case_dispatch_say(r, VENDOR, OUI, MADKIT_METHOD_GET);
	const struct madkit_recv *recv;

	madkit_agent_unregister(there->agent);
	send->timeout_ms = PATIENCE / 2;
	recv = ask(r, here, send);
	need(r, recv, "the kernel's answer");
	equal(r, status_of(recv), 0x000c, "unsupported");
	again = case_dispatch_taker(r, THERE, MADKIT_METHOD_GET);
	post(r, here, case_dispatch_say(r, VENDOR, OUI, MADKIT_METHOD_GET));
	drive(r, &again->came, 1);
	equal(r, there->came, 0, "the first one got nothing");
}

/* Requests both ways between the same two agents. */
static void both_ways(struct run *r)
{
	struct madkit_addr here_addr = address_of(r, HERE);
	struct end *here = case_dispatch_taker(r, HERE, ASK), *there = case_dispatch_taker(r, THERE, ASK);
	struct madkit_send *send = case_dispatch_say(r, VENDOR, OUI, ASK), *back;

	send->timeout_ms = PATIENCE / 2;
	back = vendor_send(r, MADKIT_MAD_BYTES, OUI, ASK, ECHO, &here_addr);
	post(r, here, send);
	post(r, there, back);
	drive(r, &here->came, 1);
	drive(r, &there->came, 1);
	post(r, here, response_to(r, here->recv[0]));
	post(r, there, response_to(r, there->recv[0]));
	drive(r, &here->ended, 2);
	drive(r, &there->ended, 2);
	drive(r, &here->came, 2);
	drive(r, &there->came, 2);
	equal(r, latest(r, here)->mad[MADKIT_MAD_METHOD], ASK | MADKIT_METHOD_RESPONSE, "a response here");
	equal(r, latest(r, there)->mad[MADKIT_MAD_METHOD], ASK | MADKIT_METHOD_RESPONSE, "a response there");
}

/* Two programs with methods of their own. */
static void two_files(struct run *r)
{
	struct madkit_agent_attr get = vendor_attr(OUI, MADKIT_METHOD_GET, NO_RMPP);
	struct madkit_agent_attr other = vendor_attr(OUI, MADKIT_METHOD_SET, NO_RMPP);
	struct end *here = case_dispatch_client(r), *first = take(r, THERE, &get);
	struct end *second = take_on(r, another_port(r, THERE), THERE, &other);

	post(r, here, case_dispatch_say(r, VENDOR, OUI, MADKIT_METHOD_SET));
	post(r, here, case_dispatch_say(r, VENDOR, OUI, MADKIT_METHOD_GET));
	drive(r, &first->came, 1);
	drive(r, &second->came, 1);
	equal(r, latest(r, first)->mad[MADKIT_MAD_METHOD], MADKIT_METHOD_GET, "Get to who has it");
	equal(r, latest(r, second)->mad[MADKIT_MAD_METHOD], MADKIT_METHOD_SET, "Set to who has it");
}

#define UNHANDLED(c, m, s) \
	&(const struct unhandled) \
	{ \
		c, m, s \
	}
#define METHODS(asked, answer, matched) \
	(const uint8_t[]) \
	{ \
		asked, answer, matched \
	}
static const struct test list[] = {
	{ "dispatch/methods", UMAD | PEER, case_dispatch_methods, NULL },
	{ "dispatch/class-version-oui", UMAD | PEER, by_attributes, NULL },
	{ "dispatch/C10-version-0", UMAD | PEER, version_0, NULL },
	{ "dispatch/nobody", UMAD | PEER, case_dispatch_nobody, NULL },
	{ "dispatch/base-version", UMAD | PEER, base_version, NULL },
	{ "dispatch/unhandled-get", UMAD | PEER, unhandled, UNHANDLED(VENDOR, MADKIT_METHOD_GET, 0x000c) },
	{ "dispatch/unhandled-set", UMAD | PEER, unhandled, UNHANDLED(VENDOR, MADKIT_METHOD_SET, 0x000c) },
	{ "dispatch/unhandled-ask", UMAD | PEER, unhandled, UNHANDLED(VENDOR, ASK, -1) },
	{ "dispatch/unhandled-trap", UMAD | PEER, unhandled, UNHANDLED(VENDOR, MADKIT_METHOD_TRAP, -1) },
	{ "dispatch/unhandled-table", UMAD | PEER, unhandled,
	  UNHANDLED(VENDOR, MADKIT_METHOD_GET_TABLE, -1) },
	{ "dispatch/unhandled-perfmgt-on-roce", UMAD | PEER | ROCE, unhandled,
	  UNHANDLED(MADKIT_CLASS_PERF, MADKIT_METHOD_GET, 0x000c) },
	{ "dispatch/response-bit", UMAD | PEER, case_dispatch_responses, METHODS(ASK, ASK | 0x80, 1) },
	{ "dispatch/response-other-method", UMAD | PEER, case_dispatch_responses, METHODS(ASK, 0x81, 0) },
	{ "dispatch/trap-repress", UMAD | PEER, case_dispatch_responses,
	  METHODS(MADKIT_METHOD_TRAP, MADKIT_METHOD_TRAP_REPRESS, 1) },
	{ "dispatch/no-response", UMAD | PEER, case_dispatch_responses,
	  METHODS(MADKIT_METHOD_TRAP, MADKIT_METHOD_SEND, 0) },
	{ "dispatch/bm-response", UMAD | PEER, case_dispatch_bm_response, NULL },
	{ "dispatch/unsolicited-response", UMAD | PEER, unsolicited_response, NULL },
	{ "dispatch/second-response", UMAD | PEER, second_response, NULL },
	{ "dispatch/late-response", UMAD | PEER, late_response, NULL },
	{ "dispatch/timeout-0", UMAD | PEER, timeout_0, NULL },
	{ "dispatch/agent-gone", UMAD | PEER, agent_gone, NULL },
	{ "dispatch/server-gone", UMAD | PEER, server_gone, NULL },
	{ "dispatch/both-ways", UMAD | PEER, both_ways, NULL },
	{ "dispatch/two-files", UMAD | PEER | FILES, two_files, NULL },
};
TESTS(dispatch_tests, list);
