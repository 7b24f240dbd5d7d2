/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* How much one call of madkit_port_process() does, and what ends a wait while a port always has something to do. */
#include <errno.h>
#include <string.h>
#include <madkit/dispatch.h>
#include "agent/agent.h"
#include "tests/tap.h"
#include "tests/unit/fake_transport.h"
#include "util/bits.h"

enum { CLASS = 0x32, HEAD = 40, EACH = 216, PORT_LID = 7, TURN = 256, MOST = 5 << 20 };

static struct fake *fake;
static struct madkit_port *port;
static struct madkit_agent *client;
static unsigned int data, acks, ends;
static unsigned int ack_every;  /* segments; the first one is acknowledged as well */
static uint32_t window;         /* segments that an ACK grants */
static unsigned int stop_after; /* segments; 0: never */
static uint64_t take_ms;        /* how long each segment takes */
static unsigned int full_after; /* segments, after which the device has no room once; 0: never */
static bool same_bit;           /* ACKs have the response bit of the segments */
static int last;

/* Acknowledges segments, and goes on doing so for as long as there are any. */
static void turn_peer(struct fake *f, const struct fake_sent *sent)
{
	uint32_t k = madkit_rmpp_get_segment(sent->mad);
	uint8_t mad[256];

	if (madkit_rmpp_get_type(sent->mad) != MADKIT_RMPP_DATA)
		return;
	data++;
	fake_advance(f, take_ms);
	if (full_after && data == full_after)
		f->send_result = -EAGAIN;
	if (k != 1 && k % ack_every && !(madkit_rmpp_get_flags(sent->mad) & MADKIT_RMPP_LAST))
		return;
	acks++;
	memcpy(mad, sent->mad, sizeof(mad));
	if (!same_bit)
		mad[MADKIT_MAD_METHOD] ^= MADKIT_METHOD_RESPONSE;
	madkit_rmpp_set_type(mad, MADKIT_RMPP_ACK);
	madkit_rmpp_set_flags(mad, MADKIT_RMPP_ACTIVE);
	madkit_rmpp_set_length(mad, k > UINT32_MAX - window ? UINT32_MAX : k + window);
	fake_arrive(f, 0, sent->id, &sent->to, mad, sizeof(mad), 0);
}

static bool turn_stopped(void *context)
{
	(void)context;
	return stop_after && data >= stop_after;
}

static void turn_on_end(struct madkit_agent *agent, struct madkit_send *send, int status)
{
	(void)agent;
	(void)send;
	ends++;
	last = status;
}

static struct madkit_agent *turn_agent(void)
{
	struct madkit_agent_attr attr = { .mgmt_class = CLASS,
					  .library_rmpp = true,
					  .method_mask = { UINT64_MAX, UINT64_MAX },
					  .send_handler = turn_on_end };
	struct madkit_agent *agent = NULL;

	madkit_agent_register(port, &attr, &agent, NULL);
	return agent;
}

static void turn_begin(void)
{
	fake = fake_new();
	fake->peer = turn_peer;
	port = fake_port(fake);
	port->limit.stopped = turn_stopped;
	client = turn_agent();
	data = acks = ends = stop_after = full_after = 0;
	take_ms = 0;
	same_bit = false;
	ack_every = 1;
	window = 1 << 30;
	last = 1;
}

static struct madkit_send *turn_message(size_t bytes)
{
	struct madkit_send *send = madkit_send_new(HEAD + bytes);
	const struct madkit_header h = {
		.base_version = 1, .mgmt_class = CLASS, .class_version = 1, .method = 0x10, .attribute = 0x10
	};

	madkit_header_put(send->mad, send->len, &h);
	send->to.lid = PORT_LID;
	send->to.qp = 1;
	send->timeout_ms = 60000;
	return send;
}

static unsigned int turn_segments(size_t bytes)
{
	return (unsigned int)((bytes + EACH - 1) / EACH);
}

