/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Redirections: where a ClassPortInfo leads, and requests that follow it, once or more often, in
 * circles, to nowhere. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "agent/agent.h"
#include "tests/tap.h"
#include "tests/unit/fake_transport.h"

/* OPA has no reserved bytes before the data */
enum {
	PATH_DLID = 40,
	ATTRIBUTE = 0x12,
	ASKED_LID = 7,
	CPI = MADKIT_PERF_DATA,
	CPI_OPA = MADKIT_HEADER_BYTES
};

static const uint8_t gid[16] = { 0xfe, 0x80, [15] = 9 };

/* ---- where to ---- */

static struct madkit_cpi_target target = { .lid = 9, .sl = 2, .qp = 0x4711, .qkey = 0x99, .pkey = 0x8001 };
static uint8_t mad[MADKIT_FRAME_BYTES];
static struct madkit_addr to;

/* Reads a ClassPortInfo with that target, asked as given. */
static int read_target(const struct madkit_cpi_target *t, const struct madkit_addr *asked, bool opa)
{
	const struct madkit_header h = {
		.base_version = opa ? MADKIT_BASE_VERSION_OPA : MADKIT_BASE_VERSION_IB,
		.mgmt_class = MADKIT_CLASS_PERF,
		.method = 0x81,
		.attribute = MADKIT_ATTR_CLASS_PORT_INFO,
	};

	memset(mad, 0, sizeof(mad));
	madkit_header_put(mad, sizeof(mad), &h);
	if (madkit_cpi_set_redirect(mad + (opa ? CPI_OPA : CPI), opa, t))
		return -ERANGE;
	memset(&to, 0xee, sizeof(to));
	return madkit_redirect_target(mad, opa ? 2048 : 256, asked, &to);
}

static void targets(void)
{
	const struct madkit_addr asked = { .lid = ASKED_LID, .qp = 1, .path_bits = 3, .pkey_index = 2 };
	struct madkit_addr by_gid = asked, again;
	struct madkit_cpi_target t = target;

	is_int(read_target(&t, &asked, false), 0, "a target");
	ok(to.lid == 9 && to.sl == 2 && to.qp == 0x4711 && to.qkey == 0x99 && to.pkey == 0x8001,
	   "... LID, SL, QP, Q_Key and P_Key are its");
	ok(to.path_bits == 3 && to.pkey_index == 2 && !to.grh, "... the rest as where it was asked");
	again = to;
	is_int(read_target(&t, &again, false), -ELOOP, "where it leads to itself");
	t.qkey++;
	is_int(read_target(&t, &again, false), 0, "another Q_Key is another place");

	t = target;
	memcpy(t.gid, gid, 16);
	t.traffic_class = 5;
	t.flow_label = 0x12345;
	is_int(read_target(&t, &asked, false), 0, "a GID beside the LID");
	ok(!to.grh, "... is not needed where none was asked");
	by_gid.grh = true;
	by_gid.gid_index = 4;
	by_gid.hop_limit = 9;
	is_int(read_target(&t, &by_gid, false), 0, "... where one was");
	ok(to.grh && !memcmp(to.gid, gid, 16) && to.traffic_class == 5 && to.flow_label == 0x12345 &&
		   to.gid_index == 4 && to.hop_limit == 9,
	   "... it goes there, from the same index");
	t.lid = 0;
	is_int(read_target(&t, &asked, false), 0, "a GID alone");
	ok(to.grh && !to.lid && to.hop_limit == 255, "... is where it goes");

	t = target;
	t.qp = 1;
	is_int(read_target(&t, &asked, false), 0, "another port's QP 1");
	is_u64(to.qkey, MADKIT_QKEY_GSI, "... has its Q_Key, whatever is said");
	t.lid = ASKED_LID;
	is_int(read_target(&t, &asked, false), -ELOOP, "the port's own QP 1 is where it was asked");

	is_int(read_target(&t, &by_gid, false), -ELOOP, "... with a GRH, too");
	memcpy(t.gid, gid, 16);
	is_int(read_target(&t, &by_gid, false), 0, "... but for another GID's");

	t = target;
	t.lid = 0;
	is_int(read_target(&t, &asked, false), -ENOENT, "neither LID nor GID: nowhere");
	t.gid[0] = 0xff;
	is_int(read_target(&t, &asked, false), -EPROTO, "a multicast GID");
	t = target;
	t.qp = 0;
	is_int(read_target(&t, &asked, false), -EPROTO, "no queue pair");
	t = target;
	t.lid = 0xc000;
	is_int(read_target(&t, &asked, false), -EPROTO, "a multicast LID");
	t.lid = 0xffff;
	is_int(read_target(&t, &asked, false), -EPROTO, "the permissive LID");
	t.lid = 0xbfff;
	is_int(read_target(&t, &asked, false), 0, "the last LID");

	t.lid = 0x12345;
	is_int(read_target(&t, &asked, true), 0, "OPA's form");
	is_u64(to.lid, 0x12345, "... has longer LIDs");

	is_int(read_target(&target, &asked, false), 0, "again");
	is_int(madkit_redirect_target(mad, CPI + MADKIT_CPI_BYTES, &asked, &to), 0, "just long enough");
	is_int(madkit_redirect_target(mad, CPI + MADKIT_CPI_BYTES - 1, &asked, &to), -EPROTO, "a byte less");
	is_int(madkit_redirect_target(mad, MADKIT_HEADER_BYTES - 1, &asked, &to), -EPROTO, "half a header");
	mad[MADKIT_MAD_ATTRIBUTE + 1] = 2;
	is_int(madkit_redirect_target(mad, 256, &asked, &to), -ENOENT, "another attribute");
}

