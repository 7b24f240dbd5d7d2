/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Sends in flight: answers, timeouts, resends, back-off, cancelling. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include "agent/agent.h"
#include "tests/tap.h"
#include "tests/unit/fake_transport.h"

enum { MANY = 500 };

struct log {
	unsigned int recvs, ends;
	int status;               /* of the last end */
	struct madkit_send *send; /* of the last end */
	uint16_t mad_status;      /* of the last response */
	uint64_t recv_tid;
	bool recv_before_end, send_matches;
};

static void agent_flight_on_recv(struct madkit_agent *agent, struct madkit_recv *recv)
{
	struct log *log = madkit_agent_context(agent);

	log->recvs++;
	log->recv_before_end = log->ends == 0;
	log->mad_status = (uint16_t)(recv->mad[4] << 8 | recv->mad[5]);
	log->recv_tid = fake_tid(recv->mad);
	log->send_matches = recv->send != NULL;
	madkit_recv_free(recv);
}

static void agent_flight_on_end(struct madkit_agent *agent, struct madkit_send *send, int status)
{
	struct log *log = madkit_agent_context(agent);

	log->ends++;
	log->status = status;
	log->send = send;
}

static struct fake *fake;
static struct madkit_port *port;
static struct madkit_agent *agent;
static struct log seen;
static struct madkit_port_counters counters;

static void agent_flight_start(void)
{
	fake = fake_new();
	port = fake_port(fake);
	agent = fake_agent(port, MADKIT_CLASS_PERF, 0, agent_flight_on_end, agent_flight_on_recv, &seen);
	memset(&seen, 0, sizeof(seen));
}

static unsigned int left_over;

static void agent_flight_stop(void)
{
	left_over += port->tids.table.count || port->deadlines.count || port->tids.sends;
	madkit_port_close(port);
}

static const struct madkit_port_counters *agent_flight_count(void)
{
	madkit_port_get_counters(port, &counters);
	return &counters;
}

/* ---- one ------------------------------------------------------------------- */

static void test_answer(void)
{
	agent_flight_start();
	struct madkit_send *send = fake_get(MADKIT_CLASS_PERF, 0x12, 1000, 2);

	is_u64(madkit_port_deadline(port), UINT64_MAX, "nothing posted: no deadline");
	is_int(madkit_agent_post(agent, send), 0, "posted");
	is_u64(fake->nsent, 1, "... and sent at once");
	is_u64(fake->sent[0].timeout_ms, 1000, "the transport is told the timeout");
	is_u64(fake->sent[0].retries, 0, "... and no retries of its own");
	is_u64(madkit_agent_outstanding(agent), 1, "one is outstanding");
	is_int(madkit_agent_post(agent, send), -EBUSY, "it cannot be posted twice");
	is_int(madkit_port_process(port), 0, "nothing to do");
	fake_advance(fake, 5);
	fake_answer(fake, 0, &fake->sent[0]);
	is_int(madkit_port_process(port), 1, "one event");
	ok(seen.recvs == 1 && seen.ends == 1 && !seen.status, "response, then status 0");
	ok(seen.recv_before_end && seen.send_matches, "in that order, with its send");
	is_u64(seen.recv_tid, fake_tid(fake->sent[0].mad), "the response's TID");
	is_u64(send->tid, seen.recv_tid, "the send has learnt the upper half");
	is_u64(send->tid >> 32, FAKE_HI_TID, "... which the transport had set");
	is_u64(send->attempts, 1, "one attempt");
	is_u64(madkit_agent_outstanding(agent), 0, "nothing is outstanding");
	is_u64(madkit_port_deadline(port), UINT64_MAX, "and no deadline left");
	fake_answer(fake, 0, &fake->sent[0]);
	madkit_port_process(port);
	ok(seen.recvs == 1 && seen.ends == 1, "a duplicate of the response is dropped");
	is_u64(agent_flight_count()->unmatched, 1, "... and counted");
	madkit_send_free(send);
	agent_flight_stop();
}

