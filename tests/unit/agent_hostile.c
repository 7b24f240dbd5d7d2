/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Hostile peers of agents for which the library does RMPP: the packets that they get, the status that the
 * poster gets, the time of both, and the memory in use. */
#include <errno.h>
#include <stdio.h>
#include "agent/agent.h"
#include "tests/tap.h"
#include "tests/unit/fake_transport.h"
#include "tests/unit/rmpp_ends.h"
#include "util/array_size.h"

enum { LID = 7, TIMEOUT = 100, MS = 1000000 };

static struct fake *fake;
static struct madkit_port *port;
static struct madkit_agent *agent;
static struct madkit_send *request;
static unsigned int ends, received;
static size_t received_len;
static int last;
static const struct madkit_addr peer = { .lid = LID, .qp = 1 };
static struct madkit_addr source; /* where what arrives comes from */

static void agent_hostile_on_end(struct madkit_agent *a, struct madkit_send *send, int status)
{
	(void)a;
	(void)send;
	ends++;
	last = status;
}

static void agent_hostile_on_received(struct madkit_agent *a, struct madkit_recv *recv)
{
	(void)a;
	received++;
	received_len = recv->len;
	madkit_recv_free(recv);
}

static void agent_hostile_begin(size_t receive_max)
{
	struct madkit_agent_attr attr = {
		.mgmt_class = SA,
		.library_rmpp = true,
		.method_mask = { UINT64_MAX, UINT64_MAX },
		.send_handler = agent_hostile_on_end,
		.recv_handler = agent_hostile_on_received,
	};

	fake = fake_new();
	port = fake_port(fake);
	if (receive_max)
		madkit_port_set_receive_limit(port, 256, receive_max);
	if (madkit_agent_register(port, &attr, &agent, NULL))
		abort();
	ends = received = 0;
	last = 1;
	request = NULL;
	source = peer;
}

/* A request of so many bytes of data, or a message that wants no answer. */
static void agent_hostile_post(size_t data, uint32_t timeout_ms)
{
	request = madkit_send_new(data ? 56 + data : 256);
	put_head(request->mad, SA, timeout_ms ? GET_TABLE : SET, 0);
	request->to = peer;
	request->timeout_ms = timeout_ms;
	if (madkit_agent_post(agent, request))
		abort();
}

static void agent_hostile_end(void)
{
	madkit_port_close(port);
	is_u64(ends, request ? 1 : 0, "... it ends once");
	madkit_send_free(request);
}

/* A packet with the request's TID, as its answer; flags FIRST and LAST. */
static void agent_hostile_arrive(uint8_t type, uint8_t flags, uint8_t status, uint32_t segment,
				 uint32_t length, uint8_t version)
{
	uint8_t mad[256] = { 0 };

	memcpy(mad, fake->sent[0].mad, 24);
	mad[3] ^= RESPONSE;
	put_rmpp(mad, type, ACTIVE | flags, status, segment, length);
	mad[24] = version;
	fake_arrive(fake, 0, fake->sent[0].id, &source, mad, sizeof(mad), 0);
	madkit_port_process(port);
}

static void agent_hostile_data(uint8_t flags, uint32_t segment, uint32_t length)
{
	agent_hostile_arrive(DATA, flags, 0, segment, length, 1);
}

/* The packets sent last: "K2/64", "A119", "S1", "D1" a segment. */
static const char *agent_hostile_answer(void)
{
	static char text[40];
	const uint8_t *mad = fake->sent[fake->nsent - 1].mad;

	if (mad[25] == ACK || mad[25] == DATA)
		snprintf(text, sizeof(text), "%c%u/%u", "?DKSA"[mad[25]], get32(mad + 28), get32(mad + 32));
	else
		snprintf(text, sizeof(text), "%c%u", mad[25] > ABORT ? '?' : "?DKSA"[mad[25]], mad[27]);
	return text;
}

/* The statuses that the poster has received: "broken gave up 119". */
static const char *agent_hostile_told(void)
{
	static const char *const states[] = { "",         " complete", " gave up",
					      " stopped", " aborted",  " superseded" };
	static char text[40];

	if (!ends)
		return "nothing";
	snprintf(text, sizeof(text), "%s%s",
		 last == -ETIMEDOUT    ? "timed out" :
		 last == -ECONNABORTED ? "aborted" :
		 last == -EPROTO       ? "broken" :
		 last == -ENOBUFS      ? "no room" :
		 last                  ? "?" :
					 "sent",
		 states[request->rmpp.state]);
	if (request->rmpp.status)
		snprintf(text + strlen(text), sizeof(text) - strlen(text), " %u", request->rmpp.status);
	return text;
}

