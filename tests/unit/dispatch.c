/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* madkit_dispatcher: windows, parking, and the ends of jobs, in virtual time. */
#include <errno.h>
#include <string.h>
#include "tests/tap.h"
#include "tests/unit/fake_transport.h"
#include "util/time.h"

enum { JOBS = 40 };

static struct fake *fake;
static struct madkit_port *port;
static struct madkit_dispatcher *dispatcher;
static struct madkit_agent *agent;
static struct madkit_job jobs[JOBS];
static unsigned int silent_from; /* requests from this number on are not answered */
static unsigned int lost;        /* tries of each request that are lost before one is answered */
static unsigned int trip_ms;
static bool redirects, cancels,
	interrupts; /* responses redirect, without a place; jobs[0] is cancelled when that is asked for */

/* Answers after trip_ms, or the kernel returns the request. */
static void dispatch_peer(struct fake *f, const struct fake_sent *sent)
{
	unsigned int tries = 0;
	struct fake_arrival *answer;

	if (redirects) {
		if (sent->mad[MADKIT_MAD_ATTRIBUTE + 1] == MADKIT_ATTR_CLASS_PORT_INFO) {
			if (cancels)
				madkit_dispatcher_cancel(dispatcher, &jobs[0], -ECANCELED);
			if (interrupts) {
				f->wait_result = -EINTR;
				f->wait_ms = 900;
				return;
			}
			fake_return(f, sent->timeout_ms, sent, ETIMEDOUT);
			return;
		}
		answer = fake_answer(f, trip_ms, sent);
		answer->mad[MADKIT_MAD_STATUS + 1] = MADKIT_STATUS_REDIRECT;
		return;
	}
	for (size_t i = 0; i < f->nsent; i++)
		tries += f->sent[i].to.lid == sent->to.lid;
	if (sent->to.lid - 1u < silent_from && tries > lost)
		fake_answer(f, trip_ms, sent);
	else
		fake_return(f, sent->timeout_ms, sent, ETIMEDOUT);
}

static void dispatch_begin(uint8_t mgmt_class, const struct madkit_dispatcher_attr *attr)
{
	const struct madkit_agent_attr wanted = { .mgmt_class = mgmt_class };

	fake = fake_new();
	fake->peer = dispatch_peer;
	port = fake_port(fake);
	silent_from = JOBS;
	lost = 0;
	trip_ms = 1;
	redirects = cancels = interrupts = false;
	is_int(madkit_dispatcher_new(port, attr, &dispatcher), 0, "a dispatcher");
	is_int(madkit_dispatcher_agent(dispatcher, &wanted, &agent, NULL), 0, "with an agent");
	for (unsigned int i = 0; i < JOBS; i++) {
		struct madkit_send *send = fake_get(mgmt_class, 0x11, 1000, 2);

		send->to.lid = i + 1;
		jobs[i] = (struct madkit_job){
			.agent = agent, .send = send, .deadline_ns = UINT64_MAX, .context = &jobs[i]
		};
	}
}

static void dispatch_finish(void)
{
	madkit_dispatcher_free(dispatcher);
	for (unsigned int i = 0; i < JOBS; i++) {
		madkit_recv_free(jobs[i].reply.recv);
		madkit_send_free(jobs[i].send);
	}
	madkit_port_close(port);
}

/* Posts jobs from number first on while there is room. How many. */
static unsigned int dispatch_fill(unsigned int first)
{
	unsigned int n = 0;

	while (first + n < JOBS && madkit_dispatcher_has_room(dispatcher, jobs[0].send->mad[1])) {
		struct madkit_job *job = &jobs[first + n];

		/* of the time before */
		madkit_recv_free(job->reply.recv);
		job->reply.recv = NULL;
		if (madkit_dispatcher_post(dispatcher, job))
			break;
		n++;
	}
	return n;
}

