/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Agents for whom the library does RMPP: two on one port, a wire that loses packets
 * between them. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include "agent/internal.h"
#include "tests/tap.h"
#include "tests/unit/fake_transport.h"

enum { CLASS = 0x32, HEAD = 40, EACH = 216, PORT_LID = 7, ABORTED = 119 };

static struct fake *fake;
static struct madkit_port *port;
static struct madkit_agent *client, *server;
static uint32_t client_id, server_id;
static unsigned int lost[2], npackets;	/* numbers of packets that get lost; 0: none */
static uint8_t sabotage;		/* STOP or ABORT in place of the first ACK */
static unsigned int ends, requests, answers;
static int last;
static size_t response_len;		/* 0: the server does not answer */
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
		madkit_rmpp_set_status(mad, sabotage == MADKIT_RMPP_STOP ? 1 : ABORTED);
		sabotage = 0;
	}
	fake_arrive(f, 1, id, &from, mad, sent->len, 0);
}

/* A byte of a message that tells its place. */
static uint8_t byte_at(size_t i)
{
	return (uint8_t)(i * 7 + i / 251);
}

static struct madkit_send *message(uint8_t method, size_t data)
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
		send->mad[HEAD + i] = byte_at(i);
	send->to.lid = PORT_LID;
	send->to.qp = 1;
	send->timeout_ms = method == MADKIT_METHOD_SEND ? 0 : 500;
	send->retries = 3;
	return send;
}

static bool whole(const struct madkit_recv *recv, size_t data)
{
	bool good = recv->len == HEAD + data && !recv->status;

	for (size_t i = 0; good && i < data; i++)
		good = recv->mad[HEAD + i] == byte_at(i);
	return good;
}

static size_t request_data;

static void on_request(struct madkit_agent *agent, struct madkit_recv *recv)
{
	requests++;
	same &= whole(recv, request_data);
	if (response_len) {
		struct madkit_send *send = message(recv->mad[3] | 0x80, response_len);

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
	same &= whole(recv, response_len) && recv->send;
	madkit_recv_free(recv);
}

static void on_end(struct madkit_agent *agent, struct madkit_send *send, int status)
{
	(void)agent;
	(void)send;
	ends++;
	last = status;
}

static struct madkit_agent *agent_with(madkit_send_handler sent, madkit_recv_handler received)
{
	struct madkit_agent_attr attr = {
		.mgmt_class = CLASS, .oui = 0x1405, .library_rmpp = true,
		.send_handler = sent, .recv_handler = received,
	};
	struct madkit_agent *agent = NULL;

	madkit_agent_register(port, &attr, &agent, NULL);
	return agent;
}

static void start(void)
{
	fake = fake_new();
	fake->peer = carry;
	port = fake_port(fake);
	client = agent_with(on_end, on_answer);
	server = agent_with(on_served, on_request);
	client_id = madkit_agent_id(client);
	server_id = madkit_agent_id(server);
	lost[0] = lost[1] = npackets = 0;
	sabotage = 0;
	ends = requests = answers = 0;
	last = 1;
	response_len = 0;
	same = true;
}

static void step(void)
{
	madkit_port_wait(port, -1);
	madkit_port_process(port);
}

/* Posts it and runs until it has ended, and the server is done with its answer. */
static void run(struct madkit_send *send)
{
	if (madkit_agent_post(client, send)) {
		last = 2;
		return;
	}
	for (unsigned int i = 0; i < 1000000 &&
	     (madkit_agent_outstanding(client) || madkit_agent_outstanding(server)); i++)
		step();
}

/* ---- as it should be ---------------------------------------------------------------- */

static void test_send(size_t data)
{
	start();
	struct madkit_send *send = message(MADKIT_METHOD_SEND, data);

	request_data = data;
	run(send);
	ok(ends == 1 && !last, "a message of %zu bytes of data arrives", data);
	ok(requests == 1 && same, "... each of them");
	is_u64(fake->sent[0].timeout_ms, 0, "the kernel is not asked to time its packets");
	is_u64(fake->sent[0].len, 256, "... which are MADs");
	is_u64(send->tid >> 32, FAKE_HI_TID + madkit_agent_id(client),
	       "an ACK tells the TID of the wire");
	madkit_send_free(send);
	madkit_port_close(port);
}

static void test_both_ways(void)
{
	struct madkit_port_counters counters;

	start();
	struct madkit_send *send = message(0x10, 100000);

	request_data = 100000;
	response_len = 300000;
	run(send);
	ok(ends == 1 && !last && answers == 1 && requests == 1 && same,
	   "a long request, a longer response");
	is_u64(send->attempts, 1, "... in one attempt");
	madkit_port_get_counters(port, &counters);
	ok(!counters.unmatched && !counters.aborted, "no packet was for nobody");

	/* a request of one MAD without RMPP: the kernel times it */
	madkit_rmpp_set_flags(send->mad, 0);
	send->len = 256;
	size_t before = fake->nsent;

	run(send);
	ok(ends == 2 && !last && answers == 2, "a single MAD, a long response");
	is_u64(fake->sent[before].timeout_ms, 500, "the kernel is told the timeout");
	madkit_send_free(send);
	madkit_port_close(port);
}

/* A response goes on for longer than its request's timeout. */
static void test_progress(void)
{
	start();
	struct madkit_send *send = message(0x10, 100);
	uint64_t begin;

	request_data = 100;
	response_len = 2000000;
	send->timeout_ms = 50;
	begin = fake->now;
	run(send);
	ok(!last && answers == 1 && send->attempts == 1, "a response that lasts is not asked for again");
	ok((fake->now - begin) / NS_PER_MS > 100, "... although it took longer than the timeout");
	madkit_send_free(send);
	madkit_port_close(port);
}

/* The flag of a transfer in what does not hold all of its headers: it is padded. */
static void test_cut(void)
{
	static const size_t lengths[] = { 27, 35, 36, HEAD - 1 };

	for (size_t i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++) {
		start();
		struct madkit_send *send = message(MADKIT_METHOD_SEND, 0);

		request_data = 0;
		send->len = lengths[i];
		run(send);
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
			start();
			struct madkit_send *send = message(0x10, 3 * EACH + 1);

			request_data = 3 * EACH + 1;
			response_len = 2 * EACH + 1;
			lost[0] = i;
			lost[1] = k;
			run(send);
			n++;
			if (!i)
				packets = npackets;
			/* what had to be asked again is answered again */
			if (ends != 1 || last || answers != 1 || !requests || !same) {
				printf("# lost %u and %u: end %d, %u answers, %u requests\n", i, k,
				     last, answers, requests);
				bad++;
			}
			madkit_send_free(send);
			madkit_port_close(port);
		}
	}
	ok(!bad && packets > 10, "loss of each packet and of each pair: %u runs of %u packets",
	   n, packets);
}

