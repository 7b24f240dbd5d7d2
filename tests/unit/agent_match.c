/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Which response answers which request, and what else arrives. */
#include <errno.h>
#include <stdlib.h>
#include "agent/agent.h"
#include "tests/tap.h"
#include "tests/unit/fake_transport.h"

static struct fake *fake;
static struct madkit_port *port;
static struct madkit_agent *agent;
static unsigned int answered, unsolicited, ended, undelivered;
static int end_status;
static struct madkit_addr last_from;

static void agent_match_on_recv(struct madkit_agent *a, struct madkit_recv *recv)
{
	(void)a;
	if (recv->status)
		undelivered++;
	else if (recv->send)
		answered++;
	else
		unsolicited++;
	last_from = recv->from;
	madkit_recv_free(recv);
}

static void agent_match_on_end(struct madkit_agent *a, struct madkit_send *send, int status)
{
	(void)a;
	(void)send;
	ended++;
	end_status = status;
}

static void start_class(uint8_t mgmt_class, uint8_t rmpp)
{
	fake = fake_new();
	port = fake_port(fake);
	agent = fake_agent(port, mgmt_class, rmpp, agent_match_on_end, agent_match_on_recv, NULL);
	answered = unsolicited = ended = undelivered = 0;
}

/*
 * Posts a Get and delivers its response, changed by change(). Returns true if it was matched.
 */
static bool taken_of(uint8_t mgmt_class, uint8_t method, uint16_t attribute, const struct madkit_addr *to,
		     void (*change)(struct fake_arrival *))
{
	start_class(mgmt_class, 0);
	struct madkit_send *send = fake_get(mgmt_class, attribute, 1000, 0);

	send->mad[MADKIT_MAD_METHOD] = method;
	if (to)
		send->to = *to;
	if (madkit_agent_post(agent, send)) {
		printf("# not posted\n");
		madkit_send_free(send);
		madkit_port_close(port);
		return false;
	}
	struct fake_arrival *a = fake_answer(fake, 0, &fake->sent[0]);

	if (change)
		change(a);
	madkit_port_process(port);

	bool good = answered == 1 && ended == 1 && !end_status;

	madkit_port_close(port);
	madkit_send_free(send);
	return good;
}

static bool agent_match_taken(uint8_t mgmt_class, uint8_t method, const struct madkit_addr *to,
			      void (*change)(struct fake_arrival *))
{
	return taken_of(mgmt_class, method, 0x12, to, change);
}

static bool perf(void (*change)(struct fake_arrival *))
{
	return agent_match_taken(MADKIT_CLASS_PERF, MADKIT_METHOD_GET, NULL, change);
}

static void low_tid(struct fake_arrival *a)
{
	a->mad[15] ^= 1;
}
static void high_tid(struct fake_arrival *a)
{
	a->mad[8] ^= 1;
	a->mad[11] ^= 1;
}
static void agent_match_other_class(struct fake_arrival *a)
{
	a->mad[1] = 0x05;
}
static void other_method(struct fake_arrival *a)
{
	a->mad[3] = 0x92;
}
static void no_response_bit(struct fake_arrival *a)
{
	a->mad[3] &= 0x7f;
}
static void other_attribute(struct fake_arrival *a)
{
	a->mad[17] ^= 0x01;
}
static void agent_match_other_modifier(struct fake_arrival *a)
{
	a->mad[23] ^= 0x01;
}
static void other_lid(struct fake_arrival *a)
{
	a->from.lid = 8;
}
static void base_lid(struct fake_arrival *a)
{
	a->from.lid &= ~3u;
}
static void lid_zero(struct fake_arrival *a)
{
	a->from.lid = 0;
}
static void other_qp(struct fake_arrival *a)
{
	a->from.qp = 77;
}
static void other_agent(struct fake_arrival *a)
{
	a->id = 1;
}
static void agent_match_class_port_info(struct fake_arrival *a)
{
	a->mad[17] = 0x01;
}
static void redirecting(struct fake_arrival *a)
{
	a->mad[5] = MADKIT_STATUS_REDIRECT;
}
static void redirecting_at_once(struct fake_arrival *a)
{
	agent_match_class_port_info(a);
	redirecting(a);
}
static void redirecting_to_other(struct fake_arrival *a)
{
	other_attribute(a);
	redirecting(a);
}
static void a_status(struct fake_arrival *a)
{
	a->mad[5] = 0x0c;
}

