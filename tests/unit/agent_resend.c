/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Resends: which transaction ID a try has, and to which tries a late response counts. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "agent/agent.h"
#include "tests/tap.h"
#include "tests/unit/fake_transport.h"
#include "util/array_size.h"

enum { OLDER = 16 }; /* earlier transaction IDs that are still accepted */

static struct fake *fake;
static struct madkit_port *port;
static struct madkit_agent *agent;
static struct madkit_port_counters counters;
static unsigned int recvs, ends, left_over;
static int status;
static int64_t rtt_ns;
static uint64_t completed[8]; /* transaction IDs of completed sends, as a watcher sees them */
static unsigned int ncompleted;
static uint64_t seen_ns; /* real time of the latest of them */

static void agent_resend_on_recv(struct madkit_agent *a, struct madkit_recv *recv)
{
	(void)a;
	recvs += recv->send != NULL;
	rtt_ns = recv->rtt_ns;
	madkit_recv_free(recv);
}

static void agent_resend_on_end(struct madkit_agent *a, struct madkit_send *send, int s)
{
	(void)a;
	(void)send;
	ends++;
	status = s;
}

static void on_completion(void *context, const struct madkit_snooped *snooped)
{
	(void)context;
	seen_ns = (uint64_t)snooped->time.tv_sec * 1000000000 + (uint64_t)snooped->time.tv_nsec;
	if (ncompleted < 8)
		completed[ncompleted++] = fake_tid(snooped->mad);
}

static struct madkit_send *agent_resend_start(uint32_t timeout_ms, uint32_t retries)
{
	struct madkit_send *send = fake_get(MADKIT_CLASS_PERF, 0x12, timeout_ms, retries);

	fake = fake_new();
	port = fake_port(fake);
	agent = fake_agent(port, MADKIT_CLASS_PERF, 0, agent_resend_on_end, agent_resend_on_recv, NULL);
	recvs = ends = ncompleted = 0;
	status = 1;
	rtt_ns = -2;
	madkit_snoop_register(port, MADKIT_SNOOP_SEND_COMPLETIONS, on_completion, NULL, NULL);
	madkit_agent_post(agent, send);
	return send;
}

static const struct madkit_port_counters *agent_resend_count(void)
{
	madkit_port_get_counters(port, &counters);
	return &counters;
}

static void agent_resend_stop(struct madkit_send *send)
{
	if (!madkit_agent_cancel(send_of(send)->agent, send))
		madkit_port_process(port);
	left_over += port->tids.table.count || port->deadlines.count || port->tids.sends;
	madkit_port_close(port);
	madkit_send_free(send);
}

static bool same_tid(size_t i, size_t j)
{
	return fake_tid(fake->sent[i].mad) == fake_tid(fake->sent[j].mad);
}

/* The device returns each try: its transaction ID is free, and every resend has it. */
static void test_agent_resend_returned(void)
{
	struct madkit_send *send = agent_resend_start(200, 5);
	uint64_t tid = fake_tid(fake->sent[0].mad);

	fake_return(fake, 200, &fake->sent[0], ETIMEDOUT);
	fake_answer(fake, 250, &fake->sent[0]);
	fake_step(port);
	ok(fake->nsent == 2 && same_tid(0, 1),
	   "A16: after the device has returned a try, the resend has the same TID");
	fake_step(port);
	ok(recvs == 1 && ends == 1 && !status && send->attempts == 2,
	   "A16: the response to the first try answers the request");
	ok(rtt_ns == -1, "A16: its round-trip time is not known");
	is_u64(send->tid, tid, "A16: the send has the TID that was answered");
	ok(ncompleted == 2 && completed[0] == tid && completed[1] == tid,
	   "A16: a watcher sees this TID in each try");

	/* the responder answers the second try, too, while another request is outstanding */
	fake_answer(fake, 200, &fake->sent[1]);
	madkit_agent_post(agent, send);
	ok(!same_tid(1, 2), "A16: another request has another TID");
	fake_step(port);
	ok(recvs == 1 && ends == 1 && agent_resend_count()->unmatched == 1,
	   "A16: it is not answered by a late response to the previous one");
	fake_answer(fake, 1, &fake->sent[2]);
	fake_step(port);
	ok(recvs == 2 && ends == 2 && rtt_ns == 200000000 + 1000000 && send->attempts == 1,
	   "A16: the only try has a round-trip time");
	agent_resend_stop(send);
}

