/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The end of the resends of a request, and the resends that the device is asked for; a device that blocks. */
#include <errno.h>
#include <stdlib.h>
#include "agent/agent.h"
#include "tests/tap.h"
#include "tests/unit/fake_transport.h"
#include "util/array_size.h"

enum { VENDOR = 0x32, KERNEL_RMPP = 1 };

static struct fake *fake;
static struct madkit_port *port;
static struct madkit_agent *agent;
static unsigned int ends;
static int last;

static void test_agent_stop_on_end(struct madkit_agent *a, struct madkit_send *send, int status)
{
	(void)a;
	(void)send;
	ends++;
	last = status;
}

/* The device returns every try as timed out, after all that it resends itself. */
static void time_out(struct fake *f, const struct fake_sent *sent)
{
	if (sent->timeout_ms && sent->timeout_ms != MADKIT_FOREVER)
		fake_return(f, (uint64_t)sent->timeout_ms * (sent->retries + 1), sent, ETIMEDOUT);
}

static void test_agent_stop_start(uint8_t mgmt_class, uint8_t rmpp_version)
{
	fake = fake_new();
	fake->peer = time_out;
	port = fake_port(fake);
	agent = fake_agent(port, mgmt_class, rmpp_version, test_agent_stop_on_end, NULL, NULL);
	ends = 0;
	last = 1;
}

static void test_agent_stop_sender(struct madkit_send *send)
{
	madkit_port_close(port);
	madkit_send_free(send);
}

static struct madkit_send *test_agent_stop_request(uint8_t mgmt_class, uint8_t method, size_t len,
						   uint32_t timeout_ms, uint32_t retries)
{
	struct madkit_send *send = madkit_send_new(len);

	if (!send)
		abort();
	send->mad[MADKIT_MAD_BASE_VERSION] = MADKIT_BASE_VERSION_IB;
	send->mad[MADKIT_MAD_CLASS] = mgmt_class;
	send->mad[MADKIT_MAD_CLASS_VERSION] = madkit_class_version(mgmt_class);
	send->mad[MADKIT_MAD_METHOD] = method;
	send->to.lid = 7;
	send->timeout_ms = timeout_ms;
	send->retries = retries;
	return send;
}

static void test_agent_stop_run(void)
{
	while (madkit_agent_outstanding(agent))
		fake_step(port);
}

/* For so long after all has ended. */
static void linger(uint64_t ms)
{
	uint64_t until = fake->now + ms * NS_PER_MS;

	while (fake->now < until) {
		madkit_port_wait(port, (int)((until - fake->now + NS_PER_MS - 1) / NS_PER_MS));
		madkit_port_process(port);
	}
}

/* ---- who resends --------------------------------------------------------------- */

/* On an agent with kernel RMPP. */
static void test_who(void)
{
	static const struct {
		const char *what;
		uint8_t mgmt_class, method;
		uint16_t len;
		bool kernel;
	} rows[] = {
		{ "Get of the SA", MADKIT_CLASS_SA, MADKIT_METHOD_GET, 256, false },
		{ "Set of the SA", MADKIT_CLASS_SA, MADKIT_METHOD_SET, 256, false },
		{ "Delete of the SA", MADKIT_CLASS_SA, MADKIT_METHOD_DELETE, 256, false },
		{ "GetTable of the SA", MADKIT_CLASS_SA, MADKIT_METHOD_GET_TABLE, 256, true },
		{ "GetTraceTable of the SA", MADKIT_CLASS_SA, MADKIT_METHOD_GET_TRACE_TABLE, 256, true },
		{ "GetMulti of the SA", MADKIT_CLASS_SA, MADKIT_METHOD_GET_MULTI, 256, true },
		{ "Set of a vendor", VENDOR, MADKIT_METHOD_SET, 256, false },
		{ "a vendor's method", VENDOR, MADKIT_METHOD_GET_TABLE, 256, false },
		{ "Set of device management", MADKIT_CLASS_DEVICE, MADKIT_METHOD_SET, 256, false },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct madkit_send *send =
			test_agent_stop_request(rows[i].mgmt_class, rows[i].method, rows[i].len, 200, 3);
		bool same = true;

		test_agent_stop_start(rows[i].mgmt_class, KERNEL_RMPP);
		madkit_agent_post(agent, send);
		test_agent_stop_run();
		for (size_t k = 1; k < fake->nsent; k++)
			same &= fake_tid(fake->sent[0].mad) == fake_tid(fake->sent[k].mad);
		ok(fake->nsent == (rows[i].kernel ? 1 : 4) && send->kernel_resends == rows[i].kernel &&
			   fake->sent[0].retries == (rows[i].kernel ? 3 : 0),
		   "C3: %s is resent by the %s", rows[i].what, rows[i].kernel ? "kernel" : "library");
		ok(same && last == -ETIMEDOUT && send->attempts == fake->nsent,
		   "C3: ... with the same transaction ID");
		test_agent_stop_sender(send);
	}
}

