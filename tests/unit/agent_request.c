/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* madkit_request(): a loop around the port. */
#include <errno.h>
#include <stdlib.h>
#include "agent/agent.h"
#include "tests/tap.h"
#include "tests/unit/fake_transport.h"

static struct fake *fake;
static struct madkit_port *port;
static struct madkit_agent *agent;
static struct madkit_reply reply;
static unsigned int recvs, ends;

static void agent_request_on_recv(struct madkit_agent *a, struct madkit_recv *recv)
{
	(void)a;
	recvs++;
	madkit_recv_free(recv);
}

static void agent_request_on_end(struct madkit_agent *a, struct madkit_send *send, int status)
{
	(void)a;
	(void)send;
	(void)status;
	ends++;
}

static void agent_request_begin(void)
{
	fake = fake_new();
	port = fake_port(fake);
	agent = fake_agent(port, MADKIT_CLASS_PERF, 0, agent_request_on_end, agent_request_on_recv, NULL);
	recvs = ends = 0;
}

/* Responds, after 20 ms, to the try with the number in peer_context. */
static void agent_request_peer(struct fake *f, const struct fake_sent *sent)
{
	if (f->nsent == (size_t)(uintptr_t)f->peer_context)
		fake_answer(f, 20, sent);
	else
		fake_return(f, sent->timeout_ms, sent, ETIMEDOUT);
}

static void test_answered(void)
{
	struct madkit_send *send;

	agent_request_begin();
	fake->peer = agent_request_peer;
	fake->peer_context = (void *)3;
	send = fake_get(MADKIT_CLASS_PERF, 0x12, 100, 4);
	is_int(madkit_request(agent, send, UINT64_MAX, &reply), 0, "a request");
	is_int(reply.status, 0, "is answered");
	ok(reply.recv && reply.recv->send == send, "here is the response");
	is_u64(reply.attempts, 3, "at the third try");
	ok(reply.rtt_ns == -1, "A16: which of the three was answered is not known");
	ok(!reply.kernel_resends, "the resends were ours");
	ok(!recvs && !ends, "the agent's handlers were not called");
	madkit_recv_free(reply.recv);
	is_int(madkit_request(agent, send, UINT64_MAX, &reply), 0, "the same once more");
	is_int(reply.status, -ETIMEDOUT, "now without an answer");
	ok(!reply.recv && reply.attempts == 5, "after five tries");
	madkit_send_free(send);
	madkit_port_close(port);
}

static void test_not_wanted(void)
{
	struct madkit_send *send;

	agent_request_begin();
	send = fake_get(MADKIT_CLASS_PERF, 0x12, 0, 0);
	is_int(madkit_request(agent, send, UINT64_MAX, &reply), 0, "no response wanted");
	ok(!reply.status && !reply.recv && reply.attempts == 1, "sent, and that was it");
	madkit_send_free(send);
	madkit_port_close(port);
}

static void test_agent_request_deadline(void)
{
	struct madkit_send *send;
	uint64_t begun;

	agent_request_begin();
	fake->peer = agent_request_peer;
	begun = fake->now;
	send = fake_get(MADKIT_CLASS_PERF, 0x12, 1000, 4);
	is_int(madkit_request(agent, send, begun + 1500 * NS_PER_MS, &reply), 0, "with a deadline");
	is_int(reply.status, -ETIMEDOUT, "it times out");
	is_u64((fake->now - begun) / NS_PER_MS, 1500, "at the deadline");
	is_u64(reply.attempts, 2, "during the second try");
	is_u64(madkit_agent_outstanding(agent), 0, "nothing is left");
	begun = fake->now;
	is_int(madkit_request(agent, send, 0, &reply), 0, "a deadline that has passed");
	ok(reply.status == -ETIMEDOUT && fake->now == begun, "is not waited for");
	is_u64(reply.attempts, 1, "... but sent");
	madkit_send_free(send);
	madkit_port_close(port);
}

static void test_signal(void)
{
	struct madkit_send *send;

	agent_request_begin();
	send = fake_get(MADKIT_CLASS_PERF, 0x12, 1000, 4);
	fake->wait_result = -EINTR;
	is_int(madkit_request(agent, send, UINT64_MAX, &reply), -EINTR, "a signal");
	ok(!reply.recv && !madkit_agent_outstanding(agent), "ends it; nothing is left");
	is_int(madkit_agent_post(agent, send), 0, "the send may be posted again");
	ok(!ends, "no handler was called for it");
	madkit_agent_cancel(agent, send);
	madkit_port_process(port);
	is_u64(ends, 1, "... and is an ordinary one");
	madkit_send_free(send);
	madkit_port_close(port);
}

/* Each interruption takes 10 ms; the last one, if there is any, stops the request. */
static bool stopped(void *context)
{
	unsigned int *left = context;

	fake->now += 10 * NS_PER_MS;
	return *left && !--*left;
}