/* Posts and takes all jobs. How long that takes, in ms. */
static uint64_t dispatch_all(unsigned int *answered)
{
	uint64_t begin = fake->now;
	unsigned int next = 0;

	*answered = 0;
	do {
		struct madkit_job *job;

		next += dispatch_fill(next);
		if (madkit_dispatcher_wait(dispatcher, UINT64_MAX) < 0)
			break;
		while ((job = madkit_dispatcher_take(dispatcher)))
			*answered += job->reply.recv != NULL;
	} while (next < JOBS || madkit_dispatcher_outstanding(dispatcher));
	return (fake->now - begin) / NS_PER_MS;
}

static void test_window(void)
{
	const struct madkit_dispatcher_attr attr = { .window = 3 };
	struct madkit_dispatch_counts counts;
	struct madkit_job *job;

	dispatch_begin(MADKIT_CLASS_PERF, &attr);
	is_u64(dispatch_fill(0), 3, "three requests fill a window of three");
	is_int(madkit_dispatcher_post(dispatcher, &jobs[3]), -EAGAIN, "a fourth is refused");
	ok(madkit_dispatcher_has_room(dispatcher, MADKIT_CLASS_SUBN), "SMPs have a window of their own");
	ok(!madkit_dispatcher_take(dispatcher), "none has ended");
	is_int(madkit_dispatcher_wait(dispatcher, UINT64_MAX), 1, "one ends");
	is_u64(fake->now / NS_PER_MS % 1000, 1, "after its round trip");
	job = madkit_dispatcher_take(dispatcher);
	ok(job == &jobs[0] && job->context == job, "the first");
	ok(job && !job->error && !job->reply.status && job->reply.recv, "with its response");
	ok(job && job->reply.attempts == 1 && job->reply.rtt_ns == NS_PER_MS, "its tries and round trip");
	madkit_dispatcher_count(dispatcher, &counts);
	ok(!counts.parked && counts.window + 1 <= 3, "its place is free");
	is_int(madkit_dispatcher_wait(dispatcher, 0), madkit_dispatcher_take(dispatcher) ? 1 : 0,
	       "a time that has passed only looks");
	dispatch_finish();
}

static void test_parking(void)
{
	const struct madkit_dispatcher_attr attr = { .window = 2, .parked = 3 };
	struct madkit_dispatch_counts counts;
	uint64_t begin;

	dispatch_begin(MADKIT_CLASS_PERF, &attr);
	silent_from = 0;
	begin = fake->now;
	is_u64(dispatch_fill(0), 2, "two silent requests");
	is_int(madkit_dispatcher_wait(dispatcher, UINT64_MAX), 1, "make room");
	is_u64((fake->now - begin) / NS_PER_MS, 50, "after 50 ms");
	madkit_dispatcher_count(dispatcher, &counts);
	ok(!counts.window && counts.parked == 2, "being parked");
	is_u64(dispatch_fill(2), 2, "two others");
	is_int(madkit_dispatcher_wait(dispatcher, UINT64_MAX), 1, "wait again");
	madkit_dispatcher_count(dispatcher, &counts);
	ok(counts.window == 1 && counts.parked == 3, "no more than three are parked");
	is_u64(dispatch_fill(4), 1, "so that one place is free");
	is_int(madkit_dispatcher_wait(dispatcher, UINT64_MAX), 1, "until the first has ended");
	is_u64((fake->now - begin) / NS_PER_MS, 3000, "after all of its tries");
	ok(madkit_dispatcher_take(dispatcher) == &jobs[0], "this is it");
	is_int(jobs[0].reply.status, -ETIMEDOUT, "without a response");
	is_u64(jobs[0].reply.attempts, 3, "parked requests are resent");
	dispatch_finish();
}