static void test_long_request(void)
{
	struct madkit_send *send = test_agent_stop_request(VENDOR, 0x10, 1000, 2500, 3);

	test_agent_stop_start(VENDOR, KERNEL_RMPP);
	/* the kernel returns one that was acknowledged after one timeout, whatever its retries */
	fake->peer = NULL;
	madkit_agent_post(agent, send);
	fake_return(fake, 2500, &fake->sent[0], ETIMEDOUT);
	test_agent_stop_run();
	ok(fake->nsent == 1 && fake->sent[0].retries == 3 && send->kernel_resends && last == -ETIMEDOUT,
	   "C4: kernel RMPP: a request of several segments is not sent again");
	test_agent_stop_sender(send);
}

/* ---- the end of a request --------------------------------------------------------- */

static void test_agent_stop_cancel(uint8_t rmpp_version)
{
	struct madkit_send *send = test_agent_stop_request(VENDOR, MADKIT_METHOD_SET, 256, 200, 9);

	test_agent_stop_start(VENDOR, rmpp_version);
	madkit_agent_post(agent, send);
	while (fake->nsent < 3)
		fake_step(port);
	is_int(madkit_agent_cancel(agent, send), 0, "C3: cancelled after three tries");
	linger(5000);
	ok(fake->nsent == 3 && ends == 1 && last == -ECANCELED && fake->sent[2].retries == 0,
	   "C3: nothing is sent after that, by the %s", rmpp_version ? "kernel either" : "library");
	test_agent_stop_sender(send);
}

