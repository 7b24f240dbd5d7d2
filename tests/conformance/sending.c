// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Which MADs may be sent, how they arrive, and transaction IDs. */
#include <errno.h>

#include "tests/conformance/conformance.h"

static struct end *case_sending_client(struct run *r)
{
	struct madkit_agent_attr attr = vendor_attr(SERVER_OUI, 0, NO_RMPP);

	return take(r, HERE, &attr);
}

/* The agent that receives ASK of the cases' own OUI at the other side, or at this one. */
static struct end *case_sending_taker(struct run *r, enum side side)
{
	struct madkit_agent_attr attr = vendor_attr(OUI, ASK, NO_RMPP);

	return take(r, side, &attr);
}

static void case_sending_echo(struct run *r)
{
	struct madkit_addr to = server(r, NO_RMPP);
	struct end *end = case_sending_client(r);
	struct madkit_send *send = vendor_send(r, MADKIT_MAD_BYTES, SERVER_OUI, ASK, ECHO, &to);
	const struct madkit_recv *recv = ask(r, end, send);

	need(r, recv, "an answer, status %d", end->status);
	equal(r, end->status, 0, "the send ended well");
	equal(r, recv->len, MADKIT_MAD_BYTES, "the answer is a MAD");
	equal(r, recv->mad[MADKIT_MAD_METHOD], ASK | MADKIT_METHOD_RESPONSE, "the method is the response's");
	equal(r, be_at(recv->mad + MADKIT_MAD_ATTRIBUTE, 2), ECHO, "the attribute");
	check(r, !memcmp(recv->mad + HEADER, send->mad + HEADER, SURE - HEADER),
	      "the data are those that were sent");
	equal(r, send->attempts, 1, "one try was enough");
}

static void case_sending_whole(struct run *r)
{
	struct madkit_addr to = address_of(r, THERE);
	struct end *there = case_sending_taker(r, THERE), *here = case_sending_client(r);
	struct madkit_send *send = vendor_send(r, MADKIT_MAD_BYTES, OUI, ASK, ECHO, &to);
	const struct madkit_recv *recv;

	send->timeout_ms = 0;
	put_be(send->mad + MADKIT_MAD_MODIFIER, 4, 0x89abcdef);
	post(r, here, send);
	drive(r, &there->came, 1);
	recv = latest(r, there);
	equal(r, recv->len, MADKIT_MAD_BYTES, "its length");
	check(r, !memcmp(recv->mad, send->mad, 8), "the header up to the transaction ID");
	check(r, !memcmp(recv->mad + 12, send->mad + 12, MADKIT_MAD_BYTES - 12),
	      "what follows is as it was sent");
	equal(r, recv->status, 0, "nothing went wrong");
	check(r, !recv->send, "it answers nothing");
}

static void source(struct run *r)
{
	struct madkit_addr to = address_of(r, THERE), back = address_of(r, HERE);
	struct end *there = case_sending_taker(r, THERE), *here = case_sending_client(r);
	struct madkit_send *send = vendor_send(r, MADKIT_MAD_BYTES, OUI, ASK, ECHO, &to);
	const struct madkit_recv *recv;

	send->timeout_ms = 0;
	post(r, here, send);
	drive(r, &there->came, 1);
	recv = latest(r, there);
	equal(r, recv->from.qp, 1, "it came from QP 1");
	equal(r, recv->from.pkey_index, 0, "... by the P_Key at index 0");
	equal(r, recv->from.grh, back.grh, "... with a GRH if it has to");
	if (back.grh)
		check(r, !memcmp(recv->from.gid, back.gid, 16), "... and the sender's GID");
	else
		equal(r, recv->from.lid, back.lid, "... from the sender's LID");
}

static void sources_lid(struct run *r)
{
	struct madkit_addr to = server(r, NO_RMPP), back = address_of(r, HERE);
	struct end *end = case_sending_client(r);
	const struct madkit_recv *recv =
		ask(r, end, vendor_send(r, MADKIT_MAD_BYTES, SERVER_OUI, ASK, MIRROR_FROM, &to));

	need(r, recv, "an answer");
	equal(r, be_at(recv->mad + HEADER, 2), back.lid, "the server saw this port's LID");
	equal(r, recv->from.lid, to.lid, "the answer comes from where the request went");
	equal(r, recv->from.qp, 1, "... QP 1");
}