static void test_late(void)
{
	const struct madkit_dispatcher_attr attr = { .window = 1 };
	unsigned int answered;

	dispatch_begin(MADKIT_CLASS_PERF, NULL);
	trip_ms = 700;
	is_u64(dispatch_all(&answered), 700, "slow responses to forty requests come together");
	is_u64(answered, JOBS, "and those of parked requests count");
	dispatch_finish();

	dispatch_begin(MADKIT_CLASS_PERF, &attr);
	trip_ms = 60;
	is_u64(dispatch_all(&answered), UINT64_C(60) * JOBS, "a window of one parks nothing");
	dispatch_finish();
}

/* The occupancy follows the round trips. */
static void test_trips(void)
{
	const struct madkit_dispatcher_attr attr = { .window = 2 };
	unsigned int answered;
	uint64_t begin;

	dispatch_begin(MADKIT_CLASS_PERF, &attr);
	trip_ms = 40;
	dispatch_all(&answered);
	is_u64(answered, JOBS, "round trips of 40 ms");
	silent_from = 0;
	for (unsigned int i = 0; i < 2; i++) {
		madkit_recv_free(jobs[i].reply.recv);
		madkit_dispatcher_post(dispatcher, &jobs[i]);
	}
	begin = fake->now;
	is_int(madkit_dispatcher_wait(dispatcher, UINT64_MAX), 1, "two silent ones");
	is_u64((fake->now - begin) / NS_PER_MS, 160, "occupy the window for four of them");
	dispatch_finish();
}

static void test_silent(void)
{
	unsigned int answered;
	uint64_t all;

	dispatch_begin(MADKIT_CLASS_PERF, NULL);
	all = dispatch_all(&answered);
	dispatch_finish();
	dispatch_begin(MADKIT_CLASS_PERF, NULL);
	silent_from = JOBS - 10;
	ok(dispatch_all(&answered) <= all + 3000, "silent nodes cost one round of timeouts");
	is_u64(answered, JOBS - 10, "and the others are answered");
	dispatch_finish();
}

static void test_smps(void)
{
	struct madkit_dispatch_counts counts;
	unsigned int answered;

	dispatch_begin(MADKIT_CLASS_SUBN, NULL);
	is_u64(dispatch_fill(0), MADKIT_DISPATCH_SMPS, "SMPs begin with a small window");
	madkit_dispatcher_count(dispatcher, &counts);
	ok(counts.smps == MADKIT_DISPATCH_SMPS && !counts.window, "of their own");
	madkit_dispatcher_end(dispatcher, -EINTR);
	while (madkit_dispatcher_take(dispatcher))
		;
	is_u64(dispatch_all(&answered), 5, "forty take five round trips of eight");
	is_u64(answered, JOBS, "and all are answered");
	dispatch_finish();

	dispatch_begin(MADKIT_CLASS_SUBN, NULL);
	is_u64(dispatch_fill(0), MADKIT_DISPATCH_SMPS, "eight SMPs");
	fake->now += 1000 * NS_PER_MS;
	while (madkit_dispatcher_outstanding(dispatcher) &&
	       madkit_dispatcher_wait(dispatcher, UINT64_MAX) >= 0)
		while (madkit_dispatcher_take(dispatcher))
			;
	is_u64(dispatch_fill(8), MADKIT_DISPATCH_SMPS + 1, "the window grows by one in a timeout");
	dispatch_finish();

	dispatch_begin(MADKIT_CLASS_SUBN, NULL);
	lost = 1;
	is_u64(dispatch_fill(0), MADKIT_DISPATCH_SMPS, "eight SMPs whose first try is lost");
	while (madkit_dispatcher_outstanding(dispatcher) &&
	       madkit_dispatcher_wait(dispatcher, UINT64_MAX) >= 0)
		while (madkit_dispatcher_take(dispatcher))
			;
	is_u64(dispatch_fill(8), MADKIT_DISPATCH_SMPS / 2, "halve the window, once");
	for (unsigned int i = 0; i < 3; i++) {
		lost = 1;
		while (madkit_dispatcher_outstanding(dispatcher) &&
		       madkit_dispatcher_wait(dispatcher, UINT64_MAX) >= 0)
			while (madkit_dispatcher_take(dispatcher))
				;
		dispatch_fill(16);
	}
	madkit_dispatcher_count(dispatcher, &counts);
	is_u64(counts.smps, 1, "further losses make it 1");
	dispatch_finish();

	dispatch_begin(MADKIT_CLASS_SUBN, NULL);
	silent_from = 0;
	is_u64(dispatch_fill(0), MADKIT_DISPATCH_SMPS, "eight SMPs to silent nodes");
	while (madkit_dispatcher_outstanding(dispatcher) &&
	       madkit_dispatcher_wait(dispatcher, UINT64_MAX) >= 0)
		while (madkit_dispatcher_take(dispatcher))
			;
	is_u64(dispatch_fill(8), MADKIT_DISPATCH_SMPS, "do not");
	dispatch_finish();
}

