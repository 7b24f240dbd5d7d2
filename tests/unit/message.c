/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Records of messages, and which messages are cut. */
#include <errno.h>
#include <stdlib.h>
#include <madkit/madkit.h>
#include "tests/tap.h"
#include "util/array_size.h"

#define NODE_RECORD 0x11 /* 108 bytes, 112 with padding */
#define LINK_RECORD 0x20 /* 8 bytes */

static uint8_t mad[1 << 16];

/* An SA message of n data bytes with records that begin stride bytes apart. */
static struct madkit_message sa(uint8_t method, uint16_t id, size_t data, unsigned int stride)
{
	struct madkit_header h = {
		.base_version = 1,
		.mgmt_class = MADKIT_CLASS_SA,
		.class_version = 2,
		.method = method,
		.attribute = id,
	};

	memset(mad, 0, sizeof(mad));
	for (size_t i = 0; i < sizeof(mad) - 56; i++)
		mad[56 + i] = (uint8_t)(i % 251 + 1);
	madkit_header_put(mad, sizeof(mad), &h);
	mad[45] = (uint8_t)(stride / 8);
	return (struct madkit_message){
		.kind = MADKIT_MESSAGE_RESPONSE,
		.mad = mad,
		.len = 56 + data,
	};
}

static void test_message_rmpp(uint8_t type, uint8_t flags, uint32_t segment, uint32_t payload)
{
	madkit_rmpp_set_version(mad, 1);
	madkit_rmpp_set_type(mad, type);
	madkit_rmpp_set_flags(mad, flags | MADKIT_RMPP_ACTIVE);
	madkit_rmpp_set_segment(mad, segment);
	madkit_rmpp_set_length(mad, payload);
}

#define FIRST MADKIT_RMPP_FIRST
#define LAST  MADKIT_RMPP_LAST
#define DATA  MADKIT_RMPP_DATA

/* A message as a kernel's RMPP delivers it: data bytes, PayloadLength with 20 bytes of class header for
 * every segment of 200. */
static uint32_t payload_of(size_t data)
{
	return (uint32_t)(data + (data + 199) / 200 * 20);
}

