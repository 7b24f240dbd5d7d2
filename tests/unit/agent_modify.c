/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Lists of sends, their segments, and timeouts that change. */
#include <errno.h>
#include "agent/agent.h"
#include "tests/tap.h"
#include "tests/unit/fake_transport.h"

static struct fake *fake;
static struct madkit_port *port;
static struct madkit_agent *agent;
static unsigned int ends;
static int last;

static void agent_modify_on_end(struct madkit_agent *a, struct madkit_send *send, int status)
{
	(void)a;
	(void)send;
	ends++;
	last = status;
}

static void agent_modify_start(uint8_t mgmt_class, uint8_t rmpp_version)
{
	fake = fake_new();
	port = fake_port(fake);
	agent = fake_agent(port, mgmt_class, rmpp_version, agent_modify_on_end, NULL, NULL);
	ends = 0;
	last = 1;
}

/* Runs until all has ended; the milliseconds that took. */
static uint64_t agent_modify_run(void)
{
	uint64_t begin = fake->now;

	while (madkit_agent_outstanding(agent)) {
		madkit_port_wait(port, -1);
		madkit_port_process(port);
	}
	return (fake->now - begin) / NS_PER_MS;
}

/* ---- modify -------------------------------------------------------------------- */

static void test_shorter(void)
{
	agent_modify_start(MADKIT_CLASS_PERF, 0);
	struct madkit_send *send = fake_get(MADKIT_CLASS_PERF, 0x12, 10000, 0);

	is_int(madkit_agent_modify(agent, send, 5), -ENOENT, "not posted: nothing to modify");
	madkit_agent_post(agent, send);
	fake_advance(fake, 50);
	is_int(madkit_agent_modify(agent, send, 300), 0, "a shorter timeout");
	is_u64(agent_modify_run(), 300, "... counts from then");
	is_int(last, -ETIMEDOUT, "... and is a timeout");
	is_int(madkit_agent_modify(agent, send, 5), -ENOENT, "ended: nothing to modify");

	/* a MAD that arrives within the shorter time is the response */
	madkit_agent_post(agent, send);
	madkit_agent_modify(agent, send, 300);
	fake_answer(fake, 299, &fake->sent[1]);
	is_u64(agent_modify_run(), 299, "an answer in time");
	is_int(last, 0, "... is one");

	/* each of the tries */
	send->timeout_ms = 10000;
	send->retries = 2;
	madkit_agent_post(agent, send);
	madkit_agent_modify(agent, send, 100);
	agent_modify_run();
	is_u64(send->attempts, 3, "retries follow");
	is_u64(fake->sent[3].timeout_ms, 100, "... with the new timeout");
	is_u64((fake->sent[3].at - fake->sent[2].at) / NS_PER_MS, 100, "... when it is over");
	madkit_send_free(send);
	madkit_port_close(port);
}

static void test_longer(void)
{
	agent_modify_start(MADKIT_CLASS_PERF, 0);
	struct madkit_send *send = fake_get(MADKIT_CLASS_PERF, 0x12, 100, 1);

	madkit_agent_post(agent, send);
	is_int(madkit_agent_modify(agent, send, 1000), 0, "a longer timeout");
	fake_return(fake, 100, &fake->sent[0], ETIMEDOUT);
	agent_modify_run();
	is_u64((fake->sent[1].at - fake->sent[0].at) / NS_PER_MS, 100,
	       "the device ends the present try as it was told");
	is_u64(fake->sent[1].timeout_ms, 1000, "the next one has the longer time");
	madkit_send_free(send);
	madkit_port_close(port);
}

static void test_cancels(void)
{
	agent_modify_start(MADKIT_CLASS_PERF, 0);
	struct madkit_send *send = fake_get(MADKIT_CLASS_PERF, 0x12, 100, 1);

	madkit_agent_post(agent, send);
	is_int(madkit_agent_modify(agent, send, 0), 0, "0 ms");
	is_u64(agent_modify_run(), 0, "... end it at once");
	is_int(last, -ECANCELED, "... as cancelled");
	send->timeout_ms = 0;
	fake->send_result = -EAGAIN;
	madkit_agent_post(agent, send);
	is_int(madkit_agent_modify(agent, send, 10), -EINVAL, "what wants no response has no timeout");
	madkit_agent_cancel(agent, send);
	agent_modify_run();
	madkit_send_free(send);
	madkit_port_close(port);
}