static void test_no_response_wanted(void)
{
	agent_flight_start();
	struct madkit_send *send = fake_get(MADKIT_CLASS_PERF, 0x12, 0, 5);

	is_int(madkit_agent_post(agent, send), 0, "posted without a timeout");
	is_u64(seen.ends, 0, "no handler from within post");
	is_u64(madkit_port_deadline(port), 0, "process is due at once");
	is_int(madkit_port_wait(port, 1000), 1, "wait says so");
	is_u64(fake->now, 1000 * NS_PER_MS, "... without waiting");
	is_int(madkit_port_process(port), 1, "it ends");
	ok(seen.ends == 1 && !seen.status && !seen.recvs, "with 0: it went out");
	madkit_send_free(send);
	agent_flight_stop();
}

/* ---- a long message without a response --------------------------------------- */

enum { NEVER = -1, ANSWERED = -2 };

/* Returns the status of a send that the kernel returns after this many ms. */
static int lingering(uint32_t retries, int returned_after, uint64_t *ended_ms)
{
	agent_flight_start();
	struct madkit_agent *rmpp =
		fake_agent(port, 0x32, 1, agent_flight_on_end, agent_flight_on_recv, &seen);
	struct madkit_send *send = madkit_send_new(1000);
	uint64_t begin = fake->now;

	send->mad[0] = 1;
	send->mad[1] = 0x32;
	send->mad[3] = MADKIT_METHOD_SEND;
	send->retries = retries;
	madkit_agent_post(rmpp, send);
	is_u64(fake->sent[0].timeout_ms, 500, "long: the transport is to tell when it is done with it");
	is_u64(fake->sent[0].retries, (retries + 1) * 4 - 1, "long: and tries for 2 s and that again");
	ok(send->kernel_resends, "C3: long: how often it is sent is not known");
	is_int(madkit_port_process(port), 0, "long: it has not ended");
	if (returned_after == ANSWERED)
		fake_answer(fake, 10, &fake->sent[0]);
	else if (returned_after != NEVER)
		fake_return(fake, (uint64_t)returned_after, &fake->sent[0], ETIMEDOUT);
	while (!seen.ends && madkit_port_wait(port, 100000) == 1)
		madkit_port_process(port);
	*ended_ms = (fake->now - begin) / NS_PER_MS;
	ok(seen.ends == 1 && !seen.recvs && fake->nsent == 1,
	   "long: ends once, sent once, nothing is handed over");
	is_u64(agent_flight_count()->timeouts, 0, "long: and no timeout is counted");
	madkit_send_free(send);
	agent_flight_stop();
	return seen.status;
}

static void test_long(void)
{
	uint64_t ms;

	is_int(lingering(0, 130, &ms), 0, "long: back before its tries are over: it has arrived");
	is_u64(ms, 130, "long: that is when it ends");
	is_int(lingering(0, 2010, &ms), -ETIMEDOUT, "long: back when they are over: it has not");
	is_int(lingering(0, 1900, &ms), -ETIMEDOUT, "long: also when a clock ticks fast");
	is_int(lingering(2, 2010, &ms), 0, "long: with retries the tries last longer");
	is_int(lingering(2, 6010, &ms), -ETIMEDOUT, "long: three times as long");
	is_int(lingering(0, NEVER, &ms), -ETIMEDOUT, "long: a transport that never tells");
	is_between(ms, 2000, 3000, "long: ends by our own deadline");
	is_int(lingering(0, ANSWERED, &ms), 0, "long: an answer that nobody wanted: it has arrived");
	is_u64(ms, 10, "long: that is when it ends then");
}

/* ---- timeouts -------------------------------------------------------------- */

