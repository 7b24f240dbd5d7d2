/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Receiving from a device that is honest, short of room, broken or hostile. */
#include <errno.h>
#include <stdlib.h>
#include "agent/agent.h"
#include "tests/tap.h"
#include "tests/unit/fake_transport.h"
#include "util/array_size.h"

static struct fake *fake;
static struct madkit_port *port;
static unsigned int recvs;
static struct madkit_recv *kept;
static const struct madkit_addr from = { .lid = 7, .qp = 1 };

static void agent_receive_on_recv(struct madkit_agent *agent, struct madkit_recv *recv)
{
	(void)agent;
	recvs++;
	madkit_recv_free(kept);
	kept = recv;
}

static void agent_receive_begin(void)
{
	fake = fake_new();
	port = fake_port(fake);
	fake_agent(port, 0x32, 1, NULL, agent_receive_on_recv, NULL);
	recvs = 0;
}

static void agent_receive_end(void)
{
	madkit_recv_free(kept);
	kept = NULL;
	madkit_port_close(port);
}

/* A request of class 0x32, its bytes all different, except for the OUI, which is 0. */
static struct fake_arrival *agent_receive_message(size_t len)
{
	uint8_t *mad = malloc(len);
	struct fake_arrival *a;

	for (size_t i = 0; i < len; i++)
		mad[i] = (uint8_t)(i * 7 + i / 256);
	if (len >= 4) {
		mad[1] = 0x32;
		mad[2] = 1;
		mad[3] = MADKIT_METHOD_SEND;
	}
	for (size_t i = MADKIT_VENDOR2_OUI; i < MADKIT_VENDOR2_DATA && i < len; i++)
		mad[i] = 0;
	a = fake_arrive(fake, 0, 0, &from, mad, len, 0);
	free(mad);
	return a;
}

static bool intact(size_t len)
{
	if (!kept || kept->len != len)
		return false;
	for (size_t i = 4; i < len; i++)
		if ((i < MADKIT_VENDOR2_OUI || i >= MADKIT_VENDOR2_DATA) &&
		    kept->mad[i] != (uint8_t)(i * 7 + i / 256))
			return false;
	return true;
}

static struct madkit_port_counters agent_receive_count(void)
{
	struct madkit_port_counters c;

	madkit_port_get_counters(port, &c);
	return c;
}

static void test_growth(void)
{
	static const size_t sizes[] = { 256, 2048, 2049, 4096, 100000, 1 << 20 };

	agent_receive_begin();
	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
		agent_receive_message(sizes[i]);
		is_int(madkit_port_process(port), 1, "%zu bytes", sizes[i]);
		ok(intact(sizes[i]), "... arrive whole");
	}
	agent_receive_message(300000);
	agent_receive_message(256);
	madkit_port_process(port);
	is_u64(recvs, 8, "a long one and a short one behind it");
	ok(intact(256), "the short one is whole");
	ok(((struct recv *)(void *)kept)->size <= 2048, "in a buffer of its own size");
	is_u64(madkit_port_receive_needed(port), 0, "nothing too long was met");
	agent_receive_end();
}

/* A device that reports a length that is too short, or none. */
static void test_vague(void)
{
	agent_receive_begin();
	agent_receive_message(100000)->needed = 0;
	madkit_port_process(port);
	ok(intact(100000), "needed length 0: the buffer is doubled until it fits");
	agent_receive_message(2049)->needed = 300000;
	madkit_port_process(port);
	ok(intact(2049), "more than is needed: it arrives all the same");
	is_u64(((struct recv *)(void *)kept)->size, 2049, "... and the rest is given back");
	agent_receive_message(100000)->needed = 2048;
	madkit_port_process(port);
	ok(intact(100000), "as much as there was: the same");
	agent_receive_end();
}

