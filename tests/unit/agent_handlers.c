/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Operations that handlers may perform, and how agents, ports and devices end. A sanitizer also detects
 * any use after free. */
#include <errno.h>
#include <stdlib.h>
#include "agent/agent.h"
#include "tests/tap.h"
#include "tests/unit/fake_transport.h"

static struct fake *fake;
static struct madkit_port *port;
static unsigned int recvs, ends, posts_refused;
static int statuses[64];
static struct madkit_agent *other;

static void agent_handlers_reset(void)
{
	recvs = ends = posts_refused = 0;
	other = NULL;
	memset(statuses, 0x55, sizeof(statuses));
}

static void agent_handlers_note(int status)
{
	if (ends < 64)
		statuses[ends] = status;
	ends++;
}

static void recv_count(struct madkit_agent *agent, struct madkit_recv *recv)
{
	(void)agent;
	recvs++;
	madkit_recv_free(recv);
}

static void end_free(struct madkit_agent *agent, struct madkit_send *send, int status)
{
	(void)agent;
	agent_handlers_note(status);
	madkit_send_free(send);
}

static void end_repost(struct madkit_agent *agent, struct madkit_send *send, int status)
{
	agent_handlers_note(status);
	if (ends < 20 && !madkit_agent_post(agent, send))
		return;
	posts_refused += ends < 20;
	madkit_send_free(send);
}

static void recv_unregister(struct madkit_agent *agent, struct madkit_recv *recv)
{
	recvs++;
	madkit_recv_free(recv);
	madkit_agent_unregister(agent);
	madkit_agent_unregister(agent); /* the second does nothing */
}

static void end_unregister(struct madkit_agent *agent, struct madkit_send *send, int status)
{
	agent_handlers_note(status);
	madkit_send_free(send);
	madkit_agent_unregister(agent);
}

static void recv_unregister_other(struct madkit_agent *agent, struct madkit_recv *recv)
{
	(void)agent;
	recvs++;
	madkit_recv_free(recv);
	madkit_agent_unregister(other);
	other = NULL;
}

static void recv_reenter(struct madkit_agent *agent, struct madkit_recv *recv)
{
	struct madkit_send *send = fake_get(MADKIT_CLASS_PERF, 0x12, 100, 0);
	struct madkit_reply reply;

	recvs++;
	is_int(madkit_port_process(port), -EBUSY, "process within a handler: -EBUSY");
	is_int(madkit_request(agent, send, UINT64_MAX, &reply), -EBUSY,
	       "madkit_request within a handler: -EBUSY");
	is_int(madkit_agent_post(agent, recv->send), -EBUSY,
	       "a request whose response is being handed over is still posted");
	is_int(madkit_agent_cancel(agent, recv->send), -ENOENT, "... and cannot be cancelled any more");
	madkit_send_free(send);
	madkit_recv_free(recv);
}

static struct madkit_send *agent_handlers_get(void)
{
	return fake_get(MADKIT_CLASS_PERF, 0x12, 1000, 0);
}

static struct madkit_agent *agent_handlers_begin(madkit_send_handler sent, madkit_recv_handler received)
{
	agent_handlers_reset();
	fake = fake_new();
	port = fake_port(fake);
	return fake_agent(port, MADKIT_CLASS_PERF, 0, sent, received, NULL);
}

static void test_repost(void)
{
	struct madkit_agent *agent = agent_handlers_begin(end_repost, recv_count);
	struct madkit_send *send = agent_handlers_get();
	unsigned int rounds = 0;

	madkit_agent_post(agent, send);
	while (ends < 20 && rounds++ < 100) {
		fake_answer(fake, 0, &fake->sent[fake->nsent - 1]);
		madkit_port_process(port);
	}
	ok(ends == 20 && recvs == 20 && fake->nsent == 20, "reposted by its handler 20 times");
	is_u64(rounds, 20, "once in each call of process");
	is_u64(madkit_agent_outstanding(agent), 0, "and ended");
	madkit_port_close(port);

	agent = agent_handlers_begin(end_repost, recv_count);
	send = agent_handlers_get();
	send->timeout_ms = 0;
	madkit_agent_post(agent, send);
	madkit_port_process(port);
	is_u64(ends, 1, "one that ends at once, reposted by its handler, does not hold process");
	while (ends < 20)
		madkit_port_process(port);
	madkit_port_close(port);
	is_u64(ends, 20, "it ended in later calls");
}

