/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Agents for whom the library does RMPP: two on one port, a wire that loses packets
 * between them. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include "agent/agent.h"
#include "tests/tap.h"
#include "tests/unit/fake_transport.h"
#include "util/array_size.h"

enum { CLASS = 0x32, HEAD = 40, EACH = 216, PORT_LID = 7, ABORTED = 119 };

static struct fake *fake;
static struct madkit_port *port;
static struct madkit_agent *client, *server;
static uint32_t client_id, server_id;
static unsigned int lost[2], npackets; /* numbers of packets that get lost; 0: none */
static uint8_t sabotage_status;        /* its status; 0: a legal one */
static uint8_t sabotage;               /* STOP or ABORT in place of the first ACK */
static unsigned int ends, requests, answers;
static int last;
static size_t response_len; /* 0: the server does not answer */
static bool same;

static void carry(struct fake *f, const struct fake_sent *sent)
{
	uint32_t id = sent->id == client_id ? server_id : client_id;
	struct madkit_addr from = { .lid = PORT_LID, .qp = 1 };
	uint8_t mad[256];

	npackets++;
	if (npackets == lost[0] || npackets == lost[1])
		return;
	memcpy(mad, sent->mad, sizeof(mad));
	if (sabotage && madkit_rmpp_get_type(mad) == MADKIT_RMPP_ACK) {
		madkit_rmpp_set_type(mad, sabotage);
		madkit_rmpp_set_status(mad, sabotage_status              ? sabotage_status :
					    sabotage == MADKIT_RMPP_STOP ? 1 :
									   ABORTED);
		sabotage = 0;
	}
	fake_arrive(f, 1, id, &from, mad, sent->len, 0);
}

/* A byte of a message that identifies its position. */
static uint8_t test_agent_rmpp_byte_at(size_t i)
{
	return (uint8_t)(i * 7 + i / 251);
}

static struct madkit_send *test_agent_rmpp_message(uint8_t method, size_t data)
{
	struct madkit_send *send = madkit_send_new(HEAD + data);

	send->mad[0] = 1;
	send->mad[1] = CLASS;
	send->mad[2] = 1;
	send->mad[3] = method;
	send->mad[17] = 0x10;
	madkit_rmpp_set_version(send->mad, 1);
	madkit_rmpp_set_type(send->mad, MADKIT_RMPP_DATA);
	madkit_rmpp_set_flags(send->mad, MADKIT_RMPP_ACTIVE);
	for (size_t i = 0; i < data; i++)
		send->mad[HEAD + i] = test_agent_rmpp_byte_at(i);
	send->to.lid = PORT_LID;
	send->to.qp = 1;
	send->timeout_ms = method == MADKIT_METHOD_SEND ? 0 : 500;
	send->retries = 3;
	return send;
}

static bool test_agent_rmpp_whole(const struct madkit_recv *recv, size_t data)
{
	bool good = recv->len == HEAD + data && !recv->status;

	for (size_t i = 0; good && i < data; i++)
		good = recv->mad[HEAD + i] == test_agent_rmpp_byte_at(i);
	return good;
}

static size_t request_data;

static void test_agent_rmpp_on_request(struct madkit_agent *agent, struct madkit_recv *recv)
{
	requests++;
	same &= test_agent_rmpp_whole(recv, request_data);
	if (response_len) {
		struct madkit_send *send = test_agent_rmpp_message(recv->mad[3] | 0x80, response_len);

		memcpy(send->mad + MADKIT_MAD_TID, recv->mad + MADKIT_MAD_TID, 8);
		send->to = recv->from;
		if (madkit_agent_post(agent, send))
			same = false;
	}
	madkit_recv_free(recv);
}

static void on_served(struct madkit_agent *agent, struct madkit_send *send, int status)
{
	(void)agent;
	(void)status;
	madkit_send_free(send);
}

static void on_answer(struct madkit_agent *agent, struct madkit_recv *recv)
{
	(void)agent;
	answers++;
	same &= test_agent_rmpp_whole(recv, response_len) && recv->send;
	madkit_recv_free(recv);
}

static void test_agent_rmpp_on_end(struct madkit_agent *agent, struct madkit_send *send, int status)
{
	(void)agent;
	(void)send;
	ends++;
	last = status;
}

