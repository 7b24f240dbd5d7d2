/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The checks of posting, and the fields that it writes into the MAD. */
#include <errno.h>
#include <stdlib.h>
#include "agent/agent.h"
#include "tests/tap.h"
#include "tests/unit/fake_transport.h"
#include "util/array_size.h"

static struct fake *fake;
static struct madkit_port *port;

static struct madkit_agent *agent_post_begin(uint8_t mgmt_class, uint8_t rmpp)
{
	fake = fake_new();
	port = fake_port(fake);
	return fake_agent(port, mgmt_class, rmpp, NULL, NULL, NULL);
}

/* Posts the send and ends it by closing the port; the result has the sent MAD. */
static struct fake_sent agent_post_send(uint8_t rmpp, struct madkit_send *send, int *ret)
{
	static uint8_t mad[1 << 17];
	struct fake_sent sent = { 0 };
	struct madkit_agent *agent = agent_post_begin(send->mad[1], rmpp);

	*ret = madkit_agent_post(agent, send);
	if (fake->nsent) {
		sent = fake->sent[0];
		memcpy(mad, sent.mad, sent.len);
		sent.mad = mad;
	}
	madkit_port_close(port);
	return sent;
}

static int agent_post_refused(uint8_t rmpp, struct madkit_send *send)
{
	int ret;

	agent_post_send(rmpp, send, &ret);
	madkit_send_free(send);
	return ret;
}

static struct madkit_send *agent_post_message(uint8_t mgmt_class, size_t len)
{
	struct madkit_send *send = madkit_send_new(len);

	if (!send)
		abort();
	send->mad[0] = 1;
	send->mad[1] = mgmt_class;
	send->mad[3] = MADKIT_METHOD_SEND;
	send->to.lid = 7;
	return send;
}

static void test_lengths(void)
{
	struct madkit_send *send;

	ok(!madkit_send_new(0) && !madkit_send_new(23), "no send below 24 bytes");
	ok(!madkit_send_new((1u << 30) + 1) && !madkit_send_new(SIZE_MAX), "nor above 1 GiB");
	send = madkit_send_new(24);
	unsigned int dirty = 0;

	for (unsigned int i = 0; i < 24; i++)
		dirty |= send->mad[i];
	ok(!dirty && send->len == 24, "a new one is zero");
	madkit_send_free(send);

	send = agent_post_message(MADKIT_CLASS_PERF, 256);
	send->len = 23;
	is_int(agent_post_refused(0, send), -EINVAL, "shorter than a header");
	send = agent_post_message(MADKIT_CLASS_PERF, 100);
	send->len = 257;
	is_int(agent_post_refused(0, send), -EINVAL, "longer than was allocated");
	is_int(agent_post_refused(0, agent_post_message(0x32, 257)), -EINVAL, "257 bytes without RMPP");
	is_int(agent_post_refused(1, agent_post_message(0x32, 257)), 0, "... and with");
	send = agent_post_message(0x0a, 2048);
	send->mad[0] = MADKIT_BASE_VERSION_OPA;
	is_int(agent_post_refused(0, send), 0, "2048 bytes of base version 0x80");
	send = agent_post_message(0x0a, 2049);
	send->mad[0] = MADKIT_BASE_VERSION_OPA;
	is_int(agent_post_refused(0, send), -EINVAL, "2049 are too many");
	is_int(agent_post_refused(1, agent_post_message(MADKIT_CLASS_PERF, 256)), -EINVAL,
	       "a class without RMPP on an agent with it");
}

static void test_padding(void)
{
	struct madkit_send *send = agent_post_message(MADKIT_CLASS_PERF, 256);
	unsigned int dirty = 0;
	int ret;

	memset(send->mad + 40, 0xff, 216);
	send->len = 40;

	struct fake_sent sent = agent_post_send(0, send, &ret);

	is_u64(sent.len, 256, "a short MAD goes out as a whole one");
	for (size_t i = 40; i < 256; i++)
		dirty |= sent.mad[i];
	ok(!dirty, "padded with zeros");
	is_u64(send->len, 40, "its length is the poster's");
	madkit_send_free(send);
}