static void short_mad(struct run *r)
{
	static const uint8_t zeros[MADKIT_MAD_BYTES];
	struct madkit_addr to = address_of(r, THERE);
	struct end *there = case_sending_taker(r, THERE), *here = case_sending_client(r);

	for (size_t len = HEADER; len < MADKIT_MAD_BYTES; len += 43) {
		struct madkit_send *send = vendor_send(r, len, OUI, ASK, ECHO, &to);
		const struct madkit_recv *recv;

		send->timeout_ms = 0;
		post(r, here, send);
		drive(r, &there->came, there->came + 1);
		recv = latest(r, there);
		equal(r, recv->len, MADKIT_MAD_BYTES, "%zu bytes: arrive as a MAD", len);
		check(r, !memcmp(recv->mad + HEADER, send->mad + HEADER, len - HEADER), "%zu bytes: the same",
		      len);
		check(r, !memcmp(recv->mad + len, zeros, MADKIT_MAD_BYTES - len), "%zu bytes: then zeros",
		      len);
	}
}

static void too_long(struct run *r)
{
	struct madkit_addr to = server(r, NO_RMPP);
	struct madkit_send *send = vendor_send(r, MADKIT_MAD_BYTES + 1, SERVER_OUI, ASK, ECHO, &to);

	equal(r, madkit_agent_post(case_sending_client(r)->agent, send), -EINVAL, "257 bytes without RMPP");
}

static void no_rmpp_class(struct run *r)
{
	const struct madkit_agent_attr attr = { .mgmt_class = MADKIT_CLASS_SA, .rmpp_version = 1 };
	struct madkit_addr to = server(r, NO_RMPP);
	struct madkit_send *send = vendor_send(r, MADKIT_MAD_BYTES, SERVER_OUI, ASK, ECHO, &to);

	send->mad[MADKIT_MAD_CLASS] = MADKIT_CLASS_PERF;
	equal(r, madkit_agent_post(take(r, HERE, &attr)->agent, send), -EINVAL,
	      "PerfMgt from an agent for which the kernel does RMPP");
}

static void bad_qkey(struct run *r)
{
	struct madkit_addr to = server(r, NO_RMPP);
	struct madkit_send *send;

	to.qkey = 0x12345678;
	send = vendor_send(r, MADKIT_MAD_BYTES, SERVER_OUI, ASK, ECHO, &to);
	equal(r, madkit_agent_post(case_sending_client(r)->agent, send), -EINVAL,
	      "a Q_Key that is not QP 1's");
}

static void good_qkey(struct run *r)
{
	struct madkit_addr to = server(r, NO_RMPP);

	to.qkey = MADKIT_QKEY_GSI;
	need(r, ask(r, case_sending_client(r), vendor_send(r, MADKIT_MAD_BYTES, SERVER_OUI, ASK, ECHO, &to)),
	     "an answer");
}

static void no_grh(struct run *r)
{
	struct madkit_addr to = server(r, NO_RMPP);
	struct end *end = case_sending_client(r);

	to.grh = false;
	ask(r, end, vendor_send(r, MADKIT_MAD_BYTES, SERVER_OUI, ASK, ECHO, &to));
	equal(r, end->status, -EINVAL, "on RoCE without a GRH");
}

static void no_such_gid(struct run *r)
{
	struct madkit_addr to = server(r, NO_RMPP);
	struct end *end = case_sending_client(r);

	to.gid[15] ^= 0x77;
	ask(r, end, vendor_send(r, MADKIT_MAD_BYTES, SERVER_OUI, ASK, ECHO, &to));
	equal(r, end->status, -EHOSTUNREACH, "a GID that nobody has");
}

static void no_such_lid(struct run *r)
{
	struct madkit_addr to = server(r, NO_RMPP);
	struct end *end = case_sending_client(r);
	struct madkit_send *send;

	to.lid = 0xbfff;
	send = vendor_send(r, MADKIT_MAD_BYTES, SERVER_OUI, ASK, ECHO, &to);
	send->timeout_ms = 100;
	check(r, !ask(r, end, send), "no answer");
	equal(r, end->status, -ETIMEDOUT, "a LID that nobody has");
}

static void to_itself(struct run *r)
{
	struct madkit_addr to = address_of(r, HERE);
	struct end *there = case_sending_taker(r, HERE), *here = case_sending_client(r);
	struct madkit_send *send = vendor_send(r, MADKIT_MAD_BYTES, OUI, ASK, ECHO, &to);

	post(r, here, send);
	drive(r, &there->came, 1);
	post(r, there, response_to(r, latest(r, there)));
	drive(r, &here->ended, 1);
	equal(r, here->status, 0, "the port answers itself");
	equal(r, here->came, 1, "one answer");
}