/* ---- a response that is wrong -------------------------------------------------------- */

static void agent_hostile_responses(void)
{
	/* clang-format off */
	static const struct {
		const char *what;
		struct {
			uint8_t flags;
			uint32_t segment, length;
		} data[3];
		const char *answer, *told;
	} rows[] = {
		{ "one segment that is huge", { { FIRST | LAST, 1, 0xffffffff } }, "A119", "broken gave up 119" },
		{ "one segment of nothing", { { FIRST | LAST, 1, 0 } }, "A119", "broken gave up 119" },
		{ "less than its class header", { { FIRST, 1, 19 } }, "A119", "broken gave up 119" },
		{ "a huge length", { { FIRST, 1, 0xffffffff } }, "K1/65", "nothing" },
		{ "... and LAST early", { { FIRST, 1, 0xffffffff }, { LAST, 2, 220 } }, "A119", "broken gave up 119" },
		{ "LAST never", { { FIRST, 1, 440 }, { 0, 2, 0 } }, "A119", "broken gave up 119" },
		{ "a last one that is too long", { { FIRST, 1, 0 }, { LAST, 2, 221 } }, "A119", "broken gave up 119" },
		{ "two last ones", { { FIRST, 1, 0 }, { LAST, 3, 220 }, { LAST, 2, 220 } }, "A119", "broken gave up 119" },
		{ "FIRST in the midst", { { FIRST, 1, 0 }, { FIRST, 2, 0 } }, "A120", "broken gave up 120" },
	};
	/* clang-format on */

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		agent_hostile_begin(0);
		agent_hostile_post(0, TIMEOUT);
		for (size_t k = 0; k < 3 && rows[i].data[k].segment; k++)
			agent_hostile_data(rows[i].data[k].flags, rows[i].data[k].segment,
					   rows[i].data[k].length);
		is_str(agent_hostile_answer(), rows[i].answer, "%s", rows[i].what);
		is_str(agent_hostile_told(), rows[i].told, "... what the poster is told");
		is_u64(received, 0, "... and nothing is handed over");
		agent_hostile_end();
	}
	agent_hostile_begin(0);
	agent_hostile_post(0, TIMEOUT);
	agent_hostile_data(FIRST, 1, 0);
	agent_hostile_arrive(DATA, 0, 5, 2, 0, 1);
	is_str(agent_hostile_answer(), "A124", "DATA with a status");
	is_str(agent_hostile_told(), "broken gave up 124", "... what the poster is told");
	agent_hostile_end();
	agent_hostile_begin(0);
	agent_hostile_post(0, TIMEOUT);
	agent_hostile_data(FIRST, 1, 0);
	agent_hostile_arrive(DATA, 0, 0, 2, 0, 2);
	is_str(agent_hostile_answer(), "A125", "another version");
	is_str(agent_hostile_told(), "broken gave up 125", "... what the poster is told");
	agent_hostile_end();
	agent_hostile_begin(0);
	agent_hostile_post(0, TIMEOUT);
	agent_hostile_data(FIRST, 1, 0);
	agent_hostile_arrive(9, 0, 0, 2, 0, 1);
	is_str(agent_hostile_answer(), "A121", "a type that nobody knows");
	is_str(agent_hostile_told(), "broken gave up 121", "... what the poster is told");
	agent_hostile_end();
	/* the limit is reported if it applies to the message */
	agent_hostile_begin(1000);
	agent_hostile_post(0, TIMEOUT);
	agent_hostile_data(FIRST, 1, 0);
	for (uint32_t k = 2; k < 6 && !ends; k++)
		agent_hostile_data(0, k, 0);
	is_str(agent_hostile_answer(), "S1", "more than the port receives");
	is_str(agent_hostile_told(), "no room gave up 1", "... what the poster is told");
	agent_hostile_end();
}