/* The kernel finds the end of a message by its length; an SA table without records has 56 bytes. */
static void test_short_message(void)
{
	static const struct {
		size_t len;
		uint8_t rmpp, flags;
		size_t wanted;
		const char *what;
	} cases[] = {
		{ 56, 1, MADKIT_RMPP_ACTIVE, 56, "no data" },
		{ 57, 1, MADKIT_RMPP_ACTIVE, 57, "one byte" },
		{ 40, 1, MADKIT_RMPP_ACTIVE, 56, "less than its headers" },
		{ 57, 1, 0, 256, "no RMPP" },
		{ 57, 0, MADKIT_RMPP_ACTIVE, 256, "a kernel that does no RMPP" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct madkit_send *send = agent_post_message(MADKIT_CLASS_SA, 256);
		int ret;

		send->len = cases[i].len;
		madkit_rmpp_set_flags(send->mad, cases[i].flags);
		is_u64(agent_post_send(cases[i].rmpp, send, &ret).len, cases[i].wanted,
		       "a message of %zu bytes, %s", cases[i].len, cases[i].what);
		madkit_send_free(send);
	}
}

static void test_address(void)
{
	struct madkit_send *send = agent_post_message(MADKIT_CLASS_PERF, 256);
	int ret;

	is_u64(agent_post_send(0, send, &ret).to.qp, 1, "QP 0 of a GSI class becomes 1");
	send->to.qp = 5;
	is_u64(agent_post_send(0, send, &ret).to.qp, 5, "another QP stays");
	send->to.qkey = MADKIT_QKEY_GSI;
	agent_post_send(0, send, &ret);
	is_int(ret, 0, "the well-known Q_Key is taken");
	send->to.qkey = 0x80010001;
	is_int(agent_post_refused(0, send), -EINVAL, "one that umad would not honour is not");
	send = agent_post_message(MADKIT_CLASS_SUBN, 256);
	is_u64(agent_post_send(0, send, &ret).to.qp, 0, "QP 0 of an SMP stays");
	send->to.direct = true;
	is_int(agent_post_refused(0, send), -EINVAL, "a directed route in a LID-routed class");
	send = agent_post_message(MADKIT_CLASS_SUBN_DR, 256);
	send->to.direct = true;
	send->to.hops = 64;
	is_int(agent_post_refused(0, send), -EINVAL, "64 hops");
}

static void test_direct(void)
{
	static const uint8_t path[64] = { 0, 1, 17, 254 };
	struct madkit_send *send = agent_post_message(MADKIT_CLASS_SUBN_DR, 256);
	struct madkit_error error;
	struct fake_sent sent;
	int ret;

	memset(send->mad + 128, 0x77, 64);
	send->to.lid = 0;
	is_int(madkit_parse_path("0,1,17,254", &send->to, &error), 0, "a route");
	sent = agent_post_send(0, send, &ret);
	is_u64(sent.to.lid, MADKIT_LID_PERMISSIVE, "goes to the permissive LID");
	ok(sent.mad[6] == 0 && sent.mad[7] == 3, "hop pointer 0, three hops");
	is_mem(sent.mad + 128, path, 64, "the route stands in the SMP, zeros behind it");
	ok(sent.mad[32] == 0xff && sent.mad[33] == 0xff, "DrSLID permissive");
	ok(sent.mad[34] == 0xff && sent.mad[35] == 0xff, "DrDLID permissive");
	send->to.lid = 7;
	sent = agent_post_send(0, send, &ret);
	is_u64(sent.to.lid, 7, "with a LID it goes there first");
	ok(sent.mad[32] == 0 && sent.mad[33] == 3, "DrSLID is the port's own LID");
	send->to.dr_slid = 0x1234;
	send->to.dr_dlid = 0x0102;
	sent = agent_post_send(0, send, &ret);
	ok(sent.mad[32] == 0x12 && sent.mad[33] == 0x34, "or what the caller says");
	ok(sent.mad[34] == 1 && sent.mad[35] == 2, "DrDLID too");
	/* a response is routed by the path in its header */
	send->mad[3] = 0x81;
	send->mad[6] = 4;
	sent = agent_post_send(0, send, &ret);
	is_u64(sent.mad[6], 4, "a response keeps its header");
	madkit_send_free(send);

	send = agent_post_message(MADKIT_CLASS_SUBN_DR, 256);
	memset(send->mad + 128, 0x77, 64);
	send->to.lid = MADKIT_LID_PERMISSIVE;
	sent = agent_post_send(0, send, &ret);
	is_u64(sent.mad[130], 0x77, "without to.direct the header is the caller's");
	madkit_send_free(send);
}

static void set_tid(struct madkit_send *send, uint64_t tid)
{
	for (unsigned int i = 0; i < 8; i++)
		send->mad[8 + i] = (uint8_t)(tid >> (56 - 8 * i));
}

static uint64_t agent_post_tid_of(uint8_t method, uint8_t mgmt_class, uint8_t rmpp, uint8_t rmpp_flags,
				  uint64_t tid)
{
	struct madkit_send *send = agent_post_message(mgmt_class, 256);
	int ret;

	send->mad[3] = method;
	send->mad[24] = 1;
	send->mad[25] = MADKIT_RMPP_ACK;
	send->mad[26] = rmpp_flags;
	set_tid(send, tid);
	tid = fake_tid(agent_post_send(rmpp, send, &ret).mad);
	if (tid != send->tid && (send->tid & 0xffffffff) != (tid & 0xffffffff))
		tid = 0; /* the send no longer matches the MAD that was sent */
	madkit_send_free(send);
	return tid;
}

static void test_tid(void)
{
	const uint64_t given = UINT64_C(0x1122334455667788);
	const uint64_t first = 0xfffffff0; /* the fake transport's seed */

	is_u64(agent_post_tid_of(MADKIT_METHOD_GET, MADKIT_CLASS_PERF, 0, 0, given) & 0xffffffff, first,
	       "a request gets a TID");
	is_u64(agent_post_tid_of(0x81, MADKIT_CLASS_PERF, 0, 0, given), given,
	       "a response keeps the request's");
	is_u64(agent_post_tid_of(MADKIT_METHOD_TRAP_REPRESS, MADKIT_CLASS_SUBN, 0, 0, given), given,
	       "TrapRepress too");
	is_u64(agent_post_tid_of(0x12, 0x32, 0, MADKIT_RMPP_ACTIVE, given) & 0xffffffff, given & 0xffffffff,
	       "an ACK of user-space RMPP keeps the transfer's");
	is_u64(agent_post_tid_of(0x12, 0x32, 0, MADKIT_RMPP_ACTIVE, given & ~UINT64_C(0xffffffff)) &
		       0xffffffff,
	       first, "... unless it has none");
	is_u64(agent_post_tid_of(0x12, 0x32, 0, 0, given) & 0xffffffff, first,
	       "without an active RMPP header it is a request");
	is_u64(agent_post_tid_of(0x12, 0x32, 1, MADKIT_RMPP_ACTIVE, given) & 0xffffffff, first,
	       "where the kernel does RMPP too");
	is_u64(agent_post_tid_of(0x01, MADKIT_CLASS_PERF, 0, MADKIT_RMPP_ACTIVE, given) & 0xffffffff, first,
	       "and in a class without RMPP");
}

static void test_agent_post_rmpp(void)
{
	struct madkit_send *send = agent_post_message(0x32, 1000);
	int ret;

	send->timeout_ms = 300;
	send->retries = 4;
	send->mad[26] = 0xa8; /* RRespTime 21 */

	struct fake_sent sent = agent_post_send(1, send, &ret);

	is_u64(sent.len, 1000, "a long message goes out whole");
	ok(sent.mad[24] == 1 && sent.mad[25] == MADKIT_RMPP_DATA, "RMPP version and type are set");
	is_u64(sent.mad[26], 0xa8 | MADKIT_RMPP_ACTIVE, "ACTIVE is, RRespTime stays");
	is_u64(sent.timeout_ms, 2001,
	       "the kernel gets the least timeout with which it sends all of it again");
	is_u64(sent.retries, 4, "... and the retries");
	madkit_send_free(send);

	send = agent_post_message(0x32, 256);
	send->timeout_ms = 300;
	send->mad[26] = 0;
	sent = agent_post_send(1, send, &ret);
	ok(!sent.mad[24] && !sent.mad[26], "a single MAD's RMPP header is the caller's");
	madkit_send_free(send);

	/* a response is not answered: it must not wait in the kernel */
	send = agent_post_message(0x32, 1000);
	send->mad[3] = 0x81;
	send->timeout_ms = 300;
	send->retries = 4;
	sent = agent_post_send(1, send, &ret);
	is_u64(sent.timeout_ms, 0, "a response asks for no response");
	is_u64(sent.retries, 4, "... but for resends of its segments");
	madkit_send_free(send);
}

/* If the kernel resends, the library does not, and its deadline is beyond all tries. */
static void test_agent_post_kernel_resends(void)
{
	struct madkit_agent *agent = agent_post_begin(MADKIT_CLASS_SA, 1);
	struct madkit_send *send = agent_post_message(MADKIT_CLASS_SA, 256);
	struct madkit_port_counters c;
	uint64_t at = fake->now;

	send->mad[MADKIT_MAD_METHOD] = MADKIT_METHOD_GET_TABLE;
	send->timeout_ms = 400;
	send->retries = 3;
	madkit_agent_post(agent, send);
	is_u64((madkit_port_deadline(port) - at) / NS_PER_MS, 4 * 400 + 200 + 50,
	       "the deadline covers the kernel's tries");
	fake_return(fake, 1600, &fake->sent[0], ETIMEDOUT);
	madkit_port_wait(port, -1);
	madkit_port_process(port);
	is_u64(madkit_agent_outstanding(agent), 0, "its report ends the send");
	is_u64(fake->nsent, 1, "nothing is sent again");
	is_u64(send->attempts, 1, "one attempt of ours");

	at = fake->now;
	madkit_agent_post(agent, send);
	madkit_port_wait(port, -1);
	madkit_port_process(port);
	is_u64((fake->now - at) / NS_PER_MS, 1850, "without a report our deadline does");
	madkit_port_get_counters(port, &c);
	is_u64(c.expired, 1, "... once");
	madkit_port_close(port);
	madkit_send_free(send);
}

int main(void)
{
	test_lengths();
	test_padding();
	test_short_message();
	test_address();
	test_direct();
	test_tid();
	test_agent_post_rmpp();
	test_agent_post_kernel_resends();
	return tap_done();
}