static struct madkit_agent *agent_with(madkit_send_handler sent, madkit_recv_handler received)
{
	struct madkit_agent_attr attr = {
		.mgmt_class = CLASS,
		.library_rmpp = true,
		.method_mask = { UINT64_MAX, UINT64_MAX },
		.send_handler = sent,
		.recv_handler = received,
	};
	struct madkit_agent *agent = NULL;

	madkit_agent_register(port, &attr, &agent, NULL);
	return agent;
}

static void test_agent_rmpp_start(void)
{
	fake = fake_new();
	fake->peer = carry;
	port = fake_port(fake);
	client = agent_with(test_agent_rmpp_on_end, on_answer);
	server = agent_with(on_served, test_agent_rmpp_on_request);
	client_id = madkit_agent_id(client);
	server_id = madkit_agent_id(server);
	lost[0] = lost[1] = npackets = 0;
	sabotage = 0;
	ends = requests = answers = 0;
	last = 1;
	response_len = 0;
	same = true;
}

/* Posts it and runs until it has ended, and the server is done with its answer. */
static void test_agent_rmpp_run(struct madkit_send *send)
{
	if (madkit_agent_post(client, send)) {
		last = 2;
		return;
	}
	for (unsigned int i = 0;
	     i < 1000000 && (madkit_agent_outstanding(client) || madkit_agent_outstanding(server)); i++)
		fake_step(port);
}

/* ---- as it should be ---------------------------------------------------------------- */

static void test_send(size_t data)
{
	test_agent_rmpp_start();
	struct madkit_send *send = test_agent_rmpp_message(MADKIT_METHOD_SEND, data);

	request_data = data;
	test_agent_rmpp_run(send);
	ok(ends == 1 && !last, "a message of %zu bytes of data arrives", data);
	ok(requests == 1 && same, "... each of them");
	is_u64(fake->sent[0].timeout_ms, 0, "the kernel is not asked to time its packets");
	is_u64(fake->sent[0].len, 256, "... which are MADs");
	is_u64(send->tid >> 32, FAKE_HI_TID + madkit_agent_id(client), "an ACK tells the TID of the wire");
	madkit_send_free(send);
	madkit_port_close(port);
}

static void test_both_ways(void)
{
	struct madkit_port_counters counters;

	test_agent_rmpp_start();
	struct madkit_send *send = test_agent_rmpp_message(0x10, 100000);

	request_data = 100000;
	response_len = 300000;
	test_agent_rmpp_run(send);
	ok(ends == 1 && !last && answers == 1 && requests == 1 && same, "a long request, a longer response");
	is_u64(send->attempts, 1, "... in one attempt");
	madkit_port_get_counters(port, &counters);
	ok(!counters.unmatched && !counters.aborted, "no packet was for nobody");

	/* a request of one MAD without RMPP: the kernel times it */
	madkit_rmpp_set_flags(send->mad, 0);
	send->len = 256;
	size_t before = fake->nsent;

	test_agent_rmpp_run(send);
	ok(ends == 2 && !last && answers == 2, "a single MAD, a long response");
	is_u64(fake->sent[before].timeout_ms, 500, "the kernel is told the timeout");
	madkit_send_free(send);
	madkit_port_close(port);
}

/* A response goes on for longer than its request's timeout. */
static void test_progress(void)
{
	test_agent_rmpp_start();
	struct madkit_send *send = test_agent_rmpp_message(0x10, 100);
	uint64_t begin;

	request_data = 100;
	response_len = 2000000;
	send->timeout_ms = 50;
	begin = fake->now;
	test_agent_rmpp_run(send);
	ok(!last && answers == 1 && send->attempts == 1, "a response that lasts is not asked for again");
	ok((fake->now - begin) / NS_PER_MS > 100, "... although it took longer than the timeout");
	madkit_send_free(send);
	madkit_port_close(port);
}

/*
 * The responder is BUSY, and then responds to the first try of a long request after the second was sent. Each
 * try is a separate transfer: the peer acknowledges a known transfer, but does not deliver it again.
 */