static void test_unregister_in_recv(void)
{
	struct madkit_agent *agent = agent_handlers_begin(end_free, recv_unregister);

	for (unsigned int i = 0; i < 4; i++)
		madkit_agent_post(agent, agent_handlers_get());
	fake_answer(fake, 0, &fake->sent[2]);
	fake_answer(fake, 0, &fake->sent[1]);
	madkit_port_process(port);
	is_u64(recvs, 1, "unregistered in its receive handler: no second response");
	is_u64(ends, 4, "all four sends have ended");
	unsigned int good = 0, cancelled = 0;

	for (unsigned int i = 0; i < 4; i++) {
		good += statuses[i] == 0;
		cancelled += statuses[i] == -ECANCELED;
	}
	ok(good == 1 && cancelled == 3, "the answered one with 0, the others with -ECANCELED");
	is_u64(fake->detached, 1, "the transport let the agent go once");
	is_u64(madkit_port_deadline(port), UINT64_MAX, "nothing is left");
	madkit_port_close(port);
}

static void test_unregister_in_end(void)
{
	struct madkit_agent *agent = agent_handlers_begin(end_unregister, recv_count);

	for (unsigned int i = 0; i < 3; i++)
		madkit_agent_post(agent, agent_handlers_get());
	for (unsigned int i = 0; i < 3; i++)
		fake_return(fake, 0, &fake->sent[i], ETIMEDOUT);
	madkit_port_process(port);
	is_u64(ends, 3, "unregistered in its send handler: each ended once");
	is_int(statuses[0], -ETIMEDOUT, "the first as it had");
	ok(statuses[1] == -ETIMEDOUT && statuses[2] == -ETIMEDOUT, "those that had ended too keep their end");
	is_u64(fake->detached, 1, "the transport let the agent go once");
	madkit_port_close(port);

	/* directly, with others in flight */
	agent = agent_handlers_begin(end_unregister, recv_count);
	for (unsigned int i = 0; i < 3; i++)
		madkit_agent_post(agent, agent_handlers_get());
	madkit_agent_unregister(agent);
	ok(ends == 3 && statuses[0] == -ECANCELED && statuses[2] == -ECANCELED,
	   "unregister calls the handlers before it returns");
	madkit_port_close(port);
}

static void test_unregister_other(void)
{
	struct madkit_agent *agent = agent_handlers_begin(end_free, recv_unregister_other);

	other = fake_agent(port, MADKIT_CLASS_PERF, 0, end_free, recv_count, NULL);
	madkit_agent_post(other, agent_handlers_get());
	madkit_agent_post(agent, agent_handlers_get());
	madkit_agent_post(other, agent_handlers_get());
	fake_answer(fake, 0, &fake->sent[1]);
	fake_answer(fake, 0, &fake->sent[0]); /* its agent is gone by then */
	fake_return(fake, 0, &fake->sent[2], ETIMEDOUT);
	madkit_port_process(port);
	is_u64(recvs, 1, "one agent unregisters another in its handler");
	is_u64(ends, 3, "each send ended once");
	madkit_port_close(port);
}

static void end_post_again(struct madkit_agent *agent, struct madkit_send *send, int status)
{
	agent_handlers_note(status);
	posts_refused += madkit_agent_post(agent, send) == -ENODEV;
	madkit_send_free(send);
}