static void test_limit(void)
{
	agent_receive_begin();
	is_int(madkit_port_set_receive_limit(port, 0, 100), -EINVAL, "no bytes at all: refused");
	is_int(madkit_port_set_receive_limit(port, 200, 100), -EINVAL, "more at first than at most: refused");
	is_int(madkit_port_set_receive_limit(port, 300, 300), 0, "300 bytes, no growing");
	agent_receive_message(1040);
	is_int(madkit_port_process(port), -ENOSPC, "a message of 1040: -ENOSPC");
	is_u64(madkit_port_receive_needed(port), 1040, "the length is told");
	is_u64(fake->narrivals, 1, "the message stays");
	is_int(madkit_port_process(port), -ENOSPC, "the same again");
	is_int(madkit_port_set_receive_limit(port, 300, 2000), 0, "with a higher limit");
	is_int(madkit_port_process(port), 1, "it arrives");
	ok(intact(1040), "whole");
	is_u64(madkit_port_receive_needed(port), 0, "nothing is needed any more");

	/* a limit in the way of one must not keep others from ending */
	madkit_port_set_receive_limit(port, 300, 300);
	struct madkit_agent *agent = fake_agent(port, MADKIT_CLASS_PERF, 0, NULL, NULL, NULL);
	struct madkit_send *send = fake_get(MADKIT_CLASS_PERF, 0x12, 100, 0);

	agent_receive_message(1040);
	madkit_agent_post(agent, send);
	fake_advance(fake, 1000);
	is_int(madkit_port_process(port), -ENOSPC, "while one is in the way");
	is_u64(madkit_agent_outstanding(agent), 0, "... timeouts still come");
	madkit_send_free(send);
	agent_receive_end();

	agent_receive_begin();
	madkit_port_set_receive_limit(port, 100, 100);
	agent_receive_message(1040)->needed = 0;
	is_int(madkit_port_process(port), -ENOSPC, "a device that does not tell the length");
	ok(madkit_port_receive_needed(port) > 100, "more than there is, at least");
	agent_receive_end();
}

/* Buffers of every size up to two messages, as the first size and as the limit. */
static void test_every_size(void)
{
	static const size_t sizes[] = { 40, 255, 256, 257, 472, 512, 2048 };

	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
		size_t len = sizes[i];
		unsigned int lost = 0, taken = 0;

		agent_receive_begin();
		for (size_t size = 1; size <= 2 * len; size++) {
			agent_receive_message(len);
			lost += madkit_port_set_receive_limit(port, size, 2 * len) ||
				madkit_port_process(port) != 1 || !intact(len) || recvs != size;
		}
		is_u64(lost, 0, "receive: %zu bytes into a buffer of each size from 1 to %zu, which may grow",
		       len, 2 * len);
		agent_receive_message(len);
		for (size_t size = 1; size < len; size++)
			taken += madkit_port_set_receive_limit(port, size, size) ||
				 madkit_port_process(port) != -ENOSPC ||
				 madkit_port_receive_needed(port) != len || recvs != 2 * len;
		is_u64(taken, 0,
		       "receive: ... which may not grow: -ENOSPC with the length, and the message stays");
		madkit_port_set_receive_limit(port, len, len);
		ok(madkit_port_process(port) == 1 && intact(len), "receive: ... of %zu bytes: whole", len);
		agent_receive_end();
	}
}

/* ---- agents that are gone ------------------------------------------------------ */

static unsigned int for_other;

static void on_other(struct madkit_agent *agent, struct madkit_recv *recv)
{
	(void)agent;
	for_other++;
	madkit_recv_free(recv);
}

static struct madkit_agent *register_for(uint32_t number, uint8_t method, bool library_rmpp,
					 madkit_recv_handler handler)
{
	struct madkit_agent_attr attr = {
		.mgmt_class = 0x32, .class_version = 1, .recv_handler = handler, .library_rmpp = library_rmpp
	};
	struct madkit_agent *agent = NULL;

	fake->next_id = number;
	madkit_method_mask_set(attr.method_mask, method);
	if (madkit_agent_register(port, &attr, &agent, NULL))
		abort();
	return agent;
}