static void test_late_response(void)
{
	test_agent_rmpp_start();
	struct madkit_send *send = test_agent_rmpp_message(0x10, 1000);
	struct madkit_send *busy = test_agent_rmpp_message(0x90, 100),
			   *late = test_agent_rmpp_message(0x90, 500);

	request_data = 1000;
	madkit_agent_post(client, send);
	while (!requests)
		fake_step(port);
	/* without a response */
	memcpy(busy->mad + MADKIT_MAD_TID, fake->sent[0].mad + MADKIT_MAD_TID, 8);
	memcpy(late->mad + MADKIT_MAD_TID, fake->sent[0].mad + MADKIT_MAD_TID, 8);
	busy->mad[MADKIT_MAD_STATUS + 1] = 0x01;
	madkit_agent_post(server, busy);
	while (send->attempts < 2)
		fake_step(port);
	response_len = 500;
	madkit_agent_post(server, late);
	while (!ends)
		fake_step(port);
	ok(!last && answers == 1 && same && send->attempts == 2,
	   "A16: a long request: the response to the first of two tries counts");
	ok(send->tid == fake_tid(fake->sent[0].mad), "A16: ... by the TID of that try");
	while (madkit_agent_outstanding(server))
		fake_step(port);
	madkit_send_free(send);
	madkit_port_close(port);
}

/* A long request that is acknowledged and not answered. */
static void test_acknowledged(void)
{
	test_agent_rmpp_start();
	struct madkit_send *send = test_agent_rmpp_message(0x10, 1000);
	uint64_t begin = fake->now;

	request_data = 1000;
	send->timeout_ms = 2500;
	test_agent_rmpp_run(send);
	is_int(last, -ETIMEDOUT, "C4: a long request without a response is a timeout");
	ok(requests == 1 && send->attempts == 1,
	   "C4: ... which is not sent again, because it was acknowledged: %u", requests);
	ok((fake->now - begin) / NS_PER_MS >= 2500 && (fake->now - begin) / NS_PER_MS < 3000,
	   "C4: ... after one timeout: %u ms", (unsigned int)((fake->now - begin) / NS_PER_MS));
	is_u64(send->unacknowledged, 0, "C4: ... and every segment was acknowledged");
	madkit_send_free(send);
	madkit_port_close(port);
}

/* The timeout of a request changes while its first segment is not acknowledged. */
static void test_modify(uint32_t from_ms, uint32_t to_ms)
{
	test_agent_rmpp_start();
	struct madkit_send *send = test_agent_rmpp_message(0x10, 1000);
	uint64_t begin = fake->now, ms;

	fake->peer = NULL;
	send->timeout_ms = from_ms;
	madkit_agent_post(client, send);
	fake_advance(fake, 50);
	is_int(madkit_agent_modify(client, send, to_ms), 0, "C3: a transfer: %u ms become %u", from_ms,
	       to_ms);
	while (!ends)
		fake_step(port);
	ms = (fake->now - begin) / NS_PER_MS;
	ok(last == -ETIMEDOUT && ms == 50 + 4 * to_ms, "C3: ... for each of 4 tries: %u ms",
	   (unsigned int)ms);
	is_u64(send->attempts, 4, "C3: ... of which there are four");
	madkit_send_free(send);
	madkit_port_close(port);
}

/* The timeout changes while the response to an acknowledged request is awaited. */
static void test_modify_response(void)
{
	test_agent_rmpp_start();
	struct madkit_send *send = test_agent_rmpp_message(0x10, 1000);
	uint64_t begin;

	request_data = 1000;
	send->timeout_ms = 400;
	madkit_agent_post(client, send);
	while (send_of(send)->state != SEND_FLIGHT)
		fake_step(port);
	begin = fake->now;
	madkit_agent_modify(client, send, 2000);
	while (!ends)
		fake_step(port);
	is_u64((fake->now - begin) / NS_PER_MS, 2300,
	       "C3: a transfer: the response is awaited longer, because the library times it");
	is_u64(requests, 1, "C3: ... and the request was sent once");
	madkit_send_free(send);
	madkit_port_close(port);
}

/* Lets segment k of count of a response to the request arrive at the client, every byte of its
 * data fill. */
static void make_segment(uint8_t mad[256], const struct fake_sent *request, uint32_t k, uint32_t count,
			 uint8_t fill)
{
	uint8_t flags = MADKIT_RMPP_ACTIVE;

	memcpy(mad, request->mad, HEAD);
	mad[3] |= 0x80;
	flags |= (k == 1 ? MADKIT_RMPP_FIRST : 0) | (k == count ? MADKIT_RMPP_LAST : 0);
	madkit_rmpp_set_version(mad, 1);
	madkit_rmpp_set_type(mad, MADKIT_RMPP_DATA);
	madkit_rmpp_set_flags(mad, flags);
	madkit_rmpp_set_segment(mad, k);
	madkit_rmpp_set_length(mad, k == 1 ? count * (EACH + 4) : k == count ? EACH + 4 : 0);
	memset(mad + HEAD, fill, EACH);
}