static const struct {
	const char *what;
	uint16_t id;
	uint8_t method;
	unsigned int stride;
	size_t data;     /* bytes present */
	int type, flags; /* type -1: no RMPP */
	uint32_t segment, payload;
	unsigned int records;
	int complete;
	unsigned int got, total;
} cases[] = {
	{ "Get, no RMPP", NODE_RECORD, 0x81, 112, 200, -1, 0, 0, 0, 1, 0, 0, 0 },
	{ "kernel: 12 records", NODE_RECORD, 0x92, 112, 12 * 112, DATA, FIRST, 1, 1344 + 7 * 20, 12, 0, 0,
	  0 },
	{ "kernel: the last without its padding", NODE_RECORD, 0x92, 112, 11 * 112 + 108, DATA, FIRST, 1,
	  1340 + 7 * 20, 12, 0, 0, 0 },
	{ "kernel: one record in one segment", NODE_RECORD, 0x92, 112, 112, DATA, FIRST | LAST, 1, 132, 1, 0,
	  0, 0 },
	{ "frame with one record and filling", NODE_RECORD, 0x92, 112, 200, DATA, FIRST | LAST, 1, 132, 1, 0,
	  0, 0 },
	{ "frame full of small records", LINK_RECORD, 0x92, 8, 200, DATA, FIRST | LAST, 1, 220, 25, 0, 0, 0 },
	{ "empty table: a class header alone", NODE_RECORD, 0x92, 0, 200, DATA, FIRST | LAST, 1, 20, 0, 0, 0,
	  0 },
	{ "empty table: no data bytes", NODE_RECORD, 0x92, 0, 0, DATA, FIRST | LAST, 1, 20, 0, 0, 0, 0 },
	{ "A11: AttributeOffset 0 and data in one segment", NODE_RECORD, 0x92, 0, 200, DATA, FIRST | LAST, 1,
	  220, 0, -EBADMSG, 0, 0 },
	{ "A11: AttributeOffset 0 and data in two segments", NODE_RECORD, 0x92, 0, 336, DATA, FIRST, 1,
	  336 + 40, 0, -EBADMSG, 0, 0 },
	{ "A11: AttributeOffset 0 and no PayloadLength in a full frame", NODE_RECORD, 0x92, 0, 200, DATA,
	  FIRST | LAST, 1, 0, 0, 0, 0, 0 },
	{ "A11: the table ends within the third record", NODE_RECORD, 0x92, 112, 274, DATA, FIRST, 1,
	  274 + 40, 2, -EBADMSG, 2, 3 },
	{ "A11: ... one byte before its end", NODE_RECORD, 0x92, 112, 331, DATA, FIRST, 1, 331 + 40, 2,
	  -EBADMSG, 2, 3 },
	{ "A11: ... and no length is declared in the first segment", NODE_RECORD, 0x92, 112, 274, DATA, FIRST,
	  1, 0, 2, -EBADMSG, 2, 3 },
	{ "A11: ... and in one segment", NODE_RECORD, 0x92, 112, 200, DATA, FIRST | LAST, 1, 20 + 150, 1,
	  -EBADMSG, 1, 2 },
	{ "A11: ... and the first record is not whole", NODE_RECORD, 0x92, 112, 200, DATA, FIRST | LAST, 1,
	  20 + 50, 0, -EBADMSG, 0, 1 },
	{ "A11: ... and opensm has no kernel", NODE_RECORD, 0x92, 112, 150, 0, 0, 0, 0, 1, -EBADMSG, 1, 2 },
	{ "A11: no PayloadLength in a full frame: padding", NODE_RECORD, 0x92, 112, 200, DATA, FIRST | LAST,
	  1, 0, 1, 0, 0, 0 },
	{ "first segment only, total told", NODE_RECORD, 0x92, 112, 200, DATA, FIRST, 1, 1344 + 7 * 20, 1,
	  -ENODATA, 1, 12 },
	{ "first segment only, total not told", NODE_RECORD, 0x92, 112, 200, DATA, FIRST, 1, 0, 1, -ENODATA,
	  1, 0 },
	{ "first segment only, an impossible total", NODE_RECORD, 0x92, 112, 200, DATA, FIRST, 1, 132, 1,
	  -ENODATA, 1, 0 },
	{ "only segment declares more than a segment holds", NODE_RECORD, 0x92, 112, 200, DATA, FIRST | LAST,
	  1, 1344 + 7 * 20, 1, -ENODATA, 1, 12 },
	{ "several segments, fewer than declared", NODE_RECORD, 0x92, 112, 600, DATA, FIRST, 1, 1344 + 7 * 20,
	  5, -ENODATA, 5, 12 },
	{ "a huge declared length", NODE_RECORD, 0x92, 112, 200, DATA, FIRST, 1, 0xffffffff, 1, -ENODATA, 1,
	  34861747 },
	{ "opensm without a kernel, full frame", NODE_RECORD, 0x92, 112, 200, 0, 0, 0, 0, 1, -ENODATA, 1, 0 },
	{ "opensm without a kernel, short", NODE_RECORD, 0x92, 112, 112, 0, 0, 0, 0, 1, 0, 0, 0 },
	{ "opensm without a kernel, empty", NODE_RECORD, 0x92, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 },
	{ "a later segment by itself", NODE_RECORD, 0x92, 112, 200, DATA, 0, 2, 0, 1, 0, 0, 0 },
	{ "the last segment by itself", NODE_RECORD, 0x92, 112, 200, DATA, LAST, 7, 164, 1, 0, 0, 0 },
	{ "ACK", NODE_RECORD, 0x12, 0, 200, MADKIT_RMPP_ACK, 0, 1, 5, 0, 0, 0, 0 },
	{ "ABORT", NODE_RECORD, 0x92, 0, 200, MADKIT_RMPP_ABORT, 0, 1, 0, 0, 0, 0, 0 },
	{ "GetMultiResp", 0x35, 0x94, 64, 384, DATA, FIRST, 1, 384 + 40, 6, 0, 0, 0 },
	{ "GetTraceTableResp", 0x39, 0x93, 48, 96, DATA, FIRST | LAST, 1, 116, 2, 0, 0, 0 },
	{ "request with RMPP left to the kernel", 0x3a, 0x14, 0, 200, DATA, 0, 0, 0, 1, 0, 0, 0 },
};

