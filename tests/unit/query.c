/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Requests in a few lines, against a peer that says what the test wants. */
#include <errno.h>
#include "tests/tap.h"
#include "tests/unit/fake_transport.h"
#include "util/array_size.h"
#include "util/bits.h"

static uint16_t query_status;
static size_t query_len;

/* NumPorts, byte 3 of NodeInfo, is 5. */
static void query_peer(struct fake *f, const struct fake_sent *sent)
{
	uint8_t mad[256];

	memcpy(mad, sent->mad, sizeof(mad));
	mad[3] |= 0x80;
	mad[4] = (uint8_t)(query_status >> 8);
	mad[5] = (uint8_t)query_status;
	mad[64 + 3] = 5;
	if (query_len)
		fake_arrive(f, 1, sent->id, &sent->to, mad, query_len, 0);
	else
		fake_return(f, (uint64_t)sent->timeout_ms * (sent->retries + 1), sent, ETIMEDOUT);
}

static void test_request(void)
{
	/* base version, class, class version, method; attribute and modifier from byte 16 on */
	static const uint8_t start[] = { 1, 3, 2, 0x12 }, ids[] = { 0, 0x35, 0, 0, 0, 0, 1, 2 };
	const struct madkit_addr to = { .lid = 7, .sl = 3 };
	const uint8_t gid[16] = { 0xfe, 0x80, [15] = 9 };
	struct madkit_send *send = madkit_send_request(&to, MADKIT_CLASS_SA, MADKIT_METHOD_GET_TABLE,
						       MADKIT_ATTR_PATH_RECORD, 258);

	ok(send && send->len == 256 && !memcmp(send->mad, start, 4) && !memcmp(send->mad + 16, ids, 8),
	   "the header of a request");
	is_u64(send->to.lid << 8 | send->to.sl, 0x703, "... its destination");
	is_u64(send->to.qp, 1, "... QP 1");
	is_u64(send->to.qkey, 0x80010000, "... and its Q_Key");
	is_int(madkit_send_put_bytes(send, MADKIT_PATH_RECORD_DGID, gid, 16), 0, "DGID");
	is_int(madkit_send_put(send, MADKIT_PATH_RECORD_NUMB_PATH, 1), 0, "NumbPath");
	is_u64(send->mad[48 + 7] | send->mad[48 + 6] << 8, 1 << 2 | 1 << 12, "... are components 2 and 12");
	ok(!memcmp(send->mad + 56 + 8, gid, 16) && send->mad[56 + 49] == 1, "... and their values are there");
	is_int(madkit_send_put(send, MADKIT_PATH_RECORD_NUMB_PATH, 128), -ERANGE, "a value too large");
	is_int(madkit_send_put(send, MADKIT_AT(200 * 8, 8), 1), -ENODATA, "beyond the end");
	is_u64(send->mad[48 + 7] | send->mad[48 + 6] << 8, 1 << 2 | 1 << 12, "... adds no component");
	madkit_send_free(send);
	send = madkit_send_request(NULL, MADKIT_CLASS_SUBN_DR, MADKIT_METHOD_GET, MADKIT_ATTR_NODE_INFO, 0);
	ok(send && send->to.direct && !send->to.hops && !send->to.qp, "this port, by a directed route");
	madkit_send_free(send);
}

static void test_response(struct madkit_port *port)
{
	const struct madkit_addr to = { .lid = 7 };
	struct madkit_send *send =
		madkit_send_request(&to, MADKIT_CLASS_SUBN, MADKIT_METHOD_GET, MADKIT_ATTR_NODE_INFO, 0);
	struct madkit_reply reply;
	uint64_t ports = 0;
	static const struct {
		size_t len;
		uint16_t status;
		int want;
		const char *what;
	} rows[] = {
		{ 256, 0, 0, "a response" },
		{ 256, 0x000c, -EPROTO, "... with a status" },
		{ 66, 0, -ENODATA, "... that is cut" },
		{ 0, 0, -ETIMEDOUT, "none" },
	};

	for (unsigned int i = 0; i < 4; i++) {
		query_len = rows[i].len;
		query_status = rows[i].status;
		is_int(madkit_port_request(port, send, UINT64_MAX, &reply, NULL), 0, "%s", rows[i].what);
		is_int(madkit_reply_get(&reply, MADKIT_NODE_INFO_NUM_PORTS, &ports), rows[i].want,
		       "... its value");
		is_u64(ports, 5, "... is NumPorts, or is left alone");
		madkit_recv_free(reply.recv);
	}
	is_int(madkit_send_put(NULL, MADKIT_PATH_RECORD_SL, 1), -ENOMEM, "no memory for a request: a field");
	is_int(madkit_port_request(port, NULL, UINT64_MAX, &reply, NULL), -ENOMEM, "no request");
	is_int(madkit_reply_get(&reply, MADKIT_NODE_INFO_NUM_PORTS, &ports), -EIO, "... has no response");
	madkit_send_free(send);
}