static void arrive_mad(const uint8_t mad[256])
{
	const struct madkit_addr from = { .lid = PORT_LID, .qp = 1 };

	fake_arrive(fake, 0, client_id, &from, mad, 256, 0);
	madkit_port_process(port);
}

static void arrive_segment(const struct fake_sent *request, uint32_t k, uint32_t count, uint8_t fill)
{
	uint8_t mad[256];

	make_segment(mad, request, k, count, fill);
	arrive_mad(mad);
}

static uint8_t filled; /* the byte that the last answer consists of; 0: different ones */

static void on_filled(struct madkit_agent *agent, struct madkit_recv *recv)
{
	(void)agent;
	answers++;
	filled = recv->len > HEAD ? recv->mad[HEAD] : 0;
	for (size_t i = HEAD; i < recv->len; i++)
		if (recv->mad[i] != filled)
			filled = 0;
	same &= recv->len == HEAD + 3 * EACH;
	madkit_recv_free(recv);
}

/* A request of one MAD to a peer that the test plays. */
static struct madkit_send *ask_test(void)
{
	struct madkit_send *send = test_agent_rmpp_message(0x10, EACH);

	test_agent_rmpp_start();
	madkit_agent_unregister(client);
	client = agent_with(test_agent_rmpp_on_end, on_filled);
	client_id = madkit_agent_id(client);
	fake->peer = NULL;
	madkit_rmpp_set_flags(send->mad, 0);
	madkit_agent_post(client, send);
	return send;
}

/* The responder has received two tries with one TID, and its second response has other
 * contents: the table has changed meanwhile. */
static void test_superseded(void)
{
	struct madkit_send *send = ask_test();
	unsigned int n = 0;

	arrive_segment(&fake->sent[0], 1, 3, 0x11);
	for (uint32_t k = 1; k <= 3; k++)
		arrive_segment(&fake->sent[0], k, 3, 0x22);
	ok(ends == 1 && !last && answers == 1 && filled == 0x22 && same,
	   "A16: a second response that supersedes the first is the response");
	madkit_send_free(send);
	madkit_port_close(port);

	/* the rest of the superseding response is lost */
	send = ask_test();
	arrive_segment(&fake->sent[0], 1, 3, 0x11);
	arrive_segment(&fake->sent[0], 1, 3, 0x22);
	ok(!ends, "A16: a superseded response does not end the request");
	while (!ends)
		fake_step(port);
	is_int(last, -ETIMEDOUT, "A16: ... but its timeout does");
	madkit_send_free(send);
	madkit_port_close(port);

	/* a peer that never completes a response */
	send = ask_test();
	for (; !ends && n < 100; n++)
		arrive_segment(&fake->sent[0], 1, 3, (uint8_t)(1 + n % 2));
	ok(last == -EPROTO && n == 18 && send->rmpp.state == MADKIT_RMPP_STATE_SUPERSEDED,
	   "A16: a response that begins anew without end fails the request (after %u)", n);
	madkit_send_free(send);
	madkit_port_close(port);
}

/* Each segment of a response arrives just in time, and the response begins anew now and then. */
static void test_slow_response(uint32_t restart_at)
{
	struct madkit_send *send = ask_test();
	uint64_t begin = fake->now;
	unsigned int ms;

	for (uint32_t i = 0; i < 1000 && !ends; i++) {
		fake_advance(fake, 400);
		arrive_segment(&fake->sent[0], i % restart_at + 1, 2000, (uint8_t)(1 + i / restart_at));
	}
	ms = (unsigned int)((fake->now - begin) / NS_PER_MS);
	ok(last == -ETIMEDOUT && ms > 40000 && ms <= 40800,
	   "a slow response ends 40 s after its first segment: %u ms", ms);
	ok(send->rmpp.state == MADKIT_RMPP_STATE_GAVE_UP && send->rmpp.status == MADKIT_RMPP_STATUS_TIME,
	   "... because of its total time");
	is_u64(send->attempts, 1, "... and the request is not sent again");
	madkit_send_free(send);
	madkit_port_close(port);
}