static void test_returned_each_time(void)
{
	struct madkit_send *send = agent_resend_start(200, 3);
	bool same = true;

	while (!ends && fake->nsent < 10) {
		fake_return(fake, 200, &fake->sent[fake->nsent - 1], ETIMEDOUT);
		fake_step(port);
		same &= same_tid(0, fake->nsent - 1);
	}
	ok(fake->nsent == 4 && same && status == -ETIMEDOUT && send->attempts == 4,
	   "A16: four tries that the device returned have one TID");
	is_u64(agent_resend_count()->timeouts, 4, "A16: each was returned");
	agent_resend_stop(send);
}

/* The device says nothing: whether it still has the try is not known. */
static void test_agent_resend_own_deadline(void)
{
	struct madkit_send *send = agent_resend_start(200, 5);
	uint64_t tid = fake_tid(fake->sent[0].mad);

	fake_return(fake, 290, &fake->sent[0], ETIMEDOUT);
	fake_answer(fake, 300, &fake->sent[0]);
	fake_answer(fake, 320, &fake->sent[0]);
	fake_step(port);
	ok(fake->nsent == 2 && !same_tid(0, 1),
	   "A16: a try that the device has not returned: the resend has a new TID");
	fake_step(port);
	ok(fake->nsent == 2 && !ends && agent_resend_count()->timeouts == 1,
	   "A16: the device returns the first try late, which does not end the second");
	fake_step(port);
	ok(recvs == 1 && ends == 1 && !status && send->attempts == 2,
	   "A16: the response to the first try answers the request");
	ok(rtt_ns == 300000000, "A16: its round-trip time is known by its TID");
	is_u64(send->tid, tid, "A16: the send has the TID that was answered");
	ok(ncompleted == 2 && (uint32_t)completed[0] == (uint32_t)tid &&
		   completed[1] == fake_tid(fake->sent[1].mad),
	   "A16: a watcher sees the TID of each try");
	fake_step(port);
	ok(recvs == 1 && ends == 1 && agent_resend_count()->unmatched == 1, "A16: once");
	agent_resend_stop(send);
}

static void test_latest_answered(void)
{
	struct madkit_send *send = agent_resend_start(200, 5);

	fake_step(port);
	fake_step(port);
	ok(fake->nsent == 3 && !same_tid(0, 1) && !same_tid(1, 2) && !same_tid(0, 2), "A16: three TIDs");
	fake_answer(fake, 30, &fake->sent[2]);
	fake_step(port);
	ok(recvs == 1 && rtt_ns == 30000000, "A16: the third is answered, and timed");
	agent_resend_stop(send);
}

/* A late response is checked like any other. */
static void test_wrong_answers(void)
{
	static const struct {
		const char *what;
		unsigned int at;
		uint8_t value;
		uint32_t lid;
	} rows[] = {
		{ "method", MADKIT_MAD_METHOD, MADKIT_METHOD_REPORT | MADKIT_METHOD_RESPONSE, 0 },
		{ "class", MADKIT_MAD_CLASS, MADKIT_CLASS_DEVICE, 0 },
		{ "source", MADKIT_MAD_CLASS, MADKIT_CLASS_PERF, 8 },
	};

	for (int returned = 0; returned < 2; returned++) {
		for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
			struct madkit_send *send = agent_resend_start(200, 5);
			struct fake_arrival *a;

			if (returned)
				fake_return(fake, 200, &fake->sent[0], ETIMEDOUT);
			fake_step(port);
			a = fake_answer(fake, 20, &fake->sent[0]);
			a->mad[rows[i].at] = rows[i].value;
			if (rows[i].lid)
				a->from.lid = rows[i].lid;
			fake_step(port);
			ok(fake->nsent == 2 && !ends && !recvs && agent_resend_count()->unmatched == 1,
			   "A16: a late response (%s TID) with another %s is not accepted",
			   returned ? "same" : "older", rows[i].what);
			agent_resend_stop(send);
		}
	}
}