static void test_post_on_dying(void)
{
	struct madkit_agent *agent = agent_handlers_begin(end_post_again, recv_count);

	madkit_agent_post(agent, agent_handlers_get());
	madkit_agent_post(agent, agent_handlers_get());
	madkit_agent_unregister(agent);
	ok(ends == 2 && posts_refused == 2, "an agent on its way out takes no more posts");
	madkit_port_close(port);
}

static void test_reenter(void)
{
	struct madkit_agent *agent = agent_handlers_begin(end_free, recv_reenter);

	madkit_agent_post(agent, agent_handlers_get());
	fake_answer(fake, 0, &fake->sent[0]);
	madkit_port_process(port);
	ok(recvs == 1 && ends == 1 && !statuses[0], "and all went on");
	madkit_port_close(port);
}

static void test_no_handlers(void)
{
	struct madkit_agent *agent = agent_handlers_begin(NULL, NULL);
	struct madkit_send *send = agent_handlers_get();

	madkit_agent_post(agent, send);
	fake_answer(fake, 0, &fake->sent[0]);
	is_int(madkit_port_process(port), 1, "an agent without handlers");
	is_u64(madkit_agent_outstanding(agent), 0, "its send has ended");
	madkit_send_free(send);
	madkit_port_close(port);
}

static void test_close(void)
{
	bool closed = false;
	struct madkit_agent *agent = agent_handlers_begin(end_free, recv_count);

	fake->closed_flag = &closed;
	for (unsigned int i = 0; i < 5; i++)
		madkit_agent_post(agent, agent_handlers_get());
	/* one has ended already and only waits for its handler */
	madkit_agent_cancel(agent, &list_entry(agent->sends.next, struct send, of_agent)->pub);
	fake_answer(fake, 0, &fake->sent[3]);
	madkit_port_close(port);
	is_u64(ends, 5, "closing a port ends all sends");
	ok(statuses[0] == -ECANCELED && statuses[4] == -ECANCELED, "with -ECANCELED");
	ok(closed, "and the transport");
	madkit_port_close(NULL);
	madkit_agent_unregister(NULL);
	madkit_send_free(NULL);
	madkit_recv_free(NULL);
	ok(true, "NULL is fine");
}

static struct madkit_refusal begun_refusal;

/* Begins anew whenever a request ends: with a new agent, or with another one. */
static void end_begin_anew(struct madkit_agent *agent, struct madkit_send *send, int status)
{
	struct madkit_agent *next = other;
	int ret;

	agent_handlers_note(status);
	/* without a limit, a failure of this test would not end */
	if (ends > 10) {
		madkit_send_free(send);
		return;
	}
	ret = madkit_agent_register(madkit_agent_port(agent), madkit_agent_get_attr(agent), &next,
				    &begun_refusal);
	posts_refused += ret == -ENODEV;
	ret = madkit_agent_post(next, send);
	posts_refused += ret == -ENODEV;
	if (ret)
		madkit_send_free(send);
}

static void test_close_begins_anew(void)
{
	struct madkit_agent *agent = agent_handlers_begin(end_begin_anew, recv_count);

	other = fake_agent(port, MADKIT_CLASS_PERF, 0, end_begin_anew, recv_count, NULL);
	madkit_agent_post(agent, agent_handlers_get());
	madkit_port_close(port);
	is_u64(ends, 1, "a handler that begins anew does not keep a port from closing");
	is_u64(posts_refused, 2, "... because the port accepts neither an agent nor a send");
	is_int(begun_refusal.cause, MADKIT_REFUSAL_DEVICE, "... the cause is the device");
	is_str(begun_refusal.error.text, "fake: is being closed", "... and the error says why");
}

/* ---- unplugged --------------------------------------------------------------- */