static void test_reported_timeouts(void)
{
	agent_flight_start();
	struct madkit_send *send = fake_get(MADKIT_CLASS_PERF, 0x12, 200, 2);
	uint64_t begin = fake->now;

	madkit_agent_post(agent, send);
	for (unsigned int i = 0; i < 3; i++) {
		is_u64(fake->nsent, i + 1, "try %u is out", i + 1);
		fake_return(fake, 200, &fake->sent[i], ETIMEDOUT);
		madkit_port_wait(port, 10000);
		madkit_port_process(port);
	}
	ok(seen.ends == 1 && seen.status == -ETIMEDOUT && !seen.recvs, "after three: -ETIMEDOUT");
	is_u64((fake->now - begin) / NS_PER_MS, 600, "after 600 ms");
	is_u64(send->attempts, 3, "three attempts");
	is_u64(fake->nsent, 3, "three MADs");
	is_u64(agent_flight_count()->timeouts, 3, "three timeouts reported");
	is_u64(agent_flight_count()->expired, 0, "none of our own");
	is_u64(agent_flight_count()->resent, 2, "two resends");
	madkit_send_free(send);
	agent_flight_stop();
}

static void test_agent_flight_own_deadline(void)
{
	agent_flight_start();
	struct madkit_send *send = fake_get(MADKIT_CLASS_PERF, 0x12, 800, 1);
	uint64_t begin = fake->now;

	madkit_agent_post(agent, send);
	is_u64((madkit_port_deadline(port) - begin) / NS_PER_MS, 800 + 100 + 50,
	       "the deadline is an eighth and 50 ms after the timeout");
	is_int(madkit_port_wait(port, 900), 0, "nothing within 900 ms");
	is_int(madkit_port_process(port), 0, "no event yet");
	is_int(madkit_port_wait(port, 900), 1, "then something is due");
	is_u64((fake->now - begin) / NS_PER_MS, 950, "... at 950 ms");
	madkit_port_process(port);
	is_u64(fake->nsent, 2, "a transport that says nothing: sent again");
	madkit_port_wait(port, -1);
	madkit_port_process(port);
	ok(seen.ends == 1 && seen.status == -ETIMEDOUT, "and given up");
	is_u64((fake->now - begin) / NS_PER_MS, 1900, "after twice that");
	is_u64(agent_flight_count()->expired, 2, "counted as our own");
	/* events that the transport reports from here on are late */
	fake_return(fake, 0, &fake->sent[1], ETIMEDOUT);
	fake_answer(fake, 0, &fake->sent[0]);
	madkit_port_process(port);
	ok(seen.ends == 1 && !seen.recvs, "a late report and a late answer change nothing");
	is_u64(agent_flight_count()->unmatched, 2, "both counted");
	madkit_send_free(send);
	agent_flight_stop();
}

/* A try with the longest timeout does not end immediately. */
static void test_absurd(void)
{
	struct madkit_send *send = madkit_send_new(1000);
	struct madkit_agent *sa;

	agent_flight_start();
	sa = fake_agent(port, MADKIT_CLASS_SA, 1, NULL, NULL, NULL);
	send->mad[0] = 1;
	send->mad[1] = MADKIT_CLASS_SA;
	send->mad[3] = MADKIT_METHOD_GET_MULTI;
	send->timeout_ms = INT32_MAX;
	send->retries = UINT32_MAX;
	is_int(madkit_agent_post(sa, send), 0, "2^31 - 1 ms and 2^32 - 1 retries");
	ok(madkit_port_deadline(port) > fake->now + UINT64_C(100) * 365 * 86400 * 1000 * NS_PER_MS &&
		   madkit_port_deadline(port) < UINT64_MAX,
	   "last more than a century");
	madkit_agent_cancel(sa, send);
	madkit_port_process(port);
	send->timeout_ms = 1;
	send->retries = 999999;
	madkit_agent_post(sa, send);
	/* 1000 bytes: 5 segments of 20 ms */
	is_u64((madkit_port_deadline(port) - fake->now) / NS_PER_MS,
	       (UINT64_C(2001000000) + 100) / 8 * 9 + 4 + 50, "a shorter one is reckoned to the millisecond");
	madkit_agent_cancel(sa, send);
	madkit_port_process(port);
	madkit_send_free(send);
	agent_flight_stop();
}

/* ---- MADKIT_FOREVER ----------------------------------------------------------- */