/* The first packet of a response violates RMPP. */
static void test_faulty(void)
{
	static const struct {
		const char *what;
		size_t offset;
		uint8_t value;
		uint8_t status;
	} faults[] = {
		{ "RMPP version 7", 24, 7, MADKIT_RMPP_STATUS_VERSION },
		{ "RMPP type 9", 25, 9, MADKIT_RMPP_STATUS_TYPE },
		{ "segment 0", 31, 0, MADKIT_RMPP_STATUS_FIRST },
	};

	for (size_t i = 0; i < ARRAY_SIZE(faults); i++) {
		struct madkit_send *send = ask_test();
		const struct fake_sent *sent;
		uint8_t mad[256];

		make_segment(mad, &fake->sent[0], 1, 3, 0x11);
		mad[faults[i].offset] = faults[i].value;
		arrive_mad(mad);
		madkit_port_process(port);
		ok(ends == 1 && !answers, "a response with %s ends the request", faults[i].what);
		is_int(last, -EPROTO, "... because the peer violates RMPP");
		is_int(send->rmpp.state, MADKIT_RMPP_STATE_GAVE_UP, "... which this end gave up");
		is_int(send->rmpp.status, faults[i].status, "... with the status");
		sent = &fake->sent[fake->nsent - 1];
		ok(fake->nsent == 2 && madkit_rmpp_get_type(sent->mad) == MADKIT_RMPP_ABORT &&
			   madkit_rmpp_get_status(sent->mad) == faults[i].status,
		   "... that the peer gets in an ABORT");
		madkit_send_free(send);
		madkit_port_close(port);
	}
}

/* The flag of a transfer in what does not hold all of its headers: it is padded. */
static void test_cut(void)
{
	static const size_t lengths[] = { 27, 35, 36, HEAD - 1 };

	for (size_t i = 0; i < ARRAY_SIZE(lengths); i++) {
		test_agent_rmpp_start();
		struct madkit_send *send = test_agent_rmpp_message(MADKIT_METHOD_SEND, 0);

		request_data = 0;
		send->len = lengths[i];
		test_agent_rmpp_run(send);
		ok(ends == 1 && !last && requests == 1 && same,
		   "%zu bytes of a message arrive as one without data", lengths[i]);
		madkit_send_free(send);
		madkit_port_close(port);
	}
}

/* ---- a wire that loses ---------------------------------------------------------------- */

/* Each packet, and each pair of them, of four segments there and three back. */
static void test_losses(void)
{
	unsigned int packets = 0, bad = 0, n = 0;

	for (unsigned int i = 0; i == 0 || i <= packets; i++) {
		for (unsigned int k = i; k <= packets; k++) {
			test_agent_rmpp_start();
			struct madkit_send *send = test_agent_rmpp_message(0x10, 3 * EACH + 1);

			request_data = 3 * EACH + 1;
			response_len = 2 * EACH + 1;
			/* the response is resent after 500 ms, and once more; the request is
			 * not, once it was acknowledged */
			send->timeout_ms = 1500;
			lost[0] = i;
			lost[1] = k;
			test_agent_rmpp_run(send);
			n++;
			if (!i)
				packets = npackets;
			/* a request that had to be resent is answered again */
			if (ends != 1 || last || answers != 1 || !requests || !same) {
				printf("# lost %u and %u: end %d, %u answers, %u requests\n", i, k, last,
				       answers, requests);
				bad++;
			}
			madkit_send_free(send);
			madkit_port_close(port);
		}
	}
	ok(!bad && packets > 10, "loss of each packet and of each pair: %u runs of %u packets", n, packets);
}

static void test_silence(void)
{
	test_agent_rmpp_start();
	struct madkit_send *send = test_agent_rmpp_message(MADKIT_METHOD_SEND, 1000);
	uint64_t begin = fake->now;

	fake->peer = NULL;
	test_agent_rmpp_run(send);
	is_int(last, -ETIMEDOUT, "nobody acknowledges: a timeout");
	ok(send->rmpp.state == MADKIT_RMPP_STATE_GAVE_UP && send->rmpp.status == MADKIT_RMPP_STATUS_RETRIES,
	   "... after too many retries");
	is_u64((fake->now - begin) / NS_PER_MS, 4000, "... of a second each");
	is_u64(madkit_rmpp_get_type(fake->sent[fake->nsent - 1].mad), MADKIT_RMPP_ABORT, "the peer is told");
	madkit_send_free(send);
	madkit_port_close(port);
}