/* The device hands out a response before it forgets the request's TID. */
static void test_still_in_flight(void)
{
	struct madkit_send *send = agent_resend_start(400, 5);
	struct fake_arrival *a = fake_answer(fake, 1, &fake->sent[0]);

	a->mad[MADKIT_MAD_STATUS + 1] = 0x01;
	fake->refused_tid = fake_tid(fake->sent[0].mad);
	fake_step(port);
	fake_step(port);
	ok(fake->nsent == 2 && !same_tid(0, 1) && !ends,
	   "A16: the device refuses the TID of a try that was BUSY: the resend has a new one");
	fake_answer(fake, 10, &fake->sent[0]);
	fake_step(port);
	ok(recvs == 1 && !status && send->attempts == 2 && rtt_ns > 50000000,
	   "A16: a second response to the first try counts, from that try on");
	agent_resend_stop(send);
}

static void test_invalid(void)
{
	struct madkit_send *send = agent_resend_start(200, 5);

	fake_return(fake, 200, &fake->sent[0], ETIMEDOUT);
	fake->send_result = -EINVAL;
	fake_step(port);
	ok(ends == 1 && status == -EINVAL && fake->nsent == 1,
	   "A16: a resend that the device refuses with either TID ends with that");
	agent_resend_stop(send);
}

static void test_agent_resend_busy(void)
{
	struct madkit_send *send = agent_resend_start(400, 5);
	struct fake_arrival *a = fake_answer(fake, 1, &fake->sent[0]);

	a->mad[MADKIT_MAD_STATUS + 1] = 0x01;
	fake_step(port);
	fake_step(port);
	ok(fake->nsent == 2 && same_tid(0, 1), "A16: after BUSY the resend has the same TID");
	fake_answer(fake, 30, &fake->sent[1]);
	fake_step(port);
	ok(recvs == 1 && !status && send->attempts == 2 && rtt_ns == -1,
	   "A16: the fabric may have duplicated the first try: the round-trip time is not known");
	agent_resend_stop(send);
}

static struct madkit_send *agent_resend_long_request(size_t bytes, uint32_t timeout_ms, uint32_t retries)
{
	struct madkit_send *send = madkit_send_new(bytes);

	memcpy(send->mad, (const uint8_t[]){ 1, 0x32, 1, 0x10 }, 4);
	send->mad[24] = send->mad[25] = 1;
	send->mad[26] = MADKIT_RMPP_ACTIVE;
	send->to.lid = 7;
	send->timeout_ms = timeout_ms;
	send->retries = retries;
	return send;
}

/* A request that the kernel's RMPP sends: the peer's kernel keeps the transfer for 10 s, and would
 * acknowledge segments with its TID without delivering them. */
static void test_busy_long(void)
{
	static const size_t bytes[] = { 100, 1000 };

	for (size_t i = 0; i < ARRAY_SIZE(bytes); i++) {
		struct madkit_send *send = agent_resend_start(1, 0);
		struct madkit_agent *vendor =
			fake_agent(port, 0x32, 1, agent_resend_on_end, agent_resend_on_recv, NULL);
		struct fake_arrival *a;

		madkit_agent_cancel(agent, send);
		fake_step(port);
		madkit_send_free(send);
		send = agent_resend_long_request(bytes[i], 400, 2);
		madkit_agent_post(vendor, send);
		a = fake_answer(fake, 1, &fake->sent[1]);
		a->mad[MADKIT_MAD_STATUS + 1] = 0x01;
		fake_step(port);
		fake_step(port);
		ok(fake->nsent == 3 && !same_tid(1, 2),
		   "A16: after BUSY the resend of a message of %zu bytes by RMPP has another TID", bytes[i]);
		if (fake->nsent == 3)
			fake_answer(fake, 30, &fake->sent[2]);
		fake_step(port);
		ok(recvs == 1 && !status && send->attempts == 2 && rtt_ns == 30000000,
		   "A16: ... and a round-trip time of its own");
		agent_resend_stop(send);
	}
}

/* The response to the only try, which the fabric has duplicated: the first copy was BUSY. */
static void test_busy_duplicate(void)
{
	struct madkit_send *send = agent_resend_start(400, 5);
	struct fake_arrival *a = fake_answer(fake, 1, &fake->sent[0]);

	a->mad[MADKIT_MAD_STATUS + 1] = 0x01;
	fake_answer(fake, 20, &fake->sent[0]);
	fake_step(port);
	fake_step(port);
	ok(recvs == 1 && !status && fake->nsent == 1 && rtt_ns == 20000000,
	   "A16: a response during the back-off from the only try has a round-trip time");
	agent_resend_stop(send);
}