static void test_departed(void)
{
	struct madkit_agent *agent;

	fake = fake_new();
	port = fake_port(fake);
	recvs = for_other = 0;
	agent = register_for(0, MADKIT_METHOD_SEND, false, agent_receive_on_recv);
	register_for(1, MADKIT_METHOD_SEND, false, on_other);
	agent_receive_message(256);
	agent_receive_message(256)->id = 1;
	agent_receive_message(3000)->id = 1;
	agent_receive_message(256);
	madkit_agent_unregister(agent);
	agent = register_for(0, MADKIT_METHOD_SEND, false, agent_receive_on_recv);
	agent_receive_message(256);
	is_u64(madkit_port_deadline(port), 0, "C2: what was held back for another agent is due");
	madkit_port_process(port);
	is_u64(recvs, 1, "C2: an agent does not get what was queued for an earlier one with its number");
	is_u64(for_other, 2, "C2: ... another agent gets all of its own");
	is_u64(agent_receive_count().unknown_agent, 2, "C2: ... and what was dropped is counted");

	/* a message that is too long for the limit */
	madkit_port_set_receive_limit(port, 300, 300);
	agent_receive_message(256);
	agent_receive_message(3000)->id = 1;
	agent_receive_message(256)->id = 1;
	madkit_agent_unregister(agent);
	agent = register_for(0, MADKIT_METHOD_SEND, false, agent_receive_on_recv);
	is_int(madkit_port_process(port), -ENOSPC, "C2: one that is held and exceeds the limit stays");
	is_u64(madkit_port_receive_needed(port), 3000, "C2: ... its length is reported");
	madkit_port_set_receive_limit(port, 300, 4000);
	madkit_port_process(port);
	is_u64(for_other, 4, "C2: ... with a higher limit it is received, and the one behind it");
	is_u64(recvs, 1, "C2: ... and the stale one before it is not");
	agent_receive_message(256);
	agent_receive_message(256)->id = 1;
	madkit_agent_unregister(agent);
	register_for(0, MADKIT_METHOD_SEND, false, agent_receive_on_recv);
	agent_receive_end(); /* with a held one */
}

/* An agent ends while the port holds MADs that it received for it. */
static void test_departed_held(void)
{
	struct madkit_agent *first, *second;

	fake = fake_new();
	port = fake_port(fake);
	recvs = for_other = 0;
	first = register_for(0, MADKIT_METHOD_SEND, false, on_other);
	second = register_for(1, MADKIT_METHOD_SEND, false, on_other);
	agent_receive_message(256);
	agent_receive_message(256)->id = 1;
	agent_receive_message(256);
	madkit_agent_unregister(second);
	/* the port reads the three MADs and holds the two of the first agent */
	register_for(2, MADKIT_METHOD_SEND, false, on_other);
	madkit_agent_unregister(first);
	register_for(0, MADKIT_METHOD_SEND, false, agent_receive_on_recv);
	agent_receive_message(256)->id = 2;
	madkit_port_process(port);
	is_u64(recvs, 0, "C2: an agent does not get what the port held for an earlier one with its number");
	is_u64(for_other, 1, "C2: ... a third agent gets its own");
	is_u64(agent_receive_count().unknown_agent, 3, "C2: ... and the dropped MADs are counted");
	agent_receive_end();
}

static void test_registered_for(void)
{
	struct fake_arrival *a;

	fake = fake_new();
	port = fake_port(fake);
	recvs = 0;
	register_for(0, MADKIT_METHOD_SEND, false, agent_receive_on_recv);
	agent_receive_message(256)->mad[MADKIT_MAD_METHOD] = MADKIT_METHOD_SET;
	agent_receive_message(256)->mad[MADKIT_MAD_CLASS_VERSION] = 2;
	agent_receive_message(256)->mad[MADKIT_VENDOR2_OUI] = 1;
	agent_receive_message(256)->mad[MADKIT_MAD_CLASS] = 0x33;
	madkit_port_process(port);
	is_u64(recvs, 0, "C2: another method, version, OUI or class is not handed over");
	is_u64(agent_receive_count().unknown_agent, 4, "C2: ... and counted");
	agent_receive_message(256);
	madkit_port_process(port);
	is_u64(recvs, 1, "C2: what it is registered for is");

	register_for(1, MADKIT_METHOD_SEND, true, agent_receive_on_recv);
	a = agent_receive_message(256);
	a->id = 1;
	a->mad[MADKIT_MAD_METHOD] = MADKIT_METHOD_SET;
	madkit_rmpp_set_version(a->mad, MADKIT_RMPP_VERSION);
	madkit_rmpp_set_type(a->mad, MADKIT_RMPP_DATA);
	madkit_rmpp_set_flags(a->mad, MADKIT_RMPP_ACTIVE | MADKIT_RMPP_FIRST | MADKIT_RMPP_LAST);
	madkit_rmpp_set_segment(a->mad, 1);
	madkit_rmpp_set_length(a->mad, 100);
	madkit_port_process(port);
	ok(recvs == 1 && !fake->nsent, "C2: a segment of another method is not acknowledged by the library");
	agent_receive_end();
}