static void test_agent_flight_forever(void)
{
	agent_flight_start();
	struct madkit_send *send = fake_get(MADKIT_CLASS_PERF, 0x12, MADKIT_FOREVER, 2);

	is_int(madkit_agent_post(agent, send), 0, "C1: a request without a timeout");
	is_u64(fake->sent[0].timeout_ms, MADKIT_FOREVER, "C1: ... the device has none either");
	is_u64(madkit_port_deadline(port), UINT64_MAX, "C1: ... nothing is due");
	fake_advance(fake, UINT64_C(100) * 365 * 86400 * 1000);
	madkit_port_process(port);
	ok(fake->nsent == 1 && !seen.ends, "C1: ... after a century it was not resent and has not ended");
	fake_answer(fake, 0, &fake->sent[0]);
	madkit_port_process(port);
	ok(seen.ends == 1 && !seen.status && seen.recvs == 1, "C1: ... and the response is received");

	madkit_agent_post(agent, send);
	fake_answer(fake, 0, &fake->sent[1])->mad[MADKIT_MAD_STATUS + 1] = 0x01;
	madkit_port_process(port);
	is_u64(madkit_port_deadline(port) - fake->now, 125 * NS_PER_MS, "C1: BUSY: the back-off is limited");
	madkit_port_wait(port, -1);
	madkit_port_process(port);
	is_u64(fake->nsent, 3, "C1: BUSY: ... and the request is resent");
	madkit_agent_cancel(agent, send);
	madkit_port_process(port);
	is_int(seen.status, -ECANCELED, "C1: it can be cancelled");

	send->retries = 0;
	madkit_agent_post(agent, send);
	is_int(madkit_agent_modify(agent, send, 300), 0, "C1: it can be given a timeout");
	is_u64(madkit_port_deadline(port) - fake->now, 300 * NS_PER_MS, "C1: ... which counts from then");
	is_int(madkit_agent_modify(agent, send, MADKIT_FOREVER), 0, "C1: ... and lose it for later tries");
	is_int(madkit_agent_modify(agent, send, UINT32_C(1) << 31), -EINVAL, "C1: 2^31 ms are refused there");
	madkit_port_wait(port, -1);
	madkit_port_process(port);
	is_int(seen.status, -ETIMEDOUT, "C1: ... but the current try ends");

	for (uint32_t i = 0; i < 2; i++) {
		send->timeout_ms = i ? MADKIT_FOREVER - 1 : UINT32_C(1) << 31;
		is_int(madkit_agent_post(agent, send), -EINVAL, "C1: a timeout of %" PRIu32 " ms is refused",
		       send->timeout_ms);
	}
	send->timeout_ms = INT32_MAX;
	is_int(madkit_agent_post(agent, send), 0, "C1: 2^31 - 1 ms are accepted");
	is_u64(fake->sent[fake->nsent - 1].timeout_ms, INT32_MAX, "C1: ... and passed on");
	madkit_agent_cancel(agent, send);
	madkit_port_process(port);

	send->timeout_ms = MADKIT_FOREVER;
	fake->send_result = -EAGAIN;
	madkit_agent_post(agent, send);
	fake_advance(fake, 86400 * 1000);
	madkit_port_process(port);
	fake->send_result = 0;
	fake_advance(fake, 1);
	seen.ends = 0;
	madkit_port_process(port);
	ok(!seen.ends && fake->nsent == 6, "C1: a device that accepts nothing is awaited as well");
	madkit_agent_cancel(agent, send);
	madkit_port_process(port);
	madkit_send_free(send);
	agent_flight_stop();
}

/* A deadline of the caller ends it, and so does a signal. */
static void test_forever_ends(void)
{
	agent_flight_start();
	struct madkit_send *send = fake_get(MADKIT_CLASS_PERF, 0x12, MADKIT_FOREVER, 2);
	struct madkit_reply reply;
	uint64_t begin = fake->now;

	is_int(madkit_request(agent, send, begin + 700 * NS_PER_MS, &reply), 0,
	       "C1: the deadline ends a request");
	ok(reply.status == -ETIMEDOUT && reply.attempts == 1 && !reply.kernel_resends,
	   "C1: ... as a timeout of one try");
	is_u64((fake->now - begin) / NS_PER_MS, 700, "C1: ... in time");
	fake->wait_result = -EINTR;
	is_int(madkit_request(agent, send, UINT64_MAX, &reply), -EINTR, "C1: ... and a signal does");
	madkit_send_free(send);
	agent_flight_stop();
}