/* ---- following ---- */

/* The redirections of the ports of this fabric, one per LID. */
struct station {
	bool redirects;
	bool at_once; /* the response itself is the ClassPortInfo */
	bool silent;  /* about its ClassPortInfo */
	bool interrupts;
	bool resolves; /* it is the SA, and knows a path */
	struct madkit_cpi_target target;
};

static struct station stations[16];
static struct fake *fake;
static struct madkit_port *port;
static struct madkit_agent *agent;
static struct madkit_reply reply;
static struct madkit_redirected told;
static struct madkit_agent *bystander; /* with a handler that unregisters the requester */
static size_t doomed;                  /* in response to this send; 0: never */
static char way[80];                   /* "7:0012 7:0001": who was asked for what */

static void fabric(struct fake *f, const struct fake_sent *sent)
{
	const struct station *s = &stations[sent->to.lid % 16];
	uint16_t attribute =
		(uint16_t)(sent->mad[MADKIT_MAD_ATTRIBUTE] << 8 | sent->mad[MADKIT_MAD_ATTRIBUTE + 1]);
	size_t used = strlen(way);
	struct fake_arrival *a;

	snprintf(way + used, sizeof(way) - used, "%s%u:%04x", used ? " " : "", (unsigned int)sent->to.lid,
		 attribute);
	if (s->interrupts) {
		f->wait_result = -EINTR;
		return;
	}
	if (s->silent && attribute == MADKIT_ATTR_CLASS_PORT_INFO) {
		fake_return(f, sent->timeout_ms, sent, ETIMEDOUT);
		return;
	}
	a = fake_answer(f, 1, sent);
	if (attribute != MADKIT_ATTR_CLASS_PORT_INFO && s->redirects) {
		a->mad[MADKIT_MAD_STATUS + 1] |= MADKIT_STATUS_REDIRECT;
		if (s->at_once)
			a->mad[MADKIT_MAD_ATTRIBUTE + 1] = MADKIT_ATTR_CLASS_PORT_INFO;
	}
	if (attribute == MADKIT_ATTR_CLASS_PORT_INFO || s->at_once)
		madkit_cpi_set_redirect(a->mad + CPI, false, &s->target);
	if (s->resolves)
		a->mad[MADKIT_SA_DATA + PATH_DLID + 1] = 11;
	if (f->nsent == doomed)
		fake_arrive(f, 1, madkit_agent_id(bystander), &sent->to, sent->mad, sent->len, 0);
}