/* How long the end of a message without a response takes if nothing acknowledges it. */
static void test_ack_time(void)
{
	static const struct {
		uint32_t ack_ms, all_ms;
	} rows[] = { { 0, 2000 }, { 300, 600 }, { MADKIT_FOREVER, 2000 } };

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct madkit_send *send = test_agent_rmpp_message(MADKIT_METHOD_SEND, 1000);
		uint64_t begin;

		test_agent_rmpp_start();
		fake->peer = NULL;
		send->retries = 1;
		send->ack_ms = rows[i].ack_ms;
		begin = fake->now;
		madkit_agent_post(client, send);
		while (!ends && madkit_port_wait(port, 100000) == 1)
			madkit_port_process(port);
		ok(ends == 1 && last == -ETIMEDOUT && (fake->now - begin) / NS_PER_MS == rows[i].all_ms,
		   "C3: one way, no ACK, ack_ms %d, 1 retry: ends after %u ms", (int)rows[i].ack_ms,
		   (unsigned int)rows[i].all_ms);
		madkit_send_free(send);
		madkit_port_close(port);
	}
}

/* Without a timeout the response is awaited without limit, but acknowledgements are not. */
static void test_agent_rmpp_forever(void)
{
	test_agent_rmpp_start();
	struct madkit_send *send = test_agent_rmpp_message(0x10, 1000);
	uint64_t begin = fake->now;

	send->timeout_ms = MADKIT_FOREVER;
	send->retries = 3;
	fake->peer = NULL;
	test_agent_rmpp_run(send);
	is_int(last, -ETIMEDOUT, "C1: no acknowledgement ends a request without a timeout");
	is_u64((fake->now - begin) / NS_PER_MS, 4000, "C1: ... after 4 tries of a second");
	fake->peer = carry;
	request_data = 1000;
	madkit_agent_post(client, send);
	while (madkit_port_deadline(port) != UINT64_MAX && fake->now - begin < 60000 * NS_PER_MS)
		fake_step(port);
	for (int i = 0; i < 10; i++) {
		fake_advance(fake, 86400 * 1000);
		madkit_port_process(port);
	}
	ok(requests == 1 && ends == 1, "C1: an acknowledged one is awaited for days");
	is_u64(madkit_agent_outstanding(client), 1, "C1: ... and outstanding");
	madkit_agent_cancel(client, send);
	madkit_port_process(port);
	madkit_send_free(send);
	madkit_port_close(port);
}

/* ---- ends ----------------------------------------------------------------------------- */

static void test_aborted(uint8_t type, enum madkit_rmpp_state state, uint8_t status)
{
	/* an end with a status that its type may have, and with one that it must not have */
	for (int illegal = 0; illegal < 2; illegal++) {
		struct madkit_send *send = test_agent_rmpp_message(MADKIT_METHOD_SEND, 1000);

		test_agent_rmpp_start();
		request_data = 1000;
		sabotage = type;
		sabotage_status = illegal ? 2 : 0;
		test_agent_rmpp_run(send);
		is_int(last, -ECONNABORTED, "the peer ends it: type %u", type);
		ok(send->rmpp.state == state &&
			   send->rmpp.status == (illegal ? MADKIT_RMPP_STATUS_ILLEGAL : status) &&
			   send->rmpp.received == (illegal ? 2 : status) &&
			   madkit_rmpp_outcome_illegal(&send->rmpp) == illegal,
		   "C4: ... and says why%s", illegal ? ", with an illegal status" : "");
		madkit_send_free(send);
		madkit_port_close(port);
	}
	sabotage_status = 0;
}

/* Lets a packet of the peer to the request arrive at the client. */
static void arrive_packet(const struct fake_sent *request, uint8_t type, uint8_t status, uint32_t segment,
			  uint32_t length)
{
	uint8_t mad[256] = { 0 };

	memcpy(mad, request->mad, HEAD);
	mad[3] |= 0x80;
	madkit_rmpp_set_type(mad, type);
	madkit_rmpp_set_flags(mad, MADKIT_RMPP_ACTIVE);
	madkit_rmpp_set_status(mad, status);
	madkit_rmpp_set_segment(mad, segment);
	madkit_rmpp_set_length(mad, length);
	arrive_mad(mad);
}