/* BUSY for one of two tries, and the response to the other while the first is backed off. */
static void test_busy_late(void)
{
	struct madkit_send *send = agent_resend_start(400, 5);
	struct fake_arrival *a;

	fake_return(fake, 400, &fake->sent[0], ETIMEDOUT);
	fake_step(port);
	a = fake_answer(fake, 10, &fake->sent[0]);
	a->mad[MADKIT_MAD_STATUS + 1] = 0x01;
	a = fake_answer(fake, 20, &fake->sent[0]);
	a->mad[MADKIT_MAD_STATUS + 1] = 0x01;
	fake_answer(fake, 30, &fake->sent[1]);
	fake_step(port);
	fake_step(port);
	ok(fake->nsent == 2 && agent_resend_count()->busy == 1, "A16: a second BUSY is no second back-off");
	fake_step(port);
	ok(recvs == 1 && !status && fake->nsent == 2 && rtt_ns == -1,
	   "A16: a response that arrives during the back-off counts");
	agent_resend_stop(send);
}

/* BUSY to an earlier try does not end the later one. */
static void test_busy_older(void)
{
	struct madkit_send *send = agent_resend_start(200, 1);
	struct fake_arrival *a;

	fake_step(port);
	a = fake_answer(fake, 10, &fake->sent[0]);
	a->mad[MADKIT_MAD_STATUS + 1] = 0x01;
	fake_answer(fake, 40, &fake->sent[1]);
	fake_step(port);
	ok(fake->nsent == 2 && !ends, "A16: BUSY to an earlier try: the later one may still be answered");
	fake_step(port);
	ok(recvs == 1 && !status && rtt_ns == 40000000, "A16: which it is");
	agent_resend_stop(send);
}

static void test_waiting_for_room(void)
{
	struct madkit_send *send = agent_resend_start(200, 5);

	fake_return(fake, 200, &fake->sent[0], ETIMEDOUT);
	fake->send_result = -EAGAIN;
	fake_step(port);
	fake_answer(fake, 1, &fake->sent[0]);
	fake_step(port);
	ok(recvs == 1 && !status && fake->nsent == 1 && rtt_ns == 201000000,
	   "A16: a response that arrives while the resend waits for room counts");
	agent_resend_stop(send);
}

/* A caller's transaction ID is kept, whatever happens. */
static void test_given_tid(void)
{
	struct madkit_send *send = agent_resend_start(200, 5);
	struct madkit_agent *user =
		fake_agent(port, 0x32, 0, agent_resend_on_end, agent_resend_on_recv, NULL);

	madkit_agent_cancel(agent, send);
	fake_step(port);
	send->mad[MADKIT_MAD_CLASS] = 0x32;
	send->mad[MADKIT_MAD_TID + 7] = 0x55;
	send->mad[24] = send->mad[25] = 1;
	send->mad[26] = MADKIT_RMPP_ACTIVE;
	madkit_agent_post(user, send);
	fake_step(port);
	ok(fake->nsent == 3 && same_tid(1, 2) && (fake_tid(fake->sent[2].mad) & 0xff) == 0x55,
	   "A16: a TID that the caller chose is kept");
	agent_resend_stop(send);
}

static void test_agent_resend_many(void)
{
	struct madkit_send *send = agent_resend_start(10, 100);

	for (unsigned int i = 0; i < 40; i++)
		fake_step(port);
	is_u64(fake->nsent, 41, "A16: 41 tries, of which the device returned none");
	is_u64(port->tids.table.count, OLDER + 1, "A16: the latest 17 TIDs are accepted");
	fake_answer(fake, 1, &fake->sent[23]);
	fake_step(port);
	ok(!ends && agent_resend_count()->unmatched == 1, "A16: not an older one");
	fake_answer(fake, 1, &fake->sent[24]);
	fake_step(port);
	ok(recvs == 1 && !status, "A16: the oldest of them");
	agent_resend_stop(send);
}