static void unregister(struct madkit_agent *by, struct madkit_recv *recv)
{
	(void)by;
	madkit_agent_unregister(agent);
	madkit_recv_free(recv);
}

static struct madkit_send *test_redirect_begin(void)
{
	struct madkit_send *send = fake_get(MADKIT_CLASS_PERF, ATTRIBUTE, 100, 0);

	memset(stations, 0, sizeof(stations));
	way[0] = 0;
	doomed = 0;
	fake = fake_new();
	fake->peer = fabric;
	port = fake_port(fake);
	agent = fake_agent(port, MADKIT_CLASS_PERF, 0, NULL, NULL, NULL);
	return send;
}

static void test_redirect_end(struct madkit_send *send)
{
	madkit_recv_free(reply.recv);
	madkit_send_free(send);
	madkit_port_close(port);
}

static struct station to_lid(uint32_t lid)
{
	return (struct station){ .redirects = true, .target = { .lid = lid, .qp = 1 } };
}

static int test_redirect_ask(struct madkit_send *send, unsigned int hops)
{
	return madkit_request_redirected(agent, send, UINT64_MAX, hops, &reply, &told);
}

static uint16_t status(void)
{
	return reply.recv ? (uint16_t)(reply.recv->mad[4] << 8 | reply.recv->mad[5]) : 0xffff;
}

static void followed(void)
{
	struct madkit_send *send = test_redirect_begin();

	is_int(test_redirect_ask(send, 1), 0, "a request that is not redirected");
	ok(status() == 0 && !told.hops && !told.error.code, "... is answered");
	is_str(way, "7:0012", "... at once");
	test_redirect_end(send);

	send = test_redirect_begin();
	stations[7] = to_lid(9);
	is_int(test_redirect_ask(send, 1), 0, "a request that is");
	is_str(way, "7:0012 7:0001 9:0012", "... asks where to, and goes there");
	ok(status() == 0 && told.hops == 1 && !told.error.code && send->to.lid == 9, "... and is answered");
	test_redirect_end(send);

	send = test_redirect_begin();
	stations[7] = to_lid(9);
	stations[7].at_once = true;
	is_int(test_redirect_ask(send, 1), 0, "one whose answer says where to");
	is_str(way, "7:0012 9:0012", "... goes there");
	ok(status() == 0 && told.hops == 1, "... and is answered");
	test_redirect_end(send);

	send = test_redirect_begin();
	stations[7] = to_lid(9);
	stations[7].target.qp = 0x4711;
	stations[7].target.qkey = MADKIT_QKEY_GSI;
	is_int(test_redirect_ask(send, 1), 0, "to another queue pair with QP 1's Q_Key");
	ok(status() == 0 && told.hops == 1 && send->to.qp == 0x4711, "... umad reaches it");
	test_redirect_end(send);

	send = test_redirect_begin();
	stations[7] = to_lid(9);
	is_int(madkit_request_redirected(agent, send, UINT64_MAX, 1, &reply, NULL), 0,
	       "C5: the report about redirections may be left out");
	ok(status() == 0 && send->to.lid == 9, "C5: ... and the redirection is followed");
	test_redirect_end(send);
}