/* The kernel does RMPP: with a negative timeout it would not resend segments. */
static void test_forever_rmpp(void)
{
	struct madkit_send *send = madkit_send_new(1000);
	struct madkit_agent *sa;

	agent_flight_start();
	sa = fake_agent(port, MADKIT_CLASS_SA, 1, NULL, NULL, NULL);
	madkit_header_put(send->mad, send->len,
			  &(const struct madkit_header){ .base_version = 1,
							 .mgmt_class = MADKIT_CLASS_SA,
							 .class_version = 2,
							 .method = MADKIT_METHOD_GET_MULTI });
	send->timeout_ms = MADKIT_FOREVER;
	send->retries = 3;
	madkit_agent_post(sa, send);
	ok(fake->sent[0].timeout_ms == INT32_MAX && fake->sent[0].retries == 3 && send->kernel_resends,
	   "C1: kernel RMPP of several segments: the longest timeout, so that segments are resent");
	is_u64(madkit_port_deadline(port), UINT64_MAX, "C1: ... and no deadline of the library");
	madkit_agent_cancel(sa, send);
	madkit_port_process(port);
	send->len = MADKIT_MAD_BYTES;
	madkit_rmpp_set_flags(send->mad, 0);
	madkit_agent_post(sa, send);
	ok(fake->sent[1].timeout_ms == MADKIT_FOREVER && !send->kernel_resends,
	   "C1: kernel RMPP, a request of one MAD: no timeout, and no resends");
	madkit_agent_cancel(sa, send);
	madkit_port_process(port);
	madkit_send_free(send);
	agent_flight_stop();
}

static void test_other_failure(void)
{
	agent_flight_start();
	struct madkit_send *send = fake_get(MADKIT_CLASS_PERF, 0x12, 100, 3);

	madkit_agent_post(agent, send);
	fake_return(fake, 0, &fake->sent[0], EHOSTUNREACH);
	madkit_port_process(port);
	ok(seen.ends == 1 && seen.status == -EHOSTUNREACH,
	   "a send that comes back with another status ends with that");
	is_u64(fake->nsent, 1, "... without a resend");
	madkit_agent_post(agent, send);
	fake_return(fake, 0, &fake->sent[1], 123456);
	madkit_port_process(port);
	is_int(seen.status, -EIO, "a status that is no errno is -EIO");
	fake->send_result = -EINVAL;
	is_int(madkit_agent_post(agent, send), 0, "a refused send is posted");
	is_u64(seen.ends, 2, "not ended from within post");
	madkit_port_process(port);
	ok(seen.ends == 3 && seen.status == -EINVAL, "its status is the refusal");
	is_u64(send->attempts, 0, "no attempt");
	madkit_send_free(send);
	agent_flight_stop();
}

/* ---- busy ------------------------------------------------------------------ */

static void busy_peer(struct fake *f, const struct fake_sent *sent)
{
	struct fake_arrival *a = fake_answer(f, 1, sent);
	int *times = f->peer_context;

	if (*times > 0)
		a->mad[MADKIT_MAD_STATUS + 1] = 0x01;
	--*times;
}

static uint64_t gap(size_t i)
{
	return (fake->sent[i].at - fake->sent[i - 1].at) / NS_PER_MS;
}