static void test_broken(void)
{
	static const size_t lens[] = { 0, 1, 23 };
	struct fake_arrival *a;

	agent_receive_begin();
	for (size_t i = 0; i < 3; i++)
		agent_receive_message(lens[i]);
	madkit_port_process(port);
	ok(!recvs && agent_receive_count().malformed == 3,
	   "frames without a whole header are dropped and counted");
	agent_receive_message(40);
	madkit_port_process(port);
	ok(recvs == 1 && intact(40), "bare headers are handed over");
	agent_receive_message(256)->claimed = 100000;
	madkit_port_process(port);
	ok(recvs == 1 && agent_receive_count().malformed == 4, "more than was offered cannot have come");
	agent_receive_message(256)->claimed = SIZE_MAX;
	madkit_port_process(port);
	ok(recvs == 1 && agent_receive_count().malformed == 5, "nor that");
	a = agent_receive_message(256);
	a->id = 0xffffffff;
	madkit_port_process(port);
	ok(recvs == 1 && agent_receive_count().unknown_agent == 1, "an agent number from nowhere");
	a = agent_receive_message(10);
	a->status = ETIMEDOUT;
	madkit_port_process(port);
	ok(recvs == 1 && agent_receive_count().malformed == 6, "a returned MAD without a whole header");
	a = agent_receive_message(24);
	a->status = -1;
	madkit_port_process(port);
	ok(recvs == 1 && agent_receive_count().unmatched == 1, "a returned MAD that nobody sent");

	fake->receive_result = -EFAULT;
	is_int(madkit_port_process(port), -EFAULT, "an error that is none of the device's end");
	fake->receive_result = 0;
	agent_receive_message(256);
	is_int(madkit_port_process(port), 1, "... and on it goes");
	ok(recvs == 2 && intact(256), "with what comes then");
	agent_receive_end();
}

/* Returns -ENOSPC endlessly, but requests no more bytes than there are. */
static void test_endless(void)
{
	agent_receive_begin();
	madkit_port_set_receive_limit(port, 256, 1 << 16);
	fake->receive_result = -ENOSPC;
	is_int(madkit_port_process(port), -ENOSPC, "a device that never has enough");
	ok(fake->receives < 20, "is asked %u times", fake->receives);
	agent_receive_end();
}

static void test_flood(void)
{
	unsigned int calls = 0, due = 0;

	agent_receive_begin();
	for (unsigned int i = 0; i < 3000; i++)
		agent_receive_message(256);
	while (fake->narrivals && calls < 100) {
		madkit_port_process(port);
		calls++;
		due += madkit_port_deadline(port) == 0;
	}
	ok(calls >= 3000 / 256 && calls < 30 && recvs == 3000,
	   "3000 MADs take %u calls of process: it comes back in between", calls);
	is_int(due, calls - 1, "... and is due at once until all are in");
	is_u64(madkit_port_deadline(port), UINT64_MAX, "... and then no more");
	agent_receive_end();
}

/* With more to receive than one call takes, answers must not time out. */
static void test_answers_behind_a_flood(void)
{
	agent_receive_begin();
	struct madkit_agent *agent = fake_agent(port, MADKIT_CLASS_PERF, 0, NULL, NULL, NULL);
	struct madkit_send *send = fake_get(MADKIT_CLASS_PERF, 0x12, 100, 0);

	madkit_agent_post(agent, send);
	for (unsigned int i = 0; i < 2500; i++)
		agent_receive_message(256);
	fake_answer(fake, 0, &fake->sent[0]);
	fake_advance(fake, 400);
	while (fake->narrivals)
		madkit_port_process(port);
	is_u64(agent_receive_count().expired, 0, "an answer behind 2500 other MADs still counts");
	is_u64(madkit_agent_outstanding(agent), 0, "... and ends its request");
	/* but an endless flood must not keep requests alive indefinitely */
	madkit_agent_post(agent, send);
	for (unsigned int i = 0; i < 10 && madkit_agent_outstanding(agent); i++) {
		while (fake->narrivals < 1500)
			agent_receive_message(256);
		fake_advance(fake, 300);
		madkit_port_process(port);
	}
	is_u64(agent_receive_count().expired, 1, "in an endless flood a deadline still comes");
	madkit_send_free(send);
	agent_receive_end();
}

int main(void)
{
	test_growth();
	test_vague();
	test_limit();
	test_every_size();
	test_departed();
	test_departed_held();
	test_registered_for();
	test_broken();
	test_endless();
	test_flood();
	test_answers_behind_a_flood();
	return tap_done();
}