/* The peer lets the library send all that it has, and acknowledges every segment. */
static void turn_test_bound(void)
{
	turn_begin();
	struct madkit_send *send = turn_message(MOST);
	uint64_t began = fake->now;
	size_t most = 0, turns = 0;
	bool due = true;

	send->timeout_ms = 0;
	madkit_agent_post(client, send);
	while (!ends && turns < 100000) {
		/* packets sent so far, and packets received */
		size_t before = fake->nsent + acks - fake->narrivals, packets;

		madkit_port_process(port);
		packets = fake->nsent + acks - fake->narrivals - before;
		most = packets > most ? packets : most;
		due &= ends || madkit_port_deadline(port) <= fake->now;
		turns++;
	}
	ok(most <= TURN, "X3: one call receives and sends %zu packets at most", most);
	ok(due, "X3: ... and is due again at once");
	ok(ends == 1 && !last && data == turn_segments(MOST), "X3: ... until all %u segments are sent", data);
	is_u64(fake->now, began, "X3: ... without any time between the turns");
	madkit_send_free(send);
	madkit_port_close(port);
}

/* A plain request beside the transfer is sent, answered, and times out as if it were alone. */
static void turn_test_beside(void)
{
	turn_begin();
	struct madkit_agent *perf = fake_agent(port, MADKIT_CLASS_PERF, 0, turn_on_end, NULL, NULL);
	struct madkit_send *send = turn_message(MOST), *get = fake_get(MADKIT_CLASS_PERF, 0x12, 100, 0);
	unsigned int at;

	take_ms = 1;
	madkit_agent_post(client, send);
	for (int i = 0; i < 10; i++)
		madkit_port_process(port);
	madkit_agent_post(perf, get);
	at = data;
	while (!ends)
		madkit_port_process(port);
	is_int(last, -ETIMEDOUT, "X3: a request beside a transfer without an end times out");
	ok(data - at <= 150 + 500 + TURN, "X3: ... in its time: after %u ms of 100", data - at);
	madkit_agent_cancel(client, send);
	madkit_port_process(port);
	madkit_send_free(send);
	madkit_send_free(get);
	madkit_port_close(port);
}

/* Two transfers share the turns. */
static void turn_test_fair(void)
{
	turn_begin();
	struct madkit_send *first = turn_message(MOST), *second = turn_message(MOST);
	unsigned int of_first = 0, of_second = 0;

	/* an ACK for the first segment only: everything else is sent without any */
	ack_every = 1 << 30;
	madkit_agent_post(client, first);
	madkit_agent_post(client, second);
	for (int i = 0; i < 100; i++)
		madkit_port_process(port);
	for (size_t i = 0; i < fake->nsent; i++) {
		uint32_t low = get_be32(fake->sent[i].mad + MADKIT_MAD_TID + 4);

		of_first += low == (uint32_t)first->tid;
		of_second += low == (uint32_t)second->tid;
	}
	ok(of_first > 2000 && of_second > 2000, "X3: two transfers share the turns: %u and %u packets",
	   of_first, of_second);
	madkit_agent_cancel(client, first);
	madkit_agent_cancel(client, second);
	madkit_port_process(port);
	is_u64(ends, 2, "X3: ... and both are cancelled at once");
	is_int(madkit_rmpp_get_type(fake->sent[fake->nsent - 1].mad), MADKIT_RMPP_ABORT,
	       "X3: ... with an ABORT");
	madkit_send_free(first);
	madkit_send_free(second);
	madkit_port_close(port);
}

static void turn_test_stopped(void)
{
	struct madkit_reply reply;

	turn_begin();
	struct madkit_send *send = turn_message(MOST);

	stop_after = 1000;
	is_int(madkit_request(client, send, UINT64_MAX, &reply), -EINTR,
	       "X2: stopped() ends madkit_request(), although no signal interrupts a wait");
	ok(data - stop_after <= 2 * TURN, "X2: ... after %u more segments", data - stop_after);
	is_int(madkit_rmpp_get_type(fake->sent[fake->nsent - 1].mad), MADKIT_RMPP_ABORT,
	       "X2: ... with an ABORT");
	is_u64(madkit_agent_outstanding(client), 0, "X2: ... and the send is its caller's");
	/* such as the requests by which a program that was stopped cleans up */
	data = acks = 0;
	stop_after = 1;
	send->timeout_ms = 500;
	send->len = HEAD + 3 * EACH;
	data = 1;
	is_int(madkit_request(client, send, UINT64_MAX, &reply), 0,
	       "X2: a request that begins when stopped() is true already is made");
	is_int(reply.status, -ETIMEDOUT, "X2: ... and ends as any other");
	madkit_send_free(send);
	madkit_port_close(port);
}