/* Header constants count from the MAD, others from the attribute: both are known from the constant. */
static void test_origins(struct madkit_port *port)
{
	struct madkit_send *send = madkit_send_request(NULL, 0x32, MADKIT_METHOD_GET, MADKIT_ATTR_PING, 0);
	struct madkit_reply reply;
	uint64_t value = 0;

	is_int(madkit_send_put(send, MADKIT_HEADER_VENDOR2_OUI, 0x001405), 0,
	       "L1: the OUI of a vendor's class");
	is_mem(send->mad + 37, "\x00\x14\x05", 3, "L1: ... is in the class header, at bytes 37 to 39");
	is_u64(send->mad[78] | send->mad[79], 0, "L1: ... and not in the payload");
	is_int(madkit_send_put(send, MADKIT_HEADER_MODIFIER, 0x12345678), 0,
	       "L1: a field of the common header");
	is_mem(send->mad + 20, "\x12\x34\x56\x78", 4, "L1: ... is at its place");
	is_int(madkit_send_put(send, MADKIT_PORT_OBJECT_LID, 1), -EINVAL, "L1: a field that no MAD has");
	is_int(madkit_send_put_bytes(send, MADKIT_PORT_OBJECT_NODE_NAME, "x", 1), -EINVAL,
	       "L1: ... as bytes");
	madkit_send_free(send);

	send = madkit_send_request(NULL, MADKIT_CLASS_SA, MADKIT_METHOD_GET, MADKIT_ATTR_PATH_RECORD, 0);
	is_int(madkit_send_put(send, MADKIT_HEADER_SA_SM_KEY, 0x1122334455667788), 0, "L1: the SM_Key");
	is_mem(send->mad + 36, "\x11\x22\x33\x44\x55\x66\x77\x88", 8, "L1: ... is in the header of the SA");
	is_u64(get_be64(send->mad + 48), 0, "L1: ... and no component");
	is_int(madkit_send_put_bytes(send, MADKIT_PATH_RECORD_DGID, "0123456789abcdef", 16), 0,
	       "L1: a component");
	is_u64(get_be64(send->mad + 48), 1 << 2, "L1: ... is in the mask");
	is_mem(send->mad + 56 + 8, "0123456789abcdef", 16, "L1: ... and in the record");
	madkit_send_free(send);

	query_len = 256;
	query_status = 0;
	send = madkit_send_request(&(struct madkit_addr){ .lid = 7 }, MADKIT_CLASS_SUBN, MADKIT_METHOD_GET,
				   MADKIT_ATTR_NODE_INFO, 0);
	is_int(madkit_port_request(port, send, UINT64_MAX, &reply, NULL), 0, "L1: a response");
	is_int(madkit_reply_get(&reply, MADKIT_HEADER_ATTRIBUTE, &value), 0, "L1: a header field of it");
	is_u64(value, 0x11, "L1: ... counts from the MAD");
	is_int(madkit_reply_get(&reply, MADKIT_PORT_OBJECT_LID, &value), -EINVAL, "L1: no field of a MAD");
	is_int(madkit_get(reply.recv->mad, reply.recv->len, MADKIT_HEADER_ATTRIBUTE, &value), 0,
	       "L1: madkit_get() counts from what it is given");
	is_u64(value, 0x11, "L1: ... the MAD");
	is_u64(madkit_component(MADKIT_HEADER_SA_SM_KEY), 0, "L1: a header field is no component");
	madkit_recv_free(reply.recv);
	madkit_send_free(send);
}

/* ---- responses ------------------------------------------------------------------------------ */