/* Posts SMPs as the window allows, and takes all. Returns how many. */
static unsigned int dispatch_round(unsigned int first)
{
	const unsigned int n = dispatch_fill(first);

	while (madkit_dispatcher_outstanding(dispatcher) &&
	       madkit_dispatcher_wait(dispatcher, UINT64_MAX) >= 0)
		while (madkit_dispatcher_take(dispatcher))
			;
	return n;
}

static void test_sizes(void)
{
	const struct madkit_dispatcher_attr attr = { .smps = 2, .smps_max = 4 };
	unsigned int next = 0;

	dispatch_begin(MADKIT_CLASS_SUBN, &attr);
	for (unsigned int i = 0; i < 2; i++) {
		fake->now += 1000 * NS_PER_MS;
		lost = 1;
		is_u64(dispatch_round(next), 2, "a window of 2 loses, time %u", i + 1);
		lost = 0;
		fake->now += 1000 * NS_PER_MS;
		is_u64(dispatch_round(next + 2), 1, "and is 1");
		next += 3;
	}
	for (unsigned int i = 0; i < 3; i++) {
		fake->now += 1000 * NS_PER_MS;
		is_u64(dispatch_round(next++), 1, "it does not return to 2, at which it has lost twice");
	}
	dispatch_finish();

	dispatch_begin(MADKIT_CLASS_SUBN, &attr);
	for (unsigned int i = 0; i < 4; i++) {
		fake->now += 1000 * NS_PER_MS;
		is_u64(dispatch_round(next = 5 * i), i < 2 ? i + 2 : 4,
		       "without a loss, it grows to its maximum");
	}
	dispatch_finish();
}

static void test_last_tries(void)
{
	const struct madkit_dispatcher_attr attr = { .window = 64, .smps = 1, .smps_max = 1 };
	uint64_t begin;

	dispatch_begin(MADKIT_CLASS_SUBN, NULL);
	silent_from = 0;
	madkit_dispatcher_last_tries(dispatcher, true);
	ok(madkit_dispatcher_has_room(dispatcher, MADKIT_CLASS_SUBN), "last tries");
	is_u64(dispatch_fill(0), MADKIT_DISPATCH_LAST_SMPS, "are sent one at a time");
	ok(!madkit_dispatcher_has_room(dispatcher, MADKIT_CLASS_SUBN) &&
		   madkit_dispatcher_has_room(dispatcher, MADKIT_CLASS_PERF),
	   "other requests have room");
	fake->now += 10000 * NS_PER_MS;
	while (madkit_dispatcher_outstanding(dispatcher) &&
	       madkit_dispatcher_wait(dispatcher, UINT64_MAX) >= 0)
		while (madkit_dispatcher_take(dispatcher))
			;
	silent_from = JOBS;
	is_u64(dispatch_fill(2), MADKIT_DISPATCH_LAST_SMPS, "and always so many");
	while (madkit_dispatcher_outstanding(dispatcher) &&
	       madkit_dispatcher_wait(dispatcher, UINT64_MAX) >= 0)
		while (madkit_dispatcher_take(dispatcher))
			;
	madkit_dispatcher_last_tries(dispatcher, false);
	is_u64(dispatch_fill(4), MADKIT_DISPATCH_SMPS, "the window of the others has not changed");
	dispatch_finish();

	dispatch_begin(MADKIT_CLASS_SUBN, &attr);
	madkit_dispatcher_last_tries(dispatcher, true);
	is_u64(dispatch_fill(0), 1, "no more than other SMPs");
	dispatch_finish();

	dispatch_begin(MADKIT_CLASS_SUBN, NULL);
	trip_ms = 100;
	dispatch_round(0);
	silent_from = 0;
	madkit_dispatcher_last_tries(dispatcher, true);
	dispatch_fill(8);
	begin = fake->now;
	is_u64((unsigned int)madkit_dispatcher_wait(dispatcher, UINT64_MAX), 1, "the next of them is sent");
	is_u64((fake->now - begin) / NS_PER_MS, 400, "after four round trips of the SMPs before");
	dispatch_finish();
}