static void set_method(struct fake_arrival *a, uint8_t method)
{
	a->mad[MADKIT_MAD_METHOD] = method;
}

static void agent_match_path_record(struct fake_arrival *a)
{
	a->mad[17] = 0x35;
}
static void get_resp(struct fake_arrival *a)
{
	set_method(a, 0x81);
}
static void table_resp(struct fake_arrival *a)
{
	set_method(a, 0x92);
}
static void agent_match_repress(struct fake_arrival *a)
{
	set_method(a, 0x07);
}
static void agent_match_bm_response(struct fake_arrival *a)
{
	set_method(a, MADKIT_METHOD_SEND);
	a->mad[23] |= 1;
}

static void test_keys(void)
{
	ok(perf(NULL), "the answer as it should be is taken");
	ok(!perf(low_tid), "another low half of the TID: no");
	ok(perf(high_tid), "another upper half, which the kernel writes: yes");
	ok(!perf(agent_match_other_class), "another class: no");
	ok(!perf(other_method), "another method: no");
	ok(!perf(no_response_bit), "no response at all: no");
	ok(perf(other_attribute), "W11: about another attribute: yes, but it is not what was requested");
	ok(perf(agent_match_other_modifier), "another modifier, which a status may change: yes");
	ok(perf(a_status), "with a status: yes");
	ok(perf(agent_match_class_port_info), "W11: a ClassPortInfo that was not asked for: as well");
	ok(perf(redirecting), "with the status of a redirection: yes");
	ok(perf(redirecting_at_once), "... as the ClassPortInfo that says where to: yes");
	ok(perf(redirecting_to_other), "... as anything else: yes");
	ok(perf(other_qp), "from another QP: yes");
	ok(!perf(other_agent), "to another agent: no");
}

static void test_methods(void)
{
	ok(agent_match_taken(MADKIT_CLASS_PERF, MADKIT_METHOD_SET, NULL, get_resp),
	   "Set is answered by GetResp");
	ok(agent_match_taken(0x0a, MADKIT_METHOD_SET, NULL, NULL),
	   "... or by the method with the response bit, as some vendors do");
	ok(!agent_match_taken(MADKIT_CLASS_PERF, MADKIT_METHOD_REPORT, NULL, get_resp),
	   "Report is not answered by GetResp");
	ok(agent_match_taken(MADKIT_CLASS_PERF, MADKIT_METHOD_REPORT, NULL, NULL), "Report by ReportResp");
	ok(agent_match_taken(MADKIT_CLASS_SUBN, MADKIT_METHOD_TRAP, NULL, agent_match_repress),
	   "Trap by TrapRepress");
	ok(agent_match_taken(MADKIT_CLASS_SA, MADKIT_METHOD_GET_TRACE_TABLE, NULL, table_resp),
	   "the SA's GetTraceTable by GetTableResp");
	ok(!agent_match_taken(MADKIT_CLASS_DEVICE, MADKIT_METHOD_GET_TRACE_TABLE, NULL, table_resp),
	   "that method of another class is not");
	ok(taken_of(MADKIT_CLASS_SA, MADKIT_METHOD_GET_MULTI, 0x3a, NULL, agent_match_path_record),
	   "the SA's MultiPathRecord by PathRecords");
	ok(agent_match_taken(MADKIT_CLASS_BM, MADKIT_METHOD_SEND, NULL, agent_match_bm_response),
	   "baseboard management's Send by Send with bit 0 of the modifier");
	ok(!agent_match_taken(MADKIT_CLASS_PERF, MADKIT_METHOD_SEND, NULL, agent_match_bm_response),
	   "that is so in no other class");
}