/* STOP and ABORT instead of a response, before and after it has begun. */
static void stops(void)
{
	/* clang-format off */
	static const struct {
		uint8_t type, status, version;
		const char *told;
	} rows[] = {
		{ STOP, 1, 1, "aborted stopped 1" },
		{ STOP, 0, 1, "aborted stopped 124" },
		{ STOP, 118, 1, "aborted stopped 124" },
		{ STOP, 1, 2, "aborted stopped 125" },
		{ ABORT, 127, 1, "aborted aborted 127" },
		{ ABORT, 0, 1, "aborted aborted 124" },
		{ ABORT, 200, 1, "aborted aborted 200" },
		{ ABORT, 127, 0, "aborted aborted 125" },
	};
	/* clang-format on */

	for (size_t i = 0; i < 2 * ARRAY_SIZE(rows); i++) {
		size_t n, k = i / 2;

		agent_hostile_begin(0);
		agent_hostile_post(0, TIMEOUT);
		if (i % 2)
			agent_hostile_data(FIRST, 1, 0);
		n = fake->nsent;
		agent_hostile_arrive(rows[k].type, 0, rows[k].status, 0, 0, rows[k].version);
		is_str(agent_hostile_told(), rows[k].told, "type %u status %u version %u", rows[k].type,
		       rows[k].status, rows[k].version);
		is_u64(fake->nsent, n, "... is not answered");
		agent_hostile_end();
	}
}

/* ---- ACKs that are wrong ------------------------------------------------------------- */

static void agent_hostile_acks(void)
{
	/* clang-format off */
	static const struct {
		uint8_t type, status;
		uint32_t segment, last;
		const char *answer, *told;
	} rows[] = {
		{ ACK, 0, 2, 9, "A123", "broken gave up 123" },
		{ ACK, 0, 0xffffffff, 0xffffffff, "A123", "broken gave up 123" },
		{ ACK, 0, 1, 0, "A122", "broken gave up 122" },
		{ ACK, 7, 1, 5, "A124", "broken gave up 124" },
		{ 77, 0, 1, 5, "A121", "broken gave up 121" },
		{ ACK, 0, 0, 1, "D1/1320", "nothing" },
		{ ACK, 0, 1, 2, "D2/0", "nothing" },
		{ ACK, 0, 1, 0xffffffff, "D6/220", "nothing" },
		{ STOP, 1, 0, 0, "D1/1320", "aborted stopped 1" },
		{ ABORT, 126, 0, 0, "D1/1320", "aborted aborted 126" },
	};
	/* clang-format on */

	/* a message of six segments, of which one may be sent */
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		agent_hostile_begin(0);
		agent_hostile_post(6 * 200, 0);
		agent_hostile_arrive(rows[i].type, 0, rows[i].status, rows[i].segment, rows[i].last, 1);
		is_str(agent_hostile_answer(), rows[i].answer, "type %u status %u %u %u", rows[i].type,
		       rows[i].status, rows[i].segment, rows[i].last);
		is_str(agent_hostile_told(), rows[i].told, "... what the poster is told");
		agent_hostile_end();
	}
	agent_hostile_begin(0);
	agent_hostile_post(6 * 200, 0);
	agent_hostile_data(FIRST, 1, 0);
	is_str(agent_hostile_told(), "nothing", "DATA in answer to what wants no answer");
	agent_hostile_arrive(ACK, 0, 0, 1, 6, 1);
	is_str(agent_hostile_answer(), "D6/220", "... is no harm to it");
	agent_hostile_arrive(ACK, 0, 0, 6, 6, 1);
	is_str(agent_hostile_told(), "sent", "... it is sent");
	agent_hostile_end();
	agent_hostile_begin(0);
	agent_hostile_post(6 * 200, 0);
	agent_hostile_data(FIRST | LAST, 1, 120);
	is_str(agent_hostile_told(), "sent", "a whole response to what wants none: it has been received");
	is_u64(received, 0, "... and nobody is told of it");
	agent_hostile_end();
}