/* Returns the largest number of MADs that were sent within a second. */
static unsigned int dispatch_most(void)
{
	unsigned int most = 0;

	for (size_t first = 0, next = 0; first < fake->nsent; first++) {
		while (next < fake->nsent && fake->sent[next].at - fake->sent[first].at < NS_PER_S)
			next++;
		if (next - first > most)
			most = (unsigned int)(next - first);
	}
	return most;
}

static void test_rate(void)
{
	struct madkit_send *response;
	unsigned int answered;
	uint64_t ms, begin;

	dispatch_begin(MADKIT_CLASS_PERF, NULL);
	is_int(madkit_port_set_mad_rate(port, MADKIT_PORT_MAD_RATE_MAX + 1), -EINVAL, "too high a rate");
	is_int(madkit_port_set_mad_rate(port, 20), 0, "20 MADs a second");
	lost = 1;
	begin = fake->now;
	ok(!dispatch_fill(0), "the first one waits, too");
	ms = dispatch_all(&answered);
	is_u64((fake->sent[0].at - begin) / NS_PER_MS, 51, "for its time, in whole ms");
	is_u64(answered, JOBS, "all requests are answered");
	is_u64(fake->nsent, 2 * JOBS, "by their second tries");
	ok(dispatch_most() <= 20, "a second has no more, with resends, than the rate");
	ok(ms >= 3950 && ms < 5000, "80 MADs take about 4 s: %u ms", (unsigned int)ms);
	dispatch_finish();

	dispatch_begin(MADKIT_CLASS_SUBN, NULL);
	madkit_port_set_mad_rate(port, 400);
	fake->now += NS_PER_S;
	is_u64(dispatch_fill(0), 4, "a burst of a hundredth of the rate after a pause");
	while (madkit_dispatcher_outstanding(dispatcher) &&
	       madkit_dispatcher_wait(dispatcher, UINT64_MAX) >= 0)
		while (madkit_dispatcher_take(dispatcher))
			;
	ms = dispatch_all(&answered);
	ok(answered == JOBS && ms >= 85 && ms <= 102, "SMPs, in spite of waits of whole ms: %u ms",
	   (unsigned int)ms);
	madkit_port_set_mad_rate(port, 0);
	is_u64(dispatch_all(&answered), 5, "0 ends the limit");
	dispatch_finish();

	dispatch_begin(MADKIT_CLASS_PERF, NULL);
	madkit_port_set_mad_rate(port, 1);
	begin = fake->now;
	for (unsigned int i = 0; i < 5; i++)
		is_int(madkit_dispatcher_post(dispatcher, &jobs[i]), 0,
		       "a request is accepted without a token");
	fake->wait_result = -EINTR;
	is_int(madkit_dispatcher_wait(dispatcher, UINT64_MAX), -EINTR, "a signal ends the wait for one");
	fake->wait_result = 0;
	is_int(madkit_dispatcher_wait(dispatcher, begin + 10 * NS_PER_MS), 0, "so does the end of the wait");
	is_u64(fake->now - begin, 10 * NS_PER_MS, "at its time");
	ok(!fake->nsent, "nothing was sent yet");
	response = fake_get(MADKIT_CLASS_PERF, 0x11, 0, 0);
	response->mad[MADKIT_MAD_METHOD] |= MADKIT_METHOD_RESPONSE;
	is_int(madkit_agent_post(agent, response), 0, "a response");
	is_u64(fake->nsent, 1, "does not wait for the requests before it");
	answered = 0;
	for (unsigned int n = 0; madkit_dispatcher_outstanding(dispatcher) && n < 40; n++) {
		struct madkit_job *job;

		madkit_dispatcher_wait(dispatcher, UINT64_MAX);
		while ((job = madkit_dispatcher_take(dispatcher)))
			answered += job->reply.recv != NULL;
	}
	is_u64(answered, 5, "it waits in the queue for longer than for a device without room");
	is_u64((fake->now - begin) / NS_PER_MS, 5051, "and each takes a second");
	madkit_send_free(response);
	dispatch_finish();
}