/* From one to the next all is as if it had been asked for. */
static bool same_by_next(const struct madkit_message *m)
{
	struct madkit_record next, asked;
	unsigned int n = 0;

	madkit_record_get(m, 0, &next);
	do {
		madkit_record_get(m, n++, &asked);
		if (next.record != asked.record || next.records != asked.records || next.data != asked.data ||
		    next.len != asked.len || next.offset != asked.offset || next.layout != asked.layout)
			return false;
	} while (madkit_record_next(&next));
	return n == next.records || (n == 1 && !next.records);
}

static void check_cases(void)
{
	is_u64(payload_of(1344), 1344 + 7 * 20, "payload of 12 NodeRecords");
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct madkit_message m = sa(cases[i].method, cases[i].id, cases[i].data, cases[i].stride);
		unsigned int got = 77, total = 77, n;
		struct madkit_record r;
		int ret;

		if (cases[i].type >= 0)
			test_message_rmpp((uint8_t)cases[i].type, (uint8_t)cases[i].flags, cases[i].segment,
					  cases[i].payload);
		n = madkit_message_records(&m);
		is_u64(n, cases[i].records, "%s: records", cases[i].what);
		ret = madkit_message_complete(&m, &got, &total);
		is_int(ret, cases[i].complete, "%s: complete", cases[i].what);
		is_u64(got, ret ? cases[i].got : 77, "%s: got", cases[i].what);
		is_u64(total, ret ? cases[i].total : 77, "%s: total", cases[i].what);
		for (unsigned int k = 0; k < n; k++) {
			madkit_record_get(&m, k, &r);
			if (r.record != k || r.records != n || !r.data || r.data != mad + r.offset ||
			    !r.len || r.offset + r.len > m.len ||
			    (n > 1 && r.offset != 56 + k * cases[i].stride))
				break;
			if (k == n - 1)
				ok(true, "%s: each record lies within", cases[i].what);
		}
		ok(same_by_next(&m), "%s: from one record to the next", cases[i].what);
		madkit_record_get(&m, n, &r);
		ok(!r.data && !r.len && r.attribute, "%s: behind the last", cases[i].what);
	}
}

static void check_views(void)
{
	struct madkit_message m = sa(0x92, NODE_RECORD, 112 + 108, 112);
	unsigned int got, total;
	struct madkit_record r;

	test_message_rmpp(DATA, FIRST, 1, payload_of(220));
	madkit_record_get(&m, 1, &r);
	is_u64(r.len, 108, "the last record's bytes");
	ok(r.layout && r.layout == r.attribute->layout, "with its layout");
	m.truncated = true;
	is_int(madkit_message_complete(&m, &got, &total), -ENODATA, "a receiver that cut it says so");
	is_u64(got, 2, "2 records are here");
	is_u64(total, 0, "of nobody knows how many");

	m = sa(0x92, NODE_RECORD, 200, 112);
	test_message_rmpp(DATA, LAST, 7, 20 + 44);
	madkit_record_get(&m, 0, &r);
	ok(!r.layout && r.len == 44, "a later segment is bytes, as many as it says");

	m = sa(0x92, NODE_RECORD, 200, 112);
	mad[4] = 3; /* no records */
	is_u64(madkit_message_records(&m), 0, "an error reply has no records");
	is_u64(madkit_message_status(&m), 0x300, "... and its status");
	m.kind = MADKIT_MESSAGE_REQUEST;
	is_u64(madkit_message_status(&m), 0, "a request has none");

	m = sa(0x12, NODE_RECORD, 200, 0);
	m.kind = MADKIT_MESSAGE_TIMEOUT;
	is_u64(madkit_message_records(&m), 0, "a timeout has no data");
	madkit_record_get(&m, 0, &r);
	ok(!r.data && r.attribute && r.offset == 56, "but an attribute");
	m.mad = NULL;
	m.len = 0;
	madkit_record_get(&m, 0, &r);
	ok(!r.data && !r.attribute && !r.records, "no MAD, nothing");
}