static void query_test_response(void)
{
	/* IBA volume 1, table 109 and the tables of methods of the classes */
	static const struct {
		uint8_t mgmt_class, method, response;
	} rows[] = {
		{ 0x01, 0x01, 0x81 }, { 0x01, 0x02, 0x81 }, { 0x01, 0x05, 0x07 }, { 0x01, 0x07, 0 },
		{ 0x01, 0x81, 0 },    { 0x81, 0x02, 0x81 }, { 0x03, 0x01, 0x81 }, { 0x03, 0x02, 0x81 },
		{ 0x03, 0x05, 0x07 }, { 0x03, 0x06, 0x86 }, { 0x03, 0x12, 0x92 }, { 0x03, 0x13, 0x92 },
		{ 0x03, 0x14, 0x94 }, { 0x03, 0x15, 0x95 }, { 0x03, 0x92, 0 },    { 0x04, 0x02, 0x81 },
		{ 0x05, 0x01, 0x81 }, { 0x05, 0x03, 0x03 }, { 0x06, 0x05, 0x07 }, { 0x07, 0x03, 0 },
		{ 0x32, 0x02, 0x81 }, { 0x32, 0x03, 0 },    { 0x32, 0x10, 0x90 }, { 0x32, 0x13, 0x93 },
		{ 0x09, 0x10, 0x90 },
	};
	struct madkit_recv recv = { .from = { .lid = 9,
					      .sl = 3,
					      .qp = 5,
					      .grh = true,
					      .gid = { 0xfe, 0x80 },
					      .gid_index = 2,
					      .hop_limit = 1,
					      .path_bits = 4 } };
	uint8_t mad[512];

	for (size_t i = 0; i < sizeof(mad); i++)
		mad[i] = (uint8_t)(i * 7 + 1);
	mad[20 + 3] = 0;
	recv.mad = mad;
	recv.len = 256;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct madkit_send *send;

		mad[1] = rows[i].mgmt_class;
		mad[3] = rows[i].method;
		is_int(madkit_method_response(rows[i].mgmt_class, rows[i].method), rows[i].response,
		       "L3: class 0x%02x, method 0x%02x: 0x%02x", rows[i].mgmt_class, rows[i].method,
		       rows[i].response);
		send = madkit_send_response(&recv, 0);
		ok(!send == !rows[i].response && (!send || send->mad[3] == rows[i].response),
		   "L3: ... by madkit_send_response()");
		if (!send)
			continue;
		ok(madkit_mad_is_response(send->mad, send->len), "L3: ... which is a response");
		is_mem(send->mad + 8, mad + 8, 8, "L3: ... with the transaction ID of the request");
		is_u64(send->mad[4] << 8 | send->mad[5], rows[i].mgmt_class == 0x81 ? 0x8000 : 0,
		       "L3: ... and status 0");
		is_int(send->mad[20 + 3], rows[i].mgmt_class == 0x05 && rows[i].method == 3,
		       "L3: ... and the modifier of the request, but for BM");
		is_mem(send->mad + 64, mad + 64, 256 - 64, "L3: ... and its data");
		madkit_send_free(send);
	}
	mad[1] = 0x03;
	mad[3] = 0x12;
	mad[24] = mad[25] = mad[26] = 0;
	struct madkit_send *send = madkit_send_response(&recv, 1000);

	ok(send && send->len == 1000 && send->mad[24] == 1 && send->mad[25] == 1 && send->mad[26] & 1,
	   "L3: a table has RMPP");
	is_mem(send->mad + 56, mad + 56, 256 - 56, "L3: ... begins as the request");
	ok(!send->mad[256] && !send->mad[999], "L3: ... and ends with zeros");
	ok(send->to.lid == 9 && send->to.sl == 3 && send->to.qp == 5 && send->to.grh &&
		   send->to.gid[0] == 0xfe && send->to.gid_index == 2 && send->to.path_bits == 4,
	   "L3: it is sent to the source of the request");
	is_int(send->to.hop_limit, 255, "L3: ... across as many routers as necessary");
	madkit_send_free(send);
	send = madkit_send_response(&recv, 40);
	ok(send && send->len == 40, "L3: a shorter one");
	madkit_send_free(send);
	ok(!madkit_send_response(NULL, 0) && !madkit_send_response(&recv, 23), "L3: no request, no header");
	recv.status = ETIMEDOUT;
	ok(!madkit_send_response(&recv, 0), "L3: a response that was returned");
	recv.status = 0;
	recv.len = 23;
	ok(!madkit_send_response(&recv, 256), "L3: a request without a header");
}

/* ---- the time until a port is due -------------------------------------------------------------- */