static void test_ends(void)
{
	struct madkit_job *job;

	dispatch_begin(MADKIT_CLASS_PERF, NULL);
	silent_from = 0;
	jobs[0].deadline_ns = fake->now + 20 * NS_PER_MS;
	dispatch_fill(0);
	madkit_dispatcher_cancel(dispatcher, &jobs[1], -ECANCELED);
	is_int(madkit_dispatcher_wait(dispatcher, UINT64_MAX), 1, "a job that is cancelled");
	job = madkit_dispatcher_take(dispatcher);
	ok(job == &jobs[1] && job->error == -ECANCELED && !job->reply.recv, "ends at once");
	is_int(madkit_dispatcher_wait(dispatcher, UINT64_MAX), 1, "a job with a deadline");
	job = madkit_dispatcher_take(dispatcher);
	ok(job == &jobs[0] && !job->error && job->reply.status == -ETIMEDOUT, "ends then");
	is_u64((jobs[0].ended_ns - jobs[0].posted_ns) / NS_PER_MS, 20, "not later");
	fake->wait_result = -EINTR;
	is_int(madkit_dispatcher_wait(dispatcher, UINT64_MAX), -EINTR, "a signal ends the wait");
	fake->wait_result = 0;
	fake->receive_result = -EIO;
	is_int(madkit_dispatcher_wait(dispatcher, UINT64_MAX), 1, "a device that is gone");
	for (unsigned int n = 0; (job = madkit_dispatcher_take(dispatcher)); n++)
		if (job->reply.status != -EIO)
			ok(false, "job %u ended with %d", n, job->reply.status);
	ok(!madkit_dispatcher_outstanding(dispatcher), "ends all jobs");
	is_int(madkit_dispatcher_wait(dispatcher, UINT64_MAX), -EIO, "and is reported then");
	is_int(madkit_dispatcher_post(dispatcher, &jobs[0]), -ENODEV, "nothing more is posted");
	dispatch_finish();
}

static void test_redirected(void)
{
	dispatch_begin(MADKIT_CLASS_PERF, NULL);
	redirects = true;
	jobs[0].redirects = 1;
	madkit_dispatcher_post(dispatcher, &jobs[0]);
	is_int(madkit_dispatcher_wait(dispatcher, UINT64_MAX), 1, "a request that is redirected to nowhere");
	ok(madkit_dispatcher_take(dispatcher) == &jobs[0] && !jobs[0].error && jobs[0].reply.recv,
	   "ends with the response that says so");
	is_int(jobs[0].redirected.error.code, -ETIMEDOUT, "because the place is not told");
	madkit_recv_free(jobs[0].reply.recv);
	cancels = true;
	madkit_dispatcher_post(dispatcher, &jobs[0]);
	madkit_dispatcher_wait(dispatcher, UINT64_MAX);
	ok(madkit_dispatcher_take(dispatcher) == &jobs[0] && jobs[0].error == -ECANCELED &&
		   !jobs[0].reply.recv,
	   "one that is cancelled while that is asked for ends as cancelled");
	dispatch_finish();
}