static void test_unplug(int code)
{
	struct madkit_agent *agent = agent_handlers_begin(end_free, recv_count);
	struct madkit_send *send;
	struct madkit_agent *late;
	struct madkit_refusal refusal;
	const struct madkit_agent_attr attr = { .mgmt_class = MADKIT_CLASS_PERF };
	unsigned int bad = 0;

	for (unsigned int i = 0; i < 6; i++)
		madkit_agent_post(agent, agent_handlers_get());
	fake->send_result = -EAGAIN;
	madkit_agent_post(agent, agent_handlers_get()); /* one that waits for room */
	fake->receive_result = code;
	is_int(madkit_port_process(port), code, "unplugged: process says %d", code);
	is_u64(ends, 7, "all that was outstanding has ended");
	for (unsigned int i = 0; i < 7; i++)
		bad += statuses[i] != code;
	is_u64(bad, 0, "... with that");
	fake->receive_result = 0;
	is_int(madkit_port_process(port), code, "it stays so");
	is_int(madkit_port_wait(port, -1), code, "wait says it too, without waiting");
	send = agent_handlers_get();
	is_int(madkit_agent_post(agent, send), -ENODEV, "no more posts");
	is_int(madkit_agent_register(port, &attr, &late, &refusal), -ENODEV, "no more agents");
	is_int(refusal.cause, MADKIT_REFUSAL_DEVICE, "... and why");
	madkit_send_free(send);
	madkit_port_close(port);
}

/* ---- watching ------------------------------------------------------------------ */

struct snooped {
	unsigned int sent, received, wrong, completed;
	uint32_t last_lid;
	uint64_t tids[8]; /* of those completed */
	int statuses[8];
	unsigned int received_before[8];
	const struct madkit_agent *agent; /* of the latest */
	const struct madkit_send *send;
	unsigned int order;
};

static unsigned int snoop_calls;

static void agent_handlers_snoop(void *context, const struct madkit_snooped *what)
{
	struct snooped *s = context;

	s->sent += what->direction == MADKIT_SNOOP_POSTED_SENDS;
	s->received += what->direction == MADKIT_SNOOP_RECVS;
	if (what->direction == MADKIT_SNOOP_SEND_COMPLETIONS && s->completed < 8) {
		s->received_before[s->completed] = s->received;
		s->statuses[s->completed] = what->status;
		s->tids[s->completed++] = fake_tid(what->mad);
	} else {
		s->wrong += what->status != 0;
	}
	s->wrong += what->len != 256 || what->mad[1] != MADKIT_CLASS_PERF || what->time.tv_sec < 1;
	s->last_lid = what->addr->lid;
	s->agent = what->agent;
	s->send = what->send;
	s->order = ++snoop_calls;
}