static void test_redirect_limits(void)
{
	struct madkit_send *send = test_redirect_begin();

	stations[7] = to_lid(9);
	is_int(test_redirect_ask(send, 0), 0, "no hop is allowed");
	is_str(way, "7:0012", "... none is made");
	ok(status() == MADKIT_STATUS_REDIRECT && !told.hops && !told.error.code, "... the status tells it");
	test_redirect_end(send);

	send = test_redirect_begin();
	stations[7] = to_lid(9);
	stations[9] = to_lid(7);
	is_int(test_redirect_ask(send, 1), 0, "two that redirect to each other");
	is_str(way, "7:0012 7:0001 9:0012", "... one hop, no more");
	is_int(told.error.code, -ELOOP, "... and it says so: %s", told.error.text);
	ok(told.hops == 1 && status() == MADKIT_STATUS_REDIRECT, "... the last answer is there");
	test_redirect_end(send);

	send = test_redirect_begin();
	stations[7] = to_lid(9);
	stations[9] = to_lid(7);
	is_int(test_redirect_ask(send, 3), 0, "... where three hops are allowed");
	is_str(way, "7:0012 7:0001 9:0012 9:0001 7:0012 7:0001 9:0012", "... three");
	is_int(told.error.code, -ELOOP, "... and it ends");
	is_int(told.hops, 3, "... after them");
	test_redirect_end(send);

	send = test_redirect_begin();
	stations[7] = to_lid(9);
	stations[9] = to_lid(11);
	is_int(test_redirect_ask(send, 2), 0, "a chain of two");
	ok(status() == 0 && told.hops == 2 && send->to.lid == 11, "... where two hops are allowed");
	test_redirect_end(send);

	send = test_redirect_begin();
	stations[7] = to_lid(7);
	is_int(test_redirect_ask(send, 5), 0, "one that redirects to itself");
	is_str(way, "7:0012 7:0001", "... is not asked again");
	is_int(told.error.code, -ELOOP, "... %s", told.error.text);
	test_redirect_end(send);
}

static void dead_ends(void)
{
	struct madkit_send *send = test_redirect_begin();

	stations[7].redirects = true;
	is_int(test_redirect_ask(send, 1), 0, "nowhere is said");
	is_int(told.error.code, -ENOENT, "... %s", told.error.text);
	ok(status() == MADKIT_STATUS_REDIRECT && send->to.lid == ASKED_LID, "... the answer is there");
	test_redirect_end(send);

	send = test_redirect_begin();
	stations[7] = to_lid(9);
	stations[7].silent = true;
	is_int(test_redirect_ask(send, 1), 0, "it says nothing");
	is_int(told.error.code, -ETIMEDOUT, "... %s", told.error.text);
	ok(status() == MADKIT_STATUS_REDIRECT, "... the answer is there");
	test_redirect_end(send);

	send = test_redirect_begin();
	stations[7] = to_lid(9);
	stations[7].target.qp = 0;
	is_int(test_redirect_ask(send, 1), 0, "no queue pair is said");
	is_int(told.error.code, -EPROTO, "... %s", told.error.text);
	test_redirect_end(send);

	send = test_redirect_begin();
	stations[7] = to_lid(9);
	stations[7].target.pkey = 0x8123;
	is_int(test_redirect_ask(send, 1), 0, "a partition that the port is not in");
	is_int(told.error.code, -EKEYREJECTED, "... %s", told.error.text);
	is_int(told.hops, 0, "... is not gone to");
	test_redirect_end(send);

	/* on InfiniBand only the SA knows where a GID is; the one at LID 9 makes no sense */
	send = test_redirect_begin();
	stations[7].redirects = true;
	stations[7].target.qp = 1;
	memcpy(stations[7].target.gid, gid, 16);
	is_int(test_redirect_ask(send, 1), 0, "a GID alone");
	is_str(way, "7:0012 7:0001 9:0035", "... asks the SA for its path");
	ok(told.error.code && !told.hops, "... and ends there: %s", told.error.text);
	ok(status() == MADKIT_STATUS_REDIRECT && send->to.lid == ASKED_LID, "... the answer is there");
	test_redirect_end(send);

	/* the fake device has none */
	send = test_redirect_begin();
	stations[7] = to_lid(9);
	stations[7].target.qp = 0x4711;
	stations[7].target.qkey = 5;
	is_int(test_redirect_ask(send, 1), 0, "a Q_Key that umad does not send");
	ok(told.error.code == -ENODEV || told.error.code == -EOPNOTSUPP, "... and no queue pair for it: %s",
	   told.error.text);
	ok(status() == MADKIT_STATUS_REDIRECT && !told.hops && send->to.lid == ASKED_LID,
	   "... the answer is there");
	test_redirect_end(send);

	send = test_redirect_begin();
	stations[7] = to_lid(9);
	stations[9].interrupts = true;
	is_int(test_redirect_ask(send, 1), -EINTR, "a signal while the second place is asked");
	is_str(way, "7:0012 7:0001 9:0012", "... it had been");
	ok(!reply.recv && send->to.lid == ASKED_LID,
	   "... nothing is left of it: it can be asked from the start");
	test_redirect_end(send);
}