static void test_agent_flight_busy(void)
{
	int times = 3;

	agent_flight_start();
	fake->peer = busy_peer;
	fake->peer_context = &times;
	struct madkit_send *send = fake_get(MADKIT_CLASS_PERF, 0x12, 400, 5);

	madkit_agent_post(agent, send);
	while (!seen.ends && fake->nsent < 20) {
		madkit_port_wait(port, -1);
		madkit_port_process(port);
	}
	ok(seen.recvs == 1 && !seen.status && !seen.mad_status,
	   "three times busy, then the answer: only that is handed over");
	is_u64(fake->nsent, 4, "four MADs");
	ok(gap(1) == 51 && gap(2) == 101 && gap(3) == 201,
	   "asked again after an eighth of the timeout, doubled: %d %d %d ms", (int)gap(1), (int)gap(2),
	   (int)gap(3));
	is_u64(agent_flight_count()->busy, 3, "counted");
	is_u64(send->busy, 3, "A9: ... with the send, too");

	times = 100;
	memset(&seen, 0, sizeof(seen));
	madkit_agent_post(agent, send);
	while (!seen.ends && fake->nsent < 30) {
		madkit_port_wait(port, -1);
		madkit_port_process(port);
	}
	ok(seen.recvs == 1 && !seen.status, "busy to the last try: handed over");
	is_u64(seen.mad_status, 1, "... as it is");
	is_u64(fake->nsent, 10, "after six tries");
	ok(gap(9) == 401, "the wait grows no longer than the timeout: %d ms", (int)gap(9));
	madkit_send_free(send);
	agent_flight_stop();
}

/* ---- cancelling ------------------------------------------------------------ */

static void test_agent_flight_cancel(void)
{
	agent_flight_start();
	struct madkit_send *send = fake_get(MADKIT_CLASS_PERF, 0x12, 100, 3);

	is_int(madkit_agent_cancel(agent, send), -ENOENT, "not posted: nothing to cancel");
	madkit_agent_post(agent, send);
	is_int(madkit_agent_cancel(agent, send), 0, "cancelled");
	is_int(madkit_agent_cancel(agent, send), -ENOENT, "not twice");
	is_u64(seen.ends, 0, "the handler waits for process");
	fake_answer(fake, 0, &fake->sent[0]);
	madkit_port_process(port);
	ok(seen.ends == 1 && seen.status == -ECANCELED && !seen.recvs,
	   "-ECANCELED, and an answer that has come meanwhile is dropped");
	madkit_send_free(send);
	agent_flight_stop();
}

/* ---- a device that has no room --------------------------------------------- */

static void test_again(void)
{
	agent_flight_start();
	struct madkit_send *a = fake_get(MADKIT_CLASS_PERF, 0x12, 100, 0);
	struct madkit_send *b = fake_get(MADKIT_CLASS_PERF, 0x13, 100, 0);

	fake->send_result = -EAGAIN;
	is_int(madkit_agent_post(agent, a), 0, "posted although there is no room");
	fake->send_result = 0;
	is_int(madkit_agent_post(agent, b), 0, "another, with room again");
	is_u64(fake->nsent, 0, "it waits behind the first");
	ok(madkit_port_deadline(port) <= fake->now + 10 * NS_PER_MS, "to be tried soon");
	madkit_port_process(port);
	is_u64(fake->nsent, 2, "both are sent");
	ok(fake->sent[0].mad[17] == 0x12 && fake->sent[1].mad[17] == 0x13, "in order");
	fake_answer(fake, 0, &fake->sent[1]);
	fake_answer(fake, 0, &fake->sent[0]);
	madkit_port_process(port);
	ok(seen.ends == 2 && !seen.status, "both are answered");

	memset(&seen, 0, sizeof(seen));
	fake->send_result = -EAGAIN;
	madkit_agent_post(agent, a);
	for (unsigned int i = 0; i < 2000 && !seen.ends; i++) {
		madkit_port_wait(port, -1);
		madkit_port_process(port);
	}
	ok(seen.ends == 1 && seen.status == -EAGAIN, "no room for a second: -EAGAIN");
	is_u64(a->attempts, 0, "no attempt");

	memset(&seen, 0, sizeof(seen));
	madkit_agent_post(agent, a);
	is_int(madkit_agent_cancel(agent, a), 0, "a waiting one can be cancelled");
	madkit_port_process(port);
	is_int(seen.status, -ECANCELED, "... and ends so");
	madkit_send_free(a);
	madkit_send_free(b);
	agent_flight_stop();
}

/* ---- many ------------------------------------------------------------------ */