/* The response begins before the last ACK of the request; then the peer ends the transfer, or sends an
 * invalid ACK. */
static void test_early_response_ended(uint8_t type, uint8_t status, uint32_t segment, int error,
				      enum madkit_rmpp_state state, uint8_t reported)
{
	struct madkit_port_counters counters;
	size_t before;

	test_agent_rmpp_start();
	struct madkit_send *send = test_agent_rmpp_message(0x10, 3 * EACH);

	fake->peer = NULL;
	madkit_agent_post(client, send);
	arrive_packet(&fake->sent[0], MADKIT_RMPP_ACK, 0, 1, 10);
	arrive_segment(&fake->sent[0], 1, 3, 0x11);
	is_u64(ends, 0, "a response begins before the last ACK of its request");
	before = fake->nsent;
	arrive_packet(&fake->sent[0], type, status, segment, 0);
	ok(ends == 1 && last == error, "... a packet of type %u ends the request at once: %d", type, last);
	ok(send->rmpp.state == state && send->rmpp.status == reported, "... with state %d and status %u",
	   (int)send->rmpp.state, send->rmpp.status);
	if (type != MADKIT_RMPP_ACK) {
		is_u64(fake->nsent, before, "... which is not answered");
		madkit_port_get_counters(port, &counters);
		is_u64(counters.aborted, 1, "... and ends the response");
	}
	madkit_send_free(send);
	madkit_port_close(port);
}

/* The response's sender gives up after its first segments. */
static void test_response_aborted(void)
{
	test_agent_rmpp_start();
	struct madkit_send *send = test_agent_rmpp_message(0x10, 100);

	request_data = 100;
	response_len = 100000;
	send->retries = 0;
	madkit_agent_post(client, send);
	while (madkit_agent_outstanding(server) < 1 || npackets < 8)
		fake_step(port);
	madkit_agent_unregister(server);
	fake_advance(fake, 1);
	madkit_port_process(port);
	is_int(last, -ECONNABORTED, "the server goes while it answers");
	ok(send->rmpp.state == MADKIT_RMPP_STATE_ABORTED &&
		   send->rmpp.status == MADKIT_RMPP_STATUS_UNSPECIFIED,
	   "... and has said so");
	ok(!answers, "half an answer is none");
	madkit_send_free(send);
	madkit_port_close(port);
}

/* The acknowledgement of a request is lost, and its response comes. */
static void test_answered_unacknowledged(void)
{
	unsigned int aborts = 0;

	test_agent_rmpp_start();
	struct madkit_send *send = test_agent_rmpp_message(0x10, 100);

	request_data = 100;
	response_len = 1000;
	lost[0] = 2;
	test_agent_rmpp_run(send);
	is_int(last, 0, "A16: a response proves that the request arrived");
	for (unsigned int i = 0; i < fake->nsent; i++)
		aborts += madkit_rmpp_get_type(fake->sent[i].mad) == MADKIT_RMPP_ABORT;
	is_u64(aborts, 0, "A16: ... and the transfer of the request is not aborted");
	is_u64(answers, 1, "A16: ... whose transaction ID the response has, too");
	madkit_send_free(send);
	madkit_port_close(port);
}

/* A response that is being sent has the transaction ID of a request of the same agent. */
static void test_same_tid(void)
{
	test_agent_rmpp_start();
	struct madkit_send *request = test_agent_rmpp_message(0x10, EACH),
			   *response = test_agent_rmpp_message(0x90, 3 * EACH);
	uint8_t mad[256] = { 0 };

	fake->peer = NULL;
	madkit_rmpp_set_flags(request->mad, 0);
	madkit_agent_post(client, request);
	memcpy(response->mad + MADKIT_MAD_TID, fake->sent[0].mad + MADKIT_MAD_TID, 8);
	madkit_agent_post(client, response);
	is_u64(madkit_agent_outstanding(client), 2, "a request and a response with the same TID");
	memcpy(mad, fake->sent[0].mad, HEAD);
	mad[3] |= 0x80;
	arrive_mad(mad);
	ok(answers == 1 && ends == 1 && !last, "... the response that arrives answers the request");
	is_int(send_of(request)->state, SEND_IDLE, "... which has ended");
	is_int(send_of(response)->state, SEND_TRANSFER, "... and the other response is still being sent");
	madkit_port_close(port);
	madkit_send_free(request);
	madkit_send_free(response);
}