/* Others, who know the TID: nothing of theirs counts. */
static void agent_hostile_strangers(void)
{
	agent_hostile_begin(0);
	agent_hostile_post(6 * 200, TIMEOUT);
	source.lid = LID + 1;
	agent_hostile_arrive(ABORT, 0, 127, 0, 0, 1);
	agent_hostile_arrive(STOP, 0, 1, 0, 0, 1);
	agent_hostile_arrive(ACK, 0, 0, 1, 6, 1);
	agent_hostile_arrive(ACK, 0, 0, 9, 9, 1);
	agent_hostile_data(FIRST | LAST, 1, 120);
	is_str(agent_hostile_answer(), "D1/1320", "another LID's packets do nothing");
	is_str(agent_hostile_told(), "nothing", "... nor end anything");
	source.lid = LID - 1;
	source.qp = 2;
	agent_hostile_arrive(ACK, 0, 0, 1, 6, 1);
	is_str(agent_hostile_answer(), "D6/220", "the port's base LID, and another QP, may answer");
	agent_hostile_arrive(ACK, 0, 0, 6, 6, 1);
	agent_hostile_data(FIRST | LAST, 1, 120);
	is_str(agent_hostile_answer(), "K1/1", "... with a response, too");
	is_str(agent_hostile_told(), "sent", "... which ends it");
	is_u64(received_len, 156, "... and is handed over");
	agent_hostile_end();
}

/* ---- time ------------------------------------------------------------------------------ */

/* The same again and again, twice in the time that a try has: it ends nonetheless. */
static void insists(const char *what, bool begun, uint8_t type, uint8_t flags, uint8_t status,
		    uint32_t segment, uint8_t version, const char *want)
{
	uint64_t since;

	agent_hostile_begin(0);
	agent_hostile_post(0, TIMEOUT);
	since = fake->now;
	if (begun)
		agent_hostile_data(FIRST, 1, 0);
	for (int i = 0; i < 100 && !ends; i++) {
		fake_advance(fake, TIMEOUT / 2);
		agent_hostile_arrive(type, flags, status, segment, 0, version);
	}
	is_str(agent_hostile_told(), want, "%s again and again: it ends", what);
	ok(fake->now - since <= UINT64_C(3) * TIMEOUT * MS, "... after %u ms",
	   (unsigned int)((fake->now - since) / MS));
	agent_hostile_end();
}

static void patience(void)
{
	uint64_t since;

	insists("another version", false, DATA, FIRST, 0, 1, 2, "broken gave up 125");
	insists("a bad type", false, 9, FIRST, 0, 1, 1, "broken gave up 121");
	insists("a status", false, DATA, FIRST, 7, 1, 1, "broken gave up 124");
	insists("FIRST of 2", false, DATA, FIRST, 0, 2, 1, "broken gave up 120");
	insists("a segment of nothing", false, DATA, 0, 0, 2, 1, "timed out");
	insists("an ACK", false, ACK, 0, 0, 1, 1, "timed out");
	insists("the first segment again", true, DATA, FIRST, 0, 1, 1, "timed out");
	insists("one beyond the window", true, DATA, 0, 0, 70000, 1, "timed out");
	/* a segment now and then is progress; but not longer than for the total time */
	agent_hostile_begin(0);
	agent_hostile_post(0, TIMEOUT);
	since = fake->now;
	agent_hostile_data(FIRST, 1, 0);
	for (uint32_t k = 2; k < 10000 && !ends; k++) {
		fake_advance(fake, TIMEOUT * 9 / 10);
		agent_hostile_data(0, k, 0);
	}
	is_str(agent_hostile_told(), "timed out gave up 118", "a segment at a time: the total time ends it");
	is_str(agent_hostile_answer(), "A118", "... with an ABORT");
	ok(fake->now - since < UINT64_C(41000) * MS, "... after %u ms",
	   (unsigned int)((fake->now - since) / MS));
	agent_hostile_end();
}

/* ---- memory ---------------------------------------------------------------------------- */

static struct madkit_rmpp_receiver_counters agent_hostile_counters(void)
{
	struct madkit_rmpp_receiver_counters c;

	madkit_rmpp_receiver_get_counters(agent->receiver, &c);
	return c;
}

/* Segments 1 to n of a request that says it is huge, in order. */
static void agent_hostile_half_open(uint32_t lid, uint32_t tid, uint32_t n)
{
	struct madkit_addr from = { .lid = lid, .qp = 1 };
	uint8_t mad[256] = { 0 };

	put_head(mad, SA, SET, tid);
	for (uint32_t k = 1; k <= n; k++) {
		put_rmpp(mad, DATA, ACTIVE | (k == 1 ? FIRST : 0), 0, k, k == 1 ? 0xffffffff : 0);
		fake_arrive(fake, 0, agent->id, &from, mad, sizeof(mad), 0);
		madkit_port_process(port);
	}
}

static unsigned int stops_sent(void)
{
	unsigned int n = 0;

	for (size_t i = 0; i < fake->nsent; i++)
		n += fake->sent[i].mad[25] == STOP && fake->sent[i].mad[27] == 1;
	return n;
}