static void query_test_timeout_ms(void)
{
	struct fake *fake = fake_new();
	struct madkit_port *port = fake_port(fake);
	struct madkit_agent *agent = fake_agent(port, MADKIT_CLASS_PERF, 0, NULL, NULL, NULL);
	struct madkit_send *send = fake_get(MADKIT_CLASS_PERF, 0x12, 100, 0);
	uint64_t due;

	is_int(madkit_port_timeout_ms(port, -1), -1, "L5: nothing is due: no limit");
	is_int(madkit_port_timeout_ms(port, 7), 7, "L5: ... or that of the caller");
	is_int(madkit_port_timeout_ms(NULL, 7), 7, "L5: ... also without a port");
	madkit_agent_post(agent, send);
	due = madkit_port_deadline(port);
	fake->now = due - 20000000;
	is_int(madkit_port_timeout_ms(port, -1), 20, "L5: 20 ms");
	is_int(madkit_port_timeout_ms(port, 7), 7, "L5: ... at most 7");
	is_int(madkit_port_timeout_ms(port, 0), 0, "L5: ... at most 0");
	fake->now++;
	is_int(madkit_port_timeout_ms(port, 30), 20, "L5: a part of a millisecond counts as one");
	fake->now = due - 1;
	is_int(madkit_port_timeout_ms(port, -1), 1,
	       "L5: ... the last as well, or poll() would return too early");
	fake->now = due;
	is_int(madkit_port_timeout_ms(port, -1), 0, "L5: it is due");
	fake->now = due + 5000000;
	is_int(madkit_port_timeout_ms(port, -1), 0, "L5: it was due");
	madkit_agent_cancel(agent, send);
	is_int(madkit_port_timeout_ms(port, -1), 0, "L5: a handler is to be called");
	madkit_port_process(port);
	is_int(madkit_port_timeout_ms(port, -1), -1, "L5: nothing is due any more");
	madkit_send_free(send);
	madkit_port_close(port);
}

static void test_agents(struct fake *fake, struct madkit_port *port)
{
	struct madkit_send *send = madkit_send_request(NULL, 0x32, MADKIT_METHOD_GET, MADKIT_ATTR_PING, 0);
	static struct transport_ops without_rmpp;
	struct madkit_refusal refusal;
	struct madkit_reply reply;

	is_u64(fake->attached, 1, "one agent is used for all requests of a class");
	fake->attach_result = -EPERM;
	is_int(madkit_port_request(port, send, UINT64_MAX, &reply, &refusal), -EPERM, "one that is refused");
	is_u64(refusal.cause, MADKIT_REFUSAL_OTHER, "... with a cause");
	fake->attach_result = 0;
	is_int(madkit_put(send->mad, send->len, MADKIT_HEADER_VENDOR2_OUI, MADKIT_OUI_OPENIB), 0,
	       "a vendor's, with its OUI");
	query_len = 256;
	query_status = 0;
	is_int(madkit_port_request(port, send, UINT64_MAX, &reply, &refusal), 0, "... it is sent");
	is_u64(fake->attached, 2, "... by an agent of its own");
	madkit_recv_free(reply.recv);
	madkit_send_free(send);
	without_rmpp = *fake->base.ops;
	without_rmpp.rmpp = false;
	fake->base.ops = &without_rmpp;
	fake->peer = NULL;
	send = madkit_send_request(NULL, MADKIT_CLASS_SA, MADKIT_METHOD_GET_TABLE, MADKIT_ATTR_NODE_RECORD,
				   0);
	for (unsigned int i = 0; i < 2; i++)
		is_int(madkit_port_request(port, send, 0, &reply, NULL), 0, "a table by the library's RMPP");
	is_u64(fake->attached, 3, "... and a second one by the same agent");
	madkit_send_free(send);
}

static void test_sa_addr(struct fake *fake, struct madkit_port *port)
{
	struct madkit_error error;
	struct madkit_addr addr = { .lid = 99 };

	fake->info.sm_lid = 0;
	madkit_port_refresh(port);
	is_int(madkit_port_sa_addr(port, &addr, &error), -EHOSTUNREACH, "no subnet manager");
	is_u64(addr.lid, 99, "... leaves the address alone");
	/* it came up later: the port is read again */
	fake->info.sm_lid = 4;
	fake->info.sm_sl = 2;
	is_int(madkit_port_sa_addr(port, &addr, &error), 0, "one that has come up");
	is_u64(addr.lid << 8 | addr.sl, 0x402, "... at its LID and SL");
	is_u64(addr.qp, 1, "... QP 1");
	is_u64(addr.qkey, 0x80010000, "... and its Q_Key");
}

int main(void)
{
	struct fake *fake = fake_new();
	struct madkit_port *port = fake_port(fake);

	fake->peer = query_peer;
	test_request();
	test_response(port);
	test_origins(port);
	test_agents(fake, port);
	test_sa_addr(fake, port);
	madkit_port_close(port);
	query_test_response();
	query_test_timeout_ms();
	return tap_done();
}