static void test_agent_resend_kernel_resends(void)
{
	static const struct {
		uint64_t after_ms;
		bool known;
	} rows[] = {
		{ 5, true },
		{ 180, true },
		{ 191, false },
		{ 450, false },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct madkit_send *send = agent_resend_start(1, 0);
		struct madkit_agent *sa =
			fake_agent(port, MADKIT_CLASS_SA, 1, agent_resend_on_end, agent_resend_on_recv, NULL);

		madkit_agent_cancel(agent, send);
		fake_step(port);
		madkit_send_free(send);
		send = fake_get(MADKIT_CLASS_SA, 0x11, 200, 5);
		send->mad[MADKIT_MAD_METHOD] = MADKIT_METHOD_GET_TABLE;
		madkit_agent_post(sa, send);
		fake_answer(fake, rows[i].after_ms, &fake->sent[1]);
		fake_step(port);
		ok(recvs == 1 && send->kernel_resends &&
			   rtt_ns == (rows[i].known ? (int64_t)rows[i].after_ms * 1000000 : -1),
		   "A16: the kernel resends after 200 ms: after %u ms the round-trip time is %sknown",
		   (unsigned int)rows[i].after_ms, rows[i].known ? "" : "not ");
		agent_resend_stop(send);
	}
}

/* The kernel resends after 200 ms; one copy is BUSY and another one is answered later. */
static void test_kernel_resends_busy(void)
{
	static const struct {
		uint64_t busy_ms, after_ms;
		unsigned int tries;
	} rows[] = {
		{ 210, 215, 1 },
		{ 210, 245, 2 },
		{ 5, 40, 2 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct madkit_send *send = agent_resend_start(1, 0);
		struct madkit_agent *sa =
			fake_agent(port, MADKIT_CLASS_SA, 1, agent_resend_on_end, agent_resend_on_recv, NULL);
		struct fake_arrival *a;

		madkit_agent_cancel(agent, send);
		fake_step(port);
		madkit_send_free(send);
		send = fake_get(MADKIT_CLASS_SA, 0x11, 200, 5);
		send->mad[MADKIT_MAD_METHOD] = MADKIT_METHOD_GET_TABLE;
		madkit_agent_post(sa, send);
		a = fake_answer(fake, rows[i].busy_ms, &fake->sent[1]);
		a->mad[MADKIT_MAD_STATUS + 1] = 0x01;
		fake_answer(fake, rows[i].after_ms, &fake->sent[1]);
		while (!recvs && fake->nsent < 5)
			fake_step(port);
		ok(recvs == 1 && !status && send->kernel_resends && send->attempts == rows[i].tries &&
			   rtt_ns == -1,
		   "A16: the kernel resends after 200 ms, BUSY after %u ms, a response after %u ms: "
		   "the round-trip time is not known",
		   (unsigned int)rows[i].busy_ms, (unsigned int)rows[i].after_ms);
		agent_resend_stop(send);
	}
}

/* BUSY, after which no more tries follow than the kernel can have left of all. */
static void test_kernel_total(void)
{
	static const struct {
		uint64_t busy_ms;
		uint32_t retries, sends, left;
	} rows[] = {
		{ 5, 2, 2, 1 },   { 189, 2, 2, 1 }, { 191, 2, 2, 0 }, { 380, 2, 2, 0 },
		{ 395, 2, 1, 0 }, { 580, 2, 1, 0 }, { 700, 5, 2, 1 }, { 5, 0, 1, 0 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct madkit_send *send = agent_resend_start(1, 0);
		struct madkit_agent *sa =
			fake_agent(port, MADKIT_CLASS_SA, 1, agent_resend_on_end, agent_resend_on_recv, NULL);
		uint32_t resends;

		madkit_agent_cancel(agent, send);
		fake_step(port);
		madkit_send_free(send);
		send = fake_get(MADKIT_CLASS_SA, 0x11, 200, rows[i].retries);
		send->mad[MADKIT_MAD_METHOD] = MADKIT_METHOD_GET_TABLE;
		madkit_agent_post(sa, send);
		resends = (uint32_t)(rows[i].busy_ms / 200);
		fake_answer(fake, rows[i].busy_ms, &fake->sent[1])->mad[MADKIT_MAD_STATUS + 1] = 0x01;
		while (!recvs && fake->nsent < 3)
			fake_step(port);
		ok(fake->nsent == rows[i].sends + 1 && (rows[i].sends == 1) == (recvs == 1) &&
			   (rows[i].sends == 1 || fake->sent[2].retries == rows[i].left) &&
			   resends + rows[i].sends + rows[i].left <= rows[i].retries + 1,
		   "A16: table, %u retries of 200 ms, BUSY after %u ms: %s", (unsigned int)rows[i].retries,
		   (unsigned int)rows[i].busy_ms,
		   rows[i].sends == 1 ? "handed over" : "sent again, with the retries that are left");
		agent_resend_stop(send);
	}
}

/* A request that the kernel sends in segments: after 2 s it may have resent one. */
static void test_kernel_segments(void)
{
	static const struct {
		uint64_t after_ms;
		uint32_t timeout_ms, retries;
		bool known;
	} rows[] = {
		{ 1900, 5000, 2, true }, { 1991, 5000, 2, false },           { 2100, 5000, 2, false },
		{ 2100, 5000, 0, true }, { 2100, MADKIT_FOREVER, 2, false },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct madkit_send *send = agent_resend_start(1, 0);
		struct madkit_agent *vendor =
			fake_agent(port, 0x32, 1, agent_resend_on_end, agent_resend_on_recv, NULL);

		madkit_agent_cancel(agent, send);
		fake_step(port);
		madkit_send_free(send);
		send = agent_resend_long_request(1000, rows[i].timeout_ms, rows[i].retries);
		madkit_agent_post(vendor, send);
		fake_answer(fake, rows[i].after_ms, &fake->sent[1]);
		fake_step(port);
		ok(recvs == 1 && rtt_ns == (rows[i].known ? (int64_t)rows[i].after_ms * 1000000 : -1),
		   "A16: segments, %u retries: after %u ms the round-trip time is %sknown",
		   (unsigned int)rows[i].retries, (unsigned int)rows[i].after_ms,
		   rows[i].known ? "" : "not ");
		agent_resend_stop(send);
	}
}

/* The kernel resolves a GID before it sends. */
static void test_resolves(void)
{
	static const struct {
		int link_layer;
		uint64_t blocks_ms;
		uint64_t sent_ms; /* after the device got it */
		int64_t rtt_ms;   /* -1: not known */
	} rows[] = {
		{ MADKIT_LINK_ETHERNET, 50, 50, -1 },
		{ MADKIT_LINK_ETHERNET, 1, 0, 21 },
		{ MADKIT_LINK_INFINIBAND, 50, 0, 70 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct madkit_send *send = agent_resend_start(200, 0);
		uint64_t before, sent, epoch_ns;
		struct timespec ts;

		madkit_agent_cancel(agent, send);
		fake_step(port);
		madkit_port_realtime(port, &ts);
		epoch_ns = (uint64_t)ts.tv_sec * 1000000000 + (uint64_t)ts.tv_nsec - fake->now;
		port->info.link_layer = rows[i].link_layer;
		fake->blocks_ms = rows[i].blocks_ms;
		before = fake->now;
		madkit_agent_post(agent, send);
		sent = send->sent_ns;
		fake_answer(fake, 20, &fake->sent[1]);
		fake_step(port);
		ok(send->posted_ns == sent && sent == before + rows[i].sent_ms * 1000000,
		   "A16: %s, the device blocks for %u ms: the time of sending is that %s it",
		   rows[i].link_layer == MADKIT_LINK_ETHERNET ? "Ethernet" : "InfiniBand",
		   (unsigned int)rows[i].blocks_ms, sent == before ? "before" : "after");
		ok(rtt_ns == (rows[i].rtt_ms < 0 ? -1 : rows[i].rtt_ms * 1000000),
		   "W17: ... a round trip is never shorter than what is measured around it, or is not known");
		is_u64(seen_ns - sent, epoch_ns, "A16: ... and so is the real time that a watcher sees");
		agent_resend_stop(send);
	}
}

int main(void)
{
	test_agent_resend_returned();
	test_returned_each_time();
	test_agent_resend_own_deadline();
	test_latest_answered();
	test_wrong_answers();
	test_still_in_flight();
	test_invalid();
	test_agent_resend_busy();
	test_busy_long();
	test_busy_duplicate();
	test_busy_late();
	test_busy_older();
	test_waiting_for_room();
	test_given_tid();
	test_agent_resend_many();
	test_agent_resend_kernel_resends();
	test_kernel_resends_busy();
	test_kernel_total();
	test_kernel_segments();
	test_resolves();
	is_u64(left_over, 0, "A16: nothing is left of any send");
	return tap_done();
}