static void pass(uint64_t seconds)
{
	uint64_t until = fake->now + seconds * SECOND;

	while (madkit_port_deadline(port) <= until) {
		if (madkit_port_deadline(port) > fake->now)
			fake->now = madkit_port_deadline(port);
		madkit_port_process(port);
	}
	fake->now = until;
}

static void agent_hostile_crowds(void)
{
	enum { CROWD = 10000, MESSAGE = 50000, PEER_LIMIT = 16 << 20, LIMIT = 32 << 20 };
	struct madkit_port_counters p;
	struct madkit_rmpp_receiver_counters c;

	agent_hostile_begin(0);
	for (uint32_t i = 0; i < CROWD; i++)
		agent_hostile_half_open(1 + i % 5000, i / 5000, 1);
	c = agent_hostile_counters();
	is_u64(c.active, CROWD, "ten thousand half-open transfers");
	ok(c.bytes < CROWD * 2048u, "... take what has come: %zu bytes", c.bytes);
	pass(40);
	madkit_port_get_counters(port, &p);
	is_u64(p.aborted, CROWD, "... end after forty seconds");
	is_str(agent_hostile_answer(), "A118", "... with an ABORT");
	pass(20);
	is_u64(agent_hostile_counters().bytes, 0, "... and are forgotten after twenty more");
	is_u64(madkit_port_deadline(port), UINT64_MAX, "... with nothing left to do");
	agent_hostile_end();

	agent_hostile_begin(MESSAGE);
	for (uint32_t i = 0; i < CROWD; i++)
		agent_hostile_half_open(100 + i, 1, 40);
	c = agent_hostile_counters();
	ok(c.bytes <= LIMIT && c.bytes > LIMIT / 2, "those that go on are limited: %zu bytes", c.bytes);
	ok(c.active < CROWD / 2 && stops_sent() >= CROWD - c.active,
	   "B17: ... the others are answered with STOP 1: %u packets, %zu began", stops_sent(), c.active);
	/* The last bytes below the limit, which depend on the size of pointers. */
	for (uint32_t i = 0; i < CROWD && (!i || strcmp(agent_hostile_answer(), "S1")); i++)
		agent_hostile_half_open(100 + CROWD + i, 1, 1);
	c = agent_hostile_counters();
	agent_hostile_post(0, TIMEOUT);
	/* the result of agent_hostile_arrive() */
	memcpy(fake->sent[0].mad, fake->sent[fake->nsent - 1].mad, 256);
	agent_hostile_data(FIRST, 1, 0);
	is_str(agent_hostile_answer(), "S1", "a response has no room either");
	is_u64(agent_hostile_counters().active, c.active, "... not even to begin");
	is_str(agent_hostile_told(), "no room gave up 1", "... which its poster is told");
	pass(61);
	is_u64(agent_hostile_counters().bytes, 0, "... in time there is room again");
	agent_hostile_end();

	agent_hostile_begin(MESSAGE);
	for (uint32_t i = 0; i < CROWD / 10; i++)
		agent_hostile_half_open(LID, i, 200);
	c = agent_hostile_counters();
	ok(c.bytes <= PEER_LIMIT && c.bytes > PEER_LIMIT / 2, "one peer has half of that: %zu bytes",
	   c.bytes);
	agent_hostile_half_open(LID + 1, 1, 2);
	is_str(agent_hostile_answer(), "K1/65", "... another is welcome");
	agent_hostile_end();
}

/* The device goes while transfers are under way: nothing is due any more. */
static void unplugged(void)
{
	agent_hostile_begin(0);
	agent_hostile_half_open(1, 1, 3);
	agent_hostile_post(0, TIMEOUT);
	agent_hostile_data(FIRST, 1, 0);
	fake->receive_result = -ENODEV;
	is_int(madkit_port_process(port), -ENODEV, "the device goes");
	is_int(last, -ENODEV, "... which the poster is told");
	fake_advance(fake, 100000);
	is_u64(madkit_port_deadline(port), UINT64_MAX, "... and nobody waits for transfers of others");
	agent_hostile_end();
}

int main(void)
{
	agent_hostile_responses();
	stops();
	agent_hostile_acks();
	agent_hostile_strangers();
	patience();
	agent_hostile_crowds();
	unplugged();
	return tap_done();
}