static void turn_test_deadline(void)
{
	struct madkit_reply reply;

	turn_begin();
	struct madkit_send *send = turn_message(MOST);
	uint64_t deadline = fake->now + 300 * NS_PER_MS;

	take_ms = 1;
	is_int(madkit_request(client, send, deadline, &reply), 0,
	       "X3: a deadline in the middle of a transfer");
	is_int(reply.status, -ETIMEDOUT, "X3: ... ends it");
	ok(fake->now >= deadline && fake->now - deadline <= TURN * NS_PER_MS, "X3: ... after %u ms of 300",
	   (unsigned int)((fake->now - deadline) / NS_PER_MS + 300));
	madkit_send_free(send);
	madkit_port_close(port);
}

static void turn_test_dispatcher(void)
{
	struct madkit_dispatcher *d;
	struct madkit_job job = { .deadline_ns = UINT64_MAX };

	turn_begin();
	is_int(madkit_dispatcher_new(port, NULL, &d), 0, "a dispatcher");
	job.agent = client;
	job.send = turn_message(MOST);
	stop_after = 1000;
	is_int(madkit_dispatcher_post(d, &job), 0, "X2: a job of 5 MB");
	is_int(madkit_dispatcher_wait(d, UINT64_MAX), -EINTR, "X2: stopped() ends madkit_dispatcher_wait()");
	ok(data - stop_after <= 2 * TURN, "X2: ... after %u more segments", data - stop_after);
	stop_after = 0;
	take_ms = 1;
	job.deadline_ns = fake->now + 300 * NS_PER_MS;
	/* the window has room, because a request that has occupied it for long is parked */
	is_int(madkit_dispatcher_wait(d, job.deadline_ns), 1, "X3: a wait ends when there is room");
	is_int(madkit_dispatcher_wait(d, job.deadline_ns), 0, "X3: ... and at the time until which it waits");
	ok(fake->now - job.deadline_ns <= TURN * NS_PER_MS, "X3: ... after %u ms of 300",
	   (unsigned int)((fake->now - job.deadline_ns) / NS_PER_MS + 300));
	madkit_dispatcher_end(d, -EINTR);
	ok(madkit_dispatcher_take(d) == &job && job.error == -EINTR, "X2: the job is cancelled");
	madkit_send_free(job.send);
	madkit_dispatcher_free(d);
	madkit_port_close(port);
}

/* A packet for which the device has no room is sent when it has, not resent after a timeout as if it were lost. */
static void turn_test_full(void)
{
	turn_begin();
	struct madkit_send *send = turn_message(100 * EACH);
	uint64_t began = fake->now;

	ack_every = 32;
	window = 64;
	full_after = 40;
	send->timeout_ms = 0;
	send->ack_ms = 5000;
	madkit_agent_post(client, send);
	while (!fake->send_result)
		fake_step(port);
	for (int i = 0; i < 5; i++) {
		uint64_t due;

		madkit_port_process(port);
		due = madkit_port_deadline(port);
		ok(due > fake->now && due <= fake->now + 2 * NS_PER_MS,
		   "X3: a full device is tried again after 1 ms");
		fake_advance(fake, 2);
	}
	is_u64(data, 40, "X3: ... and nothing is sent meanwhile");
	fake->send_result = 0;
	while (!ends)
		fake_step(port);
	is_int(last, 0, "X3: a message of 100 segments arrives");
	is_u64(data, 100, "X3: ... and each is sent once");
	ok(fake->now - began < 100 * NS_PER_MS,
	   "X3: ... without waiting for an acknowledgement of what was not sent");
	madkit_send_free(send);
	madkit_port_close(port);
}

/* The same for the ACKs of a receiver. */
static void turn_test_full_receiver(void)
{
	const struct madkit_addr from = { .lid = PORT_LID, .qp = 1 };
	struct madkit_send *send = turn_message(3 * EACH);

	turn_begin();
	fake->peer = NULL;
	madkit_rmpp_set_version(send->mad, 1);
	madkit_rmpp_set_type(send->mad, MADKIT_RMPP_DATA);
	madkit_rmpp_set_flags(send->mad, MADKIT_RMPP_ACTIVE | MADKIT_RMPP_FIRST);
	madkit_rmpp_set_segment(send->mad, 1);
	madkit_rmpp_set_length(send->mad, 3 * (EACH + 4));
	fake->send_result = -EAGAIN;
	fake_arrive(fake, 0, madkit_agent_id(client), &from, send->mad, 256, 0);
	madkit_port_process(port);
	is_u64(fake->nsent, 0, "X3: the device has no room for an ACK");
	fake->send_result = 0;
	ok(madkit_port_deadline(port) <= fake->now + NS_PER_MS, "X3: ... which is due soon");
	fake_advance(fake, 1);
	madkit_port_process(port);
	ok(fake->nsent == 1 && madkit_rmpp_get_type(fake->sent[0].mad) == MADKIT_RMPP_ACK,
	   "X3: ... and is sent then");
	madkit_send_free(send);
	madkit_port_close(port);
}