/* A signal while one of two is followed, and the deadline of both has passed. */
static void test_interrupted(void)
{
	unsigned int n = 0;

	dispatch_begin(MADKIT_CLASS_PERF, NULL);
	redirects = interrupts = true;
	for (unsigned int i = 0; i < 2; i++) {
		jobs[i].redirects = 1;
		jobs[i].deadline_ns = fake->now + 500 * NS_PER_MS;
		madkit_dispatcher_post(dispatcher, &jobs[i]);
	}
	while (madkit_dispatcher_outstanding(dispatcher) && n++ < 4) {
		madkit_dispatcher_wait(dispatcher, UINT64_MAX);
		while (madkit_dispatcher_take(dispatcher))
			;
	}
	is_int(jobs[0].error, -EINTR, "a signal ends the one that is followed");
	ok(!jobs[1].error && !jobs[1].reply.status && jobs[1].reply.recv,
	   "and the deadline the other, with the response that redirects");
	is_int(jobs[1].redirected.error.code, -ETIMEDOUT, "and the reason why it was not followed");
	is_u64(madkit_agent_outstanding(agent), 0, "whose send had ended before");
	dispatch_finish();
}

static void test_dispatch_agents(void)
{
	struct madkit_agent_attr attr = { .mgmt_class = MADKIT_CLASS_PERF };
	const struct madkit_dispatcher_attr bad = { .smps = 9, .smps_max = 8 };
	struct madkit_dispatcher *other;
	struct madkit_agent *again;

	dispatch_begin(MADKIT_CLASS_PERF, NULL);
	is_int(madkit_dispatcher_agent(dispatcher, &attr, &again, NULL), 0, "an agent");
	ok(again == agent, "is used again");
	attr.class_version = 2;
	is_int(madkit_dispatcher_agent(dispatcher, &attr, &again, NULL), 0, "another class version");
	ok(again != agent, "has an agent of its own");
	is_int(madkit_dispatcher_new(port, &bad, &other), -EINVAL, "limits that contradict each other");
	madkit_dispatcher_free(NULL);
	dispatch_finish();
}

/* A program that waits by itself, and asks the dispatcher when it is due. */
static void test_due(void)
{
	unsigned int calls = 0;
	uint64_t begin;

	dispatch_begin(MADKIT_CLASS_PERF, NULL);
	begin = fake->now;
	is_u64(madkit_dispatcher_deadline(dispatcher), UINT64_MAX, "nothing is due without jobs");
	silent_from = 0;
	jobs[0].deadline_ns = begin + 100 * NS_PER_MS;
	madkit_dispatcher_post(dispatcher, &jobs[0]);
	is_u64(madkit_dispatcher_deadline(dispatcher), begin + 50 * NS_PER_MS, "it is parked after 50 ms");
	while (madkit_dispatcher_outstanding(dispatcher) && calls++ < 10) {
		uint64_t due = madkit_dispatcher_deadline(dispatcher);

		if (due > fake->now)
			fake_advance(fake, (due - fake->now) / NS_PER_MS);
		madkit_dispatcher_wait(dispatcher, 0);
		madkit_dispatcher_take(dispatcher);
	}
	is_u64(fake->now - begin, 100 * NS_PER_MS, "and ends at its deadline");
	ok(calls <= 4, "after %u calls", calls);
	dispatch_finish();
}

int main(void)
{
	test_due();
	test_window();
	test_parking();
	test_late();
	test_trips();
	test_silent();
	test_smps();
	test_sizes();
	test_last_tries();
	test_rate();
	test_ends();
	test_redirected();
	test_interrupted();
	test_dispatch_agents();
	return tap_done();
}