/* The kernel does not ask whether an agent has the class that it sends. */
static void case_sending_other_class(struct run *r)
{
	struct madkit_addr to = address_of(r, THERE);
	struct madkit_agent_attr attr = vendor_attr(OUI, ASK, NO_RMPP);
	struct end *here = case_sending_client(r), *there;
	struct madkit_send *send = vendor_send(r, MADKIT_MAD_BYTES, OUI, ASK, ECHO, &to);

	attr.mgmt_class = 0x33;
	there = take(r, THERE, &attr);
	send->mad[MADKIT_MAD_CLASS] = 0x33;
	post(r, here, send);
	drive(r, &there->came, 1);
	post(r, there, response_to(r, latest(r, there)));
	drive(r, &here->ended, 1);
	equal(r, here->status, 0, "an agent of class 0x32 asked in class 0x33");
	equal(r, here->came, 1, "and got the answer");
}

static void unknown_class(struct run *r)
{
	struct madkit_addr to = address_of(r, THERE);
	struct end *here = case_sending_client(r), *there = case_sending_taker(r, THERE);
	struct madkit_send *send = vendor_send(r, MADKIT_MAD_BYTES, OUI, ASK, ECHO, &to);

	send->mad[MADKIT_MAD_CLASS] = 0x60;
	send->timeout_ms = 200;
	check(r, !ask(r, here, send), "no answer");
	equal(r, here->status, -ETIMEDOUT, "class 0x60 is sent, and nobody answers");
	equal(r, there->came, 0, "nobody gets it");
}

/* ---- transaction IDs ---- */

static uint64_t case_sending_tid_of(const struct madkit_recv *recv)
{
	return be_at(recv->mad + MADKIT_MAD_TID, 8);
}

static void case_sending_tids(struct run *r)
{
	struct madkit_addr to = address_of(r, THERE);
	struct madkit_agent_attr attr = vendor_attr(SERVER_OUI, 0, NO_RMPP);
	struct end *there = case_sending_taker(r, THERE), *first = take(r, HERE, &attr),
		   *second = take(r, HERE, &attr);
	struct end *order[] = { first, first, second };
	uint64_t tid[3];

	for (unsigned int i = 0; i < 3; i++) {
		struct madkit_send *send = vendor_send(r, MADKIT_MAD_BYTES, OUI, ASK, ECHO, &to);

		send->timeout_ms = 0;
		post(r, order[i], send);
		drive(r, &there->came, i + 1);
		tid[i] = case_sending_tid_of(latest(r, there));
		equal(r, tid[i] & UINT32_MAX, send->tid & UINT32_MAX, "the low half is the sender's");
	}
	check(r, tid[0] != tid[1], "two requests have two");
	equal(r, tid[0] >> 32, tid[1] >> 32, "their high half is the agent's");
	check(r, tid[0] >> 32 != tid[2] >> 32, "another agent of the same file has another");
}

static void tid_kept(struct run *r)
{
	struct madkit_addr to = address_of(r, THERE);
	struct end *there = case_sending_taker(r, THERE), *here = case_sending_client(r);
	struct madkit_send *send = vendor_send(r, MADKIT_MAD_BYTES, OUI, ASK, ECHO, &to), *response;

	post(r, here, send);
	drive(r, &there->came, 1);
	response = response_to(r, latest(r, there));
	post(r, there, response);
	drive(r, &here->ended, 1);
	equal(r, case_sending_tid_of(latest(r, here)), case_sending_tid_of(latest(r, there)),
	      "a response keeps all 64 bits");
	equal(r, send->tid, case_sending_tid_of(latest(r, there)),
	      "the sender learns the kernel's half by it");
}

static void distinct(struct run *r)
{
	enum { COUNT = 32 };
	struct madkit_addr to = server(r, NO_RMPP);
	struct end *end = case_sending_client(r);
	struct madkit_send *send[COUNT];

	for (unsigned int i = 0; i < COUNT; i++) {
		send[i] = vendor_send(r, MADKIT_MAD_BYTES, SERVER_OUI, ASK, ECHO, &to);
		put_be(send[i]->mad + HEADER, 4, i);
		post(r, end, send[i]);
	}
	drive(r, &end->ended, COUNT);
	equal(r, end->came, COUNT, "each has one answer");
	for (unsigned int i = 0; i < COUNT; i++) {
		const struct madkit_recv *recv = end->recv[i];
		uint64_t n = be_at(recv->mad + HEADER, 4);

		need(r, n < COUNT, "an answer to a request of this case");
		equal(r, case_sending_tid_of(recv) & UINT32_MAX, send[n]->tid & UINT32_MAX,
		      "the TID of its request");
	}
}