static void test_interruptions(void)
{
	struct madkit_send *send;
	unsigned int left = 0;

	for (uint64_t ms = 50; ms <= 450; ms += 50) {
		agent_request_begin();
		send = fake_get(MADKIT_CLASS_PERF, 0x12, 100, 4);
		fake->wait_result = -EINTR;
		port->limit.stopped = stopped;
		port->limit.context = &left;
		is_int(madkit_request(agent, send, fake->now + ms * NS_PER_MS, &reply), 0,
		       "A9: an interruption that stops nothing, and a deadline");
		ok(reply.status == -ETIMEDOUT && !reply.recv, "A9: it times out");
		ok(fake->nsent && reply.attempts == fake->nsent, "A9: after %u tries; %zu were sent",
		   reply.attempts, fake->nsent);
		madkit_send_free(send);
		madkit_port_close(port);
	}
	agent_request_begin();
	send = fake_get(MADKIT_CLASS_PERF, 0x12, 100, 4);
	fake->wait_result = -EINTR;
	port->limit.stopped = stopped;
	port->limit.context = &left;
	left = 25;
	is_int(madkit_request(agent, send, UINT64_MAX, &reply), -EINTR, "A9: stopped");
	ok(fake->nsent > 1 && reply.attempts == fake->nsent, "A9: the reply has the tries");
	madkit_send_free(send);
	madkit_port_close(port);
}

static void test_others(void)
{
	struct madkit_send *send, *other;

	agent_request_begin();
	other = fake_get(MADKIT_CLASS_PERF, 0x13, 1000, 0);
	madkit_agent_post(agent, other);
	fake_answer(fake, 5, &fake->sent[0]);
	fake->peer = agent_request_peer;
	fake->peer_context = (void *)2;
	send = fake_get(MADKIT_CLASS_PERF, 0x12, 1000, 0);
	is_int(madkit_request(agent, send, UINT64_MAX, &reply), 0, "a request among others");
	ok(!reply.status && reply.recv && reply.recv->mad[17] == 0x12, "gets its own answer");
	ok(recvs == 1 && ends == 1, "the others' handlers are called meanwhile");
	madkit_recv_free(reply.recv);
	madkit_send_free(send);
	madkit_send_free(other);
	madkit_port_close(port);
}

static void end_agent(struct madkit_agent *a, struct madkit_recv *recv)
{
	madkit_recv_free(recv);
	madkit_agent_unregister(a);
}

static void test_failures(void)
{
	struct madkit_send *send, *other;

	agent_request_begin();
	send = fake_get(MADKIT_CLASS_PERF, 0x12, 1000, 4);
	send->len = 1;
	is_int(madkit_request(agent, send, UINT64_MAX, &reply), -EINVAL, "what post refuses");
	send->len = 256;
	fake->send_result = -ENETUNREACH;
	is_int(madkit_request(agent, send, UINT64_MAX, &reply), 0, "what the device refuses");
	is_int(reply.status, -ENETUNREACH, "is the status");
	fake->send_result = 0;
	fake->receive_result = -ENODEV;
	is_int(madkit_request(agent, send, UINT64_MAX, &reply), 0, "unplugged meanwhile");
	is_int(reply.status, -ENODEV, "is the status too");
	is_int(madkit_request(agent, send, UINT64_MAX, &reply), -ENODEV, "unplugged before");
	madkit_port_close(port);

	/* another handler ends the agent under way */
	fake = fake_new();
	port = fake_port(fake);
	agent = fake_agent(port, MADKIT_CLASS_PERF, 0, NULL, end_agent, NULL);
	other = fake_get(MADKIT_CLASS_PERF, 0x13, 1000, 0);
	madkit_agent_post(agent, other);
	fake_answer(fake, 5, &fake->sent[0]);
	is_int(madkit_request(agent, send, UINT64_MAX, &reply), 0, "its agent is unregistered");
	is_int(reply.status, -ECANCELED, "-ECANCELED");
	madkit_port_close(port);
	madkit_send_free(send);
	madkit_send_free(other);

	/* a message in the way that is longer than the limit */
	agent_request_begin();
	madkit_port_set_receive_limit(port, 256, 256);
	send = fake_get(MADKIT_CLASS_PERF, 0x12, 1000, 4);

	uint8_t mad[300] = { 1, MADKIT_CLASS_PERF };

	fake_arrive(fake, 5, 0, &send->to, mad, sizeof(mad), 0);
	is_int(madkit_request(agent, send, UINT64_MAX, &reply), -ENOSPC, "a message in the way");
	is_u64(madkit_agent_outstanding(agent), 0, "nothing is left");
	madkit_send_free(send);
	madkit_port_close(port);
}

int main(void)
{
	test_answered();
	test_not_wanted();
	test_agent_request_deadline();
	test_signal();
	test_interruptions();
	test_others();
	test_failures();
	return tap_done();
}