struct many {
	unsigned int recvs[MANY], ends[MANY], wrong;
	int status[MANY];
};

static void many_recv(struct madkit_agent *its, struct madkit_recv *recv)
{
	struct many *many = madkit_agent_context(its);
	size_t i = (size_t)(uintptr_t)recv->send->context;

	many->recvs[i]++;
	/* the modifier went out as i and must be answered as that */
	many->wrong += i != ((size_t)recv->mad[22] << 8 | recv->mad[23]);
	madkit_recv_free(recv);
}

static void many_end(struct madkit_agent *its, struct madkit_send *send, int status)
{
	struct many *many = madkit_agent_context(its);
	size_t i = (size_t)(uintptr_t)send->context;

	many->ends[i]++;
	many->status[i] = status;
	madkit_send_free(send);
}

static void shuffle(size_t *order, size_t n)
{
	for (size_t i = n; i > 1; i--) {
		size_t j = (size_t)random() % i, t = order[i - 1];

		order[i - 1] = order[j];
		order[j] = t;
	}
}

/* One in five is never answered, one in five twice. */
static void test_agent_flight_many(void)
{
	static struct many many;
	size_t order[MANY];
	unsigned int bad = 0, silent = 0, tids = 0;

	agent_flight_start();
	struct madkit_agent *its = fake_agent(port, MADKIT_CLASS_PERF, 0, many_end, many_recv, &many);

	srandom(42);
	for (size_t i = 0; i < MANY; i++) {
		struct madkit_send *send = fake_get(MADKIT_CLASS_PERF, 0x12, 1000, 0);

		send->mad[22] = (uint8_t)(i >> 8);
		send->mad[23] = (uint8_t)i;
		send->context = (void *)(uintptr_t)i;
		madkit_agent_post(its, send);
		order[i] = i;
	}
	is_u64(madkit_agent_outstanding(its), MANY, "500 in flight");
	for (size_t i = 0; i < MANY; i++)
		tids += !(uint32_t)fake_tid(fake->sent[i].mad);
	is_u64(tids, 0, "no low half is 0, although numbering wrapped");
	for (size_t i = 0; i < MANY; i++)
		for (size_t j = 0; j < i; j++)
			tids += (uint32_t)fake_tid(fake->sent[i].mad) ==
				(uint32_t)fake_tid(fake->sent[j].mad);
	is_u64(tids, 0, "no two have the same low half of a TID");
	shuffle(order, MANY);
	for (size_t k = 0; k < MANY; k++) {
		size_t i = order[k];

		if (i % 5 == 0)
			continue;
		fake_answer(fake, (uint64_t)random() % 900, &fake->sent[i]);
		if (i % 5 == 1)
			fake_answer(fake, (uint64_t)random() % 900, &fake->sent[i]);
	}
	while (madkit_agent_outstanding(its)) {
		madkit_port_wait(port, -1);
		madkit_port_process(port);
	}
	for (size_t i = 0; i < MANY; i++) {
		unsigned int answer = i % 5 != 0;

		silent += !answer;
		bad += many.ends[i] != 1 || many.recvs[i] != answer ||
		       many.status[i] != (answer ? 0 : -ETIMEDOUT);
	}
	is_u64(bad, 0, "answered in random order: each ended once, as it should");
	is_u64(many.wrong, 0, "each response came to its own request");
	is_u64(agent_flight_count()->expired, silent, "the silent ones expired");
	is_u64(agent_flight_count()->unmatched, MANY / 5, "the second answers were dropped");
	is_u64(madkit_port_deadline(port), UINT64_MAX, "no deadline is left");
	agent_flight_stop();
}

int main(void)
{
	test_answer();
	test_no_response_wanted();
	test_long();
	test_reported_timeouts();
	test_agent_flight_own_deadline();
	test_absurd();
	test_agent_flight_forever();
	test_forever_ends();
	test_forever_rmpp();
	test_other_failure();
	test_agent_flight_busy();
	test_agent_flight_cancel();
	test_again();
	test_agent_flight_many();
	is_u64(left_over, 0, "no test left anything in the tables");
	return tap_done();
}