static void out_of_order(struct run *r)
{
	enum { COUNT = 16 };
	struct madkit_addr to = address_of(r, THERE);
	struct end *there = case_sending_taker(r, THERE), *here = case_sending_client(r);
	struct madkit_send *send[COUNT];

	for (unsigned int i = 0; i < COUNT; i++) {
		send[i] = vendor_send(r, MADKIT_MAD_BYTES, OUI, ASK, ECHO, &to);
		post(r, here, send[i]);
	}
	drive(r, &there->came, COUNT);
	for (unsigned int i = COUNT; i-- > 0;)
		post(r, there, response_to(r, there->recv[i]));
	drive(r, &here->ended, COUNT);
	equal(r, here->came, COUNT, "each has one answer");
	for (unsigned int i = 0; i < COUNT; i++)
		equal(r, case_sending_tid_of(here->recv[i]), case_sending_tid_of(there->recv[COUNT - 1 - i]),
		      "answers come as they were sent");
}

static void list_of_sends(struct run *r)
{
	struct madkit_addr to = server(r, NO_RMPP);
	struct end *end = case_sending_client(r);
	struct madkit_send *send[3], *failed;

	for (int i = 0; i < 3; i++)
		send[i] = vendor_send(r, MADKIT_MAD_BYTES, SERVER_OUI, ASK, ECHO, &to);
	send[0]->next = send[1];
	send[1]->next = send[2];
	equal(r, madkit_agent_post_list(end->agent, send[0], &failed), 0, "three are posted at once");
	drive(r, &end->ended, 3);
	equal(r, end->came, 3, "and answered");
	/* the library's own deadlines have gone with them */
	check(r, madkit_port_deadline(end->port) == UINT64_MAX, "nothing is due any more");
}

static void unknown_agent(struct run *r)
{
	struct madkit_addr to = server(r, NO_RMPP);
	struct end *end = case_sending_client(r);
	struct madkit_send *send = vendor_send(r, MADKIT_MAD_BYTES, SERVER_OUI, ASK, SILENT, &to);

	post(r, end, send);
	equal(r, madkit_agent_outstanding(end->agent), 1, "one is outstanding");
	madkit_agent_unregister(end->agent);
	equal(r, end->ended, 1, "it has ended with its agent");
	equal(r, end->status, -ECANCELED, "as cancelled");
}

static const struct test list[] = {
	{ "sending/echo", SERVER, case_sending_echo, NULL },
	{ "sending/whole", UMAD | PEER, case_sending_whole, NULL },
	{ "sending/source", UMAD | PEER, source, NULL },
	{ "sending/source-lid", SERVER | SMI, sources_lid, NULL },
	{ "sending/short", UMAD | PEER, short_mad, NULL },
	{ "sending/257-bytes", SERVER, too_long, NULL },
	{ "sending/class-without-rmpp", UMAD | SERVER, no_rmpp_class, NULL },
	{ "sending/other-qkey", SERVER, bad_qkey, NULL },
	{ "sending/gsi-qkey", SERVER, good_qkey, NULL },
	{ "sending/roce-no-grh", UMAD | SERVER | ROCE, no_grh, NULL },
	{ "sending/roce-no-such-gid", UMAD | SERVER | ROCE, no_such_gid, NULL },
	{ "sending/no-such-lid", SERVER | SMI, no_such_lid, NULL },
	{ "sending/to-itself", UMAD, to_itself, NULL },
	{ "sending/other-class", UMAD | PEER, case_sending_other_class, NULL },
	{ "sending/unknown-class", UMAD | PEER, unknown_class, NULL },
	{ "sending/tid-halves", UMAD | PEER, case_sending_tids, NULL },
	{ "sending/tid-kept", UMAD | PEER, tid_kept, NULL },
	{ "sending/tid-matches", SERVER, distinct, NULL },
	{ "sending/answers-in-any-order", UMAD | PEER, out_of_order, NULL },
	{ "sending/list", SERVER, list_of_sends, NULL },
	{ "sending/agent-gone", UMAD | SERVER, unknown_agent, NULL },
};
TESTS(sending_tests, list);