/* The device has accepted the last try before the deadline; nothing is sent at it or later. */
static void test_agent_stop_deadline(void)
{
	static const struct {
		uint8_t method;
		unsigned int timeout_ms, retries, deadline_ms;
		unsigned int sends, device[2], tries;
	} rows[] = {
		{ MADKIT_METHOD_SET, 200, 9, 500, 3, { 0, 0 }, 3 },
		{ MADKIT_METHOD_SET, 200, 9, 600, 3, { 0, 0 }, 3 },
		{ MADKIT_METHOD_SET, 200, 9, 0, 1, { 0, 0 }, 1 },
		{ MADKIT_METHOD_GET_TABLE, 200, 9, 500, 2, { 1, 0 }, 3 },
		{ MADKIT_METHOD_GET_TABLE, 200, 9, 600, 1, { 2, 0 }, 3 },
		{ MADKIT_METHOD_GET_TABLE, 200, 1, 600, 1, { 1, 0 }, 2 },
		{ MADKIT_METHOD_GET_TABLE, 200, 9, 199, 1, { 0, 0 }, 1 },
		{ MADKIT_METHOD_GET_TABLE, 200, 9, 0, 1, { 0, 0 }, 1 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct madkit_send *send = test_agent_stop_request(MADKIT_CLASS_SA, rows[i].method, 256,
								   rows[i].timeout_ms, rows[i].retries);
		struct madkit_reply reply;
		uint64_t begin;
		size_t tries = 0;

		test_agent_stop_start(MADKIT_CLASS_SA, KERNEL_RMPP);
		begin = fake->now;
		madkit_request(agent, send, begin + rows[i].deadline_ms * NS_PER_MS, &reply);
		linger(5000);
		for (size_t k = 0; k < fake->nsent; k++)
			tries += fake->sent[k].retries + 1;
		ok(fake->nsent == rows[i].sends && tries == rows[i].tries &&
			   fake->sent[0].retries == rows[i].device[0] && reply.status == -ETIMEDOUT,
		   "C3: %s, deadline %u ms: %u tries of 200 ms, of which the kernel resends %u",
		   rows[i].method == MADKIT_METHOD_SET ? "Set" : "GetTable", rows[i].deadline_ms,
		   rows[i].tries, rows[i].device[0]);
		test_agent_stop_sender(send);
	}
}

/* A response between the kernel's tries and the deadline still counts. */
static void test_rest(void)
{
	struct madkit_send *send =
		test_agent_stop_request(MADKIT_CLASS_SA, MADKIT_METHOD_GET_TABLE, 256, 1000, 5);
	struct madkit_reply reply;

	test_agent_stop_start(MADKIT_CLASS_SA, KERNEL_RMPP);
	madkit_agent_post(agent, send);
	madkit_agent_cancel(agent, send);
	fake_step(port);
	/* its transaction ID is that of the next request, plus one */
	fake->sent[0].mad[MADKIT_MAD_TID + 7]++;
	fake_answer(fake, 2300, &fake->sent[0]);
	madkit_request(agent, send, fake->now + 2500 * NS_PER_MS, &reply);
	ok(!reply.status && reply.recv && reply.attempts == 2,
	   "C3: GetTable, deadline 2500 ms: a response after 2300 ms, beyond two tries of 1 s, counts");
	madkit_recv_free(reply.recv);
	test_agent_stop_sender(send);
}

static void test_agent_stop_segments(void)
{
	static const struct {
		unsigned int deadline_ms, retries;
	} rows[] = {
		{ 20000, 3 }, { 8000, 3 }, { 7999, 2 }, { 3000, 0 }, { 0, 0 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct madkit_send *send = test_agent_stop_request(VENDOR, 0x10, 1000, 10000, 3);
		struct madkit_reply reply;

		test_agent_stop_start(VENDOR, KERNEL_RMPP);
		madkit_request(agent, send, fake->now + rows[i].deadline_ms * NS_PER_MS, &reply);
		ok(fake->nsent == 1 && fake->sent[0].retries == rows[i].retries,
		   "C3: several segments, deadline %u ms: the kernel resends what is not acknowledged %u times",
		   rows[i].deadline_ms, rows[i].retries);
		test_agent_stop_sender(send);
	}
}

static void test_shorten(void)
{
	struct madkit_send *send = test_agent_stop_request(VENDOR, MADKIT_METHOD_SET, 256, 10000, 2);
	uint64_t begin;

	test_agent_stop_start(VENDOR, KERNEL_RMPP);
	fake->peer = NULL;
	madkit_agent_post(agent, send);
	fake_advance(fake, 50);
	begin = fake->now;
	is_int(madkit_agent_modify(agent, send, 100), 0, "C3: 10 s become 100 ms");
	fake->peer = time_out;
	test_agent_stop_run();
	is_u64((fake->now - begin) / NS_PER_MS, 300, "C3: ... for each of three tries");
	linger(20000);
	is_u64(fake->nsent, 3, "C3: ... and no more are sent");
	test_agent_stop_sender(send);

	/* while a busy responder is left alone, and while the device accepts nothing */
	send = test_agent_stop_request(VENDOR, MADKIT_METHOD_SET, 256, 80000, 1);
	test_agent_stop_start(VENDOR, KERNEL_RMPP);
	fake->peer = NULL;
	madkit_agent_post(agent, send);
	fake_answer(fake, 1, &fake->sent[0])->mad[MADKIT_MAD_STATUS + 1] = 0x01;
	fake_step(port);
	begin = fake->now;
	madkit_agent_modify(agent, send, 100);
	fake_step(port);
	ok(fake->nsent == 2 && (fake->now - begin) / NS_PER_MS == 100,
	   "C3: the pause after BUSY is shortened, too");
	test_agent_stop_sender(send);
	send = test_agent_stop_request(VENDOR, MADKIT_METHOD_SET, 256, 80000, 1);
	test_agent_stop_start(VENDOR, KERNEL_RMPP);
	fake->send_result = -EAGAIN;
	madkit_agent_post(agent, send);
	begin = fake->now;
	madkit_agent_modify(agent, send, 2000);
	test_agent_stop_run();
	ok(last == -EAGAIN && (fake->now - begin) / NS_PER_MS == 2000,
	   "C3: so is the wait for a device that accepts nothing");
	test_agent_stop_sender(send);
}

/* The kernel's retries of segments are no tries of the request. */
static void test_shorten_segments(void)
{
	static const struct {
		uint32_t from_ms, retries;
	} rows[] = {
		{ 5000, 2 },
		{ 5000, 0 },
		{ MADKIT_FOREVER, 2 },
		{ MADKIT_FOREVER, 0 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct madkit_send *send =
			test_agent_stop_request(VENDOR, 0x10, 1000, rows[i].from_ms, rows[i].retries);
		uint64_t begin;

		test_agent_stop_start(VENDOR, KERNEL_RMPP);
		fake->peer = NULL;
		madkit_agent_post(agent, send);
		fake_advance(fake, 50);
		begin = fake->now;
		madkit_agent_modify(agent, send, 300);
		test_agent_stop_run();
		ok(ends == 1 && last == -ETIMEDOUT && (fake->now - begin) / NS_PER_MS == 300 &&
			   fake->nsent == 1,
		   "C3: several segments by the kernel, timeout %d, %u retries: 300 ms end it after 300 ms",
		   (int)rows[i].from_ms, (unsigned int)rows[i].retries);
		test_agent_stop_sender(send);
	}
}

/* ---- a device that blocks ----------------------------------------------------------- */

enum { BLOCKS_MS = 1000, CROWD = 5 };

/* How long the longest call of process took until all ended. */
static uint64_t longest(void)
{
	uint64_t most = 0;

	while (madkit_agent_outstanding(agent)) {
		uint64_t begin;

		madkit_port_wait(port, -1);
		begin = fake->now;
		madkit_port_process(port);
		if (fake->now - begin > most)
			most = fake->now - begin;
	}
	return most / NS_PER_MS;
}

static void test_blocks(int result)
{
	struct madkit_send *sends[CROWD];
	uint64_t most;

	test_agent_stop_start(MADKIT_CLASS_PERF, 0);
	for (unsigned int i = 0; i < CROWD; i++) {
		sends[i] = test_agent_stop_request(MADKIT_CLASS_PERF, MADKIT_METHOD_GET, 256, 200, 2);
		madkit_agent_post(agent, sends[i]);
	}
	fake->blocks_ms = BLOCKS_MS;
	fake->send_result = result;
	most = longest();
	ok(most == BLOCKS_MS, "C8: five resends that block a second each: one in each call of process: %u ms",
	   (unsigned int)most);
	ok(ends == CROWD && last == (result ? result : -ETIMEDOUT) &&
		   fake->nsent == (result ? CROWD : 3 * CROWD),
	   "C8: ... and each ends as it should, after %u tries", (unsigned int)fake->nsent);
	for (unsigned int i = 0; i < CROWD; i++)
		madkit_send_free(sends[i]);
	madkit_port_close(port);
}

/* A device that blocks before it says that it has no room. */
static void test_blocks_full(void)
{
	struct madkit_send *send;
	unsigned int calls = 0;
	uint64_t begin;

	test_agent_stop_start(MADKIT_CLASS_PERF, 0);
	fake->blocks_ms = 150;
	fake->send_result = -EAGAIN;
	send = test_agent_stop_request(MADKIT_CLASS_PERF, MADKIT_METHOD_GET, 256, 100, 2);
	begin = fake->now;
	is_int(madkit_agent_post(agent, send), 0, "a request for a device that blocks and has no room");
	while (madkit_agent_outstanding(agent) && calls++ < 100) {
		madkit_port_wait(port, 100);
		madkit_port_process(port);
	}
	ok(!madkit_agent_outstanding(agent) && fake->now - begin < 2000 * NS_PER_MS,
	   "ends all the same, after %u ms", (unsigned int)((fake->now - begin) / NS_PER_MS));
	madkit_port_close(port);
	madkit_send_free(send);
}

static struct madkit_send *next_send;

static void post_next(struct madkit_agent *a, struct madkit_send *send, int status)
{
	(void)send;
	(void)status;
	ends++;
	if (next_send)
		madkit_agent_post(a, next_send);
	next_send = NULL;
}

/* A handler posts after a resend has blocked. */
static void test_blocks_handler(void)
{
	struct madkit_send *a = test_agent_stop_request(MADKIT_CLASS_PERF, MADKIT_METHOD_GET, 256, 200, 1);
	struct madkit_send *b = test_agent_stop_request(MADKIT_CLASS_PERF, MADKIT_METHOD_GET, 256, 200, 0);

	test_agent_stop_start(MADKIT_CLASS_PERF, 0);
	madkit_agent_unregister(agent);
	agent = fake_agent(port, MADKIT_CLASS_PERF, 0, post_next, NULL, NULL);
	next_send = b;
	madkit_agent_post(agent, a);
	fake->blocks_ms = BLOCKS_MS;
	fake->send_result = -EHOSTUNREACH;
	is_u64(longest(), BLOCKS_MS, "C8: what a handler posts then is sent by the next call");
	is_u64(ends, 2, "C8: ... and ends");
	madkit_port_close(port);
	madkit_send_free(a);
	madkit_send_free(b);
}

/* Segments from many peers, with acknowledgements that block. */
static void test_blocks_acks(void)
{
	struct madkit_agent_attr attr = {
		.mgmt_class = VENDOR,
		.library_rmpp = true,
		.method_mask = { UINT64_MAX, UINT64_MAX },
	};
	struct madkit_addr from = { .qp = 1 };
	uint64_t begin, most = 0;
	uint8_t mad[256] = { 1, VENDOR, 1, 0x10 };

	test_agent_stop_start(MADKIT_CLASS_PERF, 0);
	madkit_agent_register(port, &attr, &agent, NULL);
	madkit_rmpp_set_version(mad, MADKIT_RMPP_VERSION);
	madkit_rmpp_set_type(mad, MADKIT_RMPP_DATA);
	madkit_rmpp_set_flags(mad, MADKIT_RMPP_ACTIVE | MADKIT_RMPP_FIRST);
	madkit_rmpp_set_segment(mad, 1);
	madkit_rmpp_set_length(mad, 2 * 220);
	for (unsigned int i = 0; i < CROWD; i++) {
		from.lid = 100 + i;
		fake_arrive(fake, 0, madkit_agent_id(agent), &from, mad, sizeof(mad), 0);
	}
	fake->blocks_ms = BLOCKS_MS;
	fake->send_result = -EHOSTUNREACH;
	for (unsigned int i = 0; i < CROWD; i++) {
		begin = fake->now;
		is_int(madkit_port_wait(port, 0), 1, "C8: there is something to do");
		madkit_port_process(port);
		if (fake->now - begin > most)
			most = fake->now - begin;
	}
	is_u64(most / NS_PER_MS, BLOCKS_MS, "C8: acknowledgements that block: one in each call of process");
	is_u64(fake->narrivals, 0, "C8: ... and five calls receive five segments");
	begin = fake->now;
	madkit_agent_unregister(agent);
	is_u64((fake->now - begin) / NS_PER_MS, BLOCKS_MS, "C8: unregistering an agent blocks once");
	madkit_port_close(port);
}

int main(void)
{
	test_who();
	test_long_request();
	test_agent_stop_cancel(0);
	test_agent_stop_cancel(KERNEL_RMPP);
	test_agent_stop_deadline();
	test_rest();
	test_agent_stop_segments();
	test_shorten();
	test_shorten_segments();
	test_blocks(-EHOSTUNREACH);
	test_blocks(0);
	test_blocks_handler();
	test_blocks_acks();
	test_blocks_full();
	return tap_done();
}