static void test_sources(void)
{
	struct madkit_addr to = { .lid = 7, .qp = 1 };

	ok(!perf(other_lid), "a plain LID: another LID's answer is none");
	ok(!perf(lid_zero), "... nor one from LID 0");
	ok(perf(base_lid), "... but the base LID of a port with several is");
	to.grh = true;
	ok(agent_match_taken(MADKIT_CLASS_PERF, MADKIT_METHOD_GET, &to, other_lid),
	   "with a GRH the LID is a router's: anyone's");
	to = (struct madkit_addr){ .lid = 0xffff };
	ok(agent_match_taken(MADKIT_CLASS_SUBN, MADKIT_METHOD_GET, &to, other_lid),
	   "to the permissive LID: anyone's");
	to = (struct madkit_addr){ .lid = 0 };
	ok(agent_match_taken(MADKIT_CLASS_SUBN, MADKIT_METHOD_GET, &to, other_lid),
	   "to LID 0, this port: anyone's");
	to = (struct madkit_addr){ .lid = 0xc001, .qp = 1 };
	ok(agent_match_taken(MADKIT_CLASS_PERF, MADKIT_METHOD_GET, &to, other_lid),
	   "to a multicast LID: anyone's");
	to = (struct madkit_addr){
		.direct = true, .hops = 2, .path = { 0, 1, 4 }, .dr_slid = 0xffff, .dr_dlid = 0xffff
	};
	ok(agent_match_taken(MADKIT_CLASS_SUBN_DR, MADKIT_METHOD_GET, &to, other_lid),
	   "by directed route: anyone's");
	ok(last_from.direct && last_from.hops == 2 && last_from.path[2] == 4,
	   "... and the response tells the route");
}

/* ---- MADs that are not a response ------------------------------------------- */

static void agent_match_arrive(uint8_t mgmt_class, uint8_t method, uint8_t rmpp_flags, uint32_t id,
			       int status)
{
	const struct madkit_addr from = { .lid = 7, .qp = 1 };
	uint8_t mad[MADKIT_MAD_BYTES] = {
		1,        mgmt_class,  1,        method,   [11] = 9,
		[15] = 9, [17] = 0x12, [24] = 1, [25] = 1, [26] = rmpp_flags,
	};

	fake_arrive(fake, 0, id, &from, mad, status ? 24 : sizeof(mad), status);
	madkit_port_process(port);
}

static void test_unsolicited(void)
{
	struct madkit_port_counters c;

	start_class(MADKIT_CLASS_PERF, 0);
	agent_match_arrive(MADKIT_CLASS_PERF, MADKIT_METHOD_GET, 0, 0, 0);
	is_u64(unsolicited, 1, "a request is handed over");
	agent_match_arrive(MADKIT_CLASS_BM, MADKIT_METHOD_GET, 0, 0, 0);
	is_u64(unsolicited, 1, "one of another class than the agent's is not");
	agent_match_arrive(MADKIT_CLASS_PERF, MADKIT_METHOD_GET, 0, 5, 0);
	is_u64(unsolicited, 1, "nor one for an agent that is not there");
	agent_match_arrive(MADKIT_CLASS_PERF, 0x81, 0, 0, 0);
	is_u64(unsolicited, 1, "nor a response to nothing");
	agent_match_arrive(MADKIT_CLASS_PERF, 0x81, 1, 0, 0);
	is_u64(unsolicited, 1, "... whatever its bytes where others have an RMPP header");
	madkit_port_get_counters(port, &c);
	is_u64(c.unknown_agent, 2, "two were counted as nobody's");
	is_u64(c.unmatched, 2, "two as answers to nothing");
	is_u64(c.received, 4, "four as received by the agent");
	madkit_port_close(port);

	start_class(0, 0);
	agent_match_arrive(MADKIT_CLASS_BM, MADKIT_METHOD_GET, 0, 0, 0);
	is_u64(unsolicited, 1, "an agent of class 0 takes what it is given");
	madkit_port_close(port);
}