/* ---- lists --------------------------------------------------------------------- */

static void test_list(void)
{
	agent_modify_start(MADKIT_CLASS_PERF, 0);
	struct madkit_send *sends[4], *failed;

	for (unsigned int i = 0; i < 4; i++) {
		sends[i] = fake_get(MADKIT_CLASS_PERF, (uint16_t)(0x12 + i), 100, 0);
		if (i)
			sends[i - 1]->next = sends[i];
	}
	is_int(madkit_agent_post_list(agent, sends[0], &failed), 0, "a list of four");
	ok(!failed && fake->nsent == 4, "all are sent");
	ok(fake->sent[0].mad[17] == 0x12 && fake->sent[3].mad[17] == 0x15, "... in order");
	agent_modify_run();
	is_u64(ends, 4, "... and each ends");
	sends[2]->to.qkey = 5; /* umad cannot send it */
	is_int(madkit_agent_post_list(agent, sends[0], &failed), -EINVAL, "a bad one in it");
	ok(failed == sends[2], "... is told");
	is_u64(madkit_agent_outstanding(agent), 2, "those before it are posted");
	is_u64(fake->nsent, 6, "... alone");
	agent_modify_run();
	is_int(madkit_agent_post_list(agent, sends[0], NULL), -EINVAL,
	       "C5: the pointer to the bad send may be NULL");
	is_u64(madkit_agent_outstanding(agent), 2, "C5: ... and the sends before it are posted");
	agent_modify_run();
	sends[2]->to.qkey = 0;
	is_int(madkit_agent_post_list(agent, sends[0], NULL), 0, "C5: ... or all of them");
	is_u64(madkit_agent_outstanding(agent), 4, "C5: ... which are four");
	agent_modify_run();
	for (unsigned int i = 0; i < 4; i++)
		madkit_send_free(sends[i]);
	madkit_port_close(port);
}

/* ---- segments ------------------------------------------------------------------ */

static void test_agent_modify_segments(uint8_t mgmt_class, uint8_t base_version, size_t data, size_t each,
				       size_t begin)
{
	struct madkit_send *send = madkit_send_new(begin + data);
	uint32_t n = 0;
	size_t all = 0, len;
	bool in_order = true;

	send->mad[0] = base_version;
	send->mad[1] = mgmt_class;
	ok(!madkit_send_segment(send, 0, &len) && !len, "class 0x%02x: there is no segment 0", mgmt_class);
	for (uint8_t *p; (p = madkit_send_segment(send, n + 1, &len)); n++) {
		in_order &= p == send->mad + begin + all && (len == each || all + len == data);
		all += len;
	}
	ok(in_order && !len, "... one begins where the last ended");
	is_u64(all, data, "... and all data are in one");
	is_u64(n, data ? (data + each - 1) / each : 1, "... of so many");
	ok(!madkit_send_segment(send, UINT32_MAX, &len), "... and no more");
	ok(madkit_send_segment(send, 1, NULL) == madkit_send_segment(send, 1, &len) &&
		   !madkit_send_segment(send, UINT32_MAX, NULL),
	   "C5: the length of a segment may be left out");
	madkit_send_free(send);
}

int main(void)
{
	test_shorter();
	test_longer();
	test_cancels();
	test_list();
	/* the number of bytes that fit into 256 after the class header: IBA volume 1, 15.2.1.1 and 16.5 */
	test_agent_modify_segments(MADKIT_CLASS_SA, 1, 1000, 200, 56);
	test_agent_modify_segments(MADKIT_CLASS_SA, 1, 0, 200, 56);
	test_agent_modify_segments(0x32, 1, 217, 216, 40);
	test_agent_modify_segments(0x32, 1, 432, 216, 40);
	test_agent_modify_segments(MADKIT_CLASS_DEVICE, 1, 193, 192, 64);
	test_agent_modify_segments(MADKIT_CLASS_SA, 0x80, 1993, 1992, 56);
	return tap_done();
}