static void test_snoop(void)
{
	struct snooped all = { 0 }, half = { 0 };
	struct madkit_agent *agent = agent_handlers_begin(end_free, recv_count);
	struct madkit_send *send = agent_handlers_get();
	struct madkit_snoop *first, *second;

	is_int(madkit_snoop_register(port, MADKIT_SNOOP_POSTED_SENDS | MADKIT_SNOOP_RECVS,
				     agent_handlers_snoop, &all, &first),
	       0, "a watcher is registered");
	send->retries = 1;
	madkit_agent_post(agent, send);
	ok(all.agent == agent && all.send == send, "C6: it sees the agent and the send");
	fake_return(fake, 0, &fake->sent[0], ETIMEDOUT);
	madkit_port_process(port);
	fake_answer(fake, 0, &fake->sent[1]);
	madkit_port_process(port);
	ok(all.agent == agent && all.send == send, "C6: ... of a response the request that it answers");
	fake_answer(fake, 0, &fake->sent[1]);
	madkit_port_process(port);
	ok(all.agent == agent && !all.send, "C6: ... none of a response to no request");
	is_u64(all.sent, 2, "a watcher sees each send, resends too");
	is_u64(all.received, 2, "... and each arrival, wanted or not, but no reports of timeouts");
	ok(!all.wrong && all.last_lid == 7, "whole and with its address");
	is_int(madkit_snoop_register(port, MADKIT_SNOOP_RECVS, agent_handlers_snoop, &half, &second), 0,
	       "C6: a second watcher is registered");
	madkit_agent_post(agent, agent_handlers_get());
	fake_answer(fake, 0, &fake->sent[2]);
	madkit_port_process(port);
	ok(half.received == 1 && !half.sent, "by flag");
	ok(all.sent == 3 && all.received == 3, "C6: the first watcher sees the same MADs");
	is_int(half.order, all.order + 1, "C6: ... before the second");
	madkit_snoop_unregister(first);
	madkit_agent_post(agent, agent_handlers_get());
	fake_answer(fake, 0, &fake->sent[3]);
	madkit_port_process(port);
	ok(all.sent == 3 && all.received == 3 && half.received == 2,
	   "C6: the second stays when the first is unregistered");
	madkit_snoop_unregister(second);
	madkit_snoop_unregister(NULL);
	madkit_agent_post(agent, agent_handlers_get());
	fake->send_result = -EINVAL;
	madkit_agent_post(agent, agent_handlers_get());
	ok(all.sent == 3 && half.received == 2, "none after it was unregistered");
	is_int(madkit_snoop_register(port, MADKIT_SNOOP_RECVS, NULL, NULL, NULL), -EINVAL, "C6: no handler");
	is_int(madkit_snoop_register(port, 0, agent_handlers_snoop, &all, NULL), -EINVAL, "C6: no flag");
	is_int(madkit_snoop_register(port, 1 << 1, agent_handlers_snoop, &all, NULL), -EINVAL,
	       "C6: an unknown flag");
	madkit_port_close(port);
}

static struct madkit_snoop *leaving;

static void snoop_leave(void *context, const struct madkit_snooped *what)
{
	unsigned int *calls = context;

	(void)what;
	++*calls;
	madkit_snoop_unregister(leaving);
}

static void test_snoop_leaves(void)
{
	struct madkit_agent *agent = agent_handlers_begin(end_free, recv_count);
	struct snooped s = { 0 };
	unsigned int calls = 0;

	madkit_snoop_register(port, MADKIT_SNOOP_POSTED_SENDS, snoop_leave, &calls, &leaving);
	madkit_snoop_register(port, MADKIT_SNOOP_POSTED_SENDS, agent_handlers_snoop, &s, NULL);
	madkit_agent_post(agent, agent_handlers_get());
	madkit_agent_post(agent, agent_handlers_get());
	is_u64(calls, 1, "C6: a watcher may unregister itself");
	is_u64(s.sent, 2, "C6: ... and those after it see every send");
	madkit_port_close(port);
}

/* The status that a watcher and the send handler see of one send: of each try, then of the send. */
static void test_snoop_statuses(void)
{
	struct snooped s = { 0 };
	struct madkit_agent *agent = agent_handlers_begin(end_free, recv_count), *second;
	struct madkit_send *send = agent_handlers_get();

	madkit_snoop_register(port, MADKIT_SNOOP_SEND_COMPLETIONS, agent_handlers_snoop, &s, NULL);
	send->retries = 1;
	madkit_agent_post(agent, send);
	fake_return(fake, 0, &fake->sent[0], ETIMEDOUT);
	madkit_port_process(port);
	ok(s.completed == 1 && s.statuses[0] == -ETIMEDOUT && s.send == send,
	   "C6: a try without a response: -ETIMEDOUT");
	fake_return(fake, 0, &fake->sent[1], ETIMEDOUT);
	madkit_port_process(port);
	ok(s.completed == 2 && s.statuses[1] == -ETIMEDOUT && statuses[0] == -ETIMEDOUT,
	   "C6: ... and the last one, as its handler");
	madkit_agent_post(agent, agent_handlers_get());
	fake_answer(fake, 0, &fake->sent[2]);
	madkit_port_process(port);
	ok(s.completed == 3 && s.statuses[2] == 0 && statuses[1] == 0, "C6: a response: 0");
	send = agent_handlers_get();
	madkit_agent_post(agent, send);
	madkit_agent_cancel(agent, send);
	madkit_port_process(port);
	ok(s.completed == 4 && s.statuses[3] == -ECANCELED && statuses[2] == -ECANCELED,
	   "C6: cancelled: -ECANCELED");
	madkit_agent_post(agent, agent_handlers_get());
	fake_return(fake, 0, &fake->sent[4], EIO);
	madkit_port_process(port);
	ok(s.completed == 5 && s.statuses[4] == -EIO && statuses[3] == -EIO,
	   "C6: returned with another errno: that");
	second = fake_agent(port, MADKIT_CLASS_PERF, 0, end_free, recv_count, NULL);
	madkit_agent_post(second, agent_handlers_get());
	madkit_agent_post(agent, agent_handlers_get());
	madkit_agent_unregister(second);
	ok(s.completed == 6 && s.statuses[5] == -ECANCELED && s.agent == second,
	   "C6: the agent is the send's own");
	fake->receive_result = -ENODEV;
	madkit_port_process(port);
	ok(s.completed == 7 && s.statuses[6] == -ENODEV && s.agent == agent,
	   "C6: the device is gone: -ENODEV");
	ok(!s.wrong, "C6: whole and with the time");
	madkit_port_close(port);
}