static void test_agent_match_rmpp(void)
{
	start_class(0x32, 0);
	agent_match_arrive(0x32, 0x92, 1, 0, 0);
	is_u64(unsolicited, 1, "an RMPP segment that answers nothing goes to an agent without kernel RMPP");
	agent_match_arrive(0x32, 0x92, 0, 0, 0);
	is_u64(unsolicited, 1, "... if its header is active");
	madkit_port_close(port);
	start_class(0x32, 1);
	agent_match_arrive(0x32, 0x92, 1, 0, 0);
	is_u64(unsolicited, 0, "... and not where the kernel does RMPP");
	agent_match_arrive(0x32, 0x92, 0, 0, ETIMEDOUT);
	is_u64(undelivered, 1, "a response of ours that the kernel could not deliver is told");
	agent_match_arrive(0x32, 0x12, 0, 0, ETIMEDOUT);
	is_u64(undelivered, 1, "a request that nobody waits for is not");
	madkit_port_close(port);
	start_class(0x32, 0);
	agent_match_arrive(0x32, 0x92, 0, 0, ETIMEDOUT);
	is_u64(undelivered, 0, "nor a response without kernel RMPP");
	madkit_port_close(port);
}

/* A returned send must be the one that was sent. */
static void test_agent_match_returned(void)
{
	start_class(MADKIT_CLASS_PERF, 0);
	struct madkit_send *send = fake_get(MADKIT_CLASS_PERF, 0x12, 1000, 0);

	madkit_agent_post(agent, send);
	fake_return(fake, 0, &fake->sent[0], ETIMEDOUT)->mad[15] ^= 1;
	fake_return(fake, 0, &fake->sent[0], ETIMEDOUT)->mad[1] = 5;
	fake_return(fake, 0, &fake->sent[0], ETIMEDOUT)->mad[3] = 2;
	fake_return(fake, 0, &fake->sent[0], ETIMEDOUT)->mad[17] = 0;
	fake_return(fake, 0, &fake->sent[0], ETIMEDOUT)->id = 3;
	madkit_port_process(port);
	is_u64(ended, 0, "returned MADs that are not what was sent end nothing");
	fake_return(fake, 0, &fake->sent[0], ETIMEDOUT)->mad[8] ^= 0x55;
	madkit_port_process(port);
	ok(ended == 1 && end_status == -ETIMEDOUT, "the right one does");
	madkit_port_close(port);
	madkit_send_free(send);
}

/* Two agents of one class: each gets only its own responses. */
static void test_two_agents(void)
{
	start_class(MADKIT_CLASS_PERF, 0);
	struct madkit_agent *second =
		fake_agent(port, MADKIT_CLASS_PERF, 0, agent_match_on_end, agent_match_on_recv, NULL);
	struct madkit_send *a = fake_get(MADKIT_CLASS_PERF, 0x12, 1000, 0);
	struct madkit_send *b = fake_get(MADKIT_CLASS_PERF, 0x12, 1000, 0);

	madkit_agent_post(agent, a);
	madkit_agent_post(second, b);
	ok(madkit_agent_id(agent) != madkit_agent_id(second), "two numbers");
	fake_answer(fake, 0, &fake->sent[0])->id = madkit_agent_id(second);
	fake_return(fake, 0, &fake->sent[0], ETIMEDOUT)->id = madkit_agent_id(second);
	madkit_port_process(port);
	ok(!ended && !answered, "the first's answer, or its return, to the second: neither takes it");
	fake_answer(fake, 0, &fake->sent[1]);
	madkit_port_process(port);
	ok(madkit_agent_outstanding(agent) == 1 && !madkit_agent_outstanding(second),
	   "the second's is answered, the first's is not");
	madkit_port_close(port);
	madkit_send_free(a);
	madkit_send_free(b);
}

int main(void)
{
	test_keys();
	test_methods();
	test_sources();
	test_unsolicited();
	test_agent_match_rmpp();
	test_agent_match_returned();
	test_two_agents();
	return tap_done();
}
