// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Timeouts, retries, and requests that end early. Only lower bounds are checked, because the machine may
 * be slow. */
#include <errno.h>

#include "tests/conformance/conformance.h"

static struct end *case_timing_client(struct run *r, enum rmpp rmpp)
{
	struct madkit_agent_attr attr = vendor_attr(SERVER_OUI, 0, rmpp);

	return take(r, HERE, &attr);
}

static struct madkit_send *case_timing_silent(struct run *r, const struct madkit_addr *to,
					      uint32_t timeout_ms, uint32_t retries)
{
	struct madkit_send *send = vendor_send(r, MADKIT_MAD_BYTES, SERVER_OUI, ASK, SILENT, to);

	send->timeout_ms = timeout_ms;
	send->retries = retries;
	return send;
}

/* Number of requests that the server has ignored since its last report, and of their TIDs. */
static void case_timing_told(struct run *r, struct end *end, const struct madkit_addr *to, uint64_t requests,
			     uint64_t tids)
{
	const struct madkit_recv *recv =
		ask(r, end, vendor_send(r, MADKIT_MAD_BYTES, SERVER_OUI, ASK, TELL, to));

	need(r, recv, "the server tells");
	equal(r, be_at(recv->mad + HEADER, 4), requests, "the requests that the server got");
	equal(r, be_at(recv->mad + HEADER + 4, 4), tids, "their transaction IDs");
}

static void forget(struct run *r, struct end *end, const struct madkit_addr *to)
{
	need(r, ask(r, end, vendor_send(r, MADKIT_MAD_BYTES, SERVER_OUI, ASK, TELL, to)),
	     "the server forgets");
}

static void timeout(struct run *r)
{
	struct madkit_addr to = server(r, NO_RMPP);
	struct end *end = case_timing_client(r, NO_RMPP);
	struct madkit_send *send = case_timing_silent(r, &to, 200, 0);
	uint64_t start;

	forget(r, end, &to);
	start = case_now_ms(r);
	check(r, !ask(r, end, send), "no answer");
	equal(r, end->status, -ETIMEDOUT, "it timed out");
	check(r, case_now_ms(r) - start >= 199, "not before its time, but after %" PRIu64 " ms",
	      case_now_ms(r) - start);
	equal(r, send->attempts, 1, "one try");
	case_timing_told(r, end, &to, 1, 1);
}

static void case_timing_retries(struct run *r)
{
	struct madkit_addr to = server(r, NO_RMPP);
	struct end *end = case_timing_client(r, NO_RMPP);
	struct madkit_send *send = case_timing_silent(r, &to, 150, 2);
	uint64_t start;

	forget(r, end, &to);
	start = case_now_ms(r);
	check(r, !ask(r, end, send), "no answer");
	equal(r, end->status, -ETIMEDOUT, "it timed out");
	check(r, case_now_ms(r) - start >= 449, "after three times 150 ms, not %" PRIu64,
	      case_now_ms(r) - start);
	equal(r, send->attempts, 3, "three tries");
	/* ibsim does not return what timed out, so that it may still have the transaction ID */
	case_timing_told(r, end, &to, 3, r->place->has & UMAD ? 1 : 3);
}

/* The response to a try arrives when the next one has been sent. */
static void case_timing_late(struct run *r)
{
	struct madkit_addr to = server(r, NO_RMPP);
	struct end *end = case_timing_client(r, NO_RMPP);
	struct madkit_send *send = vendor_send(r, MADKIT_MAD_BYTES, SERVER_OUI, ASK, LATE, &to);
	const struct madkit_recv *recv;

	forget(r, end, &to);
	send->timeout_ms = 200;
	send->retries = 100;
	recv = ask(r, end, send);
	need(r, recv, "A16: an answer");
	equal(r, end->status, 0, "A16: the send ended well");
	check(r, send->attempts >= 2, "A16: after %" PRIu32 " tries", send->attempts);
	check(r, recv->rtt_ns < 0 || !(r->place->has & UMAD),
	      "A16: it is not known which try was answered: %" PRId64 " ns", recv->rtt_ns);
	case_timing_told(r, end, &to, send->attempts, r->place->has & UMAD ? 1 : send->attempts);
}