static void test_cancelled(void)
{
	test_agent_rmpp_start();
	struct madkit_send *send = test_agent_rmpp_message(MADKIT_METHOD_SEND, 100000);

	request_data = 100000;
	madkit_agent_post(client, send);
	while (npackets < 20)
		fake_step(port);
	is_int(madkit_agent_cancel(client, send), 0, "cancelled while it is under way");
	is_u64(madkit_rmpp_get_type(fake->sent[fake->nsent - 1].mad), MADKIT_RMPP_ABORT,
	       "... which the peer is told");
	madkit_port_process(port);
	is_int(last, -ECANCELED, "... and its handler");
	for (unsigned int i = 0; i < 10; i++) {
		fake_advance(fake, 1);
		madkit_port_process(port);
	}
	ok(!requests, "nothing of it is delivered");
	madkit_send_free(send);
	madkit_port_close(port);
}

static void test_too_long(void)
{
	test_agent_rmpp_start();
	struct madkit_send *send = test_agent_rmpp_message(MADKIT_METHOD_SEND, 100000);

	madkit_agent_unregister(server);
	madkit_port_set_receive_limit(port, 2048, 50000);
	server = agent_with(on_served, test_agent_rmpp_on_request);
	server_id = madkit_agent_id(server);
	test_agent_rmpp_run(send);
	is_int(last, -ECONNABORTED, "more than the receiver takes");
	ok(send->rmpp.state == MADKIT_RMPP_STATE_STOPPED && send->rmpp.status == MADKIT_RMPP_STATUS_RESOURCES,
	   "... STOP, resources exhausted");
	ok(!requests, "nothing of it is delivered");
	madkit_send_free(send);
	madkit_port_close(port);
}

static void test_refused(void)
{
	test_agent_rmpp_start();
	struct madkit_agent *perf = fake_agent(port, MADKIT_CLASS_PERF, 0, NULL, NULL, NULL);
	struct madkit_send *send = test_agent_rmpp_message(MADKIT_METHOD_SEND, 1000);

	is_int(madkit_agent_post(perf, send), -EINVAL, "an agent without RMPP");
	send->mad[1] = MADKIT_CLASS_PERF;
	is_int(madkit_agent_post(client, send), -EINVAL, "a class without RMPP");
	ok(!madkit_agent_kernel_rmpp(client), "the kernel does no RMPP for it");
	madkit_send_free(send);
	madkit_port_close(port);
}

int main(void)
{
	test_send(0);
	test_send(1);
	test_send(EACH);
	test_send(EACH + 1);
	test_send(1000000);
	test_cut();
	test_both_ways();
	test_progress();
	test_late_response();
	test_acknowledged();
	test_modify(5000, 100);
	test_modify(100, 5000);
	test_modify_response();
	test_superseded();
	test_slow_response(1000);
	test_slow_response(90);
	test_faulty();
	test_losses();
	test_silence();
	test_ack_time();
	test_agent_rmpp_forever();
	test_aborted(MADKIT_RMPP_ABORT, MADKIT_RMPP_STATE_ABORTED, ABORTED);
	test_aborted(MADKIT_RMPP_STOP, MADKIT_RMPP_STATE_STOPPED, MADKIT_RMPP_STATUS_RESOURCES);
	test_response_aborted();
	test_early_response_ended(MADKIT_RMPP_ABORT, ABORTED, 0, -ECONNABORTED, MADKIT_RMPP_STATE_ABORTED,
				  ABORTED);
	test_early_response_ended(MADKIT_RMPP_STOP, MADKIT_RMPP_STATUS_RESOURCES, 0, -ECONNABORTED,
				  MADKIT_RMPP_STATE_STOPPED, MADKIT_RMPP_STATUS_RESOURCES);
	test_early_response_ended(MADKIT_RMPP_ACK, 0, 9, -EPROTO, MADKIT_RMPP_STATE_GAVE_UP,
				  MADKIT_RMPP_STATUS_WINDOW);
	test_answered_unacknowledged();
	test_same_tid();
	test_cancelled();
	test_too_long();
	test_refused();
	return tap_done();
}