static void check_lengths(void)
{
	/* one attribute, of every length that a MAD may be cut to */
	struct madkit_message m = { .kind = MADKIT_MESSAGE_RESPONSE, .mad = mad };
	struct madkit_record r;
	bool good = true;

	memset(mad, 0, 256);
	mad[0] = 1;
	mad[1] = MADKIT_CLASS_SUBN;
	mad[3] = 0x81;
	mad[17] = 0x11;
	for (m.len = 0; m.len <= 256; m.len++) {
		size_t want = m.len <= 64 ? 0 : m.len - 64 < 40 ? m.len - 64 : 40;

		madkit_record_get(&m, 0, &r);
		good &= r.len == want && !r.data == !want && madkit_message_records(&m) == !!want;
	}
	ok(good, "NodeInfo cut to any length");
	mad[17] = 0xee;
	m.len = 256;
	madkit_record_get(&m, 0, &r);
	ok(!r.attribute && !r.layout && r.len == 64, "an unknown SMP attribute is its class's 64 bytes");
	mad[1] = 0x77;
	madkit_record_get(&m, 0, &r);
	ok(r.data == mad + 24 && r.len == 232, "an unknown class is all bytes");
	mad[1] = MADKIT_CLASS_PERF;
	mad[17] = 0x12;
	madkit_record_get(&m, 0, &r);
	ok(r.data == mad + 64 && r.len == 44, "PortCounters");
}

/* Fields by name, in records whole and cut. */
static void test_message_check_values(void)
{
	struct madkit_message m =
		sa(MADKIT_METHOD_GET_TABLE | MADKIT_METHOD_RESPONSE, NODE_RECORD, 2 * 112, 112);
	struct madkit_record r;
	uint64_t v = 77;

	memcpy(mad + 56 + 112, "\x01\x23", 2);
	mad[56 + 112 + 4 + 2] = 2;
	madkit_record_get(&m, 1, &r);
	is_int(madkit_record_value(&r, "LID", &v), 0, "a value of the second record");
	is_u64(v, 0x0123, "is right");
	is_int(madkit_record_value(&r, "NodeType", &v), 0, "a nested one");
	is_u64(v, 2, "is right");
	v = 77;
	is_int(madkit_record_value(&r, "PathRecord", &v), -ENOENT, "no such field");
	is_int(madkit_record_value(&r, "NodeDescription", &v), -EINVAL, "a text");
	is_int(madkit_record_value(&r, "NodeInfo", &v), -EINVAL, "a layout");
	madkit_record_get(&m, 2, &r);
	is_int(madkit_record_value(&r, "LID", &v), -ENODATA, "no such record");
	m = sa(MADKIT_METHOD_GET | MADKIT_METHOD_RESPONSE, NODE_RECORD, 5, 0);
	madkit_record_get(&m, 0, &r);
	is_int(madkit_record_value(&r, "NodeInfo.Guid", &v), -ENODATA, "cut off");
	m = sa(MADKIT_METHOD_GET | MADKIT_METHOD_RESPONSE, 0xeeee, 200, 0);
	madkit_record_get(&m, 0, &r);
	is_int(madkit_record_value(&r, "LID", &v), -ENOENT, "no layout");
	is_u64(v, 77, "a failure sets nothing");
}

int main(void)
{
	check_cases();
	check_views();
	check_lengths();
	test_message_check_values();
	return tap_done();
}