/* A request without a timeout: it is sent once, and its response is accepted whenever it arrives. */
static void case_timing_forever(struct run *r)
{
	struct madkit_addr to = address_of(r, THERE);
	const enum rmpp *rmpp = r->arg;
	struct madkit_agent_attr attr = vendor_attr(OUI, 0, *rmpp), serving = vendor_attr(OUI, ASK, NO_RMPP);
	struct end *here = take(r, HERE, &attr), *there = take(r, THERE, &serving);
	struct madkit_send *send = vendor_send(r, MADKIT_MAD_BYTES, OUI, ASK, ECHO, &to);
	struct madkit_send *other = case_timing_silent(r, &to, 700, 0);

	put_be(other->mad + MADKIT_VENDOR2_OUI, 3, OUI);
	send->timeout_ms = MADKIT_FOREVER;
	send->retries = 3;
	post(r, here, send);
	drive(r, &there->came, 1);
	/* this one times out, and so would the first if it had a timeout near it */
	post(r, here, other);
	drive(r, &here->ended, 1);
	equal(r, here->status, -ETIMEDOUT, "C1: a request with a timeout ends");
	drive(r, &there->came, 2);
	equal(r, there->came, 2, "C1: the one without is not resent");
	equal(r, send->attempts, 1, "C1: ... and was tried once");
	post(r, there, response_to(r, there->recv[0]));
	drive(r, &here->ended, 2);
	equal(r, here->status, 0, "C1: ... and is answered");
	equal(r, here->came, 1, "C1: ... once");
}

/* If the kernel does RMPP, the library resends a request of one MAD as well, with the same transaction ID. */
static void kernel_retries(struct run *r)
{
	struct madkit_addr to = server(r, KERNEL_RMPP);
	struct end *end = case_timing_client(r, KERNEL_RMPP);
	struct madkit_send *send = case_timing_silent(r, &to, 150, 2);
	uint64_t start = case_now_ms(r);

	check(r, !ask(r, end, send), "no answer");
	equal(r, end->status, -ETIMEDOUT, "it timed out");
	check(r, case_now_ms(r) - start >= 449, "after three times 150 ms, not %" PRIu64,
	      case_now_ms(r) - start);
	equal(r, send->attempts, 3, "C3: three sends of ours");
	case_timing_told(r, end, &to, 3, 1);
}

static void third_time(struct run *r)
{
	struct madkit_addr to = server(r, NO_RMPP);
	struct end *end = case_timing_client(r, NO_RMPP);
	struct madkit_send *send = vendor_send(r, MADKIT_MAD_BYTES, SERVER_OUI, ASK, THIRD, &to);

	forget(r, end, &to);
	send->timeout_ms = 100;
	send->retries = 100;
	need(r, ask(r, end, send), "an answer");
	equal(r, end->status, 0, "the send ended well");
	check(r, send->attempts >= 3, "after two that were lost: %" PRIu32, send->attempts);
}

static void no_response(struct run *r)
{
	struct madkit_addr to = server(r, NO_RMPP);
	struct end *end = case_timing_client(r, NO_RMPP);

	forget(r, end, &to);
	check(r, !ask(r, end, case_timing_silent(r, &to, 0, 0)), "no answer");
	equal(r, end->status, 0, "it went out, and that was all");
	/* ibsim's clients are served in the order of their sends */
	case_timing_told(r, end, &to, 1, 1);
}

static void case_timing_busy(struct run *r)
{
	struct madkit_addr to = server(r, NO_RMPP);
	struct end *end = case_timing_client(r, NO_RMPP);
	struct madkit_send *send = vendor_send(r, MADKIT_MAD_BYTES, SERVER_OUI, ASK, BUSY, &to);
	struct madkit_port_counters counters;
	const struct madkit_recv *recv;

	forget(r, end, &to);
	send->timeout_ms = 400;
	send->retries = 50;
	recv = ask(r, end, send);
	need(r, recv, "an answer");
	equal(r, status_of(recv), 0, "the status is not BUSY any more");
	check(r, send->attempts >= 2, "it was asked again");
	madkit_port_get_counters(end->port, &counters);
	equal(r, counters.busy, 1, "one BUSY was counted");
}

static void busy_at_last(struct run *r)
{
	struct madkit_addr to = server(r, NO_RMPP);
	struct end *end = case_timing_client(r, NO_RMPP);
	const struct madkit_recv *recv;

	forget(r, end, &to);
	recv = ask(r, end, vendor_send(r, MADKIT_MAD_BYTES, SERVER_OUI, ASK, BUSY, &to));
	need(r, recv, "an answer");
	equal(r, status_of(recv), MADKIT_STATUS_BUSY, "that of the last try is handed over");
	forget(r, end, &to);
}

static void case_timing_cancel(struct run *r)
{
	struct madkit_addr to = server(r, NO_RMPP);
	struct end *end = case_timing_client(r, NO_RMPP);
	struct madkit_send *send = case_timing_silent(r, &to, PATIENCE, 0);

	post(r, end, send);
	equal(r, madkit_agent_cancel(end->agent, send), 0, "it is cancelled");
	drive(r, &end->ended, 1);
	equal(r, end->status, -ECANCELED, "and ended so");
	equal(r, madkit_agent_cancel(end->agent, send), -ENOENT, "once");
	equal(r, madkit_agent_outstanding(end->agent), 0, "nothing is outstanding");
	need(r, ask(r, end, vendor_send(r, MADKIT_MAD_BYTES, SERVER_OUI, ASK, ECHO, &to)),
	     "the agent goes on");
}