/* Another agent's handler ends the one that asks, at each step. */
static void unregistered(void)
{
	static const char *const ways[] = { "7:0012", "7:0012 7:0001", "7:0012 7:0001 9:0035",
					    "7:0012 7:0001 9:0035 11:0012" };

	for (size_t i = 0; i < 4; i++) {
		struct madkit_send *send = test_redirect_begin();

		bystander = fake_agent(port, 0, 0, NULL, unregister, NULL);
		doomed = i + 1;
		stations[7].redirects = true;
		stations[7].target.qp = 1;
		memcpy(stations[7].target.gid, gid, 16);
		stations[9].resolves = true;
		is_int(test_redirect_ask(send, 1), 0, "its agent is unregistered at step %zu", i + 1);
		is_str(way, ways[i], "... the last");
		is_int(told.error.code, i < 3 ? -ECANCELED : 0, "... %s", told.error.text);
		ok(status() == (i < 3 ? MADKIT_STATUS_REDIRECT : 0), "... the answer is there");
		test_redirect_end(send);
	}
}

/* The ClassPortInfo is asked for with what the class's header holds. */
static void header_kept(void)
{
	struct madkit_send *send = test_redirect_begin();
	struct madkit_agent *vendor = fake_agent(port, 0x32, 1, NULL, NULL, NULL);

	send->mad[MADKIT_MAD_CLASS] = 0x32;
	send->mad[MADKIT_VENDOR2_OUI] = 0x12;
	send->mad[MADKIT_VENDOR2_OUI + 2] = 0x34;
	send->mad[MADKIT_MAD_MODIFIER] = 0x77;
	send->mad[MADKIT_VENDOR2_DATA] = 0x99;
	stations[7].redirects = true;
	is_int(madkit_request_redirected(vendor, send, UINT64_MAX, 1, &reply, &told), 0, "a vendor's class");
	is_int(fake->nsent, 2, "... asks for its ClassPortInfo");
	is_mem(fake->sent[1].mad + MADKIT_VENDOR2_OUI, send->mad + MADKIT_VENDOR2_OUI, 3, "... of its OUI");
	ok(!fake->sent[1].mad[MADKIT_MAD_MODIFIER] && !fake->sent[1].mad[MADKIT_VENDOR2_DATA],
	   "... without modifier and data");
	test_redirect_end(send);
}

static void sa_header(void)
{
	struct madkit_send *send = test_redirect_begin();
	struct madkit_agent *sa = fake_agent(port, MADKIT_CLASS_SA, 0, NULL, NULL, NULL);
	static const uint8_t zero[MADKIT_SA_DATA - MADKIT_SA_ATTRIBUTE_OFFSET];

	send->mad[MADKIT_MAD_CLASS] = MADKIT_CLASS_SA;
	memset(send->mad + MADKIT_HEADER_BYTES, 0x77, MADKIT_SA_DATA - MADKIT_HEADER_BYTES);
	memset(send->mad + MADKIT_RMPP_OFFSET, 0, MADKIT_RMPP_HEADER_BYTES);
	stations[7].redirects = true;
	is_int(madkit_request_redirected(sa, send, UINT64_MAX, 1, &reply, &told), 0, "the SA's class");
	is_int(fake->nsent, 2, "... asks for its ClassPortInfo");
	is_mem(fake->sent[1].mad + MADKIT_SA_KEY, send->mad + MADKIT_SA_KEY, 8, "... with the SM_Key");
	is_mem(fake->sent[1].mad + MADKIT_SA_ATTRIBUTE_OFFSET, zero, sizeof(zero),
	       "... and no component mask");
	test_redirect_end(send);
}

int main(void)
{
	targets();
	followed();
	test_redirect_limits();
	dead_ends();
	unregistered();
	header_kept();
	sa_header();
	return tap_done();
}