static void test_silence(void)
{
	start();
	struct madkit_send *send = message(MADKIT_METHOD_SEND, 1000);
	uint64_t begin = fake->now;

	fake->peer = NULL;
	run(send);
	is_int(last, -ETIMEDOUT, "nobody acknowledges: a timeout");
	ok(send->rmpp.state == MADKIT_RMPP_STATE_GAVE_UP &&
	   send->rmpp.status == MADKIT_RMPP_STATUS_RETRIES, "... after too many retries");
	is_u64((fake->now - begin) / NS_PER_MS, 4000, "... of a second each");
	is_u64(madkit_rmpp_get_type(fake->sent[fake->nsent - 1].mad), MADKIT_RMPP_ABORT,
	       "the peer is told");
	madkit_send_free(send);
	madkit_port_close(port);
}

/* ---- ends ----------------------------------------------------------------------------- */

static void test_aborted(uint8_t type, enum madkit_rmpp_state state, uint8_t status)
{
	start();
	struct madkit_send *send = message(MADKIT_METHOD_SEND, 1000);

	request_data = 1000;
	sabotage = type;
	run(send);
	is_int(last, -ECONNABORTED, "the peer ends it: type %u", type);
	ok(send->rmpp.state == state && send->rmpp.status == status, "... and says why");
	madkit_send_free(send);
	madkit_port_close(port);
}

/* The response's sender gives up after its first segments. */
static void test_response_aborted(void)
{
	start();
	struct madkit_send *send = message(0x10, 100);

	request_data = 100;
	response_len = 100000;
	send->retries = 0;
	madkit_agent_post(client, send);
	while (madkit_agent_outstanding(server) < 1 || npackets < 8)
		step();
	madkit_agent_unregister(server);
	fake_advance(fake, 1);
	madkit_port_process(port);
	is_int(last, -ECONNABORTED, "the server goes while it answers");
	ok(send->rmpp.state == MADKIT_RMPP_STATE_ABORTED &&
	   send->rmpp.status == MADKIT_RMPP_STATUS_UNSPECIFIED, "... and has said so");
	ok(!answers, "half an answer is none");
	madkit_send_free(send);
	madkit_port_close(port);
}

static void test_cancelled(void)
{
	start();
	struct madkit_send *send = message(MADKIT_METHOD_SEND, 100000);

	request_data = 100000;
	madkit_agent_post(client, send);
	while (npackets < 20)
		step();
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
	start();
	struct madkit_send *send = message(MADKIT_METHOD_SEND, 100000);

	madkit_agent_unregister(server);
	madkit_port_set_receive_limit(port, 2048, 50000);
	server = agent_with(on_served, on_request);
	server_id = madkit_agent_id(server);
	run(send);
	is_int(last, -ECONNABORTED, "more than the receiver takes");
	ok(send->rmpp.state == MADKIT_RMPP_STATE_STOPPED &&
	   send->rmpp.status == MADKIT_RMPP_STATUS_RESOURCES, "... STOP, resources exhausted");
	ok(!requests, "nothing of it is delivered");
	madkit_send_free(send);
	madkit_port_close(port);
}

static void test_refused(void)
{
	start();
	struct madkit_agent *perf = fake_agent(port, MADKIT_CLASS_PERF, 0, NULL, NULL, NULL);
	struct madkit_send *send = message(MADKIT_METHOD_SEND, 1000);

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
	test_losses();
	test_silence();
	test_aborted(MADKIT_RMPP_ABORT, MADKIT_RMPP_STATE_ABORTED, ABORTED);
	test_aborted(MADKIT_RMPP_STOP, MADKIT_RMPP_STATE_STOPPED, MADKIT_RMPP_STATUS_RESOURCES);
	test_response_aborted();
	test_cancelled();
	test_too_long();
	test_refused();
	return tap_done();
}