/* The kernel's own timeout of it is 60 s. */
static void modify(struct run *r)
{
	struct madkit_addr to = server(r, NO_RMPP);
	struct end *end = case_timing_client(r, NO_RMPP);
	struct madkit_send *send = case_timing_silent(r, &to, 2 * PATIENCE, 0);

	post(r, end, send);
	equal(r, madkit_agent_modify(end->agent, send, 100), 0, "100 ms in place of two minutes");
	drive(r, &end->ended, 1);
	equal(r, end->status, -ETIMEDOUT, "it timed out");
}

static void modify_0(struct run *r)
{
	struct madkit_addr to = server(r, NO_RMPP);
	struct end *end = case_timing_client(r, NO_RMPP);
	struct madkit_send *send = case_timing_silent(r, &to, PATIENCE, 3),
			   *no_answer = case_timing_silent(r, &to, 0, 0);

	post(r, end, send);
	equal(r, madkit_agent_modify(end->agent, send, 0), 0, "0 ms");
	drive(r, &end->ended, 1);
	equal(r, end->status, -ECANCELED, "cancel");
	equal(r, madkit_agent_modify(end->agent, no_answer, 100), -ENOENT,
	      "what is not posted has no timeout");
}

static void case_timing_deadline(struct run *r)
{
	struct madkit_addr to = server(r, NO_RMPP);
	struct madkit_agent_attr attr = vendor_attr(SERVER_OUI, 0, NO_RMPP);
	struct end *end =
		take_on(r, r->device[THERE] ? another_port(r, HERE) : port_of(r, HERE), HERE, &attr);
	struct madkit_send *send = case_timing_silent(r, &to, PATIENCE, 0);
	struct madkit_reply reply;
	uint64_t start = case_now_ms(r);
	int ret = madkit_request(end->agent, send, madkit_port_now(end->port) + 100 * UINT64_C(1000000),
				 &reply);

	equal(r, ret, 0, "a request ran its course");
	equal(r, reply.status, -ETIMEDOUT, "without an answer");
	check(r, case_now_ms(r) - start >= 99, "until its deadline, not %" PRIu64 " ms",
	      case_now_ms(r) - start);
	check(r, !reply.recv, "nothing came");
}

/* Each request in flight has its own timeout. */
static void case_timing_many(struct run *r)
{
	static const uint32_t timeout_ms[] = { 400, 100, 300, 200 };
	struct madkit_addr to = server(r, NO_RMPP);
	struct end *end = case_timing_client(r, NO_RMPP);
	uint64_t start = case_now_ms(r);

	for (int i = 0; i < 4; i++)
		post(r, end, case_timing_silent(r, &to, timeout_ms[i], 0));
	drive(r, &end->ended, 4);
	check(r, case_now_ms(r) - start >= 399, "the last one after its 400 ms, not %" PRIu64,
	      case_now_ms(r) - start);
	equal(r, end->came, 0, "no answer");
	forget(r, end, &to);
}

/* The attempts that the kernel reports for a timed-out request are those that the library has counted. */
static void counted(struct run *r)
{
	struct madkit_addr to = server(r, NO_RMPP);
	struct end *end = case_timing_client(r, NO_RMPP);
	struct madkit_port_counters counters;

	ask(r, end, case_timing_silent(r, &to, 100, 1));
	madkit_port_get_counters(end->port, &counters);
	equal(r, counters.timeouts + counters.expired, 2, "two tries timed out");
	equal(r, counters.resent, 1, "one of them was sent again");
}

static const struct test list[] = {
	{ "timing/C1-forever", UMAD | PEER, case_timing_forever, &(const enum rmpp){ NO_RMPP } },
	{ "timing/C1-forever-kernel-rmpp", UMAD | PEER, case_timing_forever,
	  &(const enum rmpp){ KERNEL_RMPP } },
	{ "timing/timeout", SERVER, timeout, NULL },
	{ "timing/retries", SERVER, case_timing_retries, NULL },
	{ "timing/late", SERVER, case_timing_late, NULL },
	{ "timing/kernel-retries", UMAD | RMPP | PEER, kernel_retries, NULL },
	{ "timing/third-time", SERVER, third_time, NULL },
	{ "timing/no-response", SERVER, no_response, NULL },
	{ "timing/busy", SERVER, case_timing_busy, NULL },
	{ "timing/busy-at-last", SERVER, busy_at_last, NULL },
	{ "timing/cancel", SERVER, case_timing_cancel, NULL },
	{ "timing/modify", SERVER, modify, NULL },
	{ "timing/modify-0", SERVER, modify_0, NULL },
	{ "timing/deadline", SERVER, case_timing_deadline, NULL },
	{ "timing/many", SERVER, case_timing_many, NULL },
	{ "timing/counted", UMAD | SERVER, counted, NULL },
};
TESTS(timing_tests, list);