/* Sends that handlers post do not keep the port from returning either. */
static void turn_echo(struct madkit_agent *agent, struct madkit_recv *recv)
{
	struct madkit_send *send = madkit_send_new(recv->len);

	memcpy(send->mad, recv->mad, recv->len);
	send->mad[MADKIT_MAD_METHOD] |= MADKIT_METHOD_RESPONSE;
	send->to = recv->from;
	madkit_recv_free(recv);
	if (madkit_agent_post(agent, send))
		madkit_send_free(send);
}

static void turn_echoed(struct madkit_agent *agent, struct madkit_send *send, int status)
{
	(void)agent;
	(void)status;
	madkit_send_free(send);
}

static void turn_test_flooded_responder(void)
{
	struct madkit_send *get = fake_get(MADKIT_CLASS_PERF, 0x12, 100, 0);
	const struct madkit_addr from = { .lid = PORT_LID, .qp = 1 };
	struct madkit_agent *perf;
	size_t most = 0;

	turn_begin();
	fake->peer = NULL;
	perf = fake_agent(port, MADKIT_CLASS_PERF, 0, turn_echoed, turn_echo, NULL);
	for (int i = 0; i < 2000; i++)
		fake_arrive(fake, 0, madkit_agent_id(perf), &from, get->mad, 256, 0);
	while (fake->narrivals) {
		size_t before = fake->nsent + 2000 - fake->narrivals, packets;

		madkit_port_process(port);
		packets = fake->nsent + 2000 - fake->narrivals - before;
		most = packets > most ? packets : most;
	}
	ok(most <= TURN, "X3: a responder in a flood: %zu packets in one call at most", most);
	is_u64(fake->nsent, 2000, "X3: ... and each request is answered");
	madkit_send_free(get);
	madkit_port_close(port);
}

/* A peer that does not invert the response bit in its ACKs. */
static void turn_test_response_bit(void)
{
	struct madkit_reply reply;

	turn_begin();
	struct madkit_send *send = turn_message(3 * EACH);

	same_bit = true;
	send->timeout_ms = 100;
	is_int(madkit_request(client, send, UINT64_MAX, &reply), 0,
	       "L4: ACKs without the inverted response bit");
	is_int(reply.status, -ETIMEDOUT, "L4: ... acknowledge nothing");
	ok(send->unacknowledged == 1 && acks, "L4: ... for any segment");
	madkit_send_free(send);
	madkit_port_close(port);
}

/* L6: no segment of a long message waits for a timeout or is sent twice, and one ACK is for many segments: what the
 * library's RMPP costs is one send and one receipt for each segment. */
static void turn_test_cost(void)
{
	turn_begin();
	struct madkit_send *send = turn_message(3 << 20);
	uint64_t began = fake->now;

	ack_every = 32;
	window = 64;
	send->timeout_ms = 0;
	send->ack_ms = 1000;
	madkit_agent_post(client, send);
	while (!ends)
		fake_step(port);
	is_int(last, 0, "L6: 3 MB by the library's RMPP");
	is_u64(fake->nsent, turn_segments(3 << 20), "L6: ... one send for each segment");
	ok(fake->receives <= 3 * acks + 10, "L6: ... %u receipts for %u ACKs", fake->receives, acks);
	is_u64(fake->now, began, "L6: ... and no wait for a timeout");
	madkit_send_free(send);
	madkit_port_close(port);
}

int main(void)
{
	turn_test_bound();
	turn_test_beside();
	turn_test_fair();
	turn_test_stopped();
	turn_test_deadline();
	turn_test_dispatcher();
	turn_test_full();
	turn_test_full_receiver();
	turn_test_flooded_responder();
	turn_test_response_bit();
	turn_test_cost();
	return tap_done();
}