/* The watcher sees the sent MAD once more, with the TID that it had on the wire. */
static void test_snoop_completions(void)
{
	struct snooped s = { 0 };
	struct madkit_agent *agent = agent_handlers_begin(end_free, recv_count);
	struct madkit_send *send = agent_handlers_get(), *silent = agent_handlers_get();

	madkit_snoop_register(port, MADKIT_SNOOP_SEND_COMPLETIONS | MADKIT_SNOOP_RECVS, agent_handlers_snoop,
			      &s, NULL);
	silent->timeout_ms = 0;
	madkit_agent_post(agent, silent);
	is_u64(s.completed, 1, "of what wants no response at once");
	ok(!(s.tids[0] >> 32) && (uint32_t)s.tids[0] == (uint32_t)fake_tid(fake->sent[0].mad),
	   "... with as much of the ID as is known");
	send->retries = 1;
	madkit_agent_post(agent, send);
	is_u64(s.completed, 1, "not before it is known");
	fake_return(fake, 0, &fake->sent[1], ETIMEDOUT);
	madkit_port_process(port);
	is_u64(s.completed, 2, "of a try that timed out");
	is_u64(s.tids[1], fake_tid(fake->sent[1].mad), "... its ID");
	ok(s.tids[1] >> 32 != 0, "... whose upper half is the kernel's");
	is_u64(fake_tid(send->mad) >> 32, 0, "... and not the poster's");
	fake_answer(fake, 0, &fake->sent[2]);
	madkit_port_process(port);
	is_u64(s.completed, 3, "of one that was answered");
	is_u64(s.tids[2], fake_tid(fake->sent[2].mad), "... its ID");
	ok(s.received == 1 && !s.received_before[2], "... before the answer");
	silent = agent_handlers_get();
	silent->timeout_ms = 0;
	madkit_agent_post(agent, silent);
	is_u64(s.tids[3], fake_tid(fake->sent[3].mad), "an agent's upper half stays");
	madkit_agent_post(agent, agent_handlers_get());
	madkit_port_close(port);
	is_u64(s.completed, 5, "of what a port's end cancels");
	ok(!s.wrong, "whole and with the time");
}

int main(void)
{
	test_snoop_completions();
	test_repost();
	test_unregister_in_recv();
	test_unregister_in_end();
	test_unregister_other();
	test_post_on_dying();
	test_reenter();
	test_no_handlers();
	test_close();
	test_close_begins_anew();
	test_unplug(-EIO);
	test_unplug(-ENODEV);
	test_snoop();
	test_snoop_leaves();
	test_snoop_statuses();
	return tap_done();
}
